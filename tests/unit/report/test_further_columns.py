"""Columns that a user adds to the pets are in every file, after the pets' own."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.model import Selection, StoreModel
from unit.dashboard_store import inventory, pets


@pytest.fixture
def priced() -> pf.Inventory:
    """Four pets with a price, a day and the user's own key."""
    held = inventory(pets(4))
    frame = held.frame.assign(
        price=[9.5, None, 3.0, 4.0], since=pd.to_datetime(["2026-11-01"] * 4), is_shy=True
    )
    ids = pd.DataFrame({"key": ["A-1", "=A"], "id": [1, 2]})
    return pf.Inventory(frame, held.origin).with_ids(ids)


def test_a_table_keeps_them_with_their_types(priced: pf.Inventory, tmp_path: Path) -> None:
    """Parquet has the columns as they are, and still knows what it covers."""
    pf.write_report(priced, tmp_path / "stock.parquet")
    back = pf.read_inventory(tmp_path / "stock.parquet")
    assert list(back.frame.columns)[4:] == ["price", "since", "is_shy", "key"]
    assert back.frame["since"].dtype.kind == "M" and back.frame["is_shy"].dtype == "bool"
    assert back.completeness == priced.completeness


def test_a_csv_has_them_and_runs_nothing(priced: pf.Inventory, tmp_path: Path) -> None:
    """A further text that begins like a formula is made harmless, as a name is."""
    text = pf.write_report(priced, tmp_path / "stock.csv").read_text("utf-8-sig").splitlines()
    assert text[0].startswith("id,name,category_id,status,price,since,is_shy,key")
    assert "9.5,2026-11-01" in text[1] and "'=A" in text[2]


def test_a_workbook_has_them(priced: pf.Inventory, tmp_path: Path, read_back: Any) -> None:
    """The list of pets has them under their names, numbers as numbers."""
    sheet = read_back(pf.write_report(priced, tmp_path / "stock.xlsx"))["Inventory"]
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0][4:] == ("price", "since", "is_shy", "key")
    assert rows[1][4:] == (9.5, datetime(2026, 11, 1), True, "A-1") and rows[2][4] is None


def test_pages_show_them(priced: pf.Inventory, tmp_path: Path) -> None:
    """The page of a report, the drawn table and the dashboard have a column for each."""
    page = pf.write_report(priced, tmp_path / "stock.html").read_text()
    drawn = pf.charts.inventory_table(priced).html
    assert all(">A-1<" in text and ">price<" in text for text in (page, drawn))
    shown = StoreModel(priced).show(Selection())
    assert shown.further == ["price", "since", "is_shy", "key"]
    assert shown.rows[0][4] == "9.5" and 4 in shown.numbers


def test_a_heading_of_ours_is_not_repeated(tmp_path: Path, read_back: Any) -> None:
    """Columns whose names differ from ours by case alone, or look like formulas, are told apart."""
    held = inventory(pets(2))
    frame = held.frame.assign(**{"NAME": "x", "": 1, "=A1": 2})
    rows = read_back(pf.write_report(frame, tmp_path / "stock.xlsx"))["Inventory"]
    assert [cell.value for cell in rows[1]][4:] == ["NAME (yours)", "(no name)", "=A1"]
    text = pf.write_report(frame, tmp_path / "stock.csv").read_text("utf-8-sig")
    assert ",'=A1" in text.splitlines()[0]
