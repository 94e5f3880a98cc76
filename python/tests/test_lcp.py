"""Linear complementarity problems against closed forms."""

import numpy as np
import pytest

import percussion as pc


def test_a_ball_is_stopped_by_its_momentum() -> None:
    # 2 kg at 3 m/s.
    solution = pc.solve_lcp([[0.5]], [-3.0])
    assert solution.status == "solved"
    assert solution.z.tolist() == [6.0]
    assert solution.w.tolist() == [0.0]
    assert solution.check() is solution


@pytest.mark.parametrize("method", [method.name for method in pc.lcp_methods()])
def test_every_method_stops_two_balls_on_the_ground(method: str) -> None:
    # The upper ball of 1 kg falls at 1 m/s: both impulses are 1 N·s.
    solution = pc.solve_lcp([[2.0, -1.0], [-1.0, 1.0]], [-1.0, 0.0], method)
    assert solution.check().z == pytest.approx([1.0, 1.0], abs=1e-7)


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[4.0, 1.0], [2.0, 3.0]], order="F"),
        np.array([[4.0, 1.0], [2.0, 3.0]], dtype=np.float32),
        np.array([[4, 1], [2, 3]], dtype=np.int8),
        np.array([[4, 1], [2, 3]], dtype=np.uint64),
        np.array([[4.0, 2.0], [1.0, 3.0]]).T,
        np.array([[4.0, 9.0, 1.0, 9.0], [9.0] * 4, [2.0, 9.0, 3.0, 9.0]])[::2, ::2],
        [[4, 1], [2, 3]],
        ((4.0, 1.0), [2.0, 3.0]),
        np.ma.masked_array([[4.0, 1.0], [2.0, 3.0]]),
        np.array([[4.0, 1.0], [2.0, 3.0]], dtype=">f8"),
    ],
    ids=["fortran", "float32", "int8", "uint64", "transposed", "strided", "list", "tuple", "masked", "big-endian"],
)
def test_arrays_of_every_kind_are_read_alike(matrix: object) -> None:
    # w = (4 z1 + z2 - 9, 2 z1 + 3 z2 - 7) vanishes at (2, 1).
    solution = pc.solve_lcp(matrix, [-9, -7])  # type: ignore[arg-type]
    assert solution.z == pytest.approx([2.0, 1.0], abs=1e-15)


def test_a_ray_is_a_status_with_its_certificate() -> None:
    # w = -z - 1 < 0 for all z ≥ 0.
    solution = pc.solve_lcp([[-1.0]], [-1.0])
    assert solution.status == "ray"
    assert solution.ray is not None
    assert solution.ray.violation < 1e-12
    with pytest.raises(pc.UnsolvedError, match="ray") as caught:
        solution.check()
    assert caught.value.result == solution


def test_settings_are_those_of_the_method() -> None:
    dense = np.eye(3) + 0.3
    rough = pc.solve_lcp(dense, [-1.0, -2.0, -3.0], "projected-gauss-seidel", tolerance=0.1)
    fine = pc.solve_lcp(dense, [-1.0, -2.0, -3.0], "projected-gauss-seidel", tolerance=1e-12)
    assert rough.iterations < fine.iterations
    assert fine.relative_residual <= 1e-12 < rough.relative_residual <= 0.1


def test_enumeration_finds_all_solutions() -> None:
    # w = 1 - z: z = 0 and z = 1.
    found = pc.enumerate_lcp([[-1.0]], [1.0]).check()
    assert sorted(float(z[0]) for z, _ in found.solutions) == [0.0, 1.0]
    assert found.rays == ()
    # w = 0 for all z ≥ 0: one piece with a vertex and a ray.
    half_line = pc.enumerate_lcp([[0.0]], [0.0])
    assert half_line.pieces == (((0,), (0,)),)
    assert half_line.rays[0][0].tolist() == [1.0]
    none = pc.enumerate_lcp([[-1.0]], [-1.0])
    assert none.status == "no-solution"
    with pytest.raises(pc.UnsolvedError):
        none.check()


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (([[1.0, 2.0]], [1.0]), {}, "matrix is 1 × 2, expected a square matrix"),
        (([[1.0]], [1.0, 2.0]), {}, "vector has length 2, expected 1"),
        (([[float("nan")]], [1.0]), {}, r"matrix\[0\]\[0\] is NaN, expected a finite number"),
        (([], []), {}, "matrix is empty"),
        (([1.0], [1.0]), {}, r"`matrix` has the shape \(1,\), expected a matrix"),
        (([[1.0]], 1.0), {}, r"`vector` has the shape \(\), expected a vector"),
        (([[1j]], [1.0]), {}, "`matrix` has entries of type complex128, expected real numbers"),
        (([["1"]], [1.0]), {}, "`matrix` has entries of type <U1, expected real numbers"),
        (([[1.0], [1.0, 2.0]], [1.0]), {}, "`matrix` is no array of real numbers"),
        (([[1.0]], [1.0], "lemki"), {}, "unknown name `lemki`, expected one of `lemke`"),
        (([[1.0]], [1.0]), {"tolerence": 1.0}, "unknown setting `tolerence`, expected one of `tolerance`"),
        (([[1.0]], [1.0]), {"tolerance": -1.0}, "tolerance.*-1"),
        (([[1.0]], [1.0]), {"tolerance": float("nan")}, "`tolerance` is NaN, expected a finite number"),
        (([[1.0]], [1.0]), {"tolerance": "small"}, "expected a number"),
        (([[1.0]], [1.0]), {"tolerance": object()}, "`tolerance` is of type object"),
        (([[1.0]], [1.0]), {"pivot_limit": 2**70}, "`pivot_limit` is 1180591620717411303424"),
    ],
)
def test_wrong_input_names_the_argument_the_value_and_what_was_expected(
    arguments: tuple[object, ...], settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        pc.solve_lcp(*arguments, **settings)  # type: ignore[arg-type]
