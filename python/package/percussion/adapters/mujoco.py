"""The contacts of MuJoCo: certified, and solved by the friction law of rigid bodies.

``problem(model, data)`` takes the step that ``mujoco.mj_step(model, data)`` would take, on a copy, and returns its contacts, limits,
equalities and joint friction as a problem with blocks, together with the impulses of the engine.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import mujoco as mj

from .._base import FloatArray
from ..blocks import Block
from .engine import EngineProblem, Part, engine_problem

__all__ = ["problem"]

#: Integrators whose step is linear in the forces.
_LINEAR = (mj.mjtIntegrator.mjINT_EULER, mj.mjtIntegrator.mjINT_IMPLICIT, mj.mjtIntegrator.mjINT_IMPLICITFAST)

#: Joints whose velocity is in rad/s.
_TURNING = (mj.mjtJoint.mjJNT_HINGE, mj.mjtJoint.mjJNT_BALL)


def problem(
    model: Any, data: Any, *, limits: bool = True, loops: bool = True, joint_friction: bool = True
) -> EngineProblem | None:
    """Return the problem of the next step of ``data``, or None if it has no such block.

    Contacts come first, followed by the ``limits`` of joints and tendons, the equality constraints (``loops``: connect, weld, joint,
    tendon) and the dry friction of joints and tendons (``joint_friction``, MuJoCo's ``frictionloss``), each if it is asked for;
    what is not asked for keeps the force that the engine computed, like drives and everything else that acts in the step. The section
    of a contact is that of its ``condim``: 1 no friction, 3 a disc or an ellipse, 4 an ellipsoid with the torsional friction, 6 one
    with torsional and rolling friction. Pyramids, which approximate these cones, are judged by the cones. Contacts of both
    directions count at velocity level, without MuJoCo's compliance and its correction of positions.

    Rows in rad/s are compared with others by the mean size of bodies, ``model.stat.meansize``. ``model`` and ``data`` are not
    changed.

    ``ValueError`` for contacts of flexes, for the integrator RK4, whose step consists of four, and for steps of the integrator
    implicit whose operator is unsymmetric.
    """
    if model.opt.integrator not in _LINEAR:
        raise ValueError("`model.opt.integrator` is RK4, expected Euler, implicit or implicitfast")
    after = mj.MjData(model)
    mj.mj_copyData(after, model, data)
    mj.mj_step(model, after)
    parts = _contacts(model, after)
    if limits:
        parts += _limits(model, after)
    if loops:
        parts += _loops(model, after)
    if joint_friction:
        parts += _frictions(model, after)
    if not parts:
        return None
    return engine_problem(parts, _inverse(model, data), np.array(after.qvel), float(model.opt.timestep))


def _contacts(model: Any, data: Any) -> list[Part]:
    """The contacts to which the engine gave a force."""
    parts = []
    force = np.zeros(6)
    for index in range(data.ncon):
        contact = data.contact[index]
        # Within the margin but without a force, or excluded.
        if contact.efc_address < 0:
            continue
        first, second = int(contact.geom1), int(contact.geom2)
        if min(first, second) < 0:
            raise ValueError(f"contact {index} belongs to a flex, expected contacts of geoms")
        count = int(contact.dim)
        # The normal points from the first geom to the second, which is the body that moves away.
        frame = np.reshape(contact.frame, (3, 3))
        bodies = [_point_rows(model, data, contact.pos, geom) for geom in (first, second)]
        rows, *sizes = (
            np.vstack([frame @ linear, frame @ angular])[:count]
            for linear, angular in (
                (bodies[1][0] - bodies[0][0], bodies[1][1] - bodies[0][1]),
                *bodies,
            )
        )
        mj.mj_contactForce(model, data, index, force)
        impulses = model.opt.timestep * force[:count]
        names = [_name(model, mj.mjtObj.mjOBJ_GEOM, geom) for geom in (first, second)]
        parts.append(Part("–".join(names), _block(count, contact.friction), rows, impulses, tuple(sizes)))
    return parts


def _block(dimension: int, friction: Any) -> Block:
    """The block of a contact with these friction coefficients: two tangents, torsion, two of rolling."""
    first, second, moment, *rolling = (float(entry) for entry in friction)
    if dimension == 1:
        return Block.disc(0.0, tangents=0)
    if dimension == 3:
        return Block.disc(first) if first == second else Block.ellipse(first, second)
    if dimension == 4:
        return Block.spin(first, second, moment)
    return Block.joint_ellipsoid(first, second, moment, *rolling)


def _limits(model: Any, data: Any) -> list[Part]:
    """The limits to which the engine gave a force."""
    kinds = {
        int(mj.mjtConstraint.mjCNSTR_LIMIT_JOINT): (mj.mjtObj.mjOBJ_JOINT, "joint"),
        int(mj.mjtConstraint.mjCNSTR_LIMIT_TENDON): (mj.mjtObj.mjOBJ_TENDON, "tendon"),
    }
    parts = []
    for index in range(data.nefc):
        kind = kinds.get(int(data.efc_type[index]))
        if kind is None:
            continue
        number = int(data.efc_id[index])
        length = _length(model, number) if kind[1] == "joint" else None
        name = f"limit of {kind[1]} {_name(model, kind[0], number)}"
        parts.append(_part(model, data, name, Block.unilateral(length=length), [index]))
    return parts


def _loops(model: Any, data: Any) -> list[Part]:
    """The equality constraints."""
    rows: dict[int, list[int]] = {}
    for index in range(data.nefc):
        if int(data.efc_type[index]) == int(mj.mjtConstraint.mjCNSTR_EQUALITY):
            rows.setdefault(int(data.efc_id[index]), []).append(index)
    parts = []
    for number, of_one in rows.items():
        kind = mj.mjtEq(int(model.eq_type[number]))
        name = f"{kind.name.removeprefix('mjEQ_').lower()} {_name(model, mj.mjtObj.mjOBJ_EQUALITY, number)}"
        if kind == mj.mjtEq.mjEQ_WELD and len(of_one) == 6:
            turning = Block.bilateral(3, length=_size(model))
            parts.append(_part(model, data, f"{name}: position", Block.bilateral(3), of_one[:3]))
            parts.append(_part(model, data, f"{name}: orientation", turning, of_one[3:]))
            continue
        length = _length(model, int(model.eq_obj1id[number])) if kind == mj.mjtEq.mjEQ_JOINT else None
        parts.append(_part(model, data, name, Block.bilateral(len(of_one), length=length), of_one))
    return parts


def _frictions(model: Any, data: Any) -> list[Part]:
    """The dry friction of joints and tendons."""
    parts = []
    for index in range(data.nefc):
        kind, number = int(data.efc_type[index]), int(data.efc_id[index])
        bound = float(model.opt.timestep * data.efc_frictionloss[index])
        if kind == int(mj.mjtConstraint.mjCNSTR_FRICTION_DOF):
            joint = int(model.dof_jntid[number])
            # The first three velocities of a free joint are linear.
            linear = model.jnt_type[joint] == mj.mjtJoint.mjJNT_FREE and number - model.jnt_dofadr[joint] < 3
            length = None if linear else _length(model, joint)
            name = f"friction of joint {_name(model, mj.mjtObj.mjOBJ_JOINT, joint)}"
        elif kind == int(mj.mjtConstraint.mjCNSTR_FRICTION_TENDON):
            length = None
            name = f"friction of tendon {_name(model, mj.mjtObj.mjOBJ_TENDON, number)}"
        else:
            continue
        parts.append(_part(model, data, name, Block.dry_friction(bound, length=length), [index]))
    return parts


def _part(model: Any, data: Any, name: str, block: Block, indices: list[int]) -> Part:
    """A block of rows of the engine."""
    rows = np.vstack([_row(model, data, index) for index in indices])
    return Part(name, block, rows, model.opt.timestep * np.array(data.efc_force)[indices])


def _row(model: Any, data: Any, index: int) -> FloatArray:
    """A row of the constraints of the engine."""
    row = np.zeros(model.nv)
    if mj.mj_isSparse(model):
        start, count = int(data.efc_J_rowadr[index]), int(data.efc_J_rownnz[index])
        row[data.efc_J_colind[start : start + count]] = np.ravel(data.efc_J)[start : start + count]
    else:
        row[:] = np.reshape(data.efc_J, (data.nefc, model.nv))[index]
    return row


def _length(model: Any, joint: int) -> float | None:
    """The length (m) by which the velocity of a joint is compared with others; None for one in m/s."""
    turns = model.jnt_type[joint] in (*_TURNING, mj.mjtJoint.mjJNT_FREE)
    return _size(model) if turns else None


def _size(model: Any) -> float | None:
    """The mean size of the bodies (m), if there is one."""
    size = float(model.stat.meansize)
    return size if np.isfinite(size) and size > 0.0 else None


def _point_rows(model: Any, data: Any, point: Any, geom: int) -> tuple[FloatArray, FloatArray]:
    """Velocity of a point of the body of a geom, and its angular velocity, per generalized velocity (3 × nv, axes of the world)."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mj.mj_jac(model, data, linear, angular, np.array(point), int(model.geom_bodyid[geom]))
    return linear, angular


def _inverse(model: Any, data: Any) -> FloatArray:
    """The inverse of the effective mass matrix of the step, which includes damping and implicit drives.

    The step is linear in the forces, so the effect of each force is measured; this works for every integrator and release.
    """
    free = copy.copy(model)
    free.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    probe = mj.MjData(free)
    size, step = model.nv, model.opt.timestep
    masses = np.zeros((size, size))
    unit = np.eye(size)
    mj.mj_copyData(probe, free, data)
    mj.mj_forward(free, probe)
    for column in range(size):
        mj.mj_mulM(free, probe, masses[column], unit[column])
    # Forces that change velocities by about one, so that differences keep their digits.
    forces = np.diagonal(masses) / step

    def after(force: FloatArray) -> FloatArray:
        mj.mj_copyData(probe, free, data)
        probe.qfrc_applied[:] += force
        mj.mj_step(free, probe)
        return np.array(probe.qvel)

    start = after(np.zeros(size))
    columns = [(after(forces[column] * unit[column]) - start) / (step * forces[column]) for column in range(size)]
    inverse = np.array(columns).T
    # Without implicit terms it is the inverse of the mass matrix, up to rounding.
    exact = np.linalg.inv(masses)
    close = np.abs(inverse - exact).max() <= 1e-10 * np.abs(exact).max()
    return exact if close else inverse


def _name(model: Any, kind: Any, index: int) -> str:
    return mj.mj_id2name(model, kind, index) or str(index)
