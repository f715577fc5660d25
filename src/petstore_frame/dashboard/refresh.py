"""Reading the store again without stopping the notebook.

In: a way to read the store. Out: events of one reading at a time, told from a thread of its own.
It knows no widget.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Protocol

from petstore_frame.errors import IncompleteInventoryError
from petstore_frame.inventory import Inventory


class Listener(Protocol):
    """What is told of a reading; every call comes from the reading's thread."""

    def reading(self, pets: int) -> None: ...
    def read(self, inventory: Inventory) -> None: ...
    def broken_off(self, problem: BaseException | None, *, may_resume: bool) -> None: ...


class Cancelled(Exception):  # noqa: N818 # no error: somebody pressed Cancel
    """The reading was told to stop."""


class Refresher:
    """Reads a store in a thread, one reading at a time.

    Args:
        read: Reads the store, telling its argument how many pets it holds so far.
        listener: Told what happens.
    """

    def __init__(
        self, read: Callable[[Callable[[int], None]], Inventory], listener: Listener
    ) -> None:
        self._read, self._listener = read, listener
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._resume: Callable[[], Inventory] | None = None

    @property
    def is_busy(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()

    def start(self, *, resume: bool = False) -> bool:
        """Begin a reading, or go on with one that broke off; False if one is under way."""
        with self._lock:
            if self.is_busy:
                return False
            go_on = self._resume if resume else None
            self._stop = Event()
            self._thread = Thread(
                target=self._run, args=(go_on, self._stop), name="petstore-refresh", daemon=True
            )
            self._thread.start()
            return True

    def cancel(self) -> None:
        """Ask the reading under way to stop after the page that it is at."""
        self._stop.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the reading under way; True once there is none."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_busy

    def _run(self, go_on: Callable[[], Inventory] | None, stop: Event) -> None:
        def progress(pets: int) -> None:
            if stop.is_set():
                raise Cancelled
            self._listener.reading(pets)

        try:
            inventory = go_on() if go_on else self._read(progress)
        except IncompleteInventoryError as problem:
            self._resume = problem.resume
            told = None if stop.is_set() else problem
            self._listener.broken_off(told, may_resume=True)
        except Cancelled:
            self._listener.broken_off(None, may_resume=False)
        except Exception as problem:  # noqa: BLE001 # shown to the user, who is not in this thread
            self._listener.broken_off(problem, may_resume=False)
        else:
            self._resume = None
            if stop.is_set():
                self._listener.broken_off(None, may_resume=False)
            else:
                self._listener.read(inventory)
