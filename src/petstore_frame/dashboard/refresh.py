"""Reading the store again without stopping the notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.errors import IncompleteInventoryError
from petstore_frame.inventory import Inventory


class Listener(Protocol):
    """What a reading reports to; every call comes from the reading's thread."""

    def reading(self, pets: int) -> None: ...
    def read(self, inventory: Inventory) -> None: ...
    def broken_off(self, problem: BaseException | None, *, may_resume: bool) -> None: ...


class Refresher:
    """Reads a store in a thread, one reading at a time.

    Args:
        read: Reads the store; calls its argument with the number of pets held so far.
        listener: What the reading reports to.
    """

    def __init__(
        self, read: Callable[[Callable[[int], None]], Inventory], listener: Listener
    ) -> None:
        self._read, self._listener = read, listener
        self._worker = Worker("petstore-refresh")
        self._go_on: Callable[[], Inventory] | None = None

    def start(self, *, resume: bool = False) -> bool:
        """Begin a reading, or go on with one that broke off; False if one is under way."""
        go_on = self._go_on if resume else None
        read = go_on or (lambda: self._read(self._progress))
        return self._worker.start(lambda: self._run(read))

    def cancel(self) -> None:
        """Ask the reading under way to stop after the page that it is at."""
        self._worker.cancel()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the reading under way; True once there is none."""
        return self._worker.wait(timeout_s)

    def _progress(self, pets: int) -> None:
        self._worker.check()
        if self._worker.may_report():
            self._listener.reading(pets)

    def _run(self, read: Callable[[], Inventory]) -> None:
        try:
            inventory = read()
        except IncompleteInventoryError as problem:
            self._go_on = problem.resume
            self._end(None if problem.is_interrupted else problem, may_resume=True)
        except Cancelled:
            self._end(None, may_resume=False)
        except Exception as problem:  # noqa: BLE001 # shown to the user, who is not in this thread
            self._end(problem, may_resume=False)
        else:
            self._go_on = None
            self._worker.done()
            self._listener.read(inventory)

    def _end(self, problem: BaseException | None, *, may_resume: bool) -> None:
        self._worker.done()
        self._listener.broken_off(problem, may_resume=may_resume)
