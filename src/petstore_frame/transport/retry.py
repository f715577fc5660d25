"""Decides whether to retry a GET, and how long to wait before."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from petstore_frame.errors import (
    APIConnectionError,
    APIStatusError,
    ContractError,
    PetstoreError,
)

# Default delays: the upper limit doubles from the first to the longest.
FIRST_DELAY_S, LONGEST_DELAY_S = 0.25, 30.0
# A store that has never responded to this client may not exist, so give up within seconds.
FIRST_CONTACT_S = 4.0
# A page that may not exist is not worth a longer wait, unless the store is away.
GUESS_S = 1.0
# Limits for the waits that the store asks for: one wait, and all waits without a usable response.
MAX_REQUESTED_S, MAX_TOTAL_REQUESTED_S = 300.0, 900.0
OUTAGES = frozenset({408, 429, 502, 503, 504})  # statuses of a store that is away for a while


class Wait(NamedTuple):
    """Seconds to wait before the next attempt, and whether the store asked for them."""

    seconds: float
    is_requested: bool = False


@dataclass
class Retries:
    """The failed attempts of one GET.

    Attributes:
        timeout_s: Give up after this many seconds without a usable response, not counting the
            waits that the store asks for. 0 never retries.
        started_at: When the first attempt began.
        has_responded: Whether the store has given this client a usable response before.
        is_guess: Whether the store may not understand this request at all.
        max_wait_s: Longest time from the first attempt to the start of a single retry, for a
            request that the caller can do without; None for the usual retries.
        random_number: Returns a random number from 0 to 1.
    """

    timeout_s: float
    started_at: float
    has_responded: bool = True
    is_guess: bool = False
    max_wait_s: float | None = None
    random_number: Callable[[], float] = random.random
    _attempts: int = field(default=0, init=False)
    _failures: int = field(default=0, init=False)
    _requested_s: float = field(default=0.0, init=False)

    def next_wait(self, problem: PetstoreError, now: float) -> Wait | None:
        """Return how long to wait after a transient failure, or None to give up."""
        wait = self._usual_wait(problem, now)
        if wait is None or self.max_wait_s is None:
            return wait
        is_late = now - self.started_at + wait.seconds > self.max_wait_s
        return None if self._attempts > 1 or is_late else wait

    def _usual_wait(self, problem: PetstoreError, now: float) -> Wait | None:
        limit_s = self._limit_s(problem)
        if limit_s == 0:
            return None
        self._attempts += 1
        requested_s = getattr(problem, "retry_after_s", None) or 0.0
        if requested_s > 0:
            if (
                requested_s > MAX_REQUESTED_S
                or self._requested_s + requested_s > MAX_TOTAL_REQUESTED_S
            ):
                return None
            self._requested_s += requested_s
            return Wait(requested_s, is_requested=True)
        remaining_s = limit_s - (now - self.started_at - self._requested_s)
        if remaining_s <= 0:
            return None
        ceiling_s = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0**self._failures)
        self._failures = min(self._failures + 1, 10)  # by then, the delay is the longest
        # The last attempt is at the end of the time, not one delay earlier.
        return Wait(min(self.random_number() * ceiling_s, remaining_s))

    def _limit_s(self, problem: PetstoreError) -> float:
        is_other_server = isinstance(problem, APIConnectionError | ContractError)
        if is_other_server and not self.has_responded:
            return min(self.timeout_s, FIRST_CONTACT_S)
        is_outage = isinstance(problem, APIConnectionError) or (
            isinstance(problem, APIStatusError) and problem.status_code in OUTAGES
        )
        if self.is_guess and not is_outage:
            return min(self.timeout_s, GUESS_S)
        return self.timeout_s


def is_transient(problem: PetstoreError, *, was_parsed: bool) -> bool:
    """Return whether the same GET may succeed later.

    A body that is not the JSON that was expected may have been cut, or may come from a proxy or
    from a store that is starting, such as an HTML page with status 200. A pet with an invalid
    field, which has a position or a name, stays invalid.

    Args:
        problem: What went wrong.
        was_parsed: Whether there was a complete response with a usable status.
    """
    if isinstance(problem, ContractError):
        return was_parsed and problem.position is None and problem.field is None
    return isinstance(problem, APIConnectionError | APIStatusError) and problem.retryable
