"""The interpreter is released while something is computed, and an interrupt ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import IMPACTS

import percussion as pc


def hard(seed: int) -> pc.FrictionProblem:
    """A problem whose sweeps take a while."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(150, 30))
    return pc.FrictionProblem(rows @ rows.T + 1e-6 * np.eye(150), generator.normal(size=150), 0.8)


def solve(problem: pc.FrictionProblem) -> pc.FrictionSolution:
    return problem.solve("block-gauss-seidel", max_sweeps=4000, tolerance=0.0)


def test_threads_give_the_same_bits_as_one() -> None:
    problems = [hard(seed) for seed in range(4)]
    alone = [solve(problem) for problem in problems]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(solve, problems)) == alone
        # One problem by two threads at once.
        assert list(pool.map(solve, [problems[0]] * 2)) == [alone[0]] * 2


def test_the_gain_of_two_threads_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [hard(seed) for seed in range(8)]
    with ThreadPoolExecutor(2) as pool:

        def elapsed(run: Callable[..., object]) -> float:
            start = time.perf_counter()
            list(run(solve, problems))  # type: ignore[call-overload]
            return time.perf_counter() - start

        # Runs alternate, so that other work on the machine affects both alike.
        pairs = [(elapsed(map), elapsed(pool.map)) for _ in range(3)]
    gain = min(one for one, _ in pairs) / min(two for _, two in pairs)
    with capsys.disabled():
        print(f"\ntwo threads solve {gain:.2f} times as fast as one, on a machine with {os.cpu_count()} processors")


def test_another_thread_runs_while_one_computes() -> None:
    done, ticks = threading.Event(), []

    def compute() -> None:
        solve(hard(1))
        done.set()

    worker = threading.Thread(target=compute)
    worker.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    worker.join()
    # A call that held the interpreter would leave a single gap as long as the whole computation.
    assert len(ticks) > 10
    assert max(np.diff(ticks)) < 0.5 * (ticks[-1] - ticks[0])


def test_two_threads_share_one_simulation() -> None:
    from test_model import ball

    simulation = pc.Simulation(ball(3.0))
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda _: simulation.step(), range(20)))
    assert sorted(report.time for report in reports) == pytest.approx([0.01 * (k + 1) for k in range(20)])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize(
    "call",
    [
        "impact.outcomes(samples=10**9)",
        "model.simulate(1e3, step_size=1e-3)",
        "pc.Simulation(model).advance(1e6)",
        "pc.grains('column', 1e4)",
    ],
)
def test_an_interrupt_ends_what_takes_long(call: str) -> None:
    # A shell that runs the tests in the background has interrupts ignored, which processes inherit.
    script = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import percussion as pc
from test_model import ball
impact = pc.Impact.load({str(IMPACTS / "rocking-block.toml")!r})
model = ball(0.1)
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted\n"
    assert process.returncode == 0
