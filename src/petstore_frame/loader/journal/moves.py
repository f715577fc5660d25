"""How the records of an import move from one state to another: each move in one durable commit."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import error_code, sql_errors
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.journal.writer import Writer, stopped
from petstore_frame.loader.record import MOVES, OTHERS_ANSWER, Ending, State

_FROM = {new: [str(old) for old in State if new in MOVES[old]] for new in State}
_TO_CLAIM = (
    "SELECT record, payload, attempts, is_in_doubt, generation, idempotency_key, state,"
    " first_sent_at, line FROM records WHERE import = ?"
)
# A first sending that is still to come was noted by a clock that went wrong: it may be of any age.
_REPEATABLE = (
    "state = 'unknown' AND idempotency_key IS NOT NULL AND first_sent_at > ? AND first_sent_at <= ?"
)


class JournalFullError(JournalError):
    """The disk is full; everything known was still written."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent: it is on disk.

    Attributes:
        key: Its idempotency key, or None.
        attempt: 1 for the first.
        is_in_doubt: An earlier attempt may have been applied.
        claimed_at: When it was written, before the first byte; seconds since 1970.
    """

    record: int
    payload: bytes
    key: str | None
    attempt: int
    is_in_doubt: bool
    claimed_at: float
    line: int = 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the end of a request made of a record."""

    intent: Intent
    state: State
    verdict: str
    reason: str
    pet_id: int | None = None
    http_status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    request_id: str | None = None
    elapsed_ms: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resettlement:
    """A later change of a record: found in the store, not found, or to be sent again."""

    record: int
    old: State
    state: State
    reason: str
    pet_id: int | None = None
    id_source: str | None = None


class Moves:
    """Writes what becomes of the records of one import."""

    def __init__(self, writer: Writer, run: Run) -> None:
        self.run = run
        self.path = writer.path
        self._writer = writer
        self._sql = writer.sql
        self._import, self._uuid = run.number, uuid.UUID(run.run_id)
        self._first_pending = 0

    def start(self, now: float) -> int:
        """Begin a session; return how many records a dead one left in flight, now unknown."""
        with self._writer.transaction() as sql:
            found = self._recover(now)
            sql.execute(
                "UPDATE imports SET started_at = ?, ended_at = NULL, ending = NULL,"
                " ending_detail = '' WHERE import = ?",
                [now, self._import],
            )
            self._note(now, "start", {"left_in_flight": found})
        # All that follows is in the log, and all before it in the main file.
        self._writer.move_log()
        return found

    def recover(self, now: float) -> None:
        """Make unknown what a dead session left in flight, without beginning a new one."""
        with self._writer.transaction():
            self._recover(now)

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET ended_at = ?, ending = ?, ending_detail = ? WHERE import = ?",
                [now, str(ending), detail, self._import],
            )
            self._note(now, "end", {"ending": str(ending), "detail": detail})

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
        """Write outcomes, and return the next intents, in one durable transaction.

        Args:
            settlements: Requests that ended.
            now: Seconds since 1970.
            fresh: How many pending records may start.
            repeats: Unknown records to send again under the key of their first attempt.
            keys_since: The store remembers keys first sent after this moment; None: it has none.
            store_id: The id that the store states; the first one counts.

        Raises:
            JournalError: Nothing of this call is on disk.
        """
        try:
            self._writer.check_place()
            with self._writer.counted():
                self._settle(settlements, now, store_id)
                return [
                    self._claim(row, now, with_key=keys_since is not None)
                    for row in self._choose(fresh, repeats, keys_since, now)
                ]
        except sqlite3.Error as problem:
            if error_code(problem) != sqlite3.SQLITE_FULL or not settlements:
                raise stopped(self.path, problem) from problem
        # Without the ballast, outcomes already on the wire still fit on a full disk.
        self._writer.give_ballast()
        with self._writer.transaction():
            self._settle(settlements, now, store_id)
        raise JournalFullError(
            f"{self.path}: the disk is full; all outcomes were kept and sending has stopped; "
            "free some room, then run the same import again"
        )

    def resettle(self, changes: Iterable[Resettlement], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with self._writer.transaction():
            for change in changes:
                self._resettle(change, now)

    def name_pet(self, record: int, pet_id: int, now: float) -> None:
        """Write the id of a created record whose answer was lost."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE fates SET pet_id = ?, id_source = 'recovered'"
                " WHERE import = ? AND record = ? AND state = 'created' AND pet_id IS NULL",
                [pet_id, self._import, record],
            )
            self._note(now, "named", {"record": record, "pet_id": pet_id})

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the import's log."""
        with self._writer.transaction():
            self._note(now, kind, detail)

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown records whose key was first sent between two moments."""
        query = f"SELECT record FROM fates WHERE import = ? AND {_REPEATABLE} ORDER BY record"
        with sql_errors(self.path):
            found = self._sql.execute(query, [self._import, sent_after, now])
            return [record for (record,) in found]

    def owner_of(self, pet_id: int) -> tuple[int, str] | None:
        """Return the record of any import that has this pet, and the file of its import."""
        with sql_errors(self.path):
            found: tuple[int, str] | None = self._sql.execute(
                "SELECT record, source_name FROM fates JOIN imports USING (import)"
                " WHERE fates.store = ? AND pet_id = ?",
                [self.run.store, pet_id],
            ).fetchone()
        return found

    def _recover(self, now: float) -> int:
        self._sql.execute(
            "INSERT INTO attempts (import, record, attempt, started_at, ended_at, verdict, reason)"
            " SELECT import, record, attempts, last_sent_at, ?, 'unknown', 'killed' FROM fates"
            " WHERE import = ? AND state = 'in_flight'",
            [now, self._import],
        )
        return self._sql.execute(
            "UPDATE fates SET state = 'unknown', is_in_doubt = 1, reason = 'killed'"
            " WHERE import = ? AND state = 'in_flight'",
            [self._import],
        ).rowcount

    def _choose(
        self, fresh: int, repeats: Iterable[int], keys_since: float | None, now: float
    ) -> list[Any]:
        """Return the unknown records to repeat, then up to ``fresh`` pending ones."""
        chosen: list[Any] = []
        for record in repeats:
            query = f"{_TO_CLAIM} AND record = ? AND {_REPEATABLE}"
            chosen += self._sql.execute(query, [self._import, record, keys_since, now])
        if fresh > 0:
            query = f"{_TO_CLAIM} AND state = 'pending' AND record >= ? ORDER BY record LIMIT ?"
            found = self._sql.execute(query, [self._import, self._first_pending, fresh]).fetchall()
            self._first_pending = found[-1][0] + 1 if found else self._first_pending
            chosen += found
        return chosen

    def _claim(self, row: Sequence[Any], now: float, *, with_key: bool) -> Intent:
        record, payload, attempts, is_in_doubt, generation, key, state, first_sent_at, line = row
        if not with_key:
            # What goes out without a key must never count as repeatable under an older one.
            key = None
        elif key is None:
            key = str(uuid.uuid5(self._uuid, f"{record}:{generation}"))
        self._move(
            record,
            state,
            State.IN_FLIGHT,
            idempotency_key=key,
            attempts=attempts + 1,
            first_sent_at=now if first_sent_at is None else first_sent_at,
            last_sent_at=now,
        )
        return Intent(record, payload, key, attempts + 1, bool(is_in_doubt), now, line)

    def _settle(self, ends: Sequence[Settlement], now: float, store_id: str | None) -> None:
        for end in ends:
            self._settle_one(end, now)
        if store_id is not None:
            self._sql.execute(
                "UPDATE stores SET store_id = ? WHERE store = ? AND store_id IS NULL",
                [store_id, self.run.store],
            )

    def _settle_one(self, end: Settlement, now: float) -> None:
        """Write how a request ended; an id that another record has settles nothing."""
        if end.pet_id is not None and self.owner_of(end.pet_id) is not None:
            end = replace(end, state=State.UNKNOWN, reason=OTHERS_ANSWER, pet_id=None)
        intent = end.intent
        if end.state is State.PENDING and intent.is_in_doubt:
            raise JournalError(f"record {intent.record} is in doubt and cannot become pending")
        answer = {
            name: getattr(end, name)
            for name in ("reason", "pet_id", "http_status", "request_id", "elapsed_ms")
        }
        self._move(
            intent.record,
            State.IN_FLIGHT,
            end.state,
            is_in_doubt=int(end.state is State.UNKNOWN or intent.is_in_doubt),
            id_source=None if end.pet_id is None else "response",
            error_code=end.error_code,
            error_message=end.error_message,
            error_field=end.error_field,
            settled_at=None if end.state is State.PENDING else now,
            **answer,
        )
        if end.warnings:
            self._sql.execute(
                "UPDATE contents SET warnings = coalesce(warnings || char(10), '') || ?"
                " WHERE import = ? AND record = ?",
                ["\n".join(end.warnings), self._import, intent.record],
            )
        attempt = (self._import, intent.record, intent.attempt, intent.claimed_at)
        self._sql.execute(
            "INSERT INTO attempts (import, record, attempt, started_at, ended_at, verdict,"
            f" {', '.join(answer)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [*attempt, now, end.verdict, *answer.values()],
        )

    def _resettle(self, change: Resettlement, now: float) -> None:
        values: dict[str, Any] = {"reason": change.reason, "settled_at": now}
        if change.pet_id is not None:
            values |= {"pet_id": change.pet_id, "id_source": change.id_source}
        if change.state is State.PENDING:
            # A new life: what was in doubt is settled, and a key that was used is not used again.
            values |= dict.fromkeys(("settled_at", "first_sent_at", "idempotency_key"))
            values["is_in_doubt"] = 0
            self._sql.execute("UPDATE imports SET ending = NULL WHERE import = ?", [self._import])
            self._sql.execute(
                "UPDATE fates SET generation = generation + 1 WHERE import = ? AND record = ?",
                [self._import, change.record],
            )
        self._move(change.record, change.old, change.state, **values)
        detail = {"record": change.record, "from": str(change.old), "to": str(change.state)}
        self._note(now, "resettled", detail | {"reason": change.reason, "pet_id": change.pet_id})

    def _note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        self._sql.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?)", [self._import, now, kind, json.dumps(detail)]
        )

    def _move(self, record: int, old: str, new: State, **values: Any) -> None:
        """Write a move; one that record.py does not list is refused, with the whole commit."""
        if new is State.PENDING:
            self._first_pending = min(self._first_pending, record)
        moved = 0
        if old in _FROM[new]:
            if old == State.PENDING:  # which it is without a row, too
                self._sql.execute(
                    "INSERT OR IGNORE INTO fates (import, record, store, state)"
                    " VALUES (?, ?, ?, ?)",
                    [self._import, record, self.run.store, old],
                )
            names = ", ".join(f"{name} = ?" for name in values)
            moved = self._sql.execute(
                f"UPDATE fates SET state = ?, {names}"
                " WHERE import = ? AND record = ? AND state = ?",
                [str(new), *values.values(), self._import, record, str(old)],
            ).rowcount
        if moved != 1:
            raise JournalError(f"{self.path}: record {record} cannot become {new}; not written")
