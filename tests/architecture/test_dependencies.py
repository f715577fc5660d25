"""What is declared is what is imported: no library comes by chance, and none for nothing."""

from __future__ import annotations

import re
import sys
import tomllib

import grimp

from package_files import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

# Where a distribution is imported under another name.
IMPORTED_AS = {
    "pydantic-core": "pydantic_core",
    "ipython": "IPython",
    "jupyter-core": "jupyter_core",
    "jupyter-server": "jupyter_server",
    "XlsxWriter": "xlsxwriter",
    "SQLAlchemy": "sqlalchemy",
    "resvg-py": "resvg_py",
}
# Programs that are started, and libraries that ``import_extra`` imports by their names.
NOT_LIBRARIES = {*sys.stdlib_module_names, "petstore_frame"}
STARTED_OR_CHOSEN = {"jupyterlab", "psycopg", "duckdb", "polars", "dask", "pyspark"}
STARTED_OR_CHOSEN |= {"pyarrow", "resvg_py"}
SHOWN = (
    "notebook",
    "excel",
    "history",
    "service",
    "postgres",
    "lab",
    "polars",
    "png",
    "dask",
    "spark",
)


def declared(requirements: list[str]) -> set[str]:
    """Return the distributions of a list of requirements, our own extras left out."""
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in requirements}
    return names - {PROJECT["name"]}


GRAPH = grimp.build_graph(
    "petstore_frame", include_external_packages=True, exclude_type_checking_imports=True
)


def imported(part: str = "petstore_frame") -> set[str]:
    """Return the outside libraries that the modules of a part import when they run."""
    modules = {part, *GRAPH.find_descendants(part)}
    targets = set().union(*map(GRAPH.find_modules_directly_imported_by, modules))
    return {target.split(".")[0] for target in targets} - NOT_LIBRARIES


def names_of(requirements: list[str]) -> set[str]:
    return {IMPORTED_AS.get(name, name) for name in declared(requirements)}


CORE = names_of(PROJECT["dependencies"])
OF_EXTRAS = set().union(*(names_of(EXTRAS[extra]) for extra in SHOWN))


def test_the_service_declares_what_it_imports() -> None:
    """The extra service is what the service and its proxy import beyond the core."""
    assert imported("petstore_frame.service") - CORE == names_of(EXTRAS["service"])


def test_each_import_is_declared_and_each_declaration_used() -> None:
    """Core and extras together are the imports of the package, and what it starts by name."""
    assert imported().isdisjoint(STARTED_OR_CHOSEN)
    assert imported() | STARTED_OR_CHOSEN == CORE | OF_EXTRAS


def test_the_list_for_people_is_the_declaration() -> None:
    """docs/reference/dependencies.md names each extra with its libraries, and no other."""
    text = (ROOT / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    shown: dict[str, set[str]] = {}
    for extra, libraries in re.findall(r"^\| (\w+) \| ([\w, -]+) \| [\d.]", text, re.MULTILINE):
        shown.setdefault(extra, set()).update(libraries.lower().split(", "))
    groups = {"core": PROJECT["dependencies"], **{extra: EXTRAS[extra] for extra in SHOWN}}
    lists = {extra: {name.lower() for name in declared(group)} for extra, group in groups.items()}
    assert {extra: libraries - {"distributed"} for extra, libraries in shown.items()} == lists
