"""Records in doubt, settled by reading the store back, or by a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from faults.flaky_store import KEY
from faults.load_harness import check_promises
from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError, JournalError
from petstore_frame.loader.record import State
from petstore_frame.loader.settling.reconcile import resolve


def lost(*numbers: int) -> Callable[[int], str | None]:
    return lambda number: "fin_after" if number in numbers else None


def never(*numbers: int) -> Callable[[int], str | None]:
    return lambda number: "fin_before" if number in numbers else None


def far_apart(last: int) -> int:
    return (last * 7919 + 17) % 1_000_003


ODD_LINK = '<{}>; title="a, b"; rel="next"'
SHORT = {"page_cap": 20, "has_get_pet": False}


@pytest.mark.parametrize(
    ("rows", "fault_of", "options", "expected", "most_requests"),
    [
        (30, {5: "fin_after", 12: "fin_before"}.get, {}, (1, 1, 0), 10),
        # Ids in between are asked for, until fifty in a row do not exist.
        (900, lost(200, 230), {}, (2, 0, 0), 900),
        (900, lost(800), {"next_id": far_apart}, (0, 0, 1), 100),
        (900, never(800), {"has_get_pet": False}, (0, 0, 1), 20),
        # Links are followed to the end, whatever comes before their relation.
        (400, lost(300), {"has_links": True, "has_get_pet": False}, (1, 0, 0), 10),
        (120, lost(110), {"has_links": True, "link_form": ODD_LINK, **SHORT}, (1, 0, 0), 10),
    ],
    ids=["one page", "ids", "ids far apart", "no way on", "links", "odd links"],
)
def test_only_a_whole_listing_proves_absence(
    pets_csv, stores, run_load, settle, rows, fault_of, options, expected, most_requests
) -> None:
    """A pet that is found is created with its id; one that is not is absent in a whole listing."""
    store = stores(fault_of, **options)
    result = run_load(pets_csv(rows), store)
    done = settle(result, store)
    assert (done.created, done.absent, done.unknown) == expected
    assert done.requests <= most_requests
    assert (result.frame["id_source"] == "recovered").sum() == done.created
    check_promises(result, store)


def test_someone_elses_twin_is_not_claimed(pets_csv, stores, run_load, settle) -> None:
    """Where more equal pets are free than records are in doubt, they stay in doubt."""
    store = stores(lost(5))
    result = run_load(pets_csv(20), store)
    doubtful = result.unknown["sent_name"][0]
    twin = next(pet for pet in store.pets.values() if pet["name"] == doubtful)
    store.add({name: value for name, value in twin.items() if name != "id"})
    done = settle(result, store)
    assert (done.created, done.unknown) == (0, 1)
    (candidates,) = done.candidates.values()
    assert len(candidates) == 2


def test_equal_records_are_settled_as_a_multiset(pets_csv, stores, run_load, settle) -> None:
    """Of three equal records in doubt with two pets, two are created and one is absent."""
    faults = {2: "fin_after", 3: "fin_before", 4: "fin_after"}
    store = stores(lambda number: faults.get(number))
    result = run_load(pets_csv(20, copies=4), store, workers=1)
    done = settle(result, store)
    assert (done.created, done.absent) == (2, 1)
    check_promises(result, store)


def test_a_created_pet_without_an_id_gets_its_name_back(pets_csv, stores, run_load, settle) -> None:
    """A 201 whose body was lost is found again, and its pet is no one else's."""
    store = stores(lambda n: "201_cut" if n == 3 else "fin_before" if n == 4 else None)
    result = run_load(pets_csv(20, copies=4), store, workers=1)
    done = settle(result, store)
    assert (done.created, done.absent) == (0, 1)
    assert result.created["pet_id"].notna().all()


def test_absent_records_are_sent_again_only_when_asked(pets_csv, stores, run_load, settle) -> None:
    """Absence is evidence; sending again is a decision."""
    store = stores(never(5, 9))
    result = run_load(pets_csv(20), store)
    assert settle(result, store).absent == 2 and len(store.pets) == 18
    assert run_load(pets_csv(20), store).counts[State.ABSENT] == 2
    done = settle(result, store, resend_absent=True)
    assert (done.resent, len(store.pets)) == (2, 20)
    check_promises(result, store)


@pytest.mark.parametrize(("stored", "is_ours"), [("Cut \ud83d", True), ("Max \ud83d", False)])
def test_a_pet_with_half_an_emoji_may_be_the_one_that_was_sent(
    pets_csv, stores, run_load, settle, stored: str, is_ours: bool
) -> None:
    """A store that cuts an emoji in two hides that record's pet, and the pets of no other."""
    path = pets_csv(30)
    header, first, *rest = path.read_text("utf-8").splitlines()
    _, *others = first.split(",")
    lines = [header, ",".join(["Cut \U0001f436", *others]), *rest]
    path.write_text("\n".join(lines), encoding="utf-8")
    store = stores(never(1, 12), has_get_pet=False)
    result = run_load(path, store, workers=1)
    store.pets[99] = {"id": 99, "name": stored, "categoryId": 1, "status": "sold"}
    done = settle(result, store)
    assert (done.absent, done.unknown) == ((1, 1) if is_ours else (2, 0))


def test_the_grace_is_waited_for(pets_csv, stores, run_load, settle) -> None:
    """A store may act late: its silence means nothing before the grace is over."""
    store = stores(lambda n: "late_apply" if n == 5 else None, late_s=0.3)
    result = run_load(pets_csv(20), store)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        store.settle()
        run_load(pets_csv(3, name="later.csv", first=1000), store)

    done = settle(result, store, grace_s=60.0, sleep=sleep)
    assert 60 < waits[0] <= 65 and (done.created, done.absent) == (1, 0)
    assert set(store.pet_counts().values()) == {1}


def test_a_store_that_hides_its_pets_proves_no_absence(pets_csv, stores, run_load, settle) -> None:
    """A listing without a pet that the store confirmed is not believed."""
    store = stores(never(5), has_get_pet=False)
    result = run_load(pets_csv(20), store)
    for pet_id in list(store.pets)[:4]:
        del store.pets[pet_id]
    done = settle(result, store, by_id=False)
    assert (done.absent, done.unknown) == (0, 1)


def test_a_person_may_settle_a_record(pets_csv, stores, run_load) -> None:
    """resolve writes an id, or lets the record be sent; it changes nothing that is settled."""
    store = stores(lambda n: "fin_after" if n == 5 else "fin_before" if n == 6 else None)
    result = run_load(pets_csv(10), store, workers=1)
    resolve(result.path, result.import_id, 5, pet_id=5)
    resolve(result.path, result.import_id, 6, not_created=True)
    with pytest.raises(ValueError, match="not in doubt"):
        resolve(result.path, result.import_id, 1, not_created=True)
    again = run_load(pets_csv(10), store)
    assert again.counts[State.CREATED] == len(store.pets) == 10
    assert (again.created["id_source"] == "manual").sum() == 1
    check_promises(again, store)


@pytest.mark.parametrize(
    ("client", "options", "words"),
    [
        (3, {}, "client is a Client, got an int"),
        (None, {"grace_s": -1}, "grace_s= is a number of seconds, 0 or more, got -1"),
        (None, {"grace_s": "1"}, "grace_s= is a number of seconds, 0 or more, got '1'"),
        (None, {"most_gets": 1.5}, "most_gets is a whole number, got 1.5"),
        (None, {"by_id": "no"}, "by_id is True or False, got 'no'"),
        (None, {"sole_writer": 1}, "sole_writer is True or False, got 1"),
        (None, {"resend_absent": "no"}, "resend_absent is True or False, got 'no'"),
    ],
    ids=str,
)
def test_a_wrong_argument_settles_nothing(
    pets_csv, stores, run_load, client, options, words: str
) -> None:
    """A wrong call is an ArgumentError, and the store is not asked."""
    store = stores(lost(3))
    result = run_load(pets_csv(5), store)
    asked = store.gets
    with Client(store.base_url, KEY) as made, pytest.raises(ArgumentError) as refused:
        result.reconcile(made if client is None else client, **options)
    assert words in str(refused.value)
    assert (store.gets, result.counts[State.UNKNOWN]) == (asked, 1)


@pytest.mark.parametrize(
    ("record", "options", "words"),
    [
        ("5", {"pet_id": 5}, "record is a whole number"),
        (5, {"pet_id": "5"}, "pet_id is a whole number"),
        (5, {"not_created": "yes"}, "not_created is True or False"),
        (5, {}, "either pet_id= or not_created=True"),
        (5, {"pet_id": 1}, "pet 1 is record 1's in the import of pets.csv; nothing was changed"),
    ],
    ids=str,
)
def test_a_wrong_answer_of_a_person_changes_nothing(
    pets_csv, stores, run_load, record, options, words: str
) -> None:
    """resolve refuses what it cannot mean, and a pet that is another record's."""
    store = stores(lost(5))
    result = run_load(pets_csv(8), store, workers=1)
    with pytest.raises(ArgumentError) as refused:
        result.resolve(record, **options)
    assert words in str(refused.value)
    assert result.counts[State.UNKNOWN] == 1


def test_a_number_of_a_frame_is_a_number(pets_csv, stores, run_load) -> None:
    """Record and pet may be numpy's whole numbers, as the cells of a frame are."""
    store = stores(lost(5))
    result = run_load(pets_csv(8), store, workers=1)
    result.resolve(np.int64(5), pet_id=np.int64(5))
    assert result.counts[State.CREATED] == 8
    assert result.created["pet_id"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_another_store_is_not_asked(tmp_path: Path, pets_csv, stores, run_load, settle) -> None:
    """A journal is settled against its own store only."""
    store = stores(lost(3))
    result = run_load(pets_csv(5), store)
    with pytest.raises(JournalError, match="use a client of that store"):
        settle(result, stores())
    assert result.counts[State.UNKNOWN] == 1


def test_a_page_cut_short_is_no_whole_listing(pets_csv, stores, run_load, settle) -> None:
    """A store that cuts its pages below the limit asked for does not make a pet absent."""
    store = stores(lost(1), page_cap=50)
    for number in range(120):
        store.add({"name": f"Old {number}", "categoryId": 1, "status": "available"})
    result = run_load(pets_csv(1), store)
    done = settle(result, store)
    assert (done.absent, done.unknown) == (0, 1)
    assert any("nothing proves that it has no more" in note for note in done.notes)


def test_an_older_twin_is_not_claimed(pets_csv, stores, run_load, settle) -> None:
    """A pet that was there before the import is none of its records."""
    store = stores(never(12))
    store.add({"name": "Pet 11", "categoryId": 5, "status": ""})
    twin = store.add({"name": "Pet 11", "categoryId": 5})
    result = run_load(pets_csv(30), store, workers=1)
    done = settle(result, store)
    assert (done.created, done.absent) == (0, 1)
    assert twin not in set(result.frame["pet_id"].dropna())


def test_a_twin_of_unknown_age_is_left_to_a_person(pets_csv, stores, run_load, settle) -> None:
    """Where the store was not read before the import, a single equal pet is named, not claimed."""
    store = stores(never(1))
    store.add({"name": "Pet 0", "categoryId": 1, "status": "available"})
    store.add({"name": "Other", "categoryId": 1, "status": "sold"})
    result = run_load(pets_csv(1), store, check_store=False)
    done = settle(result, store)
    assert (done.created, done.absent, done.unknown) == (0, 0, 1)
    assert done.candidates == {1: (1,)}


def test_without_a_sole_writer_candidates_are_listed(pets_csv, stores, run_load, settle) -> None:
    """Where others may add pets too, an equal pet is a candidate, for a person to look at."""
    store = stores(lost(5))
    result = run_load(pets_csv(20), store, workers=1)
    done = settle(result, store, sole_writer=False)
    assert (done.created, done.unknown, done.candidates) == (0, 1, {5: (5,)})
    assert "record 5 may be pet 5" in str(result)
    result.resolve(5, pet_id=5)
    check_promises(result, store)


def test_a_pet_that_another_import_may_have_made_is_not_claimed(
    pets_csv, stores, run_load, settle
) -> None:
    """Two equal records in doubt in two imports, and one pet: there is more than one way."""
    store = stores(lambda n: "fin_after" if n == 15 else "fin_before" if n == 45 else None)
    first = run_load(pets_csv(30), store, workers=1)
    second = run_load(pets_csv(30), store, workers=1, again=True)
    run_load(pets_csv(5, name="more.csv", first=500), store)
    done = settle(first, store)
    assert (done.created, done.unknown, done.candidates) == (0, 1, {15: (15,)})
    assert second.counts[State.UNKNOWN] == 1
