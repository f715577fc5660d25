"""Outages, waits, refusals and interrupts: an import stops in time, and goes on later."""

from __future__ import annotations

import logging
import os
import signal
import threading
from functools import partial

import pytest

import petstore_frame as pf
from faults.flaky_store import FlakyStore
from faults.load_harness import FakeTime, check_promises
from petstore_frame.errors import APIConnectionError
from petstore_frame.loader import view_of
from petstore_frame.loader.load_options import MOST_WORKERS
from petstore_frame.loader.row_state import Ending, State


@pytest.fixture
def fake() -> FakeTime:
    return FakeTime()


@pytest.fixture
def wait_for_it(run_load, fake: FakeTime):
    """Load a file in a time that passes only while the importer waits."""
    return partial(run_load, timing=fake.timing())


def test_an_outage_of_five_minutes_costs_a_window_of_doubt_at_most(
    stores, wait_for_it, fake: FakeTime
) -> None:
    """The import waits for the store, asks with a GET, and finishes when it is back."""
    store: FlakyStore = stores(lambda number: None if is_well(number) else "reset_before")
    began: list[float] = []

    def is_well(number: int) -> bool:
        if number == 40:
            began.append(fake.now)
        store.is_up = not began or fake.now > began[0] + 300
        return store.is_up

    fake.on_wait = lambda: is_well(0)
    result = wait_for_it(80, store)
    assert view_of(result).facts.run.ending is Ending.DONE and fake.now - began[0] > 300
    assert result.counts[State.UNCONFIRMED] <= MOST_WORKERS
    assert result.counts[State.CREATED] + result.counts[State.UNCONFIRMED] == 80
    check_promises(result, store)


def test_an_outage_that_does_not_end_ends_the_session(stores, run_load, wait_for_it) -> None:
    """The rest is pending, and goes on later; one that is down at first gets nothing."""
    store: FlakyStore = stores()

    def fault(number: int) -> str | None:
        store.is_up = store.is_up and number < 10
        return None if store.is_up else "fin_before"

    store.fault_of = fault
    result = wait_for_it(60, store)
    assert view_of(result).facts.run.ending is Ending.OUTAGE
    assert result.exit_code == 5 and result.counts[State.PENDING] >= 40
    store.is_up, store.fault_of = True, lambda number: None
    again = run_load(60, store)
    assert again.counts[State.PENDING] == 0
    check_promises(again, store)
    store.close()
    with pytest.raises(
        APIConnectionError, match="check the address and that the store is up"
    ) as down:
        run_load(61, store)
    assert "check_store" not in str(down.value)  # the load would fail in the same way


def test_posts_that_never_succeed_are_given_up(stores, wait_for_it) -> None:
    """A store that answers GET and fails each POST costs a few records of doubt, not all."""
    store = stores(lambda number: "500_before")
    result = wait_for_it(200, store)
    assert view_of(result).facts.run.ending is Ending.OUTAGE
    assert result.counts[State.UNCONFIRMED] == store.posts <= 16
    assert "answers GET, but repeatedly no POST" in str(result)


@pytest.mark.parametrize("answer", ["429", "503_before"])
def test_a_wait_is_kept_to_and_one_too_long_is_the_stores_wish(
    stores, wait_for_it, fake: FakeTime, answer: str
) -> None:
    """A minute is waited for, after the very first answer too; a day ends the import at once."""
    store = stores({1: answer}.get, retry_after_s=60)
    result = wait_for_it(100, store)  # more than are in flight when the answer comes
    assert view_of(result).facts.run.ending is Ending.DONE and 1060 <= fake.now < 1120
    assert result.counts[State.CREATED] == (100 if answer == "429" else 99)
    store = stores(lambda number: answer if number > 2 else None, retry_after_s=86_400)
    result = wait_for_it(9, store, name="other.csv")
    assert view_of(result).facts.run.ending is Ending.OUTAGE and fake.now < 1180
    assert "asks to wait 86400 s, but an import waits at most 900 s" in str(result)


def test_more_are_sent_at_once_while_all_is_well(stores, run_load) -> None:
    """After thirty good answers a store that takes 20 ms gets sixteen requests at once."""
    together, store = threading.Barrier(16), stores(latency_s=0.02)
    store.on_post = lambda number, step: step == "body" and 30 < number <= 46 and together.wait(20)
    assert run_load(60, store).counts[State.CREATED] == 60


def test_an_import_is_done_once_its_last_record_is_settled(load_with, run_load) -> None:
    """A person's word on the last unconfirmed row ends an import that was stopped there."""
    stopped, store = load_with(3, {3: "redirect"}, workers=1)
    assert stopped.exit_code == 5
    with pytest.warns(UserWarning, match="no reading .* pet 77"):
        stopped.resolve({4: 77})
    again = run_load(3, store)
    assert (view_of(again).facts.run.ending, again.exit_code) == (Ending.DONE, 0)


def test_a_progress_function_that_fails_leaves_no_doubt(stores, run_load) -> None:
    """A mistake of the caller's is raised once all answers are in; the import goes on later."""
    store = stores(latency_s=0.01)

    def told(counts) -> None:
        if counts[State.CREATED] > 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_load(100, store, progress=told)
    result = run_load(100, store)
    assert (result.counts[State.CREATED], store.posts) == (100, 100)
    assert result.counts[State.UNCONFIRMED] == 0


@pytest.mark.parametrize(("rows", "at", "workers"), [(100, 20, 8), (3, 3, 1)])
def test_the_first_interrupt_waits_for_what_is_on_its_way(
    stores, run_load, rows: int, at: int, workers: int
) -> None:
    """Ctrl-C stops new requests and awaits the others; the next call goes on, and is done."""
    before = signal.getsignal(signal.SIGINT)
    store = stores(latency_s=0.05)
    store.on_post = lambda *now: now == (at, "body") and os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught:
        run_load(rows, store, workers=workers)
    result = caught.value.result
    assert type(caught.value) is KeyboardInterrupt  # Python ends a script with 130 for no subclass
    assert (view_of(result).facts.run.ending, result.exit_code) == (Ending.INTERRUPTED, 130)
    assert result.counts[State.UNCONFIRMED] == 0 and result.counts[State.CREATED] == store.posts
    assert not [t for t in threading.enumerate() if t.name == "pet-loader"]
    assert signal.getsignal(signal.SIGINT) is before
    again = run_load(rows, store)
    assert (view_of(again).facts.run.ending, again.exit_code, store.posts) == (Ending.DONE, 0, rows)


def test_an_interrupt_after_the_last_request_has_the_result(stores, run_load, caplog) -> None:
    """Ctrl-C while the result is summarized does not hide what was sent."""
    store = stores()

    class Interrupt(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno == logging.INFO and store.posts == 5:
                raise KeyboardInterrupt

    handler = Interrupt()
    log = logging.getLogger("petstore_frame.loader")
    log.addHandler(handler)
    try:
        with caplog.at_level(logging.INFO, log.name), pytest.raises(KeyboardInterrupt) as caught:
            run_load(5, store)
    finally:
        log.removeHandler(handler)
    assert caught.value.result.counts[State.CREATED] == 5


def test_the_second_interrupt_does_not_wait(stores, run_load) -> None:
    """Ctrl-C again leaves at once; what was on its way is unconfirmed."""
    is_over = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: None)  # for one that comes late
    store = stores(lambda number: "stall_after" if number > 20 else None, stall_s=600)

    def interrupt(number: int, stage: str) -> None:
        if (number, stage) == (22, "applied"):
            # Until it is noted: a signal just before a thread begins to wait does not wake it.
            while not is_over.wait(0.2):
                os.kill(os.getpid(), signal.SIGINT)

    store.on_post = interrupt
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            run_load(100, store, timeout=600.0)  # longer than a test may take
    finally:
        is_over.set()
        signal.signal(signal.SIGINT, before)
    result = caught.value.result
    assert 0 < result.counts[State.UNCONFIRMED] <= MOST_WORKERS
    check_promises(result, store)


def test_max_rows_is_a_trial(stores, run_load) -> None:
    """At most that many rows are sent; the same call without it sends the rest, none twice."""
    store = stores()
    trial = run_load(50, store, max_rows=20)
    assert (store.posts, trial.counts[State.CREATED], trial.exit_code) == (20, 20, 1)
    assert trial.counts[State.PENDING] == 30
    rest = run_load(50, store)
    assert (store.posts, rest.counts[State.CREATED], rest.exit_code) == (50, 50, 0)
    check_promises(rest, store)


def test_max_rows_counts_pets_and_not_requests(stores, run_load) -> None:
    """A row that the store asked to send later does not use up the trial."""
    store = stores({3: "429"}.get)
    trial = run_load(20, store, max_rows=10, workers=1)
    assert (trial.counts[State.CREATED], store.posts) == (10, 11)


@pytest.mark.parametrize("problem", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_a_client_that_exits_ends_the_load_like_an_interrupt(
    stores, run_load, monkeypatch, problem: type[BaseException]
) -> None:
    """The load ends; the row of that request is unconfirmed, and the rest is sent later."""
    store, post = stores(), pf.Client.post_pet

    def fail_once(client: pf.Client, *args, **options):
        response = post(client, *args, **options)
        if store.posts == 4:
            raise problem
        return response

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as caught:
        patch.setattr(pf.Client, "post_pet", fail_once)
        run_load(30, store, workers=1)
    result = caught.value.result
    assert (result.counts[State.UNCONFIRMED], store.posts, result.exit_code) == (1, 4, 130)
    again = run_load(30, store)
    assert (again.counts[State.CREATED], store.posts) == (29, 30)
    check_promises(again, store)


def test_a_thread_waits_until_its_odd_response_was_judged(stores, run_load) -> None:
    """Of sixteen requests that are refused, none is followed by another one of its thread."""
    store = stores(lambda number: "401" if number > 100 else None, latency_s=0.02)
    result = run_load(400, store)
    assert view_of(result).facts.run.ending is Ending.STOPPED
    assert store.posts <= 100 + 16
    assert result.counts[State.UNCONFIRMED] == 0
    assert result.counts[State.CREATED] + result.counts[State.PENDING] == 400
