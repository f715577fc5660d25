"""One piece of work at a time, in a thread, so that the notebook stays free.

In: a function. Out: nothing; the function tells whom it likes. It knows no widget.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread, current_thread


class Cancelled(KeyboardInterrupt):
    """Somebody pressed Cancel.

    It is an interrupt, so that a listing or an import that it meets ends as with Ctrl-C: in
    order, with a way to go on.
    """


class Worker:
    """Runs one job at a time.

    Args:
        name: What the thread is called.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._is_busy = False

    @property
    def is_busy(self) -> bool:
        return self._is_busy

    def start(self, job: Callable[[], None]) -> bool:
        """Begin a job; False if one is under way."""
        with self._lock:
            if self._is_busy:
                return False
            self._is_busy = True
            self._stop.clear()
            self._thread = Thread(target=self._run, args=(job,), name=self._name, daemon=True)
            self._thread.start()
            return True

    def cancel(self) -> None:
        """Ask the job to stop at its next step."""
        self._stop.set()

    def check(self) -> None:
        """Called by the job at each step.

        Raises:
            Cancelled: The job was asked to stop; told once.
        """
        if self._stop.is_set():
            self._stop.clear()
            raise Cancelled

    def done(self) -> None:
        """Called by the job when it is about to tell its end, so that the next may begin."""
        self._is_busy = False

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the job under way; True once there is none."""
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        finally:
            self._is_busy = False
