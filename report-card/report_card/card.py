"""Grades, work–precision fronts and comparisons from results."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: Grades by the largest error they admit.
GRADES = (("A", 1e-6), ("B", 1e-4), ("C", 1e-2), ("D", 1e-1), ("F", math.inf))

#: The step at which settings as shipped are compared (s), or the nearest one that a scene has.
COMMON_STEP = 0.005

#: Smaller errors are rounding, and count as equal.
ROUNDING = 1e-12

#: Points with a larger error are too wrong to be compared with: the grade F.
USEFUL = 1e-1

#: Differences of time below this ratio are within the spread of the machine.
LEVEL = 1.1


@dataclass(frozen=True)
class Point:
    """A run that ended, on the plane of work and precision."""

    engine: str
    setting: str
    step_size: float
    error: float
    #: CPU time per simulated second: median, and half of the range of all repetitions.
    cost: float
    spread: float
    run: dict[str, Any]

    @property
    def precision(self) -> float:
        """The error, or that of rounding."""
        return max(self.error, ROUNDING)


@dataclass(frozen=True)
class Row:
    """An engine in a scene."""

    engine: str
    title: str
    law: str
    #: The run with the smallest error, and the first setting at the common step; None if none ended.
    best: Point | None
    shipped: Point | None
    #: Why there is no result.
    gap: str = ""


@dataclass(frozen=True)
class SceneCard:
    """A scene."""

    name: str
    title: str
    truth: str
    results: dict[str, Any]
    points: tuple[Point, ...]
    rows: tuple[Row, ...]

    @property
    def ahead(self) -> str:
        """Why another engine is ahead of percussion, if one is."""
        return str(self.results.get("ahead", ""))

    @property
    def front(self) -> list[Point]:
        """The points for which no other one is both more precise and cheaper, cheapest first."""
        kept: list[Point] = []
        for point in sorted(self.points, key=lambda point: (point.cost, point.precision)):
            if not kept or point.precision < kept[-1].precision:
                kept.append(point)
        return kept

    def on_front(self, engine: str) -> bool:
        """Whether a point of the engine is on the front, or level with it in time."""
        others = [point for point in self.points if point.engine != engine]
        own = [point for point in self.points if point.engine == engine]
        return any(
            point.error <= USEFUL
            and all(other.cost * LEVEL >= point.cost for other in others if other.precision <= point.precision)
            for point in own
        )

    def behind(self, engine: str, law: str | None = None) -> tuple[float, Point | None]:
        """The largest ratio of the engine's time to that of another engine at the same precision or better, and that engine's point.

        Only points of at most ``USEFUL`` error count, and with ``law`` only engines of this law.
        """
        own = [point for point in self.points if point.engine == engine]
        laws = {row.engine: row.law for row in self.rows}
        worst, by = 0.0, None
        for other in self.points:
            if other.engine == engine or other.error > USEFUL or law not in (None, laws[other.engine]):
                continue
            reach = [point.cost for point in own if point.precision <= other.precision]
            ratio = min(reach) / other.cost if reach else math.inf
            if ratio > worst:
                worst, by = ratio, other
        return worst, by


def grade(error: float | None) -> str:
    """The grade of an error."""
    if error is None or not math.isfinite(error):
        return "F"
    return next(letter for letter, largest in GRADES if error <= largest)


def scene_card(results: dict[str, Any]) -> SceneCard:
    """The card of the results of a scene."""
    points = tuple(_point(run, results["duration"]) for run in results["runs"] if run["status"] == "ended")
    rows = tuple(_row(name, about, results["runs"], points) for name, about in results["engines"].items())
    return SceneCard(results["scene"], results["title"], results["truth"], results, points, rows)


def _point(run: dict[str, Any], duration: float) -> Point:
    costs = np.array(run["cpu_seconds"]) / duration
    error = run["measures"]["error"]
    spread = 0.5 * float(np.subtract(*np.percentile(costs, (75, 25))))
    return Point(run["engine"], run["setting"], run["step_size"], error, float(np.median(costs)), spread, run)


def _row(name: str, about: dict[str, str], runs: list[dict[str, Any]], points: Iterable[Point]) -> Row:
    own = [point for point in points if point.engine == name]
    failed = [run for run in runs if run["engine"] == name and run["status"] != "ended"]
    if not own:
        gap = "; ".join(dict.fromkeys(f"{run['status']}: {run.get('reason', '')}" for run in failed)) or "not run"
        return Row(name, about["title"], about["law"], None, None, gap)
    best = min(own, key=lambda point: (point.error, point.cost))
    first = [point for point in own if point.setting == own[0].setting]
    shipped = min(first, key=lambda point: abs(math.log(point.step_size / COMMON_STEP)))
    return Row(name, about["title"], about["law"], best, shipped)


def load(folder: Path) -> list[SceneCard]:
    """The cards of all results in a folder, in the order of the scenes, with what these say of engines that are ahead."""
    from . import scene

    order = {name: number for number, name in enumerate(scene.names())}
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json") if path.stem != "machine"]
    cards = [scene_card({**one, "ahead": scene.load(one["scene"]).card.get("ahead", "")}) for one in found]
    return sorted(cards, key=lambda card: order[card.name])
