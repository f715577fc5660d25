"""One name per idea in the public signatures: the table of CONTRIBUTING, held to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError

ROOT = Path(__file__).parents[2]
SIGNATURES = ROOT / "tests/architecture/signatures.txt"
ROW = re.compile(r"^\| [^|]+ \| ((?:`\w+`(?:, )?)+) \| ((?:`\w+`(?:, )?)+) \|$", re.MULTILINE)
# Those of the loader, which keeps its words until its next version.
LOADER = ("load_", "resume_loads", "read_ids", "LoadResult")


def table() -> list[tuple[list[str], list[str]]]:
    """The names that each idea has, and those that it must not have."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, part = text.partition("## One name per idea")
    return [tuple(re.findall(r"\w+", cell) for cell in row) for row in ROW.findall(part)]


def test_an_idea_has_one_name() -> None:
    """No public parameter outside the loader is a word that the table has for another name."""
    others = {word for _, not_these in table() for word in not_these}
    lines = SIGNATURES.read_text(encoding="utf-8").splitlines()
    ours = [line for line in lines if not line.lstrip().removeprefix("class ").startswith(LOADER)]
    used = {name for line in ours for name in re.findall(r"[(,] ?(\w+): ", line)}
    assert len(others) > 10
    assert used & others == set()
    assert {names[0] for names, _ in table()} <= used


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (lambda: pf.compare(data=[], inventory=None), "source="),
        (lambda: pf.completeness(frame=None), "pets="),
        (lambda: pf.fetch_inventory(None, probe_budget=3), "max_probes="),
    ],
)
def test_an_old_name_is_answered_with_the_new_one(call, new) -> None:
    """Who still types the word of an earlier version reads the one of this version."""
    with pytest.raises(ArgumentError, match=f"is {new} now"):
        call()
