"""What was read otherwise than it was typed is shown before and after it is sent."""

from __future__ import annotations

from datetime import date
from html import unescape
from pathlib import Path

import openpyxl

from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.results.results import LoadResult
from unit.staged import run_of, stage


def load_notes(path: Path) -> LoadResult:
    """Return the result of a file that was staged."""
    with open_source(path) as source:
        return stage(path.with_suffix(".sqlite3"), run_of(source), source, is_rehearsal=True)


def test_dates_and_numbers_that_become_names_are_shown(tmp_path: Path) -> None:
    """A workbook's date or number as a name is counted on screen, with its first record."""
    book = openpyxl.Workbook()
    for row in [("name", "category_id"), ("Ada", 1), (date(2026, 1, 5), 1), (7, 2), (8, 2)]:
        book.active.append(row)
    book.save(tmp_path / "arrivals.xlsx")
    result = load_notes(tmp_path / "arrivals.xlsx")
    for view in (str(result), unescape(result._repr_html_())):
        assert "a date was read as text, first in record 2, line 3: '2026-01-05'" in view
        assert "a number was read as text, first in record 3, line 4: '7'" in view
    assert result.summary["notes"] == {"number→text": 2, "date→text": 1}


def test_odd_statuses_and_short_rows_are_shown(tmp_path: Path) -> None:
    """What a text file leaves out or spells otherwise is counted, unless it is refused."""
    path = tmp_path / "arrivals.csv"
    path.write_text("name,category_id,status\nAda,1,SOLD\nBo,2\n  Cy,x,Sold\n", encoding="utf-8")
    view = str(load_notes(path))
    assert "a status was spelled with other capitals, first in record 1, line 2: 'Ada'" in view
    assert "the record ends before its status" in view and "spaces" not in view
