"""The Inventory tab, worked the way a browser works it, without one."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.inventory_tab import InventoryTab
from petstore_frame.schema.models import NO_STATUS
from unit.dashboard_store import MemoryStore, Row, pets, press


@pytest.fixture
def sold_dogs(dashboard: pf.Dashboard) -> tuple[InventoryTab, list[Row]]:
    """The tab with two filters set, and the pets that they leave."""
    tab = dashboard.inventory_tab
    tab.status.value = "sold"
    tab.category.value = "Dog"
    return tab, [pet for pet in pets(240) if pet[3] == "sold" and pet[2] == 2]


def test_filters_act_on_the_figures(sold_dogs: tuple[InventoryTab, list[Row]]) -> None:
    """Figures and matrix count the pets that the filters leave."""
    tab, left = sold_dogs
    assert f">{len(left)}</b>" in tab.cards.value
    assert [label for label, _ in tab.matrix.widget.options][-1] == str(len(left))


def test_filters_act_on_the_table(sold_dogs: tuple[InventoryTab, list[Row]]) -> None:
    """The table shows the pets that the filters leave, and of how many."""
    tab, left = sold_dogs
    assert str(left[0][0]) in tab.table.value
    assert f"of {len(left)}" in tab.place.value


def test_drill_down_and_back(dashboard: pf.Dashboard) -> None:
    """A number of the matrix leads to its pets, and Back to where one was."""
    tab = dashboard.inventory_tab
    tab.text.value = "pet 1"
    before = tab.selection
    press(tab.matrix.widget, 7)
    assert tab.selection.status == "available" and len(tab.selection.categories) == 1
    assert tab.selection.text == "pet 1"
    tab.back.click()
    assert tab.selection == before and tab.back.layout.display == "none"


def test_each_chip_takes_its_filter_away(dashboard: pf.Dashboard) -> None:
    """Every active filter is a button that removes it, and the last removes all."""
    tab = dashboard.inventory_tab
    tab.status.value = NO_STATUS
    tab.category.value = "Cat"
    assert [label for label, _ in tab.chips.widget.options] == [
        "Status: no status ✕", "Category: Cat ✕", "Clear all filters",
    ]  # fmt: skip
    press(tab.chips.widget, 0)
    assert tab.selection.status is None and tab.status.value == ""
    press(tab.chips.widget, 1)
    assert not tab.selection.is_filtered and tab.chips.widget.layout.display == "none"


def test_sorting_and_paging(dashboard: pf.Dashboard) -> None:
    """A column's button sorts by it, pressed again from the other end; pages turn."""
    tab = dashboard.inventory_tab
    press(tab.sort.widget, 0)
    assert tab.shown is not None and tab.shown.rows[0][0] == "240"
    tab.next.click()
    assert tab.shown.rows[0][0] == "190" and "51–100 of 240" in tab.place.value
    assert tab.page.value == 2
    tab.page.value = 5
    assert tab.shown.rows[0][0] == "40" and "201–240 of 240" in tab.place.value
    tab.status.value = "sold"
    assert (tab.page.value, tab.page.max) == (1, 2)


def test_many_filter_changes_make_no_new_widget(dashboard: pf.Dashboard) -> None:
    """Widgets are made once; only their values change."""
    made: list[Any] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        for status in ("sold", "", "pending", NO_STATUS) * 5:
            dashboard.inventory_tab.status.value = status
    finally:
        widgets.Widget.on_widget_constructed(None)
    assert made == []


def test_a_full_page_without_links_is_no_whole_store() -> None:
    """Against a store that shows one page, figures are minimums and shares are left out."""
    shown = pf.Dashboard(MemoryStore(pets(340), has_links=False).client())
    cards = shown.inventory_tab.cards.value
    assert "≥" in cards and "%" not in cards
    assert "Complete<" not in shown.reading_bar.header.value
    shown.close()


def test_an_empty_store_says_what_to_do() -> None:
    """No pets: the figures are zero and the page says where pets come from."""
    shown = pf.Dashboard(MemoryStore().client())
    assert (
        "Import" in shown.inventory_tab.table.value and ">0</b>" in shown.inventory_tab.cards.value
    )
    shown.close()
