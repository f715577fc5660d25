"""Runs requests in threads, with clocks that a test may replace."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from petstore_frame.storage.progress import is_watched

Inbox = queue.SimpleQueue["Done | None"]
# A signal just before a wait does not end the wait, so this is the delay of Ctrl-C and of Stop.
LONGEST_WAIT_S = 0.5
# How often a paused thread checks whether its pool was abandoned.
PAUSE_CHECK_S = 0.5


@dataclass(frozen=True, slots=True)
class Done:
    """A finished job: the function that handles it, and its value or exception."""

    handle: Callable[[Done], None]
    value: Any = None
    error: BaseException | None = None
    resume: threading.Event | None = None  # set once the thread may take its next job


class _Job(NamedTuple):
    handle: Callable[[Done], None]
    work: Callable[[], Any]


def wait_for(inbox: Inbox, timeout_s: float | None) -> Done | None:
    """Return the next finished job; raise ``queue.Empty`` after the timeout or half a second."""
    if timeout_s is None:
        return inbox.get(timeout=LONGEST_WAIT_S)
    return inbox.get(timeout=min(timeout_s, LONGEST_WAIT_S))


class Pool:
    """Threads that are started when they are needed and end when the pool is closed.

    Jobs that have not started wait in a queue and can be recalled. After an unusual result a thread
    takes no further job until ``resume``, because the result may mean that nothing more should be
    sent.

    Attributes:
        busy: Number of jobs that are queued or running.
        max_threads: Maximum number of threads.
    """

    def __init__(
        self,
        max_threads: int,
        *,
        is_usual: Callable[[Any], bool] = lambda _: True,
        wait: Callable[[Inbox, float | None], Done | None] = wait_for,
    ) -> None:
        self.busy = 0
        self.max_threads = max_threads
        self._is_usual = is_usual
        self._wait = wait
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._inbox: Inbox = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._paused: list[threading.Event] = []
        self._is_abandoned = False

    @property
    def queued(self) -> int:
        """The number of jobs that have not started."""
        return self._jobs.qsize()

    def start(self, work: Callable[[], Any], handle: Callable[[Done], None]) -> None:
        """Queue a job; the caller of ``gather`` passes the finished job to ``handle``."""
        self.busy += 1
        if len(self._threads) < min(self.busy, self.max_threads):
            # A daemon, so that an abandoned request cannot keep the interpreter alive.
            thread = threading.Thread(target=self._run_jobs, name="pet-loader", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put(_Job(handle, work))

    def gather(self, timeout_s: float | None) -> list[Done]:
        """Wait for a finished job and return all; empty after the timeout or a ``wake``."""
        received: list[Done | None] = []
        with suppress(queue.Empty):
            received.append(self._wait(self._inbox, timeout_s))
            while True:
                received.append(self._inbox.get_nowait())
        ends = [end for end in received if end is not None]
        self.busy -= len(ends)
        self._paused += [end.resume for end in ends if end.resume is not None]
        return ends

    def recall(self) -> list[Callable[[Done], None]]:
        """Remove the jobs that have not started from the queue; return their handlers."""
        handlers = []
        with suppress(queue.Empty):
            while (job := self._jobs.get_nowait()) is not None:
                handlers.append(job.handle)
        self.busy -= len(handlers)
        return handlers

    def resume(self) -> None:
        """Let the threads with unusual results take jobs again."""
        for event in self._paused:
            event.set()
        self._paused = []

    def wake(self) -> None:
        """End a running ``gather`` early; safe to call from a signal handler."""
        self._inbox.put(None)

    def abandon(self) -> None:
        """Start no more jobs and wait for none; a thread ends after its current job."""
        self._is_abandoned = True
        self.busy = 0

    def _run_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._is_abandoned:
                return
            end = self._run(job)
            self._inbox.put(end)
            while end.resume is not None and not end.resume.wait(PAUSE_CHECK_S):
                if self._is_abandoned:
                    return

    def _run(self, job: _Job) -> Done:
        try:
            value = job.work()
        except BaseException as problem:  # noqa: BLE001 # the caller of gather decides
            return Done(job.handle, error=problem, resume=threading.Event())
        if self._is_usual(value):
            return Done(job.handle, value)
        return Done(job.handle, value, resume=threading.Event())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, problem: BaseException | None, *__: object) -> None:
        if problem is not None:
            self._is_abandoned = True
        self.resume()
        for _ in self._threads:
            self._jobs.put(None)
        if not self._is_abandoned:
            for thread in self._threads:
                thread.join()


@dataclass(frozen=True)
class SessionClocks:
    """The clocks of a session."""

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    wait: Callable[[Inbox, float | None], Done | None] = wait_for


REAL_TIME: SessionClocks = SessionClocks()


def wait_announced(seconds: float) -> None:
    """Wait; in a terminal or a notebook, say how long and why."""
    if seconds >= 1 and is_watched():
        reason = "late requests may still create a pet"
        sys.stderr.write(f"waiting {seconds:.0f} s before reading the store: {reason}\n")
    time.sleep(seconds)
