"""Contacts with friction: find impulses ``p`` with ``u = W p + u_f`` and a friction law at every contact.

Contact components are normal, tangent 1, tangent 2; normals separate when positive. SI units. With blocks a problem has joints,
limits and dry friction beside contacts with any section of the friction cone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .blocks import Block
from .derivative import FrictionDerivative
from .errors import UnsolvedError

__all__ = ["FrictionCertificate", "FrictionProblem", "FrictionSolution", "Relaxation"]

#: The figures of a contact or a block, in the order of their table.
FIGURES = ("bilateral", "approach", "adhesion", "cone", "complementarity", "slip")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionSolution(Result):
    """The result of a solver of contact problems, for any status."""

    #: ``solved``, ``iteration-limit``, ``stalled`` or ``infeasible``.
    status: str
    #: One row for each contact (N·s): normal, tangent 1 and, in space, tangent 2; with blocks one number for each row.
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
    #: The proof for the status ``infeasible``: weights of the normals, or with blocks of all rows, for which no impulses prevent an
    #: approach.
    infeasibility: FloatArray | None

    def check(self) -> FrictionSolution:
        """Return the solution itself, or raise ``UnsolvedError`` if it is not solved."""
        if self.status != "solved":
            message = f"the contact problem is not solved: {self.status} after {self.iterations} iterations"
            raise UnsolvedError(f"{message}, relative residual {self.relative_residual:.2e}", self)
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionCertificate(Result):
    """The violations of the friction law of a problem by given impulses of any origin, for each contact or block.

    All figures are velocities (m/s, ≥ 0) and zero exactly if their part of the law holds.
    """

    #: ``W p + u_f`` (m/s), one row for each contact; with blocks one number for each row.
    velocities: FloatArray
    #: Velocity of bilateral rows; zero without blocks.
    bilateral: FloatArray
    #: Speed of approach.
    approach: FloatArray
    #: Pulling impulse, times the mean inverse mass ``w`` of the contact.
    adhesion: FloatArray
    #: Tangential impulse beyond ``μ p_N``, or impulse out of its bounds, times ``w``.
    cone: FloatArray
    #: The smaller of impulse times ``w`` and separation velocity.
    complementarity: FloatArray
    #: Distance from both sticking and sliding with the friction opposed and at its limit.
    slip: FloatArray
    #: The largest of these figures, for each contact or block.
    residuals: FloatArray
    #: The largest free velocity of a contact or block (m/s).
    velocity_scale: float
    #: The largest of ``residuals`` divided by ``velocity_scale``.
    relative_residual: float

    @property
    def residual(self) -> float:
        """The largest figure of any contact (m/s)."""
        return float(self.residuals.max())

    @property
    def worst(self) -> int:
        """The contact or block with the largest figure."""
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Relaxation(Result):
    """The convex relaxation of a problem, which MuJoCo, Drake's SAP and Chrono solve, and its distance from Coulomb's law.

    In the relaxation a contact that slides separates with ``μ`` times its slip.
    """

    relaxed: FrictionSolution
    #: A solution by Coulomb's law, solved from the relaxed one.
    coulomb: FrictionSolution
    #: The violations of Coulomb's law by the relaxed impulses (m/s).
    figures: dict[str, float]
    #: The largest separation velocity of a contact that carries an impulse, in the relaxed solution (m/s).
    lift: float
    #: The largest difference of a velocity between both solutions (m/s).
    velocity: float


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

    With ``blocks`` in place of ``friction`` the problem has joints, limits, dry friction and contacts of other sections: a list
    of ``Block``, or of dicts in the form of a document. ``delassus`` then has one row for each row of the blocks, ``compliance`` is one
    number ≥ 0 for each row that is added to its diagonal, and ``model`` is ``coulomb`` or ``convex-relaxation``. Impulses and velocities
    have one number for each row.

    A joint of 2 kg·m² turns at 1.5 rad/s into its limit, against dry friction of 0.5 N·m·s: together they take 3 N·m·s.

    >>> blocks = [Block.unilateral(), Block.dry_friction(0.5)]
    >>> joint = FrictionProblem([[0.5, -0.5], [-0.5, 0.5]], [-1.5, 1.5], blocks=blocks)
    >>> limit, friction = joint.solve().check().impulses
    >>> round(float(limit - friction), 9)
    3.0
    """

    __slots__ = ("_core",)
    _core: _percussion.FrictionProblem | _percussion.BlockProblem

    def __init__(
        self,
        delassus: Any,
        free_velocity: npt.ArrayLike,
        friction: npt.ArrayLike | None = None,
        *,
        law: str | None = None,
        blocks: Sequence[Block | Mapping[str, Any]] | None = None,
        compliance: npt.ArrayLike | None = None,
        model: str | None = None,
    ) -> None:
        if blocks is not None:
            for name, value in (("friction", friction), ("law", law)):
                if value is not None:
                    raise ValueError(f"`{name}` is {value}, expected nothing beside `blocks`")
            if hasattr(delassus, "toarray"):
                delassus = delassus.toarray()
            parts = [block._parts() if isinstance(block, Block) else block for block in blocks]
            new = _percussion.BlockProblem.new
            self._core = new(delassus, np.ravel(free_velocity), parts, compliance, model or "coulomb")
            return
        for name, value in (("compliance", compliance), ("model", model)):
            if value is not None:
                raise ValueError(f"`{name}` is {value}, expected nothing without `blocks`")
        if friction is None:
            raise ValueError("`friction` is missing, expected coefficients, or `blocks`")
        law = law or "coulomb"
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
    def _of(cls, core: _percussion.FrictionProblem | _percussion.BlockProblem) -> FrictionProblem:
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    @classmethod
    def from_json(cls, text: str) -> FrictionProblem:
        """Read the document that ``percussion solve friction`` reads, with its start and its method."""
        return cls._of(_percussion.problem_from_json(text))

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
    def blocks(self) -> tuple[Block, ...] | None:
        """The blocks in the order of their rows; None for a problem of contacts alone."""
        if isinstance(self._core, _percussion.FrictionProblem):
            return None
        return tuple(map(Block._of, self._core.blocks()))

    @property
    def contact_count(self) -> int:
        """Number of contacts; with blocks, of blocks that are contacts."""
        if isinstance(self._core, _percussion.FrictionProblem):
            return self._core.contact_count
        return sum(block["kind"] == "contact" for block in self._core.blocks())

    @property
    def components(self) -> int:
        """Components of each contact: 2 in the plane, 3 in space; 1 with blocks, whose rows are listed one by one."""
        return self._core.components if isinstance(self._core, _percussion.FrictionProblem) else 1

    @property
    def law(self) -> str:
        """The friction law; with blocks always ``coulomb``."""
        return self._core.law if isinstance(self._core, _percussion.FrictionProblem) else "coulomb"

    @property
    def model(self) -> str:
        """``coulomb``, or ``convex-relaxation`` for a problem with blocks that was created so."""
        return self._core.model if isinstance(self._core, _percussion.BlockProblem) else "coulomb"

    @property
    def delassus(self) -> FloatArray:
        """``W`` as a dense matrix (kg⁻¹)."""
        return self._core.delassus()

    @property
    def free_velocity(self) -> FloatArray:
        """``u_f`` (m/s), one row for each contact; with blocks one number for each row."""
        return self._core.free_velocity()

    @property
    def friction(self) -> FloatArray:
        """The friction coefficients; empty with blocks, which have their own."""
        return self._core.friction() if isinstance(self._core, _percussion.FrictionProblem) else np.zeros(0)

    @property
    def compliance(self) -> FloatArray:
        """The compliance that is added to the diagonal of ``W``, one number for each row; zero without blocks."""
        if isinstance(self._core, _percussion.BlockProblem):
            return self._core.compliance()
        return np.zeros(self.contact_count * self.components)

    def split(self, rows: npt.ArrayLike) -> list[FloatArray]:
        """Cut impulses or velocities into those of each contact or block."""
        flat = np.asarray(rows, dtype=np.float64).reshape(-1)
        blocks = self.blocks
        sizes = [self.components] * self.contact_count if blocks is None else [block.rows for block in blocks]
        if len(flat) != sum(sizes):
            raise ValueError(f"`rows` has {len(flat)} entries, expected {sum(sizes)}")
        return np.split(flat, np.cumsum(sizes)[:-1])

    def with_blocks(self, model: str = "coulomb") -> FrictionProblem:
        """Return the same problem as one with blocks, by Coulomb's law or by the ``convex-relaxation``."""
        blocks = self.blocks
        if blocks is None:
            if self.law != "coulomb":
                raise ValueError(f"`law` is {self.law}, expected coulomb")
            tangents = self.components - 1
            blocks = tuple(Block.disc(friction, tangents=tangents) for friction in self.friction.tolist())
        return FrictionProblem(
            self.delassus, self.free_velocity, blocks=blocks, compliance=self.compliance, model=model
        )

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
        if start is not None and isinstance(self._core, _percussion.BlockProblem):
            start = np.ravel(start)
        return FrictionSolution(*self._core.solve(method, settings, start))

    def certify(self, impulses: npt.ArrayLike) -> FrictionCertificate:
        """Judge impulses of any origin (N·s), one row for each contact, by the law of the problem."""
        if isinstance(self._core, _percussion.BlockProblem):
            impulses = np.ravel(impulses)
        return FrictionCertificate(**self._core.certify(impulses))

    def derivative(
        self,
        impulses: FrictionSolution | npt.ArrayLike,
        *,
        tolerance: float = 1e-8,
        edge: float = 1e-7,
    ) -> FrictionDerivative:
        """Return the derivative of a solution, given as a ``FrictionSolution`` or by its impulses (N·s).

        Impulses whose relative residual is above ``tolerance`` are a ``ValueError``. A mode whose margin is at most ``edge``,
        relative to the largest free velocity, counts as an edge between modes. Problems with blocks have no derivative yet.

        The block slides on: more friction of 0.1 takes 0.2 m/s more of its speed, and it stops if friction grows by 0.5 or more.

        >>> block = FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5])
        >>> change = block.derivative(block.solve()).forward(friction=[0.1])
        >>> round(float(change.velocities[0, 1]), 9), round(10 * change.reach.step, 9), change.reach.mode
        (-0.2, 100.0, 'sticking')
        """
        if isinstance(self._core, _percussion.BlockProblem):
            raise ValueError("a problem with `blocks` has no derivative, expected one with `friction`")
        found = impulses.impulses if isinstance(impulses, FrictionSolution) else impulses
        derivative = FrictionDerivative.__new__(FrictionDerivative)
        derivative._core = self._core.derivative(found, tolerance, edge)
        derivative._made = (_derivative, (self, np.asarray(found).tolist(), tolerance, edge))
        return derivative

    def relaxation(self, *, tolerance: float = 1e-10, max_iterations: int = 20_000) -> Relaxation:
        """Solve the convex relaxation and Coulomb's law, and return both solutions with their distance.

        A block of 2 kg lands at 2 m/s while it slides at 3 m/s: by the relaxation it leaves the floor with half of its slip.

        >>> both = FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5]).relaxation()
        >>> round(both.lift, 9)
        0.8
        """
        core = self._core if isinstance(self._core, _percussion.BlockProblem) else self.with_blocks()._core
        assert isinstance(core, _percussion.BlockProblem)
        relaxed, coulomb, figures, lift, velocity = core.relaxation(tolerance, max_iterations)
        return Relaxation(FrictionSolution(*relaxed), FrictionSolution(*coulomb), figures, lift, velocity)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrictionProblem):
            return NotImplemented
        return self.components == other.components and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return FrictionProblem.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        blocks = self.blocks
        if blocks is not None:
            rows = sum(block.rows for block in blocks)
            return f"<FrictionProblem: {len(blocks)} blocks with {rows} rows, {self.contact_count} contacts, {self.model}>"
        place = "plane" if self.components == 2 else "space"
        return f"<FrictionProblem: {self.contact_count} contacts in {place}, {self.law}>"


def _derivative(problem: FrictionProblem, impulses: npt.ArrayLike, tolerance: float, edge: float) -> FrictionDerivative:
    return problem.derivative(impulses, tolerance=tolerance, edge=edge)


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
