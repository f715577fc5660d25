"""Shows the speed of sending, the remaining time, and that the store does not reply."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping

from petstore_frame.dashboard import background as jobs
from petstore_frame.loader import State

# Earlier, a rate would not be reliable.
FEWEST_FOR_RATE, SHORTEST_FOR_RATE_S, RATE_OVER_S = 20, 1.0, 10.0


def send_progress(
    background: jobs.Background, total: int, *, clock: Callable[[], float] = time.monotonic
) -> Callable[[Mapping[State, int]], None]:
    """Return a function that shows the progress of sending ``total`` pets, or stops it."""
    changed_at = clock()
    # The numbers of the last seconds, because a load starts slowly and a store may become slower.
    recent: deque[tuple[float, int]] = deque()
    last_counts: Mapping[State, int] = {}

    def report(counts: Mapping[State, int]) -> None:
        nonlocal changed_at, last_counts
        now = clock()
        if counts != last_counts:
            changed_at, last_counts = now, dict(counts)
        waiting = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
        done = max(0, total - waiting)
        recent.append((now, done))
        while now - recent[0][0] > RATE_OVER_S:
            recent.popleft()
        elapsed_s, done_recently = now - recent[0][0], done - recent[0][1]
        text = f"{done:,} of {total:,}"
        if now - changed_at >= jobs.SILENT_AFTER_S:
            text += f" · {jobs.silence_text(now - changed_at)}"
        elif done_recently >= FEWEST_FOR_RATE and elapsed_s >= SHORTEST_FOR_RATE_S:
            rate = done_recently / elapsed_s
            text += f" · {rate:,.0f} per second · about {(total - done) / rate:,.0f} s left"
        background.report(text, done / max(total, 1))

    return report
