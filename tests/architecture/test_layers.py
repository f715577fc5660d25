"""The drawing of the imports, held to the drawing of the house."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import petstore_frame
from petstore_frame import errors

HOUSE = Path(petstore_frame.__file__).parent

# The house, bottom to top: a part imports strictly lower ones, and its own modules. The command
# line is a user of the public names. The service is sealed: it imports nothing of ours, and nothing
# imports it.
HOUSE_LIST = (
    "errors",
    "schema",
    "_internal",
    "html",
    "files",
    "http",
    "inventory",
    "client",
    "testing",
    "loader",
    "counts",
    "charts",
    "history",
    "stocktake",
    "bundled",
    "report",
    "monday",
    "dashboard",
    "__init__",
    "cli",
    "__main__",
    "service",
)
LEVELS = {part: level for level, part in enumerate(HOUSE_LIST)}

# Each outside library has one door (narwhals: one for each kind of question).
DOORS = {
    "html": {"html"},
    "lazy_loader": {"__init__"},
    "jinja2": {"html"},
    "markupsafe": {"html"},
    "httpx": {"http"},
    "msgspec": {"schema"},
    "xlsxwriter": {"files"},
    "filelock": {"files"},
    "openpyxl": {"loader"},
    "sqlite3": {"loader"},
    "narwhals": {"counts", "history"},
    "pyarrow": {"history"},
    "duckdb": {"history"},
    "polars": {"history"},
    "typing_extensions": {"history"},
    "ipywidgets": {"dashboard"},
    "anywidget": {"dashboard"},
    "traitlets": {"dashboard", "cli"},
    "voila": {"cli"},
    "tqdm": {"_internal"},
    "platformdirs": {"loader"},
    "typer": {"cli"},
    "fastapi": {"service"},
    "starlette": {"service"},
    "uvicorn": {"service"},
    "sqlalchemy": {"service"},
    "h11": {"service"},
    "IPython": {"_internal", "dashboard"},
    "pydantic_core": {"http", "schema"},
}
# What the package is made of: tables, numbers and checked models.
EVERYWHERE = {"pandas", "numpy", "pydantic"}


def part_of(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


@cache
def imports_of(path: Path) -> list[str]:
    """All modules that a file names, late and typing-only imports included."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are spelt in full"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name for name in inside if name in MODULES] or [str(node.module)]
    return names


def module_of(path: Path) -> str:
    parts = path.relative_to(HOUSE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def arrows() -> set[tuple[str, str]]:
    """All pairs of a part and another one that it imports; the version is no part."""
    found = set()
    for path in FILES:
        for name in imports_of(path):
            home, _, rest = name.partition(".")
            other = rest.split(".")[0] or "__init__"
            if home == "petstore_frame" and other != part_of(path):
                found.add((part_of(path), other))
    return found - {(part, "__init__") for part in READERS_OF_THE_VERSION}


FILES = sorted(HOUSE.rglob("*.py"))
MODULES = {module_of(path): path for path in FILES}
# They write ``from petstore_frame import __version__`` and take nothing else from the top.
READERS_OF_THE_VERSION = {"report"}
# Pairs of parts that import one another.
MOST_ARROWS = 100


def test_imports_point_down() -> None:
    """A part imports strictly lower levels, and the service nothing of ours."""
    wrong = {
        (part, other)
        for part, other in arrows()
        if part == "service" or LEVELS.get(other, 99) >= LEVELS[part]
    }
    assert wrong == set()


def test_there_are_no_more_arrows() -> None:
    """The drawing of the house stays one that a reader takes in."""
    assert len(arrows()) <= MOST_ARROWS


def test_no_circle() -> None:
    """No module imports one that imports it, not for a type either."""
    below = {module: set(imports_of(path)) & set(MODULES) for module, path in MODULES.items()}

    def reached(module: str) -> set[str]:
        found, ahead = set[str](), [module]
        while ahead:
            ahead = [one for one in set().union(*(below[one] for one in ahead)) if one not in found]
            found.update(ahead)
        return found

    assert {module for module in MODULES if module in reached(module)} == set()


def test_one_name_one_class() -> None:
    """A class is found by its name.

    The service is left out: it is sealed, and names what crosses the wire as the interface does.
    """
    homes: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        if part_of(path) != "service":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    homes.setdefault(node.name, set()).add(module)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_each_library_has_its_door() -> None:
    """An outside library is imported behind its door only."""
    wrong = {
        (str(path.relative_to(HOUSE)), library)
        for path in FILES
        for library in {name.split(".")[0] for name in imports_of(path)} & set(DOORS)
        if part_of(path) not in DOORS[library]
    }
    assert wrong == set()


def test_every_library_has_a_door_or_is_everywhere() -> None:
    """No library comes in unnoticed beside the table of doors."""
    outside = {name.split(".")[0] for path in FILES for name in imports_of(path)}
    assert outside - set(sys.stdlib_module_names) - {"petstore_frame", *DOORS} == EVERYWHERE


def test_no_file_has_grown_out_of_its_room() -> None:
    """A file of the package stays within 400 lines."""
    lengths = {str(p.relative_to(HOUSE)): len(p.read_text().splitlines()) for p in FILES}
    assert {name: n for name, n in lengths.items() if n > 400} == {}


def test_public_names_are_importable() -> None:
    """``from petstore_frame import *`` gives the names of ``__all__``, each of them once."""
    given: dict[str, object] = {}
    exec("from petstore_frame import *", given)
    del given["__builtins__"]
    assert sorted(given) == petstore_frame.__all__ == dir(petstore_frame)


def test_about_forty_names_stand_at_the_top() -> None:
    """A newcomer can read the list; the rest is in the parts."""
    assert 35 <= len(petstore_frame.__all__) <= 48


def test_every_error_is_public() -> None:
    """What the package raises on purpose can be caught by a name of ``petstore_frame.errors``."""
    raised = {kind.__name__ for kind in below(errors.PetstoreError)}
    assert raised - set(dir(errors)) == set()


def below(kind: type) -> set[type]:
    """All classes of the part ``errors`` that come from this one."""
    home = errors.__name__
    found = {one for one in kind.__subclasses__() if one.__module__.startswith(home)}
    return found.union(*map(below, found))


def test_each_public_name_is_defined_where_the_stub_says() -> None:
    """The home of a class or function is the part that ``__init__.pyi`` imports it from."""
    tree = ast.parse((HOUSE / "__init__.pyi").read_text(encoding="utf-8"))
    stated = {
        alias.name: f"petstore_frame.{node.module}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    values = {name: getattr(petstore_frame, name) for name in stated}
    homes = {name: value.__module__ for name, value in values.items() if callable(value)}
    assert {name for name, home in homes.items() if not home.startswith(stated[name])} == set()
