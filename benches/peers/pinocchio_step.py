"""The dynamics and the contact problem of a step with pinocchio, timed, at a state of a robot in MuJoCo.

``Pinocchio(file, model)`` reads the robot's file; ``step(data)`` is a step from MuJoCo's state with the contacts that MuJoCo has found
there: the mass matrix and the bias forces, the constraints with their Cholesky decomposition, and ADMM with that to a natural-map
residual of 1e-8, from the impulses of the step before. Timed are the calls of pinocchio, each as the smallest of several repetitions;
the search for contacts, the free velocity and the building of constraints are not, so that a step takes at least this long. Robots
that pinocchio does not read, or reads with other masses, are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
import pinocchio as pin

Array = npt.NDArray[np.float64]

REPETITIONS = 15
#: Largest accepted natural-map residual, relative to the largest free velocity.
RESIDUAL = 1e-8
#: Settings of ADMM that are tried besides the defaults; the fastest that reaches the residual counts.
CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"admm_update_rule": pin.ADMMUpdateRule.SPECTRAL},
    {"admm_update_rule": pin.ADMMUpdateRule.LINEAR},
    {"tau": 1.0},
    {"anderson_capacity": 5},
)


@dataclass(frozen=True)
class Step:
    """Seconds of the parts of a step, and what was solved."""

    dynamics: float
    decomposition: float
    admm: float
    rows: int
    iterations: int
    residual: float

    @property
    def seconds(self) -> float:
        """Seconds of all parts."""
        return self.dynamics + self.decomposition + self.admm


class Pinocchio:
    """A robot in pinocchio, with the layout of MuJoCo's coordinates."""

    def __init__(self, file: Path, robot: mujoco.MjModel) -> None:
        self.robot = robot
        self.model = pin.buildModelFromMJCF(str(file))
        if (self.model.nq, self.model.nv) != (robot.nq, robot.nv):
            raise RuntimeError(f"pinocchio reads {self.model.nv} velocities, MuJoCo {robot.nv}")
        self.model.gravity.linear = np.array(robot.opt.gravity)
        self.data = self.model.createData()
        self._before: Array | None = None
        self._check()

    def _state(self, qpos: Array, qvel: Array) -> tuple[Array, Array, Array]:
        """Configuration and velocity in pinocchio's layout, and the matrix that takes MuJoCo's velocities to it."""
        q, change = np.array(qpos), np.eye(self.robot.nv)
        for joint in range(self.robot.njnt):
            at, row = self.robot.jnt_qposadr[joint], self.robot.jnt_dofadr[joint]
            kind = self.robot.jnt_type[joint]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                q[at + 3 : at + 7] = np.roll(qpos[at + 3 : at + 7], -1)
                # MuJoCo's linear velocity has the axes of the world, pinocchio's those of the body.
                turned = pin.Quaternion(q[at + 3 : at + 7]).toRotationMatrix().T
                change[row : row + 3, row : row + 3] = turned
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                q[at : at + 4] = np.roll(qpos[at : at + 4], -1)
        return q, change @ qvel, change

    def _check(self) -> None:
        """Refuses a robot with another mass matrix than MuJoCo's."""
        data = mujoco.MjData(self.robot)
        draw = np.random.default_rng(7)
        mujoco.mj_integratePos(self.robot, data.qpos, draw.uniform(-0.3, 0.3, self.robot.nv), 1.0)
        mujoco.mj_forward(self.robot, data)
        theirs = np.zeros((self.robot.nv, self.robot.nv))
        mujoco.mj_fullM(self.robot, data, theirs)
        q, _, change = self._state(np.array(data.qpos), np.zeros(self.robot.nv))
        upper = np.triu(pin.crba(self.model, self.data, q))
        ours = change.T @ (upper + np.triu(upper, 1).T) @ change
        difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
        if difference > 1e-6:
            raise RuntimeError(f"pinocchio's mass matrix differs by {difference:.0e}")

    def steps(self, data: mujoco.MjData, steps: int) -> tuple[list[float], float]:
        """Seconds of a step at five states evenly spaced over this number of MuJoCo's steps from ``data``, and the largest residual."""
        self._before = None
        seconds, worst = [], 0.0
        for _ in range(5):
            mujoco.mj_step(self.robot, data, max(1, steps // 5 - 1))
            self.step(data)
            # From the impulses of the step before.
            mujoco.mj_step(self.robot, data)
            step = self.step(data)
            seconds.append(step.seconds)
            worst = max(worst, step.residual)
        return seconds, worst

    def step(self, data: mujoco.MjData) -> Step:
        """A step from the state of ``data``, with its contacts."""
        model, own = self.model, self.data
        mujoco.mj_forward(self.robot, data)
        q, v, _ = self._state(np.array(data.qpos), np.array(data.qvel))
        h = self.robot.opt.timestep

        def dynamics() -> Array:
            pin.computeJointJacobians(model, own, q)
            pin.crba(model, own, q, pin.Convention.WORLD)
            return pin.nonLinearEffects(model, own, q, v)

        seconds, bias = _timed(dynamics)
        models, datas, friction = self._constraints(data, q)
        if not friction:
            return Step(seconds, 0.0, 0.0, 0, 0, 0.0)
        cholesky = pin.ConstraintCholeskyDecomposition(model, own, models, datas)

        def decomposition() -> None:
            for constraint, values in zip(models, datas, strict=True):
                constraint.calc(model, own, values)
            cholesky.compute(model, own, models, datas, 1e-10)

        decomposed, _ = _timed(decomposition)
        rows = np.array(pin.getConstraintsJacobian(model, own, models, datas)).reshape(-1, model.nv)
        upper = np.triu(own.M)
        inverse = np.linalg.inv(upper + np.triu(upper, 1).T)
        free = rows @ (v - h * inverse @ bias)
        delassus = rows @ inverse @ rows.T
        solved = self._solve(cholesky, (delassus, free, friction), models, datas)
        if solved is None:
            raise RuntimeError(f"ADMM does not reach {RESIDUAL:.0e} of {len(free)} rows")
        return Step(seconds, decomposed, *solved)

    def _constraints(self, data: mujoco.MjData, q: Array) -> tuple[Any, Any, list[float | None]]:
        """The contacts of ``data`` and the limits that are reached; the friction coefficients, ``None`` for a limit."""
        model = self.model
        pin.computeJointJacobians(model, self.data, q)
        models, datas, friction = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData(), []
        for contact in data.contact:
            normal, first = contact.frame[:3], contact.frame[3:6]
            place = pin.SE3(np.column_stack([first, np.cross(normal, first), normal]), np.array(contact.pos))
            ends: list[Any] = []
            for geom in contact.geom:
                joint = self._joint(int(self.robot.geom_bodyid[geom]))
                ends += [joint, self.data.oMi[joint].actInv(place)]
            touch = pin.PointContactConstraintModel(model, *ends)
            touch.setFriction(float(contact.friction[0]))
            models.append(pin.ConstraintModel(touch))
            friction.append(float(contact.friction[0]))
        joints = [
            joint
            for joint in range(1, model.njoints)
            if model.nvs[joint] == 1
            and not model.lowerPositionLimit[model.idx_qs[joint]] < q[model.idx_qs[joint]] < model.upperPositionLimit[model.idx_qs[joint]]
        ]
        if joints:
            chosen = pin.StdVec_Index()
            chosen.extend(joints)
            limits = pin.JointLimitConstraintModel(model, chosen, model.lowerPositionLimit, model.upperPositionLimit, np.zeros(model.nq))
            limits.makeSelectionFilteredByLimitProximity(q)
            models.append(pin.ConstraintModel(limits))
            friction += [None] * len(joints)
        datas.extend([one.createData() for one in models])
        for constraint, values in zip(models, datas, strict=True):
            constraint.calc(model, self.data, values)
        return models, datas, friction

    def _joint(self, body: int) -> int:
        """The joint of a body of MuJoCo: its first one, or that of the next body below it."""
        while body and not self.robot.body_jntnum[body]:
            body = int(self.robot.body_parentid[body])
        if not body:
            return 0
        name = self.robot.joint(int(self.robot.body_jntadr[body])).name
        # Several joints of one body are one joint.
        return int(self.model.getJointId(name if self.model.existJointName(name) else f"Composite_{name}"))

    def _solve(
        self, cholesky: Any, problem: tuple[Array, Array, list[float | None]], models: Any, datas: Any
    ) -> tuple[float, int, int, float] | None:
        """Seconds of ADMM, rows, iterations and residual, with the fastest settings that reach the residual."""
        free = problem[1]
        start = self._before if self._before is not None and len(self._before) == len(free) else np.zeros_like(free)
        best: tuple[float, int, int, float] | None = None
        solver, operator = pin.ADMMConstraintSolver(), cholesky.getDelassusCholeskyExpression()
        for choice in CHOICES:
            for exponent in range(8, 15):
                settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
                tolerance = 10.0**-exponent
                settings.absolute_feasibility_tol = settings.relative_feasibility_tol = tolerance
                settings.absolute_complementarity_tol = settings.relative_complementarity_tol = tolerance
                settings.max_iterations = 20_000
                for name, value in choice.items():
                    setattr(settings, name, value)

                def solve() -> None:
                    result.setConstraintImpulseGuess(start)  # noqa: B023
                    solver.solve(operator, free, models, datas, settings, result)  # noqa: B023

                seconds, _ = _timed(solve, 1)
                impulses = np.array(result.retrieveConstraintImpulses())
                found = residual(problem, impulses)
                if found > RESIDUAL:
                    continue
                seconds, _ = _timed(solve)
                if best is None or seconds < best[0]:
                    best = seconds, len(free), int(result.iterations), found
                    kept = impulses
                break
        if best is not None:
            self._before = kept
        return best


def residual(problem: tuple[Array, Array, list[float | None]], impulses: Array) -> float:
    """The natural map of Coulomb's law, normal last, relative to the largest free velocity."""
    delassus, free, friction = problem
    velocity = delassus @ impulses + free
    worst, row = 0.0, 0
    for coefficient in friction:
        count = 1 if coefficient is None else 3
        span = slice(row, row + count)
        rho = count / np.trace(delassus[span, span])
        shifted = np.array(velocity[span])
        if coefficient is not None:
            shifted[2] += coefficient * np.hypot(*velocity[span][:2])
        candidate = impulses[span] - rho * shifted
        worst = max(worst, float(np.abs(impulses[span] - _project(candidate, coefficient)).max()) / rho)
        row += count
    return worst / float(np.abs(free).max())


def _project(p: Array, coefficient: float | None) -> Array:
    """The nearest impulse of the cone."""
    if coefficient is None:
        return np.maximum(p, 0.0)
    size = float(np.hypot(p[0], p[1]))
    if size <= coefficient * p[2]:
        return p
    if coefficient * size <= -p[2]:
        return np.zeros(3)
    normal = (p[2] + coefficient * size) / (1.0 + coefficient**2)
    return np.array([coefficient * normal * p[0] / size, coefficient * normal * p[1] / size, normal])


def _timed(call: Callable[[], Any], repetitions: int = REPETITIONS) -> tuple[float, Any]:
    """The smallest time of several calls, and the last answer."""
    least = np.inf
    for _ in range(repetitions):
        begin = time.perf_counter()
        answer = call()
        least = min(least, time.perf_counter() - begin)
    return least, answer
