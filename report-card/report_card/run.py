"""All runs of a report card: engines × scenes × settings × steps, each engine in its own process, in interleaved rounds."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from . import judge, truths
from .scene import Scene, load
from .worker import judged

ROOT = Path(__file__).parent.parent

#: Engines use one thread, and their libraries as well; compiled kernels are kept.
SURROUNDINGS = {
    **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")},
    "WARP_CACHE_PATH": str(Path(sys.prefix).parent / "kernels"),
}

#: Runs that take longer (s of CPU) are not repeated in other rounds.
LONG = 2.0


@dataclass(frozen=True)
class Engine:
    """An engine and its description by its adapter; without ``version`` it is not installed, for ``reason``."""

    name: str
    title: str
    version: str = ""
    law: str = ""
    settings: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class Limits:
    """How much is run."""

    rounds: int = 3
    #: Wall-clock time of one run (s), from start to end of its motion.
    seconds: float = 60.0
    #: Only so many of the largest steps of each scene; None for all.
    steps: int | None = None
    #: Only the first setting of each foreign engine.
    first_setting: bool = False
    once: bool = False


@cache
def packages() -> dict[str, dict[str, Any]]:
    """The tables of ``engines.toml`` by engine."""
    return tomllib.loads((ROOT / "engines.toml").read_text(encoding="utf-8"))


def engines(wanted: Iterable[str] | None = None) -> list[Engine]:
    """The engines of ``engines.toml``, each asked for its description."""
    found = []
    for name in packages():
        if wanted is not None and name not in wanted:
            continue
        answer = next(_ask(name, {"engine": name}, 120.0), {"reason": "its process ended without an answer"})
        if "version" not in answer:
            reason = answer.get("reason", "it does not answer within two minutes")
            found.append(Engine(name, answer.get("title", name), reason=reason))
            continue
        found.append(Engine(name, answer["title"], answer["version"], answer["law"], tuple(answer["settings"])))
    return found


def run(scene_names: list[str], chosen: list[Engine], limits: Limits, tell: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """The results of each scene, as they are written to ``results/``."""
    for name in scene_names:
        scene = load(name)
        step_sizes = list(scene.card["steps"])[: limits.steps]
        jobs = [
            (engine, setting)
            for engine in chosen
            if engine.version
            for setting in (engine.settings[:1] if limits.first_setting and engine.name != "percussion" else engine.settings)
        ]
        runs: dict[tuple[str, str, float], dict[str, Any]] = {}
        for number in range(limits.rounds):
            for engine, setting in jobs:
                tell(f"{name}: round {number + 1} of {limits.rounds}, {engine.title}, {setting}")
                left = [size for size in step_sizes if _goes_on(runs.get((engine.name, setting, size)))]
                for record in _job(scene, engine.name, setting, left, limits):
                    _merge(runs, scene, engine, setting, record)
        gaps = [{"engine": engine.name, "status": "not installed", "reason": engine.reason} for engine in chosen if not engine.version]
        yield {
            "scene": name,
            "title": scene.title,
            "truth": truths.statement(scene.card["truth"]),
            "duration": scene.duration,
            "rounds": limits.rounds,
            "engines": {engine.name: {"title": engine.title, "version": engine.version, "law": engine.law} for engine in chosen},
            "runs": [*runs.values(), *gaps],
        }


def _goes_on(known: dict[str, Any] | None) -> bool:
    """Whether another round of a run is of use: it ended, and was so short that its time varies."""
    return known is None or (known["status"] == "ended" and max(known["cpu_seconds"]) < LONG)


def _merge(runs: dict[Any, dict[str, Any]], scene: Scene, engine: Engine, setting: str, record: dict[str, Any]) -> None:
    """Adds a record to the result of its run: times are collected, figures must repeat."""
    key = (engine.name, setting, record["step_size"])
    result = {"engine": engine.name, "setting": setting, **_figures(scene, record)}
    before = runs.get(key)
    if before is None:
        runs[key] = result
        return
    before["cpu_seconds"] = [*before.get("cpu_seconds", []), *result.get("cpu_seconds", [])]
    same = ("status", "measures", "contacts", "penetration")
    before["repeats"] = before.get("repeats", True) and all(before.get(one) == result.get(one) for one in same)


def _figures(scene: Scene, record: dict[str, Any]) -> dict[str, Any]:
    """The result of a record: the motion is replaced by measures, and by what the judge of contacts found."""
    kept = {key: record[key] for key in ("step_size", "status", "reason", "steps", "cpu_seconds") if key in record}
    if record["status"] != "ended":
        return kept
    arrays = (np.array(record[key], float) for key in ("times", "poses", "velocities"))
    motion = truths.Motion(*arrays)
    kept["measures"] = truths.TRUTHS[scene.card["truth"]](scene, motion)
    chosen = judged(len(motion.times))
    depths = [depth for k in chosen if (depth := judge.penetration(scene, motion.poses[k])) is not None]
    if depths:
        kept["penetration"] = max(depths)
    found = [
        one
        for k in chosen
        if record["contacts"][k] is not None
        and len(record["contacts"][k]) <= judge.LARGEST
        and (one := judge.figures(scene, motion.poses[k], motion.velocities[k], record["contacts"][k])) is not None
    ]
    if found:
        kept["contacts"] = {name: float(np.median([one[name] for one in found])) for name in found[0]}
        kept["contacts"]["worst natural map"] = max(one["natural map"] for one in found)
    return kept


def _job(scene: Scene, engine: str, setting: str, step_sizes: list[float], limits: Limits) -> Iterator[dict[str, Any]]:
    """The records of one engine and setting, with those that a crash or the time limit prevented."""
    left = list(step_sizes)
    while left:
        request = {"engine": engine, "scene": scene.name, "setting": setting, "step_sizes": left, "once": limits.once}
        ended = "crashed"
        for record in _ask(engine, request, limits.seconds):
            if "step_size" not in record:
                ended = record["reason"]
                break
            left.remove(record["step_size"])
            yield record
        if not left:
            return
        size = left.pop(0)
        yield {"step_size": size, "status": "failed" if ended == "crashed" else "timed out", "reason": ended}
        if ended != "crashed":
            # Smaller steps take longer.
            for size in left:
                yield {"step_size": size, "status": "timed out", "reason": f"not run, since a larger step was not done: {ended}"}
            return


def _ask(engine: str, request: dict[str, Any], seconds: float) -> Iterator[dict[str, Any]]:
    """The answers of a worker, each within ``seconds``; the last is a reason if it did not answer in time."""
    about = packages()[engine]
    command = [about.get("interpreter", sys.executable), "-m", "report_card.worker"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **SURROUNDINGS}, start_new_session=True, **pipes)  # type: ignore[call-overload]
    except OSError as error:
        yield {"reason": f"its interpreter does not start: {error}"}
        return
    try:
        worker.stdin.write(json.dumps(request).encode())
        worker.stdin.close()
        buffer, until = b"", time.monotonic() + seconds + about.get("first_answer_seconds", 0)
        with selectors.DefaultSelector() as selector:
            selector.register(worker.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, until - time.monotonic())):
                    yield {"reason": f"it did not end within {seconds:g} s"}
                    return
                part = os.read(worker.stdout.fileno(), 1 << 20)
                if not part:
                    return
                *lines, buffer = (buffer + part).split(b"\n")
                for line in lines:
                    yield json.loads(line)
                    until = time.monotonic() + seconds
    finally:
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        worker.wait()
