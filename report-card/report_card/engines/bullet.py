"""Bullet: projected Gauss-Seidel sweeps over reduced coordinates, from Python with double precision."""

from __future__ import annotations

import math
from importlib.metadata import version as installed

import numpy as np
import pybullet

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "Bullet"
LAW = "sweeps"

# The engine's defaults are 50 sweeps, a cone of friction, and contacts from 2 cm of distance on. A contact that is still open
# takes its distance divided by the step from the speed of a rebound, so `touching` leaves such contacts out.
SETTINGS: dict[str, Settings] = {
    "default": {},
    "200 sweeps": {"numSolverIterations": 200, "solverResidualThreshold": 0.0},
    "1000 sweeps": {"numSolverIterations": 1000, "solverResidualThreshold": 0.0},
    "touching": {"numSolverIterations": 200, "solverResidualThreshold": 0.0, "contactProcessingThreshold": 0.0},
}

#: A number that no speed, force or impulse reaches.
LARGE = 1e10


def version() -> str:
    return installed("pybullet")


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size = scene, step_size
        self.client = pybullet.connect(pybullet.DIRECT)
        self.physics = {"physicsClientId": self.client}
        pybullet.setTimeStep(step_size, **self.physics)
        pybullet.setGravity(*scene.gravity, **self.physics)
        engine = {name: value for name, value in settings.items() if name != "contactProcessingThreshold"}
        self.near = {name: value for name, value in settings.items() if name == "contactProcessingThreshold"}
        pybullet.setPhysicsEngineParameter(
            restitutionVelocityThreshold=0.0, deterministicOverlappingPairs=1, **engine, **self.physics
        )
        for plane in scene.planes:
            half_space = pybullet.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=[0, 0, 1], **self.physics)
            self._still(half_space, plane.point, _from_z(plane.normal))
        for one in scene.fixed:
            self._still(self._shape(one.shape, np.zeros(3)), one.position, one.orientation)
        #: Multibody and link of each body.
        self.places: dict[str, tuple[int, int]] = {}
        self.carried = scene.carried
        for body in scene.bodies:
            if body.name not in self.carried or self.carried[body.name].between[0] == "world":
                self._tree(body)
        self.names = {place: name for name, place in self.places.items()}
        for body in scene.bodies:
            self._dynamics(*self.places[body.name], body)
        for joint in scene.joints:
            if joint.closes_loop:
                self._loop(joint)

    def _shape(self, shape: Shape | None, center: FloatArray) -> int:
        """The number of a shape in the frame of a link, in which the body's center of mass is given."""
        if shape is None:
            return -1
        size = shape.size
        kind, arguments = {
            "sphere": lambda: (pybullet.GEOM_SPHERE, {"radius": size["radius"]}),
            "box": lambda: (pybullet.GEOM_BOX, {"halfExtents": size["half_extents"]}),
            "capsule": lambda: (pybullet.GEOM_CAPSULE, {"radius": size["radius"], "height": 2.0 * size["half_length"]}),
            "cylinder": lambda: (pybullet.GEOM_CYLINDER, {"radius": size["radius"], "height": 2.0 * size["half_height"]}),
            "hull": lambda: (pybullet.GEOM_MESH, {"vertices": size["points"]}),
        }[shape.kind]()
        return pybullet.createCollisionShape(kind, **arguments, collisionFramePosition=list(center), **self.physics)

    def _still(self, shape: int, position: FloatArray, orientation: FloatArray) -> None:
        body = pybullet.createMultiBody(
            baseMass=0.0, baseCollisionShapeIndex=shape, basePosition=list(position), baseOrientation=_last(orientation),
            **self.physics,
        )
        self._surface(body, -1)

    def _surface(self, body: int, link: int) -> None:
        # The coefficients of a pair are products.
        pybullet.changeDynamics(
            body, link, lateralFriction=math.sqrt(self.scene.friction), restitution=math.sqrt(self.scene.restitution),
            rollingFriction=0.0, spinningFriction=0.0, **self.near, **self.physics,
        )

    def _tree(self, root: Body) -> None:
        """A multibody of a body and all that it carries; the base is the body, or a fixed point if the world carries the body."""
        members = [root]
        for carrier in members:
            members += [body for body in self.scene.bodies if self._carrier(body) == carrier.name]
        free = root.name not in self.carried
        links = members[1:] if free else members
        joints = [self.carried[body.name] for body in links]
        # The base has number 0. Links have their frames at their joints, with the axes of the body.
        numbers = {body.name: at for at, body in enumerate(links, 1)}
        parents = [numbers.get(joint.between[0], 0) for joint in joints]
        frames = [(root.position, root.orientation) if free else (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))]
        frames += [(joint.anchor, body.orientation) for body, joint in zip(links, joints, strict=True)]
        places = [_relative(frames[parent], frames[at]) for at, parent in enumerate(parents, 1)]
        turns = [rotation(body.orientation).T for body in links]
        centers = [turn @ (body.position - joint.anchor) for turn, body, joint in zip(turns, links, joints, strict=True)]
        kinds = {"revolute": pybullet.JOINT_REVOLUTE, "prismatic": pybullet.JOINT_PRISMATIC}
        number = pybullet.createMultiBody(
            baseMass=root.mass if free else 0.0,
            baseCollisionShapeIndex=self._shape(root.shape if free else None, np.zeros(3)),
            basePosition=list(frames[0][0]),
            baseOrientation=_last(frames[0][1]),
            linkMasses=[body.mass for body in links],
            linkCollisionShapeIndices=[self._shape(body.shape, center) for body, center in zip(links, centers, strict=True)],
            linkVisualShapeIndices=[-1] * len(links),
            linkPositions=[list(position) for position, _ in places],
            linkOrientations=[_last(turn) for _, turn in places],
            linkInertialFramePositions=[list(center) for center in centers],
            linkInertialFrameOrientations=[[0.0, 0.0, 0.0, 1.0]] * len(links),
            linkParentIndices=parents,
            linkJointTypes=[kinds[joint.kind] for joint in joints],
            linkJointAxis=[list(turn @ joint.axis) for turn, joint in zip(turns, joints, strict=True)],
            flags=pybullet.URDF_USE_SELF_COLLISION | pybullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT,
            **self.physics,
        )
        if free:
            self.places[root.name] = (number, -1)
            pybullet.resetBaseVelocity(number, list(root.velocity), list(root.angular_velocity), **self.physics)
        for link, (body, joint) in enumerate(zip(links, joints, strict=True)):
            self.places[body.name] = (number, link)
            pybullet.resetJointState(number, link, 0.0, joint.speed, **self.physics)
            # Dry friction as the guide describes it: a motor towards rest with a limited force; every joint has such a motor.
            pybullet.setJointMotorControl2(
                number, link, pybullet.VELOCITY_CONTROL, targetVelocity=0.0, force=joint.friction, **self.physics
            )

    def _carrier(self, body: Body) -> str | None:
        return self.carried[body.name].between[0] if body.name in self.carried else None

    def _dynamics(self, number: int, link: int, body: Body) -> None:
        self._surface(number, link)
        if body.shape is not None and body.shape.kind == "hull":
            # The margin of a hull lies outside of it; other shapes have it inside.
            pybullet.changeDynamics(number, link, collisionMargin=0.0, **self.physics)
        # A call that also sets a property of the whole multibody would give the inertia to its base.
        pybullet.changeDynamics(number, link, localInertiaDiagonal=list(body.inertia), **self.physics)
        pybullet.changeDynamics(number, link, jointDamping=0.0, **self.physics)
        pybullet.changeDynamics(
            number, -1, linearDamping=0.0, angularDamping=0.0, maxJointVelocity=LARGE,
            activationState=pybullet.ACTIVATION_STATE_DISABLE_SLEEPING, **self.physics,
        )

    def _loop(self, joint: Joint) -> None:
        if joint.kind != "revolute" or joint.friction > 0.0 or "world" in joint.between:
            raise Unsupported("only revolute joints without friction between two bodies close loops of Bullet's multibodies")
        ends = [self.scene.bodies[self.scene.index[name]] for name in joint.between]
        places = [self.places[name] for name in joint.between]
        # Multibodies have no hinges beside their own joints: two points on the axis.
        for shift in (-0.05, 0.05):
            point = joint.anchor + shift * joint.axis
            pivots = [list(rotation(end.orientation).T @ (point - end.position)) for end in ends]
            constraint = pybullet.createConstraint(
                *places[0], *places[1], pybullet.JOINT_POINT2POINT, [0, 0, 0], *pivots, **self.physics
            )
            pybullet.changeConstraint(constraint, maxForce=LARGE, **self.physics)
        pybullet.setCollisionFilterPair(places[0][0], places[1][0], places[0][1], places[1][1], 0, **self.physics)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            pybullet.stepSimulation(**self.physics)

    def state(self) -> tuple[FloatArray, FloatArray]:
        poses, velocities = [], []
        for number, link in (self.places[body.name] for body in self.scene.bodies):
            if link < 0:
                position, turn = pybullet.getBasePositionAndOrientation(number, **self.physics)
                velocity, spin = pybullet.getBaseVelocity(number, **self.physics)
            else:
                found = pybullet.getLinkState(number, link, computeLinkVelocity=1, computeForwardKinematics=1, **self.physics)
                position, turn, velocity, spin = found[0], found[1], found[6], found[7]
            poses.append([*position, turn[3], *turn[:3]])
            velocities.append([*velocity, *spin])
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        found = []
        for row in pybullet.getContactPoints(**self.physics):
            # The normal is that on the second body, towards the first.
            second, first = (self.names.get(place, "") for place in ((row[1], row[3]), (row[2], row[4])))
            normal, sides = np.array(row[7]), np.array([row[11], row[13]])
            force = row[9] * normal + np.array([row[10], row[12]]) @ sides
            found.append(
                Contact(first, second, 0.5 * (np.array(row[5]) + np.array(row[6])), normal, row[8], self.step_size * force)
            )
        return found


def _last(quaternion: FloatArray) -> list[float]:
    """The quaternion with its real part last."""
    return [*quaternion[1:], quaternion[0]]


def _from_z(normal: FloatArray) -> FloatArray:
    """A unit quaternion that turns z to the normal."""
    half = np.array([1.0 + normal[2], -normal[1], normal[0], 0.0])
    return half / np.linalg.norm(half) if normal[2] > -0.999 else np.array([0.0, 1.0, 0.0, 0.0])


def _relative(first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The second pose as seen from the first."""
    w, x, y, z = first[1]
    turn = np.array([[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]) @ second[1]
    return rotation(first[1]).T @ (second[0] - first[0]), turn
