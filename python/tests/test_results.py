"""Results are frozen, compare by their bits, and can be pickled; so can problems."""

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import IMPACTS, MECHANISMS
from test_model import ball

import percussion as pc

BLOCK = pc.FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5])


def things() -> list[Any]:
    """Something of every kind."""
    rocking = pc.Impact.load(IMPACTS / "rocking-block.toml")
    resting = ball(0.1)
    return [
        pc.solve_lcp([[0.5]], [-3.0]),
        pc.solve_lcp([[-1.0]], [-1.0]),
        pc.enumerate_lcp([[-1.0]], [1.0]),
        BLOCK,
        BLOCK.solve(),
        BLOCK.certify([1.0, 2.0, 3.0]),
        BLOCK.derivative(BLOCK.solve()),
        BLOCK.derivative(BLOCK.solve()).forward(friction=[1.0]),
        BLOCK.derivative(BLOCK.solve()).backward(impulses=[1.0, 0.0, 0.0]),
        rocking,
        rocking.outer_bounds(programs=2),
        pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0])]).derivative(friction="coulomb"),
        rocking.with_velocity([0.0, -1.0, 0.5]),
        rocking.resolve("newton"),
        rocking.solutions("anitescu-potra"),
        rocking.outcomes(samples=64),
        rocking.compare(),
        resting,
        resting.contacts(),
        resting.contact_problem(0.01),
        resting.impact(velocity=[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]),
        resting.simulate(0.02),
        pc.Simulation(resting).step(),
        pc.Model.from_file(MECHANISMS / "robots/planar_biped.urdf", fixed_base=True, scheme="stewart-trinkle"),
        pc.Contact([1.0]),
        *pc.impact_laws(),
    ]


def test_pickles_round_trip() -> None:
    for one in things():
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(one, protocol))
            assert type(again) is type(one)
            assert again == one
            assert repr(again) == repr(one)
        assert copy.deepcopy(one) == one


def test_results_differ_by_a_bit() -> None:
    solution = BLOCK.solve()
    other = dataclasses.replace(solution, impulses=np.nextafter(solution.impulses, 9.0))
    assert solution != other
    assert solution != "a solution"
    outcome = pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0])]).resolve("newton")
    stage = dataclasses.replace(outcome.stages[0], velocity=np.nextafter(outcome.stages[0].velocity, 9.0))
    assert stage != outcome.stages[0]
    assert dataclasses.replace(outcome, stages=(stage,)) != outcome
    assert dataclasses.replace(outcome, stages=()) != outcome
    block = dataclasses.replace(solution, figures={**solution.figures, "slip": 1.0})
    assert block != solution
    assert dataclasses.replace(solution, residual=float("nan")) == dataclasses.replace(solution, residual=float("nan"))


def test_results_are_frozen_and_not_hashable() -> None:
    solution = BLOCK.solve()
    with pytest.raises(dataclasses.FrozenInstanceError):
        solution.status = "better"  # type: ignore[misc]
    with pytest.raises(TypeError):
        hash(solution)
    with pytest.raises(TypeError):
        hash(BLOCK)


def test_every_result_fits_on_a_line_and_in_a_table() -> None:
    for one in things():
        assert "\n" not in repr(one)
        assert len(repr(one)) < 3000
        if isinstance(one, pc.Outcome):
            assert one._repr_html_().count("<tr>") == 1 + len(dataclasses.fields(one))


def test_errors_carry_their_result() -> None:
    solution = pc.solve_lcp([[-1.0]], [-1.0])
    with pytest.raises(pc.UnsolvedError) as caught:
        solution.check()
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.result == solution
