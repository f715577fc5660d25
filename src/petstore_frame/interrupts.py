"""Ctrl-C as a wish that is heard where it can do no harm, not in the middle of a change.

In: the interrupt signal. Out: how often it came, or a KeyboardInterrupt at a place that bears it.
Outside the main thread nothing is changed: the signal never comes there.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        self.count = 0
        if _is_main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


class Deferred(Interrupts):
    """Keeps an interrupt waiting while it is entered, and lets it in only at chosen places."""

    def __init__(self) -> None:
        super().__init__(self._arrived)
        self._may_enter = False

    def _arrived(self) -> None:
        if self._may_enter:
            self.let_in()

    def let_in(self) -> None:
        """Raise the interrupt that is waiting.

        Raises:
            KeyboardInterrupt: There is one.
        """
        if self.count:
            self.count = 0
            raise KeyboardInterrupt

    @contextmanager
    def open(self) -> Iterator[None]:
        """Let interrupts in for the length of a block: one that waits, where nothing changes."""
        yield from self._set(may_enter=True)

    @contextmanager
    def shut(self) -> Iterator[None]:
        """Keep them waiting for the length of a block inside an open one."""
        yield from self._set(may_enter=False)

    def _set(self, *, may_enter: bool) -> Iterator[None]:
        if not _is_main_thread():
            yield
            return
        before, self._may_enter = self._may_enter, may_enter
        try:
            if may_enter:
                self.let_in()
            yield
        finally:
            self._may_enter = before
        if before:
            self.let_in()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
