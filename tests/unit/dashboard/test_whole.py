"""The dashboard as a whole: its top, its tabs, and what a notebook keeps."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame import sample_data
from petstore_frame.dashboard import background as work
from petstore_frame.dashboard.store_header import Memory
from unit.conftest import inventory
from unit.dashboard.store import BROKEN, LABELS, WAIT_S, MemoryStore, widgets_made


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ("pass a client of the same store", {"inventory": inventory(base_url="https://b.example")}),
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
    dashboard.inventory.status.value = "sold"
    dashboard.client.create_pet("New", 1, status="sold")
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and len(dashboard.pets) == 241
    assert "Showing 61 of 241" in dashboard.inventory.words.value


@pytest.mark.parametrize("pages", [0, 1])
def test_a_failed_refresh_keeps_the_old_numbers(dashboard, show, store, pages: int) -> None:
    """A failure is told, escaped, beside the old numbers, and the badge says that they are old."""
    good, usual = iter(range(pages)), store.reply
    store.reply = lambda _, __, answer: BROKEN if next(good, None) is None else answer()
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S)
    notice, title = dashboard.notice, dashboard._title
    assert "&lt;b&gt;the shelf fell&lt;/b&gt;" in notice.value and "Old: the last" in title.value
    assert "What is shown is from" in notice.value
    store.reply = usual
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and notice.value == "" and "Old" not in title.value
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
        assert "does not take the key" in shown.notice.value
        assert "the store refuses the key" in shown._title.value
        shown.api_key.value = "another-key"
        shown.use_key.click()
        assert shown.wait(WAIT_S) and shown.notice.value == ""
    assert shown.api_key.value == "" and "Old" not in shown._title.value
    assert not any("another-key" in str(widget.get_state()) for widget in made)
    shown.close()
    with pytest.raises(pf.errors.ClosedError):  # it was made for this page
        shown.client.list_pets()


def test_a_reading_can_be_stopped(dashboard, monkeypatch) -> None:
    """Stop ends a reading after its page; the old numbers stay."""
    monkeypatch.setattr(work, "REPORT_EVERY_S", 0)
    before, stops = dashboard.pets, [True]

    def stop(change) -> None:
        if "so far" in change.new and stops:
            stops.pop()
            dashboard.stop.click()

    dashboard.notice.observe(stop, "value")
    dashboard.refresh.click()
    assert dashboard.wait(WAIT_S) and dashboard.pets is before
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
    copy = dashboard._copy()["text/html"]
    assert "240" in copy and "data:image/svg+xml;base64," in copy and "<script" not in copy
    assert dashboard.client.base_url in copy and "run the cell again" in repr(dashboard)


def test_history_draws_its_snapshots_and_keeps_one(show, store, tmp_path: Path) -> None:
    """The folder is a control, and so is what the lines are of."""
    sample_data.write_sample_history(tmp_path / "history", days=12, pets=60)
    tab = show(store, journal=tmp_path).history
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
    path = tmp_path / "list.csv"
    path.write_text(LIST)
    tab = shown.stocktake
    tab.path.value = str(path)
    assert tab.work.wait(WAIT_S)
    assert "1 rows could not be read" in tab.facts.value
    tab.words.words["status", "weg"].value = "sold"
    assert tab.work.wait(WAIT_S)
    assert "could not be read" not in tab.facts.value and len(tab.found.frame) > 200
    tab.kind.value = next(kind for _, kind in tab.kind.options if "list" in kind)
    assert "Nobody" in tab.table.value
    shown.imports.path.value = str(path)
    assert shown.imports.work.wait(WAIT_S)
    assert shown.imports.words.words["status", "weg"].value == "sold"


def test_the_memory_is_files_that_a_person_reads(tmp_path: Path) -> None:
    """A recipe for each header, in whatever order its columns stand; names with their numbers."""
    memory, columns = Memory(tmp_path, {1: "Cat"}), ("Name", "Art")
    memory.keep(columns, pf.Recipe(key="Name", mapping={"name": "Name", "category_id": "Art"}))
    memory.name_categories({9: "Ferret"})
    again = Memory(tmp_path, {})
    assert again.categories == {1: "Cat", 9: "Ferret"}
    assert again.recall(("art ", "Name")).key == ("Name",) and again.recall(("Name",)) is None
    assert (tmp_path / "categories.csv").read_text() == "category_id,label\n1,Cat\n9,Ferret\n"
    again.place_of(columns).write_text("broken = [")
    assert again.recall(columns) is None
