"""The SQL of the journal works on every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

JOURNAL = Path(__file__).parents[2] / "src/petstore_frame/loader/journal"


def test_placeholders_have_no_numbers() -> None:
    """Placeholders are ``?`` or named: sqlite3 of Python 3.12 warns of ``?1`` with a sequence."""
    numbered = [
        path.name
        for path in JOURNAL.glob("*.py")
        if re.search(r"\?\d", path.read_text(encoding="utf-8"))
    ]
    assert numbered == []
