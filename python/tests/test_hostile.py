"""Calls with whatever there is: a ValueError, a TypeError or an answer, and never a crash or a hang.

``PERCUSSION_HOSTILE_CALLS`` is the number of random calls, 10000 for a long run; ``PERCUSSION_HOSTILE_SEED`` their seed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_model import BALL

import percussion as pc

CALLS = int(os.environ.get("PERCUSSION_HOSTILE_CALLS", "720"))
SEED = int(os.environ.get("PERCUSSION_HOSTILE_SEED", "20261123"))

#: What a call may end with. RuntimeError is that of a step or a problem that was not solved.
EXPECTED = (ValueError, TypeError, pc.UnsolvedError, pc.StepError, OverflowError)


class Rude:
    """An object whose every method raises."""

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        raise ValueError("no array")

    def __float__(self) -> float:
        raise ValueError("no number")

    def __len__(self) -> int:
        raise ValueError("no length")

    def __iter__(self) -> Any:
        raise ValueError("no entries")


def scalar(generator: np.random.Generator) -> Any:
    """Numbers and what stands where one is expected."""
    choices: list[Any] = [
        0.0, 1.0, -1.0, 0.5, 1e300, -1e308, 1e-320, float("nan"), float("inf"), -float("inf"), 10**30, -3, True, None,
        "1", "", "ünïcödé\x00", b"1", 1j, np.float32(2.5), np.int64(7), Rude(), object(), [], [[]], {}, {"a": {"b": [1]}}, {1: 2},
        np.array(3.0), np.datetime64("2026-11-23"), lambda: 1.0, range(3), np.random.default_rng,
    ]  # fmt: skip
    return choices[generator.integers(len(choices))]


def array(generator: np.random.Generator, *shape: int) -> Any:
    """An array that fits, or nearly, or not at all."""
    kind = generator.integers(12)
    good = generator.normal(size=shape)
    if len(shape) == 2 and shape[0] == shape[1]:
        good = good @ good.T + np.eye(shape[0])
    if kind < 5:
        return good
    if kind == 5:
        return good * 10.0 ** generator.integers(-300, 300)
    if kind == 6 and good.size:
        good.flat[generator.integers(good.size)] = [np.nan, np.inf, -np.inf, 0.0][generator.integers(4)]
        return good
    if kind == 7:
        return np.zeros([generator.integers(0, 5) for _ in range(generator.integers(0, 4))])
    if kind == 8:
        return np.asfortranarray(good).astype([np.float32, np.int16, np.complex64, object, bool, "U3"][generator.integers(6)])
    if kind == 9:
        return good[..., ::-1].tolist()
    if kind == 10:
        return np.lib.stride_tricks.as_strided(np.zeros(1), shape, [0] * len(shape))
    return scalar(generator)


def name(generator: np.random.Generator, choices: tuple[pc.Choice, ...]) -> Any:
    """A name of the list, mostly."""
    return scalar(generator) if generator.random() < 0.1 else choices[generator.integers(len(choices))].name


def some_settings(generator: np.random.Generator, choices: tuple[pc.Choice, ...], chosen: Any) -> dict[str, Any]:
    """Some settings of what was chosen, or of nothing."""
    known = [setting.key for choice in choices if choice.name == chosen for setting in choice.settings]
    # What takes long by itself is no matter of how it is called.
    costly = {"samples", "steps", "max_dimension", "search_limit", "limit", "keep", "step_limit", "max_sweeps", "directions"}
    keys = [key for key in known if key.split(".")[-1] not in costly] + ["nonsense"]
    return {keys[generator.integers(len(keys))]: scalar(generator) for _ in range(generator.integers(0, 2))}


def lcp(generator: np.random.Generator) -> Any:
    n, method = int(generator.integers(1, 6)), name(generator, pc.lcp_methods())
    settings = some_settings(generator, pc.lcp_methods(), method)
    return pc.solve_lcp(array(generator, n, n), array(generator, n), method, **settings)


def enumeration(generator: np.random.Generator) -> Any:
    n = int(generator.integers(1, 5))
    return pc.enumerate_lcp(array(generator, n, n), array(generator, n), tolerance=scalar(generator))


def friction(generator: np.random.Generator) -> Any:
    n = int(generator.integers(1, 4))
    law = name(generator, pc.friction_laws()) if generator.random() < 0.3 else "coulomb"
    problem = pc.FrictionProblem(
        array(generator, 3 * n, 3 * n), array(generator, 3 * n), np.abs(generator.normal(size=n)), law=law
    )
    method = name(generator, pc.friction_methods())
    settings = some_settings(generator, pc.friction_methods(), method)
    start = array(generator, n, 3) if generator.random() < 0.3 else None
    problem.certify(problem.solve(method, start=start, max_sweeps=200, **settings).impulses) if method in (
        "combined",
        "block-gauss-seidel",
    ) else problem.solve(method, start=start, **settings)
    return problem.certify(array(generator, n, 3))


def blocks(generator: np.random.Generator) -> Any:
    def number() -> Any:
        return scalar(generator) if generator.random() < 0.05 else abs(generator.normal())

    made = [
        pc.Block.disc(number(), tangents=int(generator.integers(0, 3))),
        pc.Block.ellipse(number(), number()),
        pc.Block.spin(number(), number(), number()),
        pc.Block.rolling(number(), number(), number()),
        pc.Block.unilateral(int(generator.integers(1, 3)), length=number()),
        pc.Block.bilateral(int(generator.integers(1, 3))),
        pc.Block.dry_friction(number()),
        pc.Block("interval", 1, bound=(-1.0, number())),
    ]
    chosen: list[Any] = [made[index] for index in generator.integers(len(made), size=generator.integers(1, 4))]
    if generator.random() < 0.1:
        chosen[0] = scalar(generator)
    size = sum(block.rows for block in chosen if isinstance(block, pc.Block))
    compliance = array(generator, size) if generator.random() < 0.2 else None
    problem = pc.FrictionProblem(array(generator, size, size), array(generator, size), blocks=chosen, compliance=compliance)
    solution = problem.solve(max_sweeps=200, start=array(generator, size) if generator.random() < 0.3 else None)
    problem.certify(solution.impulses)
    problem.relaxation(max_iterations=100, tolerance=scalar(generator) if generator.random() < 0.1 else 1e-8)
    return problem.certify(array(generator, size))


def impact(generator: np.random.Generator) -> Any:
    v, n = int(generator.integers(1, 5)), int(generator.integers(1, 4))
    contacts = [
        pc.Contact(
            array(generator, v),
            [array(generator, v)] if generator.random() < 0.5 else [],
            scalar(generator) if generator.random() < 0.1 else abs(generator.normal()),
            scalar(generator) if generator.random() < 0.1 else generator.random(),
        )
        for _ in range(n)
    ]
    bilateral = array(generator, 1, v) if generator.random() < 0.2 else None
    impact = pc.Impact(array(generator, v, v), array(generator, v), contacts, bilateral)
    law = name(generator, pc.impact_laws())
    settings = some_settings(generator, pc.impact_laws(), law)
    if law == "set-valued-routh":
        return impact.outcomes(0.1, samples=32, **settings)
    return impact.resolve(law, **settings)


def derivatives(generator: np.random.Generator) -> Any:
    # Most arguments are good in half of the calls, so that hostile ones reach everything.
    good = generator.random() < 0.5

    def given(*shape: int) -> Any:
        return generator.normal(size=shape) if good and generator.random() < 0.9 else array(generator, *shape)

    n = int(generator.integers(1, 3))
    matrix = np.eye(3 * n) + 0.1 * np.ones((3 * n, 3 * n)) if good else array(generator, 3 * n, 3 * n)
    problem = pc.FrictionProblem(matrix, generator.normal(size=3 * n) if good else array(generator, 3 * n), [0.5] * n)
    derivative = problem.derivative(problem.solve(max_sweeps=200), edge=scalar(generator) if generator.random() < 0.1 else 1e-7)
    derivative.one_sided(free_velocity=given(n, 3), friction=given(n))
    derivative.backward(velocities=given(n, 3))
    v = int(generator.integers(2, 5))
    contacts = [pc.Contact(generator.normal(size=v), [generator.normal(size=v)], 0.5, 0.5) for _ in range(n)]
    impact = pc.Impact(np.eye(v) if good else array(generator, v, v), given(v), contacts)
    impact.outer_bounds(tolerance=scalar(generator) if generator.random() < 0.1 else 1e-9, programs=3)
    settings = some_settings(generator, pc.impact_laws(), "maximum-dissipation") if generator.random() < 0.2 else {}
    of_impact = impact.derivative(energy="as-given", **{"tolerance": 1e-10, **settings})
    of_impact.one_sided(mass_matrix=given(v, v), jacobian=given(2 * n, v))
    return of_impact.backward(velocity=given(v), impulses=given(2 * n))


def documents(generator: np.random.Generator) -> Any:
    text = pc.FrictionProblem(np.eye(3), [-1.0, 1.0, 0.0], [0.5]).to_json()
    cut = int(generator.integers(len(text)))
    broken = text[:cut] + chr(int(generator.integers(32, 127))) + text[cut + int(generator.integers(0, 2)) :]
    return pc.FrictionProblem.from_json(broken).solve(max_sweeps=200)


def model(generator: np.random.Generator) -> Any:
    made = pc.Model.from_toml(BALL % "1.1")
    position = np.array([0.0, 0.0, 1.1, 1.0, 0.0, 0.0, 0.0]) if generator.random() < 0.5 else array(generator, 7)
    made.mass_matrix(position)
    made.contacts(position, proximity=scalar(generator) if generator.random() < 0.5 else 1.0)
    velocity = array(generator, 6)
    scheme = name(generator, pc.schemes())
    settings = some_settings(generator, pc.schemes(), scheme)
    simulation = pc.Simulation(made, scheme, coordinates=position, velocity=velocity, **settings)
    return [simulation.step() for _ in range(3)]


def loads(generator: np.random.Generator) -> Any:
    document = pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0])]).to_dict()
    field = list(document)[generator.integers(len(document))]
    document[field] = scalar(generator) if generator.random() < 0.5 else array(generator, 1, 1)
    return pc.Impact.from_dict(document).resolve("newton")


DOORS: list[Callable[[np.random.Generator], Any]] = [
    lcp,
    enumeration,
    friction,
    blocks,
    impact,
    derivatives,
    documents,
    model,
    loads,
]


def test_random_calls_end_with_an_answer_or_an_error_of_the_kinds_expected() -> None:
    answers, refusals = dict.fromkeys(DOORS, 0), dict.fromkeys(DOORS, 0)
    for call in range(CALLS):
        generator = np.random.default_rng([SEED, call])
        door = DOORS[call % len(DOORS)]
        try:
            with np.errstate(all="ignore"):
                door(generator)
            answers[door] += 1
        except EXPECTED as error:
            assert str(error), f"call {call} of {door.__name__} ends without a message"
            refusals[door] += 1
        except BaseException as error:
            raise AssertionError(f"call {call} of {door.__name__} ends with {type(error).__name__}: {error}") from error
    # Both happen through every door; otherwise this would test nothing.
    assert all(answers.values()), answers
    assert all(refusals.values()), refusals


def test_an_error_of_the_caller_goes_through() -> None:
    class Interrupting:
        def __array__(self, *arguments: Any, **options: Any) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pc.solve_lcp(Interrupting(), [1.0])  # type: ignore[arg-type]


def test_arrays_are_not_kept_or_changed() -> None:
    matrix, vector = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-1.0, -2.0])
    before = matrix.copy(), vector.copy()
    solution = pc.solve_lcp(matrix, vector)
    solution.z[:] = 9.0
    assert np.array_equal(matrix, before[0])
    assert np.array_equal(vector, before[1])
    problem = pc.FrictionProblem(np.eye(3), [-1.0, 0.0, 0.0], [0.5])
    problem.delassus[:] = 9.0
    assert problem.delassus.tolist() == np.eye(3).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this platform")
def test_a_forked_interpreter_goes_on() -> None:
    script = """
import json, os
import percussion as pc
first = pc.Impact([[2.0]], [-3.0], [pc.Contact([1.0])]).outcomes(1.0, samples=4096).velocities.sum()
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    again = pc.solve_lcp([[0.5]], [-3.0]).z.tolist()
    os.write(writer, json.dumps(again).encode())
    os._exit(0)
os.waitpid(child, 0)
print(os.read(reader, 100).decode())
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == [6.0]
