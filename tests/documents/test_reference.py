"""Every public name and every command is written down where a user looks for it."""

from __future__ import annotations

import re
from pathlib import Path

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs/reference").glob("*.md"))


def documented() -> list[str]:
    """The names that the reference pages give to autodoc, those of the errors in bulk."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert ".. automodule:: petstore_frame.errors" in text
    return [*re.findall(r"^\.\. auto(?:class|function|data):: (\w+)$", text, re.M), *errors.__all__]


def test_every_public_name_is_in_the_reference_once() -> None:
    """A name that a user may rely on has its entry, and an entry is such a name."""
    names = documented()
    assert sorted(names) == sorted(set(names))
    assert set(pf.__all__) - {"samples", "errors"} - set(names) == set()
    assert {name for name in names if not hasattr(pf, name) and not hasattr(errors, name)} == set()


def test_every_command_is_in_the_readme() -> None:
    """A command that the README does not show is a command that nobody finds."""
    names = {command.name for command in app.registered_commands if not command.hidden}
    names |= {group.name for group in app.registered_groups}
    assert {name for name in names if f"petstore-frame {name}" not in README} == set()
