"""A store that is another one than the store which had its address before."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import JournalError, LoadInterrupted, LoadStopped
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from threaded import Server, serve
from unit.staged import change


class Address:
    """One port on which stores with one database or another are started, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server: Server | None = None
        self._port = 0

    def serve(self, database: str, **options: object) -> Server:
        self.close()
        place = self.folder / database
        self.server = serve(database=place, port=self._port, api_key="a-key", **options)
        self._port = int(self.server.base_url.split(":")[2].split("/")[0])
        return self.server

    def close(self) -> None:
        if self.server is not None:
            self.server.close()

    def load(self, path: Path, database: str, **options: object) -> LoadResult:
        """Load a file into the store with this database, started anew."""
        server_options = {"spec_only": True} if options.pop("spec_only", False) else {}
        with self.serve(database, **server_options).client() as client:
            given = {"journal": self.folder / "journal", "progress": False} | options
            try:
                return pf.load_csv(path, client, **given)
            except (LoadStopped, LoadInterrupted) as stopped:
                return stopped.result

    def names(self, database: str) -> Counter[str]:
        """Count the names in a database."""
        with closing(sqlite3.connect(self.folder / database)) as sql:
            return Counter(name for (name,) in sql.execute("SELECT name FROM pets"))


@pytest.fixture
def address(tmp_path: Path) -> Iterator[Address]:
    place = Address(tmp_path)
    yield place
    place.close()


def names_of(path: Path) -> Counter[str]:
    return Counter(line.split(",")[0] for line in path.read_text("utf-8").splitlines()[1:])


def interrupted(counts: dict[State, int]) -> None:
    if counts[State.CREATED] >= 20:
        raise KeyboardInterrupt


def test_each_store_of_an_address_has_its_own_import(address: Address, pets_csv) -> None:
    """What went to the store that had the address before is not in this one, nor the reverse."""
    path = pets_csv(10)
    first = address.load(path, "old.sqlite3")
    assert address.load(path, "new.sqlite3", dry_run=True).counts[State.PENDING] == 10
    assert not address.names("new.sqlite3")
    assert address.load(path, "new.sqlite3").counts[State.CREATED] == 10
    again = address.load(path, "old.sqlite3")
    assert again.import_id == first.import_id and not again.sent_now
    assert address.names("old.sqlite3") == address.names("new.sqlite3") == names_of(path)
    # Scripts read in the summary to which store an import went.
    assert len(again.summary["store_id"]) == 32


@pytest.mark.parametrize("knows_its_id", [True, False])
def test_a_restarted_store_goes_on(address: Address, pets_csv, knows_its_id: bool) -> None:
    """An import goes on after a restart; where the journal knows no id the address counts."""
    path = pets_csv(60)
    stopped = address.load(path, "old.sqlite3", progress=interrupted)
    if not knows_its_id:
        change(stopped, "UPDATE journal SET store_id = NULL")
    result = address.load(path, "old.sqlite3")
    assert (result.import_id, result.exit_code) == (stopped.import_id, 0)
    assert address.names("old.sqlite3") == names_of(path) and result.facts.run.store_id


def test_a_store_that_changes_during_an_import_gets_nothing_of_it(
    address: Address, pets_csv
) -> None:
    """The store refuses what was meant for another; the next import begins anew with it."""
    path = pets_csv(200)
    changed: list[Server] = []

    def replace(counts: dict[State, int]) -> None:
        if counts[State.CREATED] >= 20 and not changed:
            changed.append(address.serve("new.sqlite3"))

    first = address.load(path, "old.sqlite3", progress=replace)
    assert not address.names("new.sqlite3")
    assert "another store answers" in str(first) and first.exit_code in (3, 5)
    assert first.counts[State.PENDING] > 100
    second = address.load(path, "new.sqlite3")
    assert address.names("new.sqlite3") == names_of(path)
    assert second.path != first.path and second.exit_code == 0


def test_reading_back_claims_no_pet_of_another_store(address: Address, pets_csv) -> None:
    """Records in doubt are not settled by a store that never saw them."""
    path = pets_csv(5)
    result = address.load(path, "old.sqlite3")
    change(
        result,
        "UPDATE records SET state = 'unknown', pet_id = NULL WHERE import = :import AND record = 3",
    )
    address.load(path, "new.sqlite3", journal=address.folder / "other")
    with address.server.client() as client, pytest.raises(JournalError, match="another store"):
        result.reconcile(client, grace_s=0)
    assert result.counts[State.UNKNOWN] == 1


def test_a_store_without_ids_is_known_by_its_address(address: Address, pets_csv) -> None:
    """A store that does not say what it is called is sent no id, and a done import is done."""
    path = pets_csv(8)
    address.load(path, "old.sqlite3", spec_only=True)
    again = address.load(path, "old.sqlite3", spec_only=True)
    assert not again.sent_now and again.facts.run.store_id is None
    assert address.names("old.sqlite3") == names_of(path)
