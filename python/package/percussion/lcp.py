"""Linear complementarity problems: find ``z ≥ 0`` with ``w = M z + q ≥ 0`` and ``z · w = 0``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .errors import UnsolvedError

__all__ = ["LcpRay", "LcpSolution", "LcpSolutionSet", "enumerate_lcp", "solve_lcp"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LcpRay(Result):
    """The certificate of a ray on which Lemke's method ended.

    Along ``z + s direction`` and ``artificial + s artificial_rate`` all conditions hold for every ``s ≥ 0``, with
    ``covering`` times the artificial variable added to ``w``.
    """

    z: FloatArray
    direction: FloatArray
    artificial: float
    artificial_rate: float
    covering: FloatArray
    #: Relative error of the ray in its defining conditions.
    violation: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LcpSolution(Result):
    """The result of a solver of linear complementarity problems, for any status."""

    #: ``solved``, ``ray``, ``iteration-limit`` or ``stalled``.
    status: str
    #: The solution, or the best point found (length n, entries ≥ 0).
    z: FloatArray
    #: ``M z + q`` (length n).
    w: FloatArray
    iterations: int
    #: Natural-map residual of ``z``, in the units of ``w``.
    residual: float
    #: The residual relative to the sizes of the problem (dimensionless).
    relative_residual: float
    #: The certificate of the ray, for the status ``ray``.
    ray: LcpRay | None

    def check(self) -> LcpSolution:
        """Return the solution itself, or raise ``UnsolvedError`` if it is not solved."""
        if self.status != "solved":
            message = f"the problem is not solved: {self.status} after {self.iterations} iterations"
            raise UnsolvedError(f"{message}, relative residual {self.relative_residual:.2e}", self)
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LcpSolutionSet(Result):
    """All solutions of a problem: the union of convex pieces, each spanned by vertices and rays."""

    #: ``solved``, ``no-solution``, or ``incomplete`` if solutions may be missing.
    status: str
    #: Pairs ``(z, w)``: solutions that are vertices; every isolated solution is one.
    solutions: tuple[tuple[FloatArray, FloatArray], ...]
    #: Pairs of changes of ``z`` and ``w`` along which solutions extend without bound.
    rays: tuple[tuple[FloatArray, FloatArray], ...]
    #: Pairs of indices into ``solutions`` and in ``rays``, one pair for each maximal convex set of solutions.
    pieces: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    def check(self) -> LcpSolutionSet:
        """Return the set itself, or raise ``UnsolvedError`` if solutions may be missing or there are none."""
        if self.status != "solved":
            raise UnsolvedError(f"the enumeration ended with the status {self.status}", self)
        return self


def solve_lcp(
    matrix: npt.ArrayLike,
    vector: npt.ArrayLike,
    method: str = "lemke",
    **settings: Any,
) -> LcpSolution:
    """Solve ``w = matrix z + vector``, ``0 ≤ z ⊥ w ≥ 0``.

    ``matrix`` has n rows and columns, ``vector`` n entries. ``method`` is one of ``percussion.lcp_methods()``, which also
    lists its settings. Wrong input is a ``ValueError``; a problem that was not solved is a status of the result.

    >>> solve_lcp([[0.5]], [-3.0]).z
    array([6.])
    """
    status, z, w, iterations, residual, relative, ray = _percussion.solve_lcp(matrix, vector, method, settings)
    return LcpSolution(status, z, w, iterations, residual, relative, None if ray is None else LcpRay(**ray))


def enumerate_lcp(matrix: npt.ArrayLike, vector: npt.ArrayLike, **settings: Any) -> LcpSolutionSet:
    """Find all solutions of a small problem (at most 20 unknowns by default), continua included.

    The settings are ``tolerance``, ``rank_tolerance`` and ``max_dimension``. The time doubles with each unknown.

    >>> len(enumerate_lcp([[-1.0]], [1.0]).solutions)  # z = 0 and z = 1
    2
    """
    status, solutions, rays, pieces = _percussion.enumerate_lcp(matrix, vector, settings)
    return LcpSolutionSet(
        status, tuple(solutions), tuple(rays), tuple((tuple(one), tuple(other)) for one, other in pieces)
    )
