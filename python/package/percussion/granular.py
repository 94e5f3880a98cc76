"""Scenes of many grains: ``grains``."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .errors import UnsolvedError
from .viewer import Page

__all__ = ["GrainMotion", "Grains", "grain_scenes", "grains"]

IntegerArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grains(Result):
    """All grains at one time, one row for each."""

    #: Time (s).
    time: float
    #: A number for each grain that it keeps for the whole motion.
    identities: IntegerArray
    #: Centers (m), velocities (m/s) and angular velocities (rad/s).
    positions: FloatArray
    velocities: FloatArray
    angular_velocities: FloatArray
    #: Radii (m) and masses (kg).
    radii: FloatArray
    masses: FloatArray

    def __len__(self) -> int:
        return len(self.radii)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GrainMotion(Result):
    """The motion of a scene of grains."""

    #: ``completed``, or ``unconverged`` if a step ended its sweeps at their limit with a residual over the tolerance.
    status: str
    title: str
    #: The grains at equal intervals; the last ones are those at the end.
    frames: tuple[Grains, ...]
    #: For each step: its end (s), kinetic energy (J), numbers of grains and of contacts that carry an impulse, sweeps, relative residual,
    #: and deepest overlap at its beginning (m).
    times: FloatArray
    kinetic_energies: FloatArray
    grain_counts: FloatArray
    contact_counts: FloatArray
    sweeps: FloatArray
    relative_residuals: FloatArray
    overlaps: FloatArray
    #: What the scene measures: a column by name, with the times in the first.
    statistics: dict[str, FloatArray]
    #: Number of grains of streams that found no room.
    turned_away: int
    #: The page that plays the motion.
    page: Page

    @property
    def end(self) -> Grains:
        """The grains at the end."""
        return self.frames[-1]

    def check(self) -> GrainMotion:
        """Return the motion itself, or raise ``UnsolvedError`` if a step was over the tolerance."""
        if self.status != "completed":
            largest = self.relative_residuals.max()
            raise UnsolvedError(f"the motion is {self.status}, largest relative residual {largest:.2e}", self)
        return self


def grain_scenes() -> tuple[str, ...]:
    """Return the names of the built-in scenes of ``grains``."""
    return tuple(_percussion.grain_scenes())


def grains(
    scene: str | PathLike[str],
    duration: float | None = None,
    *,
    factor: float = 1.0,
    frames: int = 1,
    max_sweeps: int | None = None,
    tolerance: float | None = None,
) -> GrainMotion:
    """Move a scene of many grains, and return the motion.

    ``scene`` is one of ``grain_scenes()`` or the path of a scene (TOML). ``duration`` (s), ``max_sweeps`` and ``tolerance`` are those of the
    scene by default; ``factor`` multiplies all of its lengths. ``frames`` is the number of times at which the grains are returned, at
    equal intervals up to the end. The results are bitwise those of ``percussion grains``. Ctrl-C ends the motion between two steps; if a
    step fails, ``StepError`` is raised.

    >>> motion = grains("six-by-six-by-six", 0.01).check()
    >>> len(motion.end)
    216
    """
    if frames < 1:
        raise ValueError(f"`frames` is {frames}, expected an integer of at least 1")
    name, text, folder = str(scene), None, "."
    if name not in grain_scenes():
        path = Path(scene)
        if not path.is_file():
            known = ", ".join(grain_scenes())
            raise ValueError(f"`scene` is {name}, expected a file (TOML) or one of {known}")
        text, folder = path.read_text(encoding="utf-8"), str(path.parent)
    core = _percussion.GrainsCore(name, text, folder, factor, duration, (max_sweeps, tolerance))
    until = core.duration if duration is None else duration
    kept = []
    for number in range(1, frames + 1):
        core.advance(until * number / frames)
        parts = core.grains()
        parts["identities"] = np.array(parts["identities"], dtype=np.int64)
        kept.append(Grains(**parts))
    steps = core.steps()
    residuals = steps["relative_residuals"]
    unconverged = core.tolerance > 0.0 and bool((residuals > core.tolerance).any())
    names, table = core.statistics()
    statistics = {name: np.ascontiguousarray(column) for name, column in zip(names, table.T, strict=True)}
    status = "unconverged" if unconverged else "completed"
    page = Page(core.title, core.page())
    return GrainMotion(status, core.title, tuple(kept), **steps, statistics=statistics, turned_away=core.turned_away, page=page)
