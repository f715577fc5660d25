"""One writer at a time in a history's folder.

In: a folder. Out: the right to write there, for as long as a ``with`` block lasts. The system
gives the right back when a process ends, however it ends, so no lock outlives its writer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from petstore_frame.errors import HistoryError, HistoryLockedError

LOCK_NAME = ".lock"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Hold the folder for writing.

    Raises:
        HistoryLockedError: Another process or thread is writing there; nothing was changed.
        HistoryError: The folder cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as problem:
        raise HistoryError(f"{folder} cannot be written to: {problem.strerror}") from problem
    try:
        try:
            _seize(handle)
        except OSError:
            raise HistoryLockedError(
                f"another writer is at work in {folder}; wait for it to end and add again"
            ) from None
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _seize(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _seize(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
