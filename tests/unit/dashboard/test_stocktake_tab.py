"""The Stocktake tab, worked the way a browser works it, without one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import openpyxl

import petstore_frame as pf
from petstore_frame.dashboard.stocktake_tab import StocktakeTab
from unit.dashboard_store import WAIT_S, MemoryStore, click, press


def listed(dashboard: pf.Dashboard, tmp_path: Path, rows: str) -> StocktakeTab:
    """Give a list to the tab, and wait until it is compared."""
    path = tmp_path / "our list.csv"
    path.write_text(f"name,category_id,status\n{rows}", encoding="utf-8")
    tab = dashboard.stocktake_tab
    tab.path.value = str(path)
    assert tab.wait(WAIT_S)
    return tab


def test_what_differs_stands_side_by_side(
    dashboard: pf.Dashboard, store: MemoryStore, tmp_path: Path
) -> None:
    """A list is compared at once; each kind can be shown alone, and opened as a workbook."""
    tab = listed(dashboard, tmp_path, "Nobody Else,2,sold\n")
    names = [name for name, _ in tab.kinds.widget.options]
    assert names[0] == "all that differs 241" and "only in list 1" in names
    press(tab.kinds.widget, names.index("only in list 1"))
    assert "Nobody Else" in tab.view.markup and "only in store" not in tab.view.markup
    sent: list[Any] = []
    tab.view.send = lambda *message: sent.append(message)
    tab.book.click()
    ((_, (content,)),) = sent
    assert "Only in list" in openpyxl.load_workbook(io.BytesIO(content)).sheetnames


def test_a_difference_leads_to_its_pet(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """A click on a pet's id shows it in the inventory, and no pet whose name has the number."""
    tab = listed(dashboard, tmp_path, "Nobody Else,2,sold\n")
    click(tab.view, pet="7")
    assert dashboard.inventory_tab.shown is not None and dashboard.inventory_tab.shown.matches == 1
    assert tab.widget.layout.display == "none"


def test_what_was_not_seen_is_not_called_absent(
    store: MemoryStore, dashboard: pf.Dashboard, tmp_path: Path
) -> None:
    """Where the store was not read whole, nothing is said to be missing in it."""
    store.has_links = False
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    tab = listed(dashboard, tmp_path, "Nobody Else,2,sold\n")
    assert "only in list" not in tab.view.markup and "not seen" in tab.view.markup


def test_a_key_that_is_not_known_is_told_in_words_of_the_screen(
    dashboard: pf.Dashboard, tmp_path: Path
) -> None:
    """By a key that nothing was loaded with no animal is found, and the page says what helps."""
    path = tmp_path / "tags.csv"
    path.write_text("tag,name,category_id\nA,Rex,2\nB,Bo,2\n", encoding="utf-8")
    tab = dashboard.stocktake_tab
    tab.path.value = str(path)
    assert tab.wait(WAIT_S)
    tab.by.value = ("tag",)
    assert tab.wait(WAIT_S) and "Import the list by this key first" in tab.message.value
