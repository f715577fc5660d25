"""Reading the store from a dashboard: the notice, the buttons, and what stays on the screen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.reading_bar import ReadingBar
from unit.dashboard_store import BASE_URL, WAIT_S, MemoryStore, Screen


def test_refresh_shows_what_was_added(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """After a refresh the new pets are there, under the filters that were set."""
    Screen(dashboard.filters.view).choose("Status", "Sold")
    store.pets.append({"id": 999, "name": "New", "categoryId": 1, "status": "sold"})
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    assert dashboard.inventory is not None and len(dashboard.inventory) == 241
    assert dashboard.filters.selection.status == "sold"
    assert ">61</b>" in dashboard.inventory_tab.view.markup


def test_a_failed_refresh_keeps_the_old_numbers(
    dashboard: pf.Dashboard, store: MemoryStore
) -> None:
    """A failure is told in its own words, escaped, and what was shown stays."""
    store.fails_after = store.requests
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    notice = dashboard.reading_bar.notice.value
    assert "&lt;b&gt;the shelf fell&lt;/b&gt;" in notice and "What is shown is from" in notice
    assert ">240</b>" in dashboard.inventory_tab.view.markup


@pytest.fixture
def broken_off(dashboard: pf.Dashboard, store: MemoryStore) -> ReadingBar:
    """The top of a dashboard whose second reading broke off after a page."""
    store.fails_after = store.requests + 1
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    store.fails_after = None
    return dashboard.reading_bar


def test_a_reading_that_broke_off_offers_to_go_on(broken_off: ReadingBar) -> None:
    """Half-way through, the notice names the cause and Resume is there."""
    assert "500" in broken_off.notice.value
    assert "Resume" in Screen(broken_off.view).buttons()


def test_resume_reads_the_rest(broken_off: ReadingBar) -> None:
    """After Resume nothing is left to say and nothing to resume."""
    Screen(broken_off.view).press("Resume")
    assert broken_off.wait(WAIT_S) and broken_off.notice.value == ""
    assert "Resume" not in Screen(broken_off.view).buttons()


def bar_of(read: Callable[[Any], pf.Inventory]) -> tuple[ReadingBar, list[pf.Inventory]]:
    """The top of a dashboard on its own, and the list of what it passes on."""
    taken: list[pf.Inventory] = []
    return ReadingBar(Kit(), BASE_URL, read, taken.append, threading.RLock()), taken


def test_a_reading_can_be_cancelled(store: MemoryStore) -> None:
    """Cancel ends a reading after the page that it is at, with the way to go on."""
    bar, taken = bar_of(lambda progress: pf.fetch_inventory(store.client(), progress=progress))
    bar.notice.observe(
        lambda change: "so far" in change.new and Screen(bar.view).press("Cancel"), "value"
    )
    bar.start()
    assert bar.wait(WAIT_S) and taken == []
    assert "cancelled" in bar.notice.value and "Resume" in Screen(bar.view).buttons()


def test_a_reading_offers_what_can_be_done(store: MemoryStore) -> None:
    """While the store is read there is Cancel and no second Refresh; afterwards the reverse."""
    may_end = threading.Event()

    def read(progress: Any) -> pf.Inventory:
        may_end.wait(WAIT_S)
        return pf.fetch_inventory(store.client(), progress=progress)

    bar, taken = bar_of(read)
    bar.start()
    assert Screen(bar.view).buttons() == ["Cancel"]
    may_end.set()
    assert bar.wait(WAIT_S) and taken == [bar.inventory]
    assert Screen(bar.view).buttons() == ["Refresh"]


def test_the_first_reading_may_fail(store: MemoryStore) -> None:
    """A store that cannot be read makes a dashboard that says so, and Refresh fixes it."""
    store.fails_after = 0
    shown = pf.Dashboard(store.client())
    assert "the shelf fell" in shown.reading_bar.notice.value and "not read yet" in repr(shown)
    store.fails_after = None
    shown.refresh()
    assert shown.wait(WAIT_S) and "240 pets" in repr(shown)
    shown.close()
