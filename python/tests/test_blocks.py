"""Problems with blocks: closed forms, every kind of block, files, certificates and the convex relaxation."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percussion as pc

Ask = Callable[..., Any]

#: A block of every kind and section.
BLOCKS = (
    pc.Block.disc(0.5),
    pc.Block.disc(0.4, tangents=1),
    pc.Block.disc(0.0, tangents=0),
    pc.Block.ellipse(0.9, 0.1),
    pc.Block.polygon([(0.5, 0.0), (0.0, 0.4), (-0.5, 0.0), (0.0, -0.4)]),
    pc.Block.spin(0.5, 0.5, 0.01),
    pc.Block.rolling(0.5, 0.01, 0.002),
    pc.Block.joint_ellipsoid(0.5, 0.6, 0.02, 0.01, 0.03),
    pc.Block.unilateral(2),
    pc.Block.bilateral(3, length=0.2),
    pc.Block.dry_friction(0.3),
    pc.Block.interval(-0.1, 0.3, rows=2, length=0.5),
)


def drawn(seed: int, blocks: tuple[pc.Block, ...] = BLOCKS, **options: Any) -> pc.FrictionProblem:
    """A problem of these blocks with a random positive definite operator."""
    generator = np.random.default_rng(seed)
    size = sum(block.rows for block in blocks)
    rows = generator.normal(size=(size, size + 6))
    return pc.FrictionProblem(rows @ rows.T / size, generator.normal(size=size), blocks=blocks, **options)


def test_a_limit_and_dry_friction_stop_a_joint() -> None:
    joint = pc.FrictionProblem(
        [[0.5, -0.5], [-0.5, 0.5]], [-1.5, 1.5], blocks=[pc.Block.unilateral(), pc.Block.dry_friction(0.5)]
    )
    limit, friction = joint.solve().check().impulses
    assert limit - friction == pytest.approx(3.0, abs=1e-9)
    assert abs(friction) <= 0.5


def test_a_wheel_slides_on_the_edge_of_its_ellipse() -> None:
    wheel = pc.FrictionProblem(0.5 * np.eye(3), [-0.5, 3.0, 4.0], blocks=[pc.Block.ellipse(0.8, 0.3)])
    normal, first, second = wheel.solve().check().impulses
    assert normal == pytest.approx(1.0, abs=1e-12)
    assert (first / 0.8) ** 2 + (second / 0.3) ** 2 == pytest.approx(1.0, abs=1e-11)


def test_a_weld_stops_everything_and_compliance_gives_way() -> None:
    weld = pc.FrictionProblem(np.diag([2.0, 4.0]), [1.0, -2.0], blocks=[pc.Block.bilateral(2)])
    assert weld.solve().check().impulses == pytest.approx([-0.5, 0.5])
    # (W + R) p + b = 0.
    soft = pc.FrictionProblem(np.diag([2.0, 4.0]), [1.0, -2.0], blocks=[pc.Block.bilateral(2)], compliance=[2.0, 0.0])
    assert soft.solve().check().impulses == pytest.approx([-0.25, 0.5])
    assert soft.compliance.tolist() == [2.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_every_kind_of_block_is_solved_and_certified(seed: int) -> None:
    problem = drawn(seed)
    solution = problem.solve(tolerance=1e-10).check()
    certificate = problem.certify(solution.impulses)
    assert certificate.relative_residual <= 1e-10
    assert certificate.residuals.shape == (len(BLOCKS),)
    assert np.array_equal(certificate.velocities, solution.velocities)
    # Laws that can be read off: bilateral rows stand still, limits do not approach, bounds and cones hold.
    parts = dict(zip(BLOCKS_BY_NAME, zip(problem.split(solution.impulses), problem.split(solution.velocities), strict=True), strict=True))
    scale = certificate.velocity_scale
    assert np.abs(parts["bilateral"][1]).max() <= 1e-9 * scale / 0.2
    impulses, velocities = parts["unilateral"]
    assert impulses.min() >= -1e-9
    assert velocities.min() >= -1e-9 * scale
    assert np.abs(impulses * velocities).max() <= 1e-8 * scale
    assert abs(parts["interval"][0][0]) <= 0.3 + 1e-9
    normal, *tangents = parts["disc"][0]
    assert np.hypot(*tangents) <= 0.5 * normal + 1e-9


BLOCKS_BY_NAME = ("disc", "planar", "frictionless", "ellipse", "polygon", "spin", "rolling", "joint", "unilateral", "bilateral", "interval", "range")


def test_certificates_name_the_violation_and_the_block() -> None:
    problem = pc.FrictionProblem(
        np.eye(5), [-1.0, 2.0, 0.0, 0.5, 0.25], blocks=[pc.Block.disc(0.5), pc.Block.bilateral(), pc.Block.dry_friction(0.1)]
    )
    right = problem.certify([1.0, -0.5, 0.0, -0.5, -0.1])
    assert right.holds()
    # The weld gives way, and the dry friction is three times its bound.
    wrong = problem.certify([1.0, -0.5, 0.0, 0.0, -0.3])
    assert wrong.bilateral.tolist() == [0.0, 0.5, 0.0]
    assert wrong.cone[2] == pytest.approx(0.2)
    assert wrong.worst == 1
    assert "bilateral" in str(wrong)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", ["coulomb", "convex-relaxation"])
def test_documents_have_the_bits_of_the_command_line(ask: Ask, tmp_path: Path, seed: int, model: str) -> None:
    size = sum(block.rows for block in BLOCKS)
    compliance = None if seed % 2 else np.linspace(0.0, 0.1, size)
    problem = drawn(seed, model=model, compliance=compliance)
    file = tmp_path / "problem.json"
    problem.save(file)
    printed = ask("solve", "friction", file)
    solution = problem.solve()
    assert printed["status"] == solution.status
    assert printed["impulses"] == solution.impulses.tolist()
    assert printed["velocities"] == solution.velocities.tolist()
    assert (printed["sweeps"], printed["residual"]) == (solution.iterations, solution.relative_residual)
    assert printed["figures"] == solution.figures
    again = pc.FrictionProblem.load(file)
    assert again == problem
    assert again.blocks == BLOCKS
    assert again.model == model
    assert pickle.loads(pickle.dumps(again)).solve() == solution


@pytest.mark.parametrize("method", ["block-gauss-seidel", "alternating-directions"])
def test_the_other_solvers_have_the_bits_of_the_command_line(ask: Ask, tmp_path: Path, method: str) -> None:
    problem = drawn(1, BLOCKS[:4])
    problem.save(tmp_path / "problem.json")
    printed = ask("solve", "friction", tmp_path / "problem.json", "--solver", method)
    solution = problem.solve(method, tolerance=1e-8)
    assert printed["status"] == solution.status
    assert printed["impulses"] == solution.impulses.tolist()


def test_a_document_keeps_its_start_and_its_method() -> None:
    text = json.dumps(
        {
            "delassus": {"dense": [[0.5]]},
            "free_velocity": [1.0],
            "blocks": [{"kind": "interval", "rows": 1, "bound": 0.5}],
            "start": [-0.5],
            "method": {"block-gauss-seidel": {"tolerance": 1e-9}},
        }
    )
    problem = pc.FrictionProblem.from_json(text)
    assert problem.solve().velocities.tolist() == [0.75]
    assert problem.solve().iterations == 0
    assert json.loads(problem.to_json())["start"] == [-0.5]


def test_discs_alone_have_the_bits_of_contacts() -> None:
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(9, 9))
    contacts = pc.FrictionProblem(rows @ rows.T, generator.normal(size=9), [0.3, 0.6, 0.9])
    blocks = contacts.with_blocks()
    assert [block.section for block in blocks.blocks or ()] == [{"disc": 0.3}, {"disc": 0.6}, {"disc": 0.9}]
    assert blocks.solve().impulses.tolist() == contacts.solve().impulses.ravel().tolist()
    # Impulses in rows of contacts are accepted, too.
    assert blocks.certify(contacts.solve().impulses).holds()
    assert blocks.contact_count == 3


def test_the_relaxation_lifts_what_slides() -> None:
    # On the edge of the cone p_t = −p_n/2, so u_n = −2 + p_n/2 = s/2 with s = 3 − p_n/4: p_n = 5.6 N·s.
    both = pc.FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5]).relaxation()
    assert both.coulomb.impulses[0] == pytest.approx(4.0, abs=1e-9)
    assert both.relaxed.impulses[0] == pytest.approx(5.6, abs=1e-9)
    assert both.lift == pytest.approx(0.8, abs=1e-9)
    assert both.velocity == pytest.approx(0.8, abs=1e-9)
    assert max(both.figures.values()) > 0.5
    assert pickle.loads(pickle.dumps(both)) == both


def test_welds_that_contradict_each_other_are_proved_infeasible() -> None:
    welds = pc.FrictionProblem([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0], blocks=[pc.Block.bilateral(2)])
    solution = welds.solve()
    assert solution.status == "infeasible"
    assert solution.infeasibility is not None
    assert solution.infeasibility.sum() == pytest.approx(0.0, abs=1e-12)


EYE = np.eye(3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((EYE, [1, 2, 3]), {}, "`friction` is missing"),
        ((EYE, [1, 2, 3], [0.5]), {"blocks": [pc.Block.disc(0.5)]}, r"`friction` is \[0.5\], expected nothing beside"),
        ((EYE, [1, 2, 3], [0.5]), {"compliance": [0.0] * 3}, "expected nothing without `blocks`"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.bilateral(2)]}, "delassus has length 3, expected 2"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.disc(-0.5)]}, r"`blocks\[0\]`: `section.disc` is -0.5"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block("contact", 3)]}, r"`blocks\[0\]`: `section` is missing"),
        ((EYE, [1, 2, 3]), {"blocks": [{"kind": "weld", "rows": 3}]}, r"`blocks\[0\]`.*`weld`"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.bilateral(3, length=0.0)]}, "`length` is 0, expected a positive number"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.interval(2.0, 1.0, rows=3)]}, r"`bound\[1\]` is 1"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.polygon([(1, 0), (2, 0), (1, 1)])]}, r"does not contain \(0, 0\)"),
        ((EYE, [1, 2, np.nan]), {"blocks": [pc.Block.disc(0.5)]}, "free_velocity"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.disc(0.5)], "model": "soft"}, "`model`: unknown name `soft`"),
        ((EYE, [1, 2, 3]), {"blocks": [pc.Block.disc(0.5)], "compliance": [-1, 0, 0]}, r"compliance\[0\] is -1"),
        ((EYE, [1, 2, 3]), {"blocks": []}, "at least one"),
        ((-EYE, [1, 2, 3]), {"blocks": [pc.Block.bilateral(3)]}, "is -1, expected a number ≥ 0"),
    ],
)
def test_wrong_blocks_are_refused(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pc.FrictionProblem(*arguments, **options)


def test_wrong_impulses_and_solvers_are_refused() -> None:
    problem = drawn(0)
    with pytest.raises(ValueError, match=r"`impulses` has the shape \(1,\), expected \(\d+,\)"):
        problem.certify([1.0])
    with pytest.raises(ValueError, match="blocks"):
        problem.solve("interior-point")
    with pytest.raises(ValueError, match="`law` is maximum-dissipation"):
        pc.FrictionProblem(EYE, [1, 2, 3], [0.5], law="maximum-dissipation").relaxation()
    with pytest.raises(ValueError, match="`rows` has 2 entries"):
        problem.split([1.0, 2.0])
