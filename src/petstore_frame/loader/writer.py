"""The one hand that writes a journal: many changes, one durable commit.

In: settlements of requests that ended, and how many new ones may start. Out: intents, each on
disk before it is returned. It refuses every move that record.py does not list.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.echo import OTHERS_ANSWER
from petstore_frame.loader.journal import INDEXES, add_store_id, connect, error_code, sql_errors
from petstore_frame.loader.record import MOVES, Ending, State
from petstore_frame.loader.settlements import Intent, Resettlement, Settlement

BALLAST_BYTES = 256 * 1024
_FROM = {new: [str(old) for old in State if new in MOVES[old]] for new in State}

_REPEATABLE = "idempotency_key IS NOT NULL AND first_sent_at > ? AND first_sent_at <= ?"


class Writer:
    """Writes to the journal of one run; the caller holds its lock.

    Args:
        path: The journal.
        run_id: Its run, from which idempotency keys are derived.
    """

    def __init__(self, path: Path, run_id: str) -> None:
        self.path = path
        self._run = uuid.UUID(run_id)
        self._ballast = path.with_suffix(".ballast")
        with sql_errors(path):
            self._sql = connect(path)
            self._sql.execute("PRAGMA journal_mode = WAL")
            # NORMAL may lose the last commits on power loss: "sent" would read as "pending".
            self._sql.execute("PRAGMA synchronous = FULL")
            self._sql.execute("PRAGMA fullfsync = 1")
            self._sql.executescript(INDEXES)
            add_store_id(self._sql)
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
            found = self._recover(now)
            self._sql.execute(
                "UPDATE run SET started_at = ?, ended_at = NULL, ending = NULL, ending_detail = ''",
                [now],
            )
            self._note(now, "start", {"left_in_flight": found})
        with sql_errors(self.path):
            # The main file alone then shows that a session began: moved without its -wal, it is
            # refused by read_run, and not taken for one that has sent nothing.
            self._sql.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return found

    def recover(self, now: float) -> int:
        """Make unknown what a dead session left in flight, without beginning a new one."""
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            return self._recover(now)

    def _recover(self, now: float) -> int:
        found = self._sql.execute(
            "INSERT INTO attempts (number, attempt, started_at, ended_at, verdict, reason)"
            " SELECT number, attempts, last_sent_at, ?, 'unknown', 'killed' FROM rows"
            " WHERE state = 'in_flight'",
            [now],
        ).rowcount
        self._sql.execute(
            "UPDATE rows SET state = 'unknown', is_in_doubt = 1, reason = 'killed'"
            " WHERE state = 'in_flight'"
        )
        return found

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
                self._settle(settlement, now)
            if store_id is not None:
                self._sql.execute("UPDATE run SET store_id = ? WHERE store_id IS NULL", [store_id])
            chosen = self._choose(fresh, repeats, keys_since, now)
            intents = [self._claim(row, now, with_key=keys_since is not None) for row in chosen]
            self._sql.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._sql.execute("ROLLBACK")
            raise
        return intents

    def _choose(
        self, fresh: int, repeats: list[int], keys_since: float | None, now: float
    ) -> list[Any]:
        columns = (
            "number, payload, attempts, is_in_doubt, generation, idempotency_key, state,"
            " first_sent_at, line"
        )
        chosen: list[Any] = []
        for number in repeats:
            chosen += self._sql.execute(
                f"SELECT {columns} FROM rows WHERE number = ? AND state = 'unknown'"  # noqa: S608
                f" AND {_REPEATABLE}",
                [number, keys_since, now],
            )
        if fresh > 0:
            chosen += self._sql.execute(
                f"SELECT {columns} FROM rows WHERE state = 'pending'"  # noqa: S608 # our own names
                " ORDER BY number LIMIT ?",
                [fresh],
            )
        return chosen

    def _claim(self, row: Sequence[Any], now: float, *, with_key: bool) -> Intent:
        number, payload, attempts, is_in_doubt, generation, key, state, first_sent_at, line = row
        if not with_key:
            # What goes out without a key must never count as repeatable under an older one.
            key = None
        elif key is None:
            key = str(uuid.uuid5(self._run, f"{number}:{generation}"))
        self._move(
            number,
            [state],
            State.IN_FLIGHT,
            idempotency_key=key,
            attempts=attempts + 1,
            first_sent_at=now if first_sent_at is None else first_sent_at,
            last_sent_at=now,
        )
        return Intent(number, payload, key, attempts + 1, bool(is_in_doubt), now, line)

    def _settle(self, end: Settlement, now: float) -> None:
        if end.pet_id is not None and self.has_pet(end.pet_id):
            end = replace(end, state=State.UNKNOWN, reason=OTHERS_ANSWER, pet_id=None)
        if end.state is State.PENDING and end.intent.is_in_doubt:
            raise JournalError(f"record {end.intent.number} is in doubt and cannot become pending")
        self._move(
            end.intent.number,
            [str(State.IN_FLIGHT)],
            end.state,
            reason=end.reason,
            is_in_doubt=int(end.state is State.UNKNOWN or end.intent.is_in_doubt),
            pet_id=end.pet_id,
            id_source=None if end.pet_id is None else "response",
            http_status=end.http_status,
            error_code=end.error_code,
            error_message=end.error_message,
            error_field=end.error_field,
            request_id=end.request_id,
            settled_at=None if end.state is State.PENDING else now,
            elapsed_ms=end.elapsed_ms,
        )
        if end.warnings:
            self._warn(end.intent.number, end.warnings)
        self._sql.execute(
            "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                end.intent.number,
                end.intent.attempt,
                end.intent.claimed_at,
                now,
                end.verdict,
                end.reason,
                end.http_status,
                end.request_id,
                end.pet_id,
                end.elapsed_ms,
            ],
        )

    def resettle(self, changes: Iterable[Resettlement], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            for change in changes:
                self._resettle(change, now)

    def _resettle(self, change: Resettlement, now: float) -> None:
        values: dict[str, Any] = {"reason": change.reason, "settled_at": now}
        if change.pet_id is not None:
            values |= {"pet_id": change.pet_id, "id_source": change.id_source}
        if change.state is State.PENDING:
            # A new life: what was in doubt is settled, and a key that was used is not used again.
            values |= {"is_in_doubt": 0, "settled_at": None, "first_sent_at": None}
            values |= {"idempotency_key": None}
            self._sql.execute(
                "UPDATE rows SET generation = generation + 1 WHERE number = ?", [change.number]
            )
        self._move(change.number, [str(change.old)], change.state, **values)
        detail = {"number": change.number, "from": str(change.old), "to": str(change.state)}
        self._note(now, "resettled", detail | {"reason": change.reason, "pet_id": change.pet_id})

    def release_skipped(self, reasons: Sequence[str], now: float) -> int:
        """Make pending the records that were skipped for one of these reasons.

        Returns:
            How many records that were.
        """
        which = f"state = 'skipped' AND reason IN ({', '.join('?' * len(reasons))})"
        with sql_errors(self.path), self._sql:
            self._sql.execute("BEGIN IMMEDIATE")
            found = self._sql.execute(
                f"SELECT number, reason FROM rows WHERE {which}",  # noqa: S608 # our own names
                [*reasons],
            ).fetchall()
            for number, reason in found:
                change = Resettlement(number, State.SKIPPED, State.PENDING, "ignore_earlier")
                self._resettle(change, now)
                self._warn(number, [f"sent_despite: {reason}"])
                # It is an animal of its own now, no longer the one that it was skipped for.
                self._sql.execute(
                    "UPDATE rows SET problem = NULL, taken_from = NULL WHERE number = ?", [number]
                )
            if found:
                self._sql.execute(
                    "UPDATE run SET plan = json_set(plan, '$.created', 0, '$.changed', 0,"
                    " '$.in_doubt', 0, '$.new', coalesce(plan ->> '$.new', 0) + ?)",
                    [len(found)],
                )
        return len(found)

    def name_pet(self, number: int, pet_id: int, now: float) -> None:
        """Write the id of a created record whose answer was lost."""
        with sql_errors(self.path), self._sql:
            self._sql.execute(
                "UPDATE rows SET pet_id = ?, id_source = 'recovered'"
                " WHERE number = ? AND state = 'created' AND pet_id IS NULL",
                [pet_id, number],
            )
            self._note(now, "named", {"number": number, "pet_id": pet_id})

    def _move(self, number: int, old: list[str], new: State, **values: Any) -> None:
        allowed = [state for state in old if state in _FROM[new]]
        names = ", ".join(f"{name} = ?" for name in values)
        moved = self._sql.execute(
            f"UPDATE rows SET state = ?, {names} WHERE number = ?"  # noqa: S608 # our own names
            f" AND state IN ({', '.join('?' * len(allowed))})",
            [str(new), *values.values(), number, *allowed],
        )
        if moved.rowcount != 1:
            raise JournalError(f"{self.path}: record {number} cannot become {new}; not written")

    def has_pet(self, pet_id: int) -> bool:
        """Tell whether a record has this id; a broken journal says no, and refuses the id later."""
        try:
            query = "SELECT EXISTS (SELECT 1 FROM rows WHERE pet_id = ?)"
            return bool(self._sql.execute(query, [pet_id]).fetchone()[0])
        except sqlite3.Error:
            return False

    def _warn(self, number: int, warnings: Sequence[str]) -> None:
        self._sql.execute(
            "UPDATE rows SET warnings = coalesce(warnings || char(10), '') || ? WHERE number = ?",
            ["\n".join(warnings), number],
        )

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown rows whose key was first sent after a moment, and not in the future.

        A time that is still to come was written by a clock that went wrong: its key may be of any
        age.
        """
        with sql_errors(self.path):
            return [
                number
                for (number,) in self._sql.execute(
                    f"SELECT number FROM rows WHERE state = 'unknown' AND {_REPEATABLE}"  # noqa: S608
                    " ORDER BY number",
                    [sent_after, now],
                )
            ]

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the run's log."""
        with sql_errors(self.path), self._sql:
            self._note(now, kind, detail)

    def _note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        self._sql.execute("INSERT INTO events VALUES (?, ?, ?)", [now, kind, json.dumps(detail)])

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with sql_errors(self.path), self._sql:
            self._sql.execute(
                "UPDATE run SET ended_at = ?, ending = ?, ending_detail = ?",
                [now, str(ending), detail],
            )
            self._note(now, "end", {"ending": str(ending), "detail": detail})

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
