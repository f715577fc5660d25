"""A store that is another one than the store which had its address before."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.errors import JournalError, LoadInterrupted, LoadStopped
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from threaded import Server, serve
from unit.loader.staged import change


class Address:
    """One port on which stores with one database or another are started, one after the other."""

    server: Server | None = None
    port: int | None = 0

    def __init__(self, folder: Path, pets_csv: Callable[[int], Path]) -> None:
        self.folder, self.pets_csv = folder, pets_csv

    def serve(self, name: str, **options: object) -> Server:
        self.close()
        database = self.folder / name
        self.server = serve(database=database, port=self.port, api_key="a-key", **options)
        self.port = httpx.URL(self.server.base_url).port
        return self.server

    def close(self) -> None:
        if self.server is not None:
            self.server.close()

    def load(
        self, rows: int, name: str, *, spec_only: bool = False, **options: object
    ) -> LoadResult:
        """Load so many pets into the store with this database, started anew."""
        with self.serve(name, spec_only=spec_only).client() as client:
            given = {"journal": self.folder / "journal", "progress": False} | options
            try:
                return pf.load_csv(self.pets_csv(rows), client, **given)
            except (LoadStopped, LoadInterrupted) as stopped:
                return stopped.result

    def has(self, name: str, rows: int) -> bool:
        """Whether a database holds so many pets, each of them once."""
        with closing(sqlite3.connect(self.folder / name)) as sql:
            found = sorted(name for (name,) in sql.execute("SELECT name FROM pets"))
        return found == sorted(f"Pet {number}" for number in range(rows))


@pytest.fixture
def address(tmp_path: Path, pets_csv) -> Iterator[Address]:
    place = Address(tmp_path, pets_csv)
    yield place
    place.close()


def interrupted(counts: dict[State, int]) -> None:
    if counts[State.CREATED] >= 20:
        raise KeyboardInterrupt


def test_each_store_of_an_address_has_its_own_import(address: Address) -> None:
    """What went to the store that had the address before is not in this one, nor the reverse."""
    first = address.load(10, "old")
    assert address.load(10, "new", dry_run=True).counts[State.PENDING] == 10
    assert address.has("new", 0)
    assert address.load(10, "new").counts[State.CREATED] == 10
    again = address.load(10, "old")
    assert again.import_id == first.import_id and not again.sent_now
    assert address.has("old", 10) and address.has("new", 10)
    # Scripts read in the summary to which store an import went.
    assert len(again.summary["store_id"]) == 32


@pytest.mark.parametrize("knows_its_id", [True, False])
def test_a_restarted_store_goes_on(address: Address, knows_its_id: bool) -> None:
    """An import goes on after a restart; where the journal knows no id the address counts."""
    stopped = address.load(60, "old", progress=interrupted)
    if not knows_its_id:
        change(stopped, "UPDATE journal SET store_id = NULL")
    result = address.load(60, "old")
    assert (result.import_id, result.exit_code) == (stopped.import_id, 0)
    assert address.has("old", 60) and result.facts.run.store_id


def test_a_store_that_changes_during_an_import_gets_nothing_of_it(address: Address) -> None:
    """The store refuses what was meant for another; the next import begins anew with it."""
    changed: list[Server] = []

    def replace(counts: dict[State, int]) -> None:
        if counts[State.CREATED] >= 20 and not changed:
            changed.append(address.serve("new"))

    first = address.load(200, "old", progress=replace)
    assert address.has("new", 0) and first.counts[State.PENDING] > 100
    assert "another store answers" in str(first) and first.exit_code in (3, 5)
    second = address.load(200, "new")
    assert address.has("new", 200)
    assert second.path != first.path and second.exit_code == 0


def test_reading_back_claims_no_pet_of_another_store(address: Address) -> None:
    """Records in doubt are not settled by a store that never saw them."""
    result = address.load(5, "old")
    lost = "UPDATE records SET state = 'unknown', pet_id = NULL"
    change(result, f"{lost} WHERE import = :import AND record = 3")
    address.load(5, "new", journal=address.folder / "other")
    with address.server.client() as client, pytest.raises(JournalError, match="another store"):
        result.reconcile(client, grace_s=0)
    assert result.counts[State.UNKNOWN] == 1


def test_a_store_without_ids_is_known_by_its_address(address: Address) -> None:
    """A store that does not say what it is called is sent no id, and a done import is done."""
    address.load(8, "old", spec_only=True)
    again = address.load(8, "old", spec_only=True)
    assert not again.sent_now and again.facts.run.store_id is None
    assert address.has("old", 8)
