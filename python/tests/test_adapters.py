"""Contacts of MuJoCo: against closed forms, and the engine's own step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import percussion as pc

mj = pytest.importorskip("mujoco", reason="MuJoCo is an extra")

from percussion.adapters import mujoco as adapter  # noqa: E402

STEP, GRAVITY = 0.002, 9.81

BOX = """
<mujoco>
  <option timestep="0.002" integrator="{integrator}" cone="{cone}" jacobian="{jacobian}"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" friction="0.5" condim="{condim}"/>
    <body pos="0 0 0.1"><freejoint/>
      <geom name="box" type="box" size="0.2 0.2 0.1" mass="3" friction="0.5" condim="{condim}"/></body>
  </worldbody>
</mujoco>
"""

ARM = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody><body><joint name="elbow" axis="0 1 0" limited="true" range="0 90" damping="2"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="2"/></body></worldbody>
</mujoco>
"""

FINGERS = """
<mujoco>
  <option timestep="0.002" jacobian="{jacobian}"/>
  <worldbody>
    <body><joint name="first" axis="0 1 0" limited="true" range="0 90"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="2"/></body>
    <body pos="0 1 0"><joint name="second" axis="0 1 0" limited="true" range="-90 0"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0" mass="1"/></body>
  </worldbody>
</mujoco>
"""


def box(integrator: str = "Euler", cone: str = "elliptic", condim: int = 3, jacobian: str = "auto") -> tuple[Any, Any]:
    """A box of 3 kg on a floor."""
    model = mj.MjModel.from_xml_string(BOX.format(integrator=integrator, cone=cone, condim=condim, jacobian=jacobian))
    return model, mj.MjData(model)


def settled(model: Any, data: Any, steps: int = 2000) -> None:
    for _ in range(steps):
        mj.mj_step(model, data)


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_resting_box_is_carried_by_its_corners(integrator: str, cone: str) -> None:
    model, data = box(integrator, cone)
    settled(model, data)
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("floor–box",) * 4
    weight = 3.0 * GRAVITY * STEP
    assert found.impulses[::3].sum() == pytest.approx(weight, rel=1e-6)
    ours = found.solve(tolerance=1e-12).check()
    assert ours.impulses[::3].sum() == pytest.approx(weight, rel=1e-6)
    # At rest the engine is right, too.
    assert found.certify().residual < 1e-6
    assert [block.section for block in found.blocks] == [{"disc": 0.5}] * 4


def test_the_operator_is_that_of_the_box() -> None:
    model, data = box()
    settled(model, data)
    found = adapter.problem(model, data)
    assert found is not None
    # 1/m + (arms from the center)² over the moments; the corners are at (±0.2, ±0.2, -0.1) up to the penetration.
    moments = 3.0 / 12.0 * np.array([0.4**2 + 0.2**2, 0.4**2 + 0.2**2, 0.4**2 + 0.4**2])
    normal = 1.0 / 3.0 + 0.2**2 / moments[0] + 0.2**2 / moments[1]
    assert np.diagonal(found.problem.delassus)[::3] == pytest.approx([normal] * 4, rel=1e-3)


def test_with_the_impulses_of_the_engine_comes_the_velocity_of_the_engine() -> None:
    model, data = box()
    data.qvel[:] = [1.0, 0.4, -0.3, 0.2, 0.1, 0.5]
    for _ in range(30):
        found = adapter.problem(model, data)
        before = np.array(data.qpos), np.array(data.qvel)
        mj.mj_step(model, data)
        if found is None:
            continue
        assert np.array_equal(found.velocity_after, data.qvel)
        assert np.array_equal(found.velocity(found.impulses), data.qvel)
        assert found.certify().velocities == pytest.approx(found.jacobian @ data.qvel, abs=1e-12)
        # The difference of the velocities is what the impulses do.
        mass = np.zeros((6, 6))
        scratch = mj.MjData(model)
        scratch.qpos[:], scratch.qvel[:] = before
        mj.mj_forward(model, scratch)
        for column, unit in enumerate(np.eye(6)):
            mj.mj_mulM(model, scratch, mass[column], unit)
        other = 1.1 * found.impulses
        change = mass @ (found.velocity(other) - found.velocity_after)
        assert change == pytest.approx(found.jacobian.T @ (0.1 * found.impulses), abs=1e-10)


def test_a_box_slides_by_coulombs_law() -> None:
    model, data = box()
    settled(model, data, 500)
    data.qvel[0] = 2.0
    found = adapter.problem(model, data)
    assert found is not None
    ours = found.solve(tolerance=1e-12).check()
    after = found.velocity(ours.impulses)
    # μ g h is lost; the engine, which is soft, loses a little less or more.
    assert after[0] == pytest.approx(2.0 - 0.5 * GRAVITY * STEP, abs=1e-6)
    assert found.problem.certify(ours.impulses).residual < 1e-11 < found.certify().residual


def test_a_soft_contact_that_falls_in_is_an_approach() -> None:
    # A soft contact that still falls in is an approach, of the speed that the step ends with.
    model, data = box()
    data.qpos[2], data.qvel[2] = 0.0999, -1.0
    found = adapter.problem(model, data)
    assert found is not None
    certificate = found.certify()
    assert certificate.approach.max() == pytest.approx(max(0.0, -(found.jacobian @ found.velocity_after)[::3].min()))


@pytest.mark.parametrize(
    ("condim", "section"),
    [
        (1, {"disc": 0.0}),
        (3, {"disc": 0.5}),
        (4, {"spin": [0.5, 0.5, 0.005]}),
        (6, {"joint-ellipsoid": [0.5, 0.5, 0.005, 0.0001, 0.0001]}),
    ],
)
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_contacts_of_every_dimension_have_their_section(condim: int, section: dict[str, Any], cone: str) -> None:
    model, data = box(condim=condim, cone=cone)
    settled(model, data, 300)
    data.qvel[0] = 1.0
    found = adapter.problem(model, data)
    assert found is not None
    assert [block.section for block in found.blocks] == [section] * 4
    assert [len(part) for part in found.split()] == [condim] * 4
    ours = found.solve(tolerance=1e-10).check()
    if condim > 1:
        # The box slides without turning: friction is at its limit in all corners together.
        change = found.velocity(ours.impulses)[0] - 1.0
        assert change == pytest.approx(-0.5 * GRAVITY * STEP, rel=2e-3)


def test_moments_are_those_of_the_engine() -> None:
    # A ball that rolls and spins on a contact of all six components: the velocity of the engine follows from its impulses.
    text = """
    <mujoco><option timestep="0.002" cone="elliptic"/><worldbody>
      <geom type="plane" size="1 1 1" condim="6" friction="0.8 0.02 0.01"/>
      <body pos="0 0 0.0999"><freejoint/><geom type="sphere" size="0.1" mass="2" condim="6" friction="0.8 0.02 0.01"/></body>
    </worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[:] = [0.4, 0.0, 0.0, 0.0, 4.0, 6.0]
    found = adapter.problem(model, data)
    assert found is not None
    without = found.velocity(np.zeros(6))
    mass = np.zeros((6, 6))
    mj.mj_forward(model, data)
    for column, unit in enumerate(np.eye(6)):
        mj.mj_mulM(model, data, mass[column], unit)
    # Without contacts the ball falls freely; the engine's solver ends at 1e-8.
    free = data.qvel + STEP * np.array([0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0])
    assert without == pytest.approx(free, abs=1e-7)
    # Spin and rolling: the rows are the angular velocities about the normal and the tangents.
    spin = found.jacobian[3] @ data.qvel
    assert abs(spin) == pytest.approx(6.0, abs=1e-12)
    ours = found.solve(tolerance=1e-12).check()
    normal, _, _, twist, *rolling = ours.impulses
    # The ball keeps turning, so the ellipsoid is reached, and the moments oppose the rotation.
    tangents = ours.impulses[1:3]
    level = (tangents @ tangents) / 0.8**2 + twist**2 / 0.02**2 + (rolling[0] ** 2 + rolling[1] ** 2) / 0.01**2
    assert level == pytest.approx(normal**2, rel=1e-6)
    assert twist * spin < 0.0


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_a_connect_is_three_bilateral_rows(jacobian: str) -> None:
    text = f"""
    <mujoco><option timestep="0.002" jacobian="{jacobian}"/><worldbody>
      <body name="bob" pos="0 0 -1"><freejoint/><geom type="sphere" size="0.1" mass="2" contype="0"/></body></worldbody>
      <equality><connect name="rope" body1="bob" anchor="0 0 1"/></equality></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[:3] = [0.3, 0.0, 0.7]
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("connect rope",)
    assert [(block.kind, block.rows) for block in found.blocks] == [("bilateral", 3)]
    ours = found.solve(tolerance=1e-12).check()
    # The anchor stands still, one meter above the center.
    after = found.velocity(ours.impulses)
    assert after[:3] + np.cross(after[3:], [0.0, 0.0, 1.0]) == pytest.approx(np.zeros(3), abs=1e-11)
    assert adapter.problem(model, data, loops=False) is None


def test_a_weld_is_two_blocks_and_stops_its_body() -> None:
    text = """
    <mujoco><option timestep="0.002"/><worldbody>
      <body name="part" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/></body></worldbody>
      <equality><weld name="glue" body1="part"/></equality></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[:] = [0.3, -0.2, 0.7, 1.0, 2.0, -3.0]
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("weld glue: position", "weld glue: orientation")
    ours = found.solve(tolerance=1e-12).check()
    assert found.velocity(ours.impulses) == pytest.approx(np.zeros(6), abs=1e-10)


def test_coupled_joints_are_a_bilateral_row() -> None:
    text = """
    <mujoco><option timestep="0.002"/><worldbody>
      <body><joint name="one" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1" mass="1" contype="0"/></body>
      <body><joint name="two" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1" mass="3" contype="0"/></body></worldbody>
      <equality><joint name="gear" joint1="one" joint2="two" polycoef="0 2 0 0 0"/></equality></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[:] = [1.0, 0.0]
    found = adapter.problem(model, data)
    assert found is not None
    after = found.velocity(found.solve(tolerance=1e-12).check().impulses)
    # v₁ = 2 v₂ with the momentum 2·1·v₁ + 3·v₂ of the direction (2, 1) kept: v₂ = 2/7.
    assert after == pytest.approx([4.0 / 7.0, 2.0 / 7.0], abs=1e-12)


@pytest.mark.parametrize(("speed", "expected"), [(1.0, 1.0 - 0.002 * 5.0 / 2.0), (0.004, 0.0)])
def test_dry_friction_slows_a_joint_by_its_bound(speed: float, expected: float) -> None:
    text = """
    <mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody>
      <body><joint name="rail" type="slide" axis="1 0 0" frictionloss="5"/>
      <geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[0] = speed
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("friction of joint rail",)
    assert found.blocks[0].bound == pytest.approx(0.01)
    ours = found.solve(tolerance=1e-12).check()
    assert found.velocity(ours.impulses) == pytest.approx([expected], abs=1e-12)
    assert adapter.problem(model, data, joint_friction=False) is None


def test_rows_that_nothing_moves_are_left_out() -> None:
    # A planar body: its contact cannot move along y, and the rolling about x and z is locked.
    text = """
    <mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1" condim="6"/>
      <body pos="0 0 0.0999"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
      <geom type="sphere" size="0.1" mass="2" condim="6"/></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qvel[:] = [1.0, 0.0, 0.0]
    found = adapter.problem(model, data)
    assert found is not None
    still = [row for row, moved in enumerate(np.abs(found.jacobian).max(axis=1)) if moved == 0.0]
    assert len(still) == 3
    ours = found.solve(tolerance=1e-10).check()
    assert np.abs(ours.impulses[still]).max() < 1e-15
    assert found.velocity(ours.impulses)[0] == pytest.approx(1.0 - GRAVITY * STEP, rel=1e-3)


def test_dense_and_sparse_rows_are_read_alike() -> None:
    answers = []
    for jacobian in ("dense", "sparse"):
        model, data = box(jacobian=jacobian)
        settled(model, data, 100)
        answers.append(adapter.problem(model, data))
    assert answers[0] is not None
    assert answers[1] is not None
    assert answers[0].problem.delassus == pytest.approx(answers[1].problem.delassus, abs=1e-9)


def test_limits_are_unilateral_rows() -> None:
    model = mj.MjModel.from_xml_string(ARM)
    data = mj.MjData(model)
    data.qpos[0], data.qvel[0] = -1e-4, -3.0
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("limit of joint elbow",)
    assert [block.kind for block in found.blocks] == ["unilateral"]
    # Damping of 2 N·m·s/rad is part of what stands for the masses: W = 1/(I + h d).
    mass = np.zeros((1, 1))
    mj.mj_forward(model, data)
    mj.mj_mulM(model, data, mass[0], np.ones(1))
    assert found.problem.delassus[0, 0] == pytest.approx(1.0 / (mass[0, 0] + STEP * 2.0), rel=1e-9)
    ours = found.solve(tolerance=1e-12).check()
    assert found.velocity(ours.impulses) == pytest.approx([0.0], abs=1e-11)
    assert adapter.problem(model, data, limits=False) is None


def test_a_start_from_the_solver_of_contacts_changes_no_answer() -> None:
    # A box on the floor with an arm that its limit holds up.
    text = """
    <mujoco><compiler angle="degree"/><option timestep="0.002"/><worldbody><geom type="plane" size="2 2 1" friction="0.6"/>
      <body pos="0 0 0.12"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="3"/>
      <body pos="0.1 0 0.2"><joint axis="0 1 0" limited="true" range="-60 -30"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/></body></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qpos[7], data.qvel[0] = np.deg2rad(-30.0), 1.0
    compared = 0
    for step in range(400):
        found = adapter.problem(model, data) if step % 10 == 0 else None
        if found is not None:
            ours, plain = found.solve(tolerance=1e-11).check(), found.problem.solve(tolerance=1e-11).check()
            # The velocities are unique here, the impulses of redundant contacts need not be.
            assert found.velocity(ours.impulses) == pytest.approx(found.velocity(plain.impulses), abs=1e-7)
            assert found.certify(ours.impulses).relative_residual <= 1e-11
            compared += {"contact", "unilateral"} <= {block.kind for block in found.blocks}
        mj.mj_step(model, data)
    assert compared > 3


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_limits_have_the_rows_of_their_joints(jacobian: str) -> None:
    model = mj.MjModel.from_xml_string(FINGERS.format(jacobian=jacobian))
    data = mj.MjData(model)
    data.qpos[:], data.qvel[:] = [-1e-4, 1e-4], [-3.0, 2.0]
    found = adapter.problem(model, data)
    assert found is not None
    assert found.names == ("limit of joint first", "limit of joint second")
    # A lower limit and an upper one.
    assert found.jacobian.tolist() == [[1.0, 0.0], [0.0, -1.0]]


def test_nothing_in_contact_is_no_problem() -> None:
    model, data = box()
    data.qpos[2] = 1.0
    assert adapter.problem(model, data) is None


def test_model_and_data_are_not_changed() -> None:
    model, data = box()
    settled(model, data, 50)
    before = np.array(data.qpos), np.array(data.qvel), data.time, int(model.opt.disableflags), np.array(data.qacc_warmstart)
    adapter.problem(model, data)
    after = np.array(data.qpos), np.array(data.qvel), data.time, int(model.opt.disableflags), np.array(data.qacc_warmstart)
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_steps_of_runge_and_kutta_are_refused() -> None:
    model, data = box("RK4")
    with pytest.raises(ValueError, match="RK4, expected Euler"):
        adapter.problem(model, data)


def test_friction_may_differ_along_the_tangents() -> None:
    pair = BOX.format(integrator="Euler", cone="elliptic", condim=3, jacobian="auto").replace(
        "</worldbody>",
        '</worldbody><contact><pair geom1="floor" geom2="box" friction="0.5 0.1 0.01 0.01 0.01"/></contact>',
    )
    model = mj.MjModel.from_xml_string(pair)
    data = mj.MjData(model)
    data.qpos[2] = 0.0999
    found = adapter.problem(model, data)
    assert found is not None
    assert found.blocks[0].section == {"ellipse": [0.5, 0.1]}
    assert found.solve().status == "solved"


def test_the_result_is_a_result() -> None:
    import pickle

    model, data = box()
    settled(model, data, 50)
    found = adapter.problem(model, data)
    assert found is not None
    assert pickle.loads(pickle.dumps(found)) == found
    assert "worst block: floor–box" in str(found)
    assert isinstance(found.certify(), pc.FrictionCertificate)
