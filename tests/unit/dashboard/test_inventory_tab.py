"""The Inventory tab, worked by the values of its controls."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import ipywidgets as widgets
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.dashboard.page.live_html import LiveHTML
from petstore_frame.dashboard.tabs import inventory_tab
from petstore_frame.dashboard.tabs.selection import Selection
from unit.conftest import make_inventory, pets, read_book
from unit.dashboard.store import LABELS, MemoryStore, widgets_made

rows = st.lists(
    st.tuples(
        st.sampled_from(["Ann", "ANNA", "bo", "007"]),
        st.integers(1, 3),
        st.sampled_from(["available", "pending", "sold", None]),
    ),
    min_size=1,
    max_size=30,
)
selections = st.builds(
    Selection,
    status=st.sampled_from(["", "sold", "no status"]),
    categories=st.sampled_from([(), ("Cat",), ("2",), ("Cat", "2")]),
    text=st.sampled_from(["", "ann", "7"]),
    order=st.just("id"),
)


@given(rows, selections)
def test_cards_matrix_and_table_agree_with_pandas(rows: list, selection: Selection) -> None:
    """Every number of a selection is that of the rows that pandas finds."""
    inventory = make_inventory([(n, *row) for n, row in enumerate(rows)])
    frame = inventory.frame
    expected = frame[[True] * len(frame)]
    if selection.status == "no status":
        expected = expected[expected["status"].isna()]
    elif selection.status:
        expected = expected[expected["status"] == selection.status]
    if selection.categories:
        numbers = [{"Cat": 1, "2": 2}[category] for category in selection.categories]
        expected = expected[expected["category_id"].isin(numbers)]
    if selection.text:
        is_id = expected["id"].astype("str") == selection.text
        is_named = expected["name"].str.lower().str.contains(selection.text)
        expected = expected[is_id | is_named]
    selected = selection.of(inventory, LABELS)
    counts = pf.summarize(selected)
    assert counts.total.count == len(expected) == counts.cells.sum()
    assert selected.frame["id"].tolist() == expected["id"].tolist()


def marks_of(tab) -> list[tuple[str, str, str]]:
    """The category, the status and the number of each mark of the table of counts."""
    pattern = r'data-category="(\d+)" data-status="([^"]+)"[^>]*><span[^>]*>(\d+)<'
    return re.findall(pattern, tab.figures.markup)


def test_a_value_does_what_a_click_does(dashboard) -> None:
    """A filter's value and a click on a number lead to the same pets."""
    tab = dashboard.tabs.inventory
    tab.name.value = "pet 1"
    marks = marks_of(tab)
    assert len(marks) >= 9
    for category, status, number in marks:
        tab.figures._handle_custom_msg({"category": category, "status": status}, [])
        assert (tab.status.value, tab.categories.value) == (status, (LABELS[int(category)],))
        assert f"Showing {number} of 240" in tab.summary.value
        tab.select(Selection(text="pet 1"))
    tab.clear.click()
    assert tab.selection == Selection()
    dashboard.status.value = "sold"
    assert set(tab.selected.frame["status"]) == {"sold"}
    assert "Showing 60 of 240" in tab.summary.value


def test_a_click_on_a_number_keeps_the_other_rows(dashboard) -> None:
    """The table of counts stays whole, and marks what is selected."""
    tab = dashboard.tabs.inventory
    before = marks_of(tab)
    tab.figures._handle_custom_msg({"category": "2", "status": "sold"}, [])
    assert marks_of(tab) == before
    assert tab.figures.selected == [{"category": "2", "status": "sold"}]


def test_several_categories_are_selected(dashboard) -> None:
    """A tick adds a category, and takes it away again."""
    tab = dashboard.tabs.inventory
    for name in ("Cat", "Dog"):
        tab.categories._handle_custom_msg({"option": name, "value": "on"}, [])
    assert set(tab.selected.frame["category_id"]) == {1, 2}
    assert "Cat or Dog" in tab.summary.value and "Cat or Dog" in tab.categories.markup
    tab.categories._handle_custom_msg({"option": "Cat", "value": "off"}, [])
    assert set(tab.selected.frame["category_id"]) == {2}


def test_a_selection_says_so_everywhere(dashboard) -> None:
    """Nothing of a selection is called none, all or unknown: on the screen and in the files."""
    tab, sent = dashboard.tabs.inventory, {}
    tab.table.download = lambda content, name: sent.update({name.rpartition(".")[2]: content})
    tab.status.value, tab.categories.value = "pending", ("Dog",)
    screen = tab.cards.value + tab.figures.markup + tab.table.markup
    assert "of 240 pets: category Dog, status pending" in tab.summary.value
    assert "none" not in screen
    assert screen.count("not selected") == 3 and "All pets" not in screen
    for button in (tab.excel, tab.csv, tab.web_page):
        button.click()
    book = read_book(io.BytesIO(sent["xlsx"]))
    cells = " ".join(str(cell.value) for row in book.worksheets[0].rows for cell in row)
    assert "pets with category Dog, status pending" in cells and "none:" not in cells
    assert "pets: category Dog, status pending" in sent["html"].decode()
    assert len(pd.read_csv(io.BytesIO(sent["csv"]), comment="#")) == tab.selected.completeness.rows
    tab.status.value = "sold"
    assert tab.notice.value == ""  # a message of an earlier download


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (Selection("sold"), "status sold"),
        (Selection("no status", ("Dog", "Cat")), "category Dog or Cat, no status"),
        (Selection(categories=("Category 7", "no category")), "Category 7 or no category"),
        (Selection(text="Kim"), "“Kim” in the name"),
        (Selection(order="-name"), ""),
    ],
)
def test_a_selection_is_what_the_pets_have(selection: Selection, text: str) -> None:
    """The text fits after "61 pets with"; the order selects nothing."""
    assert selection.description == text


def test_order_and_pages(dashboard) -> None:
    """The order is a control; another order or filter begins at the first page."""
    tab = dashboard.tabs.inventory
    tab.pager.page.value = 2
    assert "51–100 of 240" in tab.table.markup
    tab.table._handle_custom_msg({"sort": "name"}, [])
    assert (tab.order.value, tab.pager.page.value) == ("name", 1)
    tab.table._handle_custom_msg({"sort": "name"}, [])
    names = re.findall(r"Pet \d+|pet \d+", tab.table.markup)
    assert tab.order.value == "-name" and names == sorted(names, key=str.lower, reverse=True)
    tab.pager.page.value = 99
    assert tab.pager.page.value == 5 and tab.pager.next.disabled
    tab.pager.previous.click()
    assert tab.pager.page.value == 4 and "151–200 of 240" in tab.table.markup


def test_a_full_page_without_links_is_no_whole_store(show) -> None:
    """Counts that are minimums are marked, and have no shares."""
    shown = show(MemoryStore(pets(240), has_links=False))
    cards = shown.tabs.inventory.cards.value
    assert (
        "≥ " in cards and "%" not in cards and "could be read" in shown.tabs.inventory.summary.value
    )


def test_an_empty_store_says_what_to_do(show) -> None:
    """Without pets there is a way on, and Import works."""
    shown = show(MemoryStore())
    assert "Add animals on the Import tab" in shown.tabs.inventory.cards.value


def test_too_large_a_file_is_kept_in_the_folder(dashboard, tmp_path, monkeypatch) -> None:
    """A browser cannot carry it, so it is named."""
    monkeypatch.setattr(inventory_tab, "LARGEST_MESSAGE", 10)
    dashboard.tabs.inventory.csv.click()
    (path,) = tmp_path.glob("inventory-*.csv")
    assert path.name in dashboard.tabs.inventory.notice.value and len(path.read_bytes()) > 240


def test_hostile_words_and_the_key_stay_out(show) -> None:
    """Names of the store are text, in every widget; the key is in none of them."""
    store = MemoryStore([(1, "<img src=x onerror=alert(1)>", 1, "sold")])
    with widgets_made() as made:
        shown = show(store, categories={1: "<b>Cat</b>"})
        shown.tabs.selected_index = 1
    states = " ".join(str(widget.get_state()) for widget in made)
    assert store.api_key not in states + repr(shown) + str(shown._static_copy())
    markup = " ".join(
        widget.markup if isinstance(widget, LiveHTML) else widget.value
        for widget in made
        if isinstance(widget, widgets.HTML | LiveHTML)
    )
    assert "&lt;img src=x" in markup and "<img src=x" not in markup and "<b>Cat" not in markup


def test_ids_beyond_a_float_are_text(show) -> None:
    """An id above 2**53 is shown to the digit and found by itself."""
    shown = show(MemoryStore([(2**53 + 1, "Luna", 1, "sold"), (2**63 - 1, "Max", 1, None)]))
    assert str(2**53 + 1) in shown.tabs.inventory.table.markup
    shown.tabs.inventory.name.value = f"{2**63 - 1}"
    assert shown.tabs.inventory.selected.frame["name"].tolist() == ["Max"]


def test_an_inventory_may_be_given(show, store) -> None:
    """Pets read before are shown without a request."""
    with store.client() as client:
        read = pf.fetch_inventory(client)
    before = [*store.requests]
    shown = show(store, inventory=read)
    assert store.requests == before and shown.inventory is read


@pytest.fixture
def show_birds(show, tmp_path) -> Callable[..., inventory_tab.InventoryTab]:
    """Shows the Inventory tab of a store for which an earlier file called category 4 "Bird"."""
    store = MemoryStore([(1, "Tweety", 4, "sold")])
    path = tmp_path / "birds.csv"
    path.write_text("name,category_id\nKiwi,4\n")
    pf.load(path, store.client(), categories={4: "Bird"}, journal=tmp_path / "journal")
    options = {"journal": tmp_path / "journal", "folder": tmp_path}
    return lambda **more: show(store, **options, **more).tabs.inventory


def test_a_list_that_contradicts_earlier_files_is_asked_about(show_birds) -> None:
    """Until the user confirms the list, the page shows the names of the files that were sent."""
    tab = show_birds(categories={4: "Guinea pig"})
    question = tab.names["rename_categories"].question
    assert tab.categories.options == ("Bird",) and "Tweety" in question.text
    tab.names["rename_categories"].value = "Your list is right"
    tab.excel.click()
    assert tab.categories.options == ("Guinea pig",) and not tab.names.questions
    tab = show_birds(categories={4: "Guinea pig"})
    assert not tab.names.questions  # the journal remembers the answer


def test_the_names_of_earlier_files_replace_a_list_that_is_wrong(show_birds) -> None:
    """The other answer is carried out too."""
    tab = show_birds(categories={4: "Guinea pig"})
    tab.names["rename_categories"].value = "The earlier names are right"
    assert tab.categories.options == ("Bird",) and not tab.names.questions


def test_without_a_list_the_page_has_the_names_of_earlier_files(show_birds) -> None:
    """The journal is the only place of the names that a load was given."""
    tab = show_birds()
    assert tab.categories.options == ("Bird",)
