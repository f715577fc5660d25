"""An example that nobody runs goes false: every docstring's example is run."""

from __future__ import annotations

import doctest
import importlib

import pytest

from architecture.sources import MODULES

# Not by pkgutil, which imports each part: every worker collects this file, and one runs it.
RUN = sorted(name for name in MODULES if not name.endswith("__main__"))


@pytest.mark.parametrize("name", RUN)
def test_docstring_examples(name: str, tmp_path, monkeypatch) -> None:
    """The examples of a module's docstrings give what they say."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    results = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0
