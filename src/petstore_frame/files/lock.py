"""Lock files: one writer at a time in a file or folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


class AtWorkError(Exception):
    """Another process, or another thread of this one, holds the lock."""


@contextmanager
def held(path: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold a lock file for as long as the block lasts; the system frees it with its process.

    Args:
        path: The lock's own file; it stays, empty, when the lock is free.
        wait_s: Seconds to wait for another holder.

    Raises:
        AtWorkError: Somebody else holds it.
        OSError: The place cannot be written.
    """
    # Each caller gets its own lock object: a shared one would let the same thread in twice.
    lock = FileLock(path, timeout=wait_s, is_singleton=False)
    try:
        lock.acquire()
    except Timeout:
        raise AtWorkError(str(path)) from None
    try:
        yield
    finally:
        lock.release()
