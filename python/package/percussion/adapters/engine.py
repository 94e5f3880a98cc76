"""The step of an engine as a problem with blocks, the result of every adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .._base import FloatArray, Result
from ..blocks import Block
from ..friction import FrictionCertificate, FrictionProblem, FrictionSolution, Relaxation

__all__ = ["EngineProblem"]

#: A row that moves by less than this fraction of what its two bodies move is a rounding error: both move alike.
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EngineProblem(Result):
    """The problem of one step of an engine, and the impulses that the engine found for it.

    Contacts are the first blocks, then come limits, loops, and dry friction of joints. With the engine's own impulses the
    velocities of the problem are those at the end of its step. All contacts, limits and loops that the engine made active count as
    closed, at velocity level.
    """

    problem: FrictionProblem
    #: The impulses of the engine (N·s, N·m·s), one number for each row of the blocks.
    impulses: FloatArray
    #: A name for each block.
    names: tuple[str, ...]
    #: Length of the step (s).
    step_size: float
    #: The rows of the blocks: their velocities per generalized velocity.
    jacobian: FloatArray
    #: Change of the generalized velocity per unit impulse at each of these rows.
    response: FloatArray
    #: The generalized velocity at the end of the engine's step.
    velocity_after: FloatArray

    def __len__(self) -> int:
        return len(self.names)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks, in the order of ``names``."""
        return self.problem.blocks or ()

    def split(self, rows: npt.ArrayLike | None = None) -> list[FloatArray]:
        """Cut impulses or velocities, by default the impulses of the engine, into those of each block."""
        return self.problem.split(self.impulses if rows is None else rows)

    def certify(self, impulses: npt.ArrayLike | None = None) -> FrictionCertificate:
        """Judge impulses, those of the engine by default."""
        return self.problem.certify(self.impulses if impulses is None else impulses)

    def solve(self, method: str | None = None, **settings: float) -> FrictionSolution:
        """Solve the problem; see ``FrictionProblem.solve``.

        If it has only round contacts and limits, the default method starts from the solution of the solver for round contacts, in which
        limits are contacts without friction; this is about twice as fast.
        """
        start = None if method is not None else _of_contacts(self.problem, settings)
        return self.problem.solve(method, start=start, **settings)

    def relaxation(self, **settings: float) -> Relaxation:
        """Solve the convex relaxation and Coulomb's law; see ``FrictionProblem.relaxation``."""
        return self.problem.relaxation(**settings)  # type: ignore[arg-type]

    def velocity(self, impulses: npt.ArrayLike) -> FloatArray:
        """Return the generalized velocity at the end of the step with other impulses, which can be passed back to the engine."""
        change = np.asarray(impulses, dtype=np.float64).reshape(-1) - self.impulses
        return np.asarray(self.velocity_after + self.response @ change, dtype=np.float64)

    def __str__(self) -> str:
        certificate = self.certify()
        worst = self.names[certificate.worst]
        return f"{len(self)} blocks; the engine's impulses: {certificate}\n  worst block: {worst}"


def _of_contacts(problem: FrictionProblem, settings: dict[str, float]) -> FloatArray | None:
    """The impulses of a problem of round contacts and limits by the solver for round contacts, if it finds them."""
    rows: list[int] = []
    friction: list[float] = []
    for block in problem.blocks or ():
        section = block.section or {}
        if block.kind == "unilateral" or (block.is_contact and block.rows == 1):
            rows += [3 * (len(friction) + row) for row in range(block.rows)]
            friction += [0.0] * block.rows
        elif block.rows == 3 and "disc" in section:
            rows += range(3 * len(friction), 3 * len(friction) + 3)
            friction.append(section["disc"])
        else:
            return None
    size = 3 * len(friction)
    delassus, free = np.zeros((size, size)), np.zeros(size)
    delassus[np.ix_(rows, rows)] = problem.delassus
    free[rows] = problem.free_velocity
    try:
        reduced = FrictionProblem.reduced(delassus, free, friction)
    except ValueError:
        return None
    if reduced is None or len(reduced[1]) < len(friction):
        return None
    solution = reduced[0].solve(None, **settings)
    return solution.impulses.reshape(-1)[rows] if solution.status == "solved" else None


@dataclass(frozen=True, slots=True)
class Part:
    """A block with its rows, its impulses by the engine, and for a contact how much its two bodies move along each row."""

    name: str
    block: Block
    rows: FloatArray
    impulses: FloatArray
    #: The largest generalized rows of both bodies, of which ``rows`` is the difference; None for rows that are no difference.
    sizes: tuple[FloatArray, ...] | None = None


def engine_problem(
    parts: Sequence[Part], inverse: FloatArray, velocity_after: FloatArray, step_size: float
) -> EngineProblem | None:
    """The problem of these blocks, where ``inverse`` is the inverse of the effective mass matrix of the step.

    Contacts whose normal no impulse can move are left out; None if no blocks remain.
    """
    factor = _factor(inverse)
    parts = [kept for part in parts if (kept := _moving(part, inverse)) is not None]
    if not parts:
        return None
    rows = np.vstack([part.rows for part in parts])
    impulses = np.concatenate([part.impulses for part in parts])
    if factor is None:
        # An implicit step with an unsymmetric operator: the problem says what it cannot be.
        response = inverse @ rows.T
        delassus = rows @ response
    else:
        # The product of a matrix with its transpose has no negative minors, even with rounding.
        half = rows @ factor
        delassus, response = half @ half.T, factor @ half.T
    free = rows @ velocity_after - delassus @ impulses
    problem = FrictionProblem(delassus, free, blocks=[part.block for part in parts])
    names = tuple(part.name for part in parts)
    return EngineProblem(problem, impulses, names, step_size, rows, response, velocity_after)


def _factor(inverse: FloatArray) -> FloatArray | None:
    """The Cholesky factor of a matrix that is symmetric up to rounding; None for others."""
    if np.abs(inverse - inverse.T).max(initial=0.0) > 1e-9 * np.abs(inverse).max(initial=0.0):
        return None
    try:
        return np.asarray(np.linalg.cholesky(0.5 * (inverse + inverse.T)), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None


def _moving(part: Part, inverse: FloatArray) -> Part | None:
    """The part with rows of zeros where no impulse has an effect; None for a contact without an effect along its normal."""
    if part.sizes is None:
        return part
    size = np.max([np.einsum("ij,jk,ik->i", rows, inverse, rows) for rows in part.sizes], axis=0)
    moved = np.einsum("ij,jk,ik->i", part.rows, inverse, part.rows)
    moves = moved > ROUNDING**2 * size
    if not moves[0]:
        return None
    return Part(part.name, part.block, np.where(moves[:, None], part.rows, 0.0), part.impulses, part.sizes)
