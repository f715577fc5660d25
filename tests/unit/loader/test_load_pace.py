"""The window and the breaker of an import, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from petstore_frame.loader.sending.pace import Pace


@pytest.fixture
def clock() -> SimpleNamespace:
    return SimpleNamespace(now=0.0)


@pytest.fixture
def pace(clock: SimpleNamespace) -> Pace:
    return Pace(16, ceiling=32, clock=lambda: clock.now, draw=lambda: 1.0)


MANY = "a" * 1000
# Answers, pressure, doubts, probes that are answered, seconds that pass: by their first letters.
ROOMS = {
    "each answer of the first rounds lets one more start": ("aa", 4),
    "there is a largest window": (MANY, 16),
    "pressure halves it once a round, whose requests all say the same": (f"{MANY}pppppppps", 8),
    "after pressure a round that is not whole changes nothing": (f"{'a' * 14}ps{'a' * 8}", 8),
    "after pressure a whole round lets one more start": (f"{'a' * 14}ps{'a' * 9}", 9),
    "two doubts in a row, or three of twenty, stop nobody": ("dadadaaa", 2),
    "three doubts in a row open the breaker": (f"ddd{'s' * 100}", 0),
    "four doubts of twenty open it too": (f"dadadada{'s' * 100}", 0),
    "once it was open, one at a time is sent when a GET was answered": (f"ddd{'s' * 100}g", 1),
}


@pytest.mark.parametrize(("events", "room"), ROOMS.values(), ids=ROOMS)
def test_what_happened_says_how_many_may_start(pace, clock, events: str, room: int) -> None:
    """A store that works is asked for more, one that is pressed for less, one in doubt nothing."""
    for event in events:
        match event:
            case "a":
                pace.note_answer()
            case "p":
                pace.note_pressure(None)
            case "d":
                pace.note_doubt()
            case "g":
                pace.note_probe(is_up=True)
            case "s":
                clock.now += 1
    assert (pace.room(0), pace.room(room)) == (room, 0)


def test_what_waits_for_the_disk_is_added_to_the_window(pace: Pace) -> None:
    """Where a request spends as long with the journal as at the store, twice as many are begun."""
    for with_journal_s, rooms in ((0.025, {19}), (0.04, {31, 32}), (0.02, {16, 17})):
        for _ in range(1000):
            pace.note_answer(0.02, with_journal_s)
        assert pace.room(0) in rooms


def test_a_retry_after_pauses_everyone(pace: Pace, clock: SimpleNamespace) -> None:
    """Nobody starts before the moment that the store asked for; no pause of ours shortens it."""
    pace.note_pressure(None)
    pace.note_pressure(7.0)
    clock.now += 6.9
    assert pace.room(0) == 0 and pace.wait_s() == pytest.approx(0.1)
    clock.now += 0.2
    assert pace.room(0) > 0
    pace.note_pressure(60.0)
    assert pace.wait_s() == pytest.approx(60.0)


def test_a_store_that_asks_for_no_wait_is_not_flooded(pace: Pace, clock: SimpleNamespace) -> None:
    """Retry-After: 0, or a date that has passed, is obeyed for a round; then the pauses grow."""
    pauses = []
    for _ in range(5):
        pace.note_pressure(0.0)
        pauses.append(pace.wait_s())
        clock.now += pauses[-1]
    assert pauses == [0.0, 0.0, 0.25, 0.75, 1.75]
    pace.note_answer()
    pace.note_pressure(0.0)
    assert pace.wait_s() == 0.0


def test_waits_grow_and_an_answer_ends_them(pace: Pace, clock: SimpleNamespace) -> None:
    """Probes come further and further apart, up to a longest wait, also in days of outage."""
    pace.open()
    waits = []
    for _ in range(2000):
        waits.append(pace.wait_s())
        clock.now += pace.wait_s()
        pace.note_probe(is_up=False)
    assert waits == sorted(waits) and waits[11] == waits[-1] == 30.0
    assert pace.down_s() == pytest.approx(sum(waits))
    pace.note_answer()
    assert pace.down_s() == 0.0
