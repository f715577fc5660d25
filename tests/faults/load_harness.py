"""How the tests of the loader start one, and hold what it says against the store."""

from __future__ import annotations

import json
import queue
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults import load_child
from faults.flaky_store import KEY, FlakyStore
from forked import Child
from petstore_frame.client import Client
from petstore_frame.loader import view_of
from petstore_frame.loader.journal.database import SUFFIX, reading
from petstore_frame.loader.reconcile import Reconciliation
from petstore_frame.loader.results.load_result import ImportView, LoadResult
from petstore_frame.loader.sending.pool import Done, Inbox, SessionClocks


class FakeTime:
    """A clock that moves only when nobody works and the importer waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.on_wait: Callable[[], object] = lambda: None

    def timing(self) -> SessionClocks:
        return SessionClocks(clock=lambda: self.now, now=lambda: self.now, wait=self.wait)

    def wait(self, inbox: Inbox, timeout_s: float | None) -> Done | None:
        self.on_wait()
        if timeout_s is None:
            return inbox.get(timeout=20)
        try:
            return inbox.get(timeout=0.05)
        except queue.Empty:
            self.now += timeout_s
            raise


def journal_in(folder: Path) -> Path:
    """Return the one journal of a test."""
    (path,) = (folder / "journal").glob(f"*{SUFFIX}")
    return path


def result_in(folder: Path) -> LoadResult:
    """Return the result of the last import in the one journal of a test."""
    path = journal_in(folder)
    with reading(path) as sql:
        (import_id,) = sql.execute("SELECT id FROM imports ORDER BY import DESC").fetchone()
    return LoadResult(ImportView(path, import_id))


def child_options(folder: Path, path: Path, store: FlakyStore, **options: Any) -> dict[str, Any]:
    """Return the options of ``load_child.load`` for a load with its journal in a folder."""
    place = {"file": str(path), "journal": str(folder / "journal")}
    return {"base_url": store.base_url, "api_key": KEY, **place, **options}


def start_child(folder: Path, path: Path, store: FlakyStore, **options: Any) -> Child:
    """Start a load in a process of its own."""
    return Child(load_child.load, child_options(folder, path, store, **options))


def settle(result: LoadResult, store: FlakyStore, **options: Any) -> Reconciliation:
    """Reconcile a result with its store, without a wait."""
    with Client(store.base_url, KEY, retry_timeout=0) as client:
        return view_of(result).reconcile(client, **{"grace_s": 0.0} | options)


def check_promises(result: LoadResult, store: FlakyStore) -> None:
    """Hold a result against the store: none twice, none lost, no wrong id, one state each."""
    rows = list(view_of(result).rows())
    pets = store.pet_counts()
    file_counts: Counter[tuple] = Counter()
    created: Counter[tuple] = Counter()
    doubtful: Counter[tuple] = Counter()
    for row in (row for row in rows if row.payload is not None):
        sent = json.loads(row.payload)
        key = (sent["name"], sent["categoryId"], sent.get("status"))
        file_counts[key] += 1
        created[key] += row.state == "created"
        doubtful[key] += row.state in ("unconfirmed", "in_flight")
        if row.pet_id is not None:
            pet = store.pets[row.pet_id]
            assert (pet["name"], pet["categoryId"], pet.get("status")) == key, "a wrong id"
    ids = [row.pet_id for row in rows if row.pet_id is not None]
    assert len(ids) == len(set(ids)), "one id for two records"
    assert [row.number for row in rows] == list(range(1, len(rows) + 1)), "a record is lost"
    for key, count in pets.items():
        assert count <= file_counts[key], f"{key} was created {count} times"
        assert count <= created[key] + doubtful[key], f"{key} is in the store and not said to be"
    for key, count in created.items():
        assert pets[key] >= count, f"{key} is said to be in the store and is not"
