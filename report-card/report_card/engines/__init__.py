"""Adapters: one small module an engine, which builds the world of a scene and advances it.

An adapter defines

- ``TITLE``: the name of the engine in print;
- ``LAW``: how it models a contact (``exact``: Coulomb's law by a solver run to a tolerance; ``convex``: the convex relaxation;
  ``soft``: a compliant contact; ``sweeps``: Coulomb's law or a pyramid by a fixed number of sweeps);
- ``SETTINGS``: named settings, the first of which follows the engine's own documentation;
- ``version()``: the version that runs;
- ``build(scene, step_size, settings)``: a ``World`` at the start of the scene, or ``Unsupported``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

class Unsupported(Exception):
    """The engine, or its adapter, cannot run the scene; the text says why and appears as the reason of the gap."""


@dataclass(frozen=True)
class Contact:
    """A contact point of the last step."""

    #: Names of two bodies; ``""`` is the fixed world.
    first: str
    second: str
    #: A point in the world (m).
    point: FloatArray
    #: Unit normal from the first to the second body.
    normal: FloatArray
    #: Distance (m), negative for a penetration.
    gap: float
    #: Impulse on the second body in the last step (N·s, world axes).
    impulse: FloatArray


class World(Protocol):
    """A world of one engine.

    If it has an attribute ``reports``, this is set before ``advance`` to whether ``contacts`` will be asked for after it.
    """

    def advance(self, steps: int) -> None:
        """Make so many steps."""

    def state(self) -> tuple[FloatArray, FloatArray]:
        """Poses (n × 7) and velocities (n × 6) of the scene's bodies, see ``Scene.start``."""

    def contacts(self) -> list[Contact] | None:
        """The contacts of the last step with their impulses, with points and gaps of its start or its end as the engine has them.

        None if the engine does not report them.
        """


Settings = dict[str, Any]
