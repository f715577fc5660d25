"""Ctrl-C as a wish, counted, instead of an exception in the middle of a commit.

In: the interrupt signal. Out: how often it came. Outside the main thread nothing is changed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self


class Interrupts:
    """Counts interrupts while it is entered.

    Args:
        wake: Called at each, from the signal handler.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self.count = 0
        self._wake = wake
        self._before: Any = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self._wake()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
