"""When a passing failure is tried again.

In: what the last attempt met. Out: seconds to wait, or None to give up. It sends nothing and
decides nothing about a POST: only requests that cannot double are ever asked here.
"""

from __future__ import annotations

import email.utils
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class RetryPolicy:
    """Full jitter under a growing ceiling, and the store's Retry-After, up to a cap.

    Attributes:
        max_retries: Repeats after the first attempt.
        base_s: Ceiling of the first wait, in seconds; it doubles with each repeat.
        cap_s: Longest wait of any kind; a longer Retry-After ends the attempts.
        no_progress_s: Seconds after which no further attempt is made, however many are left.
        draw: Gives a number from 0 to 1.
    """

    max_retries: int
    base_s: float = 0.25
    cap_s: float = 30.0
    no_progress_s: float = 180.0
    draw: Callable[[], float] = random.random

    def wait_s(
        self, repeats: int, retry_after_s: float | None, elapsed_s: float = 0.0
    ) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        Args:
            repeats: How many repeats were made so far.
            retry_after_s: The Retry-After of the store, in seconds, or None.
            elapsed_s: Seconds since the first attempt began.

        Example:
            >>> policy = RetryPolicy(4, draw=lambda: 1.0)
            >>> [policy.wait_s(repeats, None) for repeats in range(5)]
            [0.25, 0.5, 1.0, 2.0, None]
            >>> policy.wait_s(0, 3.0), policy.wait_s(0, 3600.0), policy.wait_s(0, None, 179.9)
            (3.0, None, None)
        """
        if repeats >= self.max_retries:
            return None
        if retry_after_s is not None and retry_after_s > self.cap_s:
            return None
        wait_s = self.draw() * min(self.cap_s, self.base_s * 2.0**repeats)
        wait_s = max(wait_s, retry_after_s) if retry_after_s else wait_s
        return wait_s if elapsed_s + wait_s < self.no_progress_s else None


def read_retry_after(text: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a Retry-After header, in either form; None if it cannot be read.

    Example:
        >>> read_retry_after("7")
        7.0
        >>> read_retry_after("soon") is None
        True
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
