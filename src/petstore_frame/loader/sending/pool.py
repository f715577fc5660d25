"""Runs requests in threads, by clocks that a test may replace."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from petstore_frame.storage.progress import is_watched

Inbox = queue.SimpleQueue["Done | None"]


@dataclass(frozen=True, slots=True)
class Done:
    """The end of one piece of work: who takes it, and its value or the error that it raised."""

    then: Callable[[Done], None]
    value: Any = None
    error: Exception | None = None


_Job = tuple[Callable[[Done], None], Callable[[], Any]]
# A signal that arrives just before a wait does not end it.
LONGEST_WAIT_S = 1.0


def wait_for(inbox: Inbox, timeout_s: float | None) -> Done | None:
    """Take the next end from the inbox; ``queue.Empty`` if none came in time, or in a second."""
    most_s = LONGEST_WAIT_S if timeout_s is None else min(timeout_s, LONGEST_WAIT_S)
    return inbox.get(timeout=most_s)


class Pool:
    """Up to ``most`` threads, started as they are needed and gone when the pool is closed."""

    def __init__(
        self, most: int, *, wait: Callable[[Inbox, float | None], Done | None] = wait_for
    ) -> None:
        self.busy = 0
        self._most = most
        self._wait = wait
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._inbox: Inbox = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._is_abandoned = False

    def start(self, work: Callable[[], Any], then: Callable[[Done], None]) -> None:
        """Let a thread do the work; ``then`` is for the one who gathers its end."""
        self.busy += 1
        if len(self._threads) < min(self.busy, self._most):
            # A daemon, so that an abandoned wait for the store cannot hold the interpreter.
            thread = threading.Thread(target=self._serve, name="pet-loader", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put((then, work))

    def gather(self, timeout_s: float | None) -> list[Done]:
        """Wait for an end, then take all that are there; empty after the time or a wake."""
        ends: list[Done | None] = []
        with suppress(queue.Empty):
            ends.append(self._wait(self._inbox, timeout_s))
            while True:
                ends.append(self._inbox.get_nowait())
        found = [end for end in ends if end is not None]
        self.busy -= len(found)
        return found

    def wake(self) -> None:
        """End a running ``gather`` early; safe to call from a signal handler."""
        self._inbox.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            then, work = job
            if self._is_abandoned:
                return
            try:
                self._inbox.put(Done(then, work()))
            except Exception as problem:  # noqa: BLE001 # handed to the one who decides
                self._inbox.put(Done(then, error=problem))

    def abandon(self) -> None:
        """Start nothing more and await nothing; a thread ends once the store has answered it."""
        self._is_abandoned = True
        self.busy = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, problem: BaseException | None, *__: object) -> None:
        for _ in self._threads:
            self._jobs.put(None)
        if problem is None and not self._is_abandoned:
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
    """Wait, and say how long and why where a person is watching."""
    if seconds >= 1 and is_watched():
        why = "the store may still act on unconfirmed rows"
        sys.stderr.write(f"waiting {seconds:.0f} s before reading back: {why}\n")
    time.sleep(seconds)
