"""What is asked from several threads at once loses no count."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from petstore_frame.http.answer import Headers
from petstore_frame.inventory.asking import Asker
from petstore_frame.inventory.evidence import Fact
from petstore_frame.inventory.page import Page
from petstore_frame.schema.frame import PetColumns

SIDE_BY_SIDE_S = 0.3  # how long two threads are given to meet; with a lock they cannot


class Store:
    """Gives pages of the length asked for."""

    base_url = "http://127.0.0.1/v1"

    def ask_page(self, address: str = "/pets", *, params: dict[str, str], **_: object) -> Page:
        ids = list(range(int(params["limit"])))
        return Page(PetColumns(ids, ["x"] * len(ids), [1] * len(ids)), Headers([]), address)


class MeetingAsker(Asker):
    """Lets two threads meet where one reads the longest length and the other writes it."""

    @property
    def max_page(self) -> int:
        held = self._held
        if threading.current_thread().name == "short":
            self.has_read.set()
            self.may_write.wait(SIDE_BY_SIDE_S)
        return held

    @max_page.setter
    def max_page(self, length: int) -> None:
        self._held = length


class MeetingBudget(int):
    """Lets two threads meet where the budget is compared."""

    barrier = threading.Barrier(2)

    def __ge__(self, other: int) -> bool:
        with suppress(threading.BrokenBarrierError):
            self.barrier.wait(SIDE_BY_SIDE_S)
        return int(self) >= other


def side_by_side(*calls: tuple[str, Callable[[], object]]) -> None:
    threads = [threading.Thread(target=call, name=name) for name, call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def reader_of(kind: type[Asker], budget: int = 12) -> Asker:
    return kind(Store(), status=None, limit=100, budget=budget)


def test_the_longest_page_is_not_lost_to_a_shorter_one() -> None:
    """A stated total is believed by the longest page seen, so that length never falls."""
    MeetingAsker.has_read, MeetingAsker.may_write = threading.Event(), threading.Event()
    reader = reader_of(MeetingAsker)

    def read_long() -> None:
        reader.has_read.wait(SIDE_BY_SIDE_S)
        reader.page({"limit": "100"})
        reader.may_write.set()

    side_by_side(("short", lambda: reader.page({"limit": "1"})), ("long", read_long))
    assert reader._held == 100
    assert reader.requests == 2


def test_the_budget_is_spent_once() -> None:
    """Two threads that ask for the last request of the budget get one between them."""
    reader = reader_of(Asker, MeetingBudget(1))
    probes = [(size, lambda size=size: reader.probe({"limit": size})) for size in ("1", "2")]
    side_by_side(*probes)
    assert (reader.spent, reader.requests) == (1, 1)
    assert [trouble.fact for trouble in reader.troubles] == [Fact.QUESTION_NOT_ASKED]


def test_what_was_answered_is_not_asked_again() -> None:
    """A fetch that begins anew after a failure has the answers that it was given before."""
    reader = reader_of(Asker)
    first, again = reader.probe({"limit": "3"}), reader.probe({"limit": "3"})
    assert first is again
    assert (reader.spent, reader.requests) == (1, 1)
    assert reader.probe({"limit": "3"}, again=True) is not first
