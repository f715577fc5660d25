"""Keeps the compilation of Python files out of what a benchmark measures."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def compiled_once() -> Iterator[None]:
    """Have the first round compile what the others load, as with an installed package.

    Where bytecode is not written (``PYTHONDONTWRITEBYTECODE``), a working copy would be compiled
    in each run, and the libraries in none.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        yield
