"""The window and the breaker of an import, by hand."""

from __future__ import annotations

import pytest

from petstore_frame.loader.sending.pace import FRUITLESS_OPENINGS, Pace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(16, clock=clock, draw=lambda: 1.0)


def test_the_window_grows_by_one_per_round(pace: Pace) -> None:
    """Two successes of a window of two make it three, and it stops at the largest."""
    pace.note_answer()
    pace.note_answer()
    assert pace.room(0) == 2
    pace.note_answer()
    assert pace.room(0) == 3
    for _ in range(1000):
        pace.note_answer()
    assert pace.room(0) == 16 and pace.room(15) == 1


def test_what_waits_for_the_disk_is_added_to_the_window(clock: Clock) -> None:
    """Where a request spends as long with the journal as at the store, twice as many are begun."""
    pace = Pace(16, ceiling=32, clock=clock)
    for _ in range(1000):
        pace.note_answer(0.02, 0.025)
    assert pace.room(0) == 19
    for _ in range(1000):
        pace.note_answer(0.02, 0.04)
    assert pace.room(0) in (31, 32)
    for _ in range(1000):
        pace.note_answer(0.02, 0.02)
    assert pace.room(0) in (16, 17)


def test_pressure_halves_the_window_once_a_round(pace: Pace, clock: Clock) -> None:
    """All requests of a round say the same; the window is cut for the first of them."""
    for _ in range(1000):
        pace.note_answer()
    for _ in range(8):
        pace.note_pressure(None)
    clock.now += 1
    assert pace.room(0) == 8


def test_a_retry_after_pauses_everyone(pace: Pace, clock: Clock) -> None:
    """Nobody starts before the moment that the store asked for."""
    pace.note_pressure(7.0)
    clock.now += 6.9
    assert pace.room(0) == 0 and pace.wait_s() == pytest.approx(0.1)
    clock.now += 0.2
    assert pace.room(0) > 0


def test_three_doubts_in_a_row_open_the_breaker(pace: Pace, clock: Clock) -> None:
    """After the third no POST starts until a GET was answered; then one at a time."""
    for _ in range(3):
        pace.note_doubt()
    clock.now += 100
    assert pace.is_open and pace.room(0) == 0
    pace.note_probe(is_up=True)
    assert (pace.room(0), pace.room(1)) == (1, 0)


def test_one_doubt_after_a_pause_opens_it_again(pace: Pace, clock: Clock) -> None:
    """A store that answers GET and no POST is found out after a few single tries."""
    for _ in range(3):
        pace.note_doubt()
    for _ in range(FRUITLESS_OPENINGS):
        assert not pace.is_fruitless
        clock.now += 100
        pace.note_probe(is_up=True)
        pace.note_doubt()
    assert pace.is_open and pace.is_fruitless


def test_scattered_doubts_open_it_too(pace: Pace) -> None:
    """Four of the last twenty are too many, in a row or not."""
    for _ in range(4):
        assert not pace.is_open
        pace.note_doubt()
        pace.note_answer()
    assert pace.is_open


def test_waits_grow_and_an_answer_ends_them(pace: Pace, clock: Clock) -> None:
    """Probes come further and further apart, up to a longest wait."""
    pace.open()
    waits = []
    for _ in range(12):
        waits.append(pace.wait_s())
        clock.now += pace.wait_s()
        pace.note_probe(is_up=False)
    assert waits == sorted(waits) and waits[-1] == 30.0
    assert pace.down_s() == pytest.approx(sum(waits))
    pace.note_answer()
    assert pace.down_s() == 0.0


def test_a_store_that_asks_for_no_wait_is_not_flooded(pace: Pace, clock: Clock) -> None:
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


def test_a_longer_retry_after_is_kept(pace: Pace) -> None:
    """Our own pause never shortens the one that the store asked for."""
    pace.note_pressure(None)
    pace.note_pressure(60.0)
    assert pace.wait_s() == 60.0


def test_an_outage_counts_though_a_late_answer_came(pace: Pace, clock: Clock) -> None:
    """An answer to an older request does not hide that the store is down after it."""
    for _ in range(3):
        pace.note_doubt()
    pace.note_answer()
    clock.now += 10
    pace.note_probe(is_up=False)
    clock.now += 50
    assert pace.down_s() == 50


def test_an_outage_may_last_for_days(pace: Pace, clock: Clock) -> None:
    """The pauses between probes stay finite numbers, however many there were."""
    for _ in range(3):
        pace.note_doubt()
    for _ in range(2000):
        clock.now += pace.wait_s()
        pace.note_probe(is_up=False)
    assert pace.wait_s() == 30.0


def test_a_doubtful_answer_may_ask_for_patience_too(pace: Pace, clock: Clock) -> None:
    """After a 503 with a time, neither POST nor GET is sent before it; it is not an outage yet."""
    for _ in range(12):
        pace.note_doubt(6.0)
    assert pace.room(0) == 0 and pace.wait_s() == pytest.approx(6.0) and pace.openings == 1
    clock.now += 6.0
    assert pace.wait_s() == 0.0
