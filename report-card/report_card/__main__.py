"""``python -m report_card``: run engines on scenes, and write the pages."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from . import pages, scene
from .card import load
from .run import ROOT, Limits, engines, packages, run

#: The scenes of the quick form, which take a moment. Its engines are marked in ``engines.toml``: those whose packages are small.
QUICK_SCENES = ("slide", "stick", "roll", "pinch", "cards", "skid", "cradle-3", "row-5")


def main() -> int:
    """Runs the command line and returns the exit code."""
    parser = argparse.ArgumentParser(prog="report_card", description=__doc__)
    parser.add_argument("--scene", action="append", help="only this scene; may be repeated")
    parser.add_argument("--engine", action="append", help="only this engine; results of others stay; may be repeated")
    parser.add_argument("--quick", action="store_true", help="few scenes and engines, one round, and a check of what comes out")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds, of which medians are taken (default 3)")
    parser.add_argument("--seconds", type=float, default=60.0, help="wall-clock limit of one run (default 60)")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="folder of the results")
    parser.add_argument("--out", type=Path, required=True, help="folder of the pages")
    parser.add_argument("--pages-only", action="store_true", help="write the pages of results that exist")
    arguments = parser.parse_args()
    for kind, given, known in (("scene", arguments.scene, scene.names()), ("engine", arguments.engine, list(packages()))):
        for name in given or ():
            if name not in known:
                parser.error(f"--{kind} is {name}, expected one of {', '.join(known)}")
    if arguments.rounds < 1:
        parser.error(f"--rounds is {arguments.rounds}, expected a positive integer")
    if not 0.0 < arguments.seconds < float("inf"):
        parser.error(f"--seconds is {arguments.seconds}, expected a positive finite number (s)")
    if arguments.quick:
        return _quick(arguments)
    if not arguments.pages_only:
        _write(arguments.results, arguments.scene or scene.names(), arguments.engine, Limits(arguments.rounds, arguments.seconds))
    pages.write(arguments.results, arguments.out)
    print(arguments.out / "index.html")
    return 0


def _write(results: Path, scenes: list[str], wanted: list[str] | None, limits: Limits) -> None:
    results.mkdir(parents=True, exist_ok=True)
    chosen = engines(wanted)
    for engine in chosen:
        print(f"{engine.title}: {engine.version or 'not installed, ' + engine.reason}", flush=True)
    (results / "machine.json").write_text(json.dumps(_machine(), indent=1) + "\n", encoding="utf-8")
    for found in run(scenes, chosen, limits, _tell):
        path = results / f"{found['scene']}.json"
        if path.exists():
            found = _joined(json.loads(path.read_text(encoding="utf-8")), found)
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _joined(before: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The new results of a scene, with those of engines that were not run now."""
    known = before["engines"].keys() - found["engines"].keys()
    return {
        **found,
        "engines": {**{name: about for name, about in before["engines"].items() if name in known}, **found["engines"]},
        "runs": [*(one for one in before["runs"] if one["engine"] in known), *found["runs"]],
    }


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _machine() -> dict[str, Any]:
    cpu = platform.processor() or "unknown processor"
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return {"cpu": cpu, "system": platform.platform(), "date": date, "commit": commit or "unknown"}


def _quick(arguments: argparse.Namespace) -> int:
    """Runs the quick form into a folder of its own and checks percussion's part of it."""
    marked = [name for name, about in packages().items() if about.get("quick")]
    wanted = marked if arguments.engine is None else ["percussion", *arguments.engine]
    limits = Limits(rounds=1, seconds=arguments.seconds, steps=4, first_setting=True, once=True)
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), arguments.scene or list(QUICK_SCENES), wanted, limits)
        pages.write(Path(folder), arguments.out)
        found = load(Path(folder))
    complaints = []
    for one in found:
        for row in one.rows:
            error = "no result: " + row.gap if row.best is None else f"{row.best.error:.1e} ({row.best.setting})"
            print(f"{one.name:<16} {row.title:<14} {error}")
        own = next(row for row in one.rows if row.engine == "percussion")
        if own.best is None or own.best.error > 1e-6:
            complaints.append(f"{one.name}: percussion has the error {own.best and own.best.error}, expected at most 1e-6")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(arguments.out / "index.html")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
