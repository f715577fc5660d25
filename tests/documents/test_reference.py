"""Every public name and every command is written down where a user looks for it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.cli import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs/reference").glob("*.md"))


def documented() -> list[str]:
    """The names that the reference pages give to autodoc, with the part of those that have one."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    return re.findall(r"^\.\. auto(?:class|function|data):: ([\w.]+)$", text, re.MULTILINE)


def test_every_public_name_is_in_the_reference_once() -> None:
    """A name that a user may rely on has its entry; those of the errors come with their tree."""
    names = documented()
    assert sorted(names) == sorted(set(names))
    elsewhere = {"charts", "errors", "monday", "samples", "testing", "__version__", *dir(errors)}
    assert set(pf.__all__) - elsewhere - set(names) == set()


@pytest.mark.parametrize("name", documented())
def test_every_entry_of_the_reference_is_a_name(name: str) -> None:
    """An entry names what is there, at the place where a user imports it from."""
    home, _, last = f"petstore_frame.{name.removeprefix('petstore_frame.')}".rpartition(".")
    assert hasattr(import_module(home), last)


def test_every_command_is_in_the_readme_and_the_reference() -> None:
    """A command that the README does not show is a command that nobody finds."""
    names = set(COMMANDS)
    page = (ROOT / "docs/reference/command_line.md").read_text(encoding="utf-8")
    listed = re.findall(r"`petstore-frame ([a-z |]+)`", README)
    assert [set(each.split(" | ")) for each in listed] == [names]
    assert {name for name in names if not re.search(rf"^## {name}\b", page, re.M)} == set()
