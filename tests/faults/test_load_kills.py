"""SIGKILL at each step of an import, and what the same command makes of it afterwards."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from faults.load_harness import check_promises, result_in, start_child
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.loader.record import State

WINDOW = 8


@pytest.mark.sampled(3)
@pytest.mark.parametrize("with_keys", [False, True], ids=["no_keys", "keys"])
@pytest.mark.parametrize("stage", ["headers", "body", "applied", "answered"])
def test_killed_on_the_wire(
    stage: str, with_keys: bool, tmp_path: Path, pets_csv, stores, run_load
) -> None:
    """A process that dies in the middle of a request leaves its window in doubt, and no more."""
    store = stores(honours_keys=True, latency_s=0.002)
    path = pets_csv(60, copies=2)

    def kill(number: int, at: str) -> None:
        if (number, at) == (20, stage):
            os.kill(child.pid, signal.SIGKILL)
            time.sleep(0.05)

    store.on_post = kill
    child = start_child(tmp_path, path, store, lifetime_s=3600 if with_keys else None)
    assert child.wait(60) == -signal.SIGKILL
    store.on_post = lambda number, at: None
    result = run_load(path, store, idempotency=IdempotencyKey(3600) if with_keys else None)
    check_promises(result, store)
    assert result.counts[State.UNKNOWN] <= (0 if with_keys else WINDOW)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 60


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", ["commit", "committed"])
@pytest.mark.parametrize("nth", [1, 2, 9])
def test_killed_beside_a_commit(step: str, nth: int, pets_csv, stores, run_load, run_child) -> None:
    """Before a commit nothing of it was sent; after it all of it may have been."""
    store = stores()
    path = pets_csv(40)
    code, _ = run_child(path, store, step=step, nth=nth)
    assert code == -signal.SIGKILL
    result = run_load(path, store)
    check_promises(result, store)
    assert result.counts[State.CREATED] + result.counts[State.UNKNOWN] == 40


def test_killed_while_staging(tmp_path: Path, pets_csv, stores, run_load) -> None:
    """A half-staged import is nothing: the same command begins anew and sends each record once."""
    store = stores()
    path = pets_csv(400_000)
    child = start_child(tmp_path, path, store)
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("journal/*.sqlite3")) and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(0.3)
    child.kill()
    child.wait(10)
    assert store.posts == 0
    result = run_load(pets_csv(12), store)
    assert result.counts[State.CREATED] == store.posts == 12


def test_a_second_importer_is_refused_until_the_first_is_dead(
    tmp_path: Path, pets_csv, stores, run_child
) -> None:
    """Two processes cannot work on one import; the death of the first frees it at once."""
    store = stores(latency_s=0.2)
    path = pets_csv(60)
    started = []
    store.on_post = lambda number, stage: started.append(number)
    child = start_child(tmp_path, path, store, workers=1)
    deadline = time.monotonic() + 30
    while not started and time.monotonic() < deadline:
        time.sleep(0.01)
    code, _ = run_child(path, store)
    assert code == 1
    child.kill()
    child.wait(10)
    store._latency_s = 0.0
    code, told = run_child(path, store)
    assert (code, told["ending"]) == (0, "done")
    check_promises(result_in(tmp_path), store)
