"""Newton on a CPU, in single precision: SolverKamino (Coulomb's law by proximal ADMM) and SolverXPBD (sweeps over positions)."""

from __future__ import annotations

import newton
import numpy as np
import warp as wp

from ..scene import Body, Joint, Scene, Shape, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "Newton"
LAW = "exact"

# Kamino's tolerance of 1e-6 is as fine as single precision allows; the rest are iterations.
SETTINGS: dict[str, Settings] = {
    "Kamino": {},
    "Kamino, 1000 iterations": {"iterations": 1000},
    "XPBD, 20 iterations": {"xpbd": 20},
}

#: Largest number of steps and of bodies; measured: 0.06 s for a step of one box on a CPU.
MOST_STEPS, MOST_BODIES = 2000, 50


def version() -> str:
    return newton.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    if scene.duration / step_size > MOST_STEPS or len(scene.bodies) > MOST_BODIES:
        raise Unsupported(
            f"a step of one box takes 0.06 s on a CPU; left out above {MOST_STEPS} steps or {MOST_BODIES} bodies"
        )
    wp.config.quiet = True
    wp.set_device("cpu")
    # Warp compiles kernels at their first step, minutes at a first run; a first world takes that, and its steps are thrown away.
    World(scene, step_size, settings).advance(2)
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        self.scene, self.step_size, self.xpbd = scene, step_size, "xpbd" in settings
        self.builder = newton.ModelBuilder()
        self.builder.gravity = tuple(scene.gravity.tolist())
        if not self.xpbd:
            newton.solvers.SolverKamino.register_custom_attributes(self.builder)
        self.surface = newton.ModelBuilder.ShapeConfig(
            density=0.0, mu=scene.friction, restitution=scene.restitution, mu_torsional=0.0, mu_rolling=0.0
        )
        self.owners: list[str] = []
        carried = scene.carried
        self.bodies = {body.name: self._body(body, body.name in carried) for body in scene.bodies}
        self._fixed()
        self._joints()
        self.model = self.builder.finalize(device="cpu")
        self.solver = self._solver(settings)
        self.pipeline = newton.CollisionPipeline(self.model)
        self.touching = self.pipeline.contacts()
        kind = newton.solvers.SolverBase.ObservableKind.CONTACT_F
        self.reported = None if self.xpbd else self.solver.observables({kind}, contacts=self.touching)
        self.now, self.next, self.control = self.model.state(), self.model.state(), self.model.control()
        velocities = np.array([[*body.velocity, *body.angular_velocity] for body in scene.bodies])
        self.now.body_qd.assign(velocities.astype(np.float32))
        newton.eval_ik(self.model, self.now, self.now.joint_q, self.now.joint_qd)

    def _solver(self, settings: Settings) -> newton.solvers.SolverBase:
        if self.xpbd:
            if any(joint.friction > 0.0 for joint in self.scene.joints):
                raise Unsupported("SolverXPBD has no dry friction in joints")
            return newton.solvers.SolverXPBD(
                self.model, iterations=settings["xpbd"], angular_damping=0.0, enable_restitution=self.scene.restitution > 0.0
            )
        config = newton.solvers.SolverKamino.Config()
        if "iterations" in settings:
            config.padmm.max_iterations = settings["iterations"]
        return newton.solvers.SolverKamino(self.model, config=config)

    def _body(self, body: Body, carried: bool) -> int:
        # A link has no joint of its own, a body a free one.
        add = self.builder.add_link if carried else self.builder.add_body
        inertia = wp.mat33(*np.diag(body.inertia).ravel().tolist())
        place = _place(body.position, body.orientation)
        number = add(xform=place, mass=body.mass, inertia=inertia, lock_inertia=True, label=body.name)
        if body.shape is not None:
            self._shape(number, body.shape, wp.transform_identity(), body.name)
        return number

    def _shape(self, body: int, shape: Shape, place: wp.transform, owner: str) -> None:
        size, add = shape.size, {"xform": place, "cfg": self.surface}
        if shape.kind == "sphere":
            self.builder.add_shape_sphere(body, radius=size["radius"], **add)
        elif shape.kind == "box":
            x, y, z = size["half_extents"]
            self.builder.add_shape_box(body, hx=x, hy=y, hz=z, **add)
        elif shape.kind == "capsule":
            self.builder.add_shape_capsule(body, radius=size["radius"], half_height=size["half_length"], **add)
        elif shape.kind == "cylinder":
            self.builder.add_shape_cylinder(body, radius=size["radius"], half_height=size["half_height"], **add)
        else:
            raise Unsupported("this adapter has no hulls")
        self.owners.append(owner)

    def _fixed(self) -> None:
        for one in self.scene.fixed:
            self._shape(-1, one.shape, _place(one.position, one.orientation), "")
        for plane in self.scene.planes:
            equation = (*plane.normal.tolist(), float(-plane.normal @ plane.point))
            self.builder.add_shape_plane(equation, width=0.0, length=0.0, cfg=self.surface)
            self.owners.append("")

    def _joints(self) -> None:
        tree = []
        for joint in self.scene.joints:
            parent, child = (self.bodies.get(name, -1) for name in joint.between)
            ends = dict(zip(("parent_xform", "child_xform"), (self._end(name, joint) for name in joint.between), strict=True))
            add = self.builder.add_joint_revolute if joint.kind == "revolute" else self.builder.add_joint_prismatic
            number = add(parent, child, axis=wp.vec3(0.0, 0.0, 1.0), friction=joint.friction, label=joint.name, **ends)
            if not joint.closes_loop:
                tree.append(number)
        if tree:
            self.builder.add_articulation(tree)

    def _end(self, name: str, joint: Joint) -> wp.transform:
        """The frame of a joint, with z along its axis, in the frame of one of its bodies."""
        frame = _place(joint.anchor, _from_z(joint.axis))
        if name == "world":
            return frame
        body = self.scene.bodies[self.scene.index[name]]
        return wp.transform_inverse(_place(body.position, body.orientation)) * frame

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            self.now.clear_forces()
            self.pipeline.collide(self.now, self.touching)
            more = {} if self.reported is None else {"observables": self.reported}
            self.solver.step(self.now, self.next, self.control, self.touching, self.step_size, **more)
            self.now, self.next = self.next, self.now

    def state(self) -> tuple[FloatArray, FloatArray]:
        order = list(self.bodies.values())
        places = self.now.body_q.numpy().astype(float)[order]
        poses = np.hstack([places[:, :3], places[:, [6, 3, 4, 5]]])
        return poses, self.now.body_qd.numpy().astype(float)[order]

    def contacts(self) -> list[Contact] | None:
        if self.reported is None:
            return None
        count = int(self.touching.rigid_contact_count.numpy()[0])
        shapes = [getattr(self.touching, f"rigid_contact_shape{end}").numpy()[:count] for end in (0, 1)]
        points = [getattr(self.touching, f"rigid_contact_point{end}").numpy()[:count].astype(float) for end in (0, 1)]
        normals = self.touching.rigid_contact_normal.numpy()[:count].astype(float)
        margins = [getattr(self.touching, f"rigid_contact_margin{end}").numpy()[:count].astype(float) for end in (0, 1)]
        forces = self.reported.contact_f.numpy()[:count].astype(float)
        # Points are in the frames of the bodies, which have moved on since; `next` has the state before the step.
        before = self.next.body_q.numpy().astype(float)
        found = []
        for row in range(count):
            names = [self.owners[int(shape[row])] for shape in shapes]
            places = [_world(before, self.bodies.get(name), point[row]) for name, point in zip(names, points, strict=True)]
            gap = float((places[1] - places[0]) @ normals[row] - margins[0][row] - margins[1][row])
            # The force is that on the first shape.
            impulse = -self.step_size * forces[row, :3]
            found.append(Contact(names[0], names[1], 0.5 * (places[0] + places[1]), normals[row], gap, impulse))
        return found


def _world(places: FloatArray, body: int | None, point: FloatArray) -> FloatArray:
    if body is None:
        return point
    x, y, z, w = places[body, 3:]
    return places[body, :3] + rotation(np.array([w, x, y, z])) @ point


def _place(position: FloatArray, orientation: FloatArray) -> wp.transform:
    w, x, y, z = orientation.tolist()
    return wp.transform(wp.vec3(*position.tolist()), wp.quat(x, y, z, w))


def _from_z(axis: FloatArray) -> FloatArray:
    """A unit quaternion that turns z to the axis."""
    if axis[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    half = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    return half / np.linalg.norm(half)
