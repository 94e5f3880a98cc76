"""MuJoCo: soft contacts, a convex problem in each step."""

from __future__ import annotations

import mujoco
import numpy as np

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "MuJoCo"
LAW = "soft"

# `impratio`, elliptic cones and the Newton solver are what the documentation advises against slip.
SETTINGS: dict[str, Settings] = {
    "default": {},
    "implicit, less slip": {"integrator": "implicit", "cone": "elliptic", "impratio": 10.0},
    "implicit, stiff": {"integrator": "implicit", "cone": "elliptic", "impratio": 100.0, "timeconst": 2.0},
    "noslip": {"integrator": "implicit", "cone": "elliptic", "impratio": 10.0, "noslip": 20},
    "RK4": {"integrator": "rk4", "cone": "elliptic", "impratio": 10.0},
}

INTEGRATORS = {
    "euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
}

KINDS = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
}


def version() -> str:
    return mujoco.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size = scene, step_size
        self.spec = mujoco.MjSpec()
        option = self.spec.option
        option.timestep, option.gravity = step_size, scene.gravity
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC if settings.get("cone") == "elliptic" else mujoco.mjtCone.mjCONE_PYRAMIDAL
        option.integrator = INTEGRATORS[settings.get("integrator", "euler")]
        option.noslip_iterations = settings.get("noslip", 0)
        option.impratio = settings.get("impratio", 1.0)
        # The smallest time constant that MuJoCo itself admits is two steps; 0.02 s is its default.
        self.solref = [settings["timeconst"] * step_size, 1.0] if "timeconst" in settings else [0.02, 1.0]
        if scene.restitution > 0.0:
            # A spring without damper is elastic; a damper is tuned to the restitution of one sphere.
            if not scene.bodies[0].shape or any(body.shape.kind != "sphere" for body in scene.bodies if body.shape):
                raise Unsupported("restitution is a property of spring and damper in MuJoCo; it is set for spheres only")
            self.solref = _bouncing(scene.restitution, 8.0 * step_size)
        self._fixed()
        carried = scene.carried
        self.frames: dict[str, mujoco.MjsBody] = {}
        for body in scene.bodies:
            self._body(body, carried.get(body.name))
        for joint in scene.joints:
            if joint.closes_loop:
                self._loop(joint)
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        self.ids = np.array([self.model.body(body.name).id for body in scene.bodies])
        self.names = {int(number): body.name for number, body in zip(self.ids, scene.bodies, strict=True)}
        for body in scene.bodies:
            self._velocity(body, carried.get(body.name))
        mujoco.mj_forward(self.model, self.data)

    def _geom(self, parent: mujoco.MjsBody, shape: Shape, **place: object) -> None:
        size = shape.size
        if shape.kind == "hull":
            name = f"hull {len(self.spec.meshes)}"
            self.spec.add_mesh(name=name, uservert=np.ravel(size["points"]).tolist())
            place.update(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
        else:
            extents = {
                "sphere": lambda: [size["radius"], 0, 0],
                "box": lambda: size["half_extents"],
                "capsule": lambda: [size["radius"], size["half_length"], 0],
                "cylinder": lambda: [size["radius"], size["half_height"], 0],
            }[shape.kind]()
            place.update(type=KINDS[shape.kind], size=extents)
        parent.add_geom(friction=[self.scene.friction, 0.0, 0.0], condim=3, mass=0.0, solref=self.solref, **place)

    def _fixed(self) -> None:
        world = self.spec.worldbody
        for plane in self.scene.planes:
            world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=plane.point, quat=_from_z(plane.normal),
                friction=[self.scene.friction, 0.0, 0.0], condim=3, solref=self.solref,
            )
        for one in self.scene.fixed:
            self._geom(world, one.shape, pos=one.position, quat=one.orientation)

    def _body(self, body: Body, joint: Joint | None) -> None:
        carrier = self.scene.index.get(joint.between[0]) if joint else None
        if carrier is None:
            frame = self.spec.worldbody.add_body(name=body.name, pos=body.position, quat=body.orientation)
        else:
            other = self.scene.bodies[carrier]
            turn = rotation(other.orientation).T
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, (turn @ rotation(body.orientation)).ravel())
            parent = self.frames[other.name]
            frame = parent.add_body(name=body.name, pos=turn @ (body.position - other.position), quat=quaternion)
        frame.mass, frame.inertia, frame.explicitinertial = body.mass, body.inertia, True
        frame.ipos, frame.iquat = np.zeros(3), [1, 0, 0, 0]
        self.frames[body.name] = frame
        if joint is None:
            frame.add_freejoint(name=body.name)
        else:
            turn = rotation(body.orientation).T
            kind = mujoco.mjtJoint.mjJNT_HINGE if joint.kind == "revolute" else mujoco.mjtJoint.mjJNT_SLIDE
            frame.add_joint(
                name=body.name, type=kind, pos=turn @ (joint.anchor - body.position), axis=turn @ joint.axis,
                frictionloss=joint.friction,
            )
        if body.shape is not None:
            self._geom(frame, body.shape)

    def _loop(self, joint: Joint) -> None:
        if joint.kind != "revolute":
            raise Unsupported("only revolute joints close loops in this adapter")
        first, second = joint.between
        start = self.scene.bodies[self.scene.index[first]]
        # Two points on the axis: a hinge as MuJoCo's documentation builds it.
        for shift in (0.0, 0.1):
            anchor = rotation(start.orientation).T @ (joint.anchor + shift * joint.axis - start.position)
            equality = self.spec.add_equality(
                type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=first, name2=second
            )
            equality.data[:3] = anchor

    def _velocity(self, body: Body, joint: Joint | None) -> None:
        address = self.model.joint(body.name).dofadr[0]
        if joint is not None:
            self.data.qvel[address] = joint.speed
            return
        self.data.qvel[address : address + 3] = body.velocity
        self.data.qvel[address + 3 : address + 6] = rotation(body.orientation).T @ body.angular_velocity

    def advance(self, steps: int) -> None:
        mujoco.mj_step(self.model, self.data, steps)

    def state(self) -> tuple[FloatArray, FloatArray]:
        # The positions of mj_step are those before its last integration; kinematics brings them to its end.
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)
        poses = np.hstack([self.data.xipos[self.ids], self.data.xquat[self.ids]])
        velocities = np.zeros((len(self.ids), 6))
        for row, number in enumerate(self.ids):
            both = np.zeros(6)
            mujoco.mj_objectVelocity(self.model, self.data, mujoco.mjtObj.mjOBJ_BODY, number, both, 0)
            velocities[row] = np.concatenate([both[3:], both[:3]])
        return poses, velocities

    def contacts(self) -> list[Contact]:
        found = []
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            force = np.zeros(6)
            mujoco.mj_contactForce(self.model, self.data, number, force)
            frame = contact.frame.reshape(3, 3)
            first, second = (self.names.get(int(self.model.geom_bodyid[geom]), "") for geom in contact.geom)
            found.append(
                Contact(first, second, contact.pos.copy(), frame[0].copy(), float(contact.dist),
                        self.step_size * (frame.T @ force[:3]))
            )
        return found


def _bouncing(restitution: float, contact_time: float) -> list[float]:
    """MuJoCo's stiffness and damping, as negative numbers, of a mass that rebounds with this restitution after a given time.

    A linear oscillator with the damping ratio ζ leaves after half a period with e = exp(−ζ π/√(1 − ζ²)).
    """
    log = np.log(restitution)
    damping = -log / np.hypot(np.pi, log)
    frequency = np.pi / contact_time / np.sqrt(1.0 - damping**2)
    return [-(frequency**2), -2.0 * damping * frequency]


def _from_z(normal: FloatArray) -> FloatArray:
    """A unit quaternion that turns z to the normal."""
    quaternion = np.zeros(4)
    mujoco.mju_quatZ2Vec(quaternion, normal)
    return quaternion
