"""Ctrl-C at any moment loses no pet of a fetch that goes on afterwards, and no verdict is false."""

from __future__ import annotations

import random
import signal
import time

import pytest

import petstore_frame as pf
from zoo.answers import pets
from zoo.habits import Habits
from zoo.stores import ZooStore

COUNT, TRIES = 1_500, 40


def read_through(client: pf.Client, within_s: float) -> tuple[pf.Inventory, int]:
    """Fetch, pressing Ctrl-C once, and go on as the error says."""
    presses, go_on = 0, lambda: pf.fetch_inventory(client, progress=False)
    while True:
        try:
            if not presses:
                signal.setitimer(signal.ITIMER_REAL, within_s)
            inventory = go_on()
            signal.setitimer(signal.ITIMER_REAL, 0)
            return inventory, presses
        except pf.FetchInterrupted as broken:
            presses, go_on = presses + 1, broken.resume
        except KeyboardInterrupt:  # before there was a pet to keep, or when all were read
            presses += 1


# Python drops an interrupt that it happens to deliver inside a weak reference's callback.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("pressed")
@pytest.mark.parametrize("habits", [Habits("link cursor"), Habits(parameters=frozenset({"skip"}))])
def test_ctrl_c_at_any_moment_loses_no_pet(habits: Habits, campaign: int) -> None:
    """Wherever the interrupt falls, the pets are all there after ``resume``, each once."""
    chance, presses = random.Random(4), 0
    with ZooStore(pets(COUNT), habits).client() as client:
        pf.fetch_inventory(client, progress=False)  # the first one takes longer
        begun = time.perf_counter()
        pf.fetch_inventory(client, progress=False)
        whole_s = time.perf_counter() - begun
        for _ in range(TRIES * campaign):
            inventory, count = read_through(client, chance.uniform(0.0002, whole_s))
            presses += count
            assert inventory.completeness.covers_all, inventory.completeness
            assert sorted(inventory.frame["id"]) == list(range(1, COUNT + 1))
    assert presses > 0
