"""Where files are, and the command line that answers are compared with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

#: Robots and scenes of the repository.
MECHANISMS = ROOT / "crates/mechanism/fixtures"
IMPACTS = ROOT / "crates/scenarios/fixtures/impacts"
DOCUMENTS = ROOT / "crates/cli/examples"


@pytest.fixture(scope="session")
def command() -> Path:
    """The command ``percussion``, built where nobody says where it is."""
    given = os.environ.get("PERCUSSION_COMMAND")
    if given:
        return Path(given)
    subprocess.run(["cargo", "build", "--package", "percussion-cli"], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "debug/percussion"


@pytest.fixture(scope="session")
def ask(command: Path) -> Callable[..., Any]:
    """Run the command with ``--json`` and return what it prints, whatever its exit code."""

    def ask(*arguments: object) -> Any:
        line = [str(command), *map(str, arguments), "--json"]
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    return ask
