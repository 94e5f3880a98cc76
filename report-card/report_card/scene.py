"""Scenes: one neutral description each, in percussion's scenario format, from which every adapter builds its world.

``scenes/NAME.toml`` is a file that ``percussion run`` reads. What concerns the report card stands in its table
``[experiment]``: the truth, the sample times, the steps that are tried. Units are SI, quaternions have ``w`` first.
"""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

#: The folder of the descriptions.
FOLDER = Path(__file__).parent.parent / "scenes"

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """A convex shape: ``sphere``, ``box``, ``capsule`` and ``cylinder`` (both about z), or ``hull``."""

    kind: str
    #: ``radius``, ``half_extents``, ``half_length``, ``half_height``, ``points``, by kind (m).
    size: dict[str, Any]

    def moments(self, mass: float) -> FloatArray:
        """Moments of inertia of the homogeneous solid about its center of mass (kg·m²); not for hulls."""
        size = self.size
        if self.kind == "sphere":
            return np.full(3, 0.4 * mass * size["radius"] ** 2)
        if self.kind == "box":
            squares = np.square(size["half_extents"])
            return mass / 3.0 * (squares.sum() - squares)
        r = size["radius"]
        if self.kind == "cylinder":
            across = mass * (3.0 * r**2 + 4.0 * size["half_height"] ** 2) / 12.0
            return np.array([across, across, 0.5 * mass * r**2])
        if self.kind == "capsule":
            length = 2.0 * size["half_length"]
            tube, balls = length * r**2, 4.0 / 3.0 * r**3
            tube, balls = mass * tube / (tube + balls), mass * balls / (tube + balls)
            # Half balls are shifted from the ends of the segment: their centers of mass lie at 3/8 r.
            ends = balls * (0.4 * r**2 + 0.25 * length**2 + 0.375 * length * r)
            across = tube * (r**2 / 4.0 + length**2 / 12.0) + ends
            return np.array([across, across, 0.5 * tube * r**2 + 0.4 * balls * r**2])
        raise ValueError(f"the moments of a {self.kind} are not known, expected an `inertia` in the scene")


@dataclass(frozen=True)
class Body:
    """A body; its frame has its origin in the center of mass and axes along the principal axes."""

    name: str
    mass: float
    #: Principal moments (kg·m²).
    inertia: FloatArray
    #: None for a body that touches nothing.
    shape: Shape | None
    position: FloatArray
    #: Unit quaternion from body to world axes.
    orientation: FloatArray
    #: Of the center of mass, in world axes (m/s).
    velocity: FloatArray
    #: In world axes (rad/s).
    angular_velocity: FloatArray


@dataclass(frozen=True)
class Plane:
    """A fixed half-space with its outward normal."""

    name: str
    point: FloatArray
    normal: FloatArray


@dataclass(frozen=True)
class Fixed:
    """A fixed shape."""

    name: str
    shape: Shape
    position: FloatArray
    orientation: FloatArray


@dataclass(frozen=True)
class Joint:
    """A revolute or prismatic joint; the bodies stand at their positions of the scene."""

    name: str
    #: ``revolute`` or ``prismatic``.
    kind: str
    #: The body that carries, or ``world``, and the one that is carried.
    between: tuple[str, str]
    anchor: FloatArray
    #: Unit vector in world axes.
    axis: FloatArray
    #: Largest dry friction (N·m, N).
    friction: float
    #: Whether it closes a loop of bodies.
    closes_loop: bool
    #: Velocity of the second body relative to the first at the start (rad/s, m/s).
    speed: float


@dataclass(frozen=True)
class Scene:
    """A scene."""

    name: str
    title: str
    gravity: FloatArray
    #: Length of the motion (s).
    duration: float
    #: Coefficient of friction and restitution of all pairs.
    friction: float
    restitution: float
    bodies: tuple[Body, ...]
    planes: tuple[Plane, ...]
    fixed: tuple[Fixed, ...]
    joints: tuple[Joint, ...]
    #: The table ``[experiment]``.
    card: dict[str, Any] = field(default_factory=dict)
    #: The text of the file without ``[experiment]``, as a document.
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def index(self) -> dict[str, int]:
        """The number of each body by its name."""
        return {body.name: number for number, body in enumerate(self.bodies)}

    @property
    def carried(self) -> dict[str, Joint]:
        """The joint that carries each body that is on one, by the name of the body."""
        return {joint.between[1]: joint for joint in self.joints if not joint.closes_loop}

    @property
    def sample_times(self) -> FloatArray:
        """The times at which states are kept (s), from 0 to the end."""
        return np.linspace(0.0, self.duration, int(self.card.get("samples", 50)) + 1)

    def start(self) -> tuple[FloatArray, FloatArray]:
        """Poses (n × 7: position, quaternion) and velocities (n × 6: linear, angular) at the start."""
        poses = np.array([np.concatenate([body.position, body.orientation]) for body in self.bodies])
        velocities = np.array([np.concatenate([body.velocity, body.angular_velocity]) for body in self.bodies])
        return poses, velocities

    def with_card(self, **changes: Any) -> Scene:
        """The scene with other values in ``card``."""
        return replace(self, card={**self.card, **changes})


def names() -> list[str]:
    """The scenes, in order of their number, then their name."""
    return [path.stem for path in sorted(FOLDER.glob("*.toml"), key=lambda path: (_order(path), path.stem))]


def _order(path: Path) -> int:
    return int(tomllib.loads(path.read_text(encoding="utf-8")).get("experiment", {}).get("order", 999))


def load(name: str) -> Scene:
    """The scene with this name."""
    path = FOLDER / f"{name}.toml"
    if not path.exists():
        raise ValueError(f"the scene `{name}` does not exist, expected one of {', '.join(names())}")
    return read(tomllib.loads(path.read_text(encoding="utf-8")))


def read(document: dict[str, Any]) -> Scene:
    """The scene of a document in percussion's format."""
    card = document.get("experiment", {})
    document = {key: value for key, value in document.items() if key != "experiment"}
    document["bodies"] = [*document.get("bodies", []), *_lattice(card.get("lattice"))]
    bodies = tuple(_body(one) for one in document["bodies"])
    by_name = {body.name: body for body in bodies}
    joints = tuple(_joint(one, by_name) for one in document.get("joints", []))
    return Scene(
        name=document["name"].removeprefix("report-card/"),
        title=document["title"],
        gravity=np.array(document["gravity"], float),
        duration=float(document["duration"]),
        friction=float(document["friction"]),
        restitution=float(document.get("restitution", 0.0)),
        bodies=_moving(bodies, joints),
        planes=tuple(
            Plane(one["name"], np.array(one["point"], float), _unit(one["normal"]))
            for one in document.get("planes", [])
        ),
        fixed=tuple(
            Fixed(one["name"], _shape(one["shape"]), np.array(one.get("position", [0, 0, 0]), float), _turn(one))
            for one in document.get("fixed", [])
        ),
        joints=joints,
        card=card,
        document=document,
    )


def _body(one: dict[str, Any]) -> Body:
    shape = _shape(one["shape"]) if "shape" in one else None
    mass = float(one["mass"])
    inertia = one.get("inertia")
    moments = np.broadcast_to(inertia, 3) if inertia is not None else shape.moments(mass)  # type: ignore[union-attr]
    zero = [0.0, 0.0, 0.0]
    return Body(
        name=one["name"],
        mass=mass,
        inertia=np.array(moments, float),
        shape=shape,
        position=np.array(one["position"], float),
        orientation=_turn(one),
        velocity=np.array(one.get("velocity", zero), float),
        angular_velocity=np.array(one.get("angular_velocity", zero), float),
    )


def _joint(one: dict[str, Any], bodies: dict[str, Body]) -> Joint:
    carried = bodies[one["between"][1]]
    return Joint(
        name=one["name"],
        kind=one["kind"],
        between=(one["between"][0], one["between"][1]),
        anchor=np.array(one.get("anchor", carried.position), float),
        axis=_unit(one["axis"]),
        friction=float(one.get("friction", 0.0)),
        closes_loop=bool(one.get("closes_loop", False)),
        speed=float(one.get("speed", 0.0)),
    )


def _moving(bodies: tuple[Body, ...], joints: tuple[Joint, ...]) -> tuple[Body, ...]:
    """The bodies with the velocities that the speeds of their joints give them, carriers first."""
    known = {body.name: body for body in bodies}
    for joint in joints:
        if joint.closes_loop:
            continue
        carrier, body = known.get(joint.between[0]), known[joint.between[1]]
        linear, angular = np.zeros(3), np.zeros(3)
        if carrier is not None:
            angular = carrier.angular_velocity
            linear = carrier.velocity + np.cross(angular, joint.anchor - carrier.position)
        if joint.kind == "revolute":
            angular = angular + joint.speed * joint.axis
        else:
            linear = linear + joint.speed * joint.axis
        linear = linear + np.cross(angular, body.position - joint.anchor)
        known[body.name] = replace(body, velocity=linear, angular_velocity=angular)
    return tuple(known[body.name] for body in bodies)


def _shape(one: dict[str, Any]) -> Shape:
    (kind, size), *rest = one.items()
    if rest or kind not in ("sphere", "box", "capsule", "cylinder", "hull"):
        raise ValueError(f"a shape is {one}, expected one of sphere, box, capsule, cylinder, hull")
    return Shape(kind, dict(size))


def _turn(one: dict[str, Any]) -> FloatArray:
    turn = one.get("orientation")
    if turn is None:
        return np.array(IDENTITY)
    if "quaternion" in turn:
        return np.array(turn["quaternion"], float)
    half = 0.5 * turn["angle"]
    return np.concatenate([[np.cos(half)], np.sin(half) * _unit(turn["axis"])])


def _unit(vector: npt.ArrayLike) -> FloatArray:
    vector = np.asarray(vector, float)
    return vector / np.linalg.norm(vector)


def _lattice(one: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The equal spheres of a lattice, moved and thrown by seeded random amounts, as bodies of a document."""
    if one is None:
        return []
    draw = np.random.default_rng(one["seed"])
    spheres = []
    for place in itertools.islice(itertools.product(*(range(n) for n in reversed(one["counts"]))), one["limit"]):
        center = np.array(one["corner"]) + one["spacing"] * np.array(place[::-1], float)
        center = center + one["shift"] * draw.uniform(-1.0, 1.0, 3)
        velocity = one["speed"] * draw.normal(size=3)
        spheres.append(
            {
                "name": f"ball {len(spheres)}",
                "mass": one["mass"],
                "shape": {"sphere": {"radius": one["radius"]}},
                "position": center.tolist(),
                "velocity": velocity.tolist(),
            }
        )
    return spheres


def rotation(quaternion: FloatArray) -> FloatArray:
    """The rotation matrix of a unit quaternion, or of several."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
