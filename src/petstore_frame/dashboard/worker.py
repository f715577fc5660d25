"""One piece of work at a time, in a thread, so that the notebook stays free."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread, current_thread

REPORT_EVERY_S = 0.2
TICK_EVERY_S = 1.0


class Cancelled(KeyboardInterrupt):
    """The user pressed Cancel.

    It is an interrupt, so that a listing or an import ends as with Ctrl-C: in order, with a way to
    go on.
    """


class Worker:
    """One job at a time; the job calls ``moves``, ``check`` and ``pause``.

    ``tick`` is called each second of a job, with the seconds since it last said that it moves.
    """

    def __init__(self, name: str, tick: Callable[[float], None] | None = None) -> None:
        self._name, self._tick = name, tick
        self._moved_at, self._reported_at = time.monotonic(), float("-inf")
        self._lock, self._stop = Lock(), Event()
        self._thread: Thread | None = None
        self.is_busy = False

    def start(self, job: Callable[[], None]) -> bool:
        """Begin a job; False if one is under way."""
        with self._lock:
            if self.is_busy:
                return False
            self.is_busy = True
            self._stop.clear()
            self._thread = Thread(target=self._run, args=(job,), name=self._name, daemon=True)
            self._thread.start()
            self.moves()
            if self._tick is not None:
                watch = (self._thread, self._tick)
                Thread(target=self._watch, args=watch, daemon=True).start()
            return True

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        finally:
            self.done()

    def _watch(self, job: Thread, tick: Callable[[float], None]) -> None:
        while self.is_busy and self._thread is job:
            job.join(TICK_EVERY_S)
            if self.is_busy and self._thread is job:
                tick(self.quiet_s)

    def moves(self) -> None:
        self._moved_at = time.monotonic()

    @property
    def quiet_s(self) -> float:
        """Seconds since the job last said that it moves."""
        return time.monotonic() - self._moved_at

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the job to stop at its next step."""
        self._stop.set()

    def check(self) -> None:
        """End the job, at one of its steps, where it was asked to stop.

        Raises:
            Cancelled: Once.
        """
        self.pause(0)

    def pause(self, seconds: float) -> None:
        """Let time pass, and end the job where it was asked to stop, before or meanwhile.

        Raises:
            Cancelled: Once.
        """
        if self._stop.wait(seconds):
            self._stop.clear()
            raise Cancelled

    def may_report(self) -> bool:
        """Whether it is time to report progress again; a reader cannot follow more."""
        now = time.monotonic()
        is_due = now - self._reported_at >= REPORT_EVERY_S
        if is_due:
            self._reported_at = now
        return is_due

    def done(self) -> None:
        """Let the next job begin; called by a job before it reports its end."""
        with self._lock:
            # The next job may have begun by the time that this one returns.
            if self._thread is current_thread():
                self.is_busy = False

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the job under way; True once there is none."""
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()
