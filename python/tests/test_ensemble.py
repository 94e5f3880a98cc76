"""Many motions: the same bits wherever they run."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from test_model import ball

import percussion as pc


def throw(generator: np.random.Generator) -> tuple[Any, Any]:
    """A ball near the floor, thrown somewhere."""
    velocity = np.concatenate([generator.normal(size=3), np.zeros(3)])
    return [0.0, 0.0, 0.1 + generator.random(), 1.0, 0.0, 0.0, 0.0], velocity


def sink(generator: np.random.Generator) -> tuple[Any, Any]:
    """A start that does not fit, for every second motion or so."""
    return ([0.0] * 7 if generator.random() < 0.5 else None), None


def test_the_bits_do_not_depend_on_who_runs_what() -> None:
    model = ball(0.5)
    alone = pc.run_ensemble(model, 12, 0.2, start=throw, seed=7)
    assert alone.check() is alone
    assert len(alone) == 12
    assert len(np.unique(alone.coordinates[:, 0])) == 12
    assert alone.times == pytest.approx(np.full(12, 0.2))
    assert pc.run_ensemble(model, 12, 0.2, start=throw, seed=7, chunk=5) == alone
    assert pc.run_ensemble(model, 12, 0.2, start=throw, seed=8) != alone
    # The first motions of a larger ensemble are those of a smaller one.
    assert np.array_equal(pc.run_ensemble(model, 4, 0.2, start=throw, seed=7).coordinates, alone.coordinates[:4])
    with ThreadPoolExecutor(2) as threads:
        assert pc.run_ensemble(model, 12, 0.2, start=throw, seed=7, chunk=3, executor=threads) == alone
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert pc.run_ensemble(model, 12, 0.2, start=throw, seed=7, chunk=4, executor=processes) == alone


def test_each_motion_is_that_of_a_simulation() -> None:
    model = ball(0.5)
    ends = pc.run_ensemble(model, 3, 0.2, start=throw, scheme="impulse-velocity", step_size=0.005)
    for number in range(3):
        coordinates, velocity = throw(np.random.default_rng([1, number]))
        simulation = pc.Simulation(
            model, "impulse-velocity", coordinates=coordinates, velocity=velocity, step_size=0.005
        )
        reports = list(simulation.run(0.2))
        assert np.array_equal(ends.coordinates[number], simulation.coordinates)
        assert ends.energies[number] == simulation.energy
        assert ends.largest_relative_residuals[number] == max(report.relative_residual for report in reports)
        assert ends.deepest_penetrations[number] == max(report.penetration for report in reports)


def test_motions_that_fail_are_named_and_the_others_go_on() -> None:
    ends = pc.run_ensemble(ball(0.5), 8, 0.05, start=sink)
    failed = [status for status in ends.statuses if status != "completed"]
    assert 0 < len(failed) < 8
    assert all("coordinates" in status for status in failed)
    assert np.isnan(ends.coordinates).any(axis=1).sum() == len(failed)
    with pytest.raises(pc.UnsolvedError, match=f"{len(failed)} of 8 motions failed"):
        ends.check()


def test_what_is_wrong_for_all_is_refused_at_once() -> None:
    model = ball(0.5)
    with pytest.raises(ValueError, match="no setting `stepsize`"):
        pc.run_ensemble(model, 3, 0.2, stepsize=0.1)
    with pytest.raises(ValueError, match="`count` is 0, expected an integer of at least 1"):
        pc.run_ensemble(model, 0, 0.2)
    with pytest.raises(ValueError, match="`until` is nan"):
        pc.run_ensemble(model, 1, float("nan"))
    with pytest.raises(ValueError, match="expected a Model"):
        pc.run_ensemble("ball", 1, 1.0)  # type: ignore[arg-type]


def test_a_call_of_many_steps_is_that_of_each() -> None:
    one, many = pc.Simulation(ball(0.3)), pc.Simulation(ball(0.3))
    reports = list(one.run(0.4))
    steps = many.advance(0.4)
    assert steps.steps == len(reports)
    assert steps.unsolved == 0
    assert steps.kept_energy
    assert np.array_equal(one.coordinates, many.coordinates)


@pytest.mark.skipif(os.name != "posix", reason="a worker is killed by a signal")
def test_a_cluster_that_loses_a_worker_gives_the_same_bits() -> None:
    pytest.importorskip("distributed", reason="the cluster is that of dask")
    script = ROOT / "python/examples/cluster.py"
    done = subprocess.run([sys.executable, script, "256"], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "the same bits" in done.stdout
