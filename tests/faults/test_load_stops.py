"""Outages, refusals and interrupts: an import stops at the right moment and goes on later."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from faults.flaky_store import FlakyStore
from faults.load_harness import FakeTime, check_promises
from petstore_frame.errors import JournalError, JournalLockedError, LoadInterrupted
from petstore_frame.loader.journal.database import holding
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.sending.pool import Done, Inbox


def test_an_outage_of_five_minutes_costs_a_window_of_doubt_at_most(
    pets_csv, stores, run_load
) -> None:
    """The import waits for the store, asks with a GET, and finishes when it is back."""
    fake = FakeTime()
    store: FlakyStore = stores()
    began: list[float] = []

    def fault(number: int) -> str | None:
        if number == 40:
            store.is_up = False
            began.append(fake.now)
        return None if store.is_up else "reset_before"

    store.fault_of = fault
    wait = fake.wait

    def wait_and_fix(inbox: Inbox, timeout_s: float | None) -> Done | None:
        if began and fake.now > began[0] + 300:
            store.is_up = True
        return wait(inbox, timeout_s)

    fake.wait = wait_and_fix
    result = run_load(pets_csv(80), store, timing=fake.timing(), sleep=lambda s: None)
    assert result.facts.run.ending is Ending.DONE
    assert fake.now - began[0] > 300
    assert result.counts[State.UNKNOWN] <= 16
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 80
    check_promises(result, store)


def test_an_outage_that_does_not_end_ends_the_session(pets_csv, stores, run_load) -> None:
    """After the patience is over the rest is pending, and the same import goes on later."""
    fake = FakeTime()
    store: FlakyStore = stores()

    def fault(number: int) -> str | None:
        store.is_up = store.is_up and number < 10
        return None if store.is_up else "fin_before"

    store.fault_of = fault
    result = run_load(pets_csv(60), store, timing=fake.timing(), sleep=lambda s: None)
    assert result.facts.run.ending is Ending.OUTAGE
    assert result.exit_code == 5 and result.counts[State.PENDING] > 40
    store.is_up, store.fault_of = True, lambda number: None
    again = run_load(pets_csv(60), store)
    assert again.counts[State.PENDING] == 0
    check_promises(again, store)


def test_a_store_that_was_never_there_is_told_soon(pets_csv, stores, run_load) -> None:
    """Where no request ever arrived the session ends within seconds, and nothing is in doubt."""
    store = stores()
    store.close()
    fake = FakeTime()
    result = run_load(pets_csv(5), store, timing=fake.timing(), sleep=lambda s: None)
    assert result.facts.run.ending is Ending.OUTAGE and fake.now < 1060
    assert result.counts[State.PENDING] == 5
    assert "connection refused" in str(result) and "may have been" not in str(result)


def test_posts_that_never_succeed_are_given_up(pets_csv, stores, run_load) -> None:
    """A store that answers GET and fails each POST costs a few records of doubt, not all."""
    fake = FakeTime()
    store = stores(lambda number: "500_before")
    result = run_load(pets_csv(200), store, timing=fake.timing(), sleep=lambda s: None)
    assert result.facts.run.ending is Ending.OUTAGE
    assert result.counts[State.UNKNOWN] == store.posts <= 16


def test_a_key_that_dies_in_the_middle_stops_everything(pets_csv, stores, run_load) -> None:
    """401 in the middle of an import leaves the rest pending; a new key goes on."""
    store = stores(lambda number: "401" if number > 30 else None)
    result = run_load(pets_csv(300), store)
    assert (result.facts.run.ending, result.exit_code) == (Ending.STOPPED, 5)
    assert "401" in result.facts.run.ending_detail and store.posts < 60
    store.fault_of = lambda number: None
    again = run_load(pets_csv(300), store)
    assert again.counts[State.CREATED] == len(store.pets) == 300


def test_too_many_errors_stop_the_import(pets_csv, stores, run_load) -> None:
    """Above max_errors nothing more is sent, and the rest is pending."""
    store = stores(lambda number: "400" if number > 10 else None)
    result = run_load(pets_csv(300), store, max_errors=5)
    assert (result.facts.run.ending, result.exit_code) == (Ending.BUDGET, 4)
    assert 5 < result.counts[State.REJECTED] < 30 and result.counts[State.PENDING] > 200


def test_a_slow_store_is_asked_for_less_at_once(pets_csv, stores, run_load) -> None:
    """The window grows to its limit while all is well, and 429 halves it."""
    store = stores(latency_s=0.03)
    run_load(pets_csv(400), store, workers=16)
    assert store.most_at_once == 16
    busy = stores(lambda number: "429" if number % 3 == 0 else None, latency_s=0.01)
    result = run_load(pets_csv(60), busy)
    assert result.counts[State.CREATED] == 60 and busy.most_at_once <= 8


def test_the_first_interrupt_waits_for_what_is_on_its_way(pets_csv, stores, run_load) -> None:
    """Ctrl-C stops new requests and awaits the others; no record is in doubt and no thread left."""
    before = signal.getsignal(signal.SIGINT)
    store = stores(latency_s=0.05)
    store.on_post = lambda number, stage: (
        os.kill(os.getpid(), signal.SIGINT) if (number, stage) == (20, "body") else None
    )
    with pytest.raises(LoadInterrupted) as caught:
        run_load(pets_csv(100), store)
    result = caught.value.result
    assert (result.facts.run.ending, result.exit_code) == (Ending.INTERRUPTED, 130)
    assert result.counts[State.UNKNOWN] == 0 and result.counts[State.CREATED] == store.posts
    assert not [t for t in threading.enumerate() if t.name == "pet-loader"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_import_interrupted_at_its_last_record_is_done_the_next_time(
    pets_csv, stores, run_load
) -> None:
    """Where nothing is left to send, no later call is interrupted by an earlier Ctrl-C."""
    store = stores(latency_s=0.05)
    store.on_post = lambda number, stage: (
        os.kill(os.getpid(), signal.SIGINT) if (number, stage) == (3, "body") else None
    )
    with pytest.raises(LoadInterrupted):
        run_load(pets_csv(3), store, workers=1)
    again = run_load(pets_csv(3), store)
    assert (again.facts.run.ending, again.exit_code) == (Ending.DONE, 0)
    assert store.posts == 3


def test_an_import_stopped_at_its_last_record_is_done_once_that_is_settled(
    pets_csv, stores, run_load
) -> None:
    """A person's word on the last record in doubt ends the import."""
    store = stores(lambda number: "redirect" if number == 3 else None)
    stopped = run_load(pets_csv(3), store, workers=1)
    assert stopped.exit_code == 5
    stopped.resolve(3, pet_id=77)
    again = run_load(pets_csv(3), store)
    assert (again.facts.run.ending, again.exit_code) == (Ending.DONE, 0)


def test_the_second_interrupt_does_not_wait(pets_csv, stores, run_load) -> None:
    """Ctrl-C again leaves at once; what was on its way is in doubt."""
    is_over = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: None)  # for one that comes late
    store = stores(lambda number: "stall_after" if number > 20 else None, stall_s=60)

    def interrupt(number: int, stage: str) -> None:
        if (number, stage) == (22, "applied"):
            # Until it is noted: a signal just before a thread begins to wait does not wake it.
            while not is_over.wait(0.2):
                os.kill(os.getpid(), signal.SIGINT)

    store.on_post = interrupt
    began = time.monotonic()
    try:
        with pytest.raises(LoadInterrupted) as caught:
            run_load(pets_csv(100), store, timeout_s=60.0)
    finally:
        is_over.set()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 40
    result = caught.value.result
    assert 0 < result.counts[State.UNKNOWN] <= 16
    check_promises(result, store)


def test_a_progress_function_that_fails_leaves_no_doubt(pets_csv, stores, run_load) -> None:
    """A mistake of the caller's is raised once all answers are in; the import goes on later."""
    store = stores(latency_s=0.01)

    def told(counts) -> None:
        if counts[State.CREATED] > 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_load(pets_csv(200), store, progress=told)
    result = run_load(pets_csv(200), store)
    assert (result.counts[State.CREATED], store.posts) == (200, 200)
    assert result.counts[State.UNKNOWN] == 0


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """A journal folder that is none is a journal error, not a lock, and nothing is sent."""
    (tmp_path / "file").touch()
    store = stores()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(JournalError, match="nothing was sent"):
            run_load(pets_csv(3), store, journal=folder)
    assert store.posts == 0


def test_a_held_journal_is_refused(tmp_path: Path) -> None:
    """A lock is held against other threads too, and free once it is let go."""
    with holding(tmp_path / "x"):
        with pytest.raises(JournalLockedError), holding(tmp_path / "x", wait_s=0):
            pass
    with holding(tmp_path / "x", wait_s=0):
        pass
