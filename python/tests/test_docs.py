"""The examples in the documentation, and what a call costs."""

import doctest
import importlib
import importlib.util
import pkgutil
import time

import numpy as np
import pytest

import percussion as pc

#: Adapters need their engines.
ENGINES = {"percussion.adapters.mujoco": "mujoco", "percussion.adapters.pinocchio": "pinocchio"}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(pc.__path__, "percussion.")
    if module.name not in ENGINES or importlib.util.find_spec(ENGINES[module.name])
)


@pytest.mark.parametrize("name", ["percussion", *MODULES])
def test_examples_print_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    result = doctest.testmod(module, extraglobs={"np": np})
    assert result.failed == 0


def test_what_is_public_is_documented() -> None:
    for name in pc.__all__:
        thing = getattr(pc, name)
        if callable(thing):
            assert thing.__doc__, name
            for attribute, member in vars(thing).items() if isinstance(thing, type) else ():
                if not attribute.startswith("_") and callable(member):
                    assert member.__doc__, f"{name}.{attribute}"


def test_the_cost_of_a_call_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(10, 10))
    matrix, vector = rows @ rows.T + np.eye(10), generator.normal(size=10)
    assert pc.solve_lcp(matrix, vector).status == "solved"

    def least(call: object) -> float:
        times = []
        for _ in range(200):
            start = time.perf_counter()
            call()  # type: ignore[operator]
            times.append(time.perf_counter() - start)
        return sorted(times)[len(times) // 10]

    ours = least(lambda: pc.solve_lcp(matrix, vector))
    trivial = least(lambda: pc.solve_lcp(matrix, np.ones(10)))
    numpy = least(lambda: np.linalg.solve(matrix, vector))
    with capsys.disabled():
        print(
            f"\nn = 10: solve_lcp {1e6 * ours:.1f} µs ({ours / numpy:.1f} times numpy.linalg.solve, {1e6 * numpy:.1f} µs); "
            f"nothing to solve {1e6 * trivial:.1f} µs"
        )
