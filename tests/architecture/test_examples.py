"""An example that nobody runs goes false: every docstring's example is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import petstore_frame

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(petstore_frame.__path__, "petstore_frame.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str, tmp_path, monkeypatch) -> None:
    """The examples of a module's docstrings give what they say."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0
