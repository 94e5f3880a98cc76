"""Whole steps of robots beside MuJoCo's ``mj_step`` and pinocchio's ADMM, with the same files, postures and step sizes.

``python whole_step.py DRIVER list`` prints the tasks, one for each robot, and the versions of the engines;
``python whole_step.py DRIVER run TASK`` prints the rows of a task. Both print one JSON object a line, in the form of the program
``peers`` of ``percussion-benches``, whose program ``whole_step`` is ``DRIVER``. Needs ``pip install mujoco
gymnasium gymnasium-robotics mjlab dm-control``, which ship the robots, and ``pin`` for pinocchio; what is missing is a row that says so.

Each robot falls and settles in MuJoCo. From there both engines take the same number of steps, in turn, 21 times; both start again
from the same state each time, with a few steps that do not count. MuJoCo uses the options of the file. Ours solves Coulomb's law
to a relative residual of 1e-8. A ratio is that of the two times that follow each other. Steps in which a robot is at rest have the
operator of the step before, and cost less; rows say how many these are. ``pinocchio_step`` says what is timed of pinocchio.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

try:
    import mujoco
    import numpy as np
except ImportError:
    mujoco = np = None
try:
    import pinocchio
    from pinocchio_step import Pinocchio
except ImportError:
    pinocchio = Pinocchio = None

RUNS = 21
PEERS = ("mujoco", "pinocchio")
#: Largest accepted relative residual.
TOLERANCE = 1e-8


@dataclasses.dataclass(frozen=True)
class Case:
    """A robot in a situation."""

    name: str
    package: str
    file: str
    #: What drives it, as in ``percussion run --drive``; limp robots have no actuators in MuJoCo either.
    drive: str = "limp"
    #: Pattern of the names of the actuators that are controlled to the end of their ranges, the others to zero; ``None`` for all.
    closes: str | None = None
    #: Time in MuJoCo before the first step (s).
    settles: float = 5.0
    #: Number of steps of both engines before the first one that counts.
    warm: int = 20
    #: Whether the file has no floor.
    on_floor: bool = False
    #: Folder below which all its files are, relative to that of the file, if it is another one.
    folder: str | None = None

    @property
    def task(self) -> str:
        """The name of its task, and the beginning of those of its rows."""
        return "robots/" + self.name.replace(",", "").replace(" ", "-")


ASSETS = "envs/mujoco/assets/"
HAND = "envs/assets/hand/manipulate_block.xml"
CASES = (
    Case("ant on four feet", "gymnasium", ASSETS + "ant.xml"),
    Case("fallen humanoid", "gymnasium", ASSETS + "humanoid.xml"),
    Case("fallen hopper", "gymnasium", ASSETS + "hopper.xml"),
    Case("standing quadruped", "dm_control", "suite/quadruped.xml", "controls"),
    Case("limp go1", "mjlab", "asset_zoo/robots/unitree_go1/xmls/go1.xml", on_floor=True),
    Case("limp go1, falling", "mjlab", "asset_zoo/robots/unitree_go1/xmls/go1.xml", settles=0.2, on_floor=True),
    Case("fallen g1", "mjlab", "asset_zoo/robots/unitree_g1/xmls/g1.xml", on_floor=True),
    Case("fallen humanoid_CMU", "dm_control", "suite/humanoid_CMU.xml"),
    # Ours is rigid, and settles where it is anew.
    Case("hand around a block", "gymnasium_robotics", HAND, "controls", closes="FJ[012]$|THJ[014]$", warm=1500, settles=3.0, folder=".."),
    Case("hand with a block", "gymnasium_robotics", HAND, settles=2.0, folder=".."),
)
FLOOR = '<mujoco><include file="{file}"/><worldbody><geom type="plane" size="0 0 1"/></worldbody></mujoco>'


class Ours:
    """The driver for one robot."""

    def __init__(self, driver: str, file: Path, step_size: float, case: Case) -> None:
        command = [driver, str(file), "moreau-jean", repr(step_size), repr(TOLERANCE), case.drive]
        if case.folder is not None:
            command.append(str((file.parent / case.folder).resolve()))
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._read()

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(self._process.stderr.read().strip().splitlines()[-1])
        return json.loads(line)

    def steps(self, state: dict[str, list[float]], warm: int, count: int) -> dict[str, Any]:
        """Takes steps from a state."""
        print(json.dumps({**state, "warm": warm, "steps": count}), file=self._process.stdin, flush=True)
        answer = self._read()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        """Ends the driver."""
        self._process.stdin.close()
        self._process.wait()


def found(case: Case) -> Path | None:
    """The file of a robot, or ``None`` if its package is not installed."""
    spec = importlib.util.find_spec(case.package)
    if spec is None or spec.submodule_search_locations is None:
        return None
    file = Path(spec.submodule_search_locations[0]) / case.file
    if not case.on_floor:
        return file
    # Beside the robot's own file, so that its meshes are found.
    own = file.with_name(f"{file.stem}_on_floor_{os.getpid()}.xml")
    own.write_text(FLOOR.format(file=file.name))
    return own


def settled(case: Case, model: Any, data: Any) -> dict[str, list[float]]:
    """The state in which a robot settles, with the controls of its actuators."""
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    if case.closes is not None:
        for actuator, (least, most) in enumerate(model.actuator_ctrlrange):
            closes = re.search(case.closes, model.actuator(actuator).name)
            data.ctrl[actuator] = most if closes else np.clip(0.0, least, most)
    mujoco.mj_step(model, data, round(case.settles / model.opt.timestep))
    state = {"coordinates": data.qpos.tolist(), "velocity": data.qvel.tolist()}
    return state | ({"controls": data.ctrl.tolist()} if case.drive == "controls" else {})


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and the range from 10 to 90 %."""
    low, median, high = np.quantile(values, [0.1, 0.5, 0.9])
    return {"median": float(median), "low": float(low), "high": float(high)}


def compare(case: Case, file: Path, driver: str) -> Iterator[dict[str, Any]]:
    """The rows of a robot."""
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    if case.drive == "limp":
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    state = settled(case, model, data)
    qpos, qvel = data.qpos.copy(), data.qvel.copy()
    warm, count = case.warm, max(50, round(0.2 / model.opt.timestep))
    ours = Ours(driver, file, model.opt.timestep, case)
    own, theirs, residual, contacts, passes, kept = [], [], 0.0, 0, 0.0, 0.0
    for _ in range(RUNS):
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos, qvel, 0.0
        mujoco.mj_step(model, data, warm)
        begin = time.perf_counter()
        mujoco.mj_step(model, data, count)
        theirs.append((time.perf_counter() - begin) / count)
        answer = ours.steps(state, warm, count)
        own.append(answer["time"] / count)
        residual, contacts = max(residual, answer["residual"]), answer["contacts"]
        passes, kept = answer["passes"], answer["kept"]
    ours.close()
    accuracy = {"what": "relative residual", "ours": residual, "peer": None}
    note = (
        f"{model.nv} velocities, at most {contacts} contacts and limits, {passes:.1f} contact problems a step, "
        f"at rest in {100 * kept:.0f} % of the steps; MuJoCo {data.ncon} contacts, {data.nefc} rows"
    )
    shared = {"unit": "s", "ours": spread(own), "accuracy": accuracy}
    yield {
        **shared,
        "name": f"{case.task}-mujoco",
        "peer": {"name": "MuJoCo", "value": spread(theirs)},
        "ratio": spread([a / b for a, b in zip(own, theirs, strict=True)]),
        "note": note,
    }
    data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos, qvel, 0.0
    mujoco.mj_step(model, data, warm)
    name = f"{case.task}-pinocchio"
    if Pinocchio is None:
        yield {"name": name, "absent": "not compared: install by pip install pin"}
        return
    try:
        # Without the floor, which is no part of the robot.
        seconds, worst = Pinocchio(file.with_name(Path(case.file).name), model).steps(data, count)
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[-1]
        yield {**shared, "name": name, "peer": {"name": "pinocchio", "value": None}, "note": f"no answer of pinocchio: {reason}"}
        return
    yield {
        **shared,
        "name": name,
        "peer": {"name": "pinocchio", "value": spread(seconds)},
        "ratio": spread([float(np.median(own)) / one for one in seconds]),
        "accuracy": {**accuracy, "peer": worst},
        "note": "median of ours by five steps of pinocchio, not in turns",
    }


def run(driver: str, task: str) -> None:
    """Prints the rows of a task."""
    case = next(case for case in CASES if case.task == task)
    file = found(case)
    if file is None:
        for peer in PEERS:
            row = {"name": f"{task}-{peer}", "absent": f"not compared: install by pip install {case.package.replace('_', '-')}"}
            print(json.dumps(row))
        return
    try:
        for row in compare(case, file, driver):
            print(json.dumps(row), flush=True)
    finally:
        if case.on_floor:
            file.unlink()


def main() -> None:
    """Prints the tasks or the rows of one."""
    driver, command = sys.argv[1:3]
    if command == "run":
        run(driver, sys.argv[3])
        return
    for name, module in (("MuJoCo", mujoco), ("pinocchio", pinocchio)):
        if module is not None:
            print(json.dumps({"peer": name, "version": module.__version__}))
    for case in CASES:
        rows = [f"{case.task}-{peer}" for peer in PEERS]
        print(json.dumps({"task": case.task, "rows": rows, "needs": ["mujoco"], "seconds": 600}))


if __name__ == "__main__":
    main()
