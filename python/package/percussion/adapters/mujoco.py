"""The contacts of MuJoCo: certified, and solved by the friction law of rigid bodies.

``problem(model, data)`` takes the step that ``mujoco.mj_step(model, data)`` would take, on a copy, and returns its contacts as a
problem, together with the impulses of the engine.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import mujoco as mj

from .._base import FloatArray
from .engine import EngineProblem, engine_problem

__all__ = ["problem"]

#: Integrators whose step is linear in the forces.
_LINEAR = (mj.mjtIntegrator.mjINT_EULER, mj.mjtIntegrator.mjINT_IMPLICIT, mj.mjtIntegrator.mjINT_IMPLICITFAST)


def problem(model: Any, data: Any, *, limits: bool = True) -> EngineProblem | None:
    """Return the contact problem of the next step of ``data``, or None if nothing is in contact.

    Contacts come first, followed with ``limits`` by the limits of joints and tendons, which have no friction. Everything else that acts in
    the step, such as drives, equalities, joint friction, and the torques of contacts with ``condim`` 4 and 6, keeps the force
    that the engine computed for it. ``model`` and ``data`` are not changed.

    ``ValueError`` for contacts of flexes, for contacts whose friction differs along the two tangents, and for the integrator RK4,
    whose step consists of four.
    """
    if model.opt.integrator not in _LINEAR:
        raise ValueError("`model.opt.integrator` is RK4, expected Euler, implicit or implicitfast")
    after = mj.MjData(model)
    mj.mj_copyData(after, model, data)
    mj.mj_step(model, after)
    rows, impulses, friction, names = _contacts(model, after)
    if limits:
        for row, impulse, name in _limits(model, after):
            rows.append(np.vstack([row, np.zeros((2, model.nv))]))
            impulses.append(np.array([impulse, 0.0, 0.0]))
            friction.append(0.0)
            names.append(name)
    if not rows:
        return None
    return engine_problem(
        np.vstack(rows),
        _inverse(model, data),
        np.array(friction),
        np.array(impulses),
        np.array(after.qvel),
        names,
        float(model.opt.timestep),
    )


def _contacts(model: Any, data: Any) -> tuple[list[FloatArray], list[FloatArray], list[float], list[str]]:
    """Rows, impulses, friction and names of the contacts to which the engine gave a force."""
    rows: list[FloatArray] = []
    impulses: list[FloatArray] = []
    friction: list[float] = []
    names: list[str] = []
    force = np.zeros(6)
    for index in range(data.ncon):
        contact = data.contact[index]
        # Within the margin but without a force, or excluded.
        if contact.efc_address < 0:
            continue
        first, second = int(contact.geom1), int(contact.geom2)
        if min(first, second) < 0:
            raise ValueError(f"contact {index} belongs to a flex, expected contacts of geoms")
        along = [float(contact.friction[0]), float(contact.friction[1])]
        if contact.dim > 1 and along[0] != along[1]:
            raise ValueError(f"contact {index} has the friction {along[0]} and {along[1]} along its tangents, expected the same value")
        # The normal points from the first geom to the second, which is the body that moves away.
        moving = _point_rows(model, data, contact.pos, second) - _point_rows(model, data, contact.pos, first)
        rows.append(np.reshape(contact.frame, (3, 3)) @ moving)
        mj.mj_contactForce(model, data, index, force)
        impulses.append(model.opt.timestep * force[:3])
        friction.append(along[0] if contact.dim > 1 else 0.0)
        names.append(f"{_name(model, mj.mjtObj.mjOBJ_GEOM, first)}–{_name(model, mj.mjtObj.mjOBJ_GEOM, second)}")
    return rows, impulses, friction, names


def _limits(model: Any, data: Any) -> list[tuple[FloatArray, float, str]]:
    """Row, impulse and name of each limit to which the engine gave a force."""
    kinds = {
        int(mj.mjtConstraint.mjCNSTR_LIMIT_JOINT): (mj.mjtObj.mjOBJ_JOINT, "joint"),
        int(mj.mjtConstraint.mjCNSTR_LIMIT_TENDON): (mj.mjtObj.mjOBJ_TENDON, "tendon"),
    }
    found = []
    for index in range(data.nefc):
        kind = kinds.get(int(data.efc_type[index]))
        if kind is None:
            continue
        row = np.zeros(model.nv)
        if mj.mj_isSparse(model):
            start, count = int(data.efc_J_rowadr[index]), int(data.efc_J_rownnz[index])
            row[data.efc_J_colind[start : start + count]] = np.ravel(data.efc_J)[start : start + count]
        else:
            row[:] = np.reshape(data.efc_J, (data.nefc, model.nv))[index]
        impulse = float(model.opt.timestep * data.efc_force[index])
        found.append((row, impulse, f"limit of {kind[1]} {_name(model, kind[0], int(data.efc_id[index]))}"))
    return found


def _point_rows(model: Any, data: Any, point: Any, geom: int) -> FloatArray:
    """Velocity of a point of the body of a geom per generalized velocity (3 × nv, axes of the world)."""
    rows = np.zeros((3, model.nv))
    mj.mj_jac(model, data, rows, None, np.array(point), int(model.geom_bodyid[geom]))
    return rows


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
