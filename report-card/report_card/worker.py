"""Runs of one engine in a process of its own: ``python -m report_card.worker``.

Reads a request from standard input (JSON) and prints one record a line, so that an engine that crashes or hangs takes nothing with
it, and that each engine has the interpreter it needs. Imports only numpy and the engine.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import scene as scenes
from .engines import Unsupported

#: A state with a coordinate or a velocity beyond this is reported as failed (m, m/s).
ABSURD = 1e9

#: Number of samples at which contacts are read, and penetration is measured.
JUDGED = 12

#: Runs shorter than this (s) are repeated so many times, for a median.
SHORT, REPETITIONS = 0.1, 5


def records(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The records of a request: ``engine``, ``scene``, ``setting`` and ``step_sizes``, or only ``engine`` for its description."""
    try:
        engine = importlib.import_module(f"report_card.engines.{request['engine']}")
    except ImportError as error:
        yield {"status": "not installed", "reason": str(error)}
        return
    about = {"title": engine.TITLE, "version": engine.version(), "law": engine.LAW}
    if "scene" not in request:
        yield {**about, "settings": list(engine.SETTINGS)}
        return
    scene = scenes.load(request["scene"])
    for step_size in request["step_sizes"]:
        yield {"step_size": step_size, **_run(engine, scene, request, step_size)}


def _run(engine: Any, scene: scenes.Scene, request: dict[str, Any], step_size: float) -> dict[str, Any]:
    times: list[float] = []
    try:
        while True:
            samples, seconds = motion(engine, scene, request, step_size)
            times.append(seconds)
            if sum(times) > SHORT or len(times) >= REPETITIONS or request.get("once"):
                return {**samples, "cpu_seconds": times}
    except Unsupported as error:
        return {"status": "unsupported", "reason": str(error)}
    except Exception as error:  # Whatever an engine raises is a result of the run.
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}"}


def motion(engine: Any, scene: scenes.Scene, request: dict[str, Any], step_size: float) -> tuple[dict[str, Any], float]:
    """The sampled motion, and the CPU time of the engine's own steps (s)."""
    world = engine.build(scene, step_size, engine.SETTINGS[request["setting"]])
    times = scene.sample_times
    poses, velocities = scene.start()
    kept: dict[str, list[Any]] = {"times": [0.0], "poses": [poses], "velocities": [velocities], "contacts": [None]}
    seconds, done, ending = 0.0, 0, {"status": "ended"}
    asked = judged(len(times))
    for number, moment in enumerate(times[1:], start=1):
        if hasattr(world, "reports"):
            world.reports = number in asked
        count = round(moment / step_size) - done
        start = time.process_time()
        if hasattr(world, "advance_to"):
            world.advance_to(float(moment))
        elif count > 0:
            world.advance(count)
        seconds += time.process_time() - start
        done += count
        poses, velocities = world.state()
        if not (np.abs(poses).max() < ABSURD and np.abs(velocities).max() < ABSURD):
            reason = f"a coordinate or velocity is not finite or beyond {ABSURD:g} at {moment:g} s"
            ending = {"status": "failed", "reason": reason}
            break
        # The engine's own time, which is not that of the sample exactly.
        kept["times"].append(float(moment) if hasattr(world, "advance_to") else done * step_size)
        kept["poses"].append(poses)
        kept["velocities"].append(velocities)
        found = world.contacts() if number in asked else None
        kept["contacts"].append(None if found is None else [_plain(contact) for contact in found])
    for key in ("poses", "velocities"):
        kept[key] = [np.asarray(rows).tolist() for rows in kept[key]]
    return {**ending, "steps": done, **kept}, seconds


def judged(samples: int) -> list[int]:
    """The numbers of the samples whose contacts and penetration are judged."""
    return sorted(set(np.linspace(1, samples - 1, JUDGED).round().astype(int).tolist()))


def _plain(contact: Any) -> dict[str, Any]:
    vectors = {key: [float(entry) for entry in getattr(contact, key)] for key in ("point", "normal", "impulse")}
    return {"first": contact.first, "second": contact.second, "gap": float(contact.gap), **vectors}


def main() -> None:
    """Answers one request; what an engine prints goes to standard error."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for record in records(json.load(sys.stdin)):
        answer.write(json.dumps(record) + "\n")
        answer.flush()
    # Some engines crash when they are torn down after their work is done.
    os._exit(0)


if __name__ == "__main__":
    main()
