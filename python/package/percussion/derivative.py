"""Derivatives of friction problems and of outcomes of impacts, and where they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .outcome import Outcome

__all__ = [
    "FrictionChange",
    "FrictionDerivative",
    "FrictionGradient",
    "ImpactChange",
    "ImpactDerivative",
    "ImpactGradient",
    "Reach",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reach(Result):
    """The step along a direction after which the first contact changes its mode."""

    #: The step, in units of the direction; infinite if no contact changes its mode.
    step: float
    #: The contact that changes its mode first.
    contact: int | None
    #: The mode that it enters, or None where a contact with restitution ceases to approach.
    mode: str | None
    #: Whether the step is exact up to rounding, otherwise an estimate of first order.
    exact: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionChange(Result):
    """The change of a solution of a friction problem along a direction, per unit of the direction."""

    #: Change of the velocities, one row for each contact (m/s).
    velocities: FloatArray
    #: Change of the impulses, one row for each contact (N·s).
    impulses: FloatArray
    reach: Reach
    #: The mode of each contact along the direction; None unless the derivative is one-sided.
    modes: tuple[str, ...] | None
    #: Whether it is proven to be the derivative; otherwise it is the only candidate.
    proven: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionGradient(Result):
    """The derivative of a weighted sum of velocities and impulses with respect to the data of a friction problem."""

    #: With respect to the free velocity, one row for each contact.
    free_velocity: FloatArray
    #: With respect to the entries of ``W``, each by itself.
    delassus: FloatArray
    #: With respect to the friction coefficients (from above for 0); NaN at a contact without friction and slip.
    friction: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ImpactChange(Result):
    """The change of an outcome along a direction, per unit of the direction."""

    #: Change of the velocity after the impact (n_v; m/s, rad/s).
    velocity: FloatArray
    #: Change of the impulses at the rows of ``Impact.jacobian`` (N·s).
    impulses: FloatArray
    reach: Reach
    #: The mode of each contact along the direction, None for one that cannot move; None unless it is one-sided, by a law with round
    #: cones.
    modes: tuple[str | None, ...] | None
    #: Whether it is proven to be the derivative; otherwise it is the only candidate.
    proven: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ImpactGradient(Result):
    """The derivative of a weighted sum of velocities and impulses with respect to the data of an impact."""

    #: With respect to the velocity before the impact (n_v).
    velocity: FloatArray
    #: With respect to the mass matrix (n_v × n_v, symmetric).
    mass_matrix: FloatArray
    #: With respect to the rows of all contacts.
    jacobian: FloatArray
    #: With respect to the rows of the joints; None if these are redundant.
    bilateral: FloatArray | None
    #: With respect to the friction coefficients (from above for 0); NaN at a contact without friction and slip.
    friction: FloatArray
    #: With respect to the coefficients of restitution.
    restitution: FloatArray


class _Derivative:
    """What both derivatives tell of themselves."""

    __slots__ = ("_core", "_made")
    _core: Any
    #: The function that creates it again, and its arguments.
    _made: tuple[Any, tuple[Any, ...]]

    @property
    def state(self) -> str:
        """``regular``; ``redundant`` if only velocities have a derivative; ``edge`` if there are at most one-sided ones; ``singular``."""
        return str(self._core.state)

    @property
    def places(self) -> tuple[str | None, ...] | None:
        """For each contact ``open``, ``sticking``, ``sliding`` or ``frictionless``, or the edge at which it is, such as ``edge: slipping``.

        None for laws whose outcomes have several pieces, in each of which a contact has a mode of its own.
        """
        places = self._core.places
        if places is None:
            return None
        return tuple(None if one is None else one[1] if one[0] == "inside" else f"edge: {one[1]}" for one in places)

    @property
    def condition(self) -> float | None:
        """Condition of the equations: derivatives are accurate to about this times 1e-15."""
        return None if self._core.condition is None else float(self._core.condition)

    @property
    def radius(self) -> float | None:
        """A proven bound of the neighborhood (m/s): smaller changes of the contact velocities without impulses keep all modes.

        None at an edge, and for laws whose impulses are not affine in the velocity as long as the modes stay.
        """
        return None if self._core.radius is None else float(self._core.radius)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Derivative):
            return NotImplemented
        return self._made == other._made

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self._made

    def __repr__(self) -> str:
        places = self.places
        return f"<{type(self).__name__}: {', '.join([self.state, *map(str, places or ())])}>"


class FrictionDerivative(_Derivative):
    """The derivative of a solution of a friction problem, from ``FrictionProblem.derivative``."""

    __slots__ = ()
    _core: _percussion.FrictionDerivative

    @property
    def impulses(self) -> FloatArray:
        """The impulses after refinement (N·s), one row for each contact."""
        return self._core.impulses()

    def forward(
        self,
        *,
        free_velocity: npt.ArrayLike | None = None,
        delassus: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
    ) -> FrictionChange:
        """Return the change of the solution along a direction; what is not given does not change."""
        change = self._core.forward(free_velocity, delassus, friction)
        return FrictionChange(change["velocities"], change["impulses"], Reach(*change["reach"]), None, True)

    def one_sided(
        self,
        *,
        free_velocity: npt.ArrayLike | None = None,
        delassus: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
    ) -> FrictionChange:
        """Return the change along a direction for increasing steps only, which may exist at an edge."""
        change, modes, proven = self._core.one_sided(free_velocity, delassus, friction)
        return FrictionChange(change["velocities"], change["impulses"], Reach(*change["reach"]), tuple(modes), proven)

    def backward(
        self, *, velocities: npt.ArrayLike | None = None, impulses: npt.ArrayLike | None = None
    ) -> FrictionGradient:
        """Return the derivative of the sum of all velocities and impulses, each times its weight, with respect to all data."""
        return FrictionGradient(**self._core.backward(velocities, impulses))

    def matrices(self) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of all velocities, and of all impulses, with respect to all free velocities."""
        return self._core.matrices()


class ImpactDerivative(_Derivative):
    """The derivative of an outcome, from ``Impact.derivative``."""

    __slots__ = ("outcome",)
    _core: _percussion.ImpactDerivative
    #: The outcome.
    outcome: Outcome

    @property
    def pieces(self) -> int | None:
        """Number of pieces of the outcome with fixed modes, such as the intervals of ``plus``; None for ``maximum-dissipation``."""
        return self._core.pieces

    def forward(
        self,
        *,
        velocity: npt.ArrayLike | None = None,
        mass_matrix: npt.ArrayLike | None = None,
        jacobian: npt.ArrayLike | None = None,
        bilateral: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        restitution: npt.ArrayLike | None = None,
    ) -> ImpactChange:
        """Return the change of the outcome along a direction; what is not given does not change."""
        change = self._core.forward((velocity, mass_matrix, jacobian, bilateral, friction, restitution))
        return ImpactChange(change["velocity"], change["impulses"], Reach(*change["reach"]), None, True)

    def one_sided(
        self,
        *,
        velocity: npt.ArrayLike | None = None,
        mass_matrix: npt.ArrayLike | None = None,
        jacobian: npt.ArrayLike | None = None,
        bilateral: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        restitution: npt.ArrayLike | None = None,
    ) -> ImpactChange:
        """Return the change along a direction for increasing steps only, which may exist at an edge."""
        given = (velocity, mass_matrix, jacobian, bilateral, friction, restitution)
        change, modes, proven = self._core.one_sided(given)
        kept = None if modes is None else tuple(modes)
        return ImpactChange(change["velocity"], change["impulses"], Reach(*change["reach"]), kept, proven)

    def backward(
        self, *, velocity: npt.ArrayLike | None = None, impulses: npt.ArrayLike | None = None
    ) -> ImpactGradient:
        """Return the derivative of the sum of all velocities and impulses, each times its weight, with respect to all data.

        ``velocity`` has one weight for each velocity after the impact, ``impulses`` one for each row of ``Impact.jacobian``.
        """
        return ImpactGradient(**self._core.backward(velocity, impulses))

    def by_velocity(self) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of the velocity after the impact, and of the impulses, with respect to the velocity before it."""
        return self._core.by_velocity()
