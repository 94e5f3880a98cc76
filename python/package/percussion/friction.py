"""Contacts with friction: find impulses ``p`` with ``u = W p + u_f`` and a friction law at every contact.

Contact components are normal, tangent 1, tangent 2; normals separate when positive. SI units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .errors import UnsolvedError

__all__ = ["FrictionCertificate", "FrictionProblem", "FrictionSolution"]

#: The figures of a contact, in the order of their table.
FIGURES = ("approach", "adhesion", "cone", "complementarity", "slip")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionSolution(Result):
    """The result of a solver of contact problems, for any status."""

    #: ``solved``, ``iteration-limit``, ``stalled`` or ``infeasible``.
    status: str
    #: One row for each contact (N·s): normal, tangent 1 and, in space, tangent 2.
    impulses: FloatArray
    #: ``W p + u_f`` in the same form (m/s).
    velocities: FloatArray
    iterations: int
    #: The largest of the figures (m/s).
    residual: float
    #: The residual relative to the largest free velocity of a contact (dimensionless).
    relative_residual: float
    #: The largest violation of each kind (m/s).
    figures: dict[str, float]
    #: The proof for the status ``infeasible``: weights of the normals for which no impulses prevent an approach.
    infeasibility: FloatArray | None

    def check(self) -> FrictionSolution:
        """Return the solution itself, or raise ``UnsolvedError`` if it is not solved."""
        if self.status != "solved":
            message = f"the contact problem is not solved: {self.status} after {self.iterations} iterations"
            raise UnsolvedError(f"{message}, relative residual {self.relative_residual:.2e}", self)
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionCertificate(Result):
    """The violations of the friction law of a problem by given impulses of any origin, contact by contact.

    All figures are velocities (m/s, ≥ 0) and zero exactly if their part of the law holds.
    """

    #: ``W p + u_f`` (m/s), one row for each contact.
    velocities: FloatArray
    #: Speed of approach.
    approach: FloatArray
    #: Pulling impulse, times the mean inverse mass ``w`` of the contact.
    adhesion: FloatArray
    #: Tangential impulse beyond ``μ p_N``, times ``w``.
    cone: FloatArray
    #: The smaller of impulse times ``w`` and separation velocity.
    complementarity: FloatArray
    #: Distance from both sticking and sliding with the friction opposed and at its limit.
    slip: FloatArray
    #: The largest of the five, for each contact.
    residuals: FloatArray
    #: The largest free velocity of a contact (m/s).
    velocity_scale: float
    #: The largest of ``residuals`` divided by ``velocity_scale``.
    relative_residual: float

    @property
    def residual(self) -> float:
        """The largest figure of any contact (m/s)."""
        return float(self.residuals.max())

    @property
    def worst(self) -> int:
        """The contact with the largest figure."""
        return int(self.residuals.argmax())

    @property
    def figures(self) -> dict[str, float]:
        """The largest figure of each kind (m/s)."""
        return {name: float(getattr(self, name).max()) for name in FIGURES}

    def holds(self, tolerance: float = 1e-8) -> bool:
        """Whether the relative residual is at most ``tolerance``."""
        return self.relative_residual <= tolerance

    def __str__(self) -> str:
        lines = [f"relative residual {self.relative_residual:.2e}, worst at contact {self.worst}"]
        lines += [f"  {name:<16} {value:.3e} m/s" for name, value in self.figures.items()]
        return "\n".join(lines)


class FrictionProblem:
    """A frictional contact problem ``u = W p + u_f``.

    ``delassus`` is ``W`` (kg⁻¹) with three rows for each contact, or two in the plane: an array, nested lists, or a sparse
    matrix of scipy, which is cut into blocks. ``free_velocity`` is ``u_f`` (m/s), the relative velocities without contact
    impulses, as one vector or one row for each contact. ``friction`` has one coefficient for each contact, or is one number
    for all contacts in space. ``law`` is ``coulomb`` or ``maximum-dissipation``.

    A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s; a friction coefficient of 0.5 removes 2 N·s.

    >>> block = FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5])
    >>> block.solve().check().impulses
    array([[ 4., -2.,  0.]])
    """

    __slots__ = ("_core",)
    _core: _percussion.FrictionProblem

    def __init__(
        self,
        delassus: Any,
        free_velocity: npt.ArrayLike,
        friction: npt.ArrayLike,
        *,
        law: str = "coulomb",
    ) -> None:
        if hasattr(delassus, "tobsr"):
            self._core = _sparse(delassus, free_velocity, friction, law)
        else:
            self._core = _percussion.FrictionProblem.dense(delassus, free_velocity, friction, law)

    @classmethod
    def from_blocks(
        cls,
        rows: Sequence[int],
        columns: Sequence[int],
        blocks: npt.ArrayLike,
        free_velocity: npt.ArrayLike,
        friction: npt.ArrayLike,
        *,
        law: str = "coulomb",
    ) -> FrictionProblem:
        """Create a problem of 3 × 3 blocks, one for each pair of a row and a column of contacts.

        All diagonal blocks and both triangles are required, in any order. ``blocks`` has the shape (count, 3, 3).
        """
        core = _percussion.FrictionProblem.sparse
        return cls._of(core(list(rows), list(columns), blocks, free_velocity, friction, law))

    @classmethod
    def reduced(
        cls,
        delassus: npt.ArrayLike,
        free_velocity: npt.ArrayLike,
        friction: npt.ArrayLike,
        *,
        law: str = "coulomb",
    ) -> tuple[FrictionProblem, tuple[int, ...]] | None:
        """Create a problem of the contacts that can move along their normals, and return their indices.

        Rows of tangents that a contact does not have, or that no impulse moves, are zero in ``delassus``; they get the inverse mass
        of the normal without any coupling, and therefore have no impulse. None if no contact moves. The problem is in space.
        """
        core = _percussion.FrictionProblem.reduced(delassus, free_velocity, friction, law)
        return None if core is None else (cls._of(core[0]), tuple(core[1]))

    @classmethod
    def _of(cls, core: _percussion.FrictionProblem) -> FrictionProblem:
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    @classmethod
    def from_json(cls, text: str) -> FrictionProblem:
        """Read the document that ``percussion solve friction`` reads, with its start and its method."""
        return cls._of(_percussion.FrictionProblem.from_json(text))

    def to_json(self) -> str:
        """Return the document of the problem, which can be read again with bitwise the same result."""
        return self._core.to_json()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> FrictionProblem:
        """Read a document from a file; see ``from_json``."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the document to a file, for ``load`` and for ``percussion solve friction``."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @property
    def contact_count(self) -> int:
        """Number of contacts."""
        return self._core.contact_count

    @property
    def components(self) -> int:
        """Components of each contact: 2 in the plane, 3 in space."""
        return self._core.components

    @property
    def law(self) -> str:
        """The friction law."""
        return self._core.law

    @property
    def delassus(self) -> FloatArray:
        """``W`` as a dense matrix (kg⁻¹)."""
        return self._core.delassus()

    @property
    def free_velocity(self) -> FloatArray:
        """``u_f`` (m/s), one row for each contact."""
        return self._core.free_velocity()

    @property
    def friction(self) -> FloatArray:
        """The friction coefficients."""
        return self._core.friction()

    def solve(
        self,
        method: str | None = None,
        *,
        start: npt.ArrayLike | None = None,
        **settings: Any,
    ) -> FrictionSolution:
        """Solve the problem.

        ``method`` is one of ``percussion.friction_methods()``, which also lists the settings, such as ``tolerance``; without
        it, the method is that of the document, or ``combined``. ``start`` are the initial impulses (N·s), zero by default.
        """
        return FrictionSolution(*self._core.solve(method, settings, start))

    def certify(self, impulses: npt.ArrayLike) -> FrictionCertificate:
        """Judge impulses of any origin (N·s), one row for each contact, by the law of the problem."""
        return FrictionCertificate(**self._core.certify(impulses))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrictionProblem):
            return NotImplemented
        return self.components == other.components and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return FrictionProblem.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        place = "plane" if self.components == 2 else "space"
        return f"<FrictionProblem: {self.contact_count} contacts in {place}, {self.law}>"


def _sparse(
    delassus: Any, free_velocity: npt.ArrayLike, friction: npt.ArrayLike, law: str
) -> _percussion.FrictionProblem:
    """The problem of a sparse matrix of scipy."""
    size = delassus.shape[0]
    if np.ndim(friction) == 0:
        friction = np.full(size // 3, friction)
    if size != 3 * len(np.atleast_1d(friction)) or delassus.shape[1] != size:
        # Contacts in the plane and invalid input are handled there.
        return _percussion.FrictionProblem.dense(delassus.toarray(), free_velocity, friction, law)
    blocks = delassus.tobsr(blocksize=(3, 3))
    blocks.sum_duplicates()
    rows = np.repeat(np.arange(size // 3), np.diff(blocks.indptr))
    core = _percussion.FrictionProblem.sparse
    return core(rows.tolist(), blocks.indices.tolist(), blocks.data, free_velocity, friction, law)
