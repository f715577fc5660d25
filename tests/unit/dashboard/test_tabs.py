"""The Inventory, Stocktake and History tabs, worked the way a browser works them, without one."""

from __future__ import annotations

import io
import re

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame import samples
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore, Screen, click, upload, widgets_made


@pytest.fixture
def filters(dashboard):
    """The controls above the tab."""
    return Screen(dashboard.filters.view)


def test_each_number_of_the_matrix_leads_to_so_many_pets(dashboard, filters) -> None:
    """What a mark stands for is added to the filters; Back leads to where one was."""
    filters.choose("Name", "pet 1")
    tab, before = dashboard.inventory_tab, dashboard.filters.selection
    cells = re.findall(
        r'<td [^>]*data-category="(\d+)" data-status="([^"]+)"[^>]*><span[^>]*>(\d+)<',
        tab.view.markup,
    )
    assert len(cells) == 12
    for category, status, number in cells:
        click(tab.view, category=category, status=status)
        chosen = dashboard.filters.selection
        assert (chosen.status, chosen.categories) == (status, {int(category)})
        assert chosen.text == "pet 1" and tab.shown.matches == int(number)
        filters.press("← Back")
        assert dashboard.filters.selection == before and "← Back" not in filters.buttons


def test_each_chip_takes_its_filter_away(dashboard, filters) -> None:
    """Every active filter is a button that removes it, and the last removes all."""
    filters.choose("Status", "No status")
    for category in ("Cat", "Dog"):
        filters.choose("Category", category)
    filters.choose("Name", "pet")
    names = "Status: no status ✕", "Category: Cat ✕", "Category: Dog ✕", "Name or id: pet ✕"
    chips = [*names, "Clear all filters"]
    assert filters.buttons == chips
    filters.press(chips.pop(1))
    filters.press(chips.pop(0))
    assert filters.buttons == chips and filters.chosen("Status") == "All statuses"
    filters.press(chips.pop(1))
    assert filters.buttons == chips and filters.chosen("Name") == ""
    filters.press("Clear all filters")
    assert not dashboard.filters.selection.is_filtered and filters.buttons == []


def test_a_category_that_is_not_there_is_told(dashboard, filters) -> None:
    """What is typed and names no category changes nothing, and says so."""
    filters.choose("Category", "<i>")
    assert "No such category" in dashboard.reading_bar.notice.value
    assert not dashboard.filters.selection.is_filtered


def test_sorting_and_paging(dashboard, filters) -> None:
    """A column's head sorts by it, pressed again from the other end; pages turn."""
    tab = dashboard.inventory_tab
    screen = Screen(tab.view)
    click(tab.view, sort="id")
    assert tab.shown.rows[0][0] == "240"
    screen.press("Next")
    assert tab.shown.rows[0][0] == "190" and "51–100 of 240" in tab.view.markup
    assert screen.chosen("Page") == "2"
    screen.choose("Page", "5")
    assert tab.shown.rows[0][0] == "40" and "201–240 of 240" in tab.view.markup
    assert "Next" not in screen.buttons
    filters.choose("Status", "Sold")
    assert screen.chosen("Page") == "1" and "of 2 ·" in tab.view.markup


def test_many_filter_changes_make_no_new_widget(filters) -> None:
    """Widgets are made once; only their values change."""
    with widgets_made() as made:
        for status in ("Sold", "All statuses", "Pending", "No status") * 5:
            filters.choose("Status", status)
    assert made == []


def test_a_full_page_without_links_is_no_whole_store(show) -> None:
    """Against a store that shows one page, figures are minimums and shares are left out."""
    shown = show(MemoryStore(pets(340), has_links=False))
    markup = shown.inventory_tab.view.markup
    cards = markup.partition('class="pf-two"')[0]
    assert "≥" in cards and "%" not in cards and "at least 3 categories" in cards
    assert "1–50 of at least 280" in markup
    assert "Complete<" not in shown.reading_bar.view.markup


def test_an_empty_store_says_what_to_do(show) -> None:
    """No pets: the figures are zero and the page says where pets come from."""
    markup = show(MemoryStore()).inventory_tab.view.markup
    assert "Import" in markup and ">0</b>" in markup


def listed(dashboard, rows="Nobody Else,2,sold", header="name,category_id,status"):
    """Give a list to the tab, and wait until it is compared."""
    tab = dashboard.stocktake_tab
    upload(tab.top, "our list.csv", f"{header}\n{rows}\n".encode())
    assert tab.wait(WAIT_S)
    return tab


def test_what_differs_stands_side_by_side(dashboard) -> None:
    """A list is compared at once, kind by kind, and a click on an id shows that pet alone."""
    tab = listed(dashboard)
    screen, sent = Screen(tab.view), []
    assert "all that differs 241" in screen.buttons
    click(tab.view, pet="7")
    assert dashboard.inventory_tab.shown.matches == 1
    assert tab.widget.layout.display == "none"
    screen.press("only in list 1")
    table = tab.view.markup.partition("<table")[2]
    assert "Nobody Else" in table and LABELS[2] in table and "only in store" not in table
    tab.view.download = lambda content, *_: sent.append(content)
    screen.press("Workbook")
    assert "Only in list" in openpyxl.load_workbook(io.BytesIO(sent[0])).sheetnames


def test_a_key_that_is_not_known_is_told_in_words_of_the_screen(dashboard) -> None:
    """By a key that nothing was loaded with no animal is found, and the page says what helps."""
    tab = listed(dashboard, "A,Rex,2\nB,Bo,2", "tag,name,category_id")
    Screen(tab.top).choose("Same animal by", "key tag")
    assert tab.wait(WAIT_S) and "Import the list by this key first" in tab.message.value


@pytest.fixture
def open_history(show, store):
    """Opens the History tab of a dashboard; returns it with its controls."""

    def opened(history=None):
        dashboard = show(store, history=history)
        Screen(dashboard.tabs).press("History")
        return dashboard.history_tab, Screen(dashboard.history_tab.top)

    return opened


def test_a_snapshot_is_kept_in_a_folder_named_there(open_history, tmp_path) -> None:
    """A button keeps what was read last, and the tab shows it or says what is missing."""
    tab, controls = open_history()
    assert "Name a folder" in tab.view.markup
    controls.press("Keep a snapshot")
    assert "Name the folder" in tab.view.markup
    controls.choose("Snapshots in", str(tmp_path / "kept"))
    assert "does not exist" in tab.view.markup
    controls.press("Keep a snapshot")
    assert len(pf.History(tmp_path / "kept").read().frame) == 240
    assert "240 pets of " in tab.view.markup and "pets-over-time" in tab.view.markup
    assert "holds no snapshot" in open_history(pf.History(tmp_path))[0].view.markup


def test_a_range_of_days_leaves_the_age_of_pets(open_history, tmp_path) -> None:
    """Trend and moves are of the days chosen; how long a pet is there is of the whole history."""
    samples.write_sample_history(tmp_path / "history", days=10)
    tab, controls = open_history(str(tmp_path / "history"))

    def ages() -> str:
        return tab.view.markup.partition('"days-available"')[2].partition("</section>")[0]

    of_all = ages()
    assert tab.view.markup.count("<svg xmlns") == 4
    assert "2026-01-05 to 2026-01-14" in tab.view.markup
    controls.choose("Days", "last 7 days")
    assert "2026-01-08 to 2026-01-14" in tab.view.markup and ages() == of_all
    controls.choose("from", "2026-01-12")
    assert "2026-01-12 to 2026-01-14" in tab.view.markup


def test_categories_without_a_line_of_their_own_are_one_line(open_history, store, tmp_path) -> None:
    """By category the largest have lines, and the sum of the rest has one, too; signs toggle."""
    store.pets = MemoryStore(pets(360, categories=12)).pets
    pf.History(tmp_path).add(pf.fetch_inventory(store.client()))
    tab, controls = open_history(tmp_path)
    controls.choose("Lines", "by category")
    assert "5 other categories 150 to 150" in tab.view.markup
    (rest,) = re.findall(r'data-category="(-?\d+)"[^>]*>5 other', tab.view.markup)
    shown = tab.view.markup
    click(tab.view, category=rest, figure="pets-over-time")  # no pet has this number
    assert tab.view.markup == shown
    for is_off in (True, False):
        click(tab.view, toggle="5 other categories", figure="pets-over-time")
        assert ("5 other categories, 2" not in tab.view.markup) is is_off
