"""Grades, fronts and comparisons from results made up here."""

from __future__ import annotations

import math
from typing import Any

from report_card import card


def run(engine: str, setting: str, step: float, error: float, cost: float) -> dict[str, Any]:
    return {"engine": engine, "setting": setting, "step_size": step, "status": "ended", "measures": {"error": error}, "cpu_seconds": [2.0 * cost]}


def made(*runs: dict[str, Any]) -> card.SceneCard:
    names = dict.fromkeys(one["engine"] for one in runs)
    engines = {name: {"title": name, "version": "1", "law": "exact"} for name in names}
    results = {"scene": "slide", "title": "t", "truth": "t", "duration": 2.0, "engines": engines, "runs": list(runs)}
    return card.scene_card(results)


def test_grades() -> None:
    assert [card.grade(error) for error in (0.0, 1e-6, 2e-6, 1e-2, 0.05, 0.5, math.inf, math.nan, None)] == list("AABCDFFFF")


def test_front_and_ratio() -> None:
    one = made(run("a", "s", 0.1, 1e-2, 1.0), run("a", "s", 0.01, 1e-4, 10.0), run("b", "s", 0.1, 1e-3, 4.0), run("b", "s", 0.01, 1e-4, 11.0))
    assert [(point.engine, point.error) for point in one.front] == [("a", 1e-2), ("b", 1e-3), ("a", 1e-4)]
    assert one.on_front("a") and one.on_front("b")
    ratio, by = one.behind("a")
    assert ratio == 2.5 and by is not None and by.engine == "b", "a reaches 1e-3 only at a cost of 10, b at 4"
    ratio, by = one.behind("b")
    assert ratio == 4.0 and by is not None and by.error == 1e-2
    assert one.behind("b", "exact") == (ratio, by) and one.behind("b", "soft") == (0.0, None)


def test_what_is_never_reached_is_infinitely_behind() -> None:
    one = made(run("a", "s", 0.1, 1e-2, 1.0), run("b", "s", 0.1, 1e-3, 4.0))
    assert one.behind("a")[0] == math.inf
    assert not made(run("a", "s", 0.1, 1e-2, 5.0), run("b", "s", 0.1, 1e-3, 4.0)).on_front("a")


def test_rounding_is_no_precision() -> None:
    one = made(run("a", "s", 0.1, 1e-16, 1.0), run("b", "s", 0.1, 0.0, 2.0))
    assert one.behind("a") == (0.5, one.points[1])
    assert not one.on_front("b")


def test_useless_points_are_no_rivals() -> None:
    one = made(run("a", "s", 0.1, 1e-3, 1.0), run("b", "s", 0.1, 0.5, 0.1))
    assert one.behind("a") == (0.0, None)
    assert one.on_front("a") and not one.on_front("b")


def test_gaps_keep_their_reason() -> None:
    failed = {"engine": "b", "setting": "s", "step_size": 0.1, "status": "unsupported", "reason": "no joints"}
    one = made(run("a", "s", 0.1, 1e-2, 1.0), failed)
    row = next(row for row in one.rows if row.engine == "b")
    assert row.best is None and "no joints" in row.gap


def test_the_shipped_setting_is_the_first_at_the_common_step() -> None:
    one = made(run("a", "first", 0.1, 0.3, 1.0), run("a", "first", 0.005, 0.2, 1.0), run("a", "second", 0.005, 0.1, 1.0))
    row = one.rows[0]
    assert row.shipped is not None and row.shipped.error == 0.2
    assert row.best is not None and row.best.error == 0.1
