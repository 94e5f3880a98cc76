"""Contact problems with the dynamics of pinocchio: against those of our own model of the same robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import MECHANISMS

import percussion as pc

pin = pytest.importorskip("pinocchio", reason="pinocchio is an extra")

from percussion.adapters import pinocchio as adapter  # noqa: E402

ROBOT = MECHANISMS / "robots/quadruped.urdf"
FEET = ["front_left_foot", "front_right_foot", "hind_left_foot", "hind_right_foot"]
STEP = 0.001


def robot() -> tuple[Any, np.ndarray]:
    """The model of pinocchio where ours stands; its quaternions have w last."""
    ours = pc.Model.from_file(ROBOT, scheme="stewart-trinkle")
    model = pin.buildModelFromUrdf(str(ROBOT), pin.JointModelFreeFlyer())
    q = pin.neutral(model)
    q[:3] = ours.coordinates[:3]
    joints = {name: index for index, name in enumerate(model.names)}
    start = pc.Model.from_file(ROBOT, scheme="stewart-trinkle").coordinates[7:]
    q[7:] = start
    assert len(joints) == len(start) + 2
    return model, q


def test_the_operator_and_the_free_velocity_are_those_of_our_own_model() -> None:
    model, q = robot()
    ours = pc.Model.from_file(ROBOT, scheme="stewart-trinkle")
    step = ours.contact_problem(STEP, forces=-ours.smooth_forces() * np.array([0.0] * 6 + [1.0] * 12))
    assert step is not None
    feet = [index for index, name in enumerate(step.contacts.names) if name.endswith("–floor")]
    rows = [3 * index + component for index in feet for component in range(3)]
    expected = step.problem.delassus[np.ix_(rows, rows)]
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    contacts = []
    for name in FEET:
        center = np.array(data.oMf[model.getFrameId(name)].translation)
        contacts.append(adapter.PointContact(name, 0.8, point=(center[0], center[1], 0.0)))
    tau = np.array(pin.nonLinearEffects(model, data, q, np.zeros(model.nv)))
    tau[:6] = 0.0
    found = adapter.problem(model, q, np.zeros(model.nv), tau, STEP, contacts)
    assert found is not None
    # Tangents may be turned against ours; normals and all that does not depend on tangents agree.
    delassus = found.problem.delassus
    assert delassus[::3, ::3] == pytest.approx(expected[::3, ::3], rel=1e-8)
    assert np.linalg.eigvalsh(delassus) == pytest.approx(np.linalg.eigvalsh(expected), rel=1e-7, abs=1e-9)
    assert found.problem.free_velocity[:, 0] == pytest.approx(step.problem.free_velocity[feet, 0], abs=1e-10)


def test_a_standing_robot_is_carried() -> None:
    model, q = robot()
    data = model.createData()
    tau = np.array(pin.nonLinearEffects(model, data, q, np.zeros(model.nv)))
    tau[:6] = 0.0
    found = adapter.problem(model, q, np.zeros(model.nv), tau, STEP, [adapter.PointContact(name, 0.8) for name in FEET])
    assert found is not None
    solution = found.solve(tolerance=1e-12).check()
    after = found.velocity(solution.impulses)
    # M (v⁺ − v) = h (tau − nle) + Jᵀ p.
    masses = np.array(pin.crba(model, data, q))
    masses = np.triu(masses) + np.triu(masses, 1).T
    effects = np.array(pin.nonLinearEffects(model, data, q, np.zeros(model.nv)))
    balance = masses @ after - STEP * (tau - effects) - found.jacobian.T @ solution.impulses.ravel()
    assert np.abs(balance).max() < 1e-12
    assert (found.jacobian @ after)[::3].min() > -1e-10
    assert found.names == tuple(FEET)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [1.0]}, r"`q` has the shape \(1,\), expected \(19,\)"),
        ({"v": np.full(18, np.nan)}, "`v` has entries that are not finite"),
        ({"step_size": 0.0}, "`step_size` is 0.0, expected a positive number"),
        ({"contacts": [adapter.PointContact("nose", 0.5)]}, "`nose`, which is no frame"),
        ({"contacts": [adapter.PointContact(999, 0.5)]}, r"`contacts\[0\].frame` is 999"),
        ({"contacts": [adapter.PointContact(FEET[0], 0.5, normal=(0.0, 0.0, 0.0))]}, "expected a nonzero vector"),
        ({"contacts": [adapter.PointContact(FEET[0], -0.5)]}, "-0.5"),
    ],
)
def test_wrong_states_are_refused(change: dict[str, Any], message: str) -> None:
    model, q = robot()
    arguments = {"q": q, "v": np.zeros(18), "tau": np.zeros(18), "step_size": STEP, "contacts": []} | change
    with pytest.raises(ValueError, match=message):
        adapter.problem(model, **arguments)


def test_no_contacts_are_no_problem() -> None:
    model, q = robot()
    assert adapter.problem(model, q, np.zeros(18), np.zeros(18), STEP, []) is None
