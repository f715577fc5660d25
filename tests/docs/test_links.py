"""What a document points to is there, and each public name and command is written down."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import all as all_benchmarks

import petstore_frame
from architecture.sources import FILES, HOUSE, ROOT, nodes
from architecture.test_layers import LEVELS
from petstore_frame import errors
from petstore_frame.cli import app

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("[!.]*/*.md"), *ROOT.glob("docs/*/*.md")])
REFERENCE = sorted((ROOT / "docs/reference").glob("*.md"))
MADE = {"house.svg", "notebooks/index.md"}  # by docs/conf.py, when the pages are built
HEADINGS = re.findall(
    r"^#+ (?:\d+\. )?(.+)$", (ROOT / "docs/interface.md").read_text(encoding="utf-8"), re.MULTILINE
)


def citations() -> list[str]:
    """Return what follows ``Interface:`` in each docstring of the package, remarks left out."""
    found = []
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found += re.findall(r"^Interface: ([^.;(\n]+)", ast.get_docstring(node) or "", re.M)
    return [name.strip() for cited in found for name in cited.split(", ")]


def is_heading(name: str) -> bool:
    """A citation is a heading or its first words, as Resources of "Resources and their fields"."""
    return any(heading == name or heading.startswith(f"{name} ") for heading in HEADINGS)


def test_every_citation_of_the_interface_is_a_heading() -> None:
    """Whoever follows an ``Interface:`` line finds the section; "none" marks an extension."""
    cited = set(citations()) - {"none"}
    assert len(cited) > 8
    assert {name for name in cited if not is_heading(name)} == set()


def test_the_table_of_parts_goes_down_as_the_imports_do() -> None:
    """No part stands in the table of *How it is built* above one that may import it."""
    page = (ROOT / "docs/explanations/how_it_is_built.md").read_text(encoding="utf-8")
    table = page.partition("| part | the one question")[2].partition("\n\n")[0]
    heights = [LEVELS[name] for name in re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)]
    *parts, service = heights
    assert len(parts) > 12 and service == max(LEVELS.values())
    assert all(upper > lower for upper, lower in pairwise(parts))


def test_the_drawing_of_the_pages_shows_every_part_above_what_it_imports(monkeypatch) -> None:
    """docs/house.py draws the imports as they are; nothing is drawn by hand, or left out."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    house = import_module("house")
    parts = house.parts_of(HOUSE)
    levels, direct = house.levels_of(parts), house.direct_imports(parts)
    assert {*parts} == {*LEVELS}
    for name, part in parts.items():
        reached = set(direct[name])
        for _ in parts:
            reached |= set().union(*(direct[each] for each in reached))
        assert all(levels[name] > levels[each] for each in part.imports)
        assert reached >= part.imports
    drawn = house.drawing(parts, "Now")
    assert all(f">{name}</text>" in drawn for name in parts)
    assert drawn.count("<path") == sum(map(len, direct.values()))


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
    """Each of the ten changes names a part, and what to search for in it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, table = text.partition("## Ten changes")
    named = re.findall(r"`(\w+)` in `(\w+)`", table)
    rows = re.findall(r"^\| (?!to \|)[^|-][^|]*\| `(\w+)` in ", table, re.MULTILINE)
    assert len(rows) == 10
    for name, part in named:
        files = [*HOUSE.glob(f"{part}.py"), *HOUSE.glob(f"{part}/**/*.py")]
        assert any(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")) for path in files)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    """Each link, picture and file that a text names, such as `outcome.py`, exists."""
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    homes = (document.parent, ROOT)  # the pages bring the notebooks from the root
    assert not [link for link in links if not is_in(link, homes) and link not in MADE]
    words = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert not [word for word in words if not is_in(word, (*homes, HOUSE, HOUSE / "service"))]


def is_in(name: str, folders: Iterable[Path]) -> bool:
    return any((folder / name).exists() for folder in folders)


def test_every_public_name_is_in_the_reference_once() -> None:
    """A name that a user may rely on has its entry; those of the errors come with their tree."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    names = re.findall(r"^\.\. auto(?:class|function|data):: ([\w.]+)$", text, re.MULTILINE)
    assert sorted(names) == sorted(set(names))
    for home, _, name in (each.rpartition(".") for each in names):
        assert hasattr(import_module(home or "petstore_frame"), name), name
    elsewhere = {"charts", "errors", "weekly", "samples", "testing", "__version__", *dir(errors)}
    assert set(petstore_frame.__all__) - elsewhere - set(names) == set()
    tree = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    assert {*dir(errors)} - {"nearest"} - {*re.findall(r"\w+", tree)} == set()


def test_every_command_is_in_the_readme_and_the_reference() -> None:
    """A command that the README does not show is a command that nobody finds."""
    names = {command.callback.__name__ for command in app.registered_commands}
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    listed = re.findall(r"`petstore-frame ([a-z |]+)`", README)
    assert [set(each.split(" | ")) for each in listed] == [names]
    assert {name for name in names if not re.search(rf"^## {name}\b", page, re.M)} == set()
