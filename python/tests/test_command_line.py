"""The same bits as the command line, for documents of every kind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DOCUMENTS, IMPACTS, MECHANISMS, ROOT

import percussion as pc

Ask = Callable[..., Any]

#: A friction problem of a fixture.
STACK = ROOT / "crates/scenarios/fixtures/maximum-dissipation/stack.json"

#: Impacts that are given by matrices.
MATRICES = [file for file in sorted(DOCUMENTS.glob("*.json")) if "mass_matrix" in file.read_text()]


def of_outcome(outcome: pc.Outcome) -> dict[str, Any]:
    """An outcome as the command line prints it."""
    certificate = outcome.certificate
    return {
        "status": outcome.status,
        "restitution": outcome.restitution,
        "velocity": outcome.velocity.tolist(),
        "normals": outcome.impulses[:, 0].tolist(),
        "bilateral_impulses": outcome.bilateral_impulses.tolist(),
        "certificate": {name: getattr(certificate, name) for name in certificate.__dataclass_fields__},
        "violations": list(outcome.violations),
        "stages": [(stage.phase, stage.contact, stage.velocity.tolist()) for stage in outcome.stages],
    }


def of_document(document: dict[str, Any]) -> dict[str, Any]:
    """The same parts of what the command line printed."""
    kept = ["status", "restitution", "velocity", "bilateral_impulses", "certificate", "violations"]
    parts = {key: document[key] for key in kept}
    parts["normals"] = [impulse["normal"] for impulse in document["impulses"]]
    parts["stages"] = [(one["phase"], one["contact"], one["velocity"]) for one in document["trace"]["stages"]]
    return parts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", [method.name for method in pc.lcp_methods()])
def test_linear_problems(ask: Ask, tmp_path: Path, seed: int, method: str) -> None:
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(6, 6))
    matrix, vector = rows @ rows.T + 0.01 * np.eye(6), generator.normal(size=6)
    file = tmp_path / "problem.json"
    file.write_text(json.dumps({"matrix": matrix.tolist(), "vector": vector.tolist()}))
    printed = ask("solve", "lcp", file, "--solver", method)
    solution = pc.solve_lcp(matrix, vector, method)
    assert printed["status"] == solution.status
    assert printed["z"] == solution.z.tolist()
    assert printed["w"] == solution.w.tolist()
    assert (printed["iterations"], printed["residual"]) == (solution.iterations, solution.residual)


def test_enumerations(ask: Ask, tmp_path: Path) -> None:
    matrix, vector = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.3], [0.1, 0.0, 1.0]], [-1.0, -1.0, -0.7]
    file = tmp_path / "problem.json"
    file.write_text(json.dumps({"matrix": matrix, "vector": vector}))
    printed = ask("solve", "lcp", file, "--solver", "enumerate")
    found = pc.enumerate_lcp(matrix, vector)
    assert len(found.solutions) > 1
    assert printed["status"] == found.status
    assert [(one["z"], one["w"]) for one in printed["solutions"]] == [
        (z.tolist(), w.tolist()) for z, w in found.solutions
    ]
    assert [(tuple(one["solutions"]), tuple(one["rays"])) for one in printed["pieces"]] == list(found.pieces)


@pytest.mark.parametrize("file", [DOCUMENTS / "sliding-block.json", STACK], ids=lambda file: file.stem)
@pytest.mark.parametrize("method", [None, *(method.name for method in pc.friction_methods())])
def test_friction_problems(ask: Ask, file: Path, method: str | None) -> None:
    problem = pc.FrictionProblem.load(file)
    asked = () if method is None else ("--solver", method)
    printed = ask("solve", "friction", file, *asked)
    # The tolerance of the command line, where a solver is asked for.
    solution = problem.solve() if method is None else problem.solve(method, tolerance=1e-8)
    assert printed["status"] == solution.status
    assert printed["impulses"] == solution.impulses.ravel().tolist()
    assert printed["velocities"] == solution.velocities.ravel().tolist()
    assert (printed["sweeps"], printed["residual"]) == (solution.iterations, solution.relative_residual)
    assert printed["figures"] == solution.figures


def test_a_saved_problem_is_one_of_the_command_line(ask: Ask, tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    rows = generator.normal(size=(12, 9))
    problem = pc.FrictionProblem(rows @ rows.T, generator.normal(size=12), 0.6, law="maximum-dissipation")
    problem.save(tmp_path / "problem.json")
    printed = ask("solve", "friction", tmp_path / "problem.json")
    assert printed["impulses"] == problem.solve().impulses.ravel().tolist()


@pytest.mark.parametrize("file", MATRICES, ids=lambda file: file.stem)
def test_impacts_of_matrices_by_every_law(ask: Ask, file: Path) -> None:
    check_comparison(ask, file, pc.Impact.load(file))


@pytest.mark.parametrize("name", ["rocking-block", "ball-row", "brick-corner-0.225", "triple-pendulum", "billiards"])
def test_impacts_of_bodies_by_every_law(ask: Ask, name: str) -> None:
    file = IMPACTS / f"{name}.toml"
    check_comparison(ask, file, pc.Impact.load(file))


def check_comparison(ask: Ask, file: Path, impact: pc.Impact) -> None:
    """All laws with one answer, and those refused."""
    printed = {entry["law"]: entry for entry in ask("compare", file)["laws"]}
    ours = impact.compare()
    assert set(printed) == set(ours.answers) | set(ours.refused)
    for law, reason in ours.refused.items():
        assert printed[law]["error"] == reason
    compared = 0
    for law, answer in ours.answers.items():
        if isinstance(answer, pc.Outcome):
            assert of_document(printed[law]) == of_outcome(answer), law
            compared += 1
        elif isinstance(answer, pc.OutcomeSet):
            check_set(printed[law], answer)
    assert compared >= 4


def check_set(document: dict[str, Any], outcomes: pc.OutcomeSet) -> None:
    """A set of outcomes."""
    assert document["status"] == outcomes.status
    assert document["velocities"] == outcomes.velocities.tolist()
    assert document["statistics"] == outcomes.statistics
    assert document["guarantee"] == outcomes.guarantee
    assert outcomes.bounds is not None
    assert document["bounds"]["velocity"] == outcomes.bounds.velocity.tolist()
    assert [plane["hull"] for plane in document["planes"]] == [plane.hull.tolist() for plane in outcomes.planes]
    assert [plane["area"] for plane in document["planes"]] == [plane.area for plane in outcomes.planes]
    assert [(tuple(mode["contacts"]), mode["count"], mode["first"]) for mode in document["modes"]["joint"]] == [
        (mode.contacts, mode.count, mode.first) for mode in outcomes.modes
    ]
    assert [one["value"] for one in document["extremes"]] == [one.value for one in outcomes.extremes]


def test_all_solutions(ask: Ask) -> None:
    file = IMPACTS / "compass-gait.toml"
    printed = ask("impact", file, "--law", "anitescu-potra", "--set", "solutions=all")
    found = pc.Impact.load(file).solutions("anitescu-potra")
    assert printed["status"] == found.status
    assert [of_document(one) for one in printed["outcomes"]] == [of_outcome(one) for one in found]


@pytest.mark.parametrize("name", ["box-and-wall", "box-stack", "four-bar", "hull-on-slope", "sledge-and-ball", "sliding-box"])
def test_motions(ask: Ask, name: str) -> None:
    file = MECHANISMS / f"mechanisms/{name}.toml"
    printed = ask("run", file, "--duration", "0.1")
    trajectory = pc.Model.from_file(file).simulate(0.1)
    assert printed["steps"] == len(trajectory) - 1
    assert printed["end"]["time"] == trajectory.times[-1]
    assert printed["end"]["coordinates"] == trajectory.coordinates[-1].tolist()
    assert printed["end"]["velocity"] == trajectory.velocities[-1].tolist()
    assert printed["end"]["energy"] == trajectory.energies[-1]
    assert printed["largest_relative_residual"] == trajectory.largest_relative_residual


def test_robots(ask: Ask) -> None:
    file = MECHANISMS / "robots/quadruped.urdf"
    printed = ask("run", file, "--integrator", "stewart-trinkle", "--duration", "0.02", "--friction", "0.5")
    trajectory = pc.Model.from_file(file, scheme="stewart-trinkle", friction=0.5).simulate(0.02)
    assert printed["end"]["coordinates"] == trajectory.coordinates[-1].tolist()
    inspected = ask("inspect", file)
    robot = pc.Model.from_file(file, scheme="stewart-trinkle")
    assert inspected["degrees_of_freedom"] == len(robot.velocity)
    assert {row["name"]: row["mass"] for row in inspected["bodies"]}.items() <= robot.bodies.items()


def test_lists(ask: Ask) -> None:
    text = ask("list")
    assert isinstance(text, dict)
