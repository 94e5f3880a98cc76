"""ODE: friction pyramids and joints in one linear complementarity problem, by pivoting (``step``) or sweeps (``quickStep``)."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import ode

from ..scene import Body, Joint, Scene, Shape
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "ODE"
# Even `step` takes the bounds of friction from normal forces it has found before, so that Coulomb's law is not solved exactly.
LAW = "sweeps"

# ERP 0.2, CFM 1e-10, 20 iterations and "infinitesimal" turns are ODE's defaults.
SETTINGS: dict[str, Settings] = {
    "step": {"iterations": 0},
    "quickStep 20": {"iterations": 20},
    "quickStep 200": {"iterations": 200, "finite": True},
    "step, finite turns": {"iterations": 0, "finite": True},
}

#: The number of `dParamFMax` in the library; `ode.ParamFMax` of pyode 1.2 is that of older libraries and has no effect.
F_MAX = 5


def version() -> str:
    # pyode does not report the version of the library.
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libode8"], capture_output=True, text=True, check=False)
    return asked.stdout.split(":")[-1].split("-")[0] or "unknown"


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size = scene, step_size
        # quickStep shuffles its rows by a generator that pyode does not seed.
        ctypes.CDLL("libode.so.8").dRandSetSeed(ctypes.c_ulong(0))
        self.world, self.space = ode.World(), ode.HashSpace()
        self.world.setGravity(scene.gravity.tolist())
        self.world.setERP(0.2)
        self.world.setCFM(1e-10)
        self.world.setAutoDisableFlag(False)
        self.iterations = settings["iterations"]
        self.world.setQuickStepNumIterations(max(1, self.iterations))
        self.group = ode.JointGroup()
        # pyode frees what nobody refers to.
        self.geometries: list[ode.GeomObject] = []
        self.bodies: dict[str, ode.Body] = {}
        for body in scene.bodies:
            self._body(body, settings.get("finite", False))
        for plane in scene.planes:
            self._keep(ode.GeomPlane(self.space, plane.normal.tolist(), float(plane.normal @ plane.point)), "")
        for one in scene.fixed:
            geometry = self._keep(self._geometry(one.shape), "")
            geometry.setPosition(one.position.tolist())
            geometry.setQuaternion(one.orientation.tolist())
        self.joints = [self._joint(joint) for joint in scene.joints]
        self.joined = {frozenset(joint.between) for joint in scene.joints}
        self.found: list[tuple[Contact, ode.ContactJoint]] = []
        self.last = False

    def _body(self, body: Body, finite: bool) -> None:
        made = ode.Body(self.world)
        mass = ode.Mass()
        mass.setParameters(body.mass, 0, 0, 0, *body.inertia.tolist(), 0, 0, 0)
        made.setMass(mass)
        made.setPosition(body.position.tolist())
        made.setQuaternion(body.orientation.tolist())
        made.setLinearVel(body.velocity.tolist())
        made.setAngularVel(body.angular_velocity.tolist())
        made.setFiniteRotationMode(1 if finite else 0)
        self.bodies[body.name] = made
        if body.shape is not None:
            self._keep(self._geometry(body.shape), body.name).setBody(made)

    def _geometry(self, shape: Shape) -> ode.GeomObject:
        size = shape.size
        if shape.kind == "sphere":
            return ode.GeomSphere(self.space, size["radius"])
        if shape.kind == "box":
            return ode.GeomBox(self.space, [2.0 * extent for extent in size["half_extents"]])
        if shape.kind == "capsule":
            return ode.GeomCapsule(self.space, size["radius"], 2.0 * size["half_length"])
        if shape.kind == "cylinder":
            return ode.GeomCylinder(self.space, size["radius"], 2.0 * size["half_height"])
        raise Unsupported("pyode has no convex hulls, and its Debian package has no meshes")

    def _keep(self, geometry: ode.GeomObject, name: str) -> ode.GeomObject:
        geometry.owner = name
        self.geometries.append(geometry)
        return geometry

    def _joint(self, joint: Joint) -> ode.Joint:
        ends = [self.bodies.get(name, ode.environment) for name in joint.between]
        made = ode.HingeJoint(self.world) if joint.kind == "revolute" else ode.SliderJoint(self.world)
        # A body first, because ODE exchanges the ends otherwise.
        made.attach(ends[1], ends[0])
        if joint.kind == "revolute":
            made.setAnchor(joint.anchor.tolist())
        made.setAxis(joint.axis.tolist())
        # A motor that wants to stand still, of limited strength, is dry friction in ODE's manual.
        made.setParam(ode.ParamVel, 0.0)
        made.setParam(F_MAX, joint.friction)
        return made

    def advance(self, steps: int) -> None:
        for step in range(steps):
            self.group.empty()
            self.found.clear()
            self.last = step == steps - 1
            self.space.collide(None, self._touch)
            if self.iterations:
                self.world.quickStep(self.step_size)
            else:
                self.world.step(self.step_size)
        for contact, joint in self.found:
            contact.impulse[:] = self.step_size * np.array(joint.getFeedback()[0])
            # pyode crashes when a joint with feedback outlives its group.
            joint.setFeedback(False)

    def _touch(self, _: None, first: ode.GeomObject, second: ode.GeomObject) -> None:
        if not first.owner:
            first, second = second, first
        if not first.owner or frozenset((first.owner, second.owner or "world")) in self.joined:
            return
        for touch in ode.collide(first, second):
            mode = ode.ContactApprox1
            if self.scene.restitution > 0.0:
                mode |= ode.ContactBounce
                touch.setBounce(self.scene.restitution)
                touch.setBounceVel(0.0)
            # With ContactApprox1 friction is bounded by mu times the normal force along each of two tangents.
            touch.setMode(mode)
            touch.setMu(self.scene.friction)
            joint = ode.ContactJoint(self.world, self.group, touch)
            joint.attach(first.getBody(), second.getBody())
            if self.last:
                joint.setFeedback(True)
                point, normal, depth, *_ = touch.getContactGeomParams()
                # The normal of ODE points into the first geometry.
                contact = Contact(second.owner, first.owner, np.array(point), np.array(normal), -depth, np.zeros(3))
                self.found.append((contact, joint))

    def state(self) -> tuple[FloatArray, FloatArray]:
        bodies = [self.bodies[body.name] for body in self.scene.bodies]
        poses = [[*body.getPosition(), *body.getQuaternion()] for body in bodies]
        velocities = [[*body.getLinearVel(), *body.getAngularVel()] for body in bodies]
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        return [contact for contact, _ in self.found]
