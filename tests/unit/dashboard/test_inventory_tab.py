"""The Inventory tab, worked the way a browser works it, without one."""

from __future__ import annotations

import re
from typing import Any

import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame.dashboard.inventory_tab import InventoryTab
from unit.dashboard_store import MemoryStore, Row, Screen, click, pets


def choose(dashboard: pf.Dashboard, name: str, value: str) -> None:
    """Choose a filter."""
    Screen(dashboard.filters.view).choose(name, value)


def press(dashboard: pf.Dashboard, text: str) -> None:
    """Press a button of the filters."""
    Screen(dashboard.filters.view).press(text)


@pytest.fixture
def sold_dogs(dashboard: pf.Dashboard) -> tuple[InventoryTab, list[Row]]:
    """The tab with two filters set, and the pets that they leave."""
    choose(dashboard, "Status", "Sold")
    choose(dashboard, "Category", "Dog")
    left = [pet for pet in pets(240) if pet[3] == "sold" and pet[2] == 2]
    return dashboard.inventory_tab, left


def test_filters_act_on_the_figures(sold_dogs: tuple[InventoryTab, list[Row]]) -> None:
    """Figures and matrix count the pets that the filters leave."""
    tab, left = sold_dogs
    assert f">{len(left)}</b>" in tab.view.markup
    assert f">{len(left)}</td></tr></tfoot>" in tab.view.markup


def test_filters_act_on_the_table(sold_dogs: tuple[InventoryTab, list[Row]]) -> None:
    """The table shows the pets that the filters leave, and of how many."""
    tab, left = sold_dogs
    assert f"<bdi>{left[0][0]}</bdi></th>" in tab.view.markup
    assert f"of {len(left)}" in tab.view.markup


def test_a_click_on_a_mark_shows_its_pets_and_back_returns(dashboard: pf.Dashboard) -> None:
    """What a mark stands for is added to the filters; Back leads to where one was."""
    filters = dashboard.filters
    choose(dashboard, "Name", "pet 1")
    before = filters.selection
    click(dashboard.inventory_tab.view, category="2", status="available")
    chosen = filters.selection
    assert (chosen.status, chosen.categories, chosen.text) == ("available", {2}, "pet 1")
    press(dashboard, "← Back")
    assert filters.selection == before and "← Back" not in Screen(filters.view).buttons()


def test_each_number_of_the_matrix_leads_to_so_many_pets(dashboard: pf.Dashboard) -> None:
    """The data attributes of a cell and of its row select the pets that it counts."""
    tab = dashboard.inventory_tab
    cells = re.findall(
        r'<td [^>]*data-category="(\d+)" data-status="([^"]+)"[^>]*><span[^>]*>(\d+)<',
        tab.view.markup,
    )
    assert len(cells) == 12
    for category, status, number in cells:
        click(tab.view, category=category, status=status)
        assert tab.shown is not None and tab.shown.matches == int(number)
        press(dashboard, "← Back")


def test_a_legend_leaves_a_status_out_of_the_bars(dashboard: pf.Dashboard) -> None:
    """The sign of a legend takes its status out of the drawing alone, and brings it back."""
    tab = dashboard.inventory_tab
    whole = tab.view.markup
    click(tab.view, toggle="sold", figure="pets-by-category")
    assert ", sold: " not in tab.view.markup and ", pending: " in tab.view.markup
    assert not dashboard.filters.selection.is_filtered
    click(tab.view, toggle="sold", figure="pets-by-category")
    assert tab.view.markup == whole


def test_each_chip_takes_its_filter_away(dashboard: pf.Dashboard) -> None:
    """Every active filter is a button that removes it, and the last removes all."""
    tab = dashboard.filters
    choose(dashboard, "Status", "No status")
    choose(dashboard, "Category", "Cat")
    chips = ["Status: no status ✕", "Category: Cat ✕", "Clear all filters"]
    assert Screen(tab.view).buttons() == chips
    press(dashboard, chips[0])
    assert tab.selection.status is None and Screen(tab.view).chosen("Status") == "All statuses"
    press(dashboard, chips[2])
    assert not tab.selection.is_filtered and Screen(tab.view).buttons() == []


def test_a_category_that_is_not_there_is_told(dashboard: pf.Dashboard) -> None:
    """What is typed and names no category changes nothing, and says so."""
    choose(dashboard, "Category", "<i>")
    assert "No such category" in dashboard.reading_bar.notice.value
    assert not dashboard.filters.selection.is_filtered


def test_sorting_and_paging(dashboard: pf.Dashboard) -> None:
    """A column's head sorts by it, pressed again from the other end; pages turn."""
    tab = dashboard.inventory_tab
    click(tab.view, sort="id")
    assert tab.shown is not None and tab.shown.rows[0][0] == "240"
    Screen(tab.view).press("Next")
    assert tab.shown.rows[0][0] == "190" and "51–100 of 240" in tab.view.markup
    assert Screen(tab.view).chosen("Page") == "2"
    Screen(tab.view).choose("Page", "5")
    assert tab.shown.rows[0][0] == "40" and "201–240 of 240" in tab.view.markup
    assert "Next" not in Screen(tab.view).buttons()
    choose(dashboard, "Status", "Sold")
    assert Screen(tab.view).chosen("Page") == "1" and "of 2 ·" in tab.view.markup


def test_many_filter_changes_make_no_new_widget(dashboard: pf.Dashboard) -> None:
    """Widgets are made once; only their values change."""
    made: list[Any] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        for status in ("Sold", "All statuses", "Pending", "No status") * 5:
            choose(dashboard, "Status", status)
    finally:
        widgets.Widget.on_widget_constructed(None)
    assert made == []


def test_a_full_page_without_links_is_no_whole_store() -> None:
    """Against a store that shows one page, figures are minimums and shares are left out."""
    shown = pf.Dashboard(MemoryStore(pets(340), has_links=False).client())
    cards = shown.inventory_tab.view.markup.partition('class="pf-two"')[0]
    assert "≥" in cards and "%" not in cards
    assert "Complete<" not in shown.reading_bar.view.markup
    shown.close()


def test_an_empty_store_says_what_to_do() -> None:
    """No pets: the figures are zero and the page says where pets come from."""
    shown = pf.Dashboard(MemoryStore().client())
    tab = shown.inventory_tab
    assert "Import" in tab.view.markup and ">0</b>" in tab.view.markup
    shown.close()
