"""A child process that ends with its parent, however the parent ended."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TextIO


def end_with_parent(
    end: Callable[[], None], lifeline: TextIO | None = None, *, poll_s: float = 1.0
) -> None:
    """Call ``end`` when the parent is gone, or the other end of ``lifeline`` is.

    A forked sibling may hold the pipe open after the parent's death, so the parent's process id is
    always watched.
    """
    parent = os.getppid()

    def watch_pipe() -> None:
        while lifeline is not None and lifeline.read(1):
            pass
        end()

    def watch_parent() -> None:
        never = threading.Event()
        while os.getppid() == parent:
            never.wait(poll_s)
        end()

    for watch in (watch_parent,) if lifeline is None else (watch_pipe, watch_parent):
        threading.Thread(target=watch, daemon=True).start()
