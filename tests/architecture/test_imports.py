"""The imports follow the layers of ``pyproject.toml``, and the public names can be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import petstore_frame

ROOT = Path(__file__).parents[2]


def test_imports_follow_the_contracts() -> None:
    """Layers, library owners and the sealed service are as the contracts of pyproject.toml say."""
    program = Path(sys.executable).with_name("lint-imports")
    report = subprocess.run(
        [program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert report.returncode == 0, report.stdout


def test_public_names_are_importable() -> None:
    """A star import gives the names of ``__all__``, few enough for a newcomer to read."""
    namespace: dict[str, object] = {}
    exec("from petstore_frame import *", namespace)
    del namespace["__builtins__"]
    assert sorted(namespace) == sorted(petstore_frame.__all__)
    assert 35 <= len(namespace) <= 48
