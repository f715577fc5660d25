"""Unconfirmed rows, settled by reading the store back, or by a person; no pet is a guess."""

from __future__ import annotations

import time
import unicodedata
from types import SimpleNamespace

import numpy as np
import pytest

import petstore_frame as pf
from faults.flaky_store import KEY
from faults.load_harness import check_promises, settle
from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import view_of
from petstore_frame.loader.reconcile import read_store
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending import pool as waiting
from petstore_frame.loader.sending.pool import SessionClocks
from petstore_frame.transport import IdempotencyKey
from shop import tagged

LINKS = {"has_links": True}
THIRD = {"name": "Pet 2", "categoryId": 3, "status": "sold"}  # of pets_csv


@pytest.mark.parametrize(
    ("rows", "faults", "options", "expected"),
    [
        (30, {5: "fin_after", 12: "fin_before"}, {}, (1, 1, 0)),
        (900, {800: "fin_before"}, {}, (0, 0, 1)),
        (250, {200: "fin_after"}, LINKS, (1, 0, 0)),
    ],
    ids=["one page", "no way on", "links"],
)
def test_only_a_whole_listing_proves_absence(load_with, rows, faults, options, expected) -> None:
    """A pet that is found is created with its id; one that is not is absent in a whole listing."""
    result, store = load_with(rows, faults, store=options, workers=1)
    asked = store.gets
    done = settle(result, store)
    assert (done.created, done.not_found, done.unconfirmed) == expected
    assert store.gets - asked == done.requests <= 20
    assert [row.reason for row in view_of(result).rows()].count("found") == done.created
    check_promises(result, store)


def test_a_page_cut_short_is_no_whole_listing(stores, run_load) -> None:
    """A store that cuts its pages makes no pet absent, and hides the loads of others."""
    store = stores({1: "fin_after"}.get, page_cap=50)
    for number in range(120):
        store.add({"name": f"Old {number}", "categoryId": 1, "status": "available"})
    result = run_load(1, store)
    done = settle(result, store)
    assert (done.not_found, done.unconfirmed) == (0, 1)


def test_a_store_that_hides_its_pets_proves_no_absence(load_with) -> None:
    """A listing without a pet that the store confirmed is not believed."""
    result, store = load_with(20, {5: "fin_before"})
    for pet_id in list(store.pets)[:4]:
        del store.pets[pet_id]
    done = settle(result, store)
    assert (done.not_found, done.unconfirmed) == (0, 1)


@pytest.mark.parametrize(
    ("others", "candidates"),
    [([THIRD], (3, 21)), ([{"name": "Other", "categoryId": 9}], (3,))],
    ids=["a twin", "another pet"],
)
def test_a_pet_that_may_be_someone_elses_is_a_candidate(load_with, others, candidates) -> None:
    """Where a pet appeared that nothing of ours explains, others add pets: a person says whose."""
    result, store = load_with(20, {3: "fin_after"}, workers=1)
    for pet in others:
        store.add(pet)
    done = settle(result, store)
    assert (done.created, done.unconfirmed, done.candidates) == (0, 1, {4: candidates})
    assert "line 4 may be pet 3" in str(result)
    with pytest.raises(ArgumentError, match="has no pet 999; it may be pet 3"):
        result.resolve({4: 999})
    assert result.counts[State.UNCONFIRMED] == 1
    result.resolve({4: 3})
    assert result.counts[State.CREATED] == 20


@pytest.mark.parametrize(
    ("faults", "created"),
    [
        ({2: "fin_after", 3: "fin_before", 4: "fin_after"}, 2),
        # A 201 whose body was lost is found again, and its pet is no one else's.
        ({3: "201_cut", 4: "fin_before"}, 0),
    ],
    ids=["doubt", "no id"],
)
def test_equal_records_are_settled_as_a_multiset(
    load_with, faults: dict[int, str], created: int
) -> None:
    """Of four equal records as many are absent as the store has pets too few."""
    result, store = load_with(20, faults, copies=4, workers=1)
    done = settle(result, store)
    assert (done.created, done.not_found) == (created, 1)
    assert result.created["pet_id"].notna().all()
    check_promises(result, store)


@pytest.mark.parametrize("checks", [True, False])
def test_an_older_twin_is_not_claimed(stores, run_load, checks: bool) -> None:
    """A pet from before the import is none of its records; of unknown age it is a candidate."""
    store = stores({2: "fin_before"}.get)
    run_load(1, store, name="other.csv", first=900)
    twin = store.add({"name": "Pet 1", "categoryId": 2, "status": "pending"})
    for number in range(3):
        store.add({"name": f"Old {number}", "categoryId": 1})
    result = run_load(30, store, check_store=checks, workers=1, first=2, as_new=True)
    done = settle(result, store)
    assert (done.created, done.not_found, done.unconfirmed) == (0, int(checks), int(not checks))
    assert done.candidates == ({} if checks else {2: (twin,)})


def test_a_pet_that_another_import_may_have_made_is_not_claimed(load_with, run_load) -> None:
    """Two equal unconfirmed rows in two imports, and one pet: there is more than one way."""
    first, store = load_with(30, {15: "fin_after", 45: "fin_before"}, workers=1)
    second = run_load(30, store, workers=1, as_new=True)
    run_load(5, store, name="more.csv", first=500)
    done = settle(first, store)
    assert (done.created, done.unconfirmed, done.candidates) == (0, 1, {16: (15,)})
    assert second.counts[State.UNCONFIRMED] == 1


def test_a_pet_that_was_tidied_does_not_make_its_record_absent(pets_csv, load_with) -> None:
    """A pet that differs only in the form of its letters, or its status, may be the one."""
    name, path = unicodedata.normalize("NFD", "Zoë"), pets_csv(21)
    path.write_text(path.read_text("utf-8").replace("Pet 2,", f"{name},"), "utf-8")
    result, store = load_with(path, {3: "500_after", 5: "500_after"}, workers=1)
    store.pets[3]["name"] = unicodedata.normalize("NFC", name)
    store.pets[5]["status"] = "pending"
    done = settle(result, store)
    assert (done.not_found, done.unconfirmed, len(store.pets)) == (0, 2, 21)


def test_a_pet_that_appears_after_all_is_not_sent_again(load_with, run_load) -> None:
    """A row that was called not found is not sent again unless somebody names its line."""
    result, store = load_with(30, {3: "500_before", 7: "500_before"}, store=LINKS, workers=1)
    assert settle(result, store).not_found == 2
    store.add(THIRD)
    for _ in range(2):
        again = run_load(30, store, as_new=[8], workers=1)
        assert (again.counts[State.NOT_FOUND], len(store.pets)) == (1, 30)


def test_an_answer_from_before_a_request_does_not_send_it_again(shop) -> None:
    """Somebody created the row, and it was not found since: that is for somebody to answer anew."""
    shop.load("a.csv", "tag,name", *tagged(0, 30), key="tag")
    shop.store.fault_of = {31: "500_before"}.get
    result = shop.load("b.csv", "tag,name", "B-1,Pet 0", key="tag", duplicates="create")
    assert result.reconcile(shop.client, grace_s=0.0).not_found == 1
    assert (shop.load("b.csv", key="tag").counts[State.NOT_FOUND], len(shop.pets)) == (1, 30)
    shop.load("b.csv", key="tag", as_new=[2])
    assert len(shop.pets) == 31


def test_a_pet_that_appears_after_all_is_found_by_another_reading(load_with) -> None:
    """What a reading did not find is looked for again."""
    result, store = load_with(30, {3: "500_before"}, store=LINKS, workers=1)
    assert settle(result, store).not_found == 1
    store.add(THIRD)
    assert (settle(result, store).created, result.counts[State.CREATED]) == (1, 30)


def test_a_pet_that_a_later_load_saw_is_no_older_one(load_with, run_load) -> None:
    """What the store had when a later file was loaded may be of an unconfirmed row before that."""
    result, store = load_with(30, {3: "fin_after"}, store=LINKS, workers=1)
    for first in (500, 600):
        run_load(5, store, name=f"{first}.csv", first=first)
    done = settle(result, store)
    assert (done.created, done.not_found, len(store.pets)) == (1, 0, 40)


def test_the_grace_is_waited_for_and_no_longer(load_with, run_load) -> None:
    """Silence means nothing before the grace is over, whatever the times on disk say of it."""
    ahead = SessionClocks(now=lambda: time.time() + 86_400)
    result, store = load_with(20, {5: "late_apply"}, store={"late_s": 0.3}, timing=ahead)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        store.settle()
        run_load(3, store, name="later.csv", first=1000)

    done = settle(result, store, grace_s=60.0, sleep=sleep)
    assert waits == [65.0] and (done.created, done.not_found) == (1, 0)


def test_a_pet_that_a_slow_store_adds_after_three_minutes_is_found(load_with) -> None:
    """By default, the wait covers our own timeout and that of a proxy in between, each twice."""
    result, store = load_with(20, {5: "late_apply"}, store={"late_s": 0.3})

    def sleep(seconds: float) -> None:
        if seconds > 180:
            store.settle()

    with Client(store.base_url, KEY, retry_timeout=0) as client:
        done = view_of(result).reconcile(client, sleep=sleep)
    assert (done.created, done.not_found) == (1, 0)


def test_a_wait_is_announced_to_whoever_watches(
    load_with, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """reconcile says until when it waits, and why, where somebody would take it for a hang."""
    waits: list[float] = []
    result, store = load_with(5, {3: "fin_before"})
    monkeypatch.setattr(waiting, "time", SimpleNamespace(sleep=waits.append))
    for is_watched in (False, True):
        monkeypatch.setattr(waiting, "is_watched", lambda answer=is_watched: answer)
        settle(result, store, grace_s=60.0)
        assert ("waiting" in capsys.readouterr().err) is is_watched
    assert [0 < wait <= 65 for wait in waits] == [True, True]


def test_two_imports_in_doubt_are_not_strangers_to_each_other(load_with, run_load) -> None:
    """The last record of one import and the first of the next, both unconfirmed, are both found."""
    first, store = load_with(20, {20: "fin_after", 21: "fin_after"}, workers=1)
    second = run_load(20, store, name="later.csv", first=500, workers=1)
    run_load(1, store, name="last.csv", first=900)
    assert settle(first, store).created == 1
    assert first.counts[State.CREATED] + second.counts[State.CREATED] == 40


def test_a_person_may_settle_a_record(load_with, run_load) -> None:
    """resolve writes an id, or lets the record be sent; it changes nothing that is settled."""
    result, store = load_with(10, {5: "fin_after", 6: "fin_before"}, workers=1)
    with pytest.raises(ValueError, match="not unconfirmed"):
        result.resolve({6: 5, 2: None})
    assert result.counts[State.UNCONFIRMED] == 2
    with pytest.warns(UserWarning, match="pet 5"):
        result.resolve({np.int64(6): np.int64(5), 7: None})
    again = run_load(10, store)
    assert again.counts[State.CREATED] == len(store.pets) == 10
    assert [row.reason for row in view_of(again).rows()].count("found_by_user") == 1
    check_promises(again, store)


SECONDS = "grace_s must be a number of seconds, 0 or more, got"
OF_ANOTHER = "pet 1 belongs to another row; nothing was changed"


@pytest.mark.parametrize(
    ("call", "first", "options", "words"),
    [
        ("reconcile", 3, {}, "client must be a Client, got int"),
        ("reconcile", None, {"grace_s": -1}, f"{SECONDS} -1"),
        ("resolve", {6.5: 5}, {}, "line must be a whole number"),
        ("resolve", {"5": 5}, {}, "key '5' is not unconfirmed"),
        ("resolve", {6: "?"}, {}, "line 6: '?' is a placeholder"),
        ("resolve", {6: "5"}, {}, "pet_id must be a whole number"),
        ("resolve", 5, {}, "the pet of each line"),
        ("resolve", {6: 1}, {}, OF_ANOTHER),
    ],
    ids=str,
)
def test_a_wrong_argument_settles_nothing(load_with, call, first, options, words: str) -> None:
    """A wrong call, or a pet of another record, is an ArgumentError; the store is not asked."""
    result, store = load_with(8, {5: "fin_after"}, workers=1)
    asked = store.gets
    with Client(store.base_url, KEY) as client, pytest.raises(ArgumentError) as refused:
        getattr(result, call)(client if first is None else first, **options)
    assert words in str(refused.value)
    assert (store.gets, result.counts[State.UNCONFIRMED]) == (asked, 1)


def test_a_person_may_name_a_row_by_its_key(load_with, run_load) -> None:
    """resolve takes the key of a row as well as its line."""
    result, _ = load_with(10, {5: "fin_after"}, workers=1, key="name")
    with pytest.warns(UserWarning, match="pet 5"):
        result.resolve({"Pet 4": 5})
    assert result.counts["created"] == 10
    assert result.exit_code == 0


@pytest.mark.parametrize(("max_pages", "has_all"), [(2, False), (3, False), (9, True)])
def test_a_store_is_read_up_to_a_number_of_pages(max_pages: int, has_all: bool) -> None:
    """A listing that reaches the largest number of pages is kept as a part, and proves no end."""
    pages = []
    with pf.serve(sample=350, seed=7) as server, server.client() as client:
        listing = read_store(client, lambda _: pages.append(1), max_pages)
    assert (len(listing.pets) == 350, listing.is_complete) == (has_all, has_all)
    assert len(listing.pets) >= 100 * min(max_pages, 3)
    assert len(pages) <= max_pages and (has_all or not listing.is_whole)


def test_rows_of_one_content_get_the_pets_of_their_status(shop) -> None:
    """A row without a status may be any pet, so those that state one come first."""
    shop.store.has_links = True
    shop.store.fault_of = {1: "fin_after", 2: "fin_after"}.get
    result = shop.load("a.csv", "name,categoryId,status", "Luna,1,sold", "Luna,1,")
    assert result.reconcile(shop.client, grace_s=0.0).created == 2


def test_one_pet_is_not_two_rows(load_with) -> None:
    """Of two unconfirmed rows, a person may state the pet of one."""
    result, _ = load_with(8, {5: "fin_after", 6: "fin_after"}, workers=1)
    with pytest.raises(ArgumentError, match="pet 5 belongs to another row"):
        result.resolve({6: 5, 7: 5})
    assert result.counts[State.UNCONFIRMED] == 2


def test_a_line_of_several_animals_needs_a_pet_for_each(shop) -> None:
    """Which of its animals is the one pet, nobody can say."""
    shop.store.fault_of = {1: "fin_after", 2: "fin_before"}.get
    result = shop.load("a.csv", "name,n", "Goldfish,3", quantity="n")
    with pytest.raises(ArgumentError, match="a list of 2 pets, got 1"):
        result.resolve({2: 1})
    with pytest.warns(UserWarning, match="pet 1"):
        result.resolve({2: [1, None]})
    assert result.counts[State.CREATED] == 2 and result.counts[State.PENDING] == 1


@pytest.mark.parametrize(("row", "is_found"), [("Zoe,7", True), ("Zoe,1", False)])
def test_a_pet_with_the_id_of_a_lost_one_is_found(shop, row: str, is_found: bool) -> None:
    """A restored store reuses ids: another name and category is another pet, a name alone may not.

    The animal that had the id before is gone.
    """
    shop.store.has_links = True
    first = shop.load("a.csv", "name,categoryId", "Ada,1", "Bo,1")
    shop.store.restore(1, ids_again=True)
    shop.store.fault_of = {3: "fin_after"}.get
    result = shop.load("b.csv", "name,categoryId", row)
    done = result.reconcile(shop.client, grace_s=0.0)
    assert (done.created, done.candidates) == ((1, {}) if is_found else (0, {2: (2,)}))
    assert first.counts[State.GONE] == int(is_found)
    if not is_found:
        result.resolve({2: 2})
    assert (result.counts[State.CREATED], first.counts[State.GONE]) == (1, 1)
    assert shop.names == ["Ada", "Zoe"]


def test_the_first_request_of_a_row_may_have_created_its_pet(stores, pets_csv, run_load) -> None:
    """A later load saw the pet before the request was repeated, so the pet is not an older one."""
    store = stores(lambda number: "fin_after", honors_keys=True, has_links=True)
    clocks = SessionClocks(
        clock=lambda: 50 * time.monotonic(),
        wait=lambda inbox, wait_s: waiting.wait_for(inbox, None if wait_s is None else wait_s / 50),
    )
    options = {"idempotency": IdempotencyKey(3600), "workers": 1, "timing": clocks}
    result = run_load(1, store, **options)
    other = pets_csv(1, name="other.csv", first=500)
    store.add({"name": "Pet 499", "categoryId": 3})
    store.fault_of = lambda number: None
    for answer in (None, "create"):
        run_load(other, store, duplicates=answer, **options)
    store.fault_of = lambda number: "fin_after"
    run_load(1, store, **options)
    done = settle(result, store)
    assert (done.unconfirmed, done.candidates) == (1, {2: (1,)})


def test_a_pet_from_before_the_first_reading_is_a_candidate(stores, run_load) -> None:
    """Nobody knows whether the only equal pet was there before the row was sent."""
    store = stores({1: "fin_before"}.get)
    twin = store.add({"name": "Pet 1", "categoryId": 2, "status": "pending"})
    done = settle(run_load(1, store, first=2, check_store=False), store)
    assert (done.created, done.candidates) == (0, {2: (twin,)})
