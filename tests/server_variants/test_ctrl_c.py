"""Ctrl-C at any moment keeps what was read, and the next fetch is as good as the first."""

from __future__ import annotations

import random
import signal
import time

import pytest

import petstore_frame as pf
from server_variants.answers import pets
from server_variants.habits import Habits
from server_variants.stores import ZooStore

COUNT, TRIES = 1_500, 40


# Python drops an interrupt that it happens to deliver inside a weak reference's callback.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("pressed")
@pytest.mark.parametrize("habits", [Habits("link cursor"), Habits(parameters=frozenset({"skip"}))])
def test_ctrl_c_at_any_moment_keeps_what_was_read(
    habits: Habits, draw: random.Random, times: int
) -> None:
    """Wherever the interrupt falls, each pet read is there once, and none is called the last."""
    presses = 0
    with ZooStore(pets(COUNT), habits).client() as client:
        pf.fetch_inventory(client, progress=False)  # the first one takes longer
        begun = time.perf_counter()
        pf.fetch_inventory(client, progress=False)
        whole_s = time.perf_counter() - begun
        for _ in range(TRIES * times):
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.0002, whole_s))
                inventory = pf.fetch_inventory(client, progress=False)
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert inventory.completeness.covers_all
            except KeyboardInterrupt as interrupt:
                partial = pf.errors.partial_of(interrupt)
                if partial is None:  # before there was a pet to keep, or when all were read
                    continue
                inventory, presses = partial, presses + 1
                assert inventory.completeness.verdict == "incomplete"
            assert inventory.frame["id"].is_unique and set(inventory.frame["id"]) <= {
                *range(COUNT + 1)
            }
        assert len(pf.fetch_inventory(client, progress=False)) == COUNT
    assert presses > 0
