"""Pages of a slow store are requested a few at a time, and prove no more and no less."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import httpx
import pytest

import petstore_frame as pf
from server_variants.answers import Query, client_of, pets, refusal, served

LATENCY_S = 0.02


class SlowStore:
    """A store that takes a while, and counts how many requests it has at a time."""

    def __init__(self, answer: Callable[[Query], httpx.Response]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._in_flight = 0
        self.most_in_flight = 0

    @contextmanager
    def _request(self) -> Iterator[None]:
        with self._lock:
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1

    def __call__(self, query: Query) -> httpx.Response:
        with self._request():
            time.sleep(LATENCY_S)
            return self._answer(query)


@pytest.mark.parametrize("way", ["offset", "page"])
@pytest.mark.parametrize("number_of_pets", [250, 1000, 1234])
def test_every_pet_is_read_once_and_in_order(way: str, number_of_pets: int) -> None:
    """Four requests are in flight at most, and the evidence is that of pages read in turn."""
    rows = pets(number_of_pets)
    store = SlowStore(lambda query: served(rows, query, way))
    inventory = pf.fetch_inventory(client_of(store), progress=False)
    in_turn = pf.fetch_inventory(client_of(lambda query: served(rows, query, way)), progress=False)
    assert inventory.frame["id"].tolist() == [row["id"] for row in rows]
    assert inventory.completeness.evidence == in_turn.completeness.evidence
    assert inventory.completeness.verdict == "complete"
    assert 2 <= store.most_in_flight <= 4


def test_pages_that_become_shorter_on_the_way_lose_no_pet() -> None:
    """A page that was requested at a wrong place is not used."""
    rows = pets(1500)

    def answer(query: Query) -> httpx.Response:
        is_late = int(query.get("offset", "0")) > 700
        return served(rows, query, "offset", cap=40 if is_late else 100)

    inventory = pf.fetch_inventory(client_of(SlowStore(answer)), progress=False)
    assert inventory.frame["id"].tolist() == [row["id"] for row in rows]


def test_a_pet_that_leaves_breaks_a_seam_of_pages_requested_ahead() -> None:
    """The windows overlap by a row whether they are requested in turn or together."""
    rows, calls = pets(1500), count(1)

    def answer(query: Query) -> httpx.Response:
        if next(calls) == 15:
            del rows[100]
        return served(rows, query, "offset")

    completeness = pf.fetch_inventory(client_of(SlowStore(answer)), progress=False).completeness
    assert not completeness.is_complete


def test_a_refusal_past_the_end_of_pages_requested_ahead_fails_nothing() -> None:
    """All pets are kept."""
    rows = pets(1000)

    def answer(query: Query) -> httpx.Response:
        is_past_the_end = int(query.get("offset", "0")) >= len(rows)
        return refusal(500) if is_past_the_end else served(rows, query, "offset")

    assert len(pf.fetch_inventory(client_of(SlowStore(answer)), progress=False)) == 1000
