"""What settling a record in doubt waits for, what it claims, and what it leaves to a person."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from faults.flaky_store import KEY
from petstore_frame.client import Client
from petstore_frame.loader.record import State
from petstore_frame.loader.sending import pool as waiting
from petstore_frame.loader.sending.pool import SessionClocks
from petstore_frame.loader.settling.reconcile import reconcile
from petstore_frame.schema.models import Pet

DAY_S = 24 * 3600.0


def lost(*numbers: int) -> Callable[[int], str | None]:
    return lambda number: "fin_after" if number in numbers else None


def test_a_clock_that_was_ahead_is_not_waited_for(pets_csv, stores, run_load) -> None:
    """Reading back waits no longer than for a request sent now, whatever the times on disk."""
    store = stores(lost(5))
    ahead = SessionClocks(now=lambda: time.time() + DAY_S)
    result = run_load(pets_csv(20), store, timing=ahead)
    waits: list[float] = []
    with Client(store.base_url, KEY) as client:
        reconcile(result.path, result.import_id, client, grace_s=60.0, sleep=waits.append)
    assert waits == [65.0]
    assert len(store.pets) == 20


def test_two_imports_in_doubt_are_not_strangers_to_each_other(pets_csv, stores, run_load) -> None:
    """The last record of one import and the first of the next, both in doubt, are both found."""
    store = stores(lost(20, 21))
    first = run_load(pets_csv(20), store, workers=1)
    second = run_load(pets_csv(20, name="later.csv", first=500), store, workers=1)
    run_load(pets_csv(1, name="last.csv", first=900), store)
    with Client(store.base_url, KEY) as client:
        done = [each.reconcile(client, grace_s=0.0, sole_writer=True) for each in (first, second)]
    assert [each.created for each in done] == [1, 1]
    assert first.counts[State.CREATED] + second.counts[State.CREATED] == 40


def test_a_wait_is_announced_to_whoever_watches(
    pets_csv, stores, run_load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """reconcile says until when it waits, and why, where somebody would take it for a hang."""
    waits: list[float] = []
    monkeypatch.setattr(waiting, "time", SimpleNamespace(sleep=waits.append))
    store = stores(lost(3))
    result = run_load(pets_csv(5), store)
    for is_watched in (False, True):
        monkeypatch.setattr(waiting, "is_watched", lambda answer=is_watched: answer)
        with Client(store.base_url, KEY, max_retries=0) as client:
            result.reconcile(client, grace_s=60.0)
        assert ("waiting until" in capsys.readouterr().err) is is_watched
    assert [50 < wait <= 65 for wait in waits] == [True, True]


def test_doubt_of_an_earlier_import_is_settled_from_a_later_one(pets_csv, stores, run_load) -> None:
    """A record skipped for one in doubt is settled where that is, and is then no doubt here."""
    store = stores(lost(3))
    run_load(pets_csv(12), store, workers=1)
    later = run_load(pets_csv(15), store, workers=1, duplicates="skip")
    assert (later.in_doubt, later.exit_code) == (1, 3)
    with Client(store.base_url, KEY) as client:
        later.reconcile(client, grace_s=0.0, sole_writer=True)
    assert (later.in_doubt, later.exit_code, len(store.pets)) == (0, 0, 15)


def test_ids_are_asked_side_by_side(pets_csv, stores, run_load) -> None:
    """A search of many ids has several requests on their way, and finds what one by one finds."""
    store = stores(lost(200, 230), latency_s=0.001)
    result = run_load(pets_csv(400), store)
    at_once, both = [0, 0], threading.Event()

    class Watched(Client):
        def get_pet(self, pet_id: int) -> Pet:
            at_once[0] += 1
            if at_once[0] > 1:
                both.set()
            both.wait(5)
            try:
                return super().get_pet(pet_id)
            finally:
                at_once[0] -= 1

    with Watched(store.base_url, KEY, max_retries=0) as client:
        done = result.reconcile(client, grace_s=0.0, sole_writer=True)
    assert both.is_set() and (done.created, done.unknown) == (2, 0)


def test_a_search_that_fails_says_so_once(pets_csv, stores, run_load) -> None:
    """After an operation's end nothing is asked further, and nothing is claimed absent."""
    store = stores(lambda n: "fin_before" if n == 200 else None, has_get_pet=False)
    result = run_load(pets_csv(400), store)
    with Client(store.base_url, KEY, max_retries=0) as client:
        done = result.reconcile(client, grace_s=0.0, most_gets=4)
    assert (done.absent, done.unknown) == (0, 1)
    assert sum("the search by id" in note for note in done.notes) == 1
