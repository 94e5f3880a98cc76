"""Simulation step by step, with an optional control."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _percussion
from ._base import FloatArray, Result
from .friction import FrictionProblem
from .model import Model, Trajectory

__all__ = ["Advance", "Control", "Simulation", "StepReport"]

#: Function that ``Simulation.run`` calls before a step: it returns a generalized force for the time (s), coordinates and velocity.
Control: TypeAlias = Callable[[float, FloatArray, FloatArray], npt.ArrayLike]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StepReport(Result):
    """The report of one step."""

    #: Time at the end of the step (s).
    time: float
    #: Status of the last contact problem; ``solved`` also if nothing was in contact.
    status: str
    relative_residual: float
    #: Numbers of the contacts that took part, in ``Simulation.contact_names``.
    contacts: tuple[int, ...]
    #: Their gaps at the end (m), impulses over the step (N·s) and contact velocities at the end (m/s).
    gaps: FloatArray
    impulses: FloatArray
    velocities: FloatArray
    #: Moments over the step about the normal and both tangents (N·m·s); zero but for contacts with a ``section`` that has moments.
    moments: FloatArray
    #: Deepest penetration at the end (m).
    penetration: float
    #: Largest error of the joints that close loops (m, rad), and their multipliers.
    constraint_error: float
    constraint_impulses: FloatArray
    #: Energy at the start and at the end of the step (J).
    energy_before: float
    energy_after: float
    #: Number of impacts that the scheme located within the step.
    impacts: int
    #: Counters of the scheme for the step.
    work: dict[str, int | float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Advance(Result):
    """A summary of several steps."""

    #: Number of steps, and of those whose contact problem was not solved.
    steps: int
    unsolved: int
    #: Largest relative residual of any step.
    largest_relative_residual: float
    #: Deepest penetration in any step (m).
    deepest_penetration: float
    #: Whether no step ended with more energy than the motion can have.
    kept_energy: bool


class Simulation:
    """A motion of a model, step by step.

    ``scheme`` is one of ``percussion.schemes()``, which also lists its ``settings``; it and all settings that are not given,
    such as ``step_size`` (s), are those of the model's file. ``coordinates`` and ``velocity`` are those of its start by default.
    With ``record`` all steps are kept, for ``trajectory`` and for ``percussion.view``.

    >>> from percussion import Model
    >>> model = Model.from_toml('''
    ... name = "fall"
    ... title = "A ball falls"
    ... source = "first year mechanics"
    ... dimension = "space"
    ... gravity = [0.0, 0.0, -10.0]
    ... duration = 1.0
    ... friction = 0.3
    ... bodies = [{ name = "ball", mass = 2.0, shape = { sphere = { radius = 0.1 } }, position = [0.0, 0.0, 9.1] }]
    ... integrator = { method = "moreau-jean", step_size = 0.01 }
    ... ''')
    >>> simulation = Simulation(model)
    >>> for report in simulation.run(0.5):
    ...     pass
    >>> round(simulation.velocity[2], 9)
    np.float64(-5.0)
    """

    __slots__ = ("_core", "_model", "_step_size")

    def __init__(
        self,
        model: Model,
        scheme: str | None = None,
        *,
        coordinates: npt.ArrayLike | None = None,
        velocity: npt.ArrayLike | None = None,
        time: float = 0.0,
        record: bool = False,
        **settings: Any,
    ) -> None:
        if not isinstance(model, Model):
            raise ValueError(f"`model` is of type {type(model).__name__}, expected a Model")
        self._model = model
        core = _percussion.SimulationCore
        self._core = core(model._core, scheme, coordinates, velocity, time, record, settings)
        self._step_size = float(self.scheme["step_size"])

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def scheme(self) -> dict[str, Any]:
        """The scheme's name and all of its settings."""
        return self._core.scheme()

    @property
    def time(self) -> float:
        """Time at the end of the last step (s)."""
        return self._core.time

    @property
    def coordinates(self) -> FloatArray:
        """Coordinates at the end of the last step (m, rad or unit quaternions)."""
        return self._core.coordinates()

    @property
    def velocity(self) -> FloatArray:
        """Velocity at the end of the last step (m/s, rad/s)."""
        return self._core.velocity()

    @property
    def energy(self) -> float:
        """Total energy (J)."""
        return self._core.energy

    @property
    def contact_names(self) -> tuple[str, ...]:
        """The contacts by number: those known beforehand, then those found so far."""
        return tuple(self._core.contact_names)

    def step(self) -> StepReport:
        """Make one step. If the step fails, ``StepError`` is raised and the state is unchanged."""
        parts = self._core.step()
        parts["contacts"] = tuple(parts["contacts"])
        return StepReport(**parts)

    def advance(self, until: float) -> Advance:
        """Step to the end of a step that is nearest to the time ``until`` (s), in one call, and return a summary of the steps.

        If a step fails, ``StepError`` is raised, and the state is that at the beginning of the step.
        """
        return Advance(*self._core.advance(self._steps(until)))

    def _steps(self, until: float) -> int:
        """Steps to the time ``until`` (s)."""
        if not np.isfinite(until):
            raise ValueError(f"`until` is {until}, expected a finite number (s)")
        count = round(max(0.0, (until - self.time) / self._step_size))
        if count > 2**53:
            raise ValueError(f"`until` is {until}, expected at most 2**53 steps from now")
        return count

    def apply(self, force: npt.ArrayLike) -> None:
        """Apply a generalized force (n_v; N, N·m) from the next step on, replacing the previous one; initially zero."""
        self._core.apply(force)

    def set_controls(self, controls: Mapping[str, float] | Sequence[float]) -> None:
        """Set controls of actuators from the next step on: by their names, or all in the order of ``model.actuators``.

        The model has its actuators with ``drive="controls"``, see ``Model.from_robot``.
        """
        names = [actuator.name for actuator in self._model.actuators]
        if isinstance(controls, Mapping):
            unknown = next((name for name in controls if name not in names), None)
            if unknown is not None:
                raise ValueError(f"`controls` has the name {unknown}, expected one of {', '.join(names) or 'no actuators'}")
            for name, value in controls.items():
                self._core.set_control(names.index(name), value)
            return
        values = np.asarray(controls, dtype=np.float64)
        if values.shape != (len(names),):
            raise ValueError(f"`controls` has the shape {values.shape}, expected ({len(names)},)")
        for number, value in enumerate(values.tolist()):
            self._core.set_control(number, value)

    def trajectory(self) -> Trajectory:
        """Return the start and all steps so far as arrays; needs ``record=True``."""
        return Trajectory._of(self._core.trajectory())

    def run(
        self, until: float, control: Control | None = None, *, controls: Control | None = None
    ) -> Iterator[StepReport]:
        """Step to the end of a step that is nearest to the time ``until`` (s), and yield the report of each.

        ``control(time, coordinates, velocity)`` is called before each step and returns the generalized force of the step (n_v; N,
        N·m); ``controls``, called likewise, returns those of the actuators, see ``set_controls``. The next step is made only when the iterator is advanced, so the state can be inspected between steps,
        and the loop can be left.
        """
        count = self._steps(until)

        def steps() -> Iterator[StepReport]:
            for _ in range(count):
                if control is not None:
                    self.apply(control(self.time, self.coordinates, self.velocity))
                if controls is not None:
                    self.set_controls(controls(self.time, self.coordinates, self.velocity))  # type: ignore[arg-type]
                yield self.step()

        return steps()

    def problem(self) -> FrictionProblem | None:
        """Return the contact problem of the last step, with its initial impulses and its solver.

        None before the first step, if nothing was in contact, and for schemes without such a problem.
        ``problem().solve()`` repeats the solve with bitwise the same result.
        """
        core = self._core.problem()
        return None if core is None else FrictionProblem._of(core)

    def __repr__(self) -> str:
        return f"<Simulation of {self._model.name} by {self.scheme['name']} at {self.time:g} s>"
