"""How far a fetch is, shown to whoever waits.

In: the number of pets held, time and again. Out: a bar in a notebook or on a terminal, a call of
the caller's own function, or nothing. No total is invented: none is shown unless the store stated
one. A failure to show progress never ends a fetch.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from petstore_frame.arguments import refuse
from petstore_frame.progress import is_watched, show_bar

Progress = bool | Callable[[int], None] | None


class Meter:
    """Shows the number of pets held.

    Args:
        progress: A function to call with the number; True or False for a bar or none; None for
            a bar only where a person is watching.
    """

    def __init__(self, progress: Progress) -> None:
        if not callable(progress) and progress not in (None, True, False):
            refuse(f"progress is a function, True, False or None, got {progress!r}")
        self._call = progress if callable(progress) else None
        self._wants_bar = is_watched() if progress is None else progress is True
        self._bar: Any = None

    def __call__(self, held: int) -> None:
        try:
            self._show(held)
        except Exception as problem:  # noqa: BLE001 # the fetch matters more than its picture
            self._call, self._wants_bar, self._bar = None, False, None
            warnings.warn(f"progress is no longer shown: {problem}", RuntimeWarning, stacklevel=2)

    def _show(self, held: int) -> None:
        if self._call is not None:
            self._call(held)
        if not self._wants_bar:
            return
        if self._bar is None:
            self._bar = show_bar("Pets read", leave=False)
        self._bar.update(held - self._bar.n)

    def close(self) -> None:
        """Take the bar down; a fetch that goes on later puts up another."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
