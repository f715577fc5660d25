"""The Stocktake tab, worked the way a browser works it, without one."""

from __future__ import annotations

import io

import openpyxl

import petstore_frame as pf
from petstore_frame.dashboard.stocktake_tab import StocktakeTab
from unit.dashboard_store import WAIT_S, MemoryStore, Screen, click, upload


def listed(
    dashboard: pf.Dashboard, rows: str, header: str = "name,category_id,status"
) -> StocktakeTab:
    """Give a list to the tab, and wait until it is compared."""
    tab = dashboard.stocktake_tab
    upload(tab.top, "our list.csv", f"{header}\n{rows}".encode())
    assert tab.wait(WAIT_S)
    return tab


def test_what_differs_stands_side_by_side(dashboard: pf.Dashboard) -> None:
    """A list is compared at once; each kind can be shown alone, and opened as a workbook."""
    tab = listed(dashboard, "Nobody Else,2,sold\n")
    screen = Screen(tab.view)
    assert "all that differs 241" in screen.buttons()
    screen.press("only in list 1")
    table = tab.view.markup.partition("<table")[2]
    assert "Nobody Else" in table and "only in store" not in table
    sent: list[bytes] = []
    tab.view.download = lambda content, *_: sent.append(content)
    screen.press("Workbook")
    (content,) = sent
    assert "Only in list" in openpyxl.load_workbook(io.BytesIO(content)).sheetnames


def test_a_difference_leads_to_its_pet(dashboard: pf.Dashboard) -> None:
    """A click on a pet's id shows it in the inventory, and no pet whose name has the number."""
    tab = listed(dashboard, "Nobody Else,2,sold\n")
    click(tab.view, pet="7")
    assert dashboard.inventory_tab.shown is not None and dashboard.inventory_tab.shown.matches == 1
    assert tab.widget.layout.display == "none"


def test_what_was_not_seen_is_not_called_absent(
    store: MemoryStore, dashboard: pf.Dashboard
) -> None:
    """Where the store was not read whole, nothing is said to be missing in it."""
    store.has_links = False
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    tab = listed(dashboard, "Nobody Else,2,sold\n")
    assert "only in list" not in tab.view.markup and "not seen" in tab.view.markup


def test_a_key_that_is_not_known_is_told_in_words_of_the_screen(dashboard: pf.Dashboard) -> None:
    """By a key that nothing was loaded with no animal is found, and the page says what helps."""
    tab = listed(dashboard, "A,Rex,2\nB,Bo,2\n", "tag,name,category_id")
    Screen(tab.top).choose("Same animal by", "key tag")
    assert tab.wait(WAIT_S) and "Import the list by this key first" in tab.message.value
