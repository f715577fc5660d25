"""Stories in which the journal does not know everything: the store is asked, or is another one."""

from __future__ import annotations

from contextlib import suppress

import pytest

from faults.flaky_store import FlakyStore
from faults.load_harness import settle
from petstore_frame.errors import JournalError
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import Ending, State
from shop import Shop

HEADER = "tag,name"
WEEKS = [[f"{week}-{n},Pet {week}-{n}" for n in range(10)] for week in range(10)]
KEYS = pytest.mark.parametrize("key", [{"key": "tag"}, {}], ids=["keyed", "keyless"])


def test_a_reading_that_asked_leaves_the_others_unseen(shop: Shop) -> None:
    """Of a colleague's pets some are in my first file and some in my next: both are asked about."""
    shop.colleague.load("his.csv", HEADER, *WEEKS[0], key="tag")
    for rows in (WEEKS[0][:4], WEEKS[0][4:]):
        mine = [*rows, *(f"M{row}x" for row in rows)]
        with shop.asks("in_store"):
            shop.load("mine.csv", HEADER, *mine, key="tag")
        shop.load("mine.csv", HEADER, *mine, key="tag", duplicates={"in_store": "skip"})
    assert len(shop.names) == len(set(shop.names)) == 20


def test_few_like_animals_are_a_warning(shop: Shop) -> None:
    """Two of ten that equal a colleague's new pets are sent, and listed."""
    shop.load("own.csv", HEADER, "O,Own", key="tag")
    shop.colleague.load("a.csv", HEADER, *WEEKS[0], key="tag")
    mine = [f"M{number},{row.partition(',')[2]}" for number, row in enumerate(WEEKS[0][:2])]
    result = shop.load("b.csv", HEADER, *mine, *WEEKS[1][:8], key="tag")
    assert len(shop.pets) == 21 and result.warnings


def test_two_branches_with_the_same_goldfish(service_shop: Shop) -> None:
    """Other animals are others, also in a store that honors keys made of the same records."""
    fish = ["Goldfish"] * 10
    service_shop.load("fish.csv", "name", *fish)
    branch = service_shop.colleague
    with branch.asks("in_store"):
        branch.load("fish.csv", "name", *fish)
    result = branch.load("fish.csv", "name", *fish, duplicates="create")
    assert len(branch.pets) == 20 and result.counts[State.CREATED] == 10


@pytest.mark.parametrize("fault", ["fin_after", "201_cut"])
@pytest.mark.parametrize("answer", [{}, {"duplicates": "skip"}], ids=["unasked", "skip"])
def test_a_pet_that_doubt_may_have_made_is_left_to_it(
    shop: Shop, fault: str, answer: dict[str, str]
) -> None:
    """Another record neither asks about such a pet nor adopts it, also where its id was cut off."""
    shop.store.fault_of = {2: fault}.get
    first = shop.load("a.csv", HEADER, "A,Ada", "B,Luna", key="tag")
    result = shop.load("b.csv", HEADER, "C,Luna", key="tag", **answer)
    assert (result.counts[State.CREATED], shop.names) == (1, ["Ada", "Luna", "Luna"])
    assert first.counts[State.UNCONFIRMED if fault == "fin_after" else State.CREATED] > 0


def test_a_journal_removed_during_a_load_stops_it(shop: Shop) -> None:
    """The advice that is given then doubles nothing when it is followed."""

    def lose(number: int, stage: str) -> None:
        if (number, stage) == (20, "body"):
            shop.lose_journal()

    shop.store.on_post = lose
    rows = [row for week in WEEKS for row in week]
    with suppress(JournalError):
        shop.load("a.csv", HEADER, *rows, key="tag")
    assert len(shop.pets) < 100
    with shop.asks("in_store"):
        shop.load("a.csv", key="tag")
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


@pytest.mark.parametrize("exported", [1, 12])
def test_rows_with_ids_and_names_of_pets_are_asked_about(shop: Shop, exported: int) -> None:
    """A file with the columns of an export is matched only if somebody says so."""
    shop.load("own.csv", HEADER, "O,Own", key="tag")
    shop.colleague.load("his.csv", HEADER, *WEEKS[0], *WEEKS[1], key="tag")
    shop.load("next.csv", HEADER, "P,Own too", key="tag")
    pets = [pet for pet in shop.pets if pet["name"].startswith("Pet")][:exported]
    rows = [f"{pet['id']},{pet['name']},1,sold" for pet in pets]
    rows += [f",New {number},1,sold" for number in range(12)]
    lines = ["id,name,category_id,status", *rows, ""]
    (shop.folder / "export.csv").write_text("\n".join(lines))
    with shop.asks("in_store"):
        shop.load("export.csv", key="")
    result = shop.load("export.csv", key="", duplicates="skip")
    assert (len(shop.pets), result.counts[State.MATCHED]) == (34, exported)
