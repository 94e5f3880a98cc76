"""Compares a page with its stored picture, as an eye would.

A picture is stored at a quarter of its size, which keeps places, sizes and colors and turns letters into gray.
Two pictures agree if, blurred by `BLUR` pixels, the colors of at most `SHARE` of their pixels differ by more than
`DIFFERENCE` in CIELAB, where 2.3 is just noticeable between two areas of color.
Measured on the stored pictures: moved by 2 px of the page they differ in up to 0.5 %, by 8 px in at least 1.6 %, and
with a white rectangle of a sixth of the page in at least 1.5 %.
The browser has one font here, DejaVu Sans, so that lines break alike on all machines; without it no picture is compared.
"""

import io
import pathlib

from PIL import Image, ImageFilter

REDUCTION = 4
BLUR = 1.5
DIFFERENCE = 8.0
SHARE = 0.01
D65 = (0.95047, 1.0, 1.08883)


def reduced(png):
    image = Image.open(io.BytesIO(png)).convert("RGB")
    size = tuple(max(1, round(side / REDUCTION)) for side in image.size)
    return image.resize(size, Image.Resampling.BOX)


def lab(pixel):
    """CIELAB of a color of sRGB, each channel from 0 to 255."""
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10.31475 else c / 255 / 12.92 for c in pixel]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    ratios = [sum(a * b for a, b in zip(row, linear)) / white for row, white in zip(rows, D65)]
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def differing(one, other):
    """Share of the pixels of two pictures of one size whose colors differ visibly."""
    known = {}

    def color(pixel):
        if pixel not in known:
            known[pixel] = lab(pixel)
        return known[pixel]

    pixels = lambda image: list(image.filter(ImageFilter.GaussianBlur(BLUR)).get_flattened_data())
    far = 0
    for a, b in zip(pixels(one), pixels(other)):
        if a != b:
            distance = sum((p - q) ** 2 for p, q in zip(color(a), color(b))) ** 0.5
            far += distance > DIFFERENCE
    return far / (one.width * one.height)


def check(tab, shot, config):
    """Takes the picture `shot` of a page and compares it with the stored one; returns a finding or nothing."""
    if not config.get("fonts"):
        return None
    if shot.get("element"):
        # Parts of the page that are laid out while it scrolls would move the element.
        tab.add_style_tag(content="* { content-visibility: visible !important; }")
        target = tab.locator(shot["element"]).first
        target.scroll_into_view_if_needed()
        png = target.screenshot(animations="disabled")
    else:
        png = tab.screenshot(animations="disabled")
    image = reduced(png)
    out = pathlib.Path(config["out"])
    (out / f"{shot['name']}.full.png").write_bytes(png)
    image.save(out / f"{shot['name']}.png", optimize=True)
    stored = pathlib.Path(config["references"]) / f"{shot['name']}.png"
    if config.get("accept"):
        if not stored.exists() or fault(image, Image.open(stored).convert("RGB")):
            stored.parent.mkdir(parents=True, exist_ok=True)
            image.save(stored, optimize=True)
            print(f"accepted: {stored}")
        return None
    found = lambda detail: {"check": "picture", "element": shot["name"], "detail": detail}
    if not stored.exists():
        return found("no stored picture; --accept stores it")
    detail = fault(image, Image.open(stored).convert("RGB"))
    return found(f"{detail}; see {out / shot['name']}.full.png") if detail else None


def fault(image, stored):
    """In what a picture differs from the stored one, if it does."""
    if any(abs(a - b) > 1 for a, b in zip(image.size, stored.size)):
        return f"its size is {image.size}, that of the stored picture {stored.size}"
    if image.size != stored.size:
        image = image.resize(stored.size)
    share = differing(image, stored)
    return f"{100 * share:.1f} % of it differ" if share > SHARE else None
