"""What was read otherwise than it was typed is shown before and after it is sent."""

from __future__ import annotations

import json
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
    assert result.summary["warnings"] == {"number→text": 2, "date→text": 1}


def test_odd_statuses_and_short_rows_are_shown(tmp_path: Path) -> None:
    """What a text file leaves out or spells otherwise is counted, unless it is refused."""
    path = tmp_path / "arrivals.csv"
    path.write_text("name,category_id,status\nAda,1,SOLD\nBo,2\n  Cy,x,Sold\n", encoding="utf-8")
    view = str(load_notes(path))
    assert "a status was spelled with other capitals, first in record 1, line 2: 'Ada'" in view
    assert "the record ends before its status" in view and "spaces" not in view


def test_an_export_that_is_loaded_is_called_one(tmp_path: Path) -> None:
    """A column of ids says that these animals are in a store already; other columns do not."""
    path, other = tmp_path / "pets.csv", tmp_path / "other.csv"
    path.write_text("id,name,category_id,status\n7,Ada,1,no status\n8,Bo,2,\n", encoding="utf-8")
    result = load_notes(path)
    for view in (str(result), result._repr_html_()):
        assert "look like animals already in a store, and loading makes new ones" in view
    assert json.loads(next(iter(result.rows())).payload) == {"name": "Ada", "categoryId": 1}
    assert "the words 'no status' were read as none" in str(result)
    other.write_text("id,name,category_id\nA7,Ada,1\n,Bo,2\n", encoding="utf-8")
    assert "already in a store" not in str(load_notes(other))
