"""The only writer of a journal: many changes, one durable commit, counted in its check file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.checkfile import CheckFile, Mark
from petstore_frame.loader.journal.database import (
    check_whole,
    connect,
    create,
    error_code,
    sql_errors,
)
from petstore_frame.loader.journal.moves import Intent, Moves, Resettlement, Settlement
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.record import Ending

BALLAST_BYTES = 256 * 1024
# The log is brought into the main file when it has grown so large.
LOG_BYTES = 64 * 1024 * 1024


class Writer:
    """Writes to the journal of one store; the caller holds its lock.

    Args:
        path: The journal; made if it is not there.
        base_url: The store of a new one.

    Raises:
        JournalError: The journal has lost something, or its disk failed; nothing was sent.
    """

    def __init__(self, path: Path, base_url: str) -> None:
        self.path = path
        self._log = path.with_name(path.name + "-wal")
        self._ballast = path.with_name(path.name + ".ballast")
        mark: Mark = check_whole(path) or create(path, base_url)
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

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for one commit, which is on disk and counted when the block ends.

        Raises:
            JournalError: Nothing of it is on disk, or it cannot be relied on.
        """
        with sql_errors(self.path), self._counted():
            yield self.sql

    @contextmanager
    def _counted(self) -> Iterator[None]:
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
            raise JournalError(_stopped(self.path, problem)) from problem
        if is_large:
            self.move_log()

    def move_log(self) -> None:
        """Bring the log into the main file, which alone is then all that is known."""
        with sql_errors(self.path):
            try:
                self._check.begin_move()
                self.sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                self._check.end_move(self._commits)
            except OSError as problem:
                raise JournalError(_stopped(self.path, problem)) from problem

    def session(self, run: Run) -> Session:
        """Return what writes the moves of one import."""
        return Session(self, run)

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


class Session:
    """Writes what becomes of the records of one import.

    Args:
        writer: The journal's writer.
        run: The import.
    """

    def __init__(self, writer: Writer, run: Run) -> None:
        self._writer, self.run = writer, run
        self.path = writer.path
        self._moves = Moves(writer.sql, writer.path, run)

    def start(self, now: float) -> int:
        """Begin a session; records that a dead one left in flight become unknown.

        Returns:
            How many records that were.
        """
        with self._writer.transaction() as sql:
            found = self._moves.recover(now)
            sql.execute(
                "UPDATE imports SET started_at = ?, ended_at = NULL, ending = NULL,"
                " ending_detail = '' WHERE import = ?",
                [now, self.run.number],
            )
            self._moves.note(now, "start", {"left_in_flight": found})
        # All that follows is in the log, and all before it in the main file.
        self._writer.move_log()
        return found

    def recover(self, now: float) -> int:
        """Make unknown what a dead session left in flight, without beginning a new one."""
        with self._writer.transaction():
            return self._moves.recover(now)

    def commit(
        self,
        settlements: Sequence[Settlement],
        now: float,
        *,
        fresh: int = 0,
        repeats: Iterable[int] = (),
        keys_since: float | None = None,
        store_id: str | None = None,
    ) -> list[Intent]:
        """Write outcomes and the next intents in one durable transaction.

        Args:
            settlements: Requests that ended.
            now: Seconds since 1970.
            fresh: How many pending records may start.
            repeats: Unknown records to send again under the key of their first attempt.
            keys_since: The store remembers keys first sent after this moment; None: it has none.
            store_id: The id that the store states; the first one counts.

        Returns:
            The intents; on disk.

        Raises:
            JournalError: Nothing of this call is on disk.
        """
        try:
            self._writer.check_place()
            return self._commit(settlements, now, fresh, list(repeats), keys_since, store_id)
        except sqlite3.OperationalError as problem:
            if error_code(problem) != sqlite3.SQLITE_FULL or not settlements:
                raise JournalError(_stopped(self.path, problem)) from problem
            return self._commit_in_need(settlements, now, store_id)
        except sqlite3.Error as problem:
            raise JournalError(_stopped(self.path, problem)) from problem

    def _commit_in_need(
        self, settlements: Sequence[Settlement], now: float, store_id: str | None
    ) -> list[Intent]:
        """Give up the ballast, so that outcomes already on the wire still fit on a full disk."""
        self._writer.give_ballast()
        with sql_errors(self.path):
            self._commit(settlements, now, 0, [], None, store_id)
        raise JournalFullError(
            f"{self.path}: the disk is full; all outcomes were kept and sending has stopped; "
            "free some room, then run the same import again"
        )

    def _commit(
        self,
        settlements: Sequence[Settlement],
        now: float,
        fresh: int,
        repeats: list[int],
        keys_since: float | None,
        store_id: str | None,
    ) -> list[Intent]:
        with self._writer._counted():  # its errors are told apart here
            for settlement in settlements:
                self._moves.settle(settlement, now)
            if store_id is not None:
                self._writer.sql.execute(
                    "UPDATE stores SET store_id = ? WHERE store = ? AND store_id IS NULL",
                    [store_id, self.run.store],
                )
            return self._moves.claim(fresh, repeats, keys_since, now)

    def resettle(self, changes: Iterable[Resettlement], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with self._writer.transaction():
            for change in changes:
                self._moves.resettle(change, now)

    def name_pet(self, record: int, pet_id: int, now: float) -> None:
        """Write the id of a created record whose answer was lost."""
        with self._writer.transaction():
            self._moves.name_pet(record, pet_id, now)

    def has_pet(self, pet_id: int) -> bool:
        """Tell whether a record has this id; a broken journal says no, and refuses the id later."""
        try:
            return self._moves.has_pet(pet_id)
        except sqlite3.Error:
            return False

    def owner_of(self, pet_id: int) -> tuple[int, str] | None:
        """Return the record that has this pet, and the file of its import."""
        with sql_errors(self.path):
            return self._moves.owner_of(pet_id)

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown records whose key was first sent after a moment, not in the future.

        A time that is still to come was written by a clock that went wrong: its key may be of any
        age.
        """
        with sql_errors(self.path):
            return self._moves.repeatable(sent_after, now)

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the import's log."""
        with self._writer.transaction():
            self._moves.note(now, kind, detail)

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET ended_at = ?, ending = ?, ending_detail = ? WHERE import = ?",
                [now, str(ending), detail, self.run.number],
            )
            self._moves.note(now, "end", {"ending": str(ending), "detail": detail})


class JournalFullError(JournalError):
    """The disk is full; everything known was still written."""


def _stopped(path: Path, problem: Exception) -> str:
    return (
        f"{path}: {problem}; sending has stopped; repair the disk, then run the same import again"
    )
