"""The truths of the scenes: closed forms, conservation laws and references with a known error, and the measures against them.

Each function gets a scene and a sampled motion and returns measures; the first, ``error``, is the one that curves and grades use. It
is dimensionless: 0 is the truth, and 1 is as large as the motion itself. The statement of each truth is its docstring's first line.
Nothing here uses percussion or another engine.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from .scene import FloatArray, Scene, rotation


@dataclass(frozen=True)
class Motion:
    """A sampled motion: times (m), poses (m × n × 7), velocities (m × n × 6), see ``Scene.start``."""

    times: FloatArray
    poses: FloatArray
    velocities: FloatArray


Measures = dict[str, float]


def energy(scene: Scene, motion: Motion) -> FloatArray:
    """Kinetic and potential energy at each sample (J)."""
    mass = np.array([body.mass for body in scene.bodies])
    moments = np.array([body.inertia for body in scene.bodies])
    turns = rotation(motion.poses[:, :, 3:])
    spin = np.einsum("mnji,mnj->mni", turns, motion.velocities[:, :, 3:])
    kinetic = 0.5 * (mass * np.square(motion.velocities[:, :, :3]).sum(-1) + (moments * spin**2).sum(-1))
    height = motion.poses[:, :, :3] @ scene.gravity
    return np.asarray((kinetic - mass * height).sum(-1))


def momentum(scene: Scene, motion: Motion) -> FloatArray:
    """Linear momentum at each sample (N·s)."""
    mass = np.array([body.mass for body in scene.bodies])
    return np.asarray(np.einsum("n,mni->mi", mass, motion.velocities[:, :, :3]))


def spin(scene: Scene, motion: Motion) -> FloatArray:
    """Angular momentum of each body about its center of mass at each sample (N·m·s)."""
    moments = np.array([body.inertia for body in scene.bodies])
    turns = rotation(motion.poses[:, :, 3:])
    local = np.einsum("mnji,mnj->mni", turns, motion.velocities[:, :, 3:])
    return np.asarray(np.einsum("mnij,mnj->mni", turns, moments * local))


def slide(scene: Scene, motion: Motion) -> Measures:
    """A box at speed v stops after v²/(2 μ g) at the time v/(μ g)."""
    speed = scene.bodies[0].velocity[0]
    slowing = scene.friction * -scene.gravity[2]
    time = np.minimum(motion.times, speed / slowing)
    distance = speed * time - 0.5 * slowing * time**2
    return {"error": _largest(motion.poses[:, 0, 0] - distance) / (0.5 * speed**2 / slowing)}


def rest(scene: Scene, motion: Motion) -> Measures:
    """Everything stays where it is."""
    moved = np.linalg.norm(motion.poses[:, :, :3] - motion.poses[0, :, :3], axis=-1)
    turns, first = motion.poses[:, :, 3:], motion.poses[0, :, 3:]
    # A quaternion and its negative are the same orientation.
    chord = np.minimum(np.linalg.norm(turns - first, axis=-1), np.linalg.norm(turns + first, axis=-1))
    turned = 4.0 * np.arcsin(np.clip(0.5 * chord, 0.0, 1.0))
    return {
        "error": float(moved.max()) / scene.card["length"],
        "creep (m/s)": float(moved[-1].max()) / float(motion.times[-1]),
        "turned (rad)": float(turned.max()),
    }


def roll(scene: Scene, motion: Motion) -> Measures:
    """A ball rolls down a slope with the acceleration 5/7 g sin θ; the slope is level, and gravity is tilted."""
    acceleration = 5.0 / 7.0 * scene.gravity[0]
    distance = 0.5 * acceleration * motion.times**2
    return {"error": _largest(motion.poses[:, 0, 0] - distance) / distance[-1]}


def billiard(scene: Scene, motion: Motion) -> Measures:
    """A sliding ball rolls after the time 2 v/(7 μ g), with 5/7 of its speed."""
    speed = scene.bodies[0].velocity[0]
    slowing = scene.friction * -scene.gravity[2]
    rolls = 2.0 * speed / (7.0 * slowing)
    time = np.minimum(motion.times, rolls)
    distance = speed * time - 0.5 * slowing * time**2 + 5.0 / 7.0 * speed * np.maximum(0.0, motion.times - rolls)
    return {
        "error": _largest(motion.poses[:, 0, 0] - distance) / distance[-1],
        "final speed": abs(motion.velocities[-1, 0, 0] / speed - 5.0 / 7.0),
    }


def bounce(scene: Scene, motion: Motion) -> Measures:
    """A ball rebounds with e times its speed, infinitely often in the finite time (1 + e)/(1 − e) √(2 H/g), and rests."""
    e, g = scene.restitution, -scene.gravity[2]
    radius = scene.bodies[0].shape.size["radius"]  # type: ignore[union-attr]
    drop = scene.bodies[0].position[2] - radius
    heights = [_bounce_height(float(time), drop, e, g) for time in motion.times]
    return {"error": _largest(motion.poses[:, 0, 2] - radius - heights) / drop}


def _bounce_height(time: float, drop: float, e: float, g: float) -> float:
    speed, lands = np.sqrt(2.0 * g * drop), np.sqrt(2.0 * drop / g)
    if time < lands:
        return drop - 0.5 * g * time**2
    time -= lands
    for _ in range(200):
        speed *= e
        if time < 2.0 * speed / g:
            return float(speed * time - 0.5 * g * time**2)
        time -= 2.0 * speed / g
    return 0.0


def skid(scene: Scene, motion: Motion) -> Measures:
    """A thrown ball strikes the floor once: p = m (1 + e) v_n, and friction takes μ p or what makes it roll, 2/7 of m v_t."""
    ball = scene.bodies[0]
    e, mu, g = scene.restitution, scene.friction, -scene.gravity[2]
    radius = ball.shape.size["radius"]  # type: ignore[union-attr]
    drop = ball.position[2] - radius
    down, along = ball.velocity[2], ball.velocity[0]
    lands = (down + np.sqrt(down**2 + 2.0 * g * drop)) / g
    strikes = g * lands - down
    lost = min(mu * (1.0 + e) * strikes, 2.0 / 7.0 * along)
    after = np.maximum(0.0, motion.times - lands)
    before = np.minimum(motion.times, lands)
    x = along * before + (along - lost) * after
    z = radius + drop + down * before - 0.5 * g * before**2 + e * strikes * after - 0.5 * g * after**2
    spin_after = lost / (0.4 * radius)
    off = np.hypot(motion.poses[:, 0, 0] - ball.position[0] - x, motion.poses[:, 0, 2] - z)
    return {
        "error": float(off.max()) / drop,
        "spin": abs(motion.velocities[-1, 0, 4] / spin_after - 1.0),
        "speed along": abs(motion.velocities[-1, 0, 0] / (along - lost) - 1.0),
    }


def cradle(scene: Scene, motion: Motion) -> Measures:
    """Momentum and energy are those of the start, whatever the order of the impacts."""
    kept, moved = energy(scene, motion), momentum(scene, motion)
    return {
        "error": max(abs(kept[-1] / kept[0] - 1.0), _largest(moved[-1] - moved[0]) / float(np.linalg.norm(moved[0]))),
        "away from (0, …, 0, v)": _away(motion),
    }


def _away(motion: Motion) -> float:
    """Distance of the final velocities from those of impacts one after the other, relative to the first speed."""
    wanted = np.zeros(motion.velocities.shape[1])
    wanted[-1] = motion.velocities[0, 0, 0]
    return float(np.linalg.norm(motion.velocities[-1, :, 0] - wanted) / wanted[-1])


def row(scene: Scene, motion: Motion) -> Measures:
    """Balls in a row with gaps: each impact of two has v' = ((1 − e) v₁ + (1 + e) v₂)/2 and conversely, one after the other."""
    starts = np.array([[body.position[0], body.velocity[0]] for body in scene.bodies])
    radius = scene.bodies[0].shape.size["radius"]  # type: ignore[union-attr]
    truth = _row_places(starts, 2.0 * radius, scene.restitution, motion.times)
    scale = float(np.ptp(truth))
    moved = momentum(scene, motion)
    return {
        "error": _largest(motion.poses[:, :, 0] - truth) / scale,
        "momentum": _largest(moved - moved[0]) / float(np.linalg.norm(moved[0])),
    }


def _row_places(starts: FloatArray, width: float, e: float, times: FloatArray) -> FloatArray:
    """Positions of equal balls on a line from impact to impact."""
    place, speed = starts[:, 0].copy(), starts[:, 1].copy()
    now, found = 0.0, np.zeros((len(times), len(place)))
    waiting = list(enumerate(times))
    heapq.heapify(waiting)
    for _ in range(10_000):
        closing = speed[:-1] - speed[1:]
        gaps = np.maximum(place[1:] - place[:-1] - width, 0.0)
        until = np.where(closing > 1e-14, gaps / np.where(closing > 1e-14, closing, 1.0), np.inf)
        pair = int(until.argmin())
        while waiting and waiting[0][1] <= now + until[pair]:
            number, time = heapq.heappop(waiting)
            found[number] = place + (time - now) * speed
        if not waiting:
            return found
        place, now = place + until[pair] * speed, now + until[pair]
        first, second = speed[pair], speed[pair + 1]
        speed[pair] = 0.5 * ((1.0 - e) * first + (1.0 + e) * second)
        speed[pair + 1] = 0.5 * ((1.0 + e) * first + (1.0 - e) * second)
    raise ValueError("the row of balls has more than 10 000 impacts")


def free(scene: Scene, motion: Motion) -> Measures:
    """A free body keeps its energy and its angular momentum."""
    kept, turns = energy(scene, motion), spin(scene, motion)[:, 0]
    size = float(np.linalg.norm(turns[0]))
    drift = _largest(kept / kept[0] - 1.0)
    turned = float(np.linalg.norm(turns - turns[0], axis=-1).max()) / size
    return {"error": max(drift, turned), "energy": drift, "angular momentum": turned}


def gas(scene: Scene, motion: Motion) -> Measures:
    """Elastic spheres in a box keep their energy."""
    kept = energy(scene, motion)
    return {"error": _largest(kept / kept[0] - 1.0), "energy gained": float((kept / kept[0] - 1.0).max())}


def pile(scene: Scene, motion: Motion) -> Measures:
    """Spheres that fell into a box come to rest without overlap; ``error`` is the deepest overlap at the end over the radius."""
    places = motion.poses[-1, :, :3]
    radius = scene.bodies[0].shape.size["radius"]  # type: ignore[union-attr]
    walls = max(float((radius - (places - wall.point) @ wall.normal).max()) for wall in scene.planes)
    fallen = energy(scene, motion)
    speeds = np.linalg.norm(motion.velocities[-1, :, :3], axis=-1)
    return {
        "error": max(walls, 2.0 * radius - _nearest(places)) / radius,
        "median speed at the end (m/s)": float(np.median(speeds)),
        "energy lost": float(1.0 - (fallen[-1] / fallen[0])),
    }


def _nearest(places: FloatArray) -> float:
    """The smallest distance of two points."""
    from scipy.spatial import cKDTree

    return float(cKDTree(places).query(places, k=2)[0][:, 1].min())


def belt(scene: Scene, motion: Motion) -> Measures:
    """A box on a moving belt of mass M: both accelerate by friction until they move with M v/(M + m)."""
    moving, box = scene.bodies[0], scene.bodies[1]
    pull = scene.friction * -scene.gravity[2]
    slowing = pull * box.mass / moving.mass
    speed = moving.velocity[0]
    together = speed / (pull + slowing)
    time, later = np.minimum(motion.times, together), np.maximum(0.0, motion.times - together)
    common = speed * moving.mass / (moving.mass + box.mass)
    first = moving.position[0] + speed * time - 0.5 * slowing * time**2 + common * later
    second = box.position[0] + 0.5 * pull * time**2 + common * later
    off = np.maximum(np.abs(motion.poses[:, 0, 0] - first), np.abs(motion.poses[:, 1, 0] - second))
    return {"error": float(off.max()) / (0.5 * pull * together**2), "final speed": abs(motion.velocities[-1, 1, 0] / common - 1.0)}


def disc(scene: Scene, motion: Motion) -> Measures:
    """A disc on its rim with its center at rest precesses at Ω² = m g (R cos α − h sin α)/(sin α (A cos α − C (h/R) sin α))."""
    body = scene.bodies[0]
    axis = rotation(motion.poses[:, 0, 3:])[:, :, 2]
    tilt = np.arccos(np.clip(axis[:, 2], -1.0, 1.0))
    rate = precession(scene)
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    kept = energy(scene, motion)
    level = body.position[2]
    scale = body.mass * -scene.gravity[2] * level
    return {
        "error": max(_largest(tilt / tilt[0] - 1.0), _largest(motion.poses[:, 0, 2] / level - 1.0)),
        "angle of precession (rad)": _largest(turned - turned[0] - rate * motion.times),
        "energy": _largest(kept - kept[0]) / scale,
    }


def precession(scene: Scene) -> float:
    """The rate of precession of a tilted cylinder that rolls with its center at rest (rad/s).

    With ``r`` from the center to the lowest point of the rim, the point rests if ω ∥ r, so ω = −Ω sin α (u − (h/R) e₃) for the
    direction ``u`` down the disc; the torque of the weight about the center is the precession of the angular momentum.
    """
    body = scene.bodies[0]
    size = body.shape.size  # type: ignore[union-attr]
    r, h, g = size["radius"], size["half_height"], -scene.gravity[2]
    tilt = np.arccos(rotation(body.orientation)[2, 2])
    across, along = body.inertia[0], body.inertia[2]
    sine, cosine = np.sin(tilt), np.cos(tilt)
    square = body.mass * g * (r * cosine - h * sine) / (sine * (across * cosine - along * h / r * sine))
    return float(np.sqrt(square))


def four_bar(scene: Scene, motion: Motion) -> Measures:
    """A parallel crank: (2 I + 2 m l² + M L²) φ″ = (2 m l + M L) g cos φ − τ sign φ′ with the friction τ of its three joints."""
    crank, coupler = scene.bodies[0], scene.bodies[2]
    arm, length = crank.position[0], coupler.position[0] - 1.0
    inertia = 2.0 * (crank.inertia[1] + crank.mass * arm**2) + coupler.mass * length**2
    weight = (2.0 * crank.mass * arm + coupler.mass * length) * -scene.gravity[2]
    # The angle φ about y is positive downward.
    friction = sum(joint.friction for joint in scene.joints)
    angle = _swing(inertia, weight, friction, scene.duration)(motion.times)
    first = motion.poses[:, 0, :3]
    found = np.unwrap(np.arctan2(-first[:, 2], first[:, 0]))
    # The place of the coupler shows whether the loop stays closed.
    place = coupler.position + length * np.stack([np.cos(angle) - 1.0, 0.0 * angle, -np.sin(angle)], axis=-1)
    off = np.linalg.norm(motion.poses[:, 2, :3] - place, axis=-1)
    second = motion.poses[:, 1, :3] - scene.bodies[1].position - (first - scene.bodies[0].position)
    return {
        "error": float(off.max()) / length,
        "angle (rad)": _largest(found - angle),
        "loop open by (m)": float(np.linalg.norm(second, axis=-1).max()),
    }


@cache
def _swing(inertia: float, weight: float, friction: float, duration: float) -> Callable[[FloatArray], FloatArray]:
    """The angle over time of a pendulum with dry friction that is released level, from one reversal to the next."""
    parts, now, angle, sign = [], 0.0, 0.0, 1.0
    while now < duration:
        stop = lambda _, y: y[1] if abs(y[1]) > 0 else sign  # noqa: E731
        stop.terminal, stop.direction = True, -sign  # type: ignore[attr-defined]
        start = (angle, 1e-300 * sign)
        part = solve_ivp(
            lambda _, y, sign=sign: (y[1], (weight * np.cos(y[0]) - sign * friction) / inertia), (now, duration), start,
            method="DOP853", rtol=1e-12, atol=1e-13, events=stop, dense_output=True,
        )
        parts.append((now, part.t[-1], part.sol, None))
        now, angle, sign = float(part.t[-1]), float(part.y[0, -1]), -sign
        if now < duration and abs(weight * np.cos(angle)) <= friction:
            parts.append((now, duration, None, angle))
            break
    def at(times: FloatArray) -> FloatArray:
        found = np.zeros(len(times))
        for begins, ends, solution, held in parts:
            inside = (times >= begins) & (times <= ends + 1e-9)
            if inside.any():
                found[inside] = held if solution is None else solution(np.minimum(times[inside], ends))[0]
        return found
    return at


def slider_crank(scene: Scene, motion: Motion) -> Measures:
    """A slider-crank: M(θ) θ″ + ½ M′(θ) θ′² = −V′(θ) − sign θ′ (τ + F |x′(θ)|) for the angle θ of its crank."""
    angle = _crank_angle(scene.name, motion.times)
    length = float(np.linalg.norm(scene.joints[1].anchor))
    pin = length * np.stack([np.cos(angle), 0.0 * angle, np.sin(angle)], axis=-1)
    off = np.linalg.norm(motion.poses[:, 0, :3] - 0.5 * pin, axis=-1)
    return {"error": float(off.max()) / (0.5 * length), "guide left by (m)": _largest(motion.poses[:, 2, 2])}


class _Crank:
    """The slider-crank in its angle θ; crank and rod have their centers of mass in the middle."""

    def __init__(self, scene: Scene) -> None:
        crank, rod, slider = scene.bodies
        self.crank, self.rod, self.slider, self.gravity = crank, rod, slider, -scene.gravity[2]
        self.radius = float(np.linalg.norm(scene.joints[1].anchor))
        self.length = float(np.linalg.norm(scene.joints[2].anchor - scene.joints[1].anchor))
        self.torque, self.force = scene.joints[0].friction, scene.joints[2].friction

    def tilt(self, angle: float) -> tuple[float, float]:
        """The angle β of the rod and β′(θ): r sin θ + l sin β = 0."""
        sine = -self.radius * np.sin(angle) / self.length
        cosine = np.sqrt(1.0 - sine**2)
        return float(np.arcsin(sine)), float(-self.radius * np.cos(angle) / (self.length * cosine))

    def slide(self, angle: float) -> float:
        """x′(θ) of the slider."""
        tilt, rate = self.tilt(angle)
        return float(-self.radius * np.sin(angle) - self.length * np.sin(tilt) * rate)

    def inertia(self, angle: float) -> float:
        """M(θ): twice the kinetic energy at the rate 1."""
        tilt, rate = self.tilt(angle)
        r, half = self.radius, 0.5 * self.length
        center = (-r * np.sin(angle) - half * np.sin(tilt) * rate, r * np.cos(angle) + half * np.cos(tilt) * rate)
        of_crank = self.crank.inertia[1] + self.crank.mass * 0.25 * r**2
        of_rod = self.rod.inertia[1] * rate**2 + self.rod.mass * (center[0] ** 2 + center[1] ** 2)
        return float(of_crank + of_rod + self.slider.mass * self.slide(angle) ** 2)

    def potential(self, angle: float) -> float:
        """V(θ)."""
        height = self.radius * np.sin(angle)
        return float(self.gravity * 0.5 * height * (self.crank.mass + self.rod.mass))

    def rates(self, angle: float, rate: float) -> tuple[float, float]:
        """θ′ and θ″; derivatives by central differences of fourth order, whose error is some 1e-12."""
        step = 1e-3

        def slope(function: Callable[[float], float]) -> float:
            near = function(angle + step) - function(angle - step)
            far = function(angle + 2.0 * step) - function(angle - 2.0 * step)
            return (8.0 * near - far) / (12.0 * step)

        friction = np.sign(rate) * (self.torque + self.force * abs(self.slide(angle)))
        return rate, (-slope(self.potential) - 0.5 * slope(self.inertia) * rate**2 - friction) / self.inertia(angle)


@cache
def _crank_motion(name: str) -> Callable[[FloatArray], FloatArray]:
    from .scene import load

    scene = load(name)
    crank = _Crank(scene)
    pin = scene.joints[1].anchor
    start = (float(np.arctan2(pin[2], pin[0])), -scene.joints[0].speed)
    span = (0.0, scene.duration + 0.1)
    found = solve_ivp(lambda _, y: crank.rates(*y), span, start, method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
    if (found.y[1] <= 0.0).any():
        raise ValueError("the crank turns back, for which its truth is not written")
    return lambda times: found.sol(times)[0]


def _crank_angle(name: str, times: FloatArray) -> FloatArray:
    return np.asarray(_crank_motion(name)(times))


def _largest(numbers: FloatArray) -> float:
    return float(np.abs(numbers).max())


#: By the name in ``[experiment]``.
TRUTHS: dict[str, Callable[[Scene, Motion], Measures]] = {
    one.__name__: one
    for one in (slide, rest, roll, billiard, bounce, skid, cradle, row, free, gas, pile, belt, disc, four_bar, slider_crank)
}


def statement(name: str) -> str:
    """What a truth says."""
    return (TRUTHS[name].__doc__ or "").split("\n")[0]
