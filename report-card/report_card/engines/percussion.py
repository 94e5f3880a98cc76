"""percussion: exact Coulomb friction in each step, or motion from event to event."""

from __future__ import annotations

import numpy as np
import percussion
import tomli_w

from ..scene import Scene, rotation
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "percussion"
LAW = "exact"

SETTINGS: dict[str, Settings] = {
    "moreau-jean": {"scheme": "moreau-jean"},
    "impulse-velocity": {"scheme": "impulse-velocity"},
    "stewart-trinkle": {"scheme": "stewart-trinkle"},
    "variational": {"scheme": "variational"},
    "event-driven": {"scheme": "event-driven"},
}


def version() -> str:
    return percussion.__version__


def build(scene: Scene, step_size: float, settings: Settings) -> World | Events:
    scheme = settings["scheme"]
    if scene.restitution > 0.0 and scheme in ("impulse-velocity", "stewart-trinkle"):
        raise Unsupported(f"{scheme} has no restitution")
    integrator = {"method": scheme, "step_size": step_size}
    model = percussion.Model.from_toml(tomli_w.dumps({**scene.document, "integrator": integrator}))
    try:
        return Events(scene, model) if scheme == "event-driven" else World(scene, model)
    except ValueError as error:
        raise Unsupported(str(error)) from error


#: Distance beyond that of the contacts of a step within which their rows are looked for (m).
REACH = 1e-3


class Coordinates:
    """Poses and velocities of the bodies from coordinates and velocities of the model."""

    def __init__(self, scene: Scene, model: percussion.Model) -> None:
        self.scene, self.model = scene, model
        carried = scene.carried
        self.free = not carried
        # Poses of the model are those of its frames, which lie in the joint for bodies on joints.
        poses = model.poses()
        apart = np.array([body.position for body in scene.bodies]) - poses[:, :3]
        self.centers = np.einsum("nji,nj->ni", rotation(poses[:, 3:]), apart)
        # Columns of coordinates whose rates are the velocities, for bodies on joints.
        self.kinds = [1 if name in carried else 6 for name in model.bodies]

    def state(self, coordinates: FloatArray, velocity: FloatArray) -> tuple[FloatArray, FloatArray]:
        poses = self.poses(coordinates)
        if self.free:
            return poses, velocity.reshape(-1, 6)
        return poses, self._by_difference(coordinates, velocity)

    def poses(self, coordinates: FloatArray) -> FloatArray:
        poses = self.model.poses(coordinates)
        poses[:, :3] += np.einsum("nij,nj->ni", rotation(poses[:, 3:]), self.centers)
        return poses

    def _by_difference(self, coordinates: FloatArray, velocity: FloatArray) -> FloatArray:
        """Velocities of all bodies by central differences of their poses, whose error is some 1e-10 of the speeds."""
        rate, at = [], [0, 0]
        for width in self.kinds:
            place, speed = at
            if width == 1:
                rate.append(velocity[speed])
                at = [place + 1, speed + 1]
                continue
            w, x, y, z = coordinates[place + 3 : place + 7]
            half = 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])
            rate += [*velocity[speed : speed + 3], *(half @ velocity[speed + 3 : speed + 6])]
            at = [place + 7, speed + 6]
        step = 1e-5 / max(1.0, float(np.abs(rate).max()))
        after, before = (self.poses(coordinates + sign * step * np.array(rate)) for sign in (1.0, -1.0))
        change = (after - before) / (2.0 * step)
        w, x, y, z = self.model.poses(coordinates)[:, 3:].T
        double = 2.0 * np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]])
        return np.hstack([change[:, :3], np.einsum("ijn,nj->ni", double, change[:, 3:])])


class World:
    """Motion in steps."""

    def __init__(self, scene: Scene, model: percussion.Model) -> None:
        self.scene, self.model = scene, model
        self.simulation = percussion.Simulation(model)
        self.bodies = Coordinates(scene, model)
        self.step_size = float(self.simulation.scheme["step_size"])
        #: Whether the contacts after the next advance will be asked for.
        self.reports = False
        self.report: percussion.StepReport | None = None
        self.before: FloatArray | None = None

    def advance(self, steps: int) -> None:
        simulation = self.simulation
        # A step that is judged is made by itself, for the report of its contacts; bodies on joints have none.
        alone = 1 if self.reports and self.bodies.free else 0
        if steps > alone:
            summary = simulation.advance(simulation.time + (steps - alone) * self.step_size)
            if summary.unsolved:
                raise RuntimeError(f"{summary.unsolved} steps are not solved")
        self.report = None
        if alone:
            self.before = simulation.coordinates
            self.report = simulation.step()

    def state(self) -> tuple[FloatArray, FloatArray]:
        return self.bodies.state(self.simulation.coordinates, self.simulation.velocity)

    def contacts(self) -> list[Contact] | None:
        report, before = self.report, self.before
        if report is None or before is None or not self.bodies.free:
            return None
        if len(report.contacts) == 0:
            return []
        near = self.model.contacts(before, proximity=float(np.abs(report.gaps).max()) + REACH)
        rows = dict(zip(near.names, near.jacobian.reshape(len(near), 3, len(self.model.velocity)), strict=True))
        poses = self.bodies.poses(before)
        names = [self.simulation.contact_names[number] for number in report.contacts]
        if not all(name in rows for name in names):
            return None
        return [
            self._contact(rows[name], poses, float(gap), impulse)
            for name, gap, impulse in zip(names, report.gaps, report.impulses, strict=True)
        ]

    def _contact(self, rows: FloatArray, poses: FloatArray, gap: float, impulse: FloatArray) -> Contact:
        """A contact from its rows: ``d`` for the velocity and ``r × d`` for the spin of a body, for each direction ``d`` of its frame."""
        parts = rows.reshape(3, -1, 6)
        second, *others = (number for number in range(parts.shape[1]) if parts[:, number, :3].any())
        frame, turns = parts[:, second, :3], parts[:, second, 3:]
        # Σ d × (r × d) = 2 r for three orthonormal directions.
        arm = 0.5 * np.cross(frame, turns).sum(axis=0)
        names = [body.name for body in self.scene.bodies]
        first = names[others[0]] if others else ""
        return Contact(first, names[second], poses[second, :3] + arm, frame[0], gap, frame.T @ impulse)


class Events:
    """Motion from event to event, computed at once when it is asked for its first part."""

    def __init__(self, scene: Scene, model: percussion.Model) -> None:
        if scene.restitution > 0.0 and scene.friction > 0.0:
            law = "newton"
        else:
            law = "poisson"
        self.scene, self.model, self.law = scene, model, law
        self.bodies = Coordinates(scene, model)
        self.now = 0.0
        self.motion: percussion.EventMotion | None = None

    def advance_to(self, time: float) -> None:
        if self.motion is None:
            every = float(self.scene.sample_times[1])
            self.motion = self.model.simulate_events(law=self.law, step_size=every)
            self.motion.check()
        self.now = time

    def state(self) -> tuple[FloatArray, FloatArray]:
        assert self.motion is not None
        trajectory = self.motion.trajectory
        # The last sample at this time is the one after an event.
        at = int(np.searchsorted(trajectory.times, self.now + 1e-9, side="right")) - 1
        return self.bodies.state(trajectory.coordinates[at], trajectory.velocities[at])

    def contacts(self) -> list[Contact] | None:
        return None
