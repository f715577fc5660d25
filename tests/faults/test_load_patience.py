"""How long an import waits where the store asks it to, and what it says when it waits no more."""

from __future__ import annotations

import pytest

from faults.flaky_store import FlakyStore
from faults.load_harness import FakeTime, check_promises
from petstore_frame.loader.record import Ending, State


def test_maintenance_costs_no_more_doubt_than_was_on_its_way(pets_csv, stores, run_load) -> None:
    """A 503 with a Retry-After is doubt for its record, and patience for all others."""
    fake = FakeTime()
    store: FlakyStore = stores(retry_after_s=60)
    began: list[float] = []

    def fault(number: int) -> str | None:
        if number == 20:
            began.append(fake.now)
        return "503_before" if began and fake.now < began[0] + 60 else None

    store.fault_of = fault
    result = run_load(pets_csv(200), store, timing=fake.timing())
    assert result.facts.run.ending is Ending.DONE
    assert 0 < result.counts[State.UNKNOWN] <= 8 and result.counts[State.PENDING] == 0
    check_promises(result, store)


@pytest.mark.parametrize("answer", ["429", "503_before"])
def test_a_store_that_asks_for_a_minute_at_once_gets_it(
    pets_csv, stores, run_load, answer: str
) -> None:
    """A Retry-After of the very first answer is waited for, and then the import goes on."""
    fake = FakeTime()
    store = stores(lambda number: answer if number == 1 else None, retry_after_s=60)
    result = run_load(pets_csv(5), store, timing=fake.timing())
    assert result.facts.run.ending is Ending.DONE and fake.now >= 1060
    assert result.counts[State.CREATED] == (5 if answer == "429" else 4)


@pytest.mark.parametrize("answer", ["429", "503_before"])
def test_a_wait_that_is_too_long_is_stated_as_the_stores_wish(
    pets_csv, stores, run_load, answer: str
) -> None:
    """A store that asks for a day ends the import at once, in words that say so."""
    fake = FakeTime()
    store = stores(lambda number: answer if number > 2 else None, retry_after_s=86_400)
    result = run_load(pets_csv(9), store, timing=fake.timing())
    assert result.facts.run.ending is Ending.OUTAGE and fake.now < 1060
    assert "asks to wait 86400 s, and an import waits 900 s at most" in str(result)
