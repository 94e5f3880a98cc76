"""Mechanisms from files: robots (URDF, MJCF) and scenarios (TOML), at any posture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from ._plot import trajectory_figure
from .errors import UnsolvedError
from .friction import FrictionProblem
from .impact import Impact

__all__ = ["Actuator", "ContactProblem", "ContactsAt", "EventMotion", "Model", "Trajectory"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Actuator(Result):
    """An actuator of a model."""

    name: str
    #: The names of the joints that it moves.
    joints: tuple[str, ...]
    #: Smallest and largest control, and force (N, N·m); may be infinite.
    control_range: tuple[float, float]
    force_range: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContactsAt(Result):
    """The contacts of a model at one posture."""

    names: tuple[str, ...]
    #: Distances of the surfaces (m; rad of the limit of an angle), negative when penetrating.
    gaps: FloatArray
    #: Rows of the contact velocities, contact by contact: normal, tangent 1 and, in space, tangent 2.
    jacobian: FloatArray
    friction: FloatArray
    restitution: FloatArray

    def __len__(self) -> int:
        return len(self.names)

    def _only(self, kept: Sequence[int]) -> ContactsAt:
        """Return the contacts with these numbers."""
        chosen = list(kept)
        rows = self.jacobian.reshape(len(self), -1, self.jacobian.shape[1])[chosen]
        return ContactsAt(
            tuple(self.names[index] for index in chosen),
            self.gaps[chosen],
            rows.reshape(-1, self.jacobian.shape[1]),
            self.friction[chosen],
            self.restitution[chosen],
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ContactProblem(Result):
    """The contact problem of a step, and its contacts in the same order."""

    problem: FrictionProblem
    contacts: ContactsAt


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trajectory(Result):
    """A motion as arrays: the start, followed by every step end."""

    #: ``completed``, or ``energy-gained`` if a step ended with more energy than the motion can have.
    status: str
    #: Times (s).
    times: FloatArray
    #: Total energy (J).
    energies: FloatArray
    #: Coordinates, one row for each time (m, rad or unit quaternions, ``w`` first).
    coordinates: FloatArray
    #: Velocities, one row for each time (m/s, rad/s).
    velocities: FloatArray
    #: Gaps of the contacts that are known beforehand, one row for each time (m).
    gaps: FloatArray
    #: All contacts: those known beforehand, then those that were found during the motion.
    contact_names: tuple[str, ...]
    #: Deepest penetration at any step end (m).
    deepest_penetration: float
    #: Largest relative residual of any step.
    largest_relative_residual: float
    #: Largest change of the energy in a step (J); negative if every step loses energy.
    largest_energy_increase: float
    #: For each contact of each step, the number of the step (from 0) and of the contact in ``contact_names``.
    impulse_steps: tuple[int, ...]
    impulse_contacts: tuple[int, ...]
    #: Their impulses (N·s), one row each: normal, tangent 1, tangent 2.
    impulses: FloatArray

    def check(self) -> Trajectory:
        """Return the trajectory itself, or raise ``UnsolvedError`` if it gained more energy than it can have."""
        if self.status != "completed":
            raise UnsolvedError(f"the motion is {self.status}", self)
        return self

    def figure(self, coordinates: Sequence[int] | None = None) -> Any:
        """Draw all coordinates, or some, the energy and the normal impulses over time, as a ``matplotlib.figure.Figure``."""
        return trajectory_figure(self, coordinates)

    def __len__(self) -> int:
        return len(self.times)

    @classmethod
    def _of(cls, parts: dict[str, Any]) -> Trajectory:
        for key in ("contact_names", "impulse_steps", "impulse_contacts"):
            parts[key] = tuple(parts[key])
        return cls(**parts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EventMotion(Result):
    """A motion from event to event."""

    #: ``end-reached``, ``energy-gained``, or the limit or failure at which it ended early.
    status: str
    #: Samples at multiples of the step and on both sides of each event; it has no reports of steps and no impulses.
    trajectory: Trajectory
    #: Impacts, accumulations, jams and changes of modes in order of time; each has at least ``time`` (s) and ``kind``.
    events: tuple[dict[str, Any], ...]
    #: The modes of the contacts at the end.
    modes: tuple[Any, ...]
    #: Energy at the end that its balance does not explain (J).
    energy_residual: float
    #: How accurately closed contacts and loops held (m, m/s).
    drift: dict[str, float]
    #: Counters.
    work: dict[str, int]

    def check(self) -> EventMotion:
        """Return the motion itself, or raise ``UnsolvedError`` if it did not reach its end or gained energy."""
        if self.status != "end-reached":
            raise UnsolvedError(f"the motion is {self.status} at {self.trajectory.times[-1]:g} s", self)
        return self


class Model:
    """Bodies, joints and surfaces from a file, with their initial state.

    >>> ball = Model.from_toml('''
    ... name = "ball"
    ... title = "A ball above the floor"
    ... source = "first year mechanics"
    ... dimension = "space"
    ... gravity = [0.0, 0.0, -10.0]
    ... duration = 1.0
    ... friction = 0.3
    ... bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 1.1] }]
    ... planes = [{ name = "floor", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }]
    ... integrator = { method = "moreau-jean", step_size = 0.01 }
    ... ''')
    >>> ball.mass_matrix().diagonal()[:3]
    array([2., 2., 2.])
    >>> ball.energy()  # kinetic, and 2 kg · 10 m/s² · 1.1 m
    (0.0, 22.0)
    """

    __slots__ = ("_core",)
    _core: _percussion.ModelCore

    @classmethod
    def _of(cls, core: _percussion.ModelCore) -> Model:
        model = cls.__new__(cls)
        model._core = core
        return model

    def __init__(self) -> None:
        raise TypeError("a Model is created by Model.from_file, Model.from_robot or Model.from_toml")

    @classmethod
    def from_file(cls, path: str | PathLike[str], **options: Any) -> Model:
        """Read a robot (``.urdf``, ``.xml``) or a scenario (``.toml``); for a robot, the options are those of ``from_robot``."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in (".urdf", ".xml"):
            return cls.from_robot(path, **options)
        if suffix != ".toml":
            raise ValueError(f"`path` is {path}, expected a file named *.urdf, *.xml or *.toml")
        if options:
            raise ValueError(f"`{next(iter(options))}` is an option of robots, but `{path}` is a scenario")
        return cls.from_toml(path.read_text(encoding="utf-8"), path.parent)

    @classmethod
    def from_toml(cls, text: str, folder: str | PathLike[str] = ".") -> Model:
        """Create a model from the text of a scenario; paths in it are relative to ``folder``."""
        return cls._of(_percussion.ModelCore.from_toml(text, str(folder)))

    @classmethod
    def from_robot(
        cls,
        path: str | PathLike[str],
        *,
        gravity: Sequence[float] | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        fixed_base: bool = False,
        scheme: str | None = None,
        drive: str | PathLike[str] = "limp",
        ground: float | None = None,
        keyframe: str | None = None,
        joints: Mapping[str, float | Sequence[float]] | None = None,
        **options: Any,
    ) -> Model:
        """Create a model of a robot in URDF or in MuJoCo's MJCF (``.xml``), as ``percussion run`` does.

        A robot in URDF stands with its lowest point on a floor through the origin, perpendicular to gravity, in its zero coordinates; its
        root floats, unless its name is ``world`` or ``fixed_base`` is set. A model in MJCF has its own bodies, gravity and
        positions, those of ``keyframe`` if it is given. ``ground`` is the height of a floor (m). ``gravity`` is (0, 0, −9.81) m/s² where the file has
        none, ``friction`` is 0.8 and ``restitution`` 0 for surfaces without values. ``joints`` are coordinates by the names of joints
        (rad, m). ``scheme`` is the integration scheme, by default ``moreau-jean``.

        ``drive`` is what moves the joints: ``limp`` nothing, ``hold`` servos that hold the start, ``controls`` the actuators of the file
        (see ``Simulation.set_controls``), or the name of a file of targets (``.csv``). Further options are the fields of ``[robot]`` in a
        scenario: ``position``, ``orientation``, ``velocity``, ``velocities``, ``height``, ``on_floor``, ``self_contacts``, ``allow_massless``,
        ``leave_out_shapes``, ``packages``. Content of the file without effect is listed in ``warnings``.
        """
        named = {"scheme": scheme, "ground": ground, "keyframe": keyframe, "restitution": restitution, **options}
        options = {key: value for key, value in named.items() if value is not None}
        if fspath(drive) != "limp":
            options["drive"] = fspath(drive)
        if fixed_base:
            options["fixed_base"] = True
        if joints is not None:
            options["joints"] = dict(joints)
        down = None if gravity is None else [float(entry) for entry in gravity]
        if down is not None and len(down) != 3:
            raise ValueError(f"`gravity` has {len(down)} entries, expected 3 (m/s²)")
        return cls._of(_percussion.ModelCore.from_robot(str(path), down, friction, options))

    @classmethod
    def from_urdf(cls, path: str | PathLike[str], **options: Any) -> Model:
        """Create a model of a robot in URDF; see ``from_robot``."""
        return cls.from_robot(path, **options)

    @property
    def name(self) -> str:
        """Name."""
        return self._core.name

    @property
    def title(self) -> str:
        """Title, one line."""
        return self._core.title

    @property
    def warnings(self) -> tuple[str, ...]:
        """Content of a robot description that has no effect or was filled in, each with its line."""
        return tuple(self._core.warnings)

    @property
    def is_planar(self) -> bool:
        """Whether it moves in the x–y plane; contacts then have one tangent."""
        return self._core.is_planar

    @property
    def bodies(self) -> dict[str, float]:
        """The mass of each body by its name (kg), in the order of the system."""
        return dict(self._core.bodies)

    @property
    def mass(self) -> float:
        """Mass of all bodies (kg)."""
        return float(sum(self.bodies.values()))

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """The actuators that act on it, in the order of their controls."""
        return tuple(
            Actuator(name, tuple(joints), (control[0], control[1]), (force[0], force[1]))
            for name, joints, control, force in self._core.actuators
        )

    @property
    def contact_names(self) -> tuple[str, ...]:
        """The contacts that are known beforehand, such as limits of joints; others are found between near surfaces."""
        return tuple(self._core.contact_names)

    @property
    def coordinates(self) -> FloatArray:
        """Coordinates at the start (m, rad or unit quaternions, ``w`` first)."""
        return self._core.coordinates()

    @property
    def velocity(self) -> FloatArray:
        """Velocity at the start (m/s, rad/s)."""
        return self._core.velocity()

    def mass_matrix(self, coordinates: npt.ArrayLike | None = None) -> FloatArray:
        """Return the mass matrix at ``coordinates``, those of the start by default."""
        return self._core.mass_matrix(coordinates)

    def smooth_forces(
        self, coordinates: npt.ArrayLike | None = None, velocity: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Return the forces without contacts (N, N·m), ``k`` in ``M dv/dt = k``: gravity, springs, dampers, Coriolis."""
        return self._core.smooth_forces(coordinates, velocity)

    def energy(
        self, coordinates: npt.ArrayLike | None = None, velocity: npt.ArrayLike | None = None
    ) -> tuple[float, float]:
        """Return the kinetic and the potential energy (J)."""
        return self._core.energy(coordinates, velocity)

    def poses(self, coordinates: npt.ArrayLike | None = None) -> FloatArray:
        """Return a row for each body: its position (m) and its unit quaternion, ``w`` first, in the world."""
        return self._core.poses(coordinates)

    def contacts(self, coordinates: npt.ArrayLike | None = None, *, proximity: float = 1e-6) -> ContactsAt:
        """Return the contacts at ``coordinates`` whose gap is at most ``proximity`` (m)."""
        parts = self._core.contacts(coordinates, proximity)
        parts["names"] = tuple(parts["names"])
        return ContactsAt(**parts)

    def impact(
        self, coordinates: npt.ArrayLike | None = None, velocity: npt.ArrayLike | None = None
    ) -> Impact:
        """Return the impact of all contacts at ``coordinates`` with the ``velocity`` before it."""
        core = self._core.impact(coordinates, velocity)
        posture = tuple(None if one is None else tuple(np.asarray(one).tolist()) for one in (coordinates, velocity))
        return Impact._of(core, (_impact, (self, *posture)))

    def contact_problem(
        self,
        step_size: float,
        coordinates: npt.ArrayLike | None = None,
        velocity: npt.ArrayLike | None = None,
        *,
        forces: npt.ArrayLike | None = None,
        proximity: float = 1e-6,
    ) -> ContactProblem | None:
        """Return the contact problem of a step of ``step_size`` (s) from a posture, or None if no contact can move.

        All contacts that are nearer than ``proximity`` (m) count as closed, at velocity level: ``u_f = J (v + h M⁻¹ (k + f))``
        with the smooth forces ``k`` and the generalized ``forces`` ``f`` of drives (n_v; N, N·m). Contacts that no impulse moves
        are left out. Models with joints that close loops are not supported.
        """
        found = self.contacts(coordinates, proximity=proximity)
        if len(found) == 0:
            return None
        mass = self.mass_matrix(coordinates)
        before = self.velocity if velocity is None else np.asarray(velocity, dtype=np.float64)
        acting = self.smooth_forces(coordinates, velocity)
        if forces is not None:
            acting = acting + np.asarray(forces, dtype=np.float64)
        response = np.linalg.solve(mass, np.column_stack([found.jacobian.T, acting]))
        delassus = found.jacobian @ response[:, :-1]
        free = found.jacobian @ (before + step_size * response[:, -1])
        reduced = FrictionProblem.reduced(0.5 * (delassus + delassus.T), free, found.friction)
        if reduced is None:
            return None
        problem, moving = reduced
        return ContactProblem(problem, found._only(moving))

    def simulate(
        self,
        duration: float | None = None,
        *,
        scheme: str | None = None,
        step_size: float | None = None,
    ) -> Trajectory:
        """Simulate the model from its start, as ``percussion run`` does, and return the whole trajectory.

        ``duration`` (s), ``scheme`` and ``step_size`` (s) are those of the file by default; ``percussion.schemes()`` lists the
        schemes. For settings, control and single steps use ``Simulation``.
        """
        return Trajectory._of(self._core.simulate(scheme, duration, step_size))

    def simulate_events(
        self,
        duration: float | None = None,
        *,
        law: str = "poisson",
        step_size: float | None = None,
        **settings: Any,
    ) -> EventMotion:
        """Simulate the model from event to event, with one of ``percussion.impact_laws()`` and its ``settings`` for impacts.

        ``duration`` (s) and the time between samples ``step_size`` (s) are those of the file by default; there are also samples on both
        sides of each event. Of a set of outcomes the first sample is taken; laws with a list of outcomes are refused.

        A ball dropped from 0.8 m lands after 0.4 s with 4 m/s, and rises to a quarter of the height with a restitution of 0.5.

        >>> ball = Model.from_toml('''
        ... name = "drop"
        ... title = "A ball bounces"
        ... source = "first year mechanics"
        ... dimension = "space"
        ... gravity = [0.0, 0.0, -10.0]
        ... duration = 0.6
        ... friction = 0.3
        ... restitution = 0.5
        ... bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 0.9] }]
        ... planes = [{ name = "floor", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] }]
        ... integrator = { method = "event-driven", step_size = 0.1 }
        ... ''')
        >>> motion = ball.simulate_events().check()
        >>> [round(float(event["time"]), 9) for event in motion.events]
        [0.4]
        >>> round(float(motion.trajectory.coordinates[-1, 2]), 9)  # 0.1 m + 0.8 m / 4
        0.3
        """
        parts = self._core.simulate_events(law, settings, duration, step_size)
        parts["trajectory"] = Trajectory._of(parts["trajectory"])
        for key in ("events", "modes"):
            parts[key] = tuple(parts[key])
        return EventMotion(**parts)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _restore, self._core.source

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core.source == other._core.source

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        place = "plane" if self.is_planar else "space"
        return f"<Model {self.name}: {len(self.bodies)} bodies, {len(self.velocity)} velocities, in {place}>"


def _restore(kind: str, arguments: tuple[Any, ...]) -> Model:
    core = _percussion.ModelCore
    return Model._of(core.from_toml(*arguments) if kind == "scenario" else core.from_source(*arguments))


def _impact(model: Model, coordinates: npt.ArrayLike | None, velocity: npt.ArrayLike | None) -> Impact:
    return model.impact(coordinates, velocity)
