"""Ctrl-C at any moment loses no pet of a fetch that goes on afterwards, and no verdict is false."""

from __future__ import annotations

import random
import signal

import pytest

import petstore_frame as pf
from unit.dashboard_store import MemoryStore, pets

COUNT, TRIES = 1_500, 40


def read_through(client: pf.Client, within_s: float) -> tuple[pf.Inventory, int]:
    """Fetch, pressing Ctrl-C once, and go on as the error says."""
    presses, go_on = 0, lambda: pf.fetch_inventory(client, progress=False)
    is_armed = False
    while True:
        try:
            if not is_armed:
                is_armed = True
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
@pytest.mark.parametrize("has_links", [True, False], ids=["next links", "offsets"])
def test_ctrl_c_at_any_moment_loses_no_pet(has_links: bool, campaign: int) -> None:
    """Wherever the interrupt falls, the pets are all there after ``resume``, each once."""
    store = WindowedStore(pets(COUNT), has_links=has_links)
    chance, presses = random.Random(4), 0
    with store.client() as client:
        for _ in range(TRIES * campaign):
            inventory, count = read_through(client, chance.uniform(0.0002, 0.03))
            presses += count
            assert inventory.completeness.covers_all, inventory.completeness
            assert sorted(inventory.frame["id"]) == list(range(1, COUNT + 1))
    assert presses > TRIES * campaign / 3


class WindowedStore(MemoryStore):
    """A store that announces its pages, or keeps quiet and understands ``offset``."""

    def _list(self, params: dict[str, str]):  # type: ignore[no-untyped-def] # as its parent
        if self.has_links:
            return super()._list(params)
        start = int(params.get("offset", 0))
        whole, self.pets = self.pets, self.pets[start:]
        try:
            return super()._list(params)
        finally:
            self.pets = whole
