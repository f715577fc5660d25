"""Which requests in doubt are sent again under their idempotency key, and when."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable

from petstore_frame.http.settings import IdempotencyKey

MOST_REPEATS = 8
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
KEY_MARGIN_S = 300.0


class Repeats:
    """The records whose request is to be repeated, each at its time.

    Args:
        clock: Gives seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._waiting: list[tuple[float, int]] = []
        self._times: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._waiting)

    def add_now(self, numbers: Iterable[int]) -> None:
        """Repeat these as soon as there is room."""
        for number in numbers:
            heapq.heappush(self._waiting, (self._clock(), number))

    def add_later(self, number: int) -> None:
        """Repeat this one after a wait that doubles each time; give up after several times."""
        if self._times[number] < MOST_REPEATS:
            wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** self._times[number])
            heapq.heappush(self._waiting, (self._clock() + wait_s, number))
        self._times[number] += 1

    def take(self, most: int) -> list[int]:
        """Take those whose time has come, up to a number."""
        now, taken = self._clock(), list[int]()
        while self._waiting and len(taken) < most and self._waiting[0][0] <= now:
            taken.append(heapq.heappop(self._waiting)[1])
        return taken

    def wait_s(self) -> float:
        """Return the seconds until the first of them is due; 0 where there is none."""
        return max(0.0, self._waiting[0][0] - self._clock()) if self._waiting else 0.0


def oldest_key(keys: IdempotencyKey | None, now: float) -> float | None:
    """Return when a key must first have been sent for the store to remember it still.

    Args:
        keys: What the store is known to honour, or None for no keys.
        now: Seconds since 1970.
    """
    if keys is None:
        return None
    margin_s = min(KEY_MARGIN_S, keys.lifetime_s / 2)
    return now - keys.lifetime_s + margin_s
