"""Solve steps with loops, limits, joint friction and contacts beside pinocchio's ADMM, to the same residual.

Four mechanisms move by our solver: the four-bar linkage of pinocchio's example of closed chains on a base that slides and tips, closed
by a point or, cut in a rod, by a frame whose six rows have rank three; and the quadruped go1, with free legs or with its front and its
hind legs coupled, which falls limp, stretches and crouches. 72 steps of each are kept that have all kinds of blocks: loops, except for
the free legs, limits, joint friction and contacts.

Ours gets the tolerance that makes its residual 1e-8 m/s. ADMM gets the same operator and free velocity, its own models of the blocks
(all limits in one, all joint friction in one), one tolerance after another until the certificate is as good, and the settings of
``CHOICES`` that solve most problems of the mechanism, then the fastest; it has no preconditioning in Python. Times are of the calls
from Python, in turn, on one thread, without what each prepares for a problem. "From before" are both from the impulses of the step
before. Problems that one of both does not solve are not in the ratios. Needs ``pip install './python[pinocchio]' example-robot-data``.

``python mixed_beside_pinocchio.py DIRECTORY`` also writes the problems with the largest ratios to a directory.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import percussion as pc

try:
    import pinocchio as pin
except ImportError:
    print("not compared: pinocchio is not installed; pip install './python[pinocchio]'")
    sys.exit(0)

from percussion.adapters import pinocchio as adapter

Array = npt.NDArray[np.float64]

COUNT = 72
STEP = 0.001
STEPS = 4000
FRICTION = 0.5
#: Largest accepted residual of both (m/s).
RESIDUAL = 1e-8
REPETITIONS = 7
#: Largest difference of velocities (m/s) that counts as the same answer.
SAME = 1e-7
#: Settings of ADMM besides the tolerances.
CHOICES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "spectral": {"admm_update_rule": pin.ADMMUpdateRule.SPECTRAL},
    "linear": {"admm_update_rule": pin.ADMMUpdateRule.LINEAR},
    "linear, ratio 3": {"admm_update_rule": pin.ADMMUpdateRule.LINEAR, "ratio_primal_dual": 3.0},
    "tau 1": {"tau": 1.0},
    "linear, tau 1": {"admm_update_rule": pin.ADMMUpdateRule.LINEAR, "tau": 1.0},
    "proximal 1e-4": {"mu_prox": 1e-4},
    "proximal 1e-8": {"mu_prox": 1e-8},
    "Anderson 5": {"anderson_capacity": 5},
    "Anderson 5, tau 1": {"anderson_capacity": 5, "tau": 1.0},
}
MOST_ITERATIONS = 20_000
EXPONENTS = range(8, 15)


@dataclass(frozen=True)
class Mechanism:
    name: str
    model: Any
    start: Array
    loops: list[Any]
    #: Frames of the points that may touch the floor, with the height of the frame when they do.
    points: list[tuple[str, float]]
    #: Generalized forces from the time, the configuration and the velocity.
    forces: Callable[[float, Array, Array], Array]


def rod(length: float, mass: float) -> Any:
    """A rod of pinocchio's example, along the first axis of its joint."""
    return pin.SE3(np.eye(3), np.array([0.5 * length, 0.0, 0.0])).act(pin.Inertia.FromBox(mass, length, 0.01, 0.1))


def along(distance: float) -> Any:
    return pin.SE3(np.eye(3), np.array([distance, 0.0, 0.0]))


def four_bar(cut: bool) -> Mechanism:
    """Rods of 1 m and 10 kg and of 0.6 m and 5 kg in turn; the lower long one slides on its ends and tips in the vertical plane."""
    model = pin.Model()
    upright = pin.SE3(np.column_stack([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), np.zeros(3))
    base = model.addJoint(0, pin.JointModelPlanar(), upright, "base")
    model.appendBodyToJoint(base, rod(1.0, 10.0), along(-0.5))
    for name, place in (("left", -0.5), ("right", 0.5)):
        model.addFrame(pin.Frame(name, base, 0, along(place), pin.FrameType.OP_FRAME))
    long = 0.5 if cut else 1.0
    chain = [(base, along(0.5), rod(0.6, 5.0)), (2, along(0.6), rod(long, 10.0 * long)), (3, along(1.0), rod(0.6, 5.0))]
    if cut:
        chain[2:] = [(base, along(-0.5), rod(0.6, 5.0)), (4, along(0.6), rod(0.5, 5.0))]
    for number, (parent, place, inertia) in enumerate(chain):
        joint = model.addJoint(parent, pin.JointModelRZ(), place, f"hinge {number}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    model.lowerPositionLimit[:4], model.upperPositionLimit[:4] = -np.inf, np.inf
    quarter = 0.5 * np.pi
    model.lowerPositionLimit[4:], model.upperPositionLimit[4:] = -2.0 * np.pi, 2.0 * np.pi
    # The motor's hinge has a stop on each side, and the lower hinge at the other end a tighter one on one side.
    model.lowerPositionLimit[4], model.upperPositionLimit[4] = quarter - 0.5, quarter + 0.5
    model.lowerPositionLimit[6], model.upperPositionLimit[6] = quarter - 0.45, quarter + 0.5
    friction = np.array([0.0, 0.0, 0.0] + [2.0] * len(chain))
    model.upperDryFrictionLimit, model.lowerDryFrictionLimit = friction, -friction
    if cut:
        start = np.array([0.0, 0.0, 1.0, 0.0, quarter, quarter, quarter, -quarter])
        # The axes of the frames are not those of the plane, so that none of the six rows is zero.
        skewed = pin.exp3(np.array([0.4, 0.7, -0.3]))
        turned = pin.exp3(np.array([0.0, 0.0, np.pi])) @ skewed
        ends = [pin.SE3(rotation, np.array([0.5, 0.0, 0.0])) for rotation in (skewed, turned)]
        loop = pin.FrameAnchorConstraintModel(model, 3, ends[0], 5, ends[1])
    else:
        start = np.array([0.0, 0.0, 1.0, 0.0, quarter, quarter, quarter])
        loop = pin.PointAnchorConstraintModel(model, 4, along(0.6), base, along(-0.5))

    def forces(now: float, q: Array, v: Array) -> Array:
        tau = np.zeros(model.nv)
        tau[3] = 150.0 * np.sin(2.0 * np.pi * 0.9 * now) + 40.0 * np.sin(17.0 * now)
        # A push on the base along the floor.
        tau[0] = 120.0 * np.sin(2.3 * now) * q[2]
        tau[1] = -120.0 * np.sin(2.3 * now) * q[3]
        return tau

    return Mechanism(f"four-bar, {'frame' if cut else 'point'}", model, start, [loop], [("left", 0.0), ("right", 0.0)], forces)


def quadruped(coupled: bool) -> Mechanism:
    """go1 with its own joint friction and limits; if coupled, a ball joint between each pair of calves closes two loops."""
    path = Path(pin.__file__).parents[4] / "share/example-robot-data/robots/go1_description/urdf/go1.urdf"
    if not path.exists():
        print(f"not compared: {path} does not exist; pip install example-robot-data")
        sys.exit(0)
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    start = pin.neutral(model)
    start[2], start[7:] = 0.33, [0.0, 0.8, -1.6] * 4
    data = model.createData()
    pin.framesForwardKinematics(model, data, start)
    loops = []
    for legs in (("FL", "FR"), ("RL", "RR")) if coupled else ():
        joints = [model.getJointId(f"{leg}_calf_joint") for leg in legs]
        middle = 0.5 * sum(np.array(data.oMi[joint].translation) for joint in joints)
        place = pin.SE3(np.eye(3), middle)
        ends = [argument for joint in joints for argument in (joint, data.oMi[joint].actInv(place))]
        loops.append(pin.PointAnchorConstraintModel(model, *ends))
    trunk = model.getFrameId("trunk")
    points = [(f"{leg}_foot", 0.02) for leg in ("FL", "FR", "RL", "RR")]
    for number, (x, y) in enumerate([(0.19, 0.05), (0.19, -0.05), (-0.19, 0.05), (-0.19, -0.05)]):
        corner = model.frames[trunk].placement.act(pin.SE3(np.eye(3), np.array([x, y, -0.057])))
        model.addFrame(pin.Frame(f"corner {number}", model.frames[trunk].parentJoint, trunk, corner, pin.FrameType.OP_FRAME))
        points.append((f"corner {number}", 0.0))
    points += [(f"{leg}_calf", 0.02) for leg in ("FL", "FR", "RL", "RR")]

    crouched, stretched = np.array([0.0, 1.3, -2.75] * 4), np.array([0.0, 0.35, -0.8] * 4)

    def forces(now: float, q: Array, v: Array) -> Array:
        tau = np.zeros(model.nv)
        # Limp, then up to the limits of the knees and down again.
        phase = (now % 2.0 - 0.6) / 1.4
        if phase > 0.0:
            aim = crouched + 0.5 * (1.0 - np.cos(2.0 * np.pi * phase)) * (stretched - crouched)
            tau[6:] = np.clip(100.0 * (aim - q[7:]) - 3.0 * v[6:], -30.0, 30.0)
        # Pushed in the plane of the trunk.
        tau[:2] = 12.0 * np.cos(3.1 * now), 12.0 * np.sin(4.3 * now)
        return tau

    return Mechanism(f"quadruped{', legs coupled' if coupled else ''}", model, start, loops, points, forces)


@dataclass(frozen=True)
class Kept:
    """A problem, its pinocchio twin, and the impulses of the step before in the order of its blocks."""

    problem: pc.FrictionProblem
    admm: Admm
    before: Array
    kinds: Counter[str]


def kinds(names: Iterable[str]) -> Counter[str]:
    """Number of blocks of each kind, by the names that the adapter gives."""
    found: Counter[str] = Counter()
    for name in names:
        kind = "limits" if " limit of joint " in name else "friction" if name.startswith("friction of ") else "contacts"
        found["loops" if name.startswith("loop ") else kind] += 1
    return found


def touching(mechanism: Mechanism, data: Any) -> list[adapter.PointContact]:
    """The points that are on or below the floor; ``data`` has the places of the frames."""
    contacts = []
    for frame, height in mechanism.points:
        place = np.array(data.oMf[mechanism.model.getFrameId(frame)].translation)
        if place[2] <= height:
            contacts.append(adapter.PointContact(frame, FRICTION, point=(place[0], place[1], place[2] - height)))
    return contacts


def problems(mechanism: Mechanism) -> list[Kept]:
    """Steps of a motion by our solver that have all kinds of blocks, evenly chosen."""
    model, data = mechanism.model, mechanism.model.createData()
    q, v = mechanism.start, np.zeros(model.nv)
    before: dict[str, Array] = {}
    states = []
    drift, unsolved = 0.0, 0
    wanted = 4 if mechanism.loops else 3
    for step in range(STEPS):
        tau = mechanism.forces(step * STEP, q, v)
        pin.framesForwardKinematics(model, data, q)
        contacts = touching(mechanism, data)
        found = adapter.problem(model, q, v, tau, STEP, contacts, loops=mechanism.loops)
        assert found is not None
        if len(kinds(found.names)) == wanted and step > 0:
            guess = [before.get(name, np.zeros(block.rows)) for name, block in zip(found.names, found.blocks, strict=True)]
            states.append((q, found, contacts, np.concatenate(guess)))
        solution = found.solve(tolerance=1e-10)
        unsolved += solution.status != "solved"
        before = dict(zip(found.names, found.split(solution.impulses), strict=True))
        v = found.velocity(solution.impulses)
        q = pin.integrate(model, q, STEP * v)
        for loop in mechanism.loops:
            placed = loop.createData()
            pin.forwardKinematics(model, data, q)
            loop.calc(model, data, placed)
            drift = max(drift, float(np.abs(placed.constraint_position_error).max()))
    print(f"{mechanism.name}: {STEPS} steps of {STEP} s, {len(states)} with all kinds of blocks, {unsolved} not solved to 1e-10,", end=" ")
    print(f"loops open by at most {drift:.1e}")
    chosen = sorted({round(index) for index in np.linspace(0, len(states) - 1, COUNT).tolist()}) if states else []
    return [
        Kept(found.problem, Admm(mechanism, q, found, contacts), before, kinds(found.names))
        for q, found, contacts, before in (states[index] for index in chosen)
    ]


class Admm:
    """pinocchio's solver for one problem: its tangents precede the normal, and its lower limits the upper ones."""

    def __init__(self, mechanism: Mechanism, q: Array, found: Any, contacts: list[adapter.PointContact]) -> None:
        model = mechanism.model
        data = model.createData()
        pin.computeJointJacobians(model, data, q)
        pin.crba(model, data, q, pin.Convention.WORLD)
        self.models, self.datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        # Second axis, first axis turned around, and normal: the tangents of the adapter.
        axes = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        for contact in contacts:
            place, joint = pin.SE3(axes, np.array(contact.point)), model.frames[model.getFrameId(contact.frame)].parentJoint
            touch = pin.PointContactConstraintModel(model, 0, place, joint, data.oMi[joint].actInv(place))
            touch.setFriction(contact.friction)
            self._add(touch)
        reached = [name.split(" limit of joint ") for name in found.names if " limit of joint " in name]
        joints = sorted({int(model.getJointId(joint)) for _, joint in reached})
        margin = np.full(model.nq, adapter.CLOSED)
        limits = pin.JointLimitConstraintModel(model, _indices(joints), model.lowerPositionLimit, model.upperPositionLimit, margin)
        limits.makeSelectionFilteredByLimitProximity(q)
        self._add(limits)
        for loop in mechanism.loops:
            self._add(loop)
        rubbing = [joint for joint in range(1, model.njoints) if model.upperDryFrictionLimit[model.idx_vs[joint]] > 0.0]
        bounds = model.lowerDryFrictionLimit, model.upperDryFrictionLimit
        friction = pin.JointFrictionConstraintModel(model, _indices(rubbing), *bounds)
        friction.setTimeStep(STEP)
        self._add(friction)
        for constraint, values in zip(self.models, self.datas, strict=True):
            constraint.calc(model, data, values)
        self.order = _order(found)
        rows = np.array(pin.getConstraintsJacobian(model, data, self.models, self.datas)).reshape(-1, model.nv)
        # The problem of the adapter is the problem of pinocchio's own models.
        assert np.abs(rows - found.jacobian[self.order]).max() < 1e-9
        self.delassus = pin.DelassusOperatorDense(np.asarray(found.problem.delassus)[np.ix_(self.order, self.order)])
        self.free_velocity = np.asarray(found.problem.free_velocity).ravel()[self.order]
        self.solver, self.result, self.settings = pin.ADMMConstraintSolver(), pin.ADMMSolverResult(), pin.ADMMSolverSettings()

    def _add(self, constraint: Any) -> None:
        self.models.append(pin.ConstraintModel(constraint))
        self.datas.append(self.models[-1].createData())

    def set(self, tolerance: float, choice: dict[str, Any]) -> None:
        self.settings = settings = pin.ADMMSolverSettings()
        settings.absolute_feasibility_tol = settings.relative_feasibility_tol = tolerance
        settings.absolute_complementarity_tol = settings.relative_complementarity_tol = tolerance
        settings.max_iterations = MOST_ITERATIONS
        for name, value in choice.items():
            setattr(settings, name, value)

    def solve(self, start: Array | None = None) -> Array:
        """The impulses in its order of components."""
        if start is not None:
            self.result.setConstraintImpulseGuess(start)
        self.solver.solve(self.delassus, self.free_velocity, self.models, self.datas, self.settings, self.result)
        impulses: Array = self.result.retrieveConstraintImpulses()
        return impulses

    def ours(self, impulses: Array) -> Array:
        """Impulses in our order."""
        turned = np.empty(len(self.order))
        turned[self.order] = np.asarray(impulses).ravel()
        return turned

    def reach(self, problem: pc.FrictionProblem, choice: dict[str, Any], start: Array | None = None) -> float | None:
        """Set the largest tolerance whose answer has the residual, and return the time of a call; None if there is none."""
        for exponent in EXPONENTS:
            self.set(10.0**-exponent, choice)
            impulses = self.ours(self.solve(start))
            if np.isfinite(impulses).all() and problem.certify(impulses).residual <= RESIDUAL:
                return float(np.median([timed(lambda: self.solve(start))[0] for _ in range(3)]))
        return None


def _indices(numbers: Iterable[int]) -> Any:
    indices = pin.StdVec_Index()
    indices.extend(list(numbers))
    return indices


def _order(found: Any) -> npt.NDArray[np.int64]:
    """Our rows in pinocchio's order."""
    first = np.cumsum([0] + [block.rows for block in found.blocks])
    groups: dict[str, list[int]] = {"contacts": [], "lower": [], "upper": [], "rest": []}
    for name, block, row in zip(found.names, found.blocks, first.tolist(), strict=False):
        side = name.split(" ")[0] if " limit of joint " in name else "rest"
        if block.is_contact:
            groups["contacts"] += [row + 1, row + 2, row]
        else:
            groups[side] += range(row, row + block.rows)
    return np.array([row for group in groups.values() for row in group])


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def best(kept: list[Kept]) -> str:
    """The settings of ADMM that solve most of every fourth problem, and of these the fastest."""
    ranks = []
    for name, choice in CHOICES.items():
        times = [one.admm.reach(one.problem, choice) for one in kept[::4]]
        solved = [time for time in times if time is not None]
        ranks.append((-len(solved), float(np.median(solved)) if solved else np.inf, name))
    for missing, median, name in sorted(ranks):
        print(f"  ADMM, {name}: {-missing} of {len(kept[::4])} solved, {1e6 * median:.0f} µs in the median")
    return min(ranks)[2]


@dataclass(frozen=True, eq=False)
class Row:
    #: The larger of the two from zero and from the step before.
    residual: float
    iterations: int
    #: None if ADMM does not reach the residual.
    theirs: float | None
    #: Largest difference of a velocity (m/s).
    difference: float
    #: Seconds: ours and ADMM from zero, both from the step before, and ADMM with its defaults from zero.
    times: Array
    #: Ours to ADMM from zero, from the step before, and to ADMM with its defaults; not a number if one of both does not solve.
    ratios: tuple[float, float, float]


def compare(one: Kept, choice: dict[str, Any]) -> Row:
    problem, admm = one.problem, one.admm
    scale = problem.certify(np.zeros(len(admm.order))).velocity_scale
    # Our tolerance is relative to the largest free velocity; a percent is left for rounding.
    tolerance = 0.99 * RESIDUAL / scale
    guess = one.before[admm.order]
    reached, settings = [], []
    for options, start in ((choice, None), (choice, guess), (CHOICES["defaults"], None)):
        reached.append(admm.reach(problem, options, start) is not None)
        settings.append(admm.settings)
    rounds = []
    for _ in range(REPETITIONS):
        cold, solution = timed(lambda: problem.solve(tolerance=tolerance))
        admm.settings = settings[0]
        cold_theirs, theirs = timed(admm.solve)
        warm, started = timed(lambda: problem.solve(start=one.before, tolerance=tolerance))
        admm.settings = settings[1]
        warm_theirs, _ = timed(lambda: admm.solve(guess))
        admm.settings = settings[2]
        defaults, _ = timed(admm.solve)
        rounds.append((cold, cold_theirs, warm, warm_theirs, defaults))
    times = np.array(rounds)
    certificates = [problem.certify(answer.impulses).residual for answer in (solution, started)]
    theirs = admm.ours(theirs)
    difference = float(np.abs(problem.delassus @ (np.asarray(solution.impulses) - theirs)).max())
    certified = problem.certify(theirs).residual if reached[0] else None

    def ratio(ours: int, other: int, solved: bool) -> float:
        both = solved and certificates[ours // 2] <= RESIDUAL
        return float(np.median(times[:, ours] / times[:, other])) if both else np.nan

    ratios = ratio(0, 1, reached[0]), ratio(2, 3, reached[1]), ratio(0, 4, reached[2])
    return Row(max(certificates), solution.iterations, certified, difference, np.median(times, axis=0), ratios)


def exactly(one: Kept, choice: dict[str, Any]) -> str:
    """Whether two answers stay apart when they are solved more exactly, as those of a problem with several solutions do."""
    one.admm.set(1e-13, choice)
    exact = [np.asarray(one.problem.solve(tolerance=1e-13).impulses).ravel(), one.admm.ours(one.admm.solve())]
    residuals = " and ".join(f"{one.problem.certify(impulses).residual:.0e}" for impulses in exact)
    return f"residuals {residuals} m/s, {np.abs(one.problem.delassus @ (exact[0] - exact[1])).max():.1e} m/s apart"


def spread(values: Array) -> str:
    """Median, 90 % and largest."""
    if not len(values):
        return "none"
    return f"{np.median(values):.2f} in the median, {np.quantile(values, 0.9):.2f} for 90 %, {values.max():.2f} at most"


def calls() -> tuple[float, float]:
    """Seconds of a call from Python for a joint that moves away from its limit, ours and ADMM."""
    problem = pc.FrictionProblem([[1.0]], [1.0], blocks=[pc.Block.unilateral()])
    model = pin.Model()
    model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "hinge")
    model.lowerPositionLimit, model.upperPositionLimit = np.zeros(1), np.ones(1)
    limits = pin.JointLimitConstraintModel(model, _indices([1]))
    limits.makeSelectionFilteredByLimitProximity(np.zeros(1))
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    models.append(pin.ConstraintModel(limits))
    datas.append(models[0].createData())
    solver, settings, result = pin.ADMMConstraintSolver(), pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    delassus, free = pin.DelassusOperatorDense(np.eye(1)), np.ones(1)

    def theirs() -> Any:
        solver.solve(delassus, free, models, datas, settings, result)
        return result.retrieveConstraintImpulses()

    ours = np.median([timed(lambda: problem.solve(tolerance=1e-8))[0] for _ in range(1000)])
    return float(ours), float(np.median([timed(theirs)[0] for _ in range(1000)]))


def report(mechanism: Mechanism, kept: list[Kept], choice: str, rows: list[Row], call: tuple[float, float]) -> None:
    size = [len(one.admm.order) for one in kept]
    solved = [row for row in rows if row.theirs is not None and row.residual <= RESIDUAL]
    print(f"{mechanism.name}: {len(kept)} problems of {min(size)} to {max(size)} rows, ADMM with {choice}")
    for kind in ("loops", "limits", "friction", "contacts"):
        counts = [one.kinds[kind] for one in kept]
        print(f"  {kind:<13} {min(counts)} to {max(counts)} blocks in a problem, {sum(counts)} in all")
    ours_solved = sum(row.residual <= RESIDUAL for row in rows)
    print(f"  residual      ours at most {max(row.residual for row in rows):.1e} m/s, {ours_solved} to {RESIDUAL:.0e}", end="; ")
    print(f"ADMM at most {max((row.theirs or 0.0 for row in solved), default=np.nan):.1e}, {len(solved)} to {RESIDUAL:.0e}")
    steps = [row.iterations for row in rows]
    print(f"  iterations    ours {np.median(steps):.0f} in the median, {np.quantile(steps, 0.9):.0f} for 90 %, {max(steps)} at most")
    same = [row.difference for row in solved if row.difference <= SAME]
    print(f"  velocities    the same to {max(same, default=np.nan):.1e} m/s in {len(same)} of {len(solved)}")
    for number, (one, row) in enumerate(zip(kept, rows, strict=True)):
        if row in solved and row.difference > SAME:
            print(f"    problem {number}, {row.difference:.1e} m/s apart; solved more exactly: {exactly(one, CHOICES[choice])}")
    inner = np.array([(row.times[0] - call[0]) / (row.times[1] - call[1]) for row in solved])
    for number, (title, ours, theirs) in enumerate((("from zero", 0, 1), ("from before", 2, 3), ("its defaults", 0, 4))):
        both = [row for row in rows if np.isfinite(row.ratios[number])]
        medians = [1e6 * np.median([row.times[who] for row in both]) for who in (ours, theirs)]
        print(f"  {title:<13} ours {medians[0]:.0f} µs, ADMM {medians[1]:.0f} µs in the median of {len(both)}", end="; ")
        print(f"ours / ADMM {spread(np.array([row.ratios[number] for row in both]))}")
        if number == 0:
            print(f"  less the call ours / ADMM {spread(inner)}")


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    call = calls()
    print(f"a call from Python for one row: ours {1e6 * call[0]:.1f} µs, ADMM {1e6 * call[1]:.1f} µs")
    worst = 0.0
    for mechanism in (four_bar(cut=False), four_bar(cut=True), quadruped(coupled=False), quadruped(coupled=True)):
        kept = problems(mechanism)
        if not kept:
            sys.exit(f"{mechanism.name}: no step has all kinds of blocks")
        choice = best(kept)
        rows = [compare(one, CHOICES[choice]) for one in kept]
        report(mechanism, kept, choice, rows, call)
        worst = max(worst, max(row.residual for row in rows))
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
            slowest = sorted((row.ratios[0], number) for number, row in enumerate(rows) if np.isfinite(row.ratios[0]))[-3:]
            for ratio, number in slowest:
                kept[number].problem.save(directory / f"{mechanism.name.replace(', ', '-').replace(' ', '-')}-{number}.json")
                print(f"  written       problem {number}, {ratio:.2f}")
    assert worst <= RESIDUAL


if __name__ == "__main__":
    main()
