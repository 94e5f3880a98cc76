"""Models that ship in packages, as far as they are installed: the problems of their steps are solved and certified."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mj = pytest.importorskip("mujoco", reason="MuJoCo is an extra")

from percussion.adapters import mujoco as adapter  # noqa: E402

#: Steps of each model, and the distance of two problems.
STEPS, STRIDE = 200, 25


def models(package: str) -> list[Path]:
    """The files of a package that may be models."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return sorted(Path(spec.origin).parent.rglob("*.xml"))


def loaded(file: Path) -> Any:
    """The model of a file; None for parts of models, and for models that do not move."""
    try:
        model = mj.MjModel.from_xml_path(str(file))
    except ValueError:
        return None
    # Their steps consist of four.
    if model.opt.integrator == mj.mjtIntegrator.mjINT_RK4:
        model.opt.integrator = mj.mjtIntegrator.mjINT_EULER
    return model if 0 < model.nv <= 150 else None


@pytest.mark.parametrize("package", ["mujoco", "gymnasium", "dm_control", "mjlab"])
def test_the_problems_of_a_package_are_solved(package: str) -> None:
    files = models(package)
    kinds = set()
    for file in files:
        model = loaded(file)
        if model is None:
            continue
        data = mj.MjData(model)
        if model.nkey:
            mj.mj_resetDataKeyframe(model, data, 0)
        generator = np.random.default_rng(1)
        for step in range(STEPS):
            if step % STRIDE == 0:
                data.ctrl[:] = 0.3 * generator.normal(size=model.nu)
            found = adapter.problem(model, data) if step % STRIDE == 5 else None
            if found is not None:
                place = f"{file}, step {step}: {found}"
                solution = found.solve(tolerance=1e-8)
                assert solution.status == "solved", place
                assert found.certify(solution.impulses).relative_residual <= 1e-8, place
                assert np.isfinite(found.velocity(solution.impulses)).all(), place
                kinds |= {block.kind for block in found.blocks}
            mj.mj_step(model, data)
    if package in ("gymnasium", "dm_control"):
        assert {"contact", "unilateral"} <= kinds
