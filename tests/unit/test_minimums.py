"""Every number of an inventory that may lack pets says so, wherever it is shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from openpyxl.cell import Cell

import petstore_frame as pf
from petstore_frame.dashboard.tabs.inventory_tab import Selection
from petstore_frame.inventory import Evidence, Fact, Inventory, StatusCount, Verdict
from petstore_frame.schema import PET_STATUSES
from unit.conftest import AS_OF, make_inventory, pets, read_book

# 60 pets in 3 categories: all of a store, and of one that may hold more.
INTEGER, PART = make_inventory(pets(60)), make_inventory(pets(60), Verdict.UNKNOWN)


def history_of(folder: Path, inventory: Inventory, before: int = 60) -> pf.History:
    """Two days, on the first of which only so many of the pets were there."""
    kept = pf.History(folder)
    day_before = make_inventory(
        pets(before), inventory.completeness.verdict, at=AS_OF - timedelta(days=1)
    )
    for day in (day_before, inventory):
        kept.add(day)
    return kept


def sheet(name: str, before: int = 60) -> Callable[[Inventory, Path], str]:
    """The cells of a sheet as a workbook shows them."""

    def show(inventory: Inventory, to: Path) -> str:
        changes = history_of(to, inventory, before).diff()
        path = pf.write_report(inventory, to.with_suffix(".xlsx"), changes=changes)
        cells = [cell for row in read_book(path)[name].iter_rows() for cell in row]
        return "".join(f"{sign_of(cell)}{cell.value}\n" for cell in cells)

    return show


def sign_of(cell: Cell) -> str:
    """The sign that the number format of a cell puts before its number."""
    return next((f"{sign} " for sign in "≥≈" if sign in cell.number_format), "")


@pytest.mark.parametrize(
    ("show", "of_a_part", "of_all"),
    [
        (lambda inventory, _: " ".join(str(pf.summarize(inventory)).split()),
         "total ≥ 15 ≥ 15 ≥ 15 ≥ 15 ≥ 60", "total 15 15 15 15 60"),
        (lambda inventory, _: pf.summarize(inventory)._repr_html_(), "≥ 60", "60"),
        (lambda inventory, _: f"{pf.summarize(inventory).count('sold')}", "≥ 15", "15"),
        # A pet not read may be of a category not seen.
        (lambda inventory, _: repr(pf.charts.status_chart(inventory)),
         "at least 60 pets in at least 3 categories", "60 pets in 3 categories"),
        # Each end of a line, as a screen reader reads it out.
        (lambda inventory, to: pf.charts.trend_chart(history_of(to, inventory).trend()).html,
         "available at least 15 to at least 15", "available 15 to 15"),
        # The ages are of the pets that the last snapshot holds, which may not be all.
        (lambda inventory, to: pf.charts.ageing_chart(history_of(to, inventory).flow().ageing).html,
         ">≥ 15</text>", ">15</text>"),
        (lambda stock, to: pf.write_report(stock, to.with_suffix(".html")).read_text("utf-8"),
         "<p>≥ 60 pets, in the order read.</p>", "<p>60 pets, in the order read.</p>"),
        (lambda stock, to: pf.write_report(stock, to.with_suffix(".html")).read_text("utf-8"),
         "at least 3 categories, largest first</caption>", "3 categories, largest first</caption>"),
        (sheet("Summary"), "in at least 3 categories", "in 3 categories"),
        (sheet("By category"), "at least 3 categories, largest", "3 categories, largest"),
        (sheet("Changes"), "added, removed or changed: ≥ 0\n", "added, removed or changed: 0\n"),
        (sheet("Changes", 45), "first seen\n–\nsold\n≈ 4", "new\n–\nsold\n4"),
    ],
)  # fmt: skip
def test_a_number_says_whether_it_is_a_minimum(tmp_path: Path, show, of_a_part, of_all) -> None:
    """Charts, tables, files and the dashboard mark it, and of a whole store nothing is marked."""
    shown = show(INTEGER, tmp_path / "whole")
    assert of_a_part in show(PART, tmp_path / "part")
    assert of_all in shown and of_a_part not in shown


def test_what_left_meanwhile_is_no_minimum_anywhere(tmp_path: Path) -> None:
    """Where pets left while a store was read, nothing that is printed says at least."""
    counts = {name: StatusCount(15, "about") for name in (*PET_STATUSES, "no status")}
    left = Evidence(Fact.PETS_LEFT, count=3)
    inventory = make_inventory(pets(60), Verdict.UNSTABLE, evidence=(left,), by_status=counts)
    shown = [str(pf.summarize(inventory)), pf.summarize(inventory)._repr_html_(), repr(inventory)]
    shown.append(
        pf.write_report(inventory, tmp_path / "a.html").read_text("utf-8").partition("<table")[0]
    )
    assert all("≥" not in text and "at least" not in text for text in shown), shown
    assert "≈ 60" in shown[0] and "≈ 15" in str(pf.summarize(inventory).count("sold"))
    book = read_book(pf.write_report(inventory, tmp_path / "a.xlsx"))
    formats = {cell.number_format for row in book["By category"].iter_rows() for cell in row}
    assert not any("≥" in pattern for pattern in formats)
    assert any("≈" in pattern for pattern in formats)


def test_a_status_spelled_no_status_counts_as_none(tmp_path: Path) -> None:
    """Verdict, summary, charts and workbook count it with the pets without a status, once."""
    rows = [(1, "a", 1, "no status"), (2, "b", 1, "no status"), (3, "c", 1, None)]
    inventory = make_inventory([*rows, (4, "d", 2, "sold")])
    assert sheet("Summary")(inventory, tmp_path / "stock").count("No status\n") == 2
    assert pf.summarize(inventory).count("no status").count == 3
    assert repr(pf.charts.status_chart(inventory)).endswith("1 sold, 3 no status>")
    shown = Selection(status="no status").of(inventory, {})
    assert pf.summarize(shown).total.count == len(shown) == 3
