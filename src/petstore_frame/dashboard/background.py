"""Runs what the controls start: one job at a time in a thread, with a button that stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread, current_thread
from typing import NamedTuple

from petstore_frame.dashboard.widgets import Kit, show
from petstore_frame.errors import AuthenticationError, JournalLockedError
from petstore_frame.rendering import PAGE

REPORT_EVERY_S = 0.2
READING = "It waits for the page that is on its way."


class _Job(NamedTuple):
    words: str
    run: Callable[[], None]
    stopping: str


class Work:
    """One job at a time in a thread, which calls ``check`` at each step.

    Args:
        kit: Makes its widgets.
        changed: Called when a job begins or ends.

    Attributes:
        notice: What is said about the job.
        stop: A button that stops it; a second press does not wait for its end in order.
    """

    def __init__(self, kit: Kit, changed: Callable[[], None]) -> None:
        self._kit, self._changed = kit, changed
        self.notice, self.stop = kit.html(), kit.button("Stop", self._press)
        show(self.stop, False)
        self._lock, self._asked = Lock(), Event()
        self._thread: Thread | None = None
        self._job: _Job | None = None
        self._next: _Job | None = None
        self._reported_at, self.is_stopping = 0.0, False

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def start(self, words: str, run: Callable[[], None], *, stopping: str = "") -> None:
        """Begin a job, after the one under way; the last that was to begin counts.

        ``stopping`` says what *Stop* waits for; without it there is no such button, and the next
        job ends this one.
        """
        with self._lock:
            self._next = _Job(words, run, stopping)
            if self._job is not None:
                if not self._job.stopping:
                    self._asked.set()
                return
            self._job = self._next
            self._thread = Thread(target=self._run, name="petstore", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while job := self._begin():
            self.say(PAGE.progress(job.words))
            self._draw()
            said: str | None = None
            try:
                job.run()
            except KeyboardInterrupt:
                said = PAGE.warning("Stopped", ["Nothing was lost; start it again."])
            except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
                said = failure(problem)
                if isinstance(problem, AuthenticationError):
                    self._kit.refused()
            if said is not None and self._next is None:
                self.say(said)
        self._draw()

    def _begin(self) -> _Job | None:
        """Take the next job; None ends the thread."""
        with self._lock:
            self._asked.clear()
            self.is_stopping = False
            self._job, self._next = self._next, None
            return self._job

    def _draw(self) -> None:
        show(self.stop, self._job is not None and self._job.stopping)
        self.stop.description = "Stop now" if self.is_stopping else "Stop"
        self._changed()

    def _press(self) -> None:
        if self._job is not None:
            self.is_stopping = True
            self._asked.set()
            self.say(PAGE.warning("Stopping", [self._job.stopping]))
            self._draw()

    def say(self, markup: str) -> None:
        """Show markup in the notice."""
        self.notice.value = markup

    def check(self, seconds: float = 0) -> None:
        """Let time pass, and end the job where it was asked to stop, before or meanwhile.

        Raises:
            KeyboardInterrupt: Once for each press of the button; as after Ctrl-C, what is under
                way ends in order.
        """
        if self._asked.wait(seconds):
            self._asked.clear()
            raise KeyboardInterrupt

    def report(self, words: str, share_done: float | None = None) -> None:
        """End the job where that was asked for, or show progress, at most five times a second."""
        self.check()
        now = time.monotonic()
        if now - self._reported_at >= REPORT_EVERY_S and not self.is_stopping:
            self._reported_at = now
            self.say(PAGE.progress(words, share_done))

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the job under way; True once there is none."""
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def close(self) -> None:
        """Stop the job under way, in order."""
        self._next = None
        self._asked.set()
        self.wait()


def failure(problem: Exception, title: str = "This did not work", after: str = "") -> str:
    """Show what went wrong, beginning with what it means for the user, and what still holds."""
    if isinstance(problem, JournalLockedError):
        title = "Another import into this store is at work; try again when it has ended"
    elif isinstance(problem, AuthenticationError):
        title = "The store does not take the key; enter a new one above"
    return PAGE.failure(title, [str(problem) or type(problem).__name__, *filter(None, [after])])
