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


class Interrupts:
    """Counts interrupts while it is entered.

    Args:
        wake: Called at each, from the signal handler.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self.count = 0
        self._wake = wake
        self._before: _Handler = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self._wake()

    def __enter__(self) -> Self:
        self.count = 0
        if _is_main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


class Deferred(Interrupts):
    """Holds interrupts back while it is entered, and delivers them where that is allowed."""

    def __init__(self) -> None:
        super().__init__(self._arrived)
        self.is_allowed = False

    def _arrived(self) -> None:
        if self.is_allowed:
            self.deliver()

    def deliver(self) -> None:
        """Raise the interrupt that is held back.

        Raises:
            KeyboardInterrupt: There is one.
        """
        if self.count:
            self.count = 0
            self.is_allowed = False  # a second one may not tear what the first passes on its way
            raise KeyboardInterrupt

    def allow(self) -> _Delivery:
        """Deliver interrupts inside a ``with`` block: one that waits for the store."""
        return _Delivery(self, is_allowed=True)

    def block(self) -> _Delivery:
        """Hold them back inside a ``with`` block: a state change within an allowed block."""
        return _Delivery(self, is_allowed=False)


class _Delivery:
    """A block in which interrupts are delivered, or held back."""

    __slots__ = ("_before", "_interrupts", "_is_allowed")

    def __init__(self, interrupts: Deferred, *, is_allowed: bool) -> None:
        self._interrupts, self._is_allowed = interrupts, is_allowed
        self._before: bool | None = None

    def __enter__(self) -> None:
        if _is_main_thread():
            self._before = self._interrupts.is_allowed
            self._interrupts.is_allowed = self._is_allowed
            if self._is_allowed:
                self._interrupts.deliver()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._before is not None:
            self._interrupts.is_allowed = self._before
            if self._before and kind is None:
                self._interrupts.deliver()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
