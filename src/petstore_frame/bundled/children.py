"""Starts Python in a process that has this package, and no module of the working directory.

``python -m`` looks in the working directory first; an ``h11.py`` beside a notebook would then run
in a process that has the API key.
"""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

_HOME = Path(__file__).parents[2]


def module_command(module: str) -> list[str]:
    """Return the command that runs a module without the working directory on its path."""
    return [sys.executable, "-P", "-m", module]


def child_environ(
    installed: tuple[str, ...] = (*site.getsitepackages(), site.getusersitepackages()),
) -> dict[str, str]:
    """Return this process's environment, with which a child finds the package that runs here.

    Args:
        installed: Folders where a child looks anyway; ``PYTHONPATH`` names a package elsewhere,
            such as a checkout.
    """
    environ = dict(os.environ)
    if _HOME not in map(Path, installed):
        before = environ.get("PYTHONPATH")
        environ["PYTHONPATH"] = f"{_HOME}{os.pathsep}{before}" if before else str(_HOME)
    return environ
