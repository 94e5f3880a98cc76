"""Contacts on a robot with the dynamics of pinocchio: the contact problem of a step.

``problem(model, q, v, tau, step_size, contacts)`` uses the mass matrix, the forces and the Jacobians of pinocchio; the caller specifies
where the robot touches the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import pinocchio as pin

from .._base import FloatArray, Result
from .engine import EngineProblem, engine_problem

__all__ = ["PointContact", "problem"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PointContact(Result):
    """A point of a body that touches the world, which is body 2."""

    #: Name or number of a frame of the body.
    frame: str | int
    friction: float
    #: The point (m, world); the origin of the frame by default.
    point: Sequence[float] | None = None
    #: Normal, from the world to the body (world axes, any length).
    normal: Sequence[float] = (0.0, 0.0, 1.0)


def problem(
    model: Any,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    step_size: float,
    contacts: Iterable[PointContact],
) -> EngineProblem | None:
    """Return the contact problem of a step, or None if no contact can move.

    ``q`` and ``v`` are the configuration and the velocity of ``model``, ``tau`` generalized forces (N, N·m), and ``step_size``
    is in s. The free velocity is ``v + h M⁻¹ (tau − nle)``; ``velocity(impulses)`` of the result is the velocity at the end of the step in
    the layout of pinocchio. The stored impulses are zero, because pinocchio has not solved the problem.

    The first tangent is ``n × e`` with the axis ``e`` that is closest to perpendicular to the normal ``n``, normalized; the second is ``n ×`` the first.
    """
    configuration = _vector("q", q, model.nq)
    before, forces = _vector("v", v, model.nv), _vector("tau", tau, model.nv)
    if not (np.isfinite(step_size) and step_size > 0.0):
        raise ValueError(f"`step_size` is {step_size}, expected a positive number (s)")
    data = model.createData()
    pin.computeJointJacobians(model, data, configuration)
    pin.updateFramePlacements(model, data)
    upper = np.triu(pin.crba(model, data, configuration))
    masses = upper + np.triu(upper, 1).T
    inverse = np.linalg.inv(masses)
    effects = np.array(pin.nonLinearEffects(model, data, configuration, before))
    rows, friction, names = [], [], []
    for number, contact in enumerate(contacts):
        rows.append(_rows(model, data, number, contact))
        friction.append(float(contact.friction))
        names.append(str(contact.frame))
    if not rows:
        return None
    return engine_problem(
        np.vstack(rows),
        inverse,
        np.array(friction),
        np.zeros((len(rows), 3)),
        before + step_size * (inverse @ (forces - effects)),
        names,
        float(step_size),
    )


def _vector(name: str, value: npt.ArrayLike, length: int) -> FloatArray:
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"`{name}` has the shape {vector.shape}, expected ({length},)")
    if not np.isfinite(vector).all():
        raise ValueError(f"`{name}` has entries that are not finite, expected finite numbers")
    return vector


def _rows(model: Any, data: Any, number: int, contact: PointContact) -> FloatArray:
    """Velocity of the point along the normal and two tangents, per generalized velocity."""
    frame = contact.frame
    if isinstance(frame, str):
        if not model.existFrame(frame):
            raise ValueError(f"`contacts[{number}].frame` is `{frame}`, which is not a frame of the model")
        frame = int(model.getFrameId(frame))
    elif not 0 <= frame < model.nframes:
        raise ValueError(f"`contacts[{number}].frame` is {frame}, expected a number below {model.nframes}")
    normal = np.asarray(contact.normal, dtype=np.float64)
    length = float(np.linalg.norm(normal))
    if normal.shape != (3,) or not 0.0 < length < np.inf:
        raise ValueError(f"`contacts[{number}].normal` is {contact.normal}, expected a nonzero vector")
    normal = normal / length
    jacobian = np.array(pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED))
    moving = jacobian[:3]
    if contact.point is not None:
        arm = np.asarray(contact.point, dtype=np.float64) - np.array(data.oMf[frame].translation)
        # v + ω × arm.
        moving = moving + np.cross(jacobian[3:], arm, axis=0)
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first = first / np.linalg.norm(first)
    return np.asarray(np.array([normal, first, np.cross(normal, first)]) @ moving, dtype=np.float64)
