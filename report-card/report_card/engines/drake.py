"""Drake: compliant contacts, a convex problem in each step of a discrete plant."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np
from pydrake import geometry
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PdControllerGains,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "Drake"
LAW = "soft"

# The documentation prefers `lagged` unless strong transients matter, which are what `similar` is for; `sap` has a linear damper.
# Its guide advises hydroelastic contact for flat faces, because point contact gives a pair of shapes one point only.
# The moduli are those of the defaults, and of a hundred times the defaults (Pa, N/m).
SETTINGS: dict[str, Settings] = {
    "default": {},
    "similar": {"plant": {"discrete_contact_approximation": "similar"}},
    "sap": {"plant": {"discrete_contact_approximation": "sap"}},
    "point contact": {"plant": {"contact_model": "point"}},
    "stiff": {
        "plant": {"stiction_tolerance": 1e-5, "sap_near_rigid_threshold": 1e-3},
        "hydroelastic_modulus": 1e9,
        "point_stiffness": 1e8,
    },
}

#: Gain of a motor that stands for dry friction: so strong that its limit alone decides (N·m·s, N·s/m).
STRONG = 1e6


def version() -> str:
    return installed("drake")


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        if scene.restitution > 0.0:
            raise Unsupported("Drake's contacts have a stiffness and a dissipation, not a coefficient of restitution")
        self.scene, self.step_size, self.steps = scene, step_size, 0
        self.settings = settings
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlant(MultibodyPlantConfig(time_step=step_size, **settings.get("plant", {})), builder)
        plant = self.plant
        plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        for plane in scene.planes:
            place = geometry.HalfSpace.MakePose(plane.normal, plane.point)
            self._register(plant.world_body(), place, geometry.HalfSpace(), plane.name)
        for one in scene.fixed:
            self._register(plant.world_body(), _pose(one.position, one.orientation), _shape(one.shape, one.name), one.name)
        self.bodies = {body.name: self._body(body) for body in scene.bodies}
        self.names = {body.index(): name for name, body in self.bodies.items()}
        joints = {joint.name: self._joint(joint) for joint in scene.joints if not joint.closes_loop}
        for joint in scene.joints:
            if joint.closes_loop:
                self._loop(joint)
        plant.Finalize()
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        carried = scene.carried
        for body in scene.bodies:
            if body.name not in carried:
                own = self.bodies[body.name]
                plant.SetFreeBodyPose(self.context, own, _pose(body.position, body.orientation))
                twist = SpatialVelocity(body.angular_velocity, body.velocity)
                plant.SetFreeBodySpatialVelocity(context=self.context, body=own, V_JpJc=twist)
        for joint in scene.joints:
            if not joint.closes_loop:
                own = joints[joint.name]
                turning = joint.kind == "revolute"
                (own.set_angular_rate if turning else own.set_translation_rate)(self.context, joint.speed)
        for instance in {plant.get_joint_actuator(index).model_instance() for index in plant.GetJointActuatorIndices()}:
            port = plant.get_desired_state_input_port(instance)
            port.FixValue(self.context, np.zeros(port.size()))
        self.simulator.Initialize()

    def _register(self, body: RigidBody, place: RigidTransform, shape: geometry.Shape, name: str) -> None:
        properties = geometry.ProximityProperties()
        # Equal coefficients are their own harmonic mean.
        friction = CoulombFriction(self.scene.friction, self.scene.friction)
        stiffness = self.settings.get("point_stiffness")
        geometry.AddContactMaterial(friction=friction, point_stiffness=stiffness, properties=properties)
        if isinstance(shape, geometry.HalfSpace):
            geometry.AddRigidHydroelasticProperties(properties=properties)
        elif not isinstance(shape, geometry.Sphere):
            # Spheres touch in a point and keep point contact, which knows them exactly.
            modulus = self.settings.get("hydroelastic_modulus", 1e7)
            geometry.AddCompliantHydroelasticProperties(
                resolution_hint=0.02, hydroelastic_modulus=modulus, properties=properties
            )
        self.plant.RegisterCollisionGeometry(body, place, shape, name, properties)

    def _body(self, body: Body) -> RigidBody:
        inertia = SpatialInertia(body.mass, np.zeros(3), UnitInertia(*(body.inertia / body.mass)))
        own = self.plant.AddRigidBody(body.name, inertia)
        if body.shape is not None:
            self._register(own, RigidTransform(), _shape(body.shape, body.name), body.name)
        return own

    def _joint(self, joint: Joint) -> RevoluteJoint | PrismaticJoint:
        # Both frames have the axes of the world at the start.
        frames = []
        for name in joint.between:
            if name == "world":
                parent, place = self.plant.world_frame(), RigidTransform(joint.anchor)
            else:
                body = self.scene.bodies[self.scene.index[name]]
                parent = self.bodies[name].body_frame()
                place = _pose(body.position, body.orientation).inverse() @ RigidTransform(joint.anchor)
            frames.append(self.plant.AddFrame(FixedOffsetFrame(f"{joint.name} of {name}", parent, place)))
        kind = RevoluteJoint if joint.kind == "revolute" else PrismaticJoint
        own = self.plant.AddJoint(kind(joint.name, *frames, joint.axis, damping=0.0))
        if joint.friction > 0.0:
            # Joints have no dry friction (github.com/RobotLocomotion/drake/issues/18932). The controller of an actuator, which
            # the step solves with the contacts, drives the joint to rest with a limited force.
            actuator = self.plant.AddJointActuator(joint.name, own, effort_limit=joint.friction)
            actuator.set_controller_gains(PdControllerGains(p=0.0, d=STRONG))
        return own

    def _loop(self, joint: Joint) -> None:
        if joint.kind != "revolute" or joint.friction > 0.0 or "world" in joint.between:
            raise Unsupported("only revolute joints without friction between two bodies close loops in this adapter")
        # Two points on the axis: the plant has constraints of balls and welds, none of hinges.
        for shift in (-0.05, 0.05):
            point = joint.anchor + shift * joint.axis
            ends: list[Any] = []
            for name in joint.between:
                body = self.scene.bodies[self.scene.index[name]]
                ends += [self.bodies[name], rotation(body.orientation).T @ (point - body.position)]
            self.plant.AddBallConstraint(*ends)

    def advance(self, steps: int) -> None:
        self.steps += steps
        self.simulator.AdvanceTo(self.steps * self.step_size)

    def state(self) -> tuple[FloatArray, FloatArray]:
        poses, velocities = [], []
        for body in self.bodies.values():
            pose = self.plant.EvalBodyPoseInWorld(self.context, body)
            twist = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            poses.append([*pose.translation(), *pose.rotation().ToQuaternion().wxyz()])
            velocities.append([*twist.translational(), *twist.rotational()])
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        found = []
        for number in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(number)
            first, second = (self.names.get(index, "") for index in (info.bodyA_index(), info.bodyB_index()))
            pair = info.point_pair()
            found.append(
                Contact(first, second, info.contact_point(), -pair.nhat_BA_W, -pair.depth, self.step_size * info.contact_force())
            )
        for number in range(results.num_hydroelastic_contacts()):
            found.append(self._patch(results.hydroelastic_contact_info(number)))
        return found

    def _patch(self, info: Any) -> Contact:
        """The resultant of a hydroelastic surface, on its central axis; the surface has no gap, which is given as zero."""
        surface, load = info.contact_surface(), info.F_Ac_W()
        inspector = self.plant.get_geometry_query_input_port().Eval(self.context).inspector()
        bodies = [self.plant.GetBodyFromFrameId(inspector.GetFrameId(one)) for one in (surface.id_N(), surface.id_M())]
        first, second = (self.names.get(body.index(), "") for body in bodies)
        normal = sum(surface.area(face) * surface.face_normal(face) for face in range(surface.num_faces()))
        force, torque = load.translational(), load.rotational()
        point = surface.centroid() + np.cross(force, torque) / max(force @ force, np.finfo(float).tiny)
        return Contact(first, second, point, normal / np.linalg.norm(normal), 0.0, self.step_size * force)


def _pose(position: FloatArray, quaternion: FloatArray) -> RigidTransform:
    # The class admits quaternions of unit length to the last digits only.
    return RigidTransform(RotationMatrix(Quaternion(quaternion / np.linalg.norm(quaternion))), position)


def _shape(shape: Shape, name: str) -> geometry.Shape:
    size = shape.size
    return {
        "sphere": lambda: geometry.Sphere(size["radius"]),
        "box": lambda: geometry.Box(*(2.0 * np.array(size["half_extents"]))),
        "capsule": lambda: geometry.Capsule(size["radius"], 2.0 * size["half_length"]),
        "cylinder": lambda: geometry.Cylinder(size["radius"], 2.0 * size["half_height"]),
        "hull": lambda: geometry.Convex(points=np.array(size["points"], float).T, label=name),
    }[shape.kind]()
