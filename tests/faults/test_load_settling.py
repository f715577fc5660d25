"""What settling a record in doubt waits for, what it claims, and what it leaves to a person."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from faults.flaky_store import KEY
from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.record import State
from petstore_frame.loader.timing import Timing

DAY_S = 24 * 3600.0


def lost(*numbers: int) -> Callable[[int], str | None]:
    return lambda number: "fin_after" if number in numbers else None


def test_a_clock_that_was_ahead_is_not_waited_for(pets_csv, stores, run_load) -> None:
    """Reading back waits no longer than for a request sent now, whatever the times on disk."""
    store = stores(lost(5))
    ahead = Timing(now=lambda: time.time() + DAY_S)
    result = run_load(pets_csv(20), store, timing=ahead)
    waits: list[float] = []
    with Client(store.base_url, KEY) as client:
        result.reconcile(client, grace_s=60.0, sleep=waits.append)
    assert waits == [65.0]
    assert len(store.pets) == 20


def test_a_pet_of_another_import_is_not_given_away(pets_csv, stores, run_load) -> None:
    """resolve refuses a pet that any import into the store has confirmed as its own."""
    store = stores(lost(6))
    earlier = run_load(pets_csv(3, name="earlier.csv", first=100), store, workers=1)
    result = run_load(pets_csv(8), store, workers=1)
    theirs = int(earlier.frame["pet_id"][1])
    with pytest.raises(ArgumentError, match=r"is record 2's in the import of earlier\.csv"):
        result.resolve(3, pet_id=theirs)
    assert result.counts[State.UNKNOWN] == 1
