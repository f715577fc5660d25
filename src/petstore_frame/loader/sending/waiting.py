"""How a wait is announced, so that nobody takes it for a hang.

In: a number of seconds. Out: one sentence, or the wait itself with the sentence before it where a
person is watching. Its callers know what is waited for.
"""

from __future__ import annotations

import sys
import time
from datetime import datetime, timedelta

from petstore_frame._internal.progress import is_watched

# Nobody notices a shorter one.
SHORTEST_ANNOUNCED_S = 1.0


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
