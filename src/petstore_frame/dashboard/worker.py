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
    """One job at a time; ``clock`` returns seconds that never fall.

    ``tick`` is called each second of a job, with the seconds since it last said that it moves.
    """

    def __init__(
        self,
        name: str,
        *,
        tick: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._clock, self._tick = name, clock, tick
        self._moved_at = clock()
        self._reported_at = float("-inf")
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
            self.moves()
            if self._tick is not None:
                Thread(target=self._watch, args=(self._thread,), daemon=True).start()
            return True

    def moves(self) -> None:
        """Called by the job when it gets on."""
        self._moved_at = self._clock()

    def _watch(self, job: Thread) -> None:
        while self._is_busy and self._thread is job:
            job.join(TICK_EVERY_S)
            if self._is_busy and self._thread is job and self._tick is not None:
                self._tick(self.quiet_s)

    @property
    def quiet_s(self) -> float:
        """Seconds since the job last said that it moves."""
        return self._clock() - self._moved_at

    @property
    def is_stopping(self) -> bool:
        """Whether the job was asked to stop, and has not yet come to its next step."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the job to stop at its next step."""
        self._stop.set()

    def check(self) -> None:
        """Called by the job at each step.

        Raises:
            Cancelled: The job was asked to stop; raised once.
        """
        if self._stop.is_set():
            self._stop.clear()
            raise Cancelled

    def pause(self, seconds: float) -> None:
        """Called by the job to let time pass.

        Raises:
            Cancelled: The job was asked to stop, before or meanwhile.
        """
        self._stop.wait(seconds)
        self.check()

    def may_report(self) -> bool:
        """Whether it is time to report progress again; a reader cannot follow more."""
        now = self._clock()
        is_due = now - self._reported_at >= REPORT_EVERY_S
        if is_due:
            self._reported_at = now
        return is_due

    def done(self) -> None:
        """Called by the job before it reports its end, so that the next job may begin."""
        with self._lock:
            # The next job may have begun by the time that this one returns.
            if self._thread is current_thread():
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
            self.done()
