"""The drawing of the imports, held to the drawing of the house."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from graphlib import TopologicalSorter

import petstore_frame
from architecture.sources import FILES, HOUSE, MODULES, imports_of, nodes, part_of
from petstore_frame import errors

# The house, bottom to top: a part imports strictly lower ones, and its own modules. Those above
# ``__init__`` are users of the public names. The service is sealed: it imports nothing of ours, and
# nothing imports it.
HOUSE_LIST = (
    "errors", "schema", "progress", "markup", "files", "transport", "inventory", "client", "loader",
    "counts", "charts", "history", "stocktake", "report", "dashboard",
    "__init__", "testing", "bundled", "weekly", "cli", "__main__", "service",
)  # fmt: skip
LEVELS = {part: level for level, part in enumerate(HOUSE_LIST)}

# Each outside library has one door (narwhals: one for each kind of question).
BEHIND = {
    "markup": "html jinja2 markupsafe",
    "transport": "httpx pydantic_core",
    "schema": "msgspec pydantic_core",
    "files": "xlsxwriter filelock",
    "loader": "openpyxl sqlite3 platformdirs narwhals",
    "history": "narwhals pyarrow duckdb polars",
    "counts": "narwhals",
    "dashboard": "ipywidgets anywidget traitlets IPython",
    "cli": "traitlets voila typer",
    "service": "fastapi starlette uvicorn sqlalchemy",
}
# What the package is made of: tables, numbers and checked models.
EVERYWHERE = {"pandas", "numpy", "pydantic"}


def test_imports_point_down() -> None:
    """A part imports strictly lower levels, the service nothing of ours, and arrows are few."""
    found = set()
    for path in FILES:
        for name in imports_of(path):
            home, _, rest = name.partition(".")
            other = rest.split(".")[0] or "__init__"
            if home == "petstore_frame" and other != part_of(path):
                found.add((part_of(path), other))
    # It writes ``from petstore_frame import __version__`` and takes nothing else from the top.
    found.discard(("report", "__init__"))
    assert {part for part, _ in found if part == "service"} == set()
    assert {pair for pair in found if LEVELS.get(pair[1], 99) >= LEVELS[pair[0]]} == set()
    # Every part may raise an error.
    assert len({pair for pair in found if pair[1] != "errors"}) <= 70


def test_no_circle() -> None:
    """No module imports one that imports it, not for a type either."""
    below = {module: set(imports_of(path)) & set(MODULES) for module, path in MODULES.items()}
    TopologicalSorter(below).prepare()  # a CycleError names the circle


def test_one_name_one_class() -> None:
    """A class is found by its name; the service, which is sealed, names things as the wire does."""
    files = [path for path in FILES if part_of(path) != "service"]
    classes = {(n.name, path) for path in files for n in nodes(path) if isinstance(n, ast.ClassDef)}
    times = Counter(name for name, _ in classes)
    assert [name for name in times if times[name] > 1] == []


def test_each_library_has_its_door() -> None:
    """An outside library is imported behind its door only, and none comes in unnoticed."""
    found = {
        (part_of(path), library)
        for path in FILES
        for library in {name.split(".")[0] for name in imports_of(path)}
        if library not in {*sys.stdlib_module_names, "petstore_frame", *EVERYWHERE}
    }
    doors = {(part, library) for part, behind in BEHIND.items() for library in behind.split()}
    assert found - doors == set()


def test_no_file_has_grown_out_of_its_room() -> None:
    """A file of the package stays within 400 lines."""
    lengths = {str(p.relative_to(HOUSE)): len(p.read_text().splitlines()) for p in FILES}
    assert {name: n for name, n in lengths.items() if n > 400} == {}


def test_public_names_are_importable() -> None:
    """A star import gives the names of ``__all__``, each once, as many as a newcomer reads."""
    given: dict[str, object] = {}
    exec("from petstore_frame import *", given)
    del given["__builtins__"]
    assert sorted(given) == petstore_frame.__all__ == dir(petstore_frame)
    assert 35 <= len(given) <= 48


def test_every_error_is_public() -> None:
    """What the package raises on purpose can be caught by a name of ``petstore_frame.errors``."""
    raised = {kind.__name__ for kind in below(errors.PetstoreError)}
    assert raised - set(dir(errors)) == set()


def below(kind: type) -> set[type]:
    """All classes of the part ``errors`` that come from this one."""
    home = errors.__name__
    found = {one for one in kind.__subclasses__() if one.__module__.startswith(home)}
    return found.union(*map(below, found))
