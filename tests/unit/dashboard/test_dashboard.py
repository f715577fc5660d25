"""The dashboard as a whole: its top, its tabs, and what a notebook keeps."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import closing
from pathlib import Path

import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame import sample_data
from petstore_frame.dashboard import dashboard as dashboard_module
from petstore_frame.dashboard.page import background
from petstore_frame.dashboard.state.remembered_answers import Memory
from petstore_frame.dashboard.state.step_questions import NO_KEY
from petstore_frame.dashboard.tabs.inventory_tab import InventoryTab
from unit.conftest import make_inventory, pets
from unit.dashboard.store import BROKEN, LABELS, WAIT_S, MemoryStore, widgets_made


@pytest.mark.parametrize(
    ("message", "options"),
    [
        (
            "pass a client of the same store",
            {"inventory": make_inventory(base_url="https://b.example")},
        ),
        ("client", {"client": 3}),
    ],
)
def test_wrong_options_are_refused(store, message: str, options) -> None:
    """A wrong argument is named before anything is asked of the store."""
    with pytest.raises(pf.ArgumentError, match=message):
        pf.Dashboard(**{"client": store.client()} | options)
    assert store.requests == []


def test_refresh_shows_what_was_added_under_the_filters(dashboard, store) -> None:
    """After a refresh the new pets are there, and the filters are as they were."""
    dashboard._ipython_display_()  # what ``display(dashboard)`` calls
    dashboard.status.value = "sold"
    dashboard.client.create_pet("New", 1, status="sold")
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and len(dashboard.inventory) == 241
    assert "Showing 61 of 241" in dashboard.tabs.inventory.summary.value


@pytest.mark.parametrize("pages", [0, 1])
def test_a_failed_refresh_keeps_the_old_numbers(dashboard, show, store, pages: int) -> None:
    """A failure is told, escaped, beside the old numbers, and the badge says that they are old."""
    good, usual = iter(range(pages)), store.reply
    store.reply = lambda _, __, answer: BROKEN if next(good, None) is None else answer()
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S)
    notice, title = dashboard.notice, dashboard._header._title
    assert "&lt;b&gt;the shelf fell&lt;/b&gt;" in notice.value and "Out of date" in title.value
    assert "still shows the reading of" in notice.value
    store.reply = usual
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and notice.value == "" and "Out of date" not in title.value
    store.reply = lambda *_: BROKEN
    shown = show(store)
    assert "the shelf fell" in shown.notice.value and "not read yet" in repr(shown)


def test_an_expired_key_is_replaced_and_never_kept(show) -> None:
    """A refused key leaves the old numbers, and a field for a new one, which is emptied at once."""
    store = MemoryStore([(1, "Luna", 1, "sold")])
    shown = show(store)
    store.api_key = "another-key"
    with widgets_made() as made:
        shown.refresh.click()
        assert shown.wait(WAIT_S)
        assert "rejected this API key" in shown.notice.value
        assert "rejected the API key" in shown._header._title.value
        shown.api_key.value = "another-key"
        shown.use_key.click()
        assert shown.wait(WAIT_S) and shown.notice.value == ""
    assert shown.api_key.value == "" and "Out of date" not in shown._header._title.value
    assert not any("another-key" in str(widget.get_state()) for widget in made)
    shown.close()
    with pytest.raises(pf.errors.ClosedError):  # it was made for this page
        shown.client.list_pets()


def test_a_reading_can_be_stopped(dashboard, monkeypatch) -> None:
    """Stop ends a reading after its page; the old numbers stay."""
    monkeypatch.setattr(background, "REPORT_EVERY_S", 0)
    before, stops = dashboard.inventory, [True]

    def stop(change) -> None:
        if "so far" in change.new and stops:
            stops.pop()
            dashboard.stop.click()

    dashboard.notice.observe(stop, "value")
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and dashboard.inventory is before
    assert "stopped" in dashboard.notice.value


def test_closing_ends_threads_and_widgets(store, tmp_path: Path) -> None:
    """Nothing of a dashboard is left after close()."""
    before = {thread.name for thread in threading.enumerate()}
    with widgets_made() as made:
        shown = pf.Dashboard(store.client(), journal=tmp_path, history=tmp_path / "h")
        for at in (1, 2, 3):
            shown.tabs.selected_index = at
        shown.close()
    assert all(widget.comm is None for widget in made)
    assert {thread.name for thread in threading.enumerate()} <= before | {"MainThread"}


def test_a_notebook_without_a_kernel_keeps_the_numbers(dashboard) -> None:
    """The static copy needs no script, no style element and no network."""
    copy = dashboard._static_copy()["text/html"]
    assert "240" in copy and "data:image/svg+xml;base64," in copy and "<script" not in copy
    assert dashboard.client.base_url in copy and "run the cell again" in repr(dashboard)


def test_history_draws_its_snapshots_and_keeps_one(show, store, tmp_path: Path) -> None:
    """The folder is a control, and so is what the lines are of."""
    sample_data.write_sample_history(tmp_path / "history", days=12, pets=60)
    tab = show(store, journal=tmp_path).tabs.history
    assert tab.folder.value == ""
    tab.folder.value = str(tmp_path / "history")
    by_status = tab.figures.markup
    tab.by.value = "category_id"
    assert "days-available" in tab.figures.markup != by_status
    tab.folder.value = str(tmp_path / "new")
    tab.keep.click()
    assert "240 pets" in tab.notice.value


LIST = "tag,name,category_id,status\nT1,pet 1,1,sold\nT2,Nobody,2,weg\n"


def test_stocktake_reads_a_list_with_the_memory(show, store, tmp_path: Path) -> None:
    """What was answered in Import holds here; what cannot be read is answered here."""
    shown = show(store, categories=LABELS, journal=tmp_path / "j", folder=tmp_path)
    (tmp_path / "list.csv").write_text(LIST)
    tab, imports = shown.tabs.stocktake, shown.tabs.imports
    tab.choose_file.path.value = "list.csv"
    assert tab.background.wait(WAIT_S) and tab.comparison is None
    tab.match_columns.form["key"].value = NO_KEY
    assert tab.background.wait(WAIT_S)
    tab.match_values.form["value", "status", "weg"].value = "sold"
    assert tab.background.wait(WAIT_S) and len(tab.comparison.frame) > 200
    tab.pager.next.click()
    assert "51–100 of" in tab._table.value and tab.pager.page.value == 2
    tab.kind.value = next(kind for _, kind in tab.kind.options if "in list" in kind)
    assert "Nobody" in tab._table.value and "Only in list" in tab._table.value
    imports.choose_file.path.value = "list.csv"
    assert imports.background.wait(WAIT_S)
    assert imports.match_values.form["value", "status", "weg"].value == "sold"


def test_stocktake_of_the_file_just_read_is_one_button(show, store, tmp_path: Path) -> None:
    """The file of the Import tab is offered in the Stocktake tab."""
    shown = show(store, categories=LABELS, journal=tmp_path / "j", folder=tmp_path)
    (tmp_path / "list.csv").write_text("name,category_id\npet 1,1\nNobody,2\n")
    shown.tabs.imports.choose_file.path.value = "list.csv"
    assert shown.tabs.imports.background.wait(WAIT_S)
    shown.tabs.selected_index = 2
    tab = shown.tabs.stocktake
    assert tab.use_imported.description == "Use list.csv"
    tab.use_imported.click()
    assert tab.background.wait(WAIT_S) and tab.comparison is not None


def test_a_key_that_expires_in_mid_reading_is_asked_for(show) -> None:
    """Wherever in a reading the store rejects the key, the page asks for a new one."""
    store = MemoryStore(pets(240))
    shown, answered = show(store), iter(range(1))
    usual = store.reply

    def expire(_, __, answer):
        if next(answered, None) is None:
            store.api_key = "another-key"
        return answer()

    store.reply = expire
    shown.refresh.click()
    assert shown.wait(WAIT_S) and "rejected this API key" in shown.notice.value
    store.reply = usual
    shown.api_key.value = "another-key"
    shown.use_key.click()
    assert shown.wait(WAIT_S) and shown.notice.value == ""


def test_a_dashboard_is_part_of_a_page(dashboard) -> None:
    """It is a widget, so it can stand in a box with others."""
    box = widgets.VBox([widgets.HTML("Our shelter"), dashboard])
    assert box.children[1] is dashboard
    box.close()


def test_running_a_cell_again_closes_its_widgets(show, store, monkeypatch) -> None:
    """Only the dashboards of an earlier run of the same cell are closed."""
    runs = iter([("cell 1", "run 1"), ("cell 2", "run 2"), ("cell 1", "run 3")])
    monkeypatch.setattr(dashboard_module, "current_cell", lambda: next(runs))
    with widgets_made() as made:
        first = show(store)
        of_first = [*made]
        second, third = show(store), show(store)
    assert all(widget.comm is None for widget in of_first) and first.comm is None
    assert second.comm is not None and third.comm is not None


def test_a_relative_folder_of_snapshots_is_shown_in_full(show, store, tmp_path: Path) -> None:
    """It starts from the folder of the dashboard, and not from the kernel's."""
    shown = show(store, journal=tmp_path / "j", folder=tmp_path)
    tab = shown.tabs.history
    tab.folder.value = "days"
    tab.keep.click()
    assert tab.folder.value == str(tmp_path / "days")
    assert str(tmp_path / "days") in tab.notice.value and any((tmp_path / "days").iterdir())


def test_the_memory_is_files_that_a_person_reads(tmp_path: Path) -> None:
    """A recipe for each header, in whatever order its columns stand."""
    memory, columns = Memory(tmp_path, {1: "Cat"}), ("Name", "Art")
    memory.keep_recipe(
        columns, pf.Recipe(key="Name", mapping={"name": "Name", "category_id": "Art"})
    )
    again = Memory(tmp_path, {})
    assert (
        again.find_recipe(("art ", "Name")).key == ("Name",)
        and again.find_recipe(("Name",)) is None
    )
    again.recipe_path(columns).write_text("broken = [")
    assert again.find_recipe(columns) is None


def test_each_class_of_a_widget_is_one_word(store, tmp_path: Path) -> None:
    """A browser rejects a class with a space, and then shows nothing of its widget."""
    with widgets_made() as made:
        pf.Dashboard(store.client(), journal=tmp_path).close()
    classes = [name for widget in made if widget.has_trait("_dom_classes")
               for name in widget._dom_classes]  # fmt: skip
    assert classes and not [name for name in classes if " " in name]


def test_the_controls_of_a_tab_are_made_when_it_is_opened(show, store, tmp_path: Path) -> None:
    """A page starts with the controls that it shows, so the first numbers appear soon."""
    with widgets_made() as first:
        shown = show(store, journal=tmp_path)
    with widgets_made() as later:
        shown.tabs.selected_index = 1
    assert len(first) < 100 and len(later) > 50
    assert not shown.tabs.is_sending


def test_a_dashboard_is_shown_during_its_first_count(store, monkeypatch) -> None:
    """A dashboard can be displayed at any moment, also between the first reading and its count."""
    copies = []

    def count_later(self: InventoryTab) -> None:
        self.update_view()
        copies.append(self.static_copy())
        show_reading(self)

    show_reading = InventoryTab.show
    monkeypatch.setattr(InventoryTab, "show", count_later)
    with closing(pf.Dashboard(store.client())) as shown:
        assert "not read yet" in copies[0]
        assert len(shown.tabs.inventory.selected) == 240


def test_a_closed_dashboard_is_freed() -> None:
    """After close(), neither a dashboard nor its listing stays in memory."""
    store = MemoryStore(pets(3))
    shown = pf.Dashboard(store.client(), inventory=pf.fetch_inventory(store.client()))
    dashboard, inventory = weakref.ref(shown), weakref.ref(shown.inventory)
    shown.close()
    del shown
    gc.collect()
    assert dashboard() is None and inventory() is None


def count_live(kind: type) -> int:
    gc.collect()
    return sum(isinstance(thing, kind) for thing in gc.get_objects())


def test_more_runs_of_a_cell_keep_the_widgets_of_one(store, tmp_path: Path, monkeypatch) -> None:
    """Running a cell again frees the widgets and listings of its last run, also after an import."""
    runs = iter([("cell", f"run {number}") for number in range(4)])
    monkeypatch.setattr(dashboard_module, "current_cell", lambda: next(runs))
    counts = []
    for number in range(4):
        shown = pf.Dashboard(store.client(), categories=LABELS, journal=tmp_path, folder=tmp_path)
        imports = shown.tabs.imports
        imports.keep_upload("a.csv", f"name,category_id\nAda {number},1\n".encode())
        assert imports.background.wait(WAIT_S)
        imports.send.send.click()
        assert imports.background.wait(WAIT_S) and imports.state.result is not None
        assert shown.wait(WAIT_S)
        if number in (1, 3):
            counts.append((count_live(widgets.Widget), count_live(pf.Inventory)))
    shown.close()
    assert counts[0] == counts[1]


def test_a_file_creates_no_widgets(show, store, tmp_path: Path) -> None:
    """A file with three hundred words has the widgets of an empty tab."""
    shown = show(store, categories=LABELS, journal=tmp_path / "j", folder=tmp_path)
    imports = shown.tabs.imports
    rows = "".join(f"Kim {n},word {n},sold\n" for n in range(300))
    (tmp_path / "words.csv").write_text(f"name,category_id,status\n{rows}")
    with widgets_made() as made:
        imports.choose_file.path.value = "words.csv"
        assert imports.background.wait(WAIT_S)
    assert len(imports.state.open_values) == 300 and made == []


def test_a_page_that_was_connected_again_gets_every_state(dashboard, monkeypatch) -> None:
    """After a lost connection, each widget sends what it shows, because messages may be lost."""
    sent = []
    monkeypatch.setattr(widgets.Widget, "send_state", lambda self, _=None: sent.append(self))
    dashboard.tabs.inventory.table._receive(None, {"redraw": 1}, [])
    assert {dashboard.notice, dashboard.status, dashboard.tabs} <= {*sent}
