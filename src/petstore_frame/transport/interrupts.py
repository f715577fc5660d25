"""Delivers Ctrl-C only at safe points, never in the middle of a state change."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any, Self


class Interrupts:
    """A context manager that counts interrupts, and calls ``wake`` from the signal handler."""

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._wake = wake
        self._before: Any = None

    def _note(self, *_: object) -> None:
        self.count += 1
        self._wake()

    def deliver(self) -> None:
        """Raise a KeyboardInterrupt if an interrupt is waiting."""
        if self.count:
            self.count = 0
            raise KeyboardInterrupt

    def __enter__(self) -> Self:
        # Python delivers signals to the main thread only.
        is_main = threading.current_thread() is threading.main_thread()
        # A program that ignores Ctrl-C, such as one in the background, keeps ignoring it.
        if is_main and callable(signal.getsignal(signal.SIGINT)):
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
