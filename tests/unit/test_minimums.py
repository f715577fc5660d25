"""Every number of an inventory that may lack pets says so, wherever it is shown."""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.history_tab import moves_table
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.inventory import Inventory, Verdict
from unit.dashboard_store import inventory, pets


@pytest.fixture
def partial() -> Inventory:
    """60 pets in 3 categories, of a store that may hold more."""
    return inventory(pets(60), Verdict.UNKNOWN)


@pytest.fixture
def whole() -> Inventory:
    return inventory(pets(60))


def history_of(folder: Path, *days: Inventory) -> pf.History:
    """Keep an inventory a day."""
    kept = pf.History(folder)
    for number, each in enumerate(days):
        read_at = each.fetched_at + timedelta(days=number)
        kept.add(replace(each, origin=replace(each.origin, fetched_at=read_at)))
    return kept


def book_of(path: Path) -> openpyxl.Workbook:
    """A workbook as openpyxl sees it, which knows no bars of Excel 2010 and warns of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        return openpyxl.load_workbook(path)


def cells(path: Path, sheet: str) -> list[tuple[object, ...]]:
    return list(book_of(path)[sheet].iter_rows(values_only=True))


def test_a_page_of_pets_says_of_how_many(partial: Inventory, whole: Inventory) -> None:
    """The caption of a page has the total, as a minimum where it is one."""
    assert repr(pf.charts.inventory_table(partial)) == "<1–50 of at least 60>"
    assert "1–50 of at least 60" in pf.charts.inventory_table(partial).html
    assert repr(pf.charts.inventory_table(whole)) == "<1–50 of 60>"


def test_a_page_of_a_part_says_that_it_is_one(whole: Inventory) -> None:
    """Rows taken out of an Inventory's frame are not taken for the store's; a filter that is
    stated leaves a part of which the number is known."""
    assert repr(pf.charts.inventory_table(whole.frame.head(7))) == "<1–7 of at least 7>"
    assert repr(pf.charts.inventory_table(whole.where(status="sold"))) == "<1–15 of 15>"


def test_categories_are_counted_as_the_pets_are(partial: Inventory, whole: Inventory) -> None:
    """A pet not read may be of a category not seen."""
    assert "at least 60 pets in at least 3 categories" in repr(pf.charts.status_chart(partial))
    assert "60 pets in 3 categories" in repr(pf.charts.status_chart(whole))


def test_the_line_of_other_categories_is_a_minimum_too() -> None:
    """The categories that share the last line may be more than were seen."""
    many = inventory(pets(60, categories=30), Verdict.UNKNOWN)
    assert "≥ 10 other categories" in str(pf.summarize(many))


def test_a_trend_says_which_of_its_numbers_are_minimums(
    partial: Inventory, whole: Inventory, tmp_path: Path
) -> None:
    """What a screen reader reads out says of each end of a line whether it is exact."""
    drawing = pf.charts.trend_chart(history_of(tmp_path / "part", partial, partial).trend())
    assert "available at least 15 to at least 15" in repr(drawing)
    assert "available at least 15 to at least 15" in drawing.html
    exact = pf.charts.trend_chart(history_of(tmp_path / "whole", whole, whole).trend())
    assert "available 15 to 15" in repr(exact)


def test_ages_say_whether_they_are_of_all_available_pets(
    partial: Inventory, whole: Inventory, tmp_path: Path
) -> None:
    """The ages are of the pets that the last snapshot holds, which may not be all."""
    ageing = history_of(tmp_path / "part", partial, partial).flow().ageing
    drawing = pf.charts.ageing_chart(ageing)
    assert set(ageing["count_is"]) == {"at least"}
    assert repr(drawing).startswith("<at least 15 pets available")
    assert ">≥ 15</text>" in drawing.html
    exact = history_of(tmp_path / "whole", whole, whole).flow().ageing
    assert repr(pf.charts.ageing_chart(exact)).startswith("<15 pets available")
    assert repr(pf.charts.ageing_chart(exact.head(0))).startswith("<at least 0 pets available")


def test_the_sheets_of_a_workbook_say_it(partial: Inventory, tmp_path: Path) -> None:
    """Captions, category counts and About carry the minimum."""
    path = pf.write_report(partial, tmp_path / "stock.xlsx", progress=False)
    book = book_of(path)
    assert book["Summary"]["B8"].value == "in at least 3 categories"
    assert book["By category"]["B3"].value == "at least 3 categories, largest first"
    available = book["By status"][6]
    assert available[4].number_format == '"≥ "#,##0'
    assert available[6].value == "Category 1 (of the pets read)"
    listed = [row[2] for row in cells(path, "About") if row[1] == "Inventory"]
    assert listed == ["One row per pet: 1–60 of at least 60, in the order read."]


def test_the_sheets_of_a_complete_workbook_are_plain(whole: Inventory, tmp_path: Path) -> None:
    """Where every pet was read, nothing is marked."""
    path = pf.write_report(whole, tmp_path / "stock.xlsx", progress=False)
    book = book_of(path)
    assert book["Summary"]["B8"].value == "in 3 categories"
    assert [cell.value for cell in book["By status"][6]][4:] == [3, "exact", "Category 1"]


def test_a_page_of_html_says_it(partial: Inventory, tmp_path: Path) -> None:
    """What stands above the page's two tables carries the minimum."""
    path = pf.write_report(partial, tmp_path / "stock.html", progress=False)
    text = path.read_text(encoding="utf-8")
    assert "<p>at least 60 pets, in the order read.</p>" in text
    assert "at least 3 categories, largest first</caption>" in text


def test_no_change_is_not_claimed_of_pets_not_read(
    partial: Inventory, whole: Inventory, tmp_path: Path
) -> None:
    """The workbook's Changes and the dashboard's History count what changed as a minimum."""
    kept = history_of(tmp_path / "part", partial, partial)
    path = pf.write_report(partial, tmp_path / "stock.xlsx", history=kept, progress=False)
    assert "Pets that came, went or changed: at least 0" in [r[1] for r in cells(path, "Changes")]
    assert "came, went or changed: at least 0<" in moves_table(kept.diff())
    exact = history_of(tmp_path / "whole", whole, whole)
    assert "came, went or changed: 0<" in moves_table(exact.diff())


def test_changes_of_a_partial_listing_are_minimums(partial: Inventory, tmp_path: Path) -> None:
    """Each number of changed pets is marked where a snapshot may lack pets."""
    more = inventory(pets(70), Verdict.UNKNOWN)
    kept = history_of(tmp_path / "kept", partial, more)
    path = pf.write_report(more, tmp_path / "stock.xlsx", history=kept, progress=False)
    moves = book_of(path)["Changes"][6]
    assert [moves[1].value, moves[4].number_format] == ["first seen", '"≥ "#,##0']
    assert "<bdi>≥ " in moves_table(kept.diff())
    assert str(kept.diff().total) == "at least 10"


def test_the_dashboard_says_it(partial: Inventory) -> None:
    """The card of the categories and the place of the page carry the minimum."""
    model = StoreModel(partial)
    shown = model.show(Selection())
    assert shown.place == "1–50 of at least 60"
    assert "at least 3 categories" in parts.cards(shown, model.pets.everything)


def test_a_status_spelled_no_status_counts_as_none(tmp_path: Path) -> None:
    """Verdict, summary, charts and workbook count it with the pets without a status, once."""
    rows = [(1, "a", 1, "no status"), (2, "b", 1, "no status"), (3, "c", 1, None)]
    held = inventory([*rows, (4, "d", 2, "sold")])
    path = pf.write_report(held, tmp_path / "stock.xlsx", progress=False)
    rows_shown = [row[1:3] for row in cells(path, "By status") if row[1] == "No status"]
    assert pf.summarize(held).count("no status").count == 3
    assert repr(pf.charts.status_chart(held)).endswith("1 sold, 3 no status>")
    assert rows_shown == [("No status", 3)]
    shown = StoreModel(held).show(Selection(status="no status"))
    assert shown.matches == len(shown.rows) == 3
