"""DART: a boxed linear complementarity problem, or Coulomb's law, over reduced coordinates."""

from __future__ import annotations

import dartpy
import numpy as np

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "DART"
LAW = "exact"

# By default Dantzig's method solves for a pyramid of friction, and FCL finds contacts, which gives a plane and a shape one point
# and knows no capsules; ODE's detector gives faces four points. NSGS and FBF (github.com/dartsim/dart/releases/tag/v6.20.0)
# solve for the cone. No setting reaches the speed of 0.1 m/s below which nothing rebounds, or the correction of penetrations.
SETTINGS: dict[str, Settings] = {
    "default": {},
    "ode": {"detector": "ODE"},
    "split impulse": {"detector": "ODE", "split": True},
    "nsgs": {"detector": "ODE", "split": True, "solver": "Nsgs", "maxSweeps": 200, "tolerance": 1e-6},
    "fbf": {"detector": "ODE", "split": True, "solver": "Fbf", "maxOuterIterations": 200, "tolerance": 1e-6},
}

#: The limit of the contacts of a step: dartpy gives a copy of the options that hold it, and takes none.
MOST = 1000


def version() -> str:
    return dartpy.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        shapes = [one.shape for one in (*scene.bodies, *scene.fixed) if one.shape is not None]
        if "detector" not in settings and any(shape.kind == "capsule" for shape in shapes):
            raise Unsupported("FCL, the default detector of DART, takes a capsule for a sphere")
        self.scene, self.step_size = scene, step_size
        self.world = dartpy.simulation.World()
        self.world.setTimeStep(step_size)
        self.world.setGravity(scene.gravity)
        self.world.setNumSimulationThreads(1)
        sleep = dartpy.simulation.DeactivationOptions()
        sleep.mEnabled = False
        self.world.setDeactivationOptions(sleep)
        solver = self.world.getConstraintSolver()
        solver.setSplitImpulseEnabled(settings.get("split", False))
        if "detector" in settings:
            self.world.setCollisionDetector(getattr(dartpy.simulation.CollisionDetectorType, settings["detector"]))
        if "solver" in settings:
            kind = getattr(dartpy.constraint, f"{settings['solver']}FrictionSolver")
            options = kind.Options()
            for name in settings.keys() - {"split", "solver", "detector"}:
                setattr(options, name, settings[name])
            solver.setBoxedLcpSolver(kind(options))
        self.names: dict[str, str] = {}
        for plane in scene.planes:
            self._still(plane.name, dartpy.dynamics.PlaneShape(plane.normal, plane.point), dartpy.math.Isometry3())
        for one in scene.fixed:
            self._still(one.name, _shape(one.shape), _pose(one.position, one.orientation))
        self.bodies: dict[str, dartpy.dynamics.BodyNode] = {}
        self.carried = scene.carried
        for body in scene.bodies:
            if body.name not in self.carried or self.carried[body.name].between[0] == "world":
                skeleton = dartpy.dynamics.Skeleton(f"tree of {body.name}")
                skeleton.enableSelfCollisionCheck()
                skeleton.disableAdjacentBodyCheck()
                self._branch(skeleton, body)
                self.world.addSkeleton(skeleton)
        for joint in scene.joints:
            if joint.closes_loop:
                self._loop(joint)

    def _register(self, node: dartpy.dynamics.BodyNode, shape: dartpy.dynamics.Shape, name: str) -> None:
        own = node.createShapeNode(shape, f"shape {len(self.names)}")
        own.createCollisionAspect()
        own.createDynamicsAspect()
        # The coefficient of friction of a pair is the smaller one, that of restitution is the product.
        own.getDynamicsAspect().setFrictionCoeff(self.scene.friction)
        own.getDynamicsAspect().setRestitutionCoeff(np.sqrt(self.scene.restitution))
        self.names[own.getName()] = name

    def _still(self, name: str, shape: dartpy.dynamics.Shape, place: dartpy.math.Isometry3) -> None:
        skeleton = dartpy.dynamics.Skeleton(f"fixed {name}")
        joint, node = skeleton.createWeldJointAndBodyNodePair()
        joint.setTransformFromParentBodyNode(place)
        self._register(node, shape, "")
        skeleton.setMobile(False)
        self.world.addSkeleton(skeleton)

    def _branch(self, skeleton: dartpy.dynamics.Skeleton, body: Body) -> None:
        """A body and all that it carries."""
        joint = self.carried.get(body.name)
        if joint is None:
            own, node = skeleton.createFreeJointAndBodyNodePair()
            dartpy.dynamics.FreeJoint.setTransformOf(node, _pose(body.position, body.orientation))
        else:
            new = {"revolute": skeleton.createRevoluteJointAndBodyNodePair,
                   "prismatic": skeleton.createPrismaticJointAndBodyNodePair}[joint.kind]
            parent = self.bodies.get(joint.between[0])
            own, node = new() if parent is None else new(parent)
            # The frames of the joint have the axes of the world at the start.
            frame = dartpy.math.Isometry3(np.eye(3), joint.anchor)
            place = frame if parent is None else parent.getWorldTransform().inverse().multiply(frame)
            own.setTransformFromParentBodyNode(place)
            own.setTransformFromChildBodyNode(_pose(body.position, body.orientation).inverse().multiply(frame))
            own.setAxis(joint.axis)
            own.setCoulombFriction(0, joint.friction)
        node.setName(body.name)
        node.setInertia(dartpy.dynamics.Inertia(body.mass, np.zeros(3), np.diag(body.inertia)))
        if body.shape is not None:
            self._register(node, _shape(body.shape), body.name)
        if joint is None:
            own.setLinearVelocity(body.velocity)
            own.setAngularVelocity(body.angular_velocity)
        else:
            own.setVelocity(0, joint.speed)
        self.bodies[body.name] = node
        for other in self.scene.bodies:
            if other.name in self.carried and self.carried[other.name].between[0] == body.name:
                self._branch(skeleton, other)

    def _loop(self, joint: Joint) -> None:
        if joint.kind != "revolute" or joint.friction > 0.0 or "world" in joint.between:
            raise Unsupported("only revolute joints without friction between two bodies close loops in this adapter")
        ends = [self.bodies[name] for name in joint.between]
        constraint = dartpy.constraint.RevoluteJointConstraint(*ends, joint.anchor, joint.axis, joint.axis)
        self.world.getConstraintSolver().addConstraint(constraint)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step()
        if self.world.getLastCollisionResult().getNumContacts() >= MOST:
            raise RuntimeError(f"DART drops contacts beyond {MOST}; from Python, this limit cannot be changed")

    def state(self) -> tuple[FloatArray, FloatArray]:
        poses, velocities = [], []
        for body in self.scene.bodies:
            node = self.bodies[body.name]
            pose = node.getWorldTransform()
            poses.append([*pose.translation(), *pose.quaternion().wxyz()])
            velocities.append([*node.getCOMLinearVelocity(), *node.getAngularVelocity()])
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        found = []
        for row in self.world.getLastCollisionResult().getContacts():
            # Normal and force are those on the first body of the engine's pair.
            second, first = (self.names[one.getShapeFrame().getName()] for one in (row.collisionObject1, row.collisionObject2))
            found.append(
                Contact(first, second, np.array(row.point), np.array(row.normal), -row.penetrationDepth,
                        self.step_size * np.array(row.force))
            )
        return found


def _pose(position: FloatArray, quaternion: FloatArray) -> dartpy.math.Isometry3:
    return dartpy.math.Isometry3(rotation(quaternion), position)


def _shape(shape: Shape) -> dartpy.dynamics.Shape:
    size, made = shape.size, dartpy.dynamics
    if shape.kind == "hull":
        raise Unsupported("dartpy makes convex hulls of mesh files only")
    return {
        "sphere": lambda: made.SphereShape(size["radius"]),
        "box": lambda: made.BoxShape(2.0 * np.array(size["half_extents"])),
        "capsule": lambda: made.CapsuleShape(size["radius"], 2.0 * size["half_length"]),
        "cylinder": lambda: made.CylinderShape(size["radius"], 2.0 * size["half_height"]),
    }[shape.kind]()
