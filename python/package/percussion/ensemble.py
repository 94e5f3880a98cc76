"""Simulate many motions of one model, in this process or on many machines: ``run_ensemble``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ._base import FloatArray, Result
from .errors import StepError, UnsolvedError
from .model import Model
from .simulation import Simulation

__all__ = ["Ensemble", "Start", "run_ensemble"]

#: Function that draws the start of one motion: from a generator it makes coordinates and velocity; each may be None.
Start: TypeAlias = Callable[[np.random.Generator], "tuple[npt.ArrayLike | None, npt.ArrayLike | None]"]


class _Submits(Protocol):
    """Executors of ``concurrent.futures``, of ``mpi4py.futures``, and the client of ``dask.distributed``."""

    def submit(self, function: Any, /, *arguments: Any) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ensemble(Result):
    """The ends of many motions, one row for each."""

    #: Coordinates and velocities at the end; NaN for a motion that failed to start; the last valid ones if a step failed.
    coordinates: FloatArray
    velocities: FloatArray
    #: Times at the end (s).
    times: FloatArray
    #: Total energies at the end (J).
    energies: FloatArray
    #: Largest relative residual of any step of the motion.
    largest_relative_residuals: FloatArray
    #: Deepest penetration at any step end (m).
    deepest_penetrations: FloatArray
    #: For each motion ``completed``, ``energy-gained``, ``unsolved``, or an error message.
    statuses: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.statuses)

    def check(self) -> Ensemble:
        """Return the ensemble itself, or raise ``UnsolvedError`` if any motion did not complete."""
        bad = [index for index, status in enumerate(self.statuses) if status != "completed"]
        if bad:
            raise UnsolvedError(f"{len(bad)} of {len(self)} motions failed; motion {bad[0]}: {self.statuses[bad[0]]}", self)
        return self


def run_ensemble(
    model: Model,
    count: int,
    duration: float,
    *,
    start: Start | None = None,
    seed: int = 1,
    scheme: str | None = None,
    executor: Executor | _Submits | None = None,
    chunk: int = 64,
    **settings: Any,
) -> Ensemble:
    """Simulate a model ``count`` times for ``duration`` (s) and return the final states.

    ``start`` draws the coordinates and the velocity of each motion from a generator that depends on ``seed`` and the number
    of the motion. The results therefore do not depend, bit for bit, on where and in what order the motions ran, or on ``chunk``, the number of motions
    per task. ``scheme`` and ``settings`` are those of ``Simulation``.

    ``executor`` is any object with ``submit`` whose futures have ``result``: threads and processes of ``concurrent.futures``, a
    client of ``dask.distributed``, ``mpi4py.futures``. For other processes ``start`` must be a function of a
    module, which they import. Without an executor the motions run in this process, one after another.

    >>> from percussion import Model
    >>> ball = Model.from_toml('''
    ... name = "fall"
    ... title = "A ball falls"
    ... source = "first year mechanics"
    ... dimension = "space"
    ... gravity = [0.0, 0.0, -10.0]
    ... duration = 1.0
    ... friction = 0.3
    ... bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 9.1] }]
    ... integrator = { method = "moreau-jean", step_size = 0.01 }
    ... ''')
    >>> def throw(generator):
    ...     return None, [generator.normal(), 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> ends = run_ensemble(ball, 3, 0.5, start=throw).check()
    >>> ends.velocities[:, 2].round(9).tolist()
    [-5.0, -5.0, -5.0]
    """
    if not isinstance(model, Model):
        raise ValueError(f"`model` is of type {type(model).__name__}, expected a Model")
    if count < 1 or chunk < 1:
        name, value = ("count", count) if count < 1 else ("chunk", chunk)
        raise ValueError(f"`{name}` is {value}, expected an integer of at least 1")
    # Wrong settings are refused here, where the message is seen, and not by every worker.
    Simulation(model, scheme, **settings)._steps(duration)
    chunks = [range(first, min(first + chunk, count)) for first in range(0, count, chunk)]
    task = (model, duration, start, seed, scheme, settings)
    parts: Iterable[list[_End]]
    if executor is None:
        parts = (_run(task, numbers) for numbers in chunks)
    else:
        futures = [executor.submit(_run, task, numbers) for numbers in chunks]
        parts = (future.result() for future in futures)
    ends = [end for part in parts for end in part]
    coordinates, velocities, *numbers, statuses = zip(*ends, strict=True)
    times, energies, residuals, penetrations = (np.array(column, dtype=np.float64) for column in numbers)
    return Ensemble(
        np.array(coordinates), np.array(velocities), times, energies, residuals, penetrations, tuple(map(str, statuses))
    )


_End: TypeAlias = tuple[FloatArray, FloatArray, float, float, float, float, str]


def _run(task: tuple[Any, ...], numbers: Sequence[int]) -> list[_End]:
    """The ends of the motions with these numbers."""
    return [_end(task, number) for number in numbers]


def _end(task: tuple[Any, ...], number: int) -> _End:
    model, duration, start, seed, scheme, settings = task
    coordinates, velocity = (None, None) if start is None else start(np.random.default_rng([seed, number]))
    nowhere = np.full_like(model.coordinates, np.nan), np.full_like(model.velocity, np.nan)
    try:
        simulation = Simulation(model, scheme, coordinates=coordinates, velocity=velocity, **settings)
    except ValueError as error:
        return (*nowhere, np.nan, np.nan, np.nan, np.nan, str(error))
    residual = penetration = np.nan
    try:
        steps = simulation.advance(duration)
    except StepError as error:
        status = str(error)
    else:
        residual, penetration = steps.largest_relative_residual, steps.deepest_penetration
        status = "unsolved" if steps.unsolved else "completed" if steps.kept_energy else "energy-gained"
    state = simulation.coordinates, simulation.velocity, simulation.time, simulation.energy
    return (*state, residual, penetration, status)
