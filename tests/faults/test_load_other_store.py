"""A store that is another one than the store which had its address before."""

from __future__ import annotations

import pytest

from faults.flaky_store import FlakyStore
from petstore_frame.errors import JournalError
from petstore_frame.loader.record import Ending, State

OLD, NEW = "0" * 32, "1" * 32


@pytest.fixture
def store(stores) -> FlakyStore:
    """A store that says what it is called."""
    return stores(has_links=True, store_id=OLD)


def replace(store: FlakyStore, name: str, pets: dict[int, dict]) -> dict[int, dict]:
    """Let another store answer at the address; return the pets of the one before."""
    before, store.pets, store.store_id = store.pets, pets, name
    return before


def test_each_store_of_an_address_has_its_own_import(store: FlakyStore, run_load) -> None:
    """What went to the store that had the address before is not in this one, nor the reverse."""
    first = run_load(10, store)
    pets = replace(store, NEW, {})
    assert run_load(10, store, dry_run=True).counts[State.PENDING] == 10
    assert run_load(10, store).counts[State.CREATED] == 10 == len(store.pets)
    replace(store, OLD, pets)
    again = run_load(10, store)
    assert again.import_id == first.import_id and not again.sent_now
    assert (len(pets), store.posts) == (10, 20)
    assert again.summary["store_id"] == OLD  # for scripts


def test_a_store_that_has_got_an_id_is_known_by_its_address(store: FlakyStore, run_load) -> None:
    """Where the journal knows no id, the address counts, and the id is kept from then on."""
    store.store_id, store.fault_of = None, {31: "401"}.get
    stopped = run_load(60, store)
    store.store_id, store.fault_of = OLD, lambda number: None
    result = run_load(60, store)
    assert (result.import_id, result.exit_code) == (stopped.import_id, 0)
    assert len(store.pets) == 60 and result.facts.run.store_id == OLD


def test_a_store_that_changes_during_an_import_gets_nothing_of_it(
    store: FlakyStore, run_load
) -> None:
    """The store refuses what was meant for another; the next import begins anew with it."""
    store.on_post = lambda *now: now == (20, "headers") and replace(store, NEW, {})
    first = run_load(200, store, workers=1)
    assert (first.facts.run.ending, store.pets) == (Ending.STOPPED, {})
    assert (first.counts[State.CREATED], first.exit_code) == (19, 5)
    assert "another store answers" in str(first)
    second = run_load(200, store)
    assert second.path != first.path and (second.exit_code, len(store.pets)) == (0, 200)


def test_reading_back_claims_no_pet_of_another_store(store: FlakyStore, run_load, settle) -> None:
    """Records in doubt are not settled by a store that never saw them."""
    store.fault_of = {3: "fin_after"}.get
    result = run_load(5, store)
    replace(store, NEW, dict(store.pets))
    with pytest.raises(JournalError, match="another store"):
        settle(result, store)
    assert result.counts[State.UNKNOWN] == 1
