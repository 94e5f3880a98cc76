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
    found = adapter.problem(model, q, np.zeros(model.nv), tau, STEP, contacts, limits=False, joint_friction=False)
    assert found is not None
    # Tangents may be turned against ours; normals and all that does not depend on tangents agree.
    delassus = found.problem.delassus
    assert delassus[::3, ::3] == pytest.approx(expected[::3, ::3], rel=1e-8)
    assert np.linalg.eigvalsh(delassus) == pytest.approx(np.linalg.eigvalsh(expected), rel=1e-7, abs=1e-9)
    assert found.problem.free_velocity[::3] == pytest.approx(step.problem.free_velocity[feet, 0], abs=1e-10)


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
    balance = masses @ after - STEP * (tau - effects) - found.jacobian.T @ solution.impulses
    assert np.abs(balance).max() < 1e-12
    assert (found.jacobian @ after)[:12:3].min() > -1e-10
    # The dry friction of the joints of the file follows the contacts, 0.05 N·m each.
    assert found.names[:4] == tuple(FEET)
    # The knees start at their limits.
    assert [block.kind for block in found.blocks] == ["contact"] * 4 + ["unilateral"] * 4 + ["interval"] * 12
    assert all(name.startswith("upper limit of joint ") and "knee" in name for name in found.names[4:8])
    assert all(name.startswith("friction of joint ") for name in found.names[8:])
    assert np.abs(solution.impulses[16:]).max() <= 0.05 * STEP * (1.0 + 1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [1.0]}, r"`q` has the shape \(1,\), expected \(19,\)"),
        ({"v": np.full(18, np.nan)}, "`v` has entries that are not finite"),
        ({"step_size": 0.0}, "`step_size` is 0.0, expected a positive number"),
        ({"contacts": [adapter.PointContact("nose", 0.5)]}, "`nose`, which is not a frame"),
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
    assert adapter.problem(model, q, np.zeros(18), np.zeros(18), STEP, [], limits=False, joint_friction=False) is None


def test_a_joint_at_its_limit_stops_there() -> None:
    model, q = robot()
    joint = model.names[2]
    index = model.idx_vs[2]
    q[7:] = -0.7
    q[model.idx_qs[2]] = model.upperPositionLimit[model.idx_qs[2]]
    v = np.zeros(18)
    v[index] = 2.0
    found = adapter.problem(model, q, v, np.zeros(18), STEP, [], joint_friction=False)
    assert found is not None
    assert found.names == (f"upper limit of joint {joint}",)
    after = found.velocity(found.solve(tolerance=1e-12).check().impulses)
    assert after[index] == pytest.approx(0.0, abs=1e-12)
    assert adapter.problem(model, q, v, np.zeros(18), STEP, [], joint_friction=False, limits=False) is None


def test_a_loop_is_bilateral() -> None:
    model, q = robot()
    frame = model.frames[model.getFrameId(FEET[0])]
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    world = pin.SE3(np.eye(3), np.array(data.oMf[model.getFrameId(FEET[0])].translation))
    held = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, frame.parentJoint, frame.placement, 0, world, pin.ReferenceFrame.LOCAL
    )
    v = np.linspace(-1.0, 1.0, 18)
    found = adapter.problem(model, q, v, np.zeros(18), STEP, [], limits=False, loops=[held], joint_friction=False)
    assert found is not None
    assert [(block.kind, block.rows) for block in found.blocks] == [("bilateral", 3)]
    after = found.velocity(found.solve(tolerance=1e-12).check().impulses)
    # The foot stands still; its Jacobian is computed here, not by the adapter.
    rows = np.array(pin.computeFrameJacobian(model, data, q, model.getFrameId(FEET[0]), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED))
    assert np.abs(rows[:3] @ v).max() > 0.1
    assert rows[:3] @ after == pytest.approx(np.zeros(3), abs=1e-10)


def test_friction_may_differ_along_the_tangents() -> None:
    model, q = robot()
    contact = adapter.PointContact(FEET[0], (0.8, 0.2))
    found = adapter.problem(model, q, np.zeros(18), np.zeros(18), STEP, [contact], joint_friction=False)
    assert found is not None
    assert found.blocks[0].section == {"ellipse": [0.8, 0.2]}
