"""Many simulations of one model side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .model import Model

__all__ = ["Batch", "BatchAdvance"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BatchAdvance(Result):
    """What each world of a batch did in one call, as arrays with one entry for each."""

    #: Number of steps made; fewer than asked for if a step failed, in this call or before.
    steps: npt.NDArray[np.int64]
    #: Number of those whose contact problem was not solved.
    unsolved: npt.NDArray[np.int64]
    #: Largest relative residual of any step.
    largest_relative_residual: FloatArray
    #: Deepest penetration in any step (m).
    deepest_penetration: FloatArray
    #: Whether no step ended with more energy than the motion can have.
    kept_energy: npt.NDArray[np.bool_]


class Batch:
    """Many motions of one model, from many starts, on all threads.

    ``coordinates`` (worlds, n_q) and ``velocity`` (worlds, n_v) are the starts; one row for all, or the model's own start by default.
    ``worlds`` is their number, which may be left out if one of them has several rows. ``scheme`` and ``settings`` are as in
    ``Simulation``. Each world moves as a ``Simulation`` would, to the same bits, on any number of threads (``RAYON_NUM_THREADS``).

    Balls that are dropped from 1 m and 2 m reach 2 m/s after 0.2 s:

    >>> from percussion import Batch, Model
    >>> model = Model.from_toml('''
    ... name = "fall"
    ... title = "A ball falls"
    ... source = "first year mechanics"
    ... dimension = "space"
    ... gravity = [0.0, 0.0, -10.0]
    ... duration = 1.0
    ... friction = 0.3
    ... bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 1.0] }]
    ... integrator = { method = "moreau-jean", step_size = 0.01 }
    ... ''')
    >>> starts = np.tile(model.coordinates, (2, 1))
    >>> starts[:, 2] = [1.0, 2.0]
    >>> batch = Batch(model, coordinates=starts)
    >>> batch.step(20).steps
    array([20, 20])
    >>> batch.velocity[:, 2].round(9)
    array([-2., -2.])
    >>> batch.coordinates[:, 2].round(9)
    array([0.8, 1.8])
    """

    __slots__ = ("_core", "_model")

    def __init__(
        self,
        model: Model,
        worlds: int | None = None,
        scheme: str | None = None,
        *,
        coordinates: npt.ArrayLike | None = None,
        velocity: npt.ArrayLike | None = None,
        **settings: Any,
    ) -> None:
        if not isinstance(model, Model):
            raise ValueError(f"`model` is of type {type(model).__name__}, expected a Model")
        starts = {
            "coordinates": np.asarray(model.coordinates if coordinates is None else coordinates),
            "velocity": np.asarray(model.velocity if velocity is None else velocity),
        }
        given = {name: len(start) for name, start in starts.items() if start.ndim > 1}
        if worlds is not None:
            if isinstance(worlds, bool) or not isinstance(worlds, (int, np.integer)) or worlds < 0:
                raise ValueError(f"`worlds` is {worlds!r}, expected a whole number of at least 0")
            given = {"worlds": int(worlds), **given}
        if not given:
            raise ValueError("there is one start, expected `worlds` or several rows in `coordinates` or `velocity`")
        (name, count), *others = given.items()
        for other, found in others:
            if found != count:
                raise ValueError(f"`{other}` has {found} rows, expected {count} as of `{name}`")
        rows = {name: start if start.ndim > 1 else np.tile(start, (count, 1)) for name, start in starts.items()}
        self._model = model
        self._core = _percussion.BatchCore(model._core, scheme, rows["coordinates"], rows["velocity"], settings)

    def __len__(self) -> int:
        """Return the number of worlds."""
        return self._core.count()

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def scheme(self) -> dict[str, Any]:
        """The scheme's name and all of its settings."""
        return self._core.scheme()

    @property
    def time(self) -> FloatArray:
        """Times of the worlds (s), each since its start."""
        return self._core.times()

    @property
    def coordinates(self) -> FloatArray:
        """Coordinates of the worlds (worlds, n_q; m, rad or unit quaternions)."""
        return self._core.coordinates()

    @property
    def velocity(self) -> FloatArray:
        """Velocities of the worlds (worlds, n_v; m/s, rad/s)."""
        return self._core.velocities()

    @property
    def failures(self) -> dict[int, str]:
        """Why worlds make no more steps, by their numbers."""
        return {world: failure for world, failure in enumerate(self._core.failures()) if failure is not None}

    def step(self, steps: int = 1) -> BatchAdvance:
        """Make this number of steps in every world that has not failed.

        A world in which a step fails stays at the state before it, see ``failures`` and ``restart``; the others go on.
        """
        return BatchAdvance(*(np.asarray(part) for part in self._core.advance(steps)))

    def apply(self, forces: npt.ArrayLike) -> None:
        """Apply generalized forces (worlds, n_v; N, N·m) from the next step on; initially zero."""
        self._core.apply(forces)

    def set_controls(self, controls: npt.ArrayLike) -> None:
        """Set all controls (worlds, actuators) from the next step on, in the order of ``model.actuators``."""
        self._core.set_controls(controls)

    def restart(
        self, world: int, coordinates: npt.ArrayLike | None = None, velocity: npt.ArrayLike | None = None
    ) -> None:
        """Begin one world anew at time 0, by default at the model's start, with no force and no controls set."""
        self._core.restart(
            world,
            self._model.coordinates if coordinates is None else coordinates,
            self._model.velocity if velocity is None else velocity,
        )

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} worlds of {self._model.name} by {self.scheme['name']}>"
