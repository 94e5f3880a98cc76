"""Siconos: Moreau–Jean steps with exact Coulomb friction by sweeps to a tolerance (NSGS), contact points by Bullet."""

from __future__ import annotations

import itertools
import subprocess

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.io.io_base import MechanicsIO
from siconos.mechanics import collision, joints
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "Siconos"
LAW = "exact"

# The first has the values of `siconos.io.mechanics_run`: Bullet finds more than one point of a face by perturbing the body, and
# keeps points over the steps. The others clip faces against each other, which needs polyhedra with thin margins, and boxes for
# planes; they do not perturb, because that makes false contacts of spheres.
CLIPPED = {"tolerance": 1e-8, "iterations": 10_000, "clip": True, "margin": 1e-5, "activation": 1e-6, "perturbations": 0}
SETTINGS: dict[str, Settings] = {
    "mechanics_run": {"tolerance": 1e-4, "iterations": 1000},
    "clipped, 1e-8, points kept": CLIPPED,
    "clipped, 1e-8, points anew": {**CLIPPED, "fresh": True},
}

#: Half edge of the boxes that are laid for planes, and half their thickness (m).
EXTENT, THICKNESS = 10.0, 1.0

#: Collision groups: bodies, what is fixed, and bodies on joints to the world, which do not touch what is fixed.
FREE, FIXED, HELD = 0, 1, 2


def version() -> str:
    query = ["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"]
    asked = subprocess.run(query, capture_output=True, text=True, check=False)
    return asked.stdout.split("+")[0] or "unknown"


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size = scene, step_size
        self.clip, self.margin = settings.get("clip", False), settings.get("margin", 0.02)
        self.system = kernel.NonSmoothDynamicalSystem(0.0, 1e9)
        options = SiconosBulletOptions()
        options.enablePolyhedralContactClipping = options.enableSatConvex = self.clip
        options.clearOverlappingPairCache = settings.get("fresh", False)
        options.perturbationIterations = options.minimumPointsPerturbationThreshold = settings.get("perturbations", 3)
        self.manager = SiconosBulletCollisionManager(options)
        self.manager.useEqualityConstraints(bool(scene.joints))
        law = kernel.NewtonImpactFrictionNSL(scene.restitution, 0.0, scene.friction, 3)
        for pair in ((FREE, FREE), (FREE, FIXED), (FREE, HELD), (HELD, HELD)):
            self.manager.insertNonSmoothLaw(law, *pair)
        #: Siconos refers to these and does not own them.
        self.kept: list[object] = [options, law]
        held = {joint.between[1] for joint in scene.joints if joint.between[0] == "world"}
        self.bodies = {body.name: self._body(body, HELD if body.name in held else FREE) for body in scene.bodies}
        self._fixed()
        for joint in scene.joints:
            self._joint(joint)
        self._simulation(settings)
        self.io = MechanicsIO()
        self.found = np.zeros((0, 25))

    def _body(self, body: Body, group: int) -> collision.RigidBodyDS:
        spin = rotation(body.orientation).T @ body.angular_velocity
        made = collision.RigidBodyDS(
            [*body.position, *body.orientation], [*body.velocity, *spin], body.mass, np.diag(body.inertia)
        )
        made.setUseContactorInertia(False)
        weight = (body.mass * self.scene.gravity).tolist()
        made.setFExtPtr(weight)
        made.setNumber(self.scene.index[body.name])
        contactors = collision.SiconosContactorSet()
        if body.shape is not None:
            contactors.append(self._contactor(body.shape, group))
        made.setContactors(contactors)
        self.kept += [weight, contactors]
        self.system.insertDynamicalSystem(made)
        return made

    def _contactor(
        self, shape: Shape, group: int, offset: tuple[float, ...] = (0, 0, 0, 1, 0, 0, 0)
    ) -> collision.SiconosContactor:
        size = shape.size
        if shape.kind == "sphere":
            made, least = collision.SiconosSphere(size["radius"]), size["radius"]
        elif shape.kind == "hull" or (shape.kind == "box" and self.clip):
            points = np.array(size["points"] if shape.kind == "hull" else _corners(size["half_extents"]), float)
            made, least = collision.SiconosConvexHull(points), float(np.ptp(points, axis=0).min())
        elif shape.kind == "box":
            made, least = collision.SiconosBox((2.0 * np.array(size["half_extents"])).tolist()), 2.0 * min(size["half_extents"])
        else:
            # Bullet's capsules and cylinders lie along y.
            offset, least = (0, 0, 0, np.sqrt(0.5), np.sqrt(0.5), 0, 0), size["radius"]
            if shape.kind == "capsule":
                # Measured: the straight part is half as long as Siconos 4.4 is told.
                made = collision.SiconosCapsule(size["radius"], 4.0 * size["half_length"])
            else:
                made = collision.SiconosCylinder(size["radius"], 2.0 * size["half_height"])
        made.setInsideMargin(self.margin * least)
        made.setOutsideMargin(0.0)
        self.kept.append(made)
        return collision.SiconosContactor(made, list(offset), group)

    def _fixed(self) -> None:
        for one in self.scene.fixed:
            self._static(self._contactor(one.shape, FIXED), one.position, one.orientation)
        for plane in self.scene.planes:
            if self.clip:
                shape = Shape("box", {"half_extents": [EXTENT, EXTENT, THICKNESS]})
                contactor = self._contactor(shape, FIXED, (0, 0, -THICKNESS, 1, 0, 0, 0))
            else:
                made = collision.SiconosPlane()
                self.kept.append(made)
                contactor = collision.SiconosContactor(made, [0, 0, 0, 1, 0, 0, 0], FIXED)
            self._static(contactor, plane.point, _from_z(plane.normal))

    def _static(self, contactor: collision.SiconosContactor, position: FloatArray, orientation: FloatArray) -> None:
        contactors = collision.SiconosContactorSet()
        contactors.append(contactor)
        self.kept.append(contactors)
        self.manager.insertStaticContactorSet(contactors, [*position, *orientation])

    def _joint(self, joint: Joint) -> None:
        if joint.friction > 0.0:
            # `JointFrictionR` with `RelayNSL`, in the scene four-bar.
            raise Unsupported(
                "JointFrictionR gives half the dry friction in a joint to the world (measured); its errors grow as steps shrink"
            )
        bodies = [self.bodies[name] for name in joint.between if name != "world"]
        if joint.kind == "revolute":
            made = joints.PivotJointR()
            made.setPoint(0, joint.anchor.tolist())
        else:
            made = joints.PrismaticJointR()
        made.setAxis(0, joint.axis.tolist())
        made.setAbsolute(True)
        made.setAllowSelfCollide(False)
        made.setBasePositions(bodies[0].q(), bodies[1].q() if len(bodies) > 1 else None)
        self._link(kernel.EqualityConditionNSL(made.numberOfConstraints()), made, bodies)
    def _link(self, law: object, relation: object, bodies: list) -> None:
        interaction = kernel.Interaction(law, relation)
        self.kept += [law, relation, interaction]
        self.system.link(interaction, *bodies)

    def _simulation(self, settings: Settings) -> None:
        jointed = bool(self.scene.joints)
        number = numerics.SICONOS_GENERIC_MECHANICAL_NSGS if jointed else numerics.SICONOS_FRICTION_3D_NSGS
        options = kernel.solver_options_create(number)
        options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = settings["iterations"]
        options.dparam[numerics.SICONOS_DPARAM_TOL] = settings["tolerance"]
        problem = kernel.GenericMechanical(options) if jointed else kernel.FrictionContact(3, options)
        if not jointed:
            problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
        problem.setMaxSize(0)
        problem.setKeepLambdaAndYState(True)
        integrator = kernel.MoreauJeanOSI(0.50001)
        integrator.setConstraintActivationThreshold(settings.get("activation", 0.0))
        clock = kernel.TimeDiscretisation(0.0, self.step_size)
        self.simulation = kernel.TimeStepping(self.system, clock)
        self.simulation.insertIntegrator(integrator)
        self.simulation.insertNonSmoothProblem(problem)
        self.simulation.insertInteractionManager(self.manager)
        self.simulation.setNewtonOptions(kernel.SICONOS_TS_NONLINEAR)
        self.simulation.setNewtonMaxIteration(20)
        self.simulation.setNewtonTolerance(1e-10)
        self.simulation.setWarnOnNonConvergence(False)
        self.kept += [options, problem, integrator, clock]

    def advance(self, steps: int) -> None:
        for step in range(steps):
            self.simulation.computeOneStep()
            if step == steps - 1 and self.system.topology().indexSetsSize() > 1:
                points = self.io.contactPoints(self.system, 1)
                self.found = np.zeros((0, 25)) if points is None else np.array(points)
            self.simulation.nextStep()

    def state(self) -> tuple[FloatArray, FloatArray]:
        poses, velocities = [], []
        for body in self.scene.bodies:
            pose, twist = np.array(self.bodies[body.name].q()), np.array(self.bodies[body.name].twist())
            poses.append(pose)
            velocities.append(np.concatenate([twist[:3], rotation(pose[3:]) @ twist[3:]]))
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        found = []
        for row in self.found.reshape(-1, 25):
            # Friction, two points, normal into the first body, impulse on it, gap, ..., numbers of the bodies.
            first, second = (self.scene.bodies[int(number)].name for number in row[23:25])
            other = "" if first == second else second
            found.append(Contact(other, first, 0.5 * (row[1:4] + row[4:7]), row[7:10], float(row[13]), row[10:13]))
        return found


def _corners(half_extents: list[float]) -> FloatArray:
    """The corners of a box."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * half_extents


def _from_z(normal: FloatArray) -> FloatArray:
    """A unit quaternion that turns z to the normal."""
    if normal[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    half = np.array([1.0 + normal[2], -normal[1], normal[0], 0.0])
    return half / np.linalg.norm(half)
