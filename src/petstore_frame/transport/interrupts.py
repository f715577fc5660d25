"""Delivers Ctrl-C only at safe points, never in the middle of a state change.

Python delivers signals to the main thread alone, so in any other thread nothing is changed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

_Handler = Callable[[int, FrameType | None], Any] | int | None
# Those that are entered in the main thread, the innermost last: it gets the interrupts.
_ENTERED: list[Interrupts] = []


class Interrupts:
    """Counts interrupts while it is entered, and calls ``wake`` from the handler of each."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.count = 0
        self._wake = wake
        self._before: _Handler = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        innermost = _ENTERED[-1] if _ENTERED else self
        innermost.count += 1
        innermost._wake()  # noqa: SLF001 # of our own class

    def __enter__(self) -> Self:
        self.count = 0
        if threading.current_thread() is threading.main_thread():
            # One handler for all, as setting it costs more than all else of a small request. A
            # program that ignores Ctrl-C, such as one in the background, keeps ignoring it.
            if not _ENTERED and callable(signal.getsignal(signal.SIGINT)):
                self._before = signal.signal(signal.SIGINT, self._note)
            _ENTERED.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self in _ENTERED:
            _ENTERED.remove(self)
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None


class Deferred(Interrupts):
    """Holds interrupts back while it is entered, and delivers them where it is asked to."""

    def __init__(self) -> None:
        super().__init__(lambda: None)

    def deliver(self) -> None:
        """Raise a KeyboardInterrupt where an interrupt is waiting."""
        if self.count:
            self.count = 0
            raise KeyboardInterrupt
