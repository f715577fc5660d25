"""One importer at a time.

In: a path. Out: a lock on it, which ends with the process, however that ends. It does not know
what the lock protects.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Self

from petstore_frame.errors import JournalError, JournalLockedError

LOCK = ".lock"


class Lock:
    """Holds a small database beside a file exclusively, until the process ends at the latest.

    Args:
        path: The file to hold; the lock's own file has ``.lock`` added to its name.
        wait_s: Seconds to wait for another holder.

    Raises:
        JournalLockedError: Another process, or another thread of this one, holds it.
        JournalError: The place cannot be written.
    """

    def __init__(self, path: Path, *, wait_s: float = 0.0) -> None:
        try:
            self._sql = _held(path.with_name(path.name + LOCK), wait_s)
        except sqlite3.Error as problem:
            if getattr(problem, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise JournalError(f"{path}: {problem}; nothing was sent") from problem
            raise JournalLockedError(
                f"{path}: another import is at work here; wait for it to end, "
                "or stop it: what it has begun can be resumed"
            ) from problem

    def close(self) -> None:
        """Release it."""
        with closing(self._sql):
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _held(path: Path, wait_s: float) -> sqlite3.Connection:
    """Open a database and begin a transaction that excludes every other connection."""
    sql = sqlite3.connect(path, timeout=wait_s, isolation_level=None, check_same_thread=False)
    try:
        sql.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        sql.close()
        raise
    return sql
