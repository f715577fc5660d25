"""Every public name and every command is written down where a user looks for it."""

from __future__ import annotations

import re
from pathlib import Path

from docs import api

import petstore_frame
from petstore_frame.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_reference_is_fresh() -> None:
    """docs/api.md is what the docstrings say now; else ``python docs/api.py``."""
    assert api.PAGE.read_text(encoding="utf-8") == api.page()


def test_every_public_name_is_in_the_reference() -> None:
    """A public name has a heading, or its line in the tree of errors."""
    described = set(re.findall(r"^(?:###|\s*-) `(\w+)`", api.page(), re.MULTILINE))
    assert set(petstore_frame.__all__) - described == set()


def test_the_contents_lead_to_their_headings() -> None:
    """Each name in the contents links to a heading of its own."""
    links = re.findall(r"\[`\w+`\]\((#[\w-]+)\)", api.page())
    assert len(links) == sum(len(names.split()) for names in api.TASKS.values())
    assert len(set(links)) == len(links)


def test_every_command_is_in_the_readme() -> None:
    """A command that the README does not show is a command that nobody finds."""
    names = {command.name for command in app.registered_commands if not command.hidden}
    names |= {group.name for group in app.registered_groups}
    assert {name for name in names if f"petstore-frame {name}" not in README} == set()
