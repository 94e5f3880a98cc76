"""Robots in MuJoCo's format, and what drives their joints."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import MECHANISMS

import percussion as pc

ROBOT = MECHANISMS / "robots/standing_quadruped.xml"


def standing(**options: Any) -> pc.Model:
    """A quadruped of 14.6 kg on its feet in its home posture."""
    return pc.Model.from_file(ROBOT, **{"keyframe": "home", "ground": 0.0, **options})


@pytest.mark.parametrize("drive", ["limp", "hold", "controls"])
def test_drives_have_the_bits_of_the_command_line(ask: Callable[..., Any], drive: str) -> None:
    options = ["--posture", "home", "--ground", "0", "--drive", drive, "--duration", "0.05", "--step-size", "0.002"]
    printed = ask("run", ROBOT, *options)
    trajectory = standing(drive=drive).simulate(0.05, step_size=0.002)
    assert printed["end"]["coordinates"] == trajectory.coordinates[-1].tolist()
    assert printed["end"]["velocity"] == trajectory.velocities[-1].tolist()


def test_a_quadruped_stands_for_three_seconds() -> None:
    model = standing(drive="controls")
    assert len(model.actuators) == 12
    simulation = pc.Simulation(model, step_size=0.002)
    height = simulation.coordinates[2]
    steps = simulation.advance(3.0)
    assert steps.steps == 1500
    assert steps.unsolved == 0
    # Its servos of 300 N·m/rad give way by millimeters under 14.6 kg.
    assert simulation.coordinates[2] == pytest.approx(height, abs=0.02)
    assert np.abs(simulation.velocity).max() < 1e-3
    # The feet carry the weight.
    report = simulation.step()
    assert report.impulses[:, 0].sum() == pytest.approx(model.mass * 9.81 * 0.002, rel=1e-3)


def test_a_limp_quadruped_falls() -> None:
    simulation = pc.Simulation(standing(), step_size=0.002)
    assert simulation.model.actuators == ()
    height = simulation.coordinates[2]
    simulation.advance(0.2)
    assert simulation.coordinates[2] < height - 0.03


def test_controls_by_name_and_in_order_are_the_same() -> None:
    model = standing(drive="controls")
    start = {actuator.name: control for actuator, control in zip(model.actuators, home(model), strict=True)}
    knees = {actuator.name: start[actuator.name] - 0.2 for actuator in model.actuators if "knee" in actuator.joints[0]}
    assert len(knees) == 4
    ends = []
    for controls in ({**start, **knees}, list({**start, **knees}.values())):
        simulation = pc.Simulation(model, step_size=0.002)
        for _ in simulation.run(0.2, controls=lambda time, q, v, controls=controls: controls):  # type: ignore[misc]
            pass
        ends.append(simulation.coordinates)
    assert np.array_equal(*ends)
    # Set once, they stay.
    once = pc.Simulation(model, step_size=0.002)
    once.set_controls({**start, **knees})
    once.advance(0.2)
    assert np.array_equal(once.coordinates, ends[0])
    # Simulations of one model do not share their controls.
    other = pc.Simulation(model, step_size=0.002)
    other.set_controls(start)
    other.advance(0.2)
    assert not np.array_equal(other.coordinates, ends[0])


def home(model: pc.Model) -> list[float]:
    """The angles of the joints of the actuators at the start, which are their controls there."""
    return model.coordinates[7:].tolist()


def test_a_driven_model_round_trips() -> None:
    model = standing(drive="hold")
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again.actuators == model.actuators
    assert again.simulate(0.02) == model.simulate(0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: standing(drive="push"), "push"),
        (lambda: standing(drive="no-such.csv"), "no-such.csv"),
        (lambda: pc.Model.from_file(ROBOT, keyframe="away"), "away"),
        (lambda: standing(ground="low"), "ground"),
        (lambda: pc.Simulation(standing()).set_controls({"knee": 1.0}), "`controls` has the name knee, expected one of no act"),
        (lambda: pc.Simulation(standing(drive="controls")).set_controls([1.0]), r"`controls` has the shape \(1,\), expected \(12,\)"),
        (lambda: pc.Simulation(standing(drive="controls")).set_controls([np.nan] * 12), "is NaN, expected a finite number"),
    ],
)
def test_wrong_drives_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
