"""The step of an engine as a contact problem, the result of every adapter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .._base import FloatArray, Result
from ..friction import FrictionCertificate, FrictionProblem, FrictionSolution

__all__ = ["EngineProblem"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EngineProblem(Result):
    """The contact problem of one step of an engine, and the impulses that the engine found for it.

    With the engine's own impulses the contact velocities of the problem are those at the end of its step. All contacts that
    the engine made active count as closed, at velocity level.
    """

    problem: FrictionProblem
    #: The impulses of the engine (N·s), one row for each contact: normal, tangent 1, tangent 2.
    impulses: FloatArray
    #: A name for each contact.
    names: tuple[str, ...]
    #: Length of the step (s).
    step_size: float
    #: Rows of the contact velocities, three for each contact.
    jacobian: FloatArray
    #: Change of the generalized velocity per unit impulse at each of these rows.
    response: FloatArray
    #: The generalized velocity at the end of the engine's step.
    velocity_after: FloatArray

    def __len__(self) -> int:
        return len(self.names)

    def certify(self, impulses: npt.ArrayLike | None = None) -> FrictionCertificate:
        """Judge impulses, those of the engine by default."""
        return self.problem.certify(self.impulses if impulses is None else impulses)

    def solve(self, method: str | None = None, **settings: float) -> FrictionSolution:
        """Solve the problem; see ``FrictionProblem.solve``."""
        return self.problem.solve(method, **settings)

    def velocity(self, impulses: npt.ArrayLike) -> FloatArray:
        """Return the generalized velocity at the end of the step with other impulses, which can be passed back to the engine."""
        change = np.asarray(impulses, dtype=np.float64).reshape(-1) - self.impulses.reshape(-1)
        return np.asarray(self.velocity_after + self.response @ change, dtype=np.float64)

    def __str__(self) -> str:
        certificate = self.certify()
        worst = self.names[certificate.worst]
        return f"{len(self)} contacts; the engine's impulses: {certificate}\n  worst contact: {worst}"


def engine_problem(
    rows: FloatArray,
    inverse: FloatArray,
    friction: FloatArray,
    impulses: FloatArray,
    velocity_after: FloatArray,
    names: list[str],
    step_size: float,
) -> EngineProblem | None:
    """The problem of contacts with three ``rows`` each, where ``inverse`` is the inverse of the effective mass matrix of the step.

    Contacts that no impulse can move are left out; None if no contacts remain.
    """
    response = inverse @ rows.T
    delassus = rows @ response
    # An implicit step may have an unsymmetric operator; a difference that is only rounding error does not count.
    if np.abs(delassus - delassus.T).max(initial=0.0) <= 1e-9 * np.abs(delassus).max(initial=0.0):
        delassus = 0.5 * (delassus + delassus.T)
    free = rows @ velocity_after - delassus @ impulses.reshape(-1)
    reduced = FrictionProblem.reduced(delassus, free, friction)
    if reduced is None:
        return None
    problem, kept = reduced
    chosen = [3 * contact + component for contact in kept for component in range(3)]
    return EngineProblem(
        problem,
        impulses[list(kept)],
        tuple(names[contact] for contact in kept),
        step_size,
        rows[chosen],
        response[:, chosen],
        velocity_after,
    )
