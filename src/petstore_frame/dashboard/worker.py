"""One piece of work at a time, in a thread, so that the notebook stays free."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock, Thread, current_thread

from petstore_frame.errors import AuthenticationError, JournalLockedError
from petstore_frame.markup import PAGE

REPORT_EVERY_S = 0.2


class Stopped(KeyboardInterrupt):
    """The user pressed Stop.

    It is an interrupt, so that a listing or an import ends as with Ctrl-C: in order, with a way to
    go on.
    """


class Worker:
    """One job at a time, which calls ``check`` at each step; ``say`` shows markup about it.

    Args:
        name: Of its threads.
        say: Shows markup; what a job raises is said, too.
        changed: Called when a job begins or ends.
    """

    def __init__(
        self, name: str, say: Callable[[str], None], changed: Callable[[], None] = lambda: None
    ) -> None:
        self._name, self.say, self._changed = name, say, changed
        self._reported_at = float("-inf")
        self._lock, self._stop = Lock(), Event()
        self._thread: Thread | None = None
        self.is_busy = False
        self.refused_key = False  # whether the last job ended because the store refused the key

    def start(self, words: str, work: Callable[[], None]) -> bool:
        """Begin a job; False if one is under way."""
        with self._lock:
            if self.is_busy:
                return False
            self.is_busy = True
            self._stop.clear()
            self._thread = Thread(target=self._run, args=(work,), name=self._name, daemon=True)
        self.say(PAGE.progress(words))
        self._changed()
        self._thread.start()
        return True

    def _run(self, work: Callable[[], None]) -> None:
        said: str | None = None
        self.refused_key = False
        try:
            work()
        except Stopped:
            said = PAGE.warning("Stopped", ["Nothing was lost; start it again."])
        except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
            self.refused_key = isinstance(problem, AuthenticationError)
            said = failure(problem)
        finally:
            with self._lock:
                self.is_busy = False
            if said is not None:
                self.say(said)
            self._changed()

    @property
    def is_stopping(self) -> bool:
        """Whether the job was asked to stop and goes on as yet."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the job to stop at its next step."""
        self._stop.set()

    def check(self) -> None:
        """End the job, at one of its steps, where it was asked to stop.

        Raises:
            Stopped: Once.
        """
        self.pause(0)

    def pause(self, seconds: float) -> None:
        """Let time pass, and end the job where it was asked to stop, before or meanwhile.

        Raises:
            Stopped: Once.
        """
        if self._stop.wait(seconds):
            self._stop.clear()
            raise Stopped

    def report(self, words: str, share_done: float | None = None) -> None:
        """Show progress, at most five times a second."""
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


def failure(problem: Exception, title: str = "This did not work", after: str = "") -> str:
    """Show what went wrong, beginning with what it means for the user, and what still holds."""
    if isinstance(problem, JournalLockedError):
        title = "Another import into this store is at work; try again when it has ended"
    elif isinstance(problem, AuthenticationError):
        title = "The store does not take the key; enter a new one above"
    text = str(problem) or "Nothing more is known."
    return PAGE.failure(title, [text, *filter(None, [after])])
