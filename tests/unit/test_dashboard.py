"""The dashboard's widgets, worked the way a browser works them, without one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame import samples
from petstore_frame.dashboard.export import offer
from petstore_frame.dashboard.import_job import LARGEST_UPLOAD, ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.worker import Worker
from petstore_frame.models import NO_STATUS
from unit.dashboard_store import AS_OF, KEY, MemoryStore, inventory, pets

LABELS = {1: "Cat", 2: "Dog", 3: "<b>Bird</b>"}
DIRTY = "name,category_id,status\nRex,2,sold\n,2,sold\nLuna,cat,available\nMax,1,for sale\n"
WAIT_S = 20


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(pets(240))


@pytest.fixture
def dashboard(store: MemoryStore, tmp_path: Path) -> Iterator[pf.Dashboard]:
    shown = pf.Dashboard(
        store.client(), categories=LABELS, journal=tmp_path / "journal", folder=tmp_path
    )
    yield shown
    shown.close()


def press(group: widgets.ToggleButtons, index: int) -> None:
    """What a browser sends for a click on one of many buttons."""
    group.index = index
    group._handle_custom_msg({"event": "click"}, [])


def upload(dashboard: pf.Dashboard, name: str, content: bytes) -> None:
    """What a browser sends for a file chosen."""
    file = {
        "name": name, "type": "text/csv", "size": len(content), "content": memoryview(content),
        "last_modified": AS_OF,
    }  # fmt: skip
    dashboard.import_tab.upload.value = (file,)


def everything_shown(dashboard: pf.Dashboard) -> str:
    """All state that goes to a browser, as text."""
    models = [dashboard.widget]
    for model in models:
        models += getattr(model, "children", ())
    return json.dumps([model.get_state() for model in models], default=str)


def test_filters_act_on_everything_at_once(dashboard: pf.Dashboard) -> None:
    """A filter set in one place changes figures, bars, matrix and table alike."""
    tab = dashboard.inventory_tab
    tab.status.value = "sold"
    tab.category.value = "Dog"
    expected = [p for p in pets(240) if p[3] == "sold" and p[2] == 2]
    assert tab.shown is not None and tab.shown.matches == len(expected)
    assert f">{len(expected)}</b>" in tab.cards.value and f"of {len(expected)}" in tab.place.value
    assert str(expected[0][0]) in tab.table.value
    assert [label for label, _ in tab.matrix.widget.options][-1] == str(len(expected))


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


def test_refresh_shows_what_was_added(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """After a refresh the new pets are there, under the filters that were set."""
    dashboard.inventory_tab.status.value = "sold"
    store.pets.append({"id": 999, "name": "New", "categoryId": 1, "status": "sold"})
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    assert dashboard.inventory is not None and len(dashboard.inventory) == 241
    assert dashboard.inventory_tab.selection.status == "sold"
    assert ">61</b>" in dashboard.inventory_tab.cards.value


def test_a_failed_refresh_keeps_the_old_numbers(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """A failure is told in its own words, escaped, and what was shown stays."""
    store.fails_after = store.requests
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    notice = dashboard._notice.value
    assert "&lt;b&gt;the shelf fell&lt;/b&gt;" in notice and "What is shown is from" in notice
    assert ">240</b>" in dashboard.inventory_tab.cards.value


def test_a_reading_that_broke_off_can_go_on(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """Half-way through, the old numbers stay and Resume reads the rest."""
    store.fails_after = store.requests + 1
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    assert dashboard._resume.layout.display == "" and "500" in dashboard._notice.value
    store.fails_after = None
    dashboard._resume.click()
    assert dashboard.wait(WAIT_S)
    assert dashboard._resume.layout.display == "none" and dashboard._notice.value == ""


def test_a_refresh_can_be_cancelled(dashboard: pf.Dashboard) -> None:
    """Cancel ends a reading after the page that it is at, with the way to go on."""
    is_started = threading.Event()

    def stop_at_once(pets: int) -> None:
        is_started.set()
        dashboard._cancel.click()
        dashboard._refresher._worker.check()

    dashboard._refresher._progress = stop_at_once
    dashboard.refresh()
    assert dashboard.wait(WAIT_S) and is_started.is_set()
    assert "cancelled" in dashboard._notice.value and dashboard._resume.layout.display == ""


def test_a_dirty_file_ends_in_the_store_and_in_a_fix_file(
    dashboard: pf.Dashboard, store: MemoryStore, tmp_path: Path
) -> None:
    """From the upload over the rehearsal to the import: each record once, the bad ones on disk."""
    tab = dashboard.import_tab
    upload(dashboard, "../../dirty.csv", DIRTY.encode())
    assert "Luna" in tab.preview.value and tab.load.disabled
    tab.check.click()
    assert tab.wait(WAIT_S)
    assert tab.load.description == "Import 2 pets" and len(store.pets) == 240
    tab.load.click()
    assert tab.wait(WAIT_S) and dashboard.wait(WAIT_S)
    (fix,) = tmp_path.glob("import-dirty-*/fix.csv")
    assert "for sale" in fix.read_text("utf-8-sig") and "Rex" not in fix.read_text("utf-8-sig")
    assert [pet["name"] for pet in store.pets[240:]] == ["Rex", "Luna"]
    assert dashboard.inventory is not None and len(dashboard.inventory) == 242
    assert "Download fix.csv" in tab.files.value and dashboard.last_import is not None


def test_columns_that_do_not_speak_can_be_mapped(dashboard: pf.Dashboard, tmp_path: Path) -> None:
    """A header in other words is asked about; once answered, the records are shown."""
    tab = dashboard.import_tab
    path = tmp_path / "tiere.csv"
    path.write_text("Tier;Sorte;Zustand\nRex;2;sold\n", encoding="utf-8")
    tab.path.value = str(path)
    assert "Which column is which?" in tab.message.value and tab.check.disabled
    tab.columns["name"].value = "Tier"
    tab.columns["category_id"].value = "Sorte"
    assert "Rex" in tab.preview.value and not tab.check.disabled


def test_an_upload_too_large_is_refused_with_advice(dashboard: pf.Dashboard) -> None:
    """Beyond 8 MiB the tab says so and names the way that works."""
    upload(dashboard, "big.csv", b"x" * (LARGEST_UPLOAD + 1))
    assert "give its path" in dashboard.import_tab.message.value
    assert dashboard.import_tab.check.disabled


def test_an_import_can_be_cancelled(
    dashboard: pf.Dashboard, store: MemoryStore, tmp_path: Path
) -> None:
    """Cancel drains what is on its way; the same file again sends the rest, none twice."""
    tab = dashboard.import_tab
    path = tmp_path / "many.csv"
    rows = "".join(f"Goldfish {n},1,sold\n" for n in range(400))
    path.write_text(f"name,category_id,status\n{rows}", encoding="utf-8")
    tab.path.value = str(path)
    tab.check.click()
    assert tab.wait(WAIT_S)
    told = tab._progress

    def stop_early(counts: Any) -> None:
        tab.cancel.click()
        told(counts)

    tab._progress = stop_early
    tab.load.click()
    assert tab.wait(WAIT_S)
    assert len(store.pets) < 640 and dashboard.last_import is not None
    assert str(dashboard.last_import.run.ending) == "interrupted"
    tab._progress = told
    tab.load.click()
    assert tab.wait(WAIT_S)
    names = [pet["name"] for pet in store.pets[240:]]
    assert len(names) == len(set(names)) == 400


class LossyStore(MemoryStore):
    """Makes each pet, and loses its answer to the ones called Lost."""

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        answer = super()._create(pet)
        if pet["name"] == "Lost":
            raise httpx.ReadTimeout("the answer was lost")
        return answer


def import_tab(store: MemoryStore, tmp_path: Path, **options: Any) -> ImportTab:
    job = ImportJob(store.client(), {}, journal=tmp_path / "j", results=tmp_path, **options)
    return ImportTab(Kit(), job, lambda: None, threading.RLock())


def load_a_loss(tab: ImportTab, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("name,category_id\nRex,1\nLuna,1\nLost,1\nMax,1\n", encoding="utf-8")
    tab.path.value = str(path)
    for step in (tab.check, tab.load):
        step.click()
        assert tab.wait(WAIT_S)


def test_doubtful_records_are_settled_by_reading_back(tmp_path: Path) -> None:
    """A pet whose answer was lost is found by a button, and nothing is sent for it."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path, grace_s=0)
    load_a_loss(tab, tmp_path)
    assert "1 may or may not be in the store" in tab.files.value
    tab.settle.click()
    assert tab.wait(WAIT_S)
    assert "1 found in the store" in tab.message.value and tab.settle.layout.display == "none"
    assert [pet["name"] for pet in store.pets[3:]].count("Lost") == 1
    tab.close()


def test_settling_waits_for_late_requests_and_can_be_cancelled(tmp_path: Path) -> None:
    """While the store may still act the tab waits, says until when, and hears Cancel."""
    store = LossyStore(pets(3))
    tab = import_tab(store, tmp_path)
    load_a_loss(tab, tmp_path)
    requests, told = store.requests, []
    tab.message.observe(lambda change: told.append(change.new), "value")
    tab.message.observe(lambda change: "until" in change.new and tab.cancel.click(), "value")
    tab.settle.click()
    assert tab.wait(WAIT_S) and store.requests == requests
    assert any("Waiting until" in words for words in told) and "Stopped" in told[-1]
    tab.close()


def test_the_selection_goes_out_as_csv(dashboard: pf.Dashboard) -> None:
    """The CSV button offers the pets selected, as a link without a script."""
    dashboard.inventory_tab.text.value = "Pet 23"
    dashboard.export.buttons[1].click()
    assert dashboard.export.wait(WAIT_S)
    link = dashboard.export.link.value
    assert 'download="selection-' in link and "data:text/csv;base64," in link


def test_a_file_too_large_for_a_link_is_named(tmp_path: Path) -> None:
    """Beyond the size that a page can carry, the file stays on disk and its place is told."""
    note = offer(b"12345", "stock.xlsx", tmp_path, largest=4)
    assert "data:" not in note and str(tmp_path / "stock.xlsx") in note
    assert (tmp_path / "stock.xlsx").read_bytes() == b"12345"


def test_hostile_words_and_the_key_stay_out(store: MemoryStore) -> None:
    """Names, labels and errors reach the browser escaped, and the key not at all."""
    bad = "<img src=x onerror=alert(1)>"
    store.pets[0] |= {"name": bad, "status": bad}
    shown = pf.Dashboard(store.client(), categories={1: bad})
    state = everything_shown(shown)
    html = [part["value"] for part in json.loads(state) if part["_model_name"] == "HTMLModel"]
    assert KEY not in state and not any(bad in value for value in html)
    assert any("&lt;img" in value for value in html)
    shown.close()


def test_closing_ends_threads_and_widgets(store: MemoryStore, tmp_path: Path) -> None:
    """A closed dashboard leaves neither a thread nor a widget behind."""
    made: list[Any] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        shown = pf.Dashboard(store.client(), journal=tmp_path)
    finally:
        widgets.Widget.on_widget_constructed(None)
    shown.refresh()
    shown.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("petstore-")]
    assert made and all(widget.comm is None for widget in made)


def test_the_first_reading_may_fail(store: MemoryStore) -> None:
    """A store that cannot be read makes a dashboard that says so, and Refresh mends it."""
    store.fails_after = 0
    shown = pf.Dashboard(store.client())
    assert "the shelf fell" in shown._notice.value and "not read yet" in repr(shown)
    store.fails_after = None
    shown.refresh()
    assert shown.wait(WAIT_S) and "240 pets" in repr(shown)
    shown.close()


def test_a_full_page_without_links_is_no_whole_store() -> None:
    """Against a store that shows one page, figures are minimums and shares are left out."""
    shown = pf.Dashboard(MemoryStore(pets(340), has_links=False).client())
    cards = shown.inventory_tab.cards.value
    assert "≥" in cards and "%" not in cards
    assert "Complete<" not in shown._header.value
    shown.close()


def test_an_empty_store_says_what_to_do() -> None:
    """No pets: the figures are zero and the page says where pets come from."""
    shown = pf.Dashboard(MemoryStore().client())
    assert (
        "Import" in shown.inventory_tab.table.value and ">0</b>" in shown.inventory_tab.cards.value
    )
    shown.close()


def test_the_static_copy_needs_nothing(dashboard: pf.Dashboard) -> None:
    """What a saved notebook keeps has no script, style element, class or address elsewhere."""
    from petstore_frame.dashboard.static_copy import static_copy

    assert dashboard.inventory_tab.model is not None
    copy = static_copy(dashboard.inventory_tab.model)
    assert "<details>" in copy and 'src="data:image/svg+xml;base64,' in copy
    assert not any(word in copy for word in ("<script", "<style", "class=", "<svg", 'src="http'))
    assert "complete: 240 pets" in copy


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


def test_a_worker_runs_one_job_at_a_time() -> None:
    """A second job is refused while one is under way, and accepted after it."""
    worker, may_end = Worker("petstore-test"), threading.Event()
    assert worker.start(lambda: may_end.wait(WAIT_S) and None)
    assert not worker.start(lambda: None)
    may_end.set()
    assert worker.wait(WAIT_S) and worker.start(lambda: None) and worker.wait(WAIT_S)


def test_an_inventory_may_be_given(store: MemoryStore) -> None:
    """An Inventory read before is shown without asking the store."""
    shown = pf.Dashboard(store.client(), inventory=inventory(pets(7)))
    assert store.requests == 0 and ">7</b>" in shown.inventory_tab.cards.value
    shown.close()


def test_a_history_has_its_tab(store: MemoryStore, tmp_path: Path) -> None:
    """A History has a tab of its own; without snapshots the tab says so."""
    empty = tmp_path / "empty"
    empty.mkdir()
    shown = pf.Dashboard(store.client(), history=pf.History(empty))
    press(shown._switch.widget, 2)
    assert shown.history_tab is not None and "No trend yet" in shown.history_tab.trend.value
    shown.close()


def test_a_history_may_come_as_its_folder(store: MemoryStore, tmp_path: Path) -> None:
    """The folder of a history stands for it, as in ``write_report``."""
    samples.write_sample_history(tmp_path / "history", days=3)
    shown = pf.Dashboard(store.client(), history=str(tmp_path / "history"))
    press(shown._switch.widget, 2)
    assert shown.history_tab is not None
    assert "<svg" in shown.history_tab.trend.value and "changed" in shown.history_tab.flow.value
    shown.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"history": 3}, "history is a History or its folder, got 3"),
        ({"inventory": "stock.csv"}, "inventory is an Inventory, got str"),
    ],
)
def test_wrong_options_are_refused(store: MemoryStore, options: Any, message: str) -> None:
    """A wrong option is named where the dashboard is made, not later in a callback."""
    with pytest.raises(pf.ArgumentError, match=message):
        pf.Dashboard(store.client(), **options)
    assert store.requests == 0
