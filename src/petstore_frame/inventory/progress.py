"""How far a fetch is, shown to whoever waits.

No total is shown, since none is known. A failure to show progress never ends a fetch.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

from petstore_frame._internal.progress import Display, open_progress
from petstore_frame.errors.frames import callers_level

Progress = bool | Callable[[int], None] | None


class Meter:
    """Shows the number of pets held.

    Args:
        progress: A function to call with the number; True or False for a bar or none; None for
            a bar only where a person is watching.

    Raises:
        ArgumentError: The option is something else.
    """

    def __init__(self, progress: Progress) -> None:
        self._display: Display[int] | None = open_progress(progress, "Pets read", leave=False)

    def __call__(self, held: int) -> None:
        if self._display is None:
            return
        try:
            self._display.show(held, held)
        except Exception as problem:  # noqa: BLE001 # the fetch matters more than its picture
            self._display = None
            text = f"progress is no longer shown: {problem}"
            warnings.warn(text, RuntimeWarning, stacklevel=callers_level())

    def close(self) -> None:
        """Take the bar down; a resumed fetch puts up another."""
        if self._display is not None:
            self._display.close()
