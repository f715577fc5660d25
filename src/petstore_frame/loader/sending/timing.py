"""The clocks of a session, and how a wait is announced so that nobody takes it for a hang."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from petstore_frame._internal.progress import is_watched
from petstore_frame.loader.sending.pool import Done, Inbox, wait_for

# Nobody notices a shorter one.
SHORTEST_ANNOUNCED_S = 1.0


@dataclass(frozen=True)
class Timing:
    """The clocks of a session.

    Attributes:
        clock: Gives seconds that only rise, for pacing.
        now: Gives seconds since 1970, for the journal.
        wait: Waits for work to end.
    """

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    wait: Callable[[Inbox, float | None], Done | None] = wait_for


REAL_TIME = Timing()


def announcement(seconds: float) -> str:
    """Return until when nothing happens; an empty text for a wait that is not noticed."""
    if seconds < SHORTEST_ANNOUNCED_S:
        return ""
    end = datetime.now().astimezone() + timedelta(seconds=seconds)
    return f"waiting until {end:%H:%M:%S} before reading back"


def wait_announced(seconds: float) -> None:
    """Wait, and say until when and why where a person is watching."""
    words = announcement(seconds)
    if words and is_watched():
        sys.stderr.write(f"{words}: the store may still act on what is in doubt\n")
    time.sleep(seconds)
