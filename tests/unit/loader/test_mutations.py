"""The list of edits that break a rule each is up to date with the sources."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]
EDITS = runpy.run_path(str(ROOT / "tests/campaigns/mutation_list.py"))["EDITS"]


def test_each_edit_is_in_the_sources() -> None:
    """Its text is there, so that the campaign breaks the rule that it names."""
    missing = [
        f"{edit.name}: {edit.file} has no {edit.old!r}"
        for edit in EDITS
        if edit.old not in (ROOT / "src" / edit.file).read_text(encoding="utf-8")
    ]
    assert not missing


def test_each_edit_changes_something_and_has_tests() -> None:
    """No two edits have the same name, and the tests that must notice them exist."""
    assert all(edit.old != edit.new for edit in EDITS)
    assert max(Counter(edit.name for edit in EDITS).values()) == 1
    for test in {test for edit in EDITS for test in edit.tests.split()}:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists(), test
        if name:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test
