"""How a process of our own is started: with the same package, and nothing of the working directory.

Python puts the working directory first on the path of ``python -m``; a notebook's folder may hold
an ``h11.py`` of its own, which would then run in a process that has the key.
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
        installed: Folders that a child searches by itself; a package elsewhere, such as in a
            checkout, is named in ``PYTHONPATH``.
    """
    environ = dict(os.environ)
    if _HOME not in map(Path, installed):
        before = environ.get("PYTHONPATH")
        environ["PYTHONPATH"] = f"{_HOME}{os.pathsep}{before}" if before else str(_HOME)
    return environ
