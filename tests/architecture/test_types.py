"""The types that a user's editor and type checker see."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import petstore_frame

MISTAKES = Path(__file__).parents[1] / "typing/mistakes.py"
WRONG = {
    number
    for number, line in enumerate(MISTAKES.read_text(encoding="utf-8").splitlines(), 1)
    if line.endswith("# wrong")
}


def checked(*words: str) -> str:
    """What a type checker prints of the file of mistakes."""
    home = Path(petstore_frame.__file__).parents[1]
    environ = {**os.environ, "PYTHONPATH": str(home)}
    if home.name != "site-packages":  # mypy finds that itself, and refuses it here
        environ["MYPYPATH"] = str(home)
    done = subprocess.run(
        [*words, str(MISTAKES)], env=environ, capture_output=True, text=True, check=False
    )
    return done.stdout


def test_mypy_finds_each_mistake() -> None:
    """Strict mypy names the line of each mistake, and no right one."""
    pytest.importorskip("mypy")
    found = checked(sys.executable, "-m", "mypy", "--strict")
    assert {int(line) for line in re.findall(r"mistakes\.py:(\d+): error", found)} == WRONG


def test_pyright_finds_each_mistake() -> None:
    """So does pyright, where it is installed, which most editors show."""
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed: npm install pyright")
    told = json.loads(checked("pyright", "--outputjson", "--pythonpath", sys.executable))
    lines = {each["range"]["start"]["line"] + 1 for each in told["generalDiagnostics"]}
    assert lines == WRONG
