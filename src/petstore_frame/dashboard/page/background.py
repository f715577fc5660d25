"""Runs the job of a button in a thread, shows its progress next to the button, and stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread, current_thread
from typing import Any

from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.errors import AuthenticationError, JournalLockedError, PetstoreError
from petstore_frame.rendering import PAGE

REPORT_EVERY_S = 0.2
# After this wait, the page says that the store does not reply.
SILENT_AFTER_S = 5.0
# How often a thread that waits for the store checks whether to stop.
POLL_S = 0.1
FINISHING = (
    "Finishing the requests already sent. “Stop now” stops at once; a few rows will then need "
    "checking."
)


class ProgressArea:
    """The area next to a button that shows the progress, result and errors of its job.

    Attributes:
        notice: The message about the job.
        stop: The button that stops the job.
        widget: The box with the message and the button.
    """

    def __init__(self, factory: WidgetFactory, press_stop: Callable[[], None]) -> None:
        self.notice = factory.html()
        self.stop = factory.button("Stop", press_stop)
        self.widget = factory.row(self.notice, self.stop, css="pf-progress")
        set_visible(self.stop, False)

    def show(self, markup: str) -> None:
        """Replace the message."""
        self.notice.value = markup


@dataclass(frozen=True)
class Job:
    """A function to run in a thread, with its label and the area that shows its progress.

    ``is_sending`` means that the job sends pets: the first Stop then waits for the requests in
    flight, and no other job can end it. ``can_stop`` shows the Stop button.
    """

    label: str
    run: Callable[[], None]
    area: ProgressArea
    is_sending: bool = False
    can_stop: bool = False
    failure_title: str = "Something went wrong"


class Background:
    """Runs one job at a time in a thread.

    Args:
        factory: Makes the widgets.
        on_change: Called when a job starts or ends.
        ask_for_key: Called if the store rejects the API key.
    """

    def __init__(
        self,
        factory: WidgetFactory,
        on_change: Callable[[], None],
        ask_for_key: Callable[[], None],
    ) -> None:
        self._factory, self._on_change, self._ask_for_key = factory, on_change, ask_for_key
        self._lock, self._stop_event = Lock(), Event()
        self._stops = 0  # clicks on Stop that the job has not handled yet
        self._thread: Thread | None = None
        self._job: Job | None = None
        self._next_job: Job | None = None
        self._reported_at = 0.0
        self.is_stopping = False

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    @property
    def is_sending(self) -> bool:
        job = self._job
        return job is not None and job.is_sending

    def add_area(self, factory: WidgetFactory | None = None) -> ProgressArea:
        """Create an area for the progress of jobs."""
        return ProgressArea(factory or self._factory, self.press_stop)

    def start(self, job: Job) -> None:
        """Start a job, or queue it after the current one; a later job replaces a queued one.

        The next job stops the current one, unless the user can stop the current one with a button.
        """
        with self._lock:
            self._next_job = job
            if self._job is not None:
                if not self._job.can_stop:
                    self._count_stop()
                return
            self._job = job
            self._thread = Thread(target=self._run_jobs, name="petstore", daemon=True)
        self._thread.start()

    def _run_jobs(self) -> None:
        while (job := self._next_from_queue()) is not None:
            job.area.show(PAGE.progress(job.label))
            job.area.stop.description = "Stop"
            set_visible(job.area.stop, job.can_stop)
            self._on_change()
            message = self._message_after(job)
            area = (self._job or job).area
            if message is not None and self._next_job is None:
                area.show(message)
            set_visible(area.stop, False)
        self._on_change()

    def _message_after(self, job: Job) -> str | None:
        """Run a job; return the message to show if it was stopped or failed."""
        try:
            job.run()
        except KeyboardInterrupt:
            return PAGE.warning("Stopped", ["Nothing was lost; start it again when you like."])
        except Exception as problem:  # noqa: BLE001 # the user must see any error
            if self.is_stopping and not job.is_sending:
                return PAGE.warning("Stopped", ["Nothing was lost; start it again when you like."])
            if is_key_rejected(problem):
                self._ask_for_key()
            return failure_markup(problem, job.failure_title)
        return None

    def _next_from_queue(self) -> Job | None:
        """Make the queued job the current one; None ends the thread."""
        with self._lock:
            self._stop_event.clear()
            self._stops, self.is_stopping = 0, False
            self._job, self._next_job = self._next_job, None
            return self._job

    def press_stop(self) -> None:
        """Handle a click on Stop; the second click does not wait for requests in flight."""
        job = self._job
        if job is None:
            return
        self.is_stopping = True
        self._count_stop()
        if job.is_sending:
            job.area.show(PAGE.progress(FINISHING))
            job.area.stop.description = "Stop now"

    def _count_stop(self) -> None:
        self._stops += 1
        self._stop_event.set()

    def check(self, seconds: float = 0) -> None:
        """Wait, and end the job if Stop was clicked before or during the wait.

        Raises:
            KeyboardInterrupt: Once per click; running code then ends as it does after Ctrl-C.
        """
        if not self._stop_event.wait(seconds):
            return
        self._stops -= 1
        if self._stops <= 0:
            self._stop_event.clear()
        raise KeyboardInterrupt

    def move_to(self, area: ProgressArea) -> None:
        """Move the progress of the current job to another area."""
        job = self._job
        if job is None or job.area is area:
            return
        job.area.show("")
        set_visible(job.area.stop, False)
        self._job = replace(job, area=area)
        set_visible(area.stop, job.can_stop)

    def show_message(self, markup: str) -> None:
        """Show markup in the area of the current job."""
        job = self._job
        if job is not None:
            job.area.show(markup)

    def report(self, text: str, share_done: float | None = None) -> None:
        """Show progress at most five times a second, or end the job if Stop was clicked."""
        self.check()
        now = time.monotonic()
        if now - self._reported_at < REPORT_EVERY_S:
            return
        if self.is_stopping and self.is_sending:
            return
        self._reported_at = now
        self.show_message(PAGE.progress(text, share_done))

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no job is running; return False if a job still runs after the timeout."""
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def close(self) -> None:
        """Stop the current job, and wait until it has ended."""
        self._next_job = None
        self._count_stop()
        self.wait()


class StoppableClient:
    """A client whose GET requests end soon after a click on Stop, even if the store hangs.

    A GET changes nothing, so its response may be ignored: the request runs in a separate thread,
    and the job checks the Stop button while it waits. A POST is passed on unchanged.

    Args:
        client: The client that sends the requests.
        background: Runs the job that waits, and shows that the store does not reply.
    """

    def __init__(self, client: Any, background: Background) -> None:
        self._client, self._background = client, background
        self._job_thread = current_thread()
        self.base_url: str = client.base_url
        self.idempotency: Any = client.idempotency

    def post_pet(self, *args: Any, **options: Any) -> Any:
        return self._client.post_pet(*args, **options)

    def list_pets(self, *args: Any, **options: Any) -> Any:
        return self._wait_for(lambda: self._client.list_pets(*args, **options))

    def ask_page(self, *args: Any, **options: Any) -> Any:
        return self._wait_for(lambda: self._client.ask_page(*args, **options))

    def _wait_for(self, request: Callable[[], Any]) -> Any:
        answers: list[Any] = []
        problems: list[BaseException] = []

        def send() -> None:
            try:
                answers.append(request())
            except BaseException as problem:  # noqa: BLE001 # raised in the thread that waits
                problems.append(problem)

        thread = Thread(target=send, name="petstore-request", daemon=True)
        thread.start()
        started_at = time.monotonic()
        while thread.is_alive():
            thread.join(POLL_S)
            if thread.is_alive():
                self._note_wait(time.monotonic() - started_at)
        if problems:
            raise problems[0]
        return answers[0]

    def _note_wait(self, waited_s: float) -> None:
        """Show how long the store has not replied; end the job if Stop was clicked."""
        if current_thread() is not self._job_thread:
            if self._background.is_stopping:
                raise PetstoreError("stopped")
            return
        self._background.check()
        if waited_s >= SILENT_AFTER_S:
            self._background.report(silence_text(waited_s))


def silence_text(waited_s: float) -> str:
    """Return the message to show while the store does not reply.

    Example:
        >>> silence_text(28.4)
        'No reply from the store for 28 s.'
    """
    return f"No reply from the store for {waited_s:.0f} s."


def is_key_rejected(problem: BaseException | None) -> bool:
    """Return whether an error, or one of its causes, is a rejected API key."""
    while problem is not None:
        if isinstance(problem, AuthenticationError):
            return True
        problem = problem.__cause__
    return False


def failure_markup(problem: BaseException, title: str = "Something went wrong", *more: str) -> str:
    """Return a message about an error, with the lines that should follow it."""
    text = str(problem) or type(problem).__name__
    if isinstance(problem, JournalLockedError):
        title = "Another import into this store is running; try again when it has ended"
    elif is_key_rejected(problem):
        title = "The store rejected this API key. Enter a new one at the top of the page."
        text = "Check that this key belongs to this store."
    lines = text.splitlines()
    with suppress(ValueError):
        lines.remove("")
    return PAGE.failure(title, [*lines, *more])
