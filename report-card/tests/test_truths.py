"""The truths are judged: by converging motions of percussion, by their own conservation laws, by statics, and by motions that are wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from report_card import scene as scenes
from report_card import truths
from report_card.engines import percussion as adapter
from report_card.scene import Scene, load, names
from report_card.worker import motion

#: Scenes with a closed form for the whole motion: scheme, steps, and the order of convergence that its theory promises.
CONVERGING = {
    "slide": ("impulse-velocity", (0.02, 0.01, 0.005), 1),
    "roll": ("impulse-velocity", (0.02, 0.01, 0.005), 1),
    "billiard": ("impulse-velocity", (0.02, 0.01, 0.005), 1),
    "belt": ("impulse-velocity", (0.02, 0.01, 0.005), 1),
    "four-bar": ("impulse-velocity", (0.01, 0.005, 0.0025), 1),
    "slider-crank": ("moreau-jean", (0.001, 0.0005, 0.00025), 2),
    "bounce": ("moreau-jean", (0.002, 0.001, 0.0005), 1),
    "skid": ("moreau-jean", (0.002, 0.001, 0.0005), 1),
    "free": ("moreau-jean", (0.1, 0.05, 0.025), 2),
}

#: Scenes that motion from event to event follows to the tolerance of its integration.
EXACT = {"slide": 1e-9, "roll": 1e-9, "billiard": 1e-9, "belt": 1e-8, "bounce": 1e-9, "skid": 1e-9, "row-5": 1e-9, "disc": 1e-8,
         "free": 1e-7, "cradle-3": 1e-12, "cradle-5": 1e-12, "arch": 1e-9, "stick": 1e-9, "pinch": 1e-9, "ladder": 1e-9}


def measured(scene: Scene, setting: str, step_size: float) -> truths.Measures:
    record, _ = motion(adapter, scene, {"setting": setting}, step_size)
    assert record["status"] == "ended", record
    arrays = (np.array(record[key], float) for key in ("times", "poses", "velocities"))
    return truths.TRUTHS[scene.card["truth"]](load(scene.name), truths.Motion(*arrays))


@pytest.mark.parametrize("name", CONVERGING)
def test_steps_converge_to_the_truth(name: str) -> None:
    setting, steps, order = CONVERGING[name]
    scene = load(name)
    if name == "free":
        scene = shorter(scene, 10.0)
    errors = [measured(scene, setting, step)["error"] for step in steps]
    observed = np.log(errors[0] / errors[-1]) / np.log(steps[0] / steps[-1])
    assert observed > order - 0.35, (errors, observed)
    assert errors[-1] < 0.03


@pytest.mark.parametrize("name", EXACT)
def test_motion_from_event_to_event_agrees_with_the_truth(name: str) -> None:
    scene = load(name)
    if name == "free":
        scene = shorter(scene, 100.0)
    assert measured(scene, "event-driven", 0.01)["error"] < EXACT[name]


#: Scenes at rest whose contacts are too many for an exact motion here: a scheme, a step and the error that its tolerance of 1e-8 admits.
RESTING = {"cards": ("moreau-jean", 0.005, 1e-7), "stack-10": ("moreau-jean", 0.02, 1e-6), "stack-10-heavy": ("moreau-jean", 0.02, 1e-5),
           "stack-30": ("moreau-jean", 0.05, 1e-5), "arch": ("moreau-jean", 0.02, 1e-5)}


@pytest.mark.parametrize("name", RESTING)
def test_what_can_stand_stands(name: str) -> None:
    setting, step, largest = RESTING[name]
    assert measured(load(name), setting, step)["error"] < largest


def test_elastic_balls_keep_their_energy_and_lossy_ones_do_not() -> None:
    """Twenty of the balls, fast enough to meet, by impacts located within the steps."""
    scene = load("gas")
    card = {**scene.card, "lattice": {**scene.card["lattice"], "limit": 20, "speed": 2.0}}
    for restitution, kept in ((1.0, True), (0.98, False)):
        document = {**scene.document, "bodies": [], "restitution": restitution, "duration": 0.5, "experiment": card}
        few = scenes.read(document)
        record, _ = motion(adapter, few, {"setting": "variational"}, 0.01)
        assert record["status"] == "ended", record
        moved = truths.Motion(*(np.array(record[key], float) for key in ("times", "poses", "velocities")))
        error = truths.gas(few, moved)["error"]
        assert (error < 1e-10) if kept else (error > 1e-3), (restitution, error)


def test_overlaps_of_a_pile_are_the_deepest_ones() -> None:
    scene = load("pile")
    poses, velocities = scene.start()
    radius = 0.045

    def error(places: dict[int, list[float]]) -> float:
        moved = poses.copy()
        for number, place in places.items():
            moved[number, :3] = place
        return truths.pile(scene, truths.Motion(np.array([0.0, 1.0]), np.array([poses, moved]), np.array([velocities] * 2)))["error"]

    assert error({}) < 0.0, "nothing overlaps at the start"
    assert error({0: [0.5, 0.5, 0.9 * radius]}) >= 0.1 - 1e-9, "through the floor"
    above = [0.5, 0.5, 5.0], [0.5, 0.5, 5.0 + 2.0 * radius - 0.009]
    assert error(dict(enumerate(above))) == pytest.approx(0.2, abs=1e-9), "two balls"


#: For each truth a scene that is run with something changed, which the truth of the unchanged scene must see.
WRONG: dict[str, dict[str, Any]] = {
    "slide": {"friction": 1.02}, "stick": {"friction": 0.98}, "roll": {"gravity": 1.02}, "billiard": {"friction": 1.05},
    "bounce": {"restitution": 1.02}, "skid": {"friction": 1.02}, "row-5": {"restitution": 1.02}, "cradle-3": {"restitution": 0.98},
    "belt": {"friction": 1.02}, "ladder": {"friction": 0.9}, "disc": {"gravity": 1.02}, "pinch": {"friction": 0.1},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_motion_of_another_scene_is_seen(name: str) -> None:
    scene, (changed, factor) = load(name), next(iter(WRONG[name].items()))
    document = dict(scene.document)
    value = document[changed]
    document[changed] = [factor * entry for entry in value] if isinstance(value, list) else factor * value
    wrong = replace(scenes.read({**document, "experiment": scene.card}), name=scene.name)
    step = 0.01
    setting = "event-driven" if name in EXACT and name not in ("ladder", "stick") else "moreau-jean"
    right = measured(scene, setting, step)["error"]
    seen = measured(wrong, setting, step)["error"]
    assert seen > max(1e-3, 100.0 * right), (right, seen)


def shorter(scene: Scene, duration: float) -> Scene:
    return replace(scene, duration=duration, document={**scene.document, "duration": duration})


def test_four_bar_loses_the_work_of_its_friction() -> None:
    scene = load("four-bar")
    crank, coupler = scene.bodies[0], scene.bodies[2]
    inertia = 2.0 * (crank.inertia[1] + crank.mass * 0.25) + coupler.mass
    weight = (2.0 * crank.mass * 0.5 + coupler.mass) * 9.81
    times = np.linspace(0.0, scene.duration, 20_001)
    angle = truths._swing(inertia, weight, 1.2, scene.duration)(times)
    rate = np.gradient(angle, times)
    work = 1.2 * np.concatenate([[0.0], np.cumsum(np.abs(np.diff(angle)))])
    balance = 0.5 * inertia * rate**2 - weight * np.sin(angle) + work
    # The rate is a difference of second order with a step of 1e-4 s.
    assert np.abs(balance[1:-1]).max() < 1e-3 * weight
    assert angle.max() > 1.5


def test_cards_can_stand() -> None:
    """Forces within their cones carry both cards: a linear program over the contact points, in the plane of the cards."""
    scene = load("cards")
    left, right = scene.bodies
    mu = scene.friction

    def corner(body: scenes.Body, x: float, z: float) -> np.ndarray:
        half = body.shape.size["half_extents"]  # type: ignore[union-attr]
        return body.position + scenes.rotation(body.orientation) @ np.array([x * half[0], 0.0, z * half[2]])

    feet = [(0, corner(left, 1.0, -1.0)), (1, corner(right, -1.0, -1.0))]
    top = corner(left, 1.0, 1.0)
    face = -scenes.rotation(right.orientation)[:, 0]
    assert abs((top - right.position) @ face - 0.005) < 1e-12, "the edge of the left card lies on the face of the right one"
    columns, cones = [], []
    for body, point in feet:
        columns.append((body, point, np.array([0.0, 0.0, 1.0]), None))
        columns.append((body, point, np.array([1.0, 0.0, 0.0]), None))
    along = np.array([face[2], 0.0, -face[0]])
    columns += [(0, top, face, 1), (0, top, along, 1)]
    balance = np.zeros((6, len(columns)))
    for number, (body, point, direction, other) in enumerate(columns):
        for which, sign in ((body, 1.0), (other, -1.0)):
            if which is not None:
                arm = point - scene.bodies[which].position
                balance[3 * which : 3 * which + 3, number] += sign * np.array([*direction[[0, 2]], np.cross(arm, direction)[1]])
    weights = np.concatenate([[0.0, body.mass * 9.81, 0.0] for body in scene.bodies])
    for contact in range(3):
        for sign in (1.0, -1.0):
            row = np.zeros(len(columns))
            row[2 * contact], row[2 * contact + 1] = -mu, sign
            cones.append(row)
    found = linprog(np.zeros(len(columns)), np.array(cones), np.zeros(6), balance, weights, [(None, None)] * len(columns))
    assert found.status == 0, found.message


def test_ladder_stands_just_below_its_limit() -> None:
    """Both ends at their bounds: tan θ = 2 μ/(1 − μ²) from the vertical."""
    scene = load("ladder")
    axis = scenes.rotation(scene.bodies[0].orientation)[:, 2]
    limit = 2.0 * scene.friction / (1.0 - scene.friction**2)
    assert abs(axis[0] / axis[2] - 0.95 * limit) < 1e-12


def test_pinched_capsule_is_held() -> None:
    """Each wall carries m g/(2 sin β) across the groove; friction along it may be μ of both."""
    scene = load("pinch")
    across = abs(scene.planes[0].normal[2])
    along, down = scene.gravity[1], -scene.gravity[2]
    assert along < scene.friction * down / across


@pytest.mark.parametrize("name", names())
def test_scenes_start_without_overlap_and_with_known_truths(name: str) -> None:
    scene = load(name)
    assert scene.card["truth"] in truths.TRUTHS
    poses, velocities = scene.start()
    still = truths.Motion(np.zeros(1), poses[None], velocities[None])
    if scene.card["truth"] not in ("pile", "gas"):
        assert truths.TRUTHS[scene.card["truth"]](scene, still_twice(still))["error"] >= 0.0
    places = {tuple(np.round(pose[:3], 9)) for pose in poses}
    assert len(places) == len(poses), "two bodies are at the same place"


def still_twice(motion: truths.Motion) -> truths.Motion:
    """The start as a motion of one second in which nothing moves."""
    twice = (np.concatenate([entry, entry]) for entry in (motion.poses, motion.velocities))
    return truths.Motion(np.array([0.0, 1.0]), *twice)
