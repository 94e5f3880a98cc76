"""Solvers, laws and schemes by name, as the command line lists them."""

from __future__ import annotations

from dataclasses import dataclass

from . import _percussion
from ._base import Result

__all__ = ["Choice", "Setting", "friction_laws", "friction_methods", "impact_laws", "lcp_methods", "schemes"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Setting(Result):
    """A setting, given as a keyword argument; a key with a dot is given as a dict, ``lemke={"tolerance": 1e-10}``."""

    key: str
    default: str
    expected: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(Result):
    """A solver, a law or a scheme."""

    name: str
    summary: str
    settings: tuple[Setting, ...]


def _lists() -> dict[str, tuple[Choice, ...]]:
    return {
        kind: tuple(Choice(name, summary, tuple(Setting(*one) for one in settings)) for name, summary, settings in all_)
        for kind, all_ in _percussion.lists().items()
    }


def lcp_methods() -> tuple[Choice, ...]:
    """Return the solvers of ``solve_lcp``."""
    return _lists()["lcp_methods"]


def friction_methods() -> tuple[Choice, ...]:
    """Return the solvers of ``FrictionProblem.solve``."""
    return _lists()["friction_methods"]


def friction_laws() -> tuple[Choice, ...]:
    """Return the friction laws of a ``FrictionProblem``."""
    return _lists()["friction_laws"]


def impact_laws() -> tuple[Choice, ...]:
    """Return the laws of ``Impact``."""
    return _lists()["impact_laws"]


def schemes() -> tuple[Choice, ...]:
    """Return the schemes of ``Simulation``; ``event-driven`` motion is not made of steps and has no settings here, see
    ``Model.simulate_events``."""
    return _lists()["schemes"]
