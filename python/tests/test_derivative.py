"""Derivatives of friction problems and of outcomes, against closed forms and differences."""

import pickle
from typing import Any

import numpy as np
import pytest

import percussion as pc

BLOCK = pc.FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5])


def ball(friction: float = 0.05, restitution: float = 0.5) -> pc.Impact:
    """A solid ball of 1 kg and 1 m slides at 1 m/s while it falls at 2 m/s on a floor."""
    floor = pc.Contact([0.0, 1.0, 0.0], [[1.0, 0.0, 1.0]], friction=friction, restitution=restitution)
    return pc.Impact(np.diag([1.0, 1.0, 0.4]), [1.0, -2.0, 0.0], [floor])


def test_a_sliding_block() -> None:
    derivative = BLOCK.derivative(BLOCK.solve())
    assert (derivative.state, derivative.places) == ("regular", ("sliding",))
    assert derivative.condition is not None
    assert derivative.radius is not None
    pressed = derivative.forward(free_velocity=[-1.0, 0.0, 0.0])
    assert pressed.velocities == pytest.approx(np.array([[0.0, -0.5, 0.0]]))
    assert pressed.impulses == pytest.approx(np.array([[2.0, -1.0, 0.0]]))
    assert pressed.reach == pc.Reach(pressed.reach.step, 0, "sticking", True)
    assert pressed.reach.step == pytest.approx(4.0)
    gradient = derivative.backward(velocities=[0.0, 1.0, 0.0])
    assert gradient.friction == pytest.approx([-2.0])
    velocities, impulses = derivative.matrices()
    assert velocities @ [-1.0, 0.0, 0.0] == pytest.approx([0.0, -0.5, 0.0])
    assert impulses.shape == (3, 3)


def test_an_edge_has_one_sided_derivatives() -> None:
    block = pc.FrictionProblem(0.5 * np.eye(2), [-2.0, 1.0], [0.5])
    derivative = block.derivative([[4.0, -2.0]])
    assert (derivative.state, derivative.places) == ("edge", ("edge: slipping",))
    with pytest.raises(ValueError, match="at an edge of its mode"):
        derivative.forward(free_velocity=[-1.0, 0.0])
    more = derivative.one_sided(free_velocity=[-1.0, 0.0])
    less = derivative.one_sided(free_velocity=[1.0, 0.0])
    assert (more.modes, less.modes, less.proven) == (("sticking",), ("sliding",), True)
    assert less.velocities == pytest.approx(np.array([[0.0, 0.5]]))


def test_contacts_in_the_plane_and_in_space_agree() -> None:
    plane = pc.FrictionProblem([[1.0, 0.2], [0.2, 3.0]], [-2.0, 3.0], [0.3])
    matrix = np.array([[1.0, 0.2, 0.0], [0.2, 3.0, 0.0], [0.0, 0.0, 1.0]])
    space = pc.FrictionProblem(matrix, [-2.0, 3.0, 0.0], [0.3])
    one, other = (problem.derivative(problem.solve()) for problem in (plane, space))
    change = np.array([[0.1, 0.3], [0.3, -0.2]])
    found = one.forward(delassus=change, friction=[0.2])
    padded = other.forward(delassus=np.pad(change, (0, 1)), friction=[0.2])
    assert found.velocities == pytest.approx(padded.velocities[:, :2], abs=1e-12)
    assert one.backward(impulses=[1.0, 2.0]).delassus == pytest.approx(
        other.backward(impulses=[1.0, 2.0, 0.0]).delassus[:2, :2], abs=1e-12
    )


def test_a_sliding_ball() -> None:
    derivative = ball().derivative()
    assert derivative.outcome == ball().resolve("maximum-dissipation")
    assert derivative.places == ("sliding",)
    rougher = derivative.forward(friction=[1.0])
    assert rougher.velocity == pytest.approx([-3.0, 0.0, -7.5], abs=1e-12)
    assert rougher.reach.step == pytest.approx(0.475 / 10.5)
    gradient = derivative.backward(velocity=[1.0, 0.0, 0.0])
    assert gradient.friction == pytest.approx([-3.0])
    assert gradient.restitution == pytest.approx([-0.1])
    assert gradient.velocity == pytest.approx([1.0, 0.075, 0.0], abs=1e-12)
    assert gradient.bilateral is not None
    velocity, impulses = derivative.by_velocity()
    assert velocity[0] == pytest.approx(gradient.velocity, abs=1e-12)
    assert impulses.shape == (2, 3)


@pytest.mark.parametrize("name", ["velocity", "mass_matrix", "jacobian", "bilateral"])
def test_differences_of_outcomes(name: str) -> None:
    generator = np.random.default_rng(5)
    root = generator.normal(size=(6, 6))
    data: dict[str, Any] = {
        "mass_matrix": root @ root.T + np.eye(6),
        "velocity": generator.normal(size=6),
        "jacobian": generator.normal(size=(6, 6)),
        "friction": [0.3, 0.7],
        "restitution": [0.2, 0.6],
        "bilateral": generator.normal(size=(1, 6)),
    }
    settings: dict[str, Any] = {"energy": "as-given", "tolerance": 1e-13}
    derivative = pc.Impact.from_jacobian(**data).derivative(**settings)
    assert derivative.state == "regular"
    change = generator.normal(size=np.shape(data[name]))
    if name == "mass_matrix":
        change += change.T
    found = derivative.forward(**{name: change})

    def moved(step: float) -> Any:
        impact = pc.Impact.from_jacobian(**{**data, name: data[name] + step * change})
        return impact.resolve("maximum-dissipation", **settings).check(allow_energy_gained=True).velocity

    step = min(1e-5, 0.1 * found.reach.step)
    assert (moved(step) - moved(-step)) / (2 * step) == pytest.approx(found.velocity, abs=1e-6)
    weights = generator.normal(size=6)
    gradient = getattr(derivative.backward(velocity=weights), name)
    assert np.sum(gradient * change) == pytest.approx(weights @ found.velocity, rel=1e-9)


LAWS: list[tuple[str, dict[str, Any]]] = [
    ("newton", {}),
    ("poisson", {}),
    ("anitescu-potra", {}),
    ("sequential", {"inner": "poisson"}),
    ("sequential", {"inner": "plus", "inner.v_plastic": 0.0, "inner.v_capture": 0.0}),
    ("plus", {"v_plastic": 20.0, "theta_max": 0.1}),
    ("set-valued-routh", {"step": 1.0, "tolerance": 1e-13}),
]


@pytest.mark.parametrize(("law", "settings"), LAWS)
def test_derivatives_by_every_law(law: str, settings: dict[str, Any]) -> None:
    """The ball strikes a floor and a wall without friction, obliquely."""
    floor = pc.Contact([0.0, 1.0, 0.2], [[1.0, 0.0, 1.0]], friction=0.1, restitution=0.4)

    def impact(velocity: Any) -> pc.Impact:
        wall = pc.Contact([-1.0, 0.3, 0.0], restitution=0.2)
        return pc.Impact(np.diag([1.0, 1.0, 0.4]), velocity, [floor, wall])

    start, change = np.array([1.0, -2.0, 0.3]), np.array([0.3, -0.2, 0.5])
    derivative = impact(start).derivative(law, **settings)
    assert (derivative.state, derivative.places) == ("regular", None)
    assert derivative.pieces is not None
    found = derivative.forward(velocity=change)

    def moved(step: float) -> Any:
        return impact(start + step * change).derivative(law, **settings).outcome.velocity

    step = min(1e-5, 0.1 * found.reach.step)
    assert (moved(step) - moved(-step)) / (2 * step) == pytest.approx(found.velocity, abs=1e-6)
    weights = [1.0, 2.0, -1.0]
    gradient = derivative.backward(velocity=weights)
    assert gradient.velocity @ change == pytest.approx(weights @ found.velocity, rel=1e-9)
    one_sided = derivative.one_sided(velocity=change)
    assert (one_sided.velocity, one_sided.modes) == (pytest.approx(found.velocity), None)
    assert pickle.loads(pickle.dumps(derivative)) == derivative


def test_what_has_no_derivative_says_so() -> None:
    with pytest.raises(ValueError, match="unknown law `newtn`|`newtn`"):
        ball().derivative("newtn")
    with pytest.raises(ValueError, match="contact"):
        pc.Impact(np.eye(2), [0.0, -1.0], [pc.Contact([0.0, 1.0]), pc.Contact([1.0, 1.0])]).derivative("routh")
    with pytest.raises(ValueError, match="has no setting `frction`"):
        ball().derivative(frction="coulomb")
    with pytest.raises(ValueError, match="solve the problem first"):
        BLOCK.derivative([0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="`blocks` has no derivative"):
        BLOCK.with_blocks().derivative([4.0, -2.0, 0.0])
    derivative = ball().derivative()
    with pytest.raises(ValueError, match="`mass` has the shape 1 × 1, expected 3 × 3"):
        derivative.forward(mass_matrix=[[1.0]])
    with pytest.raises(ValueError, match=r"`delassus` has the shape \(1, 1\), expected \(3, 3\)"):
        BLOCK.derivative(BLOCK.solve()).forward(delassus=[[1.0]])
    with pytest.raises(ValueError, match=r"free_velocity\[0\] is NaN"):
        BLOCK.derivative(BLOCK.solve()).forward(free_velocity=[np.nan, 0.0, 0.0])


def test_a_pickled_derivative_goes_on() -> None:
    block = BLOCK.derivative(BLOCK.solve())
    again = pickle.loads(pickle.dumps(block))
    assert again == block
    assert again.forward(friction=[1.0]) == block.forward(friction=[1.0])
    impact = ball().derivative(friction="coulomb")
    other = pickle.loads(pickle.dumps(impact))
    assert other == impact
    assert other.outcome == impact.outcome
    assert other.backward(impulses=[1.0, 0.0]) == impact.backward(impulses=[1.0, 0.0])
    assert impact != ball().derivative()
