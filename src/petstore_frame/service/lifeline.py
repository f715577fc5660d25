"""A child process that ends with its parent, however the parent ended.

In: a stream whose other end only the parent holds, and a function that ends the child. Out: that
function's call, once, when the stream is at its end or the parent is another.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TextIO


def end_with_parent(end: Callable[[], None], lifeline: TextIO, *, poll_s: float = 1.0) -> None:
    """Call ``end`` when the other end of ``lifeline`` is gone, or the parent is.

    A forked sibling may hold the pipe open after the parent's death, so the parent's process id is
    watched too.
    """
    parent = os.getppid()

    def watch_pipe() -> None:
        while lifeline.read(1):
            pass
        end()

    def watch_parent() -> None:
        never = threading.Event()
        while os.getppid() == parent:
            never.wait(poll_s)
        end()

    for watch in (watch_pipe, watch_parent):
        threading.Thread(target=watch, daemon=True).start()
