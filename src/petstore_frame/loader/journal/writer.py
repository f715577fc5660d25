"""The only writer of a journal: many changes in one durable commit, counted beside it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import (
    check_whole,
    connect,
    count_file,
    create,
    journal_error,
    not_whole,
    note_whole,
    sql_errors,
)


class Writer:
    """Writes to the journal of one store; the caller holds its lock.

    Args:
        path: The journal; made if it is not there.
        base_url: The store of a new one.

    Attributes:
        sql: The connection. Whatever changes the journal does so in ``transaction`` or
            ``counted``.

    Raises:
        JournalError: The journal has lost something, or its disk failed; nothing was sent.
    """

    def __init__(self, path: Path, base_url: str) -> None:
        self.path = path
        if not check_whole(path):
            create(path, base_url)
        with sql_errors(path):
            self.sql = connect(path, mode="rw")
            # NORMAL may lose the last commits on power loss: "sent" would read as "pending".
            self.sql.execute("PRAGMA synchronous = FULL")
            self.sql.execute("PRAGMA fullfsync = 1")
            self.sql.execute("PRAGMA cache_size = -32768")  # 32 MB: a large file is staged at once
            ((self._commits,),) = self.sql.execute("SELECT commits FROM journal").fetchall()
        try:
            self._count = os.open(count_file(path), os.O_RDWR)
            self._file = _identity(path)
        except OSError as problem:
            self.sql.close()
            raise JournalError(f"{path}: {problem.strerror}; nothing was sent") from problem

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for one commit, which is on disk and counted when the block ends.

        Raises:
            JournalError: Nothing of it is on disk, or it cannot be relied on.
        """
        with sql_errors(self.path), self.counted():
            yield self.sql

    @contextmanager
    def counted(self) -> Iterator[None]:
        """The same, with the database's own errors."""
        self.sql.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.sql.execute("UPDATE journal SET commits = commits + 1")
            self.sql.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self.sql.execute("ROLLBACK")
            raise
        self._commits += 1
        try:
            os.lseek(self._count, 0, os.SEEK_SET)
            os.write(self._count, b"%020d\n" % self._commits)
        except OSError as problem:
            raise journal_error(self.path, problem, is_sending=True) from problem

    def check_place(self) -> None:
        """Refuse to write to a file that has lost its name: no later import would find it.

        Raises:
            JournalError: It was moved or deleted.
        """
        try:
            is_ours = _identity(self.path) == self._file
        except OSError as problem:
            raise journal_error(self.path, problem, is_sending=True) from problem
        if not is_ours:
            raise not_whole(self.path, "was replaced during the import", "sending has stopped")

    def close(self) -> None:
        """Close the journal."""
        with suppress(sqlite3.Error):
            self.sql.close()
        os.close(self._count)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, problem: object, *_: object) -> None:
        self.close()
        if problem is None and self.path.exists():
            note_whole(self.path)  # or the next load would look through all of it again


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino
