"""How old answers were that came out of a cache on their way.

In: header lines. Out: when the oldest answer was made, and whether one answer was older than one
before it, so that two states of a store are mixed. Without a cache there is nothing to tell.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from petstore_frame.http.headers import Headers

# Ages are whole seconds, and answers asked side by side come in any order.
_TOLERANCE_S = 2.0
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


class Ages:
    """The ages of the answers of one fetch.

    Args:
        clock: Gives seconds since 1970.

    Attributes:
        oldest_s: Age of the oldest answer when it arrived, in seconds.
        went_back: Whether an answer was made before an answer that arrived earlier.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.oldest_s = 0
        self.went_back = False
        self._clock = clock
        self._first_made: float | None = None
        self._last_made = 0.0

    def note(self, headers: Headers) -> None:
        """Take the age of one answer; without an ``Age`` it was made just now."""
        text = (headers.get("Age") or "").strip()
        age_s = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        made = self._clock() - age_s
        if made < self._last_made - _TOLERANCE_S:
            self.went_back = True
        self._last_made = max(self._last_made, made)
        if age_s:
            self.oldest_s = max(self.oldest_s, age_s)
            self._first_made = made if self._first_made is None else min(self._first_made, made)

    def read_at(self) -> datetime:
        """Return when the oldest answer was made, and now if none came out of a cache."""
        made = self._clock() if self._first_made is None else self._first_made
        return datetime.fromtimestamp(made, UTC)

    @property
    def mixture(self) -> str | None:
        """That answers show more than one state of the store, in words, or None."""
        return "an answer out of a cache is older than an answer before it" * self.went_back or None

    def conflict(self) -> str | None:
        """Say how old the answers were, or None."""
        if not self.oldest_s:
            return None
        name, length = next(unit for unit in _UNITS if self.oldest_s >= unit[1])
        count = self.oldest_s // length
        age = f"{count:,} {name}{'s' * (count != 1)}"
        return f"an answer came out of a cache and was {age} old, though fresh ones were asked for"
