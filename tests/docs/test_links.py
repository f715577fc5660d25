"""What a document points to is there, and each public name and command is written down."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest
from benchmarks import all as all_benchmarks

import petstore_frame
from package_files import FILES, PACKAGE, ROOT, syntax_nodes
from petstore_frame import errors
from petstore_frame.cli import app

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("[!.]*/*.md"), *ROOT.glob("docs/*/*.md")])
REFERENCE = sorted((ROOT / "docs/reference").glob("*.md"))
MADE = {"notebooks/index.md"}  # by docs/conf.py, when the pages are built
ERRORS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
HEADINGS = re.findall(
    r"^#+ (?:\d+\. )?(.+)$", (ROOT / "docs/interface.md").read_text(encoding="utf-8"), re.MULTILINE
)


def citations() -> list[str]:
    """Return what follows ``Interface:`` in each docstring of the package, remarks left out."""
    citations = []
    for path in FILES:
        for node in syntax_nodes(path):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                citations += re.findall(
                    r"^Interface: ([^.;(\n]+)", ast.get_docstring(node) or "", re.M
                )
    return [name.strip() for cited in citations for name in cited.split(", ")]


def is_heading(name: str) -> bool:
    """A citation is a heading or its first words, as Resources of "Resources and their fields"."""
    return any(heading == name or heading.startswith(f"{name} ") for heading in HEADINGS)


def test_every_citation_of_the_interface_is_a_heading() -> None:
    """Whoever follows an ``Interface:`` line finds the section; "none" marks an extension."""
    cited = set(citations()) - {"none"}
    assert len(cited) > 8
    assert {name for name in cited if not is_heading(name)} == set()


def test_the_table_of_parts_is_in_the_order_of_the_layers() -> None:
    """*How it is built* lists the parts from top to bottom, as the contract of the layers does."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    order = [name for layer in layers for name in layer.split(" | ")]
    page = (ROOT / "docs/explanations/how_it_is_built.md").read_text(encoding="utf-8")
    table = page.partition("| part |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \|", table, re.MULTILINE)
    parts = [name for row in rows for name in re.findall(r"`(\w+)(?:\.py)?`", row)]
    assert set(parts) == {*order, "service"} - {"__main__"}
    heights = [order.index(name) for name in parts if name != "service"]
    assert heights == sorted(heights)


def test_the_conda_recipe_asks_for_what_the_package_asks_for() -> None:
    """The recipe has the version of the package, and its dependencies with their bounds."""
    recipe = (ROOT / "conda/meta.yaml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = re.findall(r"^    - (\S+) (\S+)$", recipe.partition("  run:")[2], re.MULTILINE)
    assert f'version = "{petstore_frame.__version__}"' in recipe
    assert [name + bounds for name, bounds in asked[1:]] == project["dependencies"]


def test_every_benchmark_runs_as_its_table_says() -> None:
    """``all.py`` finds a command over each table, and each names a file that is there."""
    tables = re.findall(r"^## .*$", (ROOT / "benchmarks/README.md").read_text(), re.MULTILINE)
    files = [command.split()[1] for command in all_benchmarks.commands()]
    assert len(files) == len(tables)
    assert all(file == "-m" or (ROOT / file).exists() for file in files)


def test_a_change_begins_where_contributing_says() -> None:
    """Each of the twelve changes names a file, and what to search for in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Where to start for twelve")[2].partition("\nA new parameter")[0]
    names = re.findall(r"`(\w+)` in `([\w/]+\.\w+)`", table)
    rows = re.findall(r"^\| (?!change \|)[^|-].*`\w+` in `[\w/]+\.\w+`", table, re.MULTILINE)
    assert len(rows) == 12
    for name, file in names:
        path = ROOT / file if file.startswith("tests/") else PACKAGE / file
        assert re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")), f"{name} in {file}"
    tests = re.findall(r"\btests/[\w/]+(?:\.py)?", table)
    assert [test for test in tests if not (ROOT / test).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    """Each link, picture and file that a text names, such as `outcome.py`, exists."""
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    homes = (document.parent, ROOT)  # the pages bring the notebooks from the root
    assert not [link for link in links if not is_in(link, homes) and link not in MADE]
    words = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert not [word for word in words if not is_in(word, (*homes, PACKAGE, PACKAGE / "service"))]


def is_in(name: str, folders: Iterable[Path]) -> bool:
    return any((folder / name).exists() for folder in folders)


def test_every_public_name_is_in_the_reference_once() -> None:
    """A name that a user may rely on has its entry; those of the errors come with their tree."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    names = re.findall(r"^\.\. auto(?:class|function|data):: ([\w.]+)$", text, re.MULTILINE)
    assert sorted(names) == sorted(set(names))
    for home, _, name in (name_path.rpartition(".") for name_path in names):
        assert hasattr(import_module(home or "petstore_frame"), name), name
    elsewhere = {"charts", "errors", "weekly", "sample_data", "testing", *ERRORS}
    assert set(petstore_frame.__all__) - elsewhere - set(names) == set()
    tree = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    assert ERRORS - {*re.findall(r"\w+", tree)} == set()


def test_every_command_is_in_the_readme_and_the_reference() -> None:
    """A command that the README does not show is a command that nobody finds."""
    names = {command.callback.__name__.replace("_", "-") for command in app.registered_commands}
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    listed = re.findall(r"`petstore-frame ([a-z |-]+)`", README)
    assert [set(cell.split(" | ")) for cell in listed] == [names]
    assert {name for name in names if not re.search(rf"^## {name}\b", page, re.M)} == set()
