"""Impacts of rigid bodies with friction: one problem, several laws, a certificate that judges them.

Contact components are normal, tangent 1, tangent 2; the relative velocity is that of body 1 minus body 2 and the normal
points to body 1, so that ``J_n v > 0`` separates and a positive impulse pushes. SI units.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .derivative import ImpactDerivative
from .lists import impact_laws
from .outcome import Comparison, OuterBounds, Outcome, OutcomeList, OutcomeSet

__all__ = ["Contact", "Impact"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contact(Result):
    """One contact of an ``Impact``."""

    #: Row of the contact Jacobian: normal velocity per generalized velocity (length n_v).
    normal: npt.ArrayLike
    #: Rows of the tangential velocities: none without friction, one in the plane, two in space.
    tangents: Sequence[npt.ArrayLike] = ()
    #: Coulomb's coefficient of friction, at least 0.
    friction: float = 0.0
    #: Coefficient of restitution, from 0 to 1; its exact meaning depends on the law.
    restitution: float = 0.0


class Impact:
    """Bodies at the instant of an impact.

    ``mass_matrix`` is symmetric positive definite (n_v × n_v), ``velocity`` is the one before the impact (n_v; m/s, rad/s),
    ``contacts`` are ``Contact`` objects, and ``bilateral`` has the rows of joints, which hold after the impact.

    A ball of 2 kg lands at 3 m/s and leaves with half of that speed.

    >>> ball = Impact([[2.0]], [-3.0], [Contact([1.0], restitution=0.5)])
    >>> ball.resolve("newton").velocity
    array([1.5])
    """

    __slots__ = ("_core", "_origin")
    _core: _percussion.ImpactProblem
    #: A function and its arguments that create the impact again; None if its matrices suffice.
    _origin: tuple[Any, tuple[Any, ...]] | None

    def __init__(
        self,
        mass_matrix: npt.ArrayLike,
        velocity: npt.ArrayLike,
        contacts: Iterable[Contact],
        bilateral: npt.ArrayLike | None = None,
    ) -> None:
        parts = [_parts(index, contact) for index, contact in enumerate(contacts)]
        self._core = _percussion.ImpactProblem.new(mass_matrix, velocity, parts, bilateral)
        self._origin = None

    @classmethod
    def _of(cls, core: _percussion.ImpactProblem, origin: tuple[Any, tuple[Any, ...]] | None = None) -> Impact:
        impact = cls.__new__(cls)
        impact._core = core
        impact._origin = origin
        return impact

    @classmethod
    def from_jacobian(
        cls,
        mass_matrix: npt.ArrayLike,
        velocity: npt.ArrayLike,
        jacobian: npt.ArrayLike,
        friction: npt.ArrayLike,
        restitution: npt.ArrayLike = 0.0,
        bilateral: npt.ArrayLike | None = None,
    ) -> Impact:
        """Create an impact from the stacked rows of all contacts, the form in which multibody programs provide them.

        ``friction`` has one coefficient for each contact, and ``jacobian`` one, two or three rows for each of them: the
        normal, then its tangents. ``restitution`` is one number, or one for each contact.
        """
        core = _percussion.ImpactProblem.stacked
        return cls._of(core(mass_matrix, velocity, jacobian, friction, restitution, bilateral))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Impact:
        """Read an impact from a file, as ``percussion impact`` does.

        A JSON file has matrices; a TOML file has bodies and contacts, and may be a scenario that starts with an impact.
        """
        path = Path(path)
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return cls.from_toml(text, path.parent)
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"`{path}` is not a JSON document: {error}") from None
        return cls.from_dict(document)

    @classmethod
    def from_toml(cls, text: str, folder: str | PathLike[str] = ".") -> Impact:
        """Create an impact from the text of a TOML file; paths in it are relative to ``folder``."""
        core = _percussion.ImpactProblem.from_toml(text, str(folder))
        return cls._of(core, (Impact.from_toml, (text, str(folder))))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Impact:
        """Create an impact from the content of a JSON document, as ``to_dict`` returns it."""
        known = ("mass_matrix", "velocity", "contacts", "bilateral")
        _check_keys("document", document, known, known[:3])
        contacts = []
        for index, contact in enumerate(document["contacts"]):
            fields = ("normal", "tangents", "friction", "restitution")
            _check_keys(f"contacts[{index}]", contact, fields, fields[:1])
            contacts.append(Contact(**contact))
        return cls(document["mass_matrix"], document["velocity"], contacts, document.get("bilateral"))

    def to_dict(self) -> dict[str, Any]:
        """Return the matrices as plain lists, in the form of the JSON documents of ``percussion impact``."""
        document: dict[str, Any] = {
            "mass_matrix": self.mass_matrix.tolist(),
            "velocity": self.velocity.tolist(),
            "contacts": [
                {
                    "normal": np.asarray(contact.normal).tolist(),
                    "tangents": [np.asarray(tangent).tolist() for tangent in contact.tangents],
                    "friction": contact.friction,
                    "restitution": contact.restitution,
                }
                for contact in self.contacts
            ],
        }
        if len(self.bilateral) > 0:
            document["bilateral"] = self.bilateral.tolist()
        return document

    def save(self, path: str | PathLike[str]) -> None:
        """Write the matrices to a JSON file, for ``load`` and for ``percussion impact``."""
        Path(path).write_text(json.dumps(self.to_dict()) + "\n", encoding="utf-8")

    @property
    def mass_matrix(self) -> FloatArray:
        """The mass matrix (n_v × n_v)."""
        return self._core.mass_matrix()

    @property
    def velocity(self) -> FloatArray:
        """The velocity before the impact (n_v; m/s, rad/s)."""
        return self._core.velocity()

    @property
    def jacobian(self) -> FloatArray:
        """The stacked rows of all contacts."""
        return self._core.jacobian()

    @property
    def bilateral(self) -> FloatArray:
        """The rows of the joints."""
        return self._core.bilateral()

    @property
    def delassus(self) -> FloatArray:
        """Change of contact velocity per unit impulse, joints included (kg⁻¹)."""
        return self._core.delassus()

    @property
    def free_contact_velocity(self) -> FloatArray:
        """Contact velocity without contact impulses (m/s)."""
        return self._core.free_contact_velocity()

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contacts."""
        rows, contacts, first = self.jacobian, [], 0
        for tangents, friction, restitution in self._core.coefficients:
            last = first + 1 + tangents
            contacts.append(Contact(rows[first], tuple(rows[first + 1 : last]), friction, restitution))
            first = last
        return tuple(contacts)

    @property
    def contact_names(self) -> tuple[str, ...]:
        """A name for each contact: its number if the impact is given by matrices."""
        return tuple(self._core.contact_names)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for each velocity, with its unit if it is known."""
        return tuple(self._core.velocity_names)

    def with_velocity(self, velocity: npt.ArrayLike) -> Impact:
        """Return the same bodies and contacts, as matrices, with another velocity before the impact; the mass matrix is not factored again."""
        return Impact._of(self._core.with_velocity(velocity))

    def resolve(self, law: str, **settings: Any) -> Outcome:
        """Return the one outcome of a law.

        ``law`` is one of ``percussion.impact_laws()``, which also lists the settings. A law that does not apply, or a
        setting that it does not have or accept, is a ``ValueError``; a law that reaches a limit has this as a status of the outcome.
        """
        kind, answer = self._core.resolve(law, settings, "one")
        return Outcome._of(law, answer)

    def solutions(self, law: str, **settings: Any) -> OutcomeList:
        """Return all outcomes of ``anitescu-potra``, of all orders of ``sequential``, or of ``propagative``."""
        known = {setting.key for choice in impact_laws() if choice.name == law for setting in choice.settings}
        for key in {"solutions", "outcomes"} & known:
            settings.setdefault(key, "all")
        kind, answer = self._core.resolve(law, settings, "several")
        return OutcomeList._of(law, answer)

    def outcomes(self, step: float | None = None, *, law: str = "set-valued-routh", **settings: Any) -> OutcomeSet:
        """Sample the set of outcomes at arbitrary relative rates.

        ``step`` is the largest increment of a normal impulse (N·s), such as a tenth of the impulse that stops the bodies; impacts
        from files may have one. Other settings are ``steps``, ``samples``, ``seed``, ``draws`` and more, see
        ``percussion.impact_laws()``. The same settings give the same bits for any number of threads.
        """
        kind, answer = self._core.resolve(law, {"step": step, **settings}, "set")
        return OutcomeSet._of(law, answer)

    def outer_bounds(
        self, *, tolerance: float = 1e-9, directions: int = 16, programs: int = 20
    ) -> OuterBounds:
        """Return intervals that provably contain every outcome at arbitrary relative rates, also those that ``outcomes`` missed.

        ``tolerance`` is the approach that counts as none, as a fraction of the fastest contact velocity; ``directions`` of friction
        and the number of linear ``programs`` for each end of an interval determine how tight the intervals are.

        A point of 1 kg arrives at (1, -1) m/s on a floor with a friction coefficient of 1/4: it keeps at least 9/34 J.

        >>> floor = Contact([0.0, 1.0], [[1.0, 0.0]], friction=0.25)
        >>> bounds = Impact(np.eye(2), [1.0, -1.0], [floor]).outer_bounds()
        >>> round(float(bounds.energy[0]) * 34, 4)
        9.0
        """
        return OuterBounds(**self._core.outer_bounds(tolerance, directions, programs))

    def derivative(self, law: str = "maximum-dissipation", *, edge: float = 1e-7, **settings: Any) -> ImpactDerivative:
        """Return the derivative of the outcome of a law, which is its ``outcome``, with respect to all data of the impact.

        It holds as long as no contact changes its mode; of a set it is that of the first sample. A mode whose margin is at most
        ``edge``, relative to the fastest contact velocity, counts as an edge between modes. What has no derivative is a
        ``ValueError`` that says why, such as an outcome with reduced restitution; with ``energy="as-given"`` restitution is not
        reduced.

        A ball of 1 kg and 1 m slides at 1 m/s and falls at 2 m/s on a floor: sticking leaves 5/7 of the sliding velocity.

        >>> floor = Contact([0.0, 1.0, 0.0], [[1.0, 0.0, 1.0]], friction=0.5, restitution=0.5)
        >>> ball = Impact(np.diag([1.0, 1.0, 0.4]), [1.0, -2.0, 0.0], [floor])
        >>> change = ball.derivative().forward(velocity=[7.0, 0.0, 0.0])
        >>> round(float(change.velocity[0]), 9)
        5.0

        By ``plus`` it still slides with less friction, and each unit more would take ``(1 + e) 2 = 3`` m/s:

        >>> smooth = Contact([0.0, 1.0, 0.0], [[1.0, 0.0, 1.0]], friction=0.05, restitution=0.5)
        >>> ball = Impact(np.diag([1.0, 1.0, 0.4]), [1.0, -2.0, 0.0], [smooth])
        >>> derivative = ball.derivative("plus", v_capture=0, v_plastic=0)
        >>> round(float(derivative.forward(friction=[1.0]).velocity[0]), 9)
        -3.0
        """
        answer, core = self._core.derivative(law, settings, edge)
        derivative = ImpactDerivative.__new__(ImpactDerivative)
        derivative._core = core
        derivative.outcome = Outcome._of(law, answer)
        derivative._made = (_derivative, (self, law, edge, settings))
        return derivative

    def compare(self, laws: Iterable[str] | None = None, **settings: Mapping[str, Any]) -> Comparison:
        """Resolve the impact by several laws, all by default; those that do not apply are listed with the reason.

        Settings are given by law, with underscores in its name: ``compare(set_valued_routh={"step": 0.3})``.
        """
        names = [choice.name for choice in impact_laws()] if laws is None else list(laws)
        given = {name.replace("_", "-"): dict(values) for name, values in settings.items()}
        for name in given:
            if name not in names:
                raise ValueError(f"`{name}` has settings but is not one of the compared laws, expected one of {', '.join(names)}")
        answers: dict[str, Outcome | OutcomeList | OutcomeSet] = {}
        refused: dict[str, str] = {}
        kinds = {"one": Outcome, "several": OutcomeList, "set": OutcomeSet}
        for name in names:
            try:
                kind, answer = self._core.resolve(name, given.get(name, {}), "any")
            except ValueError as error:
                if name in given or name not in {choice.name for choice in impact_laws()}:
                    raise
                refused[name] = str(error)
            else:
                answers[name] = kinds[kind]._of(name, answer)  # type: ignore[attr-defined]
        return Comparison(answers, refused)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Impact):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        if self._origin is not None:
            return self._origin
        return Impact.from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        title = self._core.title
        sizes = f"{len(self.velocity)} velocities, {len(self._core.coefficients)} contacts"
        return f"<Impact: {title + ', ' if title else ''}{sizes}>"


def _derivative(impact: Impact, law: str, edge: float, settings: dict[str, Any]) -> ImpactDerivative:
    return impact.derivative(law, edge=edge, **settings)


def _parts(index: int, contact: Any) -> tuple[npt.ArrayLike, list[npt.ArrayLike], float, float]:
    if not isinstance(contact, Contact):
        raise ValueError(f"`contacts[{index}]` is of type {type(contact).__name__}, expected a Contact")
    try:
        friction, restitution = float(contact.friction), float(contact.restitution)
        return contact.normal, list(contact.tangents), friction, restitution
    except TypeError:
        raise ValueError(
            f"`contacts[{index}]` has tangents, friction or restitution of a wrong type, "
            "expected a list of vectors and two numbers"
        ) from None


def _check_keys(name: str, document: Any, known: Sequence[str], needed: Sequence[str]) -> None:
    if not isinstance(document, Mapping):
        raise ValueError(f"`{name}` is of type {type(document).__name__}, expected an object")
    for key in document:
        if key not in known:
            raise ValueError(f"`{name}` has the unknown field `{key}`, expected {', '.join(known)}")
    for key in needed:
        if key not in document:
            raise ValueError(f"`{name}` has no field `{key}`")
