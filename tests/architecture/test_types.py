"""The types that a user's editor and type checker see."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import petstore_frame

MISTAKES = Path(__file__).parents[1] / "typing/mistakes.py"
# Of its own, as mypy discards what it kept for other options: then it takes 25 seconds, not one.
CACHE = Path(__file__).parents[2] / ".pytest_cache" / "mypy"
WRONG = {
    number
    for number, line in enumerate(MISTAKES.read_text(encoding="utf-8").splitlines(), 1)
    if line.endswith("# wrong")
}


# mypy is the one beside this Python, so that both know the same libraries.
CHECKERS = {
    "mypy --strict": str(Path(sys.executable).parent),
    f"pyright --pythonpath {sys.executable}": os.environ["PATH"],
}


@pytest.mark.parametrize(("words", "path"), CHECKERS.items(), ids=["mypy", "pyright"])
def test_a_type_checker_finds_each_mistake(words: str, path: str) -> None:
    """Strict mypy, and pyright, which most editors show, name each mistake, and no right line."""
    name, *options = words.split()
    program = shutil.which(name, path=path)
    if program is None:
        pytest.skip(f"{name} is not installed: pip install mypy, npm install pyright")
    home = Path(petstore_frame.__file__).parents[1]
    environ = {**os.environ, "PYTHONPATH": str(home), "MYPY_CACHE_DIR": str(CACHE)}
    if home.name != "site-packages":  # mypy finds that itself, and refuses it here
        environ["MYPYPATH"] = str(home)
    command = [program, *options, str(MISTAKES)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    error_lines = re.findall(r"mistakes\.py:(\d+):(?:\d+ -)? error", done.stdout)
    assert {int(line) for line in error_lines} == WRONG
