"""An example that nobody runs goes false: every docstring's example is run."""

from __future__ import annotations

import doctest
import importlib
import inspect
from types import ModuleType

import pytest

import petstore_frame as pf
from package_files import FILES, module_name


# Not by pkgutil, which imports each part: every worker collects this file, and one runs it.
class Finder(doctest.DocTestFinder):
    """Finds the examples of a decorated function, too."""

    def _from_module(self, module: ModuleType | None, found: object) -> bool:
        return super()._from_module(module, inspect.unwrap(found) if callable(found) else found)


RUN = sorted(name for name in map(module_name, FILES) if not name.endswith("__main__"))


@pytest.mark.parametrize("name", RUN)
def test_docstring_examples(name: str, tmp_path, monkeypatch) -> None:
    """The examples of a module's docstrings give what they say."""
    from threaded import serve

    monkeypatch.chdir(tmp_path)
    if name != pf.Server.__module__:
        monkeypatch.setattr(pf, "serve", serve)  # the same, without the start of a process
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in Finder().find(module, name):
        runner.run(example)
    assert runner.summarize().failed == 0
