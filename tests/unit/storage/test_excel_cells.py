"""Workbooks whose disk is full."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from petstore_frame.storage import open_book

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("rows", [0, 50_000])
def test_a_full_disk_is_one_error(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is printed, also when Python deletes the archive."""
    printed: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", printed.append)
    with pytest.raises(OSError, match="No space left"), open_book(FULL) as book:
        sheet = book.sheet("All")
        for row in range(rows):
            sheet.raw.write_string(row, 0, f"Pet {row}")
        sheet.finish()
    gc.collect()
    assert printed == []
