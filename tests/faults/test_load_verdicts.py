"""Each way in which a POST can fail, and what becomes of the record."""

from __future__ import annotations

import pytest

from faults.flaky_store import CUT_201, DOUBTFUL, HARMLESS
from faults.load_harness import check_promises
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.loader.record import Ending, State

KEYS = IdempotencyKey(3600)


def load_with(pets_csv, stores, run_load, fault: str, *, rows: int = 8, **options):
    """Load a file, the third POST of which fails; return the result and the store."""
    store = stores({3: fault}.get, stall_s=2, honours_keys="idempotency" in options)
    # Few seconds only where no answer will come.
    timeout_s = 0.5 if "stall" in fault else 10.0
    result = run_load(pets_csv(rows), store, timeout_s=timeout_s, **options)
    check_promises(result, store)
    return result, store


@pytest.mark.parametrize("fault", DOUBTFUL)
def test_a_lost_answer_is_unknown_and_never_sent_again(
    fault: str, pets_csv, stores, run_load
) -> None:
    """Without a key, a request without a usable answer is made once and its record is unknown."""
    result, store = load_with(pets_csv, stores, run_load, fault)
    assert (result.counts[State.UNKNOWN], result.counts[State.CREATED]) == (1, 7)
    assert store.posts == 8


@pytest.mark.parametrize("fault", DOUBTFUL)
def test_a_known_key_settles_a_lost_answer(fault: str, pets_csv, stores, run_load) -> None:
    """Under a key that the store honours, the same request again settles the record."""
    result, store = load_with(pets_csv, stores, run_load, fault, idempotency=KEYS)
    assert result.counts[State.CREATED] == len(store.pets) == 8
    assert max(store.keys_seen.values()) == 2


@pytest.mark.parametrize("fault", CUT_201)
def test_a_201_without_its_body_is_created(fault: str, pets_csv, stores, run_load) -> None:
    """A 201 whose body is lost proves the pet, not its id; the record is never sent again."""
    result, store = load_with(pets_csv, stores, run_load, fault)
    assert result.counts[State.CREATED] == store.posts == 8
    assert result.created["pet_id"].isna().sum() == 1


@pytest.mark.parametrize("fault", HARMLESS)
def test_a_refusal_to_listen_is_tried_again(fault: str, pets_csv, stores, run_load) -> None:
    """After 408, 425 and 429 the record is pending again and is sent once more."""
    result, store = load_with(pets_csv, stores, run_load, fault)
    assert result.counts[State.CREATED] == len(store.pets) == 8
    assert store.posts == 9


@pytest.mark.parametrize("fault", ["400", "409", "413", "422"])
def test_a_refusal_of_the_record_is_rejected(fault: str, pets_csv, stores, run_load) -> None:
    """An Error about the record is final for it and for no other."""
    result, _ = load_with(pets_csv, stores, run_load, fault)
    assert (result.counts[State.REJECTED], result.counts[State.CREATED]) == (1, 7)
    assert [row.error_code for row in result.rows(State.REJECTED)] == ["made_up"]


def test_a_refusal_of_a_repeat_leaves_the_first_attempt_in_doubt(
    pets_csv, stores, run_load
) -> None:
    """A store may have kept what was sent first, so its later refusal makes nothing to fix."""
    store = stores({3: "fin_after", 9: "400"}.get, honours_keys=True)
    result = run_load(pets_csv(8), store, idempotency=KEYS)
    assert (result.counts[State.UNKNOWN], result.counts[State.REJECTED]) == (1, 0)
    assert (store.posts, len(store.pets)) == (9, 8)
    assert [row.error_code for row in result.rows(State.UNKNOWN)] == ["made_up"]


@pytest.mark.parametrize("fault", ["401", "403", "404", "405", "410", "415", "html_404"])
def test_what_concerns_every_record_stops_the_import(
    fault: str, pets_csv, stores, run_load
) -> None:
    """A refusal of the key, the address or the form leaves the rest pending, and can go on."""
    result, store = load_with(pets_csv, stores, run_load, fault, rows=20, workers=1)
    assert result.facts.run.ending is Ending.STOPPED
    assert (result.counts[State.CREATED], result.counts[State.PENDING]) == (2, 18)
    again = run_load(pets_csv(20), store)
    assert (again.counts[State.CREATED], store.posts) == (20, 21)
    check_promises(again, store)


def test_a_redirect_is_not_followed(pets_csv, stores, run_load) -> None:
    """A redirected POST is in doubt, and the import stops."""
    result, store = load_with(pets_csv, stores, run_load, "redirect", rows=20, workers=1)
    assert result.facts.run.ending is Ending.STOPPED
    assert (result.counts[State.UNKNOWN], store.posts) == (1, 3)


def test_a_record_that_the_store_returns_changed_is_created_with_a_note(
    pets_csv, stores, run_load
) -> None:
    """The first pet is compared with what was sent; one that changed ends the import after it."""
    store = stores()
    add = store._add
    store._add = lambda pet: add({**pet, "name": pet["name"].upper()})
    result = run_load(pets_csv(20), store)
    assert (result.facts.run.ending, store.posts) == (Ending.STOPPED, 1)
    (row,) = result.rows(State.CREATED)
    assert row.notes == ("the store returned name 'PET 0'",)
