"""Many motions on a cluster: the same bits as in one process, even though a worker is killed on the way.

Needs dask: ``pip install distributed``. ``python cluster.py 10000`` makes 10 000 motions; without a number, 400.
"""

import os
import signal
import sys
import time
from typing import Any

import numpy as np

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
bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 0.6] }]
planes = [{ name = "floor", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }]
integrator = { method = "moreau-jean", step_size = 0.01 }
"""


def throw(generator: np.random.Generator) -> tuple[None, np.ndarray]:
    """The ball at its place, thrown somewhere and spinning."""
    return None, generator.normal(size=6)


class Killing:
    """A client of a cluster that kills a worker when the third task is done."""

    def __init__(self, client: Any, process: int) -> None:
        self.client = client
        self.process = process
        self.futures: list[Any] = []
        #: Number of tasks that were not done when the worker was killed.
        self.left = 0

    def submit(self, function: Any, *arguments: Any) -> Any:
        """Submits a task."""
        future = self.client.submit(function, *arguments)
        self.futures.append(future)
        if len(self.futures) == 3:
            future.add_done_callback(self.kill)
        return future

    def kill(self, _: Any) -> None:
        """Kills the worker, as a machine that fails would."""
        os.kill(self.process, signal.SIGKILL)
        self.left = sum(not future.done() for future in self.futures)


def main(count: int) -> None:
    """Compares the ends of a cluster with those of this process."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("distributed is not installed here: nothing was compared")
        return
    model = pc.Model.from_toml(BALL)
    start = time.perf_counter()
    alone = pc.run_ensemble(model, count, 0.5, start=throw, seed=7).check()
    here = time.perf_counter() - start
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        first = next(iter(cluster.workers.values()))
        killing = Killing(client, first.pid)
        start = time.perf_counter()
        shared = pc.run_ensemble(model, count, 0.5, start=throw, seed=7, chunk=16, executor=killing).check()
        there = time.perf_counter() - start
    assert killing.left > 0, "the worker was killed on the way"
    assert shared == alone, "the same bits wherever the motions ran"
    print(
        f"{count} motions, {here:.1f} s in this process; {there:.1f} s in two others, one of which was killed with {killing.left} of "
        f"{len(killing.futures)} tasks left: the same bits"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
