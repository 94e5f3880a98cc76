"""Pages and figures of motions, impacts and grains."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import IMPACTS, MECHANISMS
from test_model import ball

import percussion as pc


def data(page: pc.Page) -> Any:
    """The data of a page."""
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.html, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def test_a_model_is_simulated_and_played(tmp_path: Path) -> None:
    page = pc.view(ball(0.6), duration=0.3)
    assert page.title == "A ball above the floor"
    motion = data(page)["motions"][0]
    trajectory = ball(0.6).simulate(0.3)
    assert motion["times"][-1] == pytest.approx(0.3)
    # Position first, as single numbers.
    assert motion["poses"][-1][2] == pytest.approx(trajectory.coordinates[-1, 2], rel=1e-6)
    file = page.save(tmp_path / "ball.html")
    assert file.read_text(encoding="utf-8") == page.html
    # Nothing is loaded from elsewhere.
    assert not re.search(r'(src|href)="https?:', page.html)


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    page = pc.view(ball(0.6), duration=0.05, height=300)
    shown = page._repr_html_()
    found = re.search(r'srcdoc="([^"]*)"', shown)
    assert found is not None
    assert html.unescape(found.group(1)) == page.html
    assert "height: 300px" in shown
    assert len(repr(page)) < 80


def test_a_recorded_simulation_is_that_of_the_model() -> None:
    simulation = pc.Simulation(ball(0.6), record=True)
    reports = list(simulation.run(0.5))
    recorded, whole = simulation.trajectory(), ball(0.6).simulate(0.5)
    assert recorded == whole
    assert len(recorded) == len(reports) + 1
    motion = data(pc.view(simulation))["motions"][0]
    assert motion["poses"] == data(pc.view(ball(0.6)))["motions"][0]["poses"]
    with pytest.raises(ValueError, match="`record` is False"):
        pc.Simulation(ball(0.6)).trajectory()
    with pytest.raises(ValueError, match="`record` is False"):
        pc.view(pc.Simulation(ball(0.6)))


@pytest.mark.parametrize("name", ["box-and-wall", "box-stack"])
def test_a_record_of_found_contacts_has_their_impulses(name: str) -> None:
    model = pc.Model.from_file(MECHANISMS / f"mechanisms/{name}.toml")
    simulation = pc.Simulation(model, record=True)
    simulation.advance(0.1)
    recorded, whole = simulation.trajectory(), model.simulate(0.1)
    assert np.array_equal(recorded.coordinates, whole.coordinates)
    assert np.array_equal(recorded.impulses, whole.impulses)
    named = [recorded.contact_names[number] for number in recorded.impulse_contacts]
    assert named == [whole.contact_names[number] for number in whole.impulse_contacts]


def test_impacts_of_bodies_are_played_by_several_laws() -> None:
    page = pc.view(pc.Impact.load(IMPACTS / "rocking-block.toml"), "newton", "poisson")
    assert [motion["name"] for motion in data(page)["motions"]] == ["newton", "poisson"]
    matrices = pc.Impact(np.eye(1), [-1.0], [pc.Contact([1.0])])
    with pytest.raises(ValueError, match="`impact` has no bodies"):
        pc.view(matrices)


def test_grains_are_played() -> None:
    page = pc.view(pc.grains("six-by-six-by-six", 0.02))
    assert data(page)["motions"][0]["grains"] is not None


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3,), {}, "`thing` is of type int"),
        ((ball(1.0), "newton"), {}, "`laws` are newton, expected none for a Model"),
        ((pc.grains("six-by-six-by-six", 0.001),), {"duration": 1.0}, "`duration` is 1.0, expected nothing"),
        ((ball(1.0),), {"scheme": "euler"}, "euler"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pc.view(*arguments, **options)


def test_figures_have_what_they_say() -> None:
    pytest.importorskip("matplotlib", reason="figures are an extra")
    trajectory = ball(0.6).simulate(0.5)
    upper, middle, lower = trajectory.figure(coordinates=[2]).axes
    assert np.array_equal(upper.lines[0].get_ydata(), trajectory.coordinates[:, 2])
    assert np.array_equal(middle.lines[0].get_ydata(), trajectory.energies)
    # The impulses are at the ends of their steps, where the velocity has changed.
    times = lower.lines[0].get_xdata()
    assert times.min() > 0.3
    corners = [pc.Contact([0.0, 1.0, x], [[1.0, 0.0, 0.3]], friction=0.4) for x in (-0.2, 0.2)]
    impact = pc.Impact(np.diag([1.0, 1.0, 0.0167]), [1.0, -2.0, 2.0], corners)
    outcomes = impact.outcomes(0.05, samples=64, steps=1000)
    figure = outcomes.figure()
    assert len(figure.axes) == len(outcomes.planes) == 2
    assert "contact 0" in figure.axes[0].get_title()
    # The hull is that of the contact velocities of the samples, which are computed here: normal, tangent.
    for contact, axes in enumerate(figure.axes):
        separation, sliding = impact.jacobian[2 * contact : 2 * contact + 2] @ outcomes.velocities.T
        line = axes.lines[0]
        assert (line.get_ydata().min(), line.get_ydata().max()) == pytest.approx((separation.min(), separation.max()))
        assert (line.get_xdata().min(), line.get_xdata().max()) == pytest.approx((sliding.min(), sliding.max()))
    assert sliding.max() - sliding.min() > 1e-3
    assert len(outcomes.figure(contacts=[1]).axes) == 1
    with pytest.raises(ValueError, match="`contacts` are"):
        outcomes.figure(contacts=[7])
