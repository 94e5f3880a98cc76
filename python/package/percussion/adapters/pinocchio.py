"""Contacts, limits, loops and joint friction of a robot with the dynamics of pinocchio: the problem of a step.

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
from ..blocks import Block
from .engine import EngineProblem, Part, engine_problem

__all__ = ["PointContact", "problem"]

#: Distance from a limit of a joint up to which it counts as closed (m, rad).
CLOSED = 1e-6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PointContact(Result):
    """A point of a body that touches the world, which is body 2."""

    #: Name or number of a frame of the body.
    frame: str | int
    #: The friction coefficient, or two: along the first and the second tangent.
    friction: float | tuple[float, float]
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
    *,
    limits: bool = True,
    loops: Iterable[Any] = (),
    joint_friction: bool = True,
) -> EngineProblem | None:
    """Return the problem of a step, or None if it has no block.

    ``q`` and ``v`` are the configuration and the velocity of ``model``, ``tau`` generalized forces (N, N·m), and ``step_size``
    is in s. The free velocity is ``v + h M⁻¹ (tau − nle)``; ``velocity(impulses)`` of the result is the velocity at the end of the step in
    the layout of pinocchio. The stored impulses are zero, because pinocchio has not solved the problem.

    Contacts come first, then with ``limits`` the position limits that joints of one coordinate have reached, the ``loops``, which are
    constraint models of pinocchio (``RigidConstraintModel``), and with ``joint_friction`` the dry friction of joints that the model
    has. Contacts that no impulse can move are left out. Rows in rad/s are compared with others by a length of 1 m.

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
    parts = [_contact(model, data, number, contact) for number, contact in enumerate(contacts)]
    if limits:
        parts += _limits(model, configuration)
    parts += [_loop(model, data, number, loop) for number, loop in enumerate(loops)]
    if joint_friction:
        parts += _frictions(model, float(step_size))
    if not parts:
        return None
    after = before + step_size * (inverse @ (forces - effects))
    return engine_problem(parts, inverse, after, float(step_size))


def _contact(model: Any, data: Any, number: int, contact: PointContact) -> Part:
    """The contact with this number."""
    rows = _rows(model, data, number, contact)
    if isinstance(contact.friction, tuple):
        first, second = (float(entry) for entry in contact.friction)
        block = Block.ellipse(first, second)
    else:
        block = Block.disc(float(contact.friction))
    return Part(str(contact.frame), block, rows, np.zeros(3), (rows,))


def _joints(model: Any) -> Iterable[tuple[str, int, int]]:
    """Name, coordinate and velocity of all joints that have one of each."""
    for joint in range(1, model.njoints):
        if model.nqs[joint] == 1 and model.nvs[joint] == 1:
            yield model.names[joint], model.idx_qs[joint], model.idx_vs[joint]


def _limits(model: Any, configuration: FloatArray) -> list[Part]:
    """The limits that joints have reached."""
    parts = []
    for name, coordinate, velocity in _joints(model):
        room = (
            ("lower", configuration[coordinate] - model.lowerPositionLimit[coordinate], 1.0),
            ("upper", model.upperPositionLimit[coordinate] - configuration[coordinate], -1.0),
        )
        for side, distance, sign in room:
            if distance <= CLOSED:
                row = np.zeros((1, model.nv))
                row[0, velocity] = sign
                parts.append(Part(f"{side} limit of joint {name}", Block.unilateral(), row, np.zeros(1)))
    return parts


def _loop(model: Any, data: Any, number: int, loop: Any) -> Part:
    """The constraint with this number."""
    placed = loop.createData()
    loop.calc(model, data, placed)
    rows = np.array(pin.getConstraintJacobian(model, data, loop, placed))
    return Part(str(loop.name) or f"loop {number}", Block.bilateral(len(rows)), rows, np.zeros(len(rows)))


def _frictions(model: Any, step_size: float) -> list[Part]:
    """The dry friction of the velocities that have some."""
    names = {velocity: name for name, _, velocity in _joints(model)}
    # Named otherwise before pinocchio 4.
    upper = np.array(model.upperDryFrictionLimit if hasattr(model, "upperDryFrictionLimit") else model.friction)
    lower = np.array(model.lowerDryFrictionLimit) if hasattr(model, "lowerDryFrictionLimit") else -upper
    parts = []
    for velocity, (least, most) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        if least == most == 0.0:
            continue
        row = np.zeros((1, model.nv))
        row[0, velocity] = 1.0
        block = Block.interval(step_size * least, step_size * most)
        name = names.get(velocity, f"velocity {velocity}")
        parts.append(Part(f"friction of joint {name}", block, row, np.zeros(1)))
    return parts


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
