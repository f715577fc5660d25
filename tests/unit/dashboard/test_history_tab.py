"""The History tab, worked the way a browser works it, without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame import samples
from petstore_frame.dashboard.history_tab import HistoryTab
from unit.dashboard_store import MemoryStore, Screen, click, pets

OpenHistory = Callable[..., HistoryTab]


@pytest.fixture
def open_history() -> Iterator[OpenHistory]:
    """Opens the History tab of a dashboard."""
    with ExitStack() as shown:

        def opened(history: Any = None, store: MemoryStore | None = None) -> HistoryTab:
            client = (store or MemoryStore(pets(240))).client()
            dashboard = shown.enter_context(closing(pf.Dashboard(client, history=history)))
            Screen(dashboard.tabs).press("History")
            return dashboard.history_tab

        yield opened


def test_without_snapshots_it_says_so(open_history: OpenHistory, tmp_path: Path) -> None:
    """Without a folder, or without a snapshot in it, the tab says what is missing."""
    assert "Name a folder" in open_history().view.markup
    tab = open_history(pf.History(tmp_path))
    assert "holds no snapshot" in tab.view.markup
    Screen(tab.top).choose("Snapshots in", str(tmp_path / "nowhere"))
    assert "does not exist" in tab.view.markup


def test_a_snapshot_is_kept_in_a_folder_named_there(
    open_history: OpenHistory, tmp_path: Path
) -> None:
    """A button keeps what was read last as the snapshot of its day, and the tab shows it."""
    tab = open_history()
    Screen(tab.top).press("Keep a snapshot")
    assert "Name the folder" in tab.view.markup
    Screen(tab.top).choose("Snapshots in", str(tmp_path / "kept"))
    Screen(tab.top).press("Keep a snapshot")
    assert len(pf.History(tmp_path / "kept").read().frame) == 240
    assert "240 pets of " in tab.view.markup and "pets-over-time" in tab.view.markup


def test_a_range_of_days_leaves_the_age_of_pets(open_history: OpenHistory, tmp_path: Path) -> None:
    """Trend and moves are of the days chosen; how long a pet is there is of the whole history."""
    kept = samples.write_sample_history(tmp_path / "history", days=10)
    tab = open_history(str(kept.folder))
    ages = part_of(tab, "days-available")
    assert tab.view.markup.count("<svg xmlns") == 4
    assert "2026-01-05 to 2026-01-14" in tab.view.markup
    Screen(tab.top).choose("Days", "last 7 days")
    assert "2026-01-08 to 2026-01-14" in tab.view.markup
    assert part_of(tab, "days-available") == ages
    Screen(tab.top).choose("from", "2026-01-12")
    assert "2026-01-12 to 2026-01-14" in tab.view.markup


def test_categories_without_a_line_of_their_own_are_one_line(
    open_history: OpenHistory, tmp_path: Path
) -> None:
    """By category the largest have lines, and the sum of the rest has one, too; signs toggle."""
    store = MemoryStore(pets(360, categories=12))
    with store.client() as client:
        pf.History(tmp_path).add(pf.fetch_inventory(client))
    tab = open_history(tmp_path, store)
    Screen(tab.top).choose("Lines", "by category")
    assert "5 other categories 150 to 150" in tab.view.markup
    (rest,) = re.findall(r'data-category="(-?\d+)"[^>]*>5 other', tab.view.markup)
    shown = tab.view.markup
    click(tab.view, category=rest, figure="pets-over-time")  # no pet has this number
    assert tab.view.markup == shown
    for is_off in (True, False):
        click(tab.view, toggle="5 other categories", figure="pets-over-time")
        assert ("5 other categories, 2" not in tab.view.markup) is is_off


def part_of(tab: HistoryTab, figure: str) -> str:
    """Return the drawing of a name."""
    return tab.view.markup.partition(f'data-name="{figure}"')[2].partition("</section>")[0]
