"""The pages: a front page with the grades, and a page a scene with its truth, curves and figures."""

from __future__ import annotations

import html
import io
import json
import math
import shutil
from pathlib import Path
from typing import Any

from . import card as cards
from .run import packages
from .scene import FOLDER
from .worker import JUDGED

#: Colors that people with any color vision can tell apart, by engine.
COLORS = {
    "percussion": "#000000", "mujoco": "#0072b2", "pinocchio": "#56b4e9", "drake": "#009e73", "bullet": "#d55e00", "rapier": "#e69f00",
    "dart": "#cc79a7", "newton": "#8c564b", "lammps": "#999999", "ode": "#b8a800", "siconos": "#7e3fb8",
}
MARKERS = "osD^vPX*<>h"

#: Errors below this are drawn at it.
FLOOR = 1e-16

STYLE = """
:root{color-scheme:light dark;--line:#8886;--soft:#8882}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem}
h1,h2{line-height:1.2} a{color:inherit} figure{margin:1rem 0} figure svg{background:#fff;max-width:100%;height:auto;border-radius:6px}
.wide{overflow-x:auto} table{border-collapse:collapse;font-size:.9rem} th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:left}
td.A,td.B,td.C,td.D,td.F,td.number{white-space:nowrap}
td.number{text-align:right;font-variant-numeric:tabular-nums} code{background:var(--soft);padding:.1rem .3rem;border-radius:3px}
.A{background:#1a96413a}.B{background:#a6d96a4a}.C{background:#ffdd554a}.D{background:#fdae614a}.F{background:#d7191c3a}.gap{color:#888}
.small{font-size:.85rem}
"""

LAWS = {
    "exact": "Coulomb's law, solved to a tolerance",
    "convex": "the convex relaxation of Coulomb's law",
    "soft": "compliant contacts",
    "sweeps": "Coulomb's law or a pyramid, by a fixed number of sweeps",
}


def write(results: Path, out: Path) -> None:
    """Writes all pages of the results in a folder."""
    found = cards.load(results)
    out.mkdir(parents=True, exist_ok=True)
    machine = json.loads((results / "machine.json").read_text(encoding="utf-8"))
    for one in found:
        shutil.copy(FOLDER / f"{one.name}.toml", out / f"{one.name}.toml")
        shutil.copy(results / f"{one.name}.json", out / f"{one.name}.json")
        (out / f"{one.name}.html").write_text(_scene_page(one), encoding="utf-8")
    (out / "index.html").write_text(_front_page(found, machine), encoding="utf-8")


def _front_page(found: list[cards.SceneCard], machine: dict[str, Any]) -> str:
    known = {name: about for one in found for name, about in one.results["engines"].items()}
    engines = {name: known[name] for name in (*COLORS, *known) if name in known}
    head = "".join(f"<th>{_text(about['title'])}<br><span class=small>{_text(about['version'] or 'not installed')}</span></th>"
                   for about in engines.values())
    body = ""
    for one in found:
        cells = "".join(_cell(next((row for row in one.rows if row.engine == name), None)) for name in engines)
        body += f'<tr><th><a href="{one.name}.html">{_text(one.title)}</a></th>{cells}</tr>'
    limits = ", ".join(f"{letter} ≤ {largest:g}" for letter, largest in cards.GRADES[:-1])
    laws = "".join(f"<li>{_text(about['title'])}: {_text(LAWS.get(about['law'], about['law']))}</li>" for about in engines.values() if about["law"])
    ours = [(one, one.behind("percussion", "exact"), one.behind("percussion")) for one in found]
    front = sum(one.on_front("percussion") for one in found)
    rows = "".join(
        f'<tr><td><a href="{one.name}.html">{_text(one.title)}</a></td><td>{"yes" if one.on_front("percussion") else "no"}</td>'
        + "".join(f"<td class=number>{_ratio(ratio)}</td><td>{_by(by, engines)}</td>" for ratio, by in (exact, any_law))
        + f"<td>{_text(one.ahead)}</td></tr>"
        for one, exact, any_law in ours
    )
    figures = "".join(f"<figure>{_curves(one, small=True)}<figcaption>{_text(one.title)}: {_text(text)}</figcaption></figure>"
                      for one, text in _pictures(found))
    return _page("Report card", f"""
<h1>Report card: engines on the same scenes</h1>
<p>{len(found)} scenes whose truth is known, {sum(bool(about["version"]) for about in engines.values())} engines, one judge. Each cell shows
the grade and the error of the best of all tried settings and steps, then those of the first setting (the one that the engine
documents or ships) at the step nearest to {cards.COMMON_STEP:g} s. An error of 0 is the truth, and 1 is as large as the motion itself.
Grades: {limits}, F beyond. A dash is a gap, with its reason on the page of the scene.</p>
<div class=wide><table><thead><tr><th>Scene</th>{head}</tr></thead><tbody>{body}</tbody></table></div>
<p>How they model a contact:</p><ul>{laws}</ul>
<p>A compliant engine is not wrong, it is soft: its own model admits penetration and creep, and its error says how much at the settings
that were run.</p>
{_known(engines)}
<h2>Three pictures</h2>{figures}
<h2>Where percussion stands</h2>
<p>On the work–precision front of {front} of {len(found)} scenes (level within {100 * (cards.LEVEL - 1):.0f} % of time counts).
The other columns compare it with the engine that it is furthest behind, among those that solve Coulomb's law and among all: the ratio
of its time to that engine's, at the precision of that engine or better; below 1 percussion is ahead. Points with an error over {cards.USEFUL:g} are too wrong to be compared with.</p>
<div class=wide><table><thead><tr><th>Scene</th><th>On the front</th><th colspan=2>Beside Coulomb's law</th><th colspan=2>Beside all</th><th>Why</th></tr></thead><tbody>{rows}</tbody></table></div>
<h2>How it was run</h2>
<p>{_text(machine["cpu"])}, {_text(machine["system"])}, {_text(machine["date"])}, commit {_text(machine["commit"])}. One thread; CPU time of the
engine's own steps, without reading states; medians over up to five repetitions in each of {_rounds(found)} rounds in which the engines take turns.
Repeat it with <code>cargo xtask report-card</code>; the numbers are in the <code>.json</code> files beside the pages.</p>""")


def _rounds(found: list[cards.SceneCard]) -> str:
    counts = sorted({one.results["rounds"] for one in found})
    return " to ".join(dict.fromkeys(str(count) for count in (counts[0], counts[-1])))


def _known(engines: dict[str, Any]) -> str:
    """What maintainers explain about their engines."""
    rows = ""
    for name, about in engines.items():
        for one in packages().get(name, {}).get("known", []):
            repository, number = one["thread"].split("#")
            address = f"https://github.com/{repository}/issues/{number}"
            rows += f'<li>{_text(about["title"])}: {_text(one["text"])} <a href="{address}">{_text(one["thread"])}</a></li>'
    return f"<p>Known, and explained by the maintainers:</p><ul>{rows}</ul>" if rows else ""


def _pictures(found: list[cards.SceneCard]) -> list[tuple[cards.SceneCard, str]]:
    texts = {
        "stick": "compliant contacts creep where Coulomb's law holds the box.",
        "disc": "at these steps only motion from event to event, which integrates with error control, follows the steady precession.",
        "stack-10-heavy": "a load of a thousand boxes needs the contact problem to be solved, not only swept.",
    }
    return [(one, texts[one.name]) for one in found if one.name in texts]


def _cell(row: cards.Row | None) -> str:
    if row is None:
        return "<td class=gap>–</td>"
    if row.best is None or row.shipped is None:
        failed = row.gap.startswith(("failed", "timed out"))
        return f'<td class="{"F" if failed else "gap"}" title="{_text(row.gap)}">{"F" if failed else "–"}</td>'
    best, shipped = cards.grade(row.best.error), cards.grade(row.shipped.error)
    return (f'<td class={best}><b>{best}</b> {_number(row.best.error)}<br>'
            f"<span class=small>{shipped} {_number(row.shipped.error)}</span></td>")


def _scene_page(one: cards.SceneCard) -> str:
    names = list(dict.fromkeys(key for point in one.points for key in point.run["measures"] if key != "error"))
    head = "".join(f"<th>{_text(name)}</th>" for name in ("error", *names))
    body = "".join(_settings(row, one, names) for row in one.rows)
    gaps = "".join(f"<li>{_text(row.title)}: {_text(row.gap)}</li>" for row in one.rows if row.best is None)
    lost = "".join(
        f"<li>{_text(one.results['engines'][run['engine']]['title'])}, {_text(run['setting'])}, step {run['step_size']:g} s: {_text(run['status'])}, "
        f"{_text(run.get('reason', ''))}</li>"
        for run in one.results["runs"]
        if run["status"] != "ended" and any(row.engine == run["engine"] and row.best for row in one.rows)
    )
    unsteady = sorted({one.results["engines"][run["engine"]]["title"] for run in one.results["runs"] if run.get("repeats") is False})
    ratio, by = one.behind("percussion")
    stand = ("percussion is on the front." if one.on_front("percussion") else "percussion is not on the front.")
    if by is not None:
        stand += f" It is furthest behind {one.results['engines'][by.engine]['title']} ({by.setting}, step {by.step_size:g} s): {_ratio(ratio)} of its time."
    return _page(one.title, f"""
<p><a href="index.html">Report card</a></p>
<h1>{_text(one.title)}</h1>
<p><b>Truth.</b> {_text(one.truth)} The scene: <a href="{one.name}.toml"><code>{one.name}.toml</code></a>, which
<code>percussion run</code> reads; the numbers: <a href="{one.name}.json"><code>{one.name}.json</code></a>.</p>
<figure>{_curves(one)}<figcaption>Error over CPU time per simulated second; each line is a setting over its steps. Left and below is better.
{_text(stand)}</figcaption></figure>
<h2>Figures</h2>
<p>For each setting the step with the smallest error. The natural map is the distance of the reported impulses from Coulomb's law at each
contact (median and largest over up to {JUDGED} samples), penetration is measured with percussion's geometry.</p>
<div class=wide><table><thead><tr><th>Engine</th><th>Setting</th><th>Step (s)</th><th>CPU s per s</th>{head}<th>natural map (m/s)</th>
<th>largest (m/s)</th><th>penetration (m)</th></tr></thead><tbody>{body}</tbody></table></div>
{f"<h2>Gaps</h2><ul>{gaps}</ul>" if gaps else ""}
{f"<h2>Runs that did not end</h2><ul class=small>{lost}</ul>" if lost else ""}
{f"<p>Two runs differ in their figures: {_text(', '.join(unsteady))}.</p>" if unsteady else ""}
<h2>Repeat it</h2><p><code>cargo xtask report-card --scene {one.name}</code></p>""")


def _settings(row: cards.Row, one: cards.SceneCard, names: list[str]) -> str:
    text = ""
    points = [point for point in one.points if point.engine == row.engine]
    for setting in dict.fromkeys(point.setting for point in points):
        best = min((point for point in points if point.setting == setting), key=lambda point: (point.error, point.cost))
        run = best.run
        contacts = run.get("contacts", {})
        numbers = [best.step_size, best.cost, best.error, *(run["measures"].get(name) for name in names)]
        numbers += [contacts.get("natural map"), contacts.get("worst natural map"), run.get("penetration")]
        cells = "".join(f"<td class=number>{_number(number)}</td>" for number in numbers)
        text += f"<tr><td>{_text(row.title)}</td><td>{_text(setting)}</td>{cells}</tr>"
    return text


def _curves(one: cards.SceneCard, small: bool = False) -> str:
    """The work–precision diagram as SVG."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = one.name
    figure, axes = pyplot.subplots(figsize=(5.2, 3.4) if small else (8.5, 5.0), layout="constrained")
    for row in one.rows:
        points = [point for point in one.points if point.engine == row.engine]
        for number, setting in enumerate(dict.fromkeys(point.setting for point in points)):
            line = [point for point in points if point.setting == setting]
            axes.loglog(
                [point.cost for point in line], [max(point.error, FLOOR) for point in line], label=row.title if number == 0 else None,
                color=COLORS.get(row.engine, "#444"), marker=MARKERS[number % len(MARKERS)], markersize=4,
                linewidth=1.6 if row.engine == "percussion" else 0.9, linestyle=("-", "--", ":", "-.")[number % 4],
            )
    axes.set_xlabel("CPU time per simulated second")
    axes.set_ylabel("error")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, ncols=2)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="Error over CPU time: {_text(one.title)}" ', 1)


def _by(point: cards.Point | None, engines: dict[str, Any]) -> str:
    return "" if point is None else f"{_text(engines[point.engine]['title'])} ({_text(point.setting)}, step {point.step_size:g} s, error {point.error:.1e})"


def _ratio(ratio: float) -> str:
    if ratio == 0.0:
        return "–"
    return "never as precise" if math.isinf(ratio) else f"{ratio:.2g} ×"


def _number(number: float | None) -> str:
    if number is None:
        return "–"
    return f"{number:g}" if number == 0.0 or 0.001 <= abs(number) < 1000 and f"{number:g}" == f"{number:.3g}" else f"{number:.1e}"


def _text(text: str) -> str:
    return html.escape(str(text), quote=True)


def _page(title: str, body: str) -> str:
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{_text(title)}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n")
