"""Results of impact laws: one outcome with its certificate, several outcomes, or a sampled set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, Union

from ._base import FloatArray, Result, short, table_html
from ._plot import outcome_figure
from .errors import UnsolvedError

__all__ = [
    "Bounds",
    "Certificate",
    "Comparison",
    "ContactPlane",
    "Extreme",
    "Mode",
    "OuterBounds",
    "Outcome",
    "OutcomeList",
    "OutcomeSet",
    "Stage",
]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Certificate(Result):
    """The figures that judge an outcome, computed only from the outcome and the problem.

    All but the energies are zero for an ideal outcome.
    """

    #: Momentum that the impulses do not explain, relative to the size of its terms (dimensionless).
    momentum_residual: float
    #: Largest speed of approach after the impact (m/s).
    approach: float
    #: Largest pulling impulse (N·s).
    adhesion: float
    #: Largest friction beyond ``μ`` times the normal impulse (N·s).
    cone_violation: float
    #: Largest product of an impulse and the separation velocity (J); zero for inelastic laws.
    complementarity: float
    #: Largest velocity of a joint (m/s or rad/s).
    bilateral_residual: float
    #: Kinetic energy (J).
    energy_before: float
    energy_after: float
    #: Change of the kinetic energy (J); negative if energy is lost.
    energy_change: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stage(Result):
    """One stage of an impact."""

    #: ``impact``, ``compression``, ``expansion``, ``slide``, ``stick`` or ``increment``.
    phase: str
    #: Index of the contact; None if all take part.
    contact: int | None
    #: Velocity at its end (n_v; m/s, rad/s).
    velocity: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcome(Result):
    """The velocity after an impact and the impulses that lead to it, judged by a certificate."""

    law: str
    #: ``resolved``, ``energy-gained``, ``violated``, ``unsolved``, ``limit`` or ``infeasible``.
    status: str
    #: Use of nonzero coefficients of restitution by the law: ``none``, ``used``, ``reduced``, ``replaced`` or ``ignored``.
    restitution: str
    #: Velocity after the impact (n_v; m/s, rad/s).
    velocity: FloatArray
    #: One row for each contact (N·s): normal, tangent 1, tangent 2; zero if a contact has no such tangent.
    impulses: FloatArray
    #: Impulses of the joints (N·s, N·m·s).
    bilateral_impulses: FloatArray
    certificate: Certificate
    #: Figures of the certificate that violate the claims of the law, and ``energy_change`` if the energy has grown.
    violations: tuple[str, ...]
    stages: tuple[Stage, ...]
    #: The proof for the status ``infeasible``: a weight for each contact.
    infeasibility: FloatArray | None

    @classmethod
    def _of(cls, law: str, answer: dict[str, Any]) -> Outcome:
        return cls(
            law,
            answer["status"],
            answer["restitution"],
            answer["velocity"],
            answer["impulses"],
            answer["bilateral_impulses"],
            Certificate(**answer["certificate"]),
            tuple(answer["violations"]),
            tuple(Stage(*stage) for stage in answer["stages"]),
            answer["infeasibility"],
        )

    def check(self, *, allow_energy_gained: bool = False) -> Outcome:
        """Return the outcome itself, or raise ``UnsolvedError`` if its certificate does not hold."""
        allowed = ("resolved", "energy-gained") if allow_energy_gained else ("resolved",)
        if self.status not in allowed:
            because = f": {', '.join(self.violations)}" if self.violations else ""
            raise UnsolvedError(f"the outcome of {self.law} is {self.status}{because}", self)
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutcomeList(Result):
    """Several outcomes of one law, each velocity once."""

    law: str
    #: ``resolved``, or ``incomplete`` if an outcome may be missing or does not satisfy the law.
    status: str
    outcomes: tuple[Outcome, ...]
    #: For each outcome, whether it is isolated and not an end of a continuum, if that is known.
    isolated: tuple[bool, ...] | None
    #: For each outcome the first sequences of contacts that lead to it and the number of all sequences, if these are known.
    sequences: tuple[tuple[tuple[tuple[int, ...], ...], int], ...] | None
    #: Largest distance between two outcomes relative to the momentum before, in the kinetic metric, if it is known.
    indeterminacy: float | None
    #: Whether no outcome can be missing.
    complete: bool

    @classmethod
    def _of(cls, law: str, answer: dict[str, Any]) -> OutcomeList:
        isolated, sequences = answer["isolated"], answer["sequences"]
        return cls(
            law,
            answer["status"],
            tuple(Outcome._of(law, one) for one in answer["outcomes"]),
            None if isolated is None else tuple(isolated),
            None if sequences is None else tuple((tuple(map(tuple, listed)), count) for listed, count in sequences),
            answer["indeterminacy"],
            answer["complete"],
        )

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    def check(self) -> OutcomeList:
        """Return the list itself, or raise ``UnsolvedError`` if it is incomplete."""
        if self.status != "resolved":
            raise UnsolvedError(f"the outcomes of {self.law} are {self.status}", self)
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bounds(Result):
    """The box around the outcomes of a set: each array has the smallest and the largest values."""

    velocity: FloatArray
    contact_velocity: FloatArray
    #: Kinetic energy (J).
    energy: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OuterBounds(Result):
    """Intervals that provably contain every outcome: each array has the lower and the upper bounds, infinite where nothing is proven."""

    velocity: FloatArray
    contact_velocity: FloatArray
    #: Kinetic energy (J).
    energy: FloatArray
    #: Upper bound of the sum of the normal impulses (N·s); infinite if impulses may jam.
    impulse: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mode(Result):
    """A joint mode of all contacts, and its samples."""

    #: For each contact its mode.
    contacts: tuple[str, ...]
    #: Number of samples.
    count: int
    #: The first of these samples.
    first: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContactPlane(Result):
    """The set in the plane of two velocities of a contact: sliding along the first tangent, and separation."""

    contact: int
    #: Vertices of the convex hull (m/s), counterclockwise: one row for each, sliding and then separation.
    hull: FloatArray
    #: Its area (m²/s²).
    area: float
    #: Side of a cell of the coverage (m/s), and the number of cells that were reached.
    cell: float
    cells: int
    #: Estimated probability that the next outcome reaches a new cell.
    new_cell_rate: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Extreme(Result):
    """The outcome with the smallest or largest value of a component of a contact velocity."""

    contact: int
    #: Index of the component: 0 for the normal velocity, then the tangential ones.
    component: int
    #: ``lowest`` or ``highest``.
    side: str
    value: float
    sample: int
    velocity: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutcomeSet(Result):
    """A set of outcomes, given by samples; bounds, modes and planes cover the samples that ended without approach."""

    law: str
    status: str
    restitution: str
    #: Status, cost and accuracy of the samples.
    statistics: dict[str, Any]
    #: The bounding box; None if no sample ended.
    bounds: Bounds | None
    modes: tuple[Mode, ...]
    #: Contact velocity that counts as zero in modes (m/s), and samples whose mode is not listed.
    mode_threshold: float
    unlisted_modes: int
    planes: tuple[ContactPlane, ...]
    extremes: tuple[Extreme, ...]
    #: Whether impulses can cancel: ``verdict`` is ``pointed``, ``jammed`` or ``undecided``.
    friction_cone: dict[str, Any]
    #: Statements that the number of samples proves, except with the probability ``failure``.
    guarantee: dict[str, float | None]
    #: Velocities after the impact, one row for each stored sample.
    velocities: FloatArray

    @classmethod
    def _of(cls, law: str, answer: dict[str, Any]) -> OutcomeSet:
        bounds = answer["bounds"]
        return cls(
            law,
            answer["status"],
            answer["restitution"],
            answer["statistics"],
            None if bounds is None else Bounds(**bounds),
            tuple(Mode(tuple(contacts), count, first) for contacts, count, first in answer["modes"]),
            answer["mode_threshold"],
            answer["unlisted_modes"],
            tuple(ContactPlane(**plane) for plane in answer["planes"]),
            tuple(Extreme(**extreme) for extreme in answer["extremes"]),
            answer["friction_cone"],
            answer["guarantee"],
            answer["velocities"],
        )

    def figure(self, contacts: Sequence[int] | None = None) -> Any:
        """Draw the hull of the set in the plane of each contact, or of some ``contacts``, as a ``matplotlib.figure.Figure``."""
        return outcome_figure(self, contacts)

    def check(self) -> OutcomeSet:
        """Return the set itself, or raise ``UnsolvedError`` if it is not resolved."""
        if self.status != "resolved":
            raise UnsolvedError(f"the set of outcomes of {self.law} is {self.status}", self)
        return self


Answer: TypeAlias = Union[Outcome, OutcomeList, OutcomeSet]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """The results of several laws for one impact, and the reasons why others do not apply."""

    answers: dict[str, Answer]
    refused: dict[str, str]

    def _rows(self) -> Iterable[tuple[str, str, str, str]]:
        for law, answer in self.answers.items():
            if isinstance(answer, Outcome):
                energy = f"{answer.certificate.energy_change:+.6g} J"
                yield law, answer.status, short(answer.velocity), energy
            elif isinstance(answer, OutcomeList):
                yield law, answer.status, f"{len(answer)} outcomes", ""
            else:
                yield law, answer.status, f"{answer.statistics['samples']} samples", ""
        for law, reason in self.refused.items():
            yield law, "refused", reason, ""

    def __str__(self) -> str:
        rows = list(self._rows())
        widths = [max(len(row[column]) for row in rows) for column in range(2)] if rows else []
        return "\n".join(
            f"{law:<{widths[0]}}  {status:<{widths[1]}}  {text}  {energy}".rstrip()
            for law, status, text, energy in rows
        )

    def _repr_html_(self) -> str:
        return table_html(("law", "status", "velocity after", "energy change"), self._rows())
