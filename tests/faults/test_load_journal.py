"""What a failing disk does to an import, and what its journal holds at each moment."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from faults.flaky_store import FlakyStore
from faults.load_harness import check_promises, journal_in, result_in
from petstore_frame.errors import JournalError
from petstore_frame.loader.journal import outcomes as writing
from petstore_frame.loader.journal.database import Writer
from petstore_frame.loader.record import State


def fill_disk_after(monkeypatch: pytest.MonkeyPatch, commits: int, pages: int) -> None:
    """Let the journal grow by only so many pages after so many commits."""
    real = writing.Outcomes._settle
    seen = {"commits": 0}

    def commit(self, *args):
        seen["commits"] += 1
        if seen["commits"] == commits:
            sql = self._writer.sql
            (size,) = sql.execute("PRAGMA page_count").fetchone()
            sql.execute(f"PRAGMA max_page_count = {size + pages}")
        return real(self, *args)

    monkeypatch.setattr(writing.Outcomes, "_settle", commit)


def test_a_full_disk_before_an_intent_sends_nothing_more(
    tmp_path: Path, monkeypatch, pets_csv, stores, run_load
) -> None:
    """When an intent does not fit, it is not sent; the import goes on when there is room."""
    store = stores()
    with monkeypatch.context() as patch:
        fill_disk_after(patch, commits=5, pages=0)
        with pytest.raises(JournalError, match="full"):
            run_load(pets_csv(600), store)
    sent = store.posts
    assert 0 < sent < 600
    result = run_load(pets_csv(600), store)
    check_promises(result, store)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 600


def test_a_failed_fsync_is_not_tried_again(
    tmp_path: Path, monkeypatch, pets_csv, stores, run_load
) -> None:
    """After an I/O error nothing is written or sent, and the error names what it could not keep."""
    real = writing.Outcomes._settle
    state = {"calls": 0}

    def commit(self, *args):
        state["calls"] += 1
        if state["calls"] == 6:
            problem = sqlite3.OperationalError("disk I/O error")
            problem.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise problem
        return real(self, *args)

    store = stores()
    with monkeypatch.context() as patch:
        patch.setattr(writing.Outcomes, "_settle", commit)
        with pytest.raises(JournalError, match=r"not on disk: record \d+ is created with id \d+"):
            run_load(pets_csv(100), store)
    assert state["calls"] == 6
    result = run_load(pets_csv(100), store)
    check_promises(result, store)
    assert result.counts[State.UNKNOWN] <= 16


def test_a_write_that_the_system_refuses_stops_the_import(
    tmp_path: Path, pets_csv, stores, run_load, run_child
) -> None:
    """A real error of the file system stops the sending; what was on its way is in doubt."""
    store = stores()
    code, told = run_child(pets_csv(900), store, file_limit=500_000)
    assert (code, told) == (1, {})
    assert 0 < store.posts < 900
    result = run_load(pets_csv(900), store)
    check_promises(result, store)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 900


def test_each_request_finds_its_intent_on_disk(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """What is on disk when the first bytes arrive says in flight, read from the file itself."""
    store: FlakyStore = stores()
    found: list[tuple[int, set]] = []

    def look(number: int, stage: str) -> None:
        if stage == "headers" and number % 5 == 1:
            copy = tmp_path / f"copy{number}" / "journal"
            copy.mkdir(parents=True)
            name = journal_in(tmp_path).name
            # The count first: what is copied later may only hold more.
            for end in (".commits", "", "-wal"):
                shutil.copy(tmp_path / "journal" / f"{name}{end}", copy)
            counts = result_in(tmp_path / f"copy{number}").counts
            found.append((number, {state for state, n in counts.items() if n}))
            settled = counts[State.CREATED] + counts[State.IN_FLIGHT]
            assert settled >= number

    store.on_post = look
    result = run_load(pets_csv(60), store)
    assert result.counts[State.CREATED] == 60
    assert len(found) == 12 and all(State.IN_FLIGHT in states for _, states in found)


def test_commits_are_durable(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """The journal is written through to the disk at each commit, not only at checkpoints."""
    result = run_load(pets_csv(2), stores())
    with Writer(result.path, result.facts.run.base_url) as writer:
        assert writer.sql.execute("PRAGMA synchronous").fetchone() == (2,)
        assert writer.sql.execute("PRAGMA journal_mode").fetchone() == ("wal",)
