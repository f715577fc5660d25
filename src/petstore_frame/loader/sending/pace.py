"""Sets how many requests may be on their way, and when to stop asking.

The window doubles with each round of successes until the first pressure, then grows by one a round;
pressure halves it. A breaker stops all of it when outcomes become doubtful, and a GET, which
changes nothing, finds out when the store is back.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

START = 2
DOUBTS_IN_A_ROW = 3
DOUBTS_OF_RECENT = 4
RECENT = 20
FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 30.0
MOST_DOUBLINGS = 20
FRUITLESS_OPENINGS = 4
# The weight of the newest share in the average of all.
NEWEST, LARGEST_SHARE = 0.1, 4.0


class Pace:
    """The window and the breaker of one session.

    A request counts from the commit that writes it down until its outcome, so some requests wait
    for the journal's disk and not for the store. By their share the window may grow from ``most``
    up to ``ceiling``, so that ``most`` requests are at the store.
    """

    def __init__(
        self,
        most: int,
        *,
        clock: Callable[[], float],
        ceiling: int | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.most = most
        self._ceiling = ceiling or most
        self._share = 1.0
        self.window = float(min(START, most))
        self.openings = 0
        self.down_since: float | None = None
        self.is_open = False
        self._is_starting = True
        self._clock = clock
        self._draw = draw
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self._row_of_doubts = 0
        self._until_next_cut = 0
        self._waits = 0
        self._resume_at = clock()

    def room(self, in_flight: int) -> int:
        """Return how many requests may start now."""
        if self.is_open or self.wait_s() > 0:
            return 0
        return max(0, int(min(self.window, self._largest())) - in_flight)

    def wait_s(self) -> float:
        """Return the seconds until a request or a probe may start."""
        return max(0.0, self._resume_at - self._clock())

    def note_answer(self, at_store_s: float | None = None, in_window_s: float = 0.0) -> None:
        """The store created or refused a row: it works."""
        if at_store_s:
            share = min(in_window_s / at_store_s, LARGEST_SHARE)
            self._share += (share - self._share) * NEWEST
        self._note(is_doubt=False)
        self._row_of_doubts = self._waits = self.openings = 0
        self.down_since = None
        step = 1.0 if self._is_starting else 1 / self.window
        self.window = min(self._largest(), self.window + step)

    def note_pressure(self, retry_after_s: float | None) -> None:
        """The store asked us to wait; all requests do."""
        self._note(is_doubt=False)
        if self.down_since is None:
            self.down_since = self._clock()
        if self._cut():
            self._wait(retry_after_s)
        elif retry_after_s is not None:
            self.pause(retry_after_s)

    def note_doubt(self, retry_after_s: float | None = None) -> None:
        """A request may or may not have been applied; nothing starts before the time asked for."""
        self._note(is_doubt=True)
        if retry_after_s is not None:
            self.pause(retry_after_s)
        self._row_of_doubts += 1
        self._cut()
        if (
            self.openings
            or self._row_of_doubts >= DOUBTS_IN_A_ROW
            or sum(self._recent) >= DOUBTS_OF_RECENT
        ):
            self.open()

    def open(self) -> None:
        """Stop sending; the store seems down."""
        if self.is_open:
            return
        self.is_open, self._is_starting = True, False
        self.openings += 1
        if self.down_since is None:
            self.down_since = self._clock()
        self._wait(None)

    def note_probe(self, *, is_up: bool) -> None:
        """A GET was answered, or not."""
        if not is_up:
            if self.down_since is None:  # an answer to an older request came while it was open
                self.down_since = self._clock()
            self._wait(None)
            return
        self.is_open = False
        self.window = 1.0
        self._recent.clear()
        self._row_of_doubts = 0

    @property
    def is_fruitless(self) -> bool:
        """The store answers GETs, and again and again no POST."""
        return self.openings > FRUITLESS_OPENINGS

    def down_s(self) -> float:
        """Return the seconds since the last answer, while the store seems down."""
        return 0.0 if self.down_since is None else self._clock() - self.down_since

    def _largest(self) -> float:
        return min(float(self._ceiling), self.most * max(1.0, self._share))

    def _note(self, *, is_doubt: bool) -> None:
        self._recent.append(is_doubt)
        self._until_next_cut -= 1

    def _cut(self) -> bool:
        # The other requests of the same round show the same thing.
        if self._until_next_cut > 0:
            return False
        self._is_starting = False
        self._until_next_cut = int(self.window)
        self.window = max(1.0, self.window / 2)
        return True

    def _wait(self, asked_s: float | None) -> None:
        """Wait longer each time, and as long as the store asks; else the first wait is 0."""
        steps = 2.0 ** min(self._waits, MOST_DOUBLINGS) - (asked_s is not None)
        ceiling = min(LONGEST_WAIT_S, FIRST_WAIT_S * steps)
        self._waits += 1
        self.pause(max(asked_s or 0.0, ceiling * (0.5 + self._draw() / 2)))

    def pause(self, seconds: float) -> None:
        """Start nothing for so many seconds."""
        self._resume_at = max(self._resume_at, self._clock() + seconds)
