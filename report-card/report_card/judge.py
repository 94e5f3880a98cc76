"""The judge of contacts: how far the impulses that an engine reports are from Coulomb's law, by percussion's certificate.

The problem is built from the scene and the reported contacts alone, with the inverse masses of the scene, in the frame of each contact:
``u = W p + u_f``, where ``u_f`` is chosen so that the reported impulses give the reported velocities. The figures are velocities, so
that engines that separate bodies by an artificial velocity, or let them approach, show it in m/s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import percussion

from .scene import FloatArray, Scene, rotation

#: A contact without an impulse that is open by more than this (m) is left out.
OPEN = 1e-6

#: Problems of more contacts are not judged.
LARGEST = 300


def figures(scene: Scene, poses: FloatArray, velocities: FloatArray, contacts: list[dict[str, Any]]) -> dict[str, float] | None:
    """The largest violation of each kind (m/s), and of all relative to the largest free velocity; None without contacts."""
    if scene.joints:
        return None
    rows, impulses = [], []
    for contact in contacts:
        found = _rows(scene, poses, contact)
        if found is None:
            continue
        frame, jacobian = found
        impulse = frame @ np.array(contact["impulse"])
        if contact["gap"] > OPEN and impulse[0] <= 0.0:
            continue
        rows.append(jacobian)
        impulses.append(impulse)
    if not rows:
        return None
    jacobian, impulse = np.vstack(rows), np.array(impulses)
    delassus = jacobian @ _inverse_mass(scene, poses) @ jacobian.T
    free = jacobian @ velocities.ravel() - delassus @ impulse.ravel()
    problem = percussion.FrictionProblem(0.5 * (delassus + delassus.T), free, np.full(len(impulse), scene.friction))
    certificate = problem.certify(impulse)
    return {**certificate.figures, "natural map": certificate.residual, "relative": certificate.relative_residual}


def _rows(scene: Scene, poses: FloatArray, contact: dict[str, Any]) -> tuple[FloatArray, FloatArray] | None:
    """The frame of a contact (normal, two tangents) and its rows for all velocities; None if neither body moves."""
    index = scene.index
    normal = np.array(contact["normal"])
    helper = np.eye(3)[np.abs(normal).argmin()]
    tangent = np.cross(normal, helper)
    tangent /= np.linalg.norm(tangent)
    frame = np.array([normal, tangent, np.cross(normal, tangent)])
    jacobian = np.zeros((3, 6 * len(scene.bodies)))
    moves = False
    for name, sign in ((contact["first"], -1.0), (contact["second"], 1.0)):
        if name not in index:
            continue
        moves, at = True, 6 * index[name]
        arm = np.array(contact["point"]) - poses[index[name], :3]
        jacobian[:, at : at + 3] = sign * frame
        jacobian[:, at + 3 : at + 6] = sign * np.cross(arm, frame)
    return (frame, jacobian) if moves else None


def _inverse_mass(scene: Scene, poses: FloatArray) -> FloatArray:
    """The inverse of the mass matrix for velocities of all bodies in world axes."""
    inverse = np.zeros((6 * len(scene.bodies),) * 2)
    for number, body in enumerate(scene.bodies):
        at = 6 * number
        turn = rotation(poses[number, 3:])
        inverse[at : at + 3, at : at + 3] = np.eye(3) / body.mass
        inverse[at + 3 : at + 6, at + 3 : at + 6] = turn @ np.diag(1.0 / body.inertia) @ turn.T
    return inverse


def penetration(scene: Scene, poses: FloatArray) -> float | None:
    """The deepest penetration of surfaces at one sample by percussion's geometry (m); None for scenes with joints."""
    if scene.joints or not any(body.shape for body in scene.bodies):
        return None
    gaps = _model(scene).contacts(poses.ravel(), proximity=0.0).gaps
    return float(max(0.0, -gaps.min())) if len(gaps) else 0.0


def _model(scene: Scene) -> percussion.Model:
    import tomli_w

    known = _MODELS.get(scene.name)
    if known is None:
        known = _MODELS[scene.name] = percussion.Model.from_toml(tomli_w.dumps(scene.document))
    return known


_MODELS: dict[str, percussion.Model] = {}
