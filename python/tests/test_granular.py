"""Many grains: the same bits as the command line, arrays, interruption."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percussion as pc

SCENE = """
title = "Grains fall into a box"
duration = 0.3
friction = 0.5

[[grains]]
diameter = 0.02
density = 2500.0

[[walls]]
name = "floor"
shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] }

[[insert]]
lattice = { pitch = 1.05, count = 40 }
region.box = { low = [0, 0, 0.01], high = [0.1, 0.1, 0.3] }

[[insert]]
stream.rate = 100.0
region.box = { low = [0, 0, 0.4], high = [0.1, 0.1, 0.5] }

[statistics]
every = 0.01
"""


@pytest.mark.parametrize("name", ["six-by-six-by-six", "column"])
def test_scenes_have_the_bits_of_the_command_line(ask: Callable[..., Any], name: str) -> None:
    motion = pc.grains(name, 0.02)
    printed = ask("grains", name, "--duration", "0.02")
    assert printed["status"] == motion.status
    assert printed["steps"] == len(motion.times)
    assert printed["time"] == motion.times[-1] == motion.end.time
    assert printed["grains"] == len(motion.end) == motion.grain_counts[-1]
    assert printed["kinetic_energy"] == motion.kinetic_energies[-1]
    assert printed["largest_relative_residual"] == motion.relative_residuals.max()
    assert printed["turned_away"] == motion.turned_away


def test_a_file_is_a_scene(ask: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(SCENE)
    motion = pc.grains(file, frames=3)
    printed = ask("grains", file)
    assert printed["kinetic_energy"] == motion.kinetic_energies[-1]
    assert [frame.time for frame in motion.frames] == pytest.approx([0.1, 0.2, 0.3], abs=1e-3)
    # 40 from the start, and 100 a second after it.
    assert [len(frame) for frame in motion.frames] == pytest.approx([50, 60, 70], abs=1)
    end = motion.end
    assert end.positions.shape == end.velocities.shape == end.angular_velocities.shape == (len(end), 3)
    assert end.masses == pytest.approx(2500.0 * 4.0 / 3.0 * np.pi * end.radii**3)
    energy = 0.5 * (end.masses * (end.velocities**2).sum(axis=1)).sum()
    energy += 0.5 * (0.4 * end.masses * end.radii**2 * (end.angular_velocities**2).sum(axis=1)).sum()
    assert energy == pytest.approx(motion.kinetic_energies[-1], rel=1e-12)
    assert set(motion.frames[0].identities) <= set(end.identities)
    # Nothing falls through the floor by more than a tenth of a radius.
    assert end.positions[:, 2].min() > 0.9 * 0.01
    columns = dict(motion.statistics)
    assert next(iter(columns)).startswith("time")
    assert len({len(column) for column in columns.values()}) == 1
    assert pickle.loads(pickle.dumps(motion)) == motion


def test_frames_do_not_change_the_motion() -> None:
    one, many = pc.grains("six-by-six-by-six", 0.05), pc.grains("six-by-six-by-six", 0.05, frames=5)
    assert one.end == many.end
    assert np.array_equal(one.overlaps, many.overlaps)


def test_grains_that_fall_freely_keep_to_the_law() -> None:
    # In 10 ms a lattice in the air falls with g: v = −g t.
    motion = pc.grains("six-by-six-by-six", 0.005, factor=2.0)
    assert motion.end.velocities[:, 2].min() >= -9.81 * 0.005 - 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scene": "beach"}, "`scene` is beach, expected a file .TOML. or one of column"),
        ({"scene": "column", "duration": -1.0}, "`duration` is -1, expected a positive number"),
        ({"scene": "column", "duration": float("nan")}, "`duration` is NaN"),
        ({"scene": "column", "factor": 0.0}, "`factor` is 0, expected a positive number"),
        ({"scene": "column", "frames": 0}, "`frames` is 0, expected an integer of at least 1"),
        ({"scene": "column", "max_sweeps": 0}, "max_sweeps"),
        ({"scene": "column", "tolerance": -1.0}, "tolerance"),
    ],
)
def test_wrong_scenes_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pc.grains(**arguments)


def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "box.toml"
    file.write_text(SCENE.replace("friction = 0.5", "friction = -0.5"))
    with pytest.raises(ValueError, match=r"line 4.*-0.5"):
        pc.grains(file)


def test_other_threads_run_meanwhile() -> None:
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.001):
            beats += 1

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    pc.grains("column", 0.05)
    elapsed = time.perf_counter() - start
    done.set()
    thread.join()
    # With the interpreter held the thread would have had one turn in a step.
    assert beats > 20 * elapsed
