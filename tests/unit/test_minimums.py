"""Every number of an inventory that may lack pets says so, wherever it is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.dashboard import inventory_tab
from petstore_frame.dashboard.history_tab import moves_table
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.inventory import Inventory, Verdict
from unit.conftest import inventory, pets, read_book

# 60 pets in 3 categories: all of a store, and of one that may hold more.
WHOLE, PART = inventory(pets(60)), inventory(pets(60), Verdict.UNKNOWN)


def history_of(folder: Path, *days: Inventory) -> pf.History:
    """Keep an inventory a day."""
    kept = pf.History(folder)
    for number, each in enumerate(days):
        read_at = each.fetched_at + timedelta(days=number)
        kept.add(replace(each, origin=replace(each.origin, fetched_at=read_at)))
    return kept


def report(held: Inventory, folder: Path, **options: Any) -> Any:
    """The workbook of an inventory."""
    return read_book(pf.write_report(held, folder / "stock.xlsx", progress=False, **options))


@pytest.mark.parametrize(
    ("show", "of_a_part", "of_all"),
    [
        (lambda held, _: repr(pf.charts.inventory_table(held)),
         "<1–50 of at least 60>", "<1–50 of 60>"),
        (lambda held, _: pf.charts.inventory_table(held).html, "1–50 of at least 60", "1–50 of 60"),
        # A pet not read may be of a category not seen.
        (lambda held, _: repr(pf.charts.status_chart(held)),
         "at least 60 pets in at least 3 categories", "60 pets in 3 categories"),
        # Each end of a line, as a screen reader reads it out.
        (lambda held, to: repr(pf.charts.trend_chart(history_of(to, held, held).trend())),
         "available at least 15 to at least 15", "available 15 to 15"),
        (lambda held, to: pf.charts.trend_chart(history_of(to, held, held).trend()).html,
         "available at least 15 to at least 15", "available 15 to 15"),
        # The ages are of the pets that the last snapshot holds, which may not be all.
        (lambda held, to: repr(pf.charts.ageing_chart(history_of(to, held, held).flow().ageing)),
         "<at least 15 pets available", "<15 pets available"),
        (lambda held, to: pf.charts.ageing_chart(history_of(to, held, held).flow().ageing).html,
         ">≥ 15</text>", ">15</text>"),
        (lambda held, to: moves_table(history_of(to, held, held).diff()),
         "came, went or changed: at least 0<", "came, went or changed: 0<"),
        (lambda held, to: pf.write_report(held, to.with_suffix(".html")).read_text("utf-8"),
         "<p>at least 60 pets, in the order read.</p>", "<p>60 pets, in the order read.</p>"),
        (lambda held, to: pf.write_report(held, to.with_suffix(".html")).read_text("utf-8"),
         "at least 3 categories, largest first</caption>", "3 categories, largest first</caption>"),
        (lambda held, _: StoreModel(held).show(Selection()).place,
         "1–50 of at least 60", "1–50 of 60"),
        (lambda held, _: inventory_tab.cards(
            (model := StoreModel(held)).show(Selection()), model.pets.everything),
         "at least 3 categories", "3 categories"),
    ],
)  # fmt: skip
def test_a_number_says_whether_it_is_a_minimum(tmp_path: Path, show, of_a_part, of_all) -> None:
    """Charts, tables, pages and the dashboard mark it, and of a whole store nothing is marked."""
    shown = show(WHOLE, tmp_path / "whole")
    assert of_a_part in show(PART, tmp_path / "part")
    assert of_all in shown and of_a_part not in shown


def test_a_page_of_a_part_says_that_it_is_one() -> None:
    """Rows taken out of an Inventory's frame are not taken for the store's; a filter that is
    stated leaves a part of which the number is known."""
    assert repr(pf.charts.inventory_table(WHOLE.frame.head(7))) == "<1–7 of at least 7>"
    assert repr(pf.charts.inventory_table(WHOLE.where(status="sold"))) == "<1–15 of 15>"


def test_the_line_of_other_categories_is_a_minimum_too(tmp_path: Path) -> None:
    """The categories that share the last line may be more than were seen; so may no ages be."""
    many = inventory(pets(60, categories=30), Verdict.UNKNOWN)
    assert "≥ 10 other categories" in str(pf.summarize(many))
    ageing = history_of(tmp_path, WHOLE, WHOLE).flow().ageing
    assert repr(pf.charts.ageing_chart(ageing.head(0))).startswith("<at least 0 pets available")


def test_the_sheets_of_a_workbook_say_it(tmp_path: Path) -> None:
    """Captions, category counts and About carry the minimum; of a whole store all is plain."""
    book = report(PART, tmp_path)
    assert book["Summary"]["B8"].value == "in at least 3 categories"
    assert book["By category"]["B3"].value == "at least 3 categories, largest first"
    available = book["By status"][6]
    assert available[4].number_format == '"≥ "#,##0'
    assert available[6].value == "Category 1 (of the pets read)"
    listed = [row[2] for row in book["About"].values if row[1] == "Inventory"]
    assert listed == ["One row per pet: 1–60 of at least 60, in the order read."]
    plain = report(WHOLE, tmp_path)
    assert plain["Summary"]["B8"].value == "in 3 categories"
    assert [cell.value for cell in plain["By status"][6]][4:] == [3, "exact", "Category 1"]


def test_changes_of_a_partial_listing_are_minimums(tmp_path: Path) -> None:
    """Each number of changed pets is marked where a snapshot may lack pets, also where it is 0."""
    none = report(PART, tmp_path, history=history_of(tmp_path / "none", PART, PART))["Changes"]
    assert "Pets that came, went or changed: at least 0" in [row[1] for row in none.values]
    more = inventory(pets(70), Verdict.UNKNOWN)
    kept = history_of(tmp_path / "kept", PART, more)
    moves = report(more, tmp_path, history=kept)["Changes"][6]
    assert [moves[1].value, moves[4].number_format] == ["first seen", '"≥ "#,##0']
    assert "<bdi>≥ " in moves_table(kept.diff())
    assert str(kept.diff().total) == "at least 10"


def test_a_status_spelled_no_status_counts_as_none(tmp_path: Path) -> None:
    """Verdict, summary, charts and workbook count it with the pets without a status, once."""
    rows = [(1, "a", 1, "no status"), (2, "b", 1, "no status"), (3, "c", 1, None)]
    held = inventory([*rows, (4, "d", 2, "sold")])
    counted = report(held, tmp_path)["By status"].values
    assert [row[1:3] for row in counted if row[1] == "No status"] == [("No status", 3)]
    assert pf.summarize(held).count("no status").count == 3
    assert repr(pf.charts.status_chart(held)).endswith("1 sold, 3 no status>")
    shown = StoreModel(held).show(Selection(status="no status"))
    assert shown.matches == len(shown.rows) == 3
