"""The window and the breaker of an import, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from petstore_frame.loader.sending.pace import FRUITLESS_OPENINGS, Pace


@pytest.fixture
def clock() -> SimpleNamespace:
    return SimpleNamespace(now=0.0)


@pytest.fixture
def pace(clock: SimpleNamespace) -> Pace:
    return Pace(16, ceiling=32, clock=lambda: clock.now, draw=lambda: 1.0)


@pytest.fixture
def down(pace: Pace) -> Pace:
    """After three doubts in a row, which open the breaker."""
    for _ in range(3):
        pace.note_doubt()
    return pace


def note_answers(pace: Pace, count: int, *seconds: float) -> None:
    for _ in range(count):
        pace.note_answer(*seconds)


def test_the_window_doubles_until_it_is_the_largest(pace: Pace) -> None:
    """Each success of the first rounds lets one more start, and it stops at the largest."""
    note_answers(pace, 2)
    assert pace.room(0) == 4
    note_answers(pace, 1000)
    assert pace.room(0) == 16 and pace.room(15) == 1


def test_after_pressure_the_window_grows_by_one_a_round(pace: Pace, clock: SimpleNamespace) -> None:
    """A store that was once asked for too much is approached slowly."""
    note_answers(pace, 14)
    pace.note_pressure(None)
    clock.now += 1
    note_answers(pace, 8)
    assert pace.room(0) == 8
    note_answers(pace, 1)
    assert pace.room(0) == 9


def test_what_waits_for_the_disk_is_added_to_the_window(pace: Pace) -> None:
    """Where a request spends as long with the journal as at the store, twice as many are begun."""
    for with_journal_s, rooms in ((0.025, {19}), (0.04, {31, 32}), (0.02, {16, 17})):
        note_answers(pace, 1000, 0.02, with_journal_s)
        assert pace.room(0) in rooms


def test_pressure_halves_the_window_once_a_round(pace: Pace, clock: SimpleNamespace) -> None:
    """All requests of a round say the same; the window is cut for the first of them."""
    note_answers(pace, 1000)
    for _ in range(8):
        pace.note_pressure(None)
    clock.now += 1
    assert pace.room(0) == 8


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


def test_three_doubts_in_a_row_open_the_breaker(down: Pace, clock: SimpleNamespace) -> None:
    """After the third no POST starts until a GET was answered; then one at a time."""
    clock.now += 100
    assert down.is_open and down.room(0) == 0
    down.note_probe(is_up=True)
    assert (down.room(0), down.room(1)) == (1, 0)


def test_one_doubt_after_a_pause_opens_it_again(down: Pace, clock: SimpleNamespace) -> None:
    """A store that answers GET and no POST is found out after a few single tries."""
    for _ in range(FRUITLESS_OPENINGS):
        assert not down.is_fruitless
        clock.now += 100
        down.note_probe(is_up=True)
        down.note_doubt()
    assert down.is_open and down.is_fruitless


def test_scattered_doubts_open_it_too(pace: Pace) -> None:
    """Four of the last twenty are too many, in a row or not."""
    for _ in range(4):
        assert not pace.is_open
        pace.note_doubt()
        pace.note_answer()
    assert pace.is_open


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


def test_an_outage_counts_though_a_late_answer_came(down: Pace, clock: SimpleNamespace) -> None:
    """An answer to an older request does not hide that the store is down after it."""
    down.note_answer()
    clock.now += 10
    down.note_probe(is_up=False)
    clock.now += 50
    assert down.down_s() == 50


def test_a_doubtful_answer_may_ask_for_patience_too(pace: Pace, clock: SimpleNamespace) -> None:
    """After a 503 with a time, neither POST nor GET is sent before it; it is not an outage yet."""
    for _ in range(12):
        pace.note_doubt(6.0)
    assert pace.room(0) == 0 and pace.wait_s() == pytest.approx(6.0) and pace.openings == 1
    clock.now += 6.0
    assert pace.wait_s() == 0.0
