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
    return Pace(16, ahead=1, clock=lambda: clock.now, jitter=lambda: 1.0)


MANY = "a" * 1000
# a: answer, p: pressure, d: uncertain outcome, g: answered probe, s: a second passes.
ROOMS = {
    "each answer of the first rounds lets one more start": ("aa", 4),
    "there is a largest window": (MANY, 16),
    "pressure halves it once a round, whose requests all say the same": (f"{MANY}pppppppps", 8),
    "after pressure a round that is not whole changes nothing": (f"{'a' * 14}ps{'a' * 8}", 8),
    "after pressure a whole round lets one more start": (f"{'a' * 14}ps{'a' * 9}", 9),
    "two uncertain outcomes in a row, or three of twenty, stop nothing": ("dadadaaa", 2),
    "three uncertain outcomes in a row open the breaker": (f"ddd{'s' * 100}", 0),
    "four of twenty open it too": (f"dadadada{'s' * 100}", 0),
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
                pace.note_uncertain()
            case "g":
                pace.note_probe(is_up=True)
            case "s":
                clock.now += 1
    assert (pace.room(0), pace.room(room)) == (room, 0)


@pytest.mark.parametrize(("workers", "on_disk"), [(1, 1), (4, 8), (16, 32), (32, 32)])
def test_intents_on_disk_run_ahead_of_the_requests(clock, workers: int, on_disk: int) -> None:
    """Twice as many intents as requests are on disk, but never more than 32."""
    pace = Pace(workers, clock=lambda: clock.now)
    for _ in range(1000):
        pace.note_answer()
    assert pace.room(0) == on_disk


def test_a_fast_store_needs_few_threads(pace: Pace) -> None:
    """More threads than responses can be handled by would only wait for each other."""
    for _ in range(1000):
        pace.note_answer(0.02)
    assert pace.threads() == 16
    pace.note_answer(0.001)
    assert pace.threads() == 5


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
