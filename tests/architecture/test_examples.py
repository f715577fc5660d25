"""An example that nobody runs goes false: every docstring's example is run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import petstore_frame

HOUSE = Path(petstore_frame.__file__).parent
# Not by pkgutil, which imports each part: every worker collects this file, and one runs it.
MODULES = sorted(
    ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in HOUSE.rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str, tmp_path, monkeypatch) -> None:
    """The examples of a module's docstrings give what they say."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0
