"""Contacts with friction: closed forms, files, and what judges impulses."""

from pathlib import Path

import numpy as np
import pytest

import percussion as pc

HALF = 0.5 * np.eye(3)


def test_a_block_slides_and_friction_takes_what_it_can() -> None:
    # 2 kg, 3 m/s, pressed with 4 N·s and μ = 0.5: friction takes 2 N·s, 2 m/s are left.
    block = pc.FrictionProblem(HALF, [-2.0, 3.0, 0.0], [0.5])
    solution = block.solve().check()
    assert solution.impulses.tolist() == [[4.0, -2.0, 0.0]]
    assert solution.velocities.tolist() == [[0.0, 2.0, 0.0]]


@pytest.mark.parametrize("method", [method.name for method in pc.friction_methods()])
def test_every_method_lets_a_slow_block_stick(method: str) -> None:
    # 2 N·s are in its cone of 0.9 · 4 N·s.
    block = pc.FrictionProblem(HALF, [[-2.0, 0.6, -0.8]], 0.9)
    solution = block.solve(method, tolerance=1e-8).check()
    assert solution.impulses == pytest.approx(np.array([[4.0, -1.2, 1.6]]), abs=1e-6)


def test_contacts_in_the_plane_have_two_components() -> None:
    block = pc.FrictionProblem([[0.5, 0.0], [0.0, 0.5]], [-2.0, 3.0], [0.5])
    assert block.components == 2
    assert block.delassus.tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert block.solve().check().impulses.tolist() == [[4.0, -2.0]]
    again = pc.FrictionProblem.from_json(block.to_json())
    assert again == block
    assert again.solve() == block.solve()


def test_laws_differ_where_normal_and_tangent_are_coupled() -> None:
    coupled = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    solutions = [
        pc.FrictionProblem(coupled, [-1.0, 1.0, 0.3], [0.4], law=law.name).solve().check() for law in pc.friction_laws()
    ]
    assert not np.allclose(solutions[0].impulses, solutions[1].impulses)


def test_blocks_and_sparse_matrices_give_the_bits_of_dense_ones() -> None:
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(6, 6))
    dense = rows @ rows.T
    free = generator.normal(size=6)
    expected = pc.FrictionProblem(dense, free, [0.3, 0.6]).solve().check()
    positions = [(0, 0), (0, 1), (1, 0), (1, 1)]
    blocks = np.array([dense[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] for i, j in positions])
    of_blocks = pc.FrictionProblem.from_blocks(
        [i for i, _ in positions], [j for _, j in positions], blocks, free, [0.3, 0.6]
    )
    assert of_blocks.solve() == expected

    class Sparse:
        """What scipy's matrices have, so that scipy is not needed to test it."""

        shape = (6, 6)
        indptr = np.array([0, 2, 4])
        indices = np.array([0, 1, 0, 1])
        data = blocks

        def tobsr(self, blocksize: tuple[int, int]) -> "Sparse":
            assert blocksize == (3, 3)
            return self

        def sum_duplicates(self) -> None:
            pass

    assert pc.FrictionProblem(Sparse(), free, [0.3, 0.6]).solve() == expected


def test_a_start_and_a_tolerance_are_used() -> None:
    block = pc.FrictionProblem(HALF, [-2.0, 3.0, 0.0], [0.5])
    solution = block.solve("block-gauss-seidel", start=[[4.0, -2.0, 0.0]])
    assert solution.check().iterations == 0
    assert block.solve("block-gauss-seidel").iterations > 0


def test_certificates_name_the_violation_and_the_contact() -> None:
    two = pc.FrictionProblem(0.5 * np.eye(6), [-2.0, 3.0, 0.0, -1.0, 0.0, 0.0], [0.5, 0.5])
    right = two.certify([[4.0, -2.0, 0.0], [2.0, 0.0, 0.0]])
    assert right.holds()
    assert right.residual == 0.0
    # The second contact pulls with 2 N·s: it approaches at 2 m/s.
    wrong = two.certify([4.0, -2.0, 0.0, -2.0, 0.0, 0.0])
    assert not wrong.holds()
    assert wrong.worst == 1
    assert wrong.approach.tolist() == [0.0, 2.0]
    assert wrong.adhesion.tolist() == [0.0, 1.0]
    assert wrong.figures["approach"] == 2.0
    assert wrong.relative_residual == pytest.approx(2.0 / np.hypot(2.0, 3.0))
    assert "worst at contact 1" in str(wrong)


def test_a_problem_without_solution_is_proved_to_be_one() -> None:
    # A body of 1 kg toward one wall, and away from another that it touches; restitution asks for 1 m/s away from the first.
    delassus = np.eye(6)
    delassus[0, 3] = delassus[3, 0] = -1.0
    walls = pc.FrictionProblem(delassus, [-2.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0])
    solution = walls.solve()
    assert solution.status == "infeasible"
    assert solution.infeasibility is not None
    assert solution.infeasibility.tolist() == [1.0, 1.0]
    with pytest.raises(pc.UnsolvedError, match="infeasible"):
        solution.check()


def test_files_read_back_to_the_same_bits(tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(9, 7))
    problem = pc.FrictionProblem(rows @ rows.T / 3.0, generator.normal(size=(3, 3)), 0.7)
    problem.save(tmp_path / "problem.json")
    again = pc.FrictionProblem.load(tmp_path / "problem.json")
    assert again == problem
    assert np.array_equal(again.delassus, problem.delassus)
    assert np.array_equal(again.free_velocity, problem.free_velocity)
    assert again.solve() == problem.solve()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((HALF, [1.0, 2.0], [0.5]), r"`free_velocity` has the shape \(2,\), expected \(1, 3\) or \(3,\)"),
        ((HALF, [1.0, 2.0, 3.0], [0.5, 0.5]), r"`delassus` has the shape \(3, 3\) beside 2 friction coefficients"),
        ((HALF, [1.0, 2.0, 3.0], [-0.5]), "-0.5"),
        ((HALF, [1.0, float("inf"), 3.0], [0.5]), "free_velocity"),
        ((-HALF, [1.0, 2.0, 3.0], [0.5]), "contact 0"),
        ((HALF, [1.0, 2.0, 3.0], ["rough"]), "`friction` has entries of type"),
        (([], [], []), "at least one"),
    ],
)
def test_wrong_problems_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pc.FrictionProblem(*arguments)  # type: ignore[arg-type]


def test_wrong_laws_solvers_and_impulses_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown name `column`, expected `coulomb` or `maximum-dissipation`"):
        pc.FrictionProblem(HALF, [1.0, 2.0, 3.0], [0.5], law="column")
    block = pc.FrictionProblem(HALF, [1.0, 2.0, 3.0], [0.5])
    with pytest.raises(ValueError, match="unknown name `best`"):
        block.solve("best")
    with pytest.raises(ValueError, match=r"`impulses` has the shape \(2, 3\), expected \(1, 3\) or \(3,\)"):
        block.certify(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="`impulses` has the entry NaN"):
        block.certify([1.0, float("nan"), 0.0])
    dissipation = pc.FrictionProblem(HALF, [1.0, 2.0, 3.0], [0.5], law="maximum-dissipation")
    with pytest.raises(ValueError, match="`law` is maximum-dissipation, expected coulomb"):
        dissipation.solve("interior-point")
    with pytest.raises(ValueError, match="line 1"):
        pc.FrictionProblem.from_json("{")
