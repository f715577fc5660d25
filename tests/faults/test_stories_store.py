"""Stories of stores that change at their address, and of journals that are removed."""

from __future__ import annotations

from contextlib import suppress

import pytest

from faults.flaky_store import FlakyStore
from faults.load_harness import settle
from petstore_frame.errors import JournalError
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import Ending, State
from shop import Shop, held, tagged

TAGS = "tag,name"


def test_a_journal_removed_during_a_load_stops_it(shop: Shop) -> None:
    """The next load holds back what was sent, so nothing is doubled."""

    def lose(number: int, stage: str) -> None:
        if (number, stage) == (20, "body"):
            shop.lose_journal()

    shop.store.on_post = lose
    with suppress(JournalError):
        shop.load("a.csv", TAGS, *tagged(0, 100), key="tag")
    sent = len(shop.pets)
    assert sent < 100
    assert len(held(shop.load("a.csv", key="tag"))) == sent
    shop.load("a.csv", key="tag", duplicates="skip")
    assert len(shop.names) == len(set(shop.names)) == 100


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
    assert view_of(again).import_id == view_of(first).import_id and not view_of(again).sent_now
    assert (len(pets), store.posts) == (10, 20)
    assert view_of(again).summary["store_id"] == OLD  # for scripts


def test_a_store_that_changes_during_an_import_gets_nothing_of_it(
    store: FlakyStore, run_load
) -> None:
    """The store refuses what was meant for another; the next import begins anew with it."""
    store.on_post = lambda *now: now == (20, "headers") and replace(store, NEW, {})
    first = run_load(200, store, workers=1)
    assert (view_of(first).facts.run.ending, store.pets) == (Ending.STOPPED, {})
    assert (first.counts[State.CREATED], first.exit_code) == (19, 5)
    assert "another store answers" in str(first)
    second = run_load(200, store)
    assert view_of(second).path != view_of(first).path
    assert (second.exit_code, len(store.pets)) == (0, 200)


def test_reading_back_claims_no_pet_of_another_store(store, stores, run_load) -> None:
    """Unconfirmed rows are not settled by a store that never saw them, wherever it answers."""
    store.fault_of = {3: "fin_after"}.get
    result = run_load(5, store)
    replace(store, NEW, dict(store.pets))
    for other, words in (
        (store, "another store"),
        (stores(), "use a client of the store of the import"),
    ):
        with pytest.raises(JournalError, match=words):
            settle(result, other)
    assert result.counts[State.UNCONFIRMED] == 1
