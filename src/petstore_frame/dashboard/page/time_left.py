"""Estimates how long the rest of a task takes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

# Earlier, a rate would not be reliable.
FEWEST_FOR_RATE, SHORTEST_FOR_RATE_S, RATE_OVER_S = 20, 1.0, 10.0


class TimeLeft:
    """The remaining time of a task, from its speed in the last seconds.

    Args:
        total: What is to be done, such as pets to send; 0 if nobody knows.
        clock: Returns seconds.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self._clock = total, clock
        # Not of the whole task, because a load starts slowly and a store may become slower.
        self._recent: deque[tuple[float, int]] = deque()

    def text(self, done: int) -> str:
        """Return the speed and the remaining time to append to a text; empty while unknown."""
        now = self._clock()
        self._recent.append((now, done))
        while now - self._recent[0][0] > RATE_OVER_S:
            self._recent.popleft()
        started_at, done_before = self._recent[0]
        elapsed_s, done_recently = now - started_at, done - done_before
        is_reliable = done_recently >= FEWEST_FOR_RATE and elapsed_s >= SHORTEST_FOR_RATE_S
        if not is_reliable or done >= self.total:
            return ""
        rate = done_recently / elapsed_s
        return f" · {rate:,.0f} per second · about {(self.total - done) / rate:,.0f} s left"
