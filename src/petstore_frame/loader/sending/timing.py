"""The clocks of a session, which a test replaces.

In: nothing. Out: functions that give the time and wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from petstore_frame.loader.sending.pool import Done, Inbox, wait_for


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
