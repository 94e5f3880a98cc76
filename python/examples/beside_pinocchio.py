"""Solve the contact problems of a limp quadruped beside pinocchio's ADMM, to the same residual.

The quadruped falls without control and comes to rest on its trunk and legs; 72 steps of MuJoCo with contacts are taken.
Both solvers get the same operator, free velocities and friction, and the call from Python counts. ADMM gets one tolerance after
another until the certificate is as good as asked for. Needs ``pip install './python[mujoco,pinocchio]'``; another model of MuJoCo:
``python beside_pinocchio.py MODEL.xml``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import percussion as pc
from percussion.adapters import mujoco as adapter

try:
    import pinocchio as pin
except ImportError:
    print("not compared: pinocchio is not installed; pip install './python[mujoco,pinocchio]'")
    sys.exit(0)

QUADRUPED = Path(__file__).parents[2] / "crates/mechanism/fixtures/robots/standing_quadruped.xml"
COUNT = 72
#: Largest accepted residual of both (m/s).
RESIDUAL = 1e-8
REPETITIONS = 5
#: Largest difference of velocities (m/s) that counts as the same answer.
SAME = 1e-7


def problems(path: Path) -> list[pc.FrictionProblem]:
    """Contact problems of the model at ``path``, let go limp above the floor."""
    spec = mujoco.MjSpec.from_file(str(path))
    if not any(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.worldbody.geoms):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1], contype=1, conaffinity=1)
    for geom in spec.geoms:
        # The cones of Coulomb's law alone, which both solvers have.
        geom.condim = 3
    model = spec.compile()
    model.opt.timestep = 0.002
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    found: list[pc.FrictionProblem] = []
    for step in range(3000):
        if step % 10 == 0 and len(found) < COUNT:
            problem = adapter.problem(model, data, limits=False, loops=False, joint_friction=False)
            if problem is not None:
                found.append(problem.problem)
        mujoco.mj_step(model, data)
    return found


class Admm:
    """pinocchio's solver for one problem; its tangents precede the normal."""

    def __init__(self, problem: pc.FrictionProblem) -> None:
        friction = [section["disc"] for block in problem.blocks or () if isinstance(section := block.section, dict)]
        count = len(friction)
        order = np.array([3 * contact + row for contact in range(count) for row in (1, 2, 0)])
        self.order = order
        self.delassus = np.asarray(problem.delassus)[np.ix_(order, order)]
        self.free_velocity = np.asarray(problem.free_velocity).ravel()[order]
        model = pin.buildSampleModelManipulator()
        self.models, self.datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for coefficient in friction:
            contact = pin.PointContactConstraintModel(model, 1)
            contact.setFriction(float(coefficient))
            self.models.append(pin.ConstraintModel(contact))
            self.datas.append(self.models[-1].createData())

    def solve(self, tolerance: float) -> Any:
        """The impulses in our order of components."""
        settings = pin.ADMMSolverSettings()
        settings.absolute_feasibility_tol = settings.relative_feasibility_tol = tolerance
        settings.absolute_complementarity_tol = settings.relative_complementarity_tol = tolerance
        settings.max_iterations = 100_000
        solver, result = pin.ADMMConstraintSolver(), pin.ADMMSolverResult()
        delassus = pin.DelassusOperatorDense(self.delassus)
        solver.solve(delassus, self.free_velocity, self.models, self.datas, settings, result)
        impulses = np.empty(len(self.order))
        impulses[self.order] = np.asarray(result.retrieveConstraintImpulses()).ravel()
        return impulses


def timed(call: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else QUADRUPED
    rows = []
    for problem in problems(path):
        count = len(problem.blocks or ())
        admm = Admm(problem)
        for exponent in range(8, 15):
            theirs = admm.solve(10.0**-exponent)
            if problem.certify(theirs).residual <= RESIDUAL:
                break
        pairs = []
        for _ in range(REPETITIONS):
            # Our tolerance is relative to the speeds of the problem, of which none is below 0.1 m/s here.
            time_ours, solution = timed(lambda: problem.solve(tolerance=0.1 * RESIDUAL))
            time_theirs, theirs = timed(lambda: admm.solve(10.0**-exponent))
            pairs.append((time_ours, time_theirs))
        solution.check()
        ours = np.asarray(solution.impulses).ravel()
        delassus = np.asarray(problem.delassus)
        difference = float(np.abs(delassus @ (ours - theirs)).max())
        if difference > SAME:
            # Coulomb's law may have several solutions; if so, both answers stay where they are when they are solved more exactly.
            exact = [np.asarray(problem.solve(tolerance=1e-13).impulses).ravel(), admm.solve(1e-13)]
            residuals = " and ".join(f"{problem.certify(impulses).residual:.0e}" for impulses in exact)
            difference = float(np.abs(delassus @ (exact[0] - exact[1])).max())
            print(f"a problem of {count} contacts, solved more exactly: residuals {residuals} m/s, {difference:.1e} m/s apart")
        rows.append(
            (
                count,
                problem.certify(solution.impulses).residual,
                problem.certify(theirs).residual,
                difference,
                *np.median(pairs, axis=0),
            )
        )
    table = np.array(rows)
    ratios = table[:, 4] / table[:, 5]
    solved = table[:, 2] <= RESIDUAL
    if not rows:
        sys.exit(f"{path}: nothing touches the floor")
    print(f"{len(table)} problems of {table[:, 0].min():.0f} to {table[:, 0].max():.0f} contacts")
    print(f"  residual      ours at most {table[:, 1].max():.1e} m/s; ADMM at most {table[:, 2].max():.1e}, {solved.sum()} to {RESIDUAL:.0e}")
    same = table[:, 3] <= SAME
    print(f"  velocities    differ by at most {table[same, 3].max():.1e} m/s in {same.sum()} of them")
    print(f"  time of call  ours {1e6 * np.median(table[:, 4]):.0f} µs, ADMM {1e6 * np.median(table[:, 5]):.0f} µs in the median")
    print(f"  ours / ADMM   {np.median(ratios):.2f} in the median, {ratios.max():.2f} at most")
    assert table[:, 1].max() <= RESIDUAL


if __name__ == "__main__":
    main()
