"""What is declared is what is imported: no library comes by chance, and none for nothing."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

from architecture.sources import FILES, ROOT, nodes, parse, part_of
from architecture.sources import imported as named_by

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

SERVICE = [path for path in FILES if part_of(path) == "service"]
# Imported only where their extra is used: ``serve``, ``pf.Dashboard``.
OF_ONE_EXTRA = [path for path in FILES if part_of(path) in ("service", "dashboard")]
# Where a distribution is imported under another name.
IMPORTED_AS = {
    "pydantic-core": "pydantic_core",
    "ipython": "IPython",
    "XlsxWriter": "xlsxwriter",
    "SQLAlchemy": "sqlalchemy",
}
# Programs that are started, and libraries that ``import_extra`` imports by their names.
STARTED_OR_CHOSEN = {"jupyterlab", "psycopg", "duckdb", "polars", "dask", "pyspark"}
STARTED_OR_CHOSEN |= {"pyarrow", "xlsxwriter"}
SHOWN = ("notebook", "excel", "history", "service", "postgres", "lab", "polars", "dask", "spark")


def declared(requirements: list[str]) -> set[str]:
    """Return the distributions of a list of requirements, our own extras left out."""
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in requirements}
    return names - {PROJECT["name"]}


def imported(paths: list[Path], *, top_only: bool = False) -> set[str]:
    """Return the outside libraries that these modules import when they run."""
    found = set()
    for path in paths:
        only_types = {
            inner
            for node in nodes(path)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        run = parse(path).body if top_only else nodes(path)
        named = [name for node in run if node not in only_types for name in named_by(node)]
        found |= {name.split(".")[0] for name in named}
    return found - set(sys.stdlib_module_names) - {"petstore_frame"}


def names_of(requirements: list[str]) -> set[str]:
    return {IMPORTED_AS.get(name, name) for name in declared(requirements)}


CORE = names_of(PROJECT["dependencies"])
OF_EXTRAS = set().union(*(names_of(EXTRAS[extra]) for extra in SHOWN))


def test_the_service_declares_what_it_imports() -> None:
    """The extra service is what the service and its proxy import beyond the core."""
    assert imported(SERVICE) - CORE == names_of(EXTRAS["service"])


def test_each_import_is_declared_and_each_declaration_used() -> None:
    """Core and extras together are the imports of the package, and what it starts by name."""
    assert imported(FILES).isdisjoint(STARTED_OR_CHOSEN)
    assert imported(FILES) | STARTED_OR_CHOSEN == CORE | OF_EXTRAS


def test_only_the_core_is_imported_at_the_top() -> None:
    """A library of an extra alone is imported where it is first used."""
    at_the_top = imported([path for path in FILES if path not in OF_ONE_EXTRA], top_only=True)
    assert at_the_top & OF_EXTRAS <= CORE


def test_the_list_for_people_is_the_declaration() -> None:
    """docs/reference/dependencies.md names each extra with its libraries, and no other."""
    text = (ROOT / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    shown: dict[str, set[str]] = {}
    for extra, libraries in re.findall(r"^\| (\w+) \| ([\w, -]+) \| [\d.]", text, re.MULTILINE):
        shown.setdefault(extra, set()).update(libraries.lower().split(", "))
    groups = {"core": PROJECT["dependencies"], **{extra: EXTRAS[extra] for extra in SHOWN}}
    lists = {extra: {name.lower() for name in declared(group)} for extra, group in groups.items()}
    assert {extra: libraries - {"distributed"} for extra, libraries in shown.items()} == lists
