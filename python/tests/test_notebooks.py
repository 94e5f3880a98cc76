"""The notebooks: every cell runs, and they are stored without outputs."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))

#: Runs the cells of a notebook like a kernel: a last expression is shown, as HTML or as a figure where it can be.
RUN = """
import ast, io, json, sys

names = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1], encoding="utf-8"))["cells"]):
    if cell["cell_type"] != "code":
        continue
    body = ast.parse("".join(cell["source"]), f"cell {number}").body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), f"cell {number}", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        shown = value._repr_html_() if hasattr(value, "_repr_html_") else None
        if hasattr(value, "savefig"):
            value.savefig(io.BytesIO())
        assert shown or repr(value)
"""


def test_there_are_notebooks() -> None:
    assert {file.stem for file in NOTEBOOKS} == {
        "engine_certified",
        "friction_from_trajectory",
        "one_impact_all_laws",
        "robot_to_motion",
    }


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_are_stored_without_outputs(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    assert document["nbformat"] == 4
    assert text == json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    for cell in document["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file: Path, tmp_path: Path) -> None:
    needed = ["matplotlib"] + (["mujoco"] if "mujoco" in file.read_text(encoding="utf-8") else [])
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    # They find the files of the repository from where they are, and write below it.
    folder = tmp_path / "python/notebooks"
    shutil.copytree(file.parent, folder, ignore=shutil.ignore_patterns("build"))
    robots = "crates/mechanism/fixtures/robots"
    shutil.copytree(ROOT / robots, tmp_path / robots)
    environment = {**os.environ, "MPLBACKEND": "agg"}
    line = [sys.executable, "-W", "error", "-c", RUN, file.name]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
