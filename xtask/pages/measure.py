"""Measures pages in headless Chromium; `cargo xtask pages` starts it.

Each page is opened from its file, without a network, at three widths, in the light and the dark scheme.
A finding is a row of the table that it prints: page, width, scheme, check, element.

- overflow: an element wider than the window, outside of one that scrolls; cut: text that its frame cuts off.
- overlap of text: the lines of two elements cover each other (`checks.js`), labels of drawings included.
- console: any message, error, or request for a file that is missing or elsewhere.
- first paint: the median of five loads in a browser with empty caches exceeds a second. Where even an empty page
  takes longer than `BUSY`, other programs occupy the processors, and the table says that it was not judged.
- axe: a serious or critical finding of axe-core.
- picture: the page differs visibly from its stored picture (`pictures.py`).
"""

import json
import os
import pathlib
import statistics
import sys
import time

import axe_playwright_python
import pictures
from playwright.sync_api import sync_playwright

WIDTHS = [360, 768, 1400]
HEIGHT = 800
SCHEMES = ["light", "dark"]
# Largest median of the first paint (ms), and the number of loads.
FIRST_PAINT = 1000
LOADS = 5
# Median of the first paint of an empty page above which the machine is too busy to judge others (ms); on an idle
# machine with two slow cores it is 50 to 100.
BUSY = 250
EMPTY = "data:text/html,<!DOCTYPE html><html lang='en'><title>empty</title><p>empty"
# Longest time for one step of one page (ms).
PATIENCE = 120_000
# Rows of the table for one check of one page; the rest are counted.
ROWS = 12
FOLDER = pathlib.Path(__file__).parent
CHECKS = (FOLDER / "checks.js").read_text()
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()

# What a reader finds when all is unfolded; players in folds are pages of their own.
UNFOLD = """() => {
  document.querySelectorAll("details:not(.player)").forEach((fold) => { fold.open = true; });
  const sheet = document.createElement("style");
  sheet.textContent = "* { content-visibility: visible !important; }";
  document.head.append(sheet);
}"""
PAINT = """() => new Promise((resolve) => {
  const look = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (paint) resolve(paint.startTime); else setTimeout(look, 10);
  };
  look();
})"""
SERIOUS = """async () => (await axe.run(document, { resultTypes: ["violations"], iframes: false, preload: false })).violations
  .filter((rule) => ["serious", "critical"].includes(rule.impact))
  .flatMap((rule) => rule.nodes.map((node) => ({ check: "axe", element: node.target.flat().join(" "),
    detail: `${rule.id}: ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? rule.help}` })))"""


class Findings:
    """The rows of the table: for each page, check and element where it was found."""

    def __init__(self):
        self.rows = {}

    def add(self, page, width, scheme, finding):
        key = (page, finding["check"], finding["element"], finding.get("detail", ""))
        self.rows.setdefault(key, set()).add((width, scheme))

    def table(self):
        lines, seen = [], {}
        for (page, check, element, detail), places in self.rows.items():
            seen[page, check] = seen.get((page, check), 0) + 1
            if seen[page, check] > ROWS:
                continue
            widths = ", ".join(str(width) for width in sorted({width for width, _ in places}))
            schemes = ", ".join(sorted({scheme for _, scheme in places}, reverse=True))
            lines.append((page, widths, schemes, check, f"{element}: {detail}"))
        for (page, check), count in seen.items():
            if count > ROWS:
                lines.append((page, "", "", check, f"{count - ROWS} more"))
        head = ("page", "width (px)", "scheme", "check", "element")
        size = [max(len(line[column]) for line in [head, *lines]) for column in range(4)]
        row = lambda line: "  ".join(cell.ljust(width) for cell, width in zip(line, size)) + f"  {line[4]}"
        return "\n".join(row(line) for line in [head, *lines])


def opened(browser, page, width, scheme, messages):
    """A context with the page, ready; `messages` receives what it says."""
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    tab = context.new_page()

    def said(message):
        # Chromium says this about pictures that are taken of a drawing, which only this program does.
        if "GPU stall due to ReadPixels" not in message.text:
            messages.append((message.type, message.text))

    tab.on("console", said)
    tab.on("pageerror", lambda error: messages.append(("error", str(error))))
    tab.on("requestfailed", lambda request: messages.append(("missing", request.url)))
    tab.on(
        "request",
        lambda request: request.url.startswith(("file:", "data:", "blob:", "about:"))
        or messages.append(("network", request.url)),
    )
    tab.goto(page["address"])
    if page.get("player"):
        tab.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    return context, tab


def measure(browser, page, width, scheme, findings, config):
    messages = []
    context, tab = opened(browser, page, width, scheme, messages)
    for shot in page.get("pictures", []):
        if shot["width"] == width and shot["scheme"] == scheme:
            finding = pictures.check(tab, shot, config)
            if finding:
                findings.add(page["name"], width, scheme, finding)
    # What follows is not said by the page.
    messages = list(messages)
    tab.evaluate(UNFOLD)
    measured = tab.evaluate(CHECKS)
    if measured["lines"] == 0:
        findings.add(page["name"], width, scheme, {"check": "text", "element": "the page has none"})
    found = measured["found"]
    tab.evaluate(AXE)
    found += tab.evaluate(SERIOUS)
    found += [{"check": "console", "element": kind, "detail": text} for kind, text in messages]
    for finding in found:
        findings.add(page["name"], width, scheme, finding)
    context.close()


def check_checks(browser, config):
    """Whether each check finds its fault on a page that has one of each."""
    findings = Findings()
    page = {"name": "broken", "address": (FOLDER / "broken.html").as_uri()}
    measure(browser, page, 360, "light", findings, config)
    found = {check for _, check, _, _ in findings.rows}
    blind = {"overflow", "cut", "overlap of text", "axe", "console"} - found
    scrolls = any("Scrolls" in element or "This scrolls" in element for _, _, element, _ in findings.rows)
    if blind or scrolls:
        sys.exit(f"broken.html: not found: {sorted(blind)}; found where there is no fault: {scrolls}")


def first_paint(browser, page, width):
    """Times of the first paint of the page, and of an empty one in turn with it (ms), both sorted."""
    times = {page["address"]: [], EMPTY: []}
    for _ in range(LOADS):
        for address, measured in times.items():
            context = browser.new_context(viewport={"width": width, "height": HEIGHT})
            context.set_default_timeout(PATIENCE)
            tab = context.new_page()
            tab.goto(address, wait_until="commit")
            measured.append(tab.evaluate(PAINT))
            context.close()
    return [sorted(measured) for measured in times.values()]


def run(config):
    findings = Findings()
    environment = dict(os.environ)
    if config.get("fonts"):
        environment["FONTCONFIG_FILE"] = config["fonts"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=config["chromium"],
            env=environment,
            # Containers run as root, and have no graphics hardware.
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--font-render-hinting=none"],
        )
        check_checks(browser, config)
        for page in config["pages"]:
            begin = time.monotonic()
            page["address"] = pathlib.Path(page["path"]).resolve().as_uri()
            paints = []
            for width in config.get("widths", WIDTHS):
                times, empty = first_paint(browser, page, width)
                paint, least = statistics.median(times), statistics.median(empty)
                paints.append(paint)
                if paint > FIRST_PAINT and least > BUSY:
                    print(f"{page['name']}: first paint at {width} px not judged, an empty page took {least:.0f} ms")
                elif paint > FIRST_PAINT:
                    detail = f"{paint:.0f} ms, from {times[0]:.0f} to {times[-1]:.0f} ms"
                    findings.add(page["name"], width, "light", {"check": "first paint", "element": "the page", "detail": detail})
                for scheme in config.get("schemes", SCHEMES):
                    measure(browser, page, width, scheme, findings, config)
            paints = ", ".join(f"{paint:.0f}" for paint in paints)
            print(f"{page['name']}: first paint {paints} ms; {time.monotonic() - begin:.0f} s", flush=True)
        browser.close()
    if findings.rows:
        print(findings.table())
        return 1
    print("no findings")
    return 0


if __name__ == "__main__":
    sys.exit(run(json.loads(pathlib.Path(sys.argv[1]).read_text())))
