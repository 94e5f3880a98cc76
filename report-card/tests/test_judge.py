"""The judge of contacts accepts what Coulomb's law allows, and names what it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from report_card import judge
from report_card.scene import Scene, load

STEP = 0.01


def sliding() -> tuple[Scene, Any, Any, list[dict[str, Any]]]:
    """A step of the sliding box by hand: each of four corners carries a quarter of the weight, with friction against x.

    The front corners carry more, so that the moment of the friction is balanced.
    """
    scene = load("slide")
    poses, velocities = scene.start()
    box = scene.bodies[0]
    weight, mu = box.mass * 10.0 * STEP, scene.friction
    velocities = velocities.copy()
    velocities[0, 0] = 3.0 - mu * 10.0 * STEP
    # Normal impulses N/4 ± d with the moment 4 d · 0.5 = μ N · 0.1.
    more = mu * weight * 0.1 / (4.0 * 0.5)
    contacts = []
    for x in (0.5, -0.5):
        for y in (0.4, -0.4):
            normal = 0.25 * weight + (more if x > 0 else -more)
            impulse = [-mu * normal, 0.0, normal]
            contacts.append({"first": "", "second": "box", "point": [x, y, 0.0], "normal": [0.0, 0.0, 1.0], "gap": 0.0, "impulse": impulse})
    return scene, poses, velocities, contacts


def test_the_law_holds() -> None:
    figures = judge.figures(*sliding())
    assert figures is not None
    assert figures["natural map"] < 1e-12, figures


def turned(contacts: list[dict[str, Any]]) -> None:
    for contact in contacts:
        x, _, z = contact["impulse"]
        contact["impulse"] = [0.8 * x, 0.6 * x, z]


def stronger(contacts: list[dict[str, Any]]) -> None:
    contacts[0]["impulse"][0] *= 1.5


def pulling(contacts: list[dict[str, Any]]) -> None:
    contacts[1]["impulse"][2] = -0.1


@pytest.mark.parametrize(("fault", "kind"), [(turned, "slip"), (stronger, "cone"), (pulling, "adhesion")])
def test_faults_are_named(fault: Any, kind: str) -> None:
    scene, poses, velocities, contacts = sliding()
    fault(contacts)
    figures = judge.figures(scene, poses, velocities, contacts)
    assert figures is not None
    assert figures[kind] > 1e-3, figures


def test_approach_and_separation_under_load_are_seen() -> None:
    scene, poses, velocities, contacts = sliding()
    for speed, kind in ((-0.01, "approach"), (0.01, "complementarity")):
        moving = velocities.copy()
        moving[0, 2] = speed
        figures = judge.figures(scene, poses, moving, contacts)
        assert figures is not None and abs(figures[kind] - 0.01) < 5e-3, (kind, figures)


def test_the_order_of_bodies_does_not_matter() -> None:
    scene, poses, velocities, contacts = sliding()
    for contact in contacts:
        contact.update(
            first="box", second="", normal=(-np.array(contact["normal"])).tolist(), impulse=(-np.array(contact["impulse"])).tolist()
        )
    figures = judge.figures(scene, poses, velocities, contacts)
    assert figures is not None and figures["natural map"] < 1e-12, figures


def test_open_contacts_are_left_out() -> None:
    scene, poses, velocities, contacts = sliding()
    far = {**contacts[0], "gap": 0.1, "impulse": [0.0, 0.0, 0.0]}
    assert judge.figures(scene, poses, velocities, [far]) is None


def test_penetration_is_measured() -> None:
    scene = load("slide")
    poses, _ = scene.start()
    poses[0, 2] -= 0.003
    assert judge.penetration(scene, poses) == pytest.approx(0.003, abs=1e-12)
