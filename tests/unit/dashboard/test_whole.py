"""The dashboard as a whole: what it is made with, what it reads and lets out, and how it ends."""

from __future__ import annotations

import json
import sys
import threading
from types import SimpleNamespace

import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame.dashboard import top, worker
from unit.conftest import inventory, pets
from unit.dashboard.store import KEY, WAIT_S, Screen, widgets_made


def test_only_a_user_s_names_are_completed(dashboard) -> None:
    """What a reading reports to the dashboard is not among its public names."""
    assert {"refresh", "wait", "close", "inventory"} <= set(dir(dashboard))
    assert not {"read", "reading", "broken_off"} & set(dir(dashboard))


@pytest.mark.parametrize(("what", "is_all"), [("pets shown", False), ("all pets", True)])
def test_what_is_shown_goes_out_or_all(dashboard, what: str, is_all: bool) -> None:
    """One press downloads the pets selected, or all, and a report says which they are."""
    sent: list[tuple[dict[str, str], bytes]] = []
    view = dashboard.inventory_tab.view
    view.send = lambda file, buffers: sent.append((file, *buffers))
    Screen(dashboard.filters.view).choose("Name", "Pet 23")
    Screen(dashboard.export.view).choose("Export", what)
    for kind in ("CSV", "Web page"):
        Screen(dashboard.export.view).press(kind)
        assert dashboard.export.wait(WAIT_S)
    (file, rows), (web, page) = sent
    name = file["file"]
    assert (file["media"], web["media"]) == ("text/csv", "text/html")
    assert name.startswith("inventory-" if is_all else "selection-") and name.endswith(".csv")
    assert b"Pet 23" in rows and (b",Pet 1," in rows) is is_all
    assert (b"with Name or id Pet 23" in page) is not is_all


def test_a_file_too_large_for_a_download_is_named(dashboard, tmp_path, monkeypatch) -> None:
    """Beyond the size that a page can carry, the file stays on disk and its place is told."""
    monkeypatch.setattr(top, "LARGEST_MESSAGE", 4)
    Screen(dashboard.export.view).press("CSV")
    assert dashboard.export.wait(WAIT_S)
    (kept,) = tmp_path.glob("inventory-*.csv")
    assert str(kept) in dashboard.reading_bar.notice.value and kept.stat().st_size > 4


def test_hostile_words_and_the_key_stay_out(show, store) -> None:
    """Names, labels and errors reach the browser escaped, and the key not at all."""
    bad = "<img src=x onerror=alert(1)>"
    store.pets[0] |= {"name": bad, "status": bad}
    models = [show(store, categories={1: bad}).widget]
    for model in models:
        models += getattr(model, "children", ())
    states = [model.get_state() for model in models]
    shown_as = {"HTMLModel": "value", "AnyModel": "markup"}
    html = [s[shown_as[s["_model_name"]]] for s in states if s["_model_name"] in shown_as]
    assert KEY not in json.dumps(states, default=str) and not any(bad in each for each in html)
    assert any("&lt;img" in each for each in html)


def test_closing_ends_threads_and_widgets(store, tmp_path) -> None:
    """A closed dashboard leaves neither a thread nor a widget behind."""
    before = set(threading.enumerate())  # of tests that left theirs to the interpreter
    with widgets_made() as made:
        shown = pf.Dashboard(store.client(), journal=tmp_path)
    shown.refresh()
    shown.close()
    assert not [t for t in {*threading.enumerate()} - before if t.name.startswith("petstore-")]
    assert made and all(widget.comm is None for widget in made)


def test_an_inventory_may_be_given(show, store) -> None:
    """An Inventory read before is shown without asking the store, where it is of the same one."""
    shown = show(store, inventory=inventory(pets(7)))
    assert store.requests == 0 and ">7</b>" in shown.inventory_tab.view.markup


ELSEWHERE = "http://elsewhere/v1"
WRONG = {
    "client is a Client, got a str": {"client": "http://127.0.0.1:9"},
    "history is a History or its folder, got 3": {"history": 3},
    "inventory is an Inventory, got str": {"inventory": "stock.csv"},
    "inventory is of http://elsewhere/v1, but": {"inventory": inventory(base_url=ELSEWHERE)},
    "journal is a folder, got 3": {"journal": 3},
    "folder is a folder, got 3": {"folder": 3},
    "wait_s is a number of seconds, 0 or more, got '10'": {"wait_s": "10"},
}


@pytest.mark.parametrize(("message", "options"), WRONG.items(), ids=WRONG)
def test_wrong_options_are_refused(store, message: str, options) -> None:
    """A wrong option is named where the dashboard is made, not later in a callback."""
    with pytest.raises(pf.ArgumentError, match=message):
        pf.Dashboard(**{"client": store.client()} | options)
    assert store.requests == 0


def test_a_dashboard_that_would_stay_blank_says_what_works(store, monkeypatch) -> None:
    """With ipywidgets 7, and in marimo, there is a sentence in the place of a blank cell."""
    with monkeypatch.context() as older:
        older.setattr(widgets, "__version__", "7.8.5")
        with pytest.raises(pf.ConfigurationError, match=r"this is ipywidgets 7\.8\.5.*stock\.html"):
            pf.Dashboard(store.client())
    marimo = SimpleNamespace(running_in_notebook=lambda: True)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    with pytest.raises(pf.ConfigurationError, match="this is marimo"):
        pf.Dashboard(store.client())


def test_refresh_shows_what_was_added(dashboard, store) -> None:
    """After a refresh the new pets are there, under the filters that were set."""
    dashboard._ipython_display_()  # what ``display(dashboard)`` calls
    Screen(dashboard.filters.view).choose("Status", "Sold")
    store.pets.append({"id": 999, "name": "New", "categoryId": 1, "status": "sold"})
    dashboard.refresh()
    assert dashboard.wait(WAIT_S) and len(dashboard.inventory) == 241
    assert dashboard.filters.selection.status == "sold"
    assert ">61</b>" in dashboard.inventory_tab.view.markup


@pytest.mark.parametrize("pages", [0, 1])
def test_a_failed_refresh_keeps_the_old_numbers(dashboard, show, store, pages: int) -> None:
    """A failure is told, escaped, beside the old numbers, and Resume or Refresh makes it good."""
    bar, store.fails_after = dashboard.reading_bar, store.requests + pages
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    notice = bar.notice.value
    assert "&lt;b&gt;the shelf fell&lt;/b&gt;" in notice and "What is shown is from" in notice
    assert ">240</b>" in dashboard.inventory_tab.view.markup
    if pages:
        store.fails_after = None
        Screen(bar.view).press("Resume")
        assert bar.wait(WAIT_S) and bar.notice.value == ""
        assert Screen(bar.view).buttons == ["Refresh"]
    store.fails_after = 0
    shown = show(store)
    assert "the shelf fell" in shown.reading_bar.notice.value and "not read yet" in repr(shown)
    store.fails_after = None
    shown.refresh()
    assert shown.wait(WAIT_S) and "240 pets" in repr(shown)


def test_a_reading_can_be_cancelled(dashboard, monkeypatch) -> None:
    """Cancel, in the place of Refresh, ends a reading after its page, with the way to go on."""
    monkeypatch.setattr(worker, "REPORT_EVERY_S", 0)
    bar, before, offered = dashboard.reading_bar, dashboard.inventory, []
    screen = Screen(bar.view)

    def cancel(change) -> None:
        if "so far" in change.new and not offered:
            offered.extend(screen.buttons)
            screen.press("Cancel")

    bar.notice.observe(cancel, "value")
    dashboard.refresh()
    assert dashboard.wait(WAIT_S) and bar.inventory is before and offered == ["Cancel"]
    assert "cancelled" in bar.notice.value
    screen.press("Resume")
    assert bar.wait(WAIT_S) and bar.inventory is not before
    assert screen.buttons == ["Refresh"]


def test_a_job_that_returns_late_does_not_free_the_worker_of_the_next_one() -> None:
    """After done() the next job may begin, and it is alone until it is done itself."""
    alone, is_first_done = worker.Worker("test"), threading.Event()
    may_first_return, may_second_return = threading.Event(), threading.Event()

    def first() -> None:
        alone.done()
        is_first_done.set()
        may_first_return.wait(WAIT_S)

    alone.start(first)
    first_thread = alone._thread
    assert is_first_done.wait(WAIT_S)
    assert alone.start(lambda: may_second_return.wait(WAIT_S) and None)
    may_first_return.set()
    first_thread.join(WAIT_S)
    assert alone.is_busy and not alone.start(first)
    may_second_return.set()
    assert alone.wait(WAIT_S) and not alone.is_busy
