"""How far an import is, for a person who waits.

In: counts of states. Out: a bar on stderr or in the notebook, or calls of the caller's own
function. It changes nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Self

from petstore_frame.loader.record import State
from petstore_frame.progress import is_watched, show_bar

Told = bool | Callable[[Mapping[State, int]], None] | None
_UNSETTLED = (State.PENDING, State.IN_FLIGHT)


class Progress:
    """Shows counts as they change.

    Args:
        told: True shows a bar, False nothing, None a bar where someone can see it; or a function
            that is called with the number of records in each state.
        total: How many records are to be sent.
    """

    def __init__(self, told: Told, total: int) -> None:
        self._total = total
        self._function = told if callable(told) else None
        is_shown = told is True or (told is None and is_watched())
        self._bar = (
            show_bar("Loading", total=total, dynamic_ncols=True) if is_shown and total else None
        )

    def say(self, text: str) -> None:
        """Show a sentence above the bar, where there is one."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)

    def __call__(self, counts: Counter[State]) -> None:
        if self._function is not None:
            self._function(dict(counts))
        if self._bar is not None:
            done = self._total - sum(counts[state] for state in _UNSETTLED)
            self._bar.set_postfix(_doubts(counts), refresh=False)
            self._bar.update(done - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _doubts(counts: Counter[State]) -> dict[str, int]:
    return {str(state): counts[state] for state in (State.REJECTED, State.UNKNOWN) if counts[state]}
