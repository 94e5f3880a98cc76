"""pinocchio with coal: a semi-implicit step around its constraint solvers (ADMM, PGS), with exact Coulomb friction."""

from __future__ import annotations

import itertools

import coal
import numpy as np
import pinocchio as pin

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "pinocchio"
LAW = "exact"

# pinocchio has dynamics, constraints and solvers, but no time stepper: the step is this adapter's.
SETTINGS: dict[str, Settings] = {
    "ADMM 1e-6": {"solver": "ADMM"},
    "ADMM 1e-9": {"solver": "ADMM", "tolerance": 1e-9, "iterations": 10_000},
    "PGS 1e-6": {"solver": "PGS"},
}

#: Distance up to which coal looks for contacts (m).
MARGIN = 0.01
#: Fraction of a penetration or of a gap of a loop that a step corrects.
CORRECTION = 0.2
#: Largest number of bodies; the Cholesky decomposition of the constraints is one dense matrix.
MOST = 300


def version() -> str:
    return pin.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    if scene.restitution > 0.0:
        raise Unsupported("the contact constraints of pinocchio have no restitution")
    if len(scene.bodies) > MOST:
        raise Unsupported(f"the constraint decomposition is one dense matrix, used for at most {MOST} bodies here")
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size = scene, step_size
        self.model, self.geometries = pin.Model(), pin.GeometryModel()
        self.model.gravity = pin.Motion(scene.gravity, np.zeros(3))
        carried = scene.carried
        self.joints: dict[str, int] = {}
        #: Center of mass of each body in the frame of its joint.
        self.centers: dict[str, FloatArray] = {}
        for body in scene.bodies:
            self._body(body, carried.get(body.name))
        self._shapes()
        self.data, self.geometry_data = self.model.createData(), pin.GeometryData(self.geometries)
        for request in self.geometry_data.collisionRequests:
            request.security_margin, request.enable_contact = MARGIN, True
            # With coal's default of 1e-6 boxes with a gap of 1e-6 m got normals turned around.
            request.gjk_tolerance = 1e-8
        self._start(carried)
        self._constraints()
        kind = settings["solver"]
        self.solver = getattr(pin, f"{kind}ConstraintSolver")()
        self.options = getattr(pin, f"{kind}SolverSettings")()
        if "tolerance" in settings:
            for name in ("absolute_feasibility", "relative_feasibility", "absolute_complementarity", "relative_complementarity"):
                setattr(self.options, f"{name}_tol", settings["tolerance"])
            self.options.max_iterations = settings["iterations"]
        self.new_result = getattr(pin, f"{kind}SolverResult")
        self.impulses = np.zeros(0)
        self.found: list[Contact] = []

    def _body(self, body: Body, joint: Joint | None) -> None:
        """A joint whose frame has the axes of the body, and its origin in the anchor or the center of mass."""
        turn = rotation(body.orientation)
        center = np.zeros(3)
        if joint is None:
            # Translation and ball joint rather than a free flyer, whose velocity of the center turns with the body: an explicit
            # step in these axes makes a rolling ball faster and faster.
            free = pin.JointModelComposite(pin.JointModelTranslation())
            free.addJoint(pin.JointModelSpherical())
            number = self.model.addJoint(0, free, pin.SE3.Identity(), body.name)
        else:
            parent, place = 0, pin.SE3(turn, joint.anchor)
            if joint.between[0] != "world":
                carrier = self.scene.bodies[self.scene.index[joint.between[0]]]
                axes = rotation(carrier.orientation)
                parent = self.joints[carrier.name]
                origin = carrier.position - axes @ self.centers[carrier.name]
                place = pin.SE3(axes, origin).actInv(place)
            kind = pin.JointModelRevoluteUnaligned if joint.kind == "revolute" else pin.JointModelPrismaticUnaligned
            number = self.model.addJoint(parent, kind(turn.T @ joint.axis), place, body.name)
            center = turn.T @ (body.position - joint.anchor)
        self.joints[body.name], self.centers[body.name] = number, center
        self.model.appendBodyToJoint(number, pin.Inertia(body.mass, center, np.diag(body.inertia)), pin.SE3.Identity())

    def _shapes(self) -> None:
        owners = []
        for body in self.scene.bodies:
            if body.shape is not None:
                place = pin.SE3(np.eye(3), self.centers[body.name])
                self._geometry(body.name, self.joints[body.name], place, _shape(body.shape))
                owners.append(body.name)
        for one in self.scene.fixed:
            self._geometry(one.name, 0, pin.SE3(rotation(one.orientation), one.position), _shape(one.shape))
            owners.append("")
        for plane in self.scene.planes:
            self._geometry(plane.name, 0, pin.SE3.Identity(), coal.Halfspace(plane.normal, plane.normal @ plane.point))
            owners.append("")
        self.owners = owners
        joined = {frozenset(joint.between) for joint in self.scene.joints}
        for first, second in itertools.combinations(range(len(owners)), 2):
            if owners[first] and frozenset((owners[first], owners[second] or "world")) not in joined:
                self.geometries.addCollisionPair(pin.CollisionPair(first, second))

    def _geometry(self, name: str, joint: int, place: pin.SE3, shape: coal.ShapeBase) -> None:
        self.geometries.addGeometryObject(pin.GeometryObject(name, joint, place, shape))

    def _start(self, carried: dict[str, Joint]) -> None:
        self.q, self.v = pin.neutral(self.model), np.zeros(self.model.nv)
        for body in self.scene.bodies:
            joint = self.joints[body.name]
            place, speed = self.model.idx_qs[joint], self.model.idx_vs[joint]
            if body.name in carried:
                self.v[speed] = carried[body.name].speed
                continue
            w, x, y, z = body.orientation
            turn = rotation(body.orientation).T
            self.q[place : place + 7] = [*body.position, x, y, z, w]
            self.v[speed : speed + 6] = [*body.velocity, *(turn @ body.angular_velocity)]

    def _constraints(self) -> None:
        """The constraints that all steps have: dry friction of joints, and loops."""
        self.always = []
        dry = [joint for joint in self.scene.joints if joint.friction > 0.0]
        if any(joint.closes_loop for joint in dry):
            raise Unsupported("pinocchio has dry friction in joints of its tree only, not in a joint that closes a loop")
        if dry:
            numbers = pin.StdVec_Index()
            numbers.extend([self.joints[joint.between[1]] for joint in dry])
            most = np.zeros(self.model.nv)
            for joint in dry:
                most[self.model.idx_vs[self.joints[joint.between[1]]]] = joint.friction
            model = pin.JointFrictionConstraintModel(self.model, numbers, -most, most)
            model.setTimeStep(self.step_size)
            self.always.append(pin.ConstraintModel(model))
        self.loops = 0
        for joint in self.scene.joints:
            if not joint.closes_loop:
                continue
            if joint.kind != "revolute":
                raise Unsupported("only revolute joints close loops in this adapter")
            # pinocchio has constraints of points: one closes a planar mechanism, and two on the axis any other. Redundant rows
            # make its solvers fail at singular positions.
            planar = all(one.kind == "revolute" and abs(one.axis @ joint.axis) > 1.0 - 1e-12 for one in self.scene.joints)
            for shift in (0.0,) if planar else (0.0, 0.1):
                ends = []
                for name in joint.between:
                    ends += self._anchor(name, joint.anchor + shift * joint.axis)
                self.always.append(pin.ConstraintModel(pin.PointAnchorConstraintModel(self.model, *ends)))
                self.loops += 1

    def _anchor(self, name: str, point: FloatArray) -> list:
        """Joint of a body, and placement of a point of the start in the frame of that joint."""
        if name == "world":
            return [0, pin.SE3(np.eye(3), point)]
        body = self.scene.bodies[self.scene.index[name]]
        turn = rotation(body.orientation).T
        return [self.joints[name], pin.SE3(turn, turn @ (point - body.position) + self.centers[name])]

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self._step()

    def _step(self) -> None:
        model, data, h = self.model, self.data, self.step_size
        tau = np.zeros(model.nv)
        free = self.v + h * pin.aba(model, data, self.q, self.v, tau)
        pin.computeJointJacobians(model, data, self.q)
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        pin.updateGeometryPlacements(model, data, self.geometries, self.geometry_data)
        pin.computeCollisions(self.geometries, self.geometry_data)
        pin.computeContactPatches(self.geometries, self.geometry_data)
        constraints, frames, self.found = self._contacts()
        if not constraints:
            self.v = free
        else:
            values = pin.StdVec_ConstraintData()
            for constraint in constraints:
                values.append(constraint.createData())
                constraint.calc(model, data, values[-1])
            cholesky = pin.ConstraintCholeskyDecomposition(model, data, constraints, values)
            cholesky.compute(model, data, constraints, values, 1e-10)
            jacobian = np.reshape(pin.getConstraintsJacobian(model, data, constraints, values), (-1, model.nv))
            aim = jacobian @ free + self._corrections(values, len(jacobian))
            result = self.new_result()
            if len(self.impulses) == len(aim):
                result.setConstraintImpulseGuess(self.impulses)
            delassus = cholesky.getDelassusOperatorCholeskyExpression()
            self.solver.solve(delassus, aim, constraints, values, self.options, result)
            self.impulses = np.array(result.retrieveConstraintImpulses()).ravel()
            self.v = self.v + h * pin.aba(model, data, self.q, self.v, jacobian.T @ self.impulses / h)
            start = len(aim) - 3 * len(frames)
            for contact, frame, impulse in zip(self.found, frames, self.impulses[start:].reshape(-1, 3), strict=True):
                contact.impulse[:] = frame @ impulse
        self.q = pin.integrate(model, self.q, h * self.v)

    def _contacts(self) -> tuple[pin.StdVec_ConstraintModel, list[FloatArray], list[Contact]]:
        """All constraints of a step, contacts last; axes of the contacts; the contacts without their impulses."""
        constraints, frames, found = pin.StdVec_ConstraintModel(), [], []
        for one in self.always:
            constraints.append(one)
        for pair, result in zip(self.geometries.collisionPairs, self.geometry_data.contactPatchResults, strict=True):
            for number in range(result.numContactPatches()):
                patch = result.getContactPatch(number)
                frame = _axes(np.array(patch.getNormal()).ravel())
                joints = [self.geometries.geometryObjects[geometry].parentJoint for geometry in (pair.first, pair.second)]
                for corner in range(patch.size()):
                    place = pin.SE3(frame, np.array(patch.getPoint(corner)).ravel())
                    ends = [self.data.oMi[joint].actInv(place) for joint in joints]
                    model = pin.PointContactConstraintModel(self.model, joints[0], ends[0], joints[1], ends[1])
                    model.setFriction(self.scene.friction)
                    constraints.append(pin.ConstraintModel(model))
                    frames.append(frame)
                    names = self.owners[pair.first], self.owners[pair.second]
                    gap = float(patch.penetration_depth)
                    found.append(Contact(*names, place.translation.copy(), frame[:, 2], gap, np.zeros(3)))
        return constraints, frames, found

    def _corrections(self, values: pin.StdVec_ConstraintData, size: int) -> FloatArray:
        """Velocities to be added: a contact may close its gap in a step; other errors of position fade."""
        shift = np.zeros(size)
        rates = [contact.gap * (1.0 if contact.gap > 0.0 else CORRECTION) for contact in self.found]
        contacts = size - 3 * len(rates)
        shift[contacts:][2::3] = rates
        for number in range(self.loops):
            error = values[len(self.always) - self.loops + number].extract().constraint_position_error
            at = contacts - 3 * (self.loops - number)
            shift[at : at + 3] = CORRECTION * np.array(error).ravel()[:3]
        return shift / self.step_size

    def state(self) -> tuple[FloatArray, FloatArray]:
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        poses, velocities = [], []
        for body in self.scene.bodies:
            joint, center = self.joints[body.name], self.centers[body.name]
            place = self.data.oMi[joint]
            x, y, z, w = pin.Quaternion(place.rotation).coeffs()
            poses.append([*place.act(center), w, x, y, z])
            moving = pin.getVelocity(self.model, self.data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            linear = moving.linear + np.cross(moving.angular, place.rotation @ center)
            velocities.append([*linear, *moving.angular])
        return np.array(poses), np.array(velocities)

    def contacts(self) -> list[Contact]:
        return self.found


def _axes(normal: FloatArray) -> FloatArray:
    """A rotation matrix whose third column is the normal."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(normal, first), normal])


def _shape(shape: Shape) -> coal.ShapeBase:
    size = shape.size
    if shape.kind == "sphere":
        return coal.Sphere(size["radius"])
    if shape.kind == "box":
        return coal.Box(*(2.0 * np.array(size["half_extents"])))
    if shape.kind == "capsule":
        return coal.Capsule(size["radius"], 2.0 * size["half_length"])
    if shape.kind == "cylinder":
        return coal.Cylinder(size["radius"], 2.0 * size["half_height"])
    points = coal.StdVec_Vec3s()
    points.extend([np.array(point, float) for point in size["points"]])
    return coal.Convex.convexHull(points, True, "Qt")
