"""Many worlds in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import MECHANISMS

import percussion as pc

ROBOT = MECHANISMS / "robots/standing_quadruped.xml"


@pytest.fixture(scope="module")
def model() -> pc.Model:
    """A quadruped of 14.6 kg on its feet, with servos."""
    return pc.Model.from_file(ROBOT, keyframe="home", ground=0.0, drive="controls")


def starts(model: pc.Model, worlds: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The model's velocity with another push forward in each world."""
    velocity = np.tile(model.velocity, (worlds, 1))
    velocity[:, 0] += 0.1 * np.arange(worlds)
    return velocity


def test_worlds_have_the_bits_of_simulations(model: pc.Model) -> None:
    velocity = starts(model, 5)
    batch = pc.Batch(model, velocity=velocity, step_size=0.002)
    draw = np.random.default_rng(3)
    home = model.coordinates[7:]
    controls = home + 0.1 * draw.standard_normal((5, len(home)))
    forces = 5.0 * draw.standard_normal((5, len(model.velocity)))
    singles = [pc.Simulation(model, velocity=row, step_size=0.002) for row in velocity]
    for _ in range(3):
        batch.set_controls(controls)
        batch.apply(forces)
        done = batch.step(20)
        for single, targets, force in zip(singles, controls, forces, strict=True):
            single.set_controls(targets)
            single.apply(force)
            for _ in range(20):
                single.step()
        controls += 0.05
    assert done.steps.tolist() == [20] * 5
    assert np.array_equal(batch.coordinates, [single.coordinates for single in singles])
    assert np.array_equal(batch.velocity, [single.velocity for single in singles])
    assert np.array_equal(batch.time, [single.time for single in singles])
    assert len(np.unique(batch.coordinates[:, 0])) == 5
    assert len(batch) == 5


def test_a_world_that_fails_is_named_and_can_be_restarted(model: pc.Model) -> None:
    batch = pc.Batch(model, 3, step_size=0.002)
    forces = np.zeros((3, len(model.velocity)))
    forces[1, 0] = 1e200
    batch.apply(forces)
    done = batch.step(4)
    assert done.steps.tolist() == [4, 0, 4]
    assert list(batch.failures) == [1]
    assert "finite" in batch.failures[1]
    batch.restart(1)
    assert batch.failures == {}
    assert batch.step(4).steps.tolist() == [4, 4, 4]
    assert batch.time.tolist() == pytest.approx([0.016, 0.008, 0.016])


def test_what_is_wrong_is_named(model: pc.Model) -> None:
    with pytest.raises(ValueError, match="`worlds` or several rows"):
        pc.Batch(model)
    with pytest.raises(ValueError, match="`worlds` is -1"):
        pc.Batch(model, -1)
    with pytest.raises(ValueError, match="`velocity` has 2 rows, expected 3 as of `worlds`"):
        pc.Batch(model, 3, velocity=starts(model, 2))
    with pytest.raises(ValueError, match="`velocity` has the shape"):
        pc.Batch(model, 3, velocity=np.zeros((3, 4)))
    bad = starts(model, 2)
    bad[1, 3] = np.nan
    with pytest.raises(ValueError, match="world 1"):
        pc.Batch(model, velocity=bad)
    with pytest.raises(ValueError, match="no setting `steps`"):
        pc.Batch(model, 2, steps=3)
    batch = pc.Batch(model, 2)
    with pytest.raises(ValueError, match="world 2, expected a number below 2"):
        batch.restart(2)
    with pytest.raises(ValueError, match="`controls` has the shape"):
        batch.set_controls(np.zeros(12))
    with pytest.raises(ValueError, match="`forces` has 1 rows, expected 2"):
        batch.apply(np.zeros((1, len(model.velocity))))
    assert pc.Batch(model, 0).step(3).steps.size == 0
