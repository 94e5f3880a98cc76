"""Impacts: closed forms, all laws, sets of outcomes, files."""

from pathlib import Path

import numpy as np
import pytest
from conftest import IMPACTS

import percussion as pc


def ball(restitution: float = 0.5) -> pc.Impact:
    """A solid ball of 1 kg and 1 m slides at 1 m/s while it falls at 2 m/s on a floor with friction 0.5."""
    floor = pc.Contact([0.0, 1.0, 0.0], [[1.0, 0.0, 1.0]], friction=0.5, restitution=restitution)
    return pc.Impact(np.diag([1.0, 1.0, 0.4]), [1.0, -2.0, 0.0], [floor])


def test_a_ball_leaves_rolling() -> None:
    # Sticking takes 2/7 of the sliding; the normal percussion is 1.5 · 2 N·s.
    outcome = ball().resolve("poisson").check()
    assert outcome.velocity == pytest.approx([5 / 7, 1.0, -5 / 7], abs=1e-12)
    assert outcome.impulses == pytest.approx(np.array([[3.0, -2 / 7, 0.0]]), abs=1e-12)
    assert outcome.certificate.energy_change == pytest.approx(-1.5 - 1 / 7, abs=1e-12)
    assert outcome.restitution == "used"
    assert [stage.phase for stage in outcome.stages] == ["compression", "expansion"]


def test_all_laws_agree_where_they_must() -> None:
    # Without friction, restitution and other contacts there is one answer.
    point = pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0])])
    comparison = point.compare(set_valued_routh={"step": 1.0, "steps": 20, "samples": 64}, propagative={"restitution": 0.0})
    for law, answer in comparison.answers.items():
        if isinstance(answer, pc.Outcome):
            assert answer.velocity == pytest.approx([0.0], abs=1e-9), law
    assert set(comparison.refused) == {"compliant"}
    assert "geometry" in comparison.refused["compliant"]
    assert "newton" in str(comparison)
    assert comparison._repr_html_().startswith("<table>")


def test_stacked_rows_are_contacts() -> None:
    # A rod of 3 kg falls flat on two supports with e = 1/2.
    jacobian = [[0.0, 1.0, -0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [1.0, 0.0, 0.0]]
    rod = pc.Impact.from_jacobian(np.diag([3.0, 3.0, 0.25]), [0.0, -1.0, 0.0], jacobian, [0.4, 0.4], 0.5)
    assert rod.resolve("poisson").check().velocity == pytest.approx([0.0, 0.5, 0.0], abs=1e-12)
    assert rod.jacobian.tolist() == jacobian
    assert [contact.friction for contact in rod.contacts] == [0.4, 0.4]
    assert pc.Impact(rod.mass_matrix, rod.velocity, rod.contacts) == rod


def test_joints_hold_after_the_impact() -> None:
    # Two masses of 1 kg on one rigid bar: both stop.
    bar = pc.Impact(np.eye(2), [-1.0, -1.0], [pc.Contact([1.0, 0.0])], bilateral=[[1.0, -1.0]])
    outcome = bar.resolve("newton").check()
    assert outcome.velocity == pytest.approx([0.0, 0.0], abs=1e-12)
    assert outcome.impulses[0, 0] == pytest.approx(2.0)
    assert bar.bilateral.tolist() == [[1.0, -1.0]]


def test_another_velocity_needs_no_new_problem() -> None:
    faster = pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0], restitution=0.5)]).with_velocity([-4.0])
    assert faster.resolve("newton").velocity == pytest.approx([2.0])


def test_settings_of_laws_are_keywords() -> None:
    impact = pc.Impact.load(IMPACTS / "rocking-block.toml")
    outcome = impact.resolve("sequential", inner="newton", order=[1, 0]).check(allow_energy_gained=True)
    assert outcome.law == "sequential"
    nested = impact.resolve("newton", lemke={"tolerance": 1e-10})
    assert nested == impact.resolve("newton", **{"lemke.tolerance": 1e-10})
    with pytest.raises(ValueError, match="`newton` has no setting `stepp`"):
        impact.resolve("newton", stepp=1)
    with pytest.raises(ValueError, match="`newtom` is not a law, expected one of newton, poisson"):
        impact.resolve("newtom")


def test_all_solutions_and_sets() -> None:
    impact = pc.Impact.load(IMPACTS / "rocking-block.toml")
    assert impact.contact_names == tuple(impact.contact_names)
    assert len(impact.velocity_names) == 3
    solutions = impact.solutions("anitescu-potra")
    assert solutions.complete
    assert len(solutions) >= 1
    assert all(isinstance(one, pc.Outcome) for one in solutions)
    outcomes = impact.outcomes(samples=512, seed=3).check()
    assert outcomes.velocities.shape[1] == 3
    assert outcomes.bounds is not None
    assert (outcomes.velocities >= outcomes.bounds.velocity[0] - 1e-12).all()
    assert (outcomes.velocities <= outcomes.bounds.velocity[1] + 1e-12).all()
    assert sum(mode.count for mode in outcomes.modes) + outcomes.unlisted_modes <= 512
    assert outcomes.planes[0].hull.shape[1] == 2
    assert outcomes == impact.outcomes(samples=512, seed=3)
    assert outcomes != impact.outcomes(samples=512, seed=4)


def test_answers_of_another_kind_are_refused_before_they_are_computed() -> None:
    impact = pc.Impact.load(IMPACTS / "rocking-block.toml")
    with pytest.raises(ValueError, match="a set of outcomes, expected a call of `outcomes`"):
        impact.resolve("set-valued-routh", samples=10**12)
    with pytest.raises(ValueError, match="several outcomes, expected a call of `solutions`"):
        impact.resolve("anitescu-potra", solutions="all")
    with pytest.raises(ValueError, match="one outcome, expected a call of `resolve`"):
        impact.solutions("newton")


def test_a_set_has_a_default_step() -> None:
    assert ball().outcomes(samples=16).status == "resolved"


def test_an_impact_that_cannot_be_has_a_proof() -> None:
    # Between a wall that asks for rebound and one behind it.
    walls = [pc.Contact([-1.0], restitution=1.0), pc.Contact([1.0])]
    outcome = pc.Impact([[1.0]], [1.0], walls).resolve("newton")
    assert outcome.status == "infeasible"
    assert outcome.infeasibility is not None
    with pytest.raises(pc.UnsolvedError, match="infeasible"):
        outcome.check()


def test_files_of_matrices_read_back_to_the_same_bits(tmp_path: Path) -> None:
    impact = ball(restitution=0.3)
    impact.save(tmp_path / "ball.json")
    again = pc.Impact.load(tmp_path / "ball.json")
    assert again == impact
    assert again.resolve("plus") == impact.resolve("plus")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"velocity": [1.0]}, "expected"),
        ({"mass_matrix": [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]}, "positive"),
        ({"mass_matrix": [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}, "mirror"),
        ({"contacts": [{"normal": [1.0]}]}, "contacts"),
        ({"contacts": [{"normal": [0.0, 1.0, 0.0], "restitution": 1.5}]}, "restitution is 1.5"),
        ({"contacts": [{"normal": [0.0, 1.0, 0.0], "friction": -1}]}, "friction is -1"),
        ({"contacts": [{"normal": [0.0, 1.0, 0.0], "frction": 1}]}, "unknown field `frction`"),
        ({"contacts": [{"normal": [0.0, 1.0, 0.0], "friction": None}]}, "wrong type"),
        ({"contacts": [3]}, r"`contacts\[0\]` is of type int, expected an object"),
        ({"bilateral": [[1.0]]}, r"`bilateral` has the shape \(1, 1\), expected \(rows, 3\)"),
        ({"masses": 1}, "unknown field `masses`"),
    ],
)
def test_wrong_documents_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pc.Impact.from_dict({**ball().to_dict(), **change})


def test_outer_bounds_contain_every_sample() -> None:
    impact = pc.Impact.load(IMPACTS / "rocking-block.toml")
    bounds = impact.outer_bounds()
    outcomes = impact.outcomes(samples=256)
    assert (outcomes.velocities >= bounds.velocity[0] - 1e-9).all()
    assert (outcomes.velocities <= bounds.velocity[1] + 1e-9).all()
    assert outcomes.bounds is not None
    assert bounds.energy[0] <= outcomes.bounds.energy[0] <= outcomes.bounds.energy[1] <= bounds.energy[1] + 1e-12
    assert 0 < bounds.impulse < np.inf
    # Without programs only the energy bounds the velocity: ½ v² ≤ 1 J.
    point = pc.Impact(np.eye(2), [1.0, -1.0], [pc.Contact([0.0, 1.0], [[1.0, 0.0]], friction=0.25)])
    loose, tight = point.outer_bounds(programs=0), point.outer_bounds()
    assert loose.velocity[1, 0] == pytest.approx(2**0.5)
    assert tight.velocity[1, 0] == pytest.approx(23 / 17, abs=1e-6)
    with pytest.raises(ValueError, match="`directions` is 3, expected"):
        point.outer_bounds(directions=3)
