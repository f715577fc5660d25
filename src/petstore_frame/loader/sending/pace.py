"""Limits the number of requests in flight, and decides when to stop sending.

Like TCP congestion control: the window doubles with each round of successes until the store first
asks to slow down, then grows by one per round; each such request halves it. A circuit breaker stops
all requests if too many outcomes are uncertain, and probes the store with GETs until it is back.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

START = 2
UNCERTAIN_IN_A_ROW = 3
UNCERTAIN_OF_RECENT = 4
RECENT = 20
FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 30.0
MAX_DOUBLINGS = 20
FRUITLESS_OPENINGS = 4
# Intents on disk per request in flight, so that no thread waits for the disk; and their maximum,
# because all of them are unconfirmed if the process is killed.
AHEAD = 2
MAX_ON_DISK = 32
# One process can handle about 1,500 responses per second; more threads only wait for each other.
MIN_THREADS, RESPONSES_PER_S = 4, 1500


class Pace:
    """The window and the breaker of one session.

    ``window`` is the maximum number of requests in flight. There may be ``ahead`` times as many
    intents on disk; the others wait in the queue of the pool.
    """

    def __init__(
        self,
        max_window: int,
        *,
        clock: Callable[[], float],
        ahead: int = AHEAD,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.max_window = max_window
        self.window = float(min(START, max_window))
        self.openings = 0
        self.down_since: float | None = None
        self.is_open = False
        # A single worker sends one request after the other.
        self._ahead = ahead if max_window > 1 else 1
        self._response_times_s: deque[float] = deque(maxlen=RECENT)
        self._is_starting = True
        self._clock = clock
        self._random = jitter
        self._recent_uncertain: deque[bool] = deque(maxlen=RECENT)
        self._uncertain_in_a_row = 0
        self._until_next_cut = 0
        self._waits = 0
        self._resume_at = clock()

    def room(self, on_disk: int) -> int:
        """Return how many more intents may be written."""
        if self.is_paused:
            return 0
        limit = min(MAX_ON_DISK, int(self.window) * self._ahead)
        return max(0, limit - on_disk)

    @property
    def is_paused(self) -> bool:
        """Whether no request may start now."""
        return self.is_open or self.wait_s() > 0

    def threads(self) -> int:
        """Return how many threads are useful for the response times of the store."""
        fastest_s = min(self._response_times_s, default=1.0)
        useful = MIN_THREADS + fastest_s * RESPONSES_PER_S
        return max(1, int(min(self.window, useful)))

    def wait_s(self) -> float:
        """Return the seconds until a request or a probe may start."""
        return max(0.0, self._resume_at - self._clock())

    def note_answer(self, elapsed_s: float | None = None) -> None:
        """Note that the store works: it created or rejected a row."""
        if elapsed_s is not None:
            self._response_times_s.append(elapsed_s)
        self._note(is_uncertain=False)
        self._uncertain_in_a_row = self._waits = self.openings = 0
        self.down_since = None
        step = 1.0 if self._is_starting else 1 / self.window
        self.window = min(float(self.max_window), self.window + step)

    def note_pressure(self, retry_after_s: float | None) -> None:
        """Note that the store asked to wait, which applies to all requests."""
        self._note(is_uncertain=False)
        if self.down_since is None:
            self.down_since = self._clock()
        if self._cut():
            self._wait(retry_after_s)
        elif retry_after_s is not None:
            self.pause(retry_after_s)

    def note_uncertain(self, retry_after_s: float | None = None) -> None:
        """Note that a request may or may not have been applied."""
        self._note(is_uncertain=True)
        if retry_after_s is not None:
            self.pause(retry_after_s)
        self._uncertain_in_a_row += 1
        self._cut()
        is_repeated = self._uncertain_in_a_row >= UNCERTAIN_IN_A_ROW
        is_frequent = sum(self._recent_uncertain) >= UNCERTAIN_OF_RECENT
        if self.openings or is_repeated or is_frequent:
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
        """Note whether a GET was answered."""
        if not is_up:
            if self.down_since is None:  # an older request was answered while the breaker was open
                self.down_since = self._clock()
            self._wait(None)
            return
        self.is_open = False
        self.window = 1.0
        self._recent_uncertain.clear()
        self._uncertain_in_a_row = 0

    @property
    def is_fruitless(self) -> bool:
        """Whether the store answers GETs, but repeatedly no POSTs."""
        return self.openings > FRUITLESS_OPENINGS

    def down_s(self) -> float:
        """Return the seconds since the last answer, while the store seems down."""
        return 0.0 if self.down_since is None else self._clock() - self.down_since

    def pause(self, seconds: float) -> None:
        """Start no request for this many seconds."""
        self._resume_at = max(self._resume_at, self._clock() + seconds)

    def _note(self, *, is_uncertain: bool) -> None:
        self._recent_uncertain.append(is_uncertain)
        self._until_next_cut -= 1

    def _cut(self) -> bool:
        # The other requests of the same round have met the same problem.
        if self._until_next_cut > 0:
            return False
        self._is_starting = False
        self._until_next_cut = int(self.window)
        self.window = max(1.0, self.window / 2)
        return True

    def _wait(self, requested_s: float | None) -> None:
        """Wait longer each time, with jitter, and no less than the store requested."""
        steps = 2.0 ** min(self._waits, MAX_DOUBLINGS)
        if requested_s is not None:
            steps -= 1  # so that the first wait is exactly as requested
        ceiling = min(LONGEST_WAIT_S, FIRST_WAIT_S * steps)
        self._waits += 1
        self.pause(max(requested_s or 0.0, ceiling * (0.5 + self._random() / 2)))
