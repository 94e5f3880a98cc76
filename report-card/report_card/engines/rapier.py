"""Rapier: projected Gauss-Seidel sweeps over substeps with softened contacts, in single precision."""

from __future__ import annotations

import numpy as np
import rapier3d

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings

TITLE = "Rapier"
LAW = "sweeps"

# The defaults are made for 60 steps a second. A solver iteration is a substep; contacts are damped springs of 30 Hz, or 60 Hz
# against fixed bodies. The default model of friction reports no impulses; `coulomb` has a friction constraint for each point, but
# the friction of a box has 0.88 to 0.96 of its coefficient, because each point's impulse deviates from the direction of sliding.
STIFF = {
    "num_solver_iterations": 16, "num_internal_pgs_iterations": 4,
    "frequency": 240.0, "damping_ratio": 5.0, "normalized_allowed_linear_error": 1e-4,
}
SETTINGS: dict[str, Settings] = {
    "default": {},
    "16 substeps": {"num_solver_iterations": 16},
    "64 substeps": {"num_solver_iterations": 64},
    "stiff": STIFF,
    "coulomb": {**STIFF, "coulomb": True},
}

#: A speed that no scene reaches (m/s): the default cap is 400.
FAST = 1e6


def version() -> str:
    return rapier3d.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene = scene
        self.world = rapier3d.PhysicsWorld(gravity=_vector(scene.gravity))
        self.world.set_num_threads(1)
        parameters = self.world.integration_parameters
        parameters.dt = step_size
        parameters.normalized_max_linear_velocity = FAST
        self.coulomb = settings.get("coulomb", False)
        parameters.friction_model = rapier3d.FrictionModel.COULOMB if self.coulomb else rapier3d.FrictionModel.SIMPLIFIED
        for name in settings.keys() - {"coulomb", "frequency", "damping_ratio"}:
            setattr(parameters, name, settings[name])
        if "frequency" in settings:
            softness = rapier3d.SpringCoefficients(settings["frequency"], settings["damping_ratio"])
            parameters.contact_softness = parameters.static_contact_softness = softness
        # Bodies on joints stand on a fixed body of their own, so that they still touch planes and fixed shapes.
        self.ground = self.world.add_body(rapier3d.RigidBody.fixed())
        for plane in scene.planes:
            half_space = rapier3d.Collider.halfspace(_vector(plane.normal)).translation(_vector(plane.point))
            self.world.add_collider(self._material(half_space))
        for one in scene.fixed:
            handle = self.world.add_body(rapier3d.RigidBody.fixed().position(_pose(one.position, one.orientation)))
            self.world.add_collider(self._collider(one.shape), handle)
        self.handles = {body.name: self._body(body) for body in scene.bodies}
        self.names = {handle: name for name, handle in self.handles.items()}
        for joint in scene.joints:
            self._joint(joint)

    def _material(self, collider: rapier3d.ColliderBuilder) -> rapier3d.ColliderBuilder:
        # Equal coefficients are their own average.
        return collider.density(0.0).friction(self.scene.friction).restitution(self.scene.restitution)

    def _collider(self, shape: Shape) -> rapier3d.ColliderBuilder:
        size, new = shape.size, rapier3d.Collider
        if shape.kind == "hull":
            collider = new.convex_hull(np.array(size["points"], np.float32))
        elif shape.kind == "cylinder":
            # Cylinders are about y.
            collider = new.cylinder(size["half_height"], size["radius"]).rotation((0.5 * np.pi, 0.0, 0.0))
        elif shape.kind == "capsule":
            collider = new.capsule_z(size["half_length"], size["radius"])
        elif shape.kind == "box":
            collider = new.cuboid(*size["half_extents"])
        else:
            collider = new.ball(size["radius"])
        return self._material(collider)

    def _body(self, body: Body) -> rapier3d.RigidBodyHandle:
        moments = rapier3d.MassProperties((0.0, 0.0, 0.0), body.mass, _vector(body.inertia))
        builder = (
            rapier3d.RigidBody.dynamic()
            .position(_pose(body.position, body.orientation))
            .linvel(_vector(body.velocity))
            .angvel(_vector(body.angular_velocity))
            .additional_mass_properties(moments)
            .can_sleep(False)
            .gyroscopic_forces(True)
            .allow_fast_rotation(True)
        )
        return self.world.add_body(builder, [self._collider(body.shape)] if body.shape is not None else [])

    def _joint(self, joint: Joint) -> None:
        along = "ANG_X" if joint.kind == "revolute" else "LIN_X"
        axis, free = getattr(rapier3d.JointAxis, along), getattr(rapier3d.JointAxesMask, along)
        locked = rapier3d.JointAxesMask(rapier3d.JointAxesMask.all_axes().bits & ~free.bits)
        # Both frames coincide at the start, their x along the axis.
        frames = rotation(_x_along(joint.axis))
        ends = []
        for name in joint.between:
            position, turn = np.zeros(3), np.eye(3)
            if name != "world":
                body = self.scene.bodies[self.scene.index[name]]
                position, turn = body.position, rotation(body.orientation)
            ends.append(_pose(turn.T @ (joint.anchor - position), _quaternion(turn.T @ frames)))
        builder = rapier3d.GenericJointBuilder(locked).local_frame1(ends[0]).local_frame2(ends[1]).contacts_enabled(False)
        if joint.friction > 0.0:
            # Dry friction: a motor towards rest, so strong that its limit alone decides.
            builder = builder.motor_velocity(axis, 0.0, 1e6).motor_max_force(axis, joint.friction)
        handles = [self.handles.get(name, self.ground) for name in joint.between]
        self.world.impulse_joints.insert(*handles, builder.build())

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()

    def state(self) -> tuple[FloatArray, FloatArray]:
        bodies = [self.world.rigid_bodies[handle] for handle in self.handles.values()]
        turns = [body.rotation for body in bodies]
        poses = [[*body.translation, turn.w, turn.i, turn.j, turn.k] for body, turn in zip(bodies, turns, strict=True)]
        velocities = [[*body.linvel, *body.angvel] for body in bodies]
        return np.array(poses, float), np.array(velocities, float)

    def contacts(self) -> list[Contact] | None:
        if self.scene.friction > 0.0 and not self.coulomb:
            # The simplified model keeps one impulse of friction a manifold and one about its normal, and reports neither.
            return None
        found, world = [], self.world
        for pair in world.narrow_phase.contact_pairs():
            for manifold in pair.manifolds:
                data = manifold.data
                normal = np.array([*data.normal], float)
                first, second = (self.names.get(handle, "") for handle in (data.rigid_body1, data.rigid_body2))
                tangents = _tangents(normal)
                for row in data.solver_contacts:
                    point = manifold.points[row.contact_id]
                    ends = np.array([[*end] for end in data.solver_contact_world_points(row, world.rigid_bodies)], float)
                    # The impulses of friction are those on the first body.
                    impulse = point.impulse * normal - np.array(point.tangent_impulse, float) @ tangents
                    gap = float((ends[1] - ends[0]) @ normal)
                    found.append(Contact(first, second, ends.mean(axis=0), normal, gap, impulse))
        return found


def _tangents(normal: FloatArray) -> FloatArray:
    """The two directions of friction, as rows, which the engine derives from the normal alone and does not report.

    The formula is that of T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6 (2017) 1–8; that the engine uses it was
    confirmed by the balance of momentum of sliding bodies.
    """
    x, y, z = -normal
    sign = np.copysign(1.0, z)
    first = np.array([-x * y / (sign + z), sign - y * y / (sign + z), -y])
    return np.array([first, np.cross(-normal, first)])


def _vector(values: FloatArray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _pose(position: FloatArray, quaternion: FloatArray) -> rapier3d.Isometry3:
    return rapier3d.Isometry3(_vector(position), rapier3d.Rotation3.from_quaternion(*_vector(quaternion)))


def _x_along(axis: FloatArray) -> FloatArray:
    """A unit quaternion that turns x to the axis."""
    half = np.array([1.0 + axis[0], 0.0, -axis[2], axis[1]])
    return half / np.linalg.norm(half) if axis[0] > -0.999 else np.array([0.0, 0.0, 1.0, 0.0])


def _quaternion(turn: FloatArray) -> FloatArray:
    """The unit quaternion of a rotation matrix, as the eigenvector to the largest eigenvalue of Bar-Itzhack's matrix."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = turn.ravel()
    lower = [[xx + yy + zz, 0, 0, 0], [zy - yz, xx - yy - zz, 0, 0], [xz - zx, xy + yx, yy - xx - zz, 0],
             [yx - xy, xz + zx, yz + zy, zz - xx - yy]]
    return np.linalg.eigh(np.array(lower))[1][:, -1]
