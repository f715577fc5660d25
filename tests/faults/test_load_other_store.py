"""A store that is another one than the store which had its address before."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.errors import JournalError, LoadInterrupted, LoadStopped
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from threaded import Server, serve
from unit.staged import change

KEY = "a-key-of-the-tests"


class Address:
    """One port on which stores with one database or another are started, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server: Server | None = None
        self._port = 0

    def serve(self, database: str, **options: object) -> Server:
        self.close()
        self._server = serve(
            database=self.folder / database, port=self._port, api_key=KEY, **options
        )
        self._port = int(self._server.base_url.split(":")[2].split("/")[0])
        return self._server

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def names(self, database: str) -> Counter[str]:
        """Count the names in a database."""
        with closing(sqlite3.connect(self.folder / database)) as sql:
            return Counter(name for (name,) in sql.execute("SELECT name FROM pets"))


@pytest.fixture
def address(tmp_path: Path):
    place = Address(tmp_path)
    yield place
    place.close()


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., LoadResult]:
    def run(path: Path, server: Server, **options: object) -> LoadResult:
        with server.client() as client:
            given = {"journal": tmp_path / "journal", "progress": False} | options
            try:
                return pf.load_csv(path, client, **given)
            except LoadStopped as stopped:
                return stopped.result

    return run


def names_of(path: Path) -> Counter[str]:
    return Counter(line.split(",")[0] for line in path.read_text("utf-8").splitlines()[1:])


def test_a_fresh_store_at_an_old_address_gets_the_whole_file(address, load, pets_csv) -> None:
    """What went to the store that had the address before is not taken for being in this one."""
    path = pets_csv(30)
    load(path, address.serve("old.sqlite3"))
    result = load(path, address.serve("new.sqlite3"))
    assert address.names("new.sqlite3") == names_of(path)
    assert result.counts[State.CREATED] == 30


def test_each_store_keeps_its_own_import(address, load, pets_csv) -> None:
    """Back at the first store its import is still done, and no pet is sent to it again."""
    path = pets_csv(10)
    first = load(path, address.serve("old.sqlite3"))
    load(path, address.serve("new.sqlite3"))
    again = load(path, address.serve("old.sqlite3"))
    assert again.import_id == first.import_id and not again.sent_now
    assert address.names("old.sqlite3") == names_of(path)


def test_a_restarted_store_goes_on(address, load, pets_csv) -> None:
    """An import that was interrupted goes on with the same store after its restart."""
    path = pets_csv(60)
    with pytest.raises(LoadInterrupted) as stopped:
        load(path, address.serve("old.sqlite3"), progress=_interrupt_after(20))
    result = load(path, address.serve("old.sqlite3"))
    assert result.import_id == stopped.value.result.import_id
    assert address.names("old.sqlite3") == names_of(path) and result.exit_code == 0


def _interrupt_after(count: int) -> Callable[[dict[State, int]], None]:
    def told(counts: dict[State, int]) -> None:
        if counts[State.CREATED] >= count:
            raise KeyboardInterrupt

    return told


def test_a_store_that_changes_during_an_import_gets_nothing_of_it(address, load, pets_csv) -> None:
    """The store refuses what was meant for another; the next import begins anew with it."""
    path = pets_csv(200)
    changed: list[Server] = []

    def change(counts: dict[State, int]) -> None:
        if counts[State.CREATED] >= 20 and not changed:
            changed.append(address.serve("new.sqlite3"))

    first = load(path, address.serve("old.sqlite3"), progress=change)
    assert not address.names("new.sqlite3")
    assert "another store answers" in str(first) and first.exit_code in (3, 5)
    assert first.counts[State.PENDING] > 100
    second = load(path, changed[0])
    assert address.names("new.sqlite3") == names_of(path)
    assert second.path != first.path and second.exit_code == 0


def test_reading_back_claims_no_pet_of_another_store(address, load, pets_csv) -> None:
    """Records in doubt are not settled by a store that never saw them."""
    path = pets_csv(5)
    result = load(path, address.serve("old.sqlite3"))
    change(
        result,
        "UPDATE records SET state = 'unknown', pet_id = NULL WHERE import = :import AND record = 3",
    )
    server = address.serve("new.sqlite3")
    with server.client() as client:
        for line in path.read_text("utf-8").splitlines()[1:]:
            name, category, status = line.split(",")
            client.create_pet(name, int(category), **_status(status))
        with pytest.raises(JournalError, match="another store"):
            result.reconcile(client, grace_s=0)
    assert LoadResult(result.path, result.import_id).counts[State.UNKNOWN] == 1


def _status(word: str) -> dict[str, str]:
    return {"status": word} if word else {}


def test_a_journal_that_does_not_know_its_stores_id_is_read_as_ever(
    address, load, pets_csv
) -> None:
    """Where a journal does not know its store's id, its address alone counts."""
    path = pets_csv(60)
    server = address.serve("old.sqlite3")
    with pytest.raises(LoadInterrupted) as stopped:
        load(path, server, progress=_interrupt_after(20))
    change(stopped.value.result, "UPDATE journal SET store_id = NULL")
    again = load(path, server)
    assert address.names("old.sqlite3") == names_of(path)
    assert again.import_id == stopped.value.result.import_id and again.facts.run.store_id


def test_a_store_without_ids_is_known_by_its_address(address, load, pets_csv) -> None:
    """A store that does not say what it is called is sent no id, and a done import is done."""
    path = pets_csv(8)
    load(path, address.serve("old.sqlite3", spec_only=True))
    again = load(path, address.serve("old.sqlite3", spec_only=True))
    assert not again.sent_now and again.facts.run.store_id is None
    assert address.names("old.sqlite3") == names_of(path)


def test_the_id_is_in_the_summary(address, load, pets_csv) -> None:
    """Scripts read in the summary to which store an import went."""
    result = load(pets_csv(3), address.serve("old.sqlite3"))
    assert json.loads(json.dumps(result.summary))["store_id"] == result.facts.run.store_id
    assert len(result.facts.run.store_id) == 32


def test_a_rehearsal_is_of_the_store_that_answers(address, load, pets_csv) -> None:
    """What went to the store that had the address before would be sent to this one."""
    path = pets_csv(4)
    load(path, address.serve("old.sqlite3"))
    rehearsed = load(path, address.serve("new.sqlite3"), dry_run=True)
    assert rehearsed.counts[State.PENDING] == 4
    assert not address.names("new.sqlite3")
