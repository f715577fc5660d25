"""The only writer of a journal: many changes, one durable commit, counted in its check file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.checkfile import CheckFile, Mark, log_of
from petstore_frame.loader.journal.database import (
    AT_WORK,
    check_whole,
    connect,
    create,
    sql_errors,
)

BALLAST_BYTES = 256 * 1024
# The log is brought into the main file when it has grown so large.
LOG_BYTES = 64 * 1024 * 1024
# What a lost end of the log may have sent. A key may have been given up in it, so none is kept.
_LOST_ATTEMPTS = f"""
INSERT INTO attempts (import, record, attempt, started_at, ended_at, verdict, reason)
SELECT import, record, attempts + 1, started_at, :now, 'unknown', 'log_lost'
FROM records JOIN imports USING (import) WHERE state IN ('pending', 'in_flight') AND {AT_WORK}
"""
_LOST_RECORDS = f"""
INSERT INTO fates (import, record, store, state, reason, is_in_doubt, attempts, first_sent_at,
  last_sent_at)
SELECT import, record, store, 'unknown', 'log_lost', 1, attempts + 1,
  coalesce(first_sent_at, started_at), :now
FROM records JOIN imports USING (import) WHERE state IN ('pending', 'in_flight') AND {AT_WORK}
ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason, is_in_doubt = 1,
  attempts = excluded.attempts, idempotency_key = NULL, first_sent_at = excluded.first_sent_at,
  last_sent_at = excluded.last_sent_at
"""


class Writer:
    """Writes to the journal of one store; the caller holds its lock.

    Args:
        path: The journal; made if it is not there.
        base_url: The store of a new one.
        accept_loss: Take a journal that has lost the end of its log: what may have been sent in
            it is in doubt from now on.

    Attributes:
        concerned: The imports that lost something, by their ids.

    Raises:
        JournalError: The journal has lost something, or its disk failed; nothing was sent.
    """

    def __init__(self, path: Path, base_url: str, *, accept_loss: bool = False) -> None:
        self.path = path
        self._log = log_of(path)
        self._ballast = path.with_name(path.name + ".ballast")
        mark = check_whole(path, accept_loss=accept_loss) or create(path, base_url)
        try:
            self._check = CheckFile(path, mark)
        except OSError as problem:
            raise JournalError(f"{path}: {problem.strerror}; nothing was sent") from problem
        with sql_errors(path):
            # While it is open, the writer's own closing never moves the log unseen.
            self._reader = connect(path)
            self.sql = connect(path, mode="rw")
            self._reader.execute("SELECT commits FROM journal").fetchone()
            # NORMAL may lose the last commits on power loss: "sent" would read as "pending".
            self.sql.execute("PRAGMA synchronous = FULL")
            self.sql.execute("PRAGMA fullfsync = 1")
            self.sql.execute("PRAGMA wal_autocheckpoint = 0")
            ((self._commits,),) = self.sql.execute("SELECT commits FROM journal").fetchall()
        self._inode = path.stat().st_ino
        self._put_ballast()
        self.concerned: list[str] = []
        if self._commits < mark.commits:
            self._doubt_what_was_lost(mark)

    def _put_ballast(self) -> None:
        try:
            if not self._ballast.exists():
                self._ballast.write_bytes(bytes(BALLAST_BYTES))
        except OSError as problem:
            with suppress(OSError):
                self._ballast.unlink(missing_ok=True)
            self._close()
            raise JournalError(
                f"{self._ballast}: {problem.strerror}; nothing was sent; free some room, then run "
                "the same import again"
            ) from problem

    def _doubt_what_was_lost(self, mark: Mark) -> None:
        """Put in doubt each record that the lost end of the log may have sent."""
        now = {"now": time.time()}
        with self.transaction() as sql:
            sql.execute(_LOST_ATTEMPTS, now)
            sql.execute(_LOST_RECORDS, now)
            sql.execute("UPDATE journal SET commits = ?", [mark.commits])
            found = sql.execute(f"SELECT run_id FROM imports WHERE {AT_WORK} ORDER BY import")
            self.concerned = [run_id for (run_id,) in found]
            sql.execute(f"UPDATE imports SET ended_at = :now WHERE {AT_WORK}", now)
            self._commits = mark.commits
        self.move_log()

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
            self._check.count(self._commits)
            is_large = self._log.stat().st_size > LOG_BYTES
        except OSError as problem:
            raise stopped(self.path, problem) from problem
        if is_large:
            self.move_log()

    def move_log(self) -> None:
        """Bring the log into the main file, which alone is then all that is known."""
        with sql_errors(self.path):
            try:
                self._check.note_move(self._move, self._commits)
            except OSError as problem:
                raise stopped(self.path, problem) from problem

    def _move(self) -> None:
        self.sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def check_place(self) -> None:
        """Refuse to write to a file that has lost its name: no later import would find it."""
        try:
            is_there = self.path.stat().st_ino == self._inode and self._log.exists()
        except OSError:
            is_there = False
        if not is_there:
            raise JournalError(
                f"{self.path} was moved or deleted during the import; sending has stopped; put it "
                "back, or compare the store with the file: a new import would send all of it again"
            )

    def give_ballast(self) -> None:
        """Free the room that is kept for outcomes already on the wire."""
        self._ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """Bring the log into the main file and close both; the ballast goes."""
        with suppress(OSError):
            self.give_ballast()
        is_moved = False
        if self.path.exists():
            with suppress(JournalError):
                self.move_log()
                is_moved = not self._log.exists() or self._log.stat().st_size == 0
        if is_moved:
            self._reader.close()  # the writer, closed last, then takes the empty log with it
        self._close()

    def _close(self) -> None:
        for connection in (self.sql, self._reader):
            with suppress(sqlite3.Error):
                connection.close()
        with suppress(OSError):
            self._check.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def stopped(path: Path, problem: Exception) -> JournalError:
    """Return the error of a journal that failed while something may be on its way."""
    return JournalError(
        f"{path}: {problem}; sending has stopped; repair the disk, then run the same import again"
    )
