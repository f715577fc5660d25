"""Delivers Ctrl-C only at safe points, never in the middle of a state change.

Python delivers signals to the main thread alone, so in any other thread nothing is changed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import SimpleQueue
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
    """Holds interrupts back while it is entered, and delivers them where ``allow`` says so."""

    def __init__(self) -> None:
        super().__init__(self._arrived)
        self.is_allowed = False

    def _arrived(self) -> None:
        if self.is_allowed:
            self.deliver()

    def deliver(self) -> None:
        """Raise a KeyboardInterrupt where an interrupt is waiting."""
        if self.count:
            self.count = 0
            self.is_allowed = False  # a second one must not break the clean-up of the first
            raise KeyboardInterrupt

    @contextmanager
    def allow(self) -> Iterator[None]:
        """Deliver interrupts inside this block, which waits for the store."""
        before, self.is_allowed = self.is_allowed, True
        try:
            self.deliver()
            yield
        finally:
            self.is_allowed = before

    def wait(self, *answers: Future[Any]) -> None:
        """Wait for other threads, and deliver interrupts meanwhile.

        The queue waits in C: an interrupt inside one of Python's own locks could break the lock.
        """
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        for answer in answers:
            answer.add_done_callback(done.put)
        with self.allow():
            for _ in answers:
                done.get()
