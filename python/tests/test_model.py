"""Models from files, and their motion."""

from pathlib import Path

import numpy as np
import pytest
from conftest import MECHANISMS

import percussion as pc

BALL = """
name = "ball"
title = "A ball above the floor"
source = "first year mechanics"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 0.5
friction = 0.3
restitution = 0.5
bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, %s] }]
planes = [{ name = "floor", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }]
integrator = { method = "moreau-jean", step_size = 0.01 }
"""


def ball(height: float) -> pc.Model:
    """A ball of 2 kg and 0.1 m, its center so high (m)."""
    return pc.Model.from_toml(BALL % height)


def test_a_ball_has_the_inertia_and_the_energy_of_a_ball() -> None:
    model = ball(1.1)
    # 2/5 m r² = 0.008 kg·m².
    assert model.mass_matrix() == pytest.approx(np.diag([2.0, 2.0, 2.0, 0.008, 0.008, 0.008]))
    assert model.energy(velocity=[3.0, 0.0, 0.0, 0.0, 0.0, 10.0]) == pytest.approx((9.4, 22.0))
    assert model.bodies == {"ball": 2.0}
    assert model.mass == 2.0
    assert model.smooth_forces() == pytest.approx([0.0, 0.0, -20.0, 0.0, 0.0, 0.0])
    assert model.poses([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]).tolist() == [[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]]
    assert not model.is_planar


def test_contacts_are_those_near_at_the_posture() -> None:
    model = ball(1.1)
    assert len(model.contacts()) == 0
    assert model.contacts().jacobian.shape == (0, 6)
    low = model.contacts([0.0, 0.0, 0.1005, 1.0, 0.0, 0.0, 0.0], proximity=1e-3)
    assert low.names == ("ball–floor",)
    assert low.gaps == pytest.approx([5e-4])
    assert low.friction.tolist() == [0.3]
    assert low.jacobian[0] == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_the_impact_of_a_posture_and_a_velocity() -> None:
    # 2 kg at 3 m/s with e = 1/2: 9 N·s.
    impact = ball(1.1).impact([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -3.0, 0.0, 0.0, 0.0])
    outcome = impact.resolve("newton").check()
    assert outcome.velocity[2] == pytest.approx(1.5)
    assert outcome.impulses[0, 0] == pytest.approx(9.0)
    with pytest.raises(ValueError, match="nearest is `ball–floor` with a gap of 1"):
        ball(1.1).impact()


def test_the_contact_problem_of_a_step_carries_the_weight() -> None:
    assert ball(1.1).contact_problem(0.01) is None
    resting = ball(0.1).contact_problem(0.01)
    assert resting is not None
    assert resting.contacts.names == ("ball–floor",)
    solution = resting.problem.solve().check()
    assert solution.impulses == pytest.approx(np.array([[0.2, 0.0, 0.0]]), abs=1e-12)
    pulled = ball(0.1).contact_problem(0.01, forces=[0.0, 0.0, 15.0, 0.0, 0.0, 0.0])
    assert pulled is not None
    assert pulled.problem.solve().check().impulses[0, 0] == pytest.approx(0.05)


def test_a_ball_falls_and_bounces() -> None:
    trajectory = ball(0.6).simulate(0.5).check()
    assert len(trajectory) == 51
    assert trajectory.times[-1] == pytest.approx(0.5)
    # It falls 0.5 m until 0.316 s and leaves with half of 3.16 m/s.
    before, after = trajectory.velocities[31, 2], trajectory.velocities[33, 2]
    assert after == pytest.approx(-0.5 * before, abs=0.2)
    assert trajectory.contact_names == ("ball–floor",)
    assert trajectory.impulses[:, 0].sum() == pytest.approx(2.0 * (before - after) * -1.0, abs=0.5)
    assert trajectory.largest_energy_increase < 1e-12


def test_steps_one_by_one_are_the_trajectory() -> None:
    model = ball(0.6)
    whole = model.simulate()
    simulation = pc.Simulation(model)
    rows = [simulation.coordinates]
    for report in simulation.run(0.5):
        assert report.status == "solved"
        rows.append(simulation.coordinates)
    assert np.array_equal(np.array(rows), whole.coordinates)
    assert simulation.time == whole.times[-1]
    assert simulation.energy == whole.energies[-1]


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_motion_from_event_to_event_bounces_to_rest(law: str) -> None:
    """With e = 1/2 a ball rests after three times its falling time; each impact keeps a quarter of the energy."""
    start = ball(0.5)
    motion = start.simulate_events(2.0, law=law, step_size=0.25)
    assert motion.check() is motion
    assert motion.status == "end-reached"
    trajectory = motion.trajectory
    falls = np.sqrt(2.0 * (start.coordinates[2] - 0.1) / 10.0)
    first = motion.events[0]
    assert first["time"] == pytest.approx(falls, abs=1e-12)
    assert first["kind"]["impact"]["contacts"] == [0]
    assert trajectory.coordinates[-1, 2] == pytest.approx(0.1, abs=1e-9)
    assert abs(motion.energy_residual) < 1e-9
    assert set(np.round(np.arange(9) * 0.25, 12)) <= set(np.round(trajectory.times, 12))


def test_a_simulation_can_be_left_and_looked_at() -> None:
    simulation = pc.Simulation(ball(0.1), "moreau-jean", step_size=0.005)
    assert simulation.problem() is None
    report = next(simulation.run(1.0))
    assert simulation.time == 0.005
    assert report.impulses[0] == pytest.approx([0.1, 0.0, 0.0], abs=1e-12)
    problem = simulation.problem()
    assert problem is not None
    # To the same bits as in the step.
    assert np.array_equal(problem.solve().check().impulses, report.impulses)
    assert simulation.contact_names == ("ball–floor",)


@pytest.mark.parametrize("scheme", [scheme.name for scheme in pc.schemes() if scheme.settings])
def test_every_stepping_scheme_lets_the_ball_fall(scheme: str) -> None:
    simulation = pc.Simulation(ball(3.0), scheme, step_size=0.01)
    for _ in simulation.run(0.5):
        pass
    assert simulation.velocity[2] == pytest.approx(-5.0, abs=1e-9)
    assert simulation.scheme["name"] == scheme


def test_a_control_holds_the_ball() -> None:
    simulation = pc.Simulation(ball(3.0))
    seen = []

    def hold(time: float, coordinates: object, velocity: object) -> list[float]:
        seen.append(time)
        return [4.0, 0.0, 20.0, 0.0, 0.0, 0.0]

    for report in simulation.run(0.5, hold):
        assert report.energy_after >= report.energy_before
    assert seen == pytest.approx([0.01 * k for k in range(50)])
    # 20 N carry it, 4 N on 2 kg for 0.5 s push it.
    assert simulation.velocity == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-12)
    simulation.apply(np.zeros(6))
    for _ in simulation.run(0.6):
        pass
    assert simulation.velocity[2] == pytest.approx(-1.0, abs=1e-12)


def test_what_is_no_force_is_refused_and_errors_of_a_control_go_through() -> None:
    simulation = pc.Simulation(ball(3.0))
    with pytest.raises(ValueError, match="applied force has 2 entries, expected 6"):
        next(simulation.run(1.0, lambda time, coordinates, velocity: [1.0, 2.0]))
    with pytest.raises(ValueError, match=r"applied force\[0\] is NaN"):
        simulation.apply([float("nan")] * 6)
    with pytest.raises(ZeroDivisionError):
        next(simulation.run(1.0, lambda time, coordinates, velocity: 1 / 0))
    assert simulation.time == 0.0
    with pytest.raises(ValueError, match="variational takes no applied force"):
        pc.Simulation(ball(3.0), "variational").apply(np.zeros(6))


def test_robots_stand_on_their_floor_and_say_what_was_ignored() -> None:
    robot = pc.Model.from_file(MECHANISMS / "robots/quadruped.urdf", scheme="stewart-trinkle", friction=0.6)
    assert any("pictures" in warning for warning in robot.warnings)
    feet = robot.contacts()
    assert len(feet) == 8
    assert sorted(set(feet.friction.tolist())) == [0.0, 0.6]
    fixed = pc.Model.from_urdf(
        MECHANISMS / "robots/quadruped.urdf", scheme="stewart-trinkle", fixed_base=True, gravity=(0.0, 0.0, 0.0)
    )
    assert len(fixed.velocity) == len(robot.velocity) - 6
    bent = pc.Model.from_urdf(
        MECHANISMS / "robots/quadruped.urdf", scheme="stewart-trinkle", joints={"front_left_knee": -0.9}
    )
    assert -0.9 in bent.coordinates.tolist()


def test_a_standing_robot_is_carried_by_its_feet() -> None:
    robot = pc.Model.from_file(MECHANISMS / "robots/quadruped.urdf", scheme="stewart-trinkle")
    # Drives that hold the joints: all of the weight goes to the feet.
    hold = -robot.smooth_forces()
    hold[:6] = 0.0
    step = robot.contact_problem(0.001, forces=hold, proximity=1e-9)
    assert step is not None
    solution = step.problem.solve(tolerance=1e-10).check()
    assert step.problem.certify(solution.impulses).holds(1e-10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pc.Model.from_file("robot.mjcf"), r"expected a file named \*.urdf, \*.xml or \*.toml"),
        (lambda: pc.Model.from_urdf("no-such.urdf"), "no-such.urdf"),
        (lambda: pc.Model.from_toml("name = 1"), "`name`: invalid type"),
        (lambda: pc.Model.from_toml(BALL % "-1.0"), "contact `ball–floor` starts 1.1 m deep"),
        (
            lambda: pc.Model.from_urdf(MECHANISMS / "robots/quadruped.urdf", scheme="variational"),
            "expected a scheme for joints, such as \"moreau-jean\"",
        ),
        (lambda: pc.Model.from_urdf(MECHANISMS / "robots/quadruped.urdf", bse=1), "unknown argument `bse`"),
        (lambda: pc.Model.from_urdf(MECHANISMS / "robots/quadruped.urdf", gravity=(0, 1)), "`gravity` has 2 entries"),
        (lambda: pc.Model.from_urdf(MECHANISMS / "robots/quadruped.urdf", joints={"nose": 1.0}), "nose"),
        (lambda: ball(1.0).mass_matrix([1.0]), "`coordinates`"),
        (lambda: ball(1.0).mass_matrix([0.0, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0]), "`coordinates`"),
        (lambda: ball(1.0).energy(velocity=[1.0]), r"`velocity` has the shape \(1,\), expected \(6,\)"),
        (lambda: ball(1.0).contacts(proximity=-1.0), "`proximity` is -1"),
        (lambda: ball(1.0).simulate(-1.0), "duration"),
        (lambda: ball(1.0).simulate(1e300), "duration|steps"),
        (lambda: ball(1.0).simulate(scheme="euler"), "no scheme is called `euler`"),
        (lambda: ball(1.0).simulate(scheme="event-driven"), "expected one that takes steps"),
        (lambda: ball(1.0).simulate_events(law="gauss"), "`gauss` is not a law"),
        (lambda: ball(1.0).simulate_events(law="compliant"), "`law` is compliant, expected one with a single outcome"),
        (lambda: ball(1.0).simulate_events(wrong=1.0), "wrong"),
        (lambda: ball(1.0).simulate_events(-1.0), "duration"),
        (lambda: ball(1.0).simulate_events(step_size=float("nan")), "step_size"),
        (lambda: pc.Simulation(ball(1.0), stepsize=1.0), "no setting `stepsize`, expected one of .*step_size"),
        (lambda: pc.Simulation(ball(1.0), step_size=-1.0), "step"),
        (lambda: pc.Simulation(ball(1.0), step_size="small"), "expected a number"),
        (lambda: pc.Simulation(ball(1.0)).run(float("nan")), "`until` is nan"),
        (lambda: pc.Simulation("ball"), "`model` is of type str, expected a Model"),
    ],
)
def test_wrong_models_and_motions_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_scenes_of_the_repository_load() -> None:
    found = sorted((MECHANISMS / "mechanisms").glob("*.toml"))
    assert found
    for path in found:
        model = pc.Model.from_file(path)
        assert len(model.velocity) > 0
        assert np.allclose(model.mass_matrix(), model.mass_matrix().T), path


def test_files_are_found_beside_scenarios(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_bytes((MECHANISMS / "robots/planar_biped.urdf").read_bytes())
    text = BALL % 3.0 + '[robot]\nurdf = "robot.urdf"\nposition = [5.0, 0.0, 5.0]\nself_contacts = false\n'
    (tmp_path / "scene.toml").write_text(text.replace("moreau-jean", "stewart-trinkle"))
    model = pc.Model.from_file(tmp_path / "scene.toml")
    assert len(model.bodies) > 1


def test_a_rolling_ball_has_a_moment() -> None:
    model = pc.Model.from_file(MECHANISMS / "mechanisms/sledge-and-ball.toml")
    simulation = pc.Simulation(model)
    report = simulation.step()
    ball = report.contacts.index(simulation.contact_names.index("ball–ice"))
    # μ_ρ m g h about the axis of rolling, and nothing of the kind under the sledge.
    assert np.linalg.norm(report.moments[ball]) == pytest.approx(0.005 * 10.0 * 0.002, rel=1e-7)
    assert np.abs(np.delete(report.moments, ball, axis=0)).max() == 0.0
    with pytest.raises(ValueError, match="the section ellipse, expected a friction coefficient"):
        model.contact_problem(0.002)
