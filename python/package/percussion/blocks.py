"""The blocks of a contact problem: joints, limits, dry friction, and contacts with any section of the friction cone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._base import Result

__all__ = ["Block"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block(Result):
    """Consecutive rows of a problem with one set of impulses.

    Created by ``bilateral``, ``unilateral``, ``interval``, ``dry_friction`` and the contacts ``disc``, ``ellipse``, ``polygon``,
    ``spin``, ``rolling`` and ``joint_ellipsoid``. The fields are those of a document.

    A weld of 6 rows, a hinge with dry friction of 0.02 N·m·s per step, and a wheel:

    >>> weld, dry, wheel = Block.bilateral(6), Block.dry_friction(0.02), Block.ellipse(0.9, 0.1)
    >>> weld.rows + dry.rows + wheel.rows
    10
    """

    #: ``bilateral``, ``unilateral``, ``interval`` or ``contact``.
    kind: str
    #: Number of rows; a contact has one for its normal and one for each tangential component.
    rows: int
    #: Of an interval: the largest size of the impulse, or the smallest and the largest impulse (N·s, N·m·s).
    bound: float | tuple[float, float] | None = None
    #: Of a contact: the section of its cone, by name, as in ``{"disc": 0.5}``.
    section: Mapping[str, Any] | None = None
    #: Length by which velocities of rows in rad/s are multiplied before they are compared with others (m); 1 m by default.
    length: float | None = None

    @property
    def is_contact(self) -> bool:
        """Whether it is a contact."""
        return self.kind == "contact"

    @staticmethod
    def bilateral(rows: int = 1, *, length: float | None = None) -> Block:
        """Return rows whose velocity is zero: loops, welds, rolling without slip."""
        return Block("bilateral", rows, length=length)

    @staticmethod
    def unilateral(rows: int = 1, *, length: float | None = None) -> Block:
        """Return rows with ``0 ≤ p ⊥ u ≥ 0``: limits of joints and tendons."""
        return Block("unilateral", rows, length=length)

    @staticmethod
    def interval(lower: float, upper: float, *, rows: int = 1, length: float | None = None) -> Block:
        """Return rows with ``lower ≤ p ≤ upper``, where a moving row has the bound against its velocity."""
        return Block("interval", rows, bound=(lower, upper), length=length)

    @staticmethod
    def dry_friction(bound: float, *, rows: int = 1, length: float | None = None) -> Block:
        """Return rows with ``|p| ≤ bound`` (≥ 0; N·s, N·m·s): dry friction of joints."""
        return Block("interval", rows, bound=bound, length=length)

    @staticmethod
    def disc(friction: float, *, tangents: int = 2) -> Block:
        """Return a contact with the friction coefficient ``friction`` (≥ 0) and 2, 1 or no ``tangents``."""
        return Block("contact", 1 + tangents, section={"disc": friction})

    @staticmethod
    def ellipse(first: float, second: float) -> Block:
        """Return a contact with two coefficients, along its two tangents: wheels, skates."""
        return Block("contact", 3, section={"ellipse": [first, second]})

    @staticmethod
    def polygon(points: Sequence[Sequence[float]]) -> Block:
        """Return a contact whose cone is spanned by these points for a normal impulse of 1; they surround the origin."""
        return Block("contact", 3, section={"polygon": [[float(one) for one in point] for point in points]})

    @staticmethod
    def spin(first: float, second: float, moment: float) -> Block:
        """Return a contact of 4 rows: two tangents, and the ``moment`` about the normal (coefficient in m), in one ellipsoid."""
        return Block("contact", 4, section={"spin": [first, second, moment]})

    @staticmethod
    def rolling(friction: float, moment: float, roll: float) -> Block:
        """Return a contact of 6 rows: tangents in a disc, the moment about the normal, and rolling moments in a disc (m)."""
        return Block("contact", 6, section={"rolling": [friction, moment, roll]})

    @staticmethod
    def joint_ellipsoid(first: float, second: float, moment: float, first_roll: float, second_roll: float) -> Block:
        """Return a contact of 6 rows with the same components, all in one ellipsoid, as MuJoCo has it."""
        return Block("contact", 6, section={"joint-ellipsoid": [first, second, moment, first_roll, second_roll]})

    @classmethod
    def _of(cls, parts: Mapping[str, Any]) -> Block:
        """The block of a dict in the form of a document."""
        parts = dict(parts)
        if isinstance(parts.get("bound"), list):
            parts["bound"] = tuple(parts["bound"])
        return cls(**parts)

    def _parts(self) -> dict[str, Any]:
        return dict(self._items())
