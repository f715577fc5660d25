"""The only writer of a journal: many changes, one durable commit.

In: settlements of requests that ended, and how many new ones may start. Out: intents, each on
disk before it is returned. It knows when to commit, and what to do when the disk is full or the
file is gone; how a record moves from state to state is for moves.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.journal import (
    INDEXES,
    add_store_id,
    connect,
    error_code,
    sql_errors,
)
from petstore_frame.loader.journal.moves import Moves
from petstore_frame.loader.journal.settlements import Intent, Resettlement, Settlement
from petstore_frame.loader.record import Ending

BALLAST_BYTES = 256 * 1024


class Writer:
    """Writes to the journal of one run; the caller holds its lock.

    Args:
        path: The journal.
        run_id: Its run, from which idempotency keys are derived.
    """

    def __init__(self, path: Path, run_id: str) -> None:
        self.path = path
        self._ballast = path.with_suffix(".ballast")
        with sql_errors(path):
            self._sql = connect(path)
            self._sql.execute("PRAGMA journal_mode = WAL")
            # NORMAL may lose the last commits on power loss: "sent" would read as "pending".
            self._sql.execute("PRAGMA synchronous = FULL")
            self._sql.execute("PRAGMA fullfsync = 1")
            self._sql.executescript(INDEXES)
            add_store_id(self._sql)
        self._moves = Moves(self._sql, path, run_id)
        self._inode = path.stat().st_ino
        self._put_ballast()

    def _put_ballast(self) -> None:
        try:
            if not self._ballast.exists():
                self._ballast.write_bytes(bytes(BALLAST_BYTES))
        except OSError as problem:
            self._ballast.unlink(missing_ok=True)
            self._sql.close()
            raise JournalError(
                f"{self._ballast}: {problem.strerror}; nothing was sent; free some room, then run "
                "the same import again"
            ) from problem

    def start(self, now: float) -> int:
        """Begin a session; rows that a dead one left in flight become unknown.

        Returns:
            How many rows that were.
        """
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            found = self._moves.recover(now)
            self._sql.execute(
                "UPDATE run SET started_at = ?, ended_at = NULL, ending = NULL, ending_detail = ''",
                [now],
            )
            self._moves.note(now, "start", {"left_in_flight": found})
        with sql_errors(self.path):
            # The main file alone then shows that a session began: moved without its -wal, it is
            # refused by read_run, and not taken for one that has sent nothing.
            self._sql.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return found

    def recover(self, now: float) -> int:
        """Make unknown what a dead session left in flight, without beginning a new one."""
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
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
            fresh: How many pending rows may start.
            repeats: Unknown rows to send again under the key of their first attempt.
            keys_since: The store remembers keys first sent after this moment; None: it has none.
            store_id: The id that the store states; the first one counts.

        Returns:
            The intents; on disk.

        Raises:
            JournalError: Nothing of this call is on disk.
        """
        try:
            self._check_place()
            return self._commit(settlements, now, fresh, list(repeats), keys_since, store_id)
        except sqlite3.OperationalError as problem:
            if error_code(problem) != sqlite3.SQLITE_FULL or not settlements:
                raise JournalError(_stopped(self.path, problem)) from problem
            return self._commit_in_need(settlements, now, store_id)
        except sqlite3.Error as problem:
            raise JournalError(_stopped(self.path, problem)) from problem

    def _check_place(self) -> None:
        """Refuse to write to a file that has lost its name: no later import would find it."""
        try:
            is_there = self.path.stat().st_ino == self._inode
        except OSError:
            is_there = False
        if not is_there:
            raise JournalError(
                f"{self.path} was moved or deleted during the import; sending has stopped; put it "
                "back, or compare the store with the file: a new import would send all of it again"
            )

    def _commit_in_need(
        self, settlements: Sequence[Settlement], now: float, store_id: str | None
    ) -> list[Intent]:
        """Give up the ballast, so that outcomes already on the wire still fit on a full disk."""
        self._ballast.unlink(missing_ok=True)
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
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            for settlement in settlements:
                self._moves.settle(settlement, now)
            if store_id is not None:
                self._sql.execute("UPDATE run SET store_id = ? WHERE store_id IS NULL", [store_id])
            intents = self._moves.claim(fresh, repeats, keys_since, now)
            self._sql.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._sql.execute("ROLLBACK")
            raise
        return intents

    def resettle(self, changes: Iterable[Resettlement], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            for change in changes:
                self._moves.resettle(change, now)

    def release_skipped(self, reasons: Sequence[str], now: float) -> int:
        """Make pending the records that were skipped for one of these reasons.

        Returns:
            How many records that were.
        """
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            return self._moves.release_skipped(reasons, now)

    def name_pet(self, number: int, pet_id: int, now: float) -> None:
        """Write the id of a created record whose answer was lost."""
        with sql_errors(self.path), self._sql:
            self._moves.name_pet(number, pet_id, now)

    def has_pet(self, pet_id: int) -> bool:
        """Tell whether a record has this id; a broken journal says no, and refuses the id later."""
        return self._moves.has_pet(pet_id)

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown rows whose key was first sent after a moment, and not in the future.

        A time that is still to come was written by a clock that went wrong: its key may be of any
        age.
        """
        with sql_errors(self.path):
            return self._moves.repeatable(sent_after, now)

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the run's log."""
        with sql_errors(self.path), self._sql:
            self._moves.note(now, kind, detail)

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with sql_errors(self.path), self._sql:
            self._sql.execute(
                "UPDATE run SET ended_at = ?, ending = ?, ending_detail = ?",
                [now, str(ending), detail],
            )
            self._moves.note(now, "end", {"ending": str(ending), "detail": detail})

    def close(self) -> None:
        """Close the file; the ballast of a run that is over goes."""
        with suppress(sqlite3.Error):
            self._sql.close()
        self._ballast.unlink(missing_ok=True)


class JournalFullError(JournalError):
    """The disk is full; everything known was still written."""


def _stopped(path: Path, problem: sqlite3.Error) -> str:
    return (
        f"{path}: {problem}; sending has stopped; repair the disk, then run the same import again"
    )
