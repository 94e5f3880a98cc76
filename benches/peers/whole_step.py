"""Whole steps of robots beside MuJoCo's ``mj_step`` and pinocchio's ADMM, with the same files, postures and step sizes.

``python whole_step.py DRIVER``, where ``DRIVER`` is the example ``whole_step`` of ``percussion-benches``. Needs ``pip install mujoco
gymnasium gymnasium-robotics mjlab dm-control``, which ship the robots, and ``pin`` for pinocchio; what is missing is named and left out.

Each robot falls and settles in MuJoCo. From there both engines take the same number of steps, in turn, 21 times; both start again
from the same state each time, with a few steps that do not count. MuJoCo uses the options of the file. Ours solves Coulomb's law
to a relative residual of 1e-8. A ratio is that of the two times that follow each other. ``pinocchio_step`` says what is timed of
pinocchio.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

try:
    from pinocchio_step import Pinocchio
except ImportError:
    Pinocchio = None

RUNS = 21
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
    #: Time in MuJoCo before the first step that counts (s).
    settles: float = 5.0
    #: Whether the file has no floor.
    on_floor: bool = False
    #: Folder below which all its files are, relative to that of the file, if it is another one.
    folder: str | None = None


ASSETS = "envs/mujoco/assets/"
CASES = (
    Case("ant on four feet", "gymnasium", ASSETS + "ant.xml"),
    Case("fallen humanoid", "gymnasium", ASSETS + "humanoid.xml"),
    Case("fallen hopper", "gymnasium", ASSETS + "hopper.xml"),
    Case("standing quadruped", "dm_control", "suite/quadruped.xml", "controls"),
    Case("limp go1", "mjlab", "asset_zoo/robots/unitree_go1/xmls/go1.xml", on_floor=True),
    Case("limp go1, falling", "mjlab", "asset_zoo/robots/unitree_go1/xmls/go1.xml", settles=0.2, on_floor=True),
    Case("fallen g1", "mjlab", "asset_zoo/robots/unitree_g1/xmls/g1.xml", on_floor=True),
    Case("fallen humanoid_CMU", "dm_control", "suite/humanoid_CMU.xml"),
    Case("hand with a block", "gymnasium_robotics", "envs/assets/hand/manipulate_block.xml", settles=2.0, folder=".."),
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


def compare(case: Case, file: Path, driver: str) -> str:
    """The row of a robot."""
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    if case.drive == "limp":
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, round(case.settles / model.opt.timestep))
    qpos, qvel = data.qpos.copy(), data.qvel.copy()
    state = {"coordinates": qpos.tolist(), "velocity": qvel.tolist()}
    warm, count = 20, max(50, round(0.2 / model.opt.timestep))
    ours = Ours(driver, file, model.opt.timestep, case)
    ratios, times, residual, contacts = [], [], 0.0, 0
    for _ in range(RUNS):
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos, qvel, 0.0
        mujoco.mj_step(model, data, warm)
        begin = time.perf_counter()
        mujoco.mj_step(model, data, count)
        theirs = (time.perf_counter() - begin) / count
        answer = ours.steps(state, warm, count)
        residual, contacts = max(residual, answer["residual"]), answer["contacts"]
        times.append((theirs, answer["time"] / count))
        ratios.append(answer["time"] / count / theirs)
    ours.close()
    theirs, own = 1e6 * np.median(times, axis=0)
    data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos, qvel, 0.0
    mujoco.mj_step(model, data, warm)
    beside, comment = pinocchio(case, file, model, data, count)
    low, median, high = np.quantile(ratios, [0.1, 0.5, 0.9])
    return (
        f"{case.name:22} {model.nv:4} {data.ncon:4} {data.nefc:4} {contacts:5} {theirs:8.1f} {own:8.1f} "
        f"{median:6.2f} {low:6.2f}–{high:.2f} {residual:9.1e} {answer['passes']:6.2f} "
        f"{1e6 * beside:9.1f} {1e-6 * own / beside:6.2f}  {comment}"
    )


def pinocchio(case: Case, file: Path, model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> tuple[float, str]:
    """Seconds of a step of pinocchio at least, or not a number and why there is none."""
    if Pinocchio is None:
        return np.nan, "pinocchio is not installed"
    try:
        # Without the floor, which is no part of the robot.
        return Pinocchio(file.with_name(Path(case.file).name), model).median(data, steps), ""
    except (RuntimeError, ValueError) as error:
        return np.nan, str(error).strip().splitlines()[-1]


def main() -> None:
    """Prints the table."""
    driver = sys.argv[1]
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    print(f"MuJoCo {mujoco.__version__}; times of a step in microseconds")
    print(f"{'robot':22} {'n_v':>4} {'ncon':>4} {'nefc':>4} {'ours':>5} {'mj_step':>8} {'ours':>8} {'ratio':>6} {'10–90 %':>11} {'residual':>9} {'passes':>6} {'pinocchio':>9} {'ratio':>6}")
    for case in (case for case in CASES if wanted in case.name):
        file = found(case)
        if file is None:
            print(f"{case.name:22} not compared: {case.package} is not installed")
            continue
        try:
            print(compare(case, file, driver), flush=True)
        except RuntimeError as error:
            print(f"{case.name:22} {error}", flush=True)
        finally:
            if case.on_floor:
                file.unlink()


if __name__ == "__main__":
    main()
