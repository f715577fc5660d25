"""How a record moves from one state to another in the journal, and what it is asked to write.

Every move that record.py does not list is refused. Transactions and full disks are the writer's.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.record import MOVES, OTHERS_ANSWER, State

_FROM = {new: [str(old) for old in State if new in MOVES[old]] for new in State}
_REPEATABLE = "idempotency_key IS NOT NULL AND first_sent_at > ? AND first_sent_at <= ?"


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent: it is on disk.

    Attributes:
        record: The record.
        payload: The request body.
        key: Its idempotency key, or None.
        attempt: 1 for the first.
        is_in_doubt: An earlier attempt may have been applied.
        claimed_at: When it was written, before the first byte; seconds since 1970.
        line: The record's first line in the file.
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
    """Writes the moves of the records of one import.

    Args:
        sql: The journal's connection, inside a transaction of its writer's.
        path: The journal, for messages.
        run: The import; idempotency keys are derived from its id.
    """

    def __init__(self, sql: sqlite3.Connection, path: Path, run: Run) -> None:
        self._sql = sql
        self._path = path
        self._run = uuid.UUID(run.run_id)
        self._import, self._store = run.number, run.store

    def recover(self, now: float) -> int:
        """Make unknown what a dead session left in flight.

        Returns:
            How many records that were.
        """
        found = self._sql.execute(
            "INSERT INTO attempts (import, record, attempt, started_at, ended_at, verdict, reason)"
            " SELECT import, record, attempts, last_sent_at, ?, 'unknown', 'killed' FROM records"
            " WHERE import = ? AND state = 'in_flight'",
            [now, self._import],
        ).rowcount
        self._sql.execute(
            "UPDATE records SET state = 'unknown', is_in_doubt = 1, reason = 'killed'"
            " WHERE import = ? AND state = 'in_flight'",
            [self._import],
        )
        return found

    def claim(
        self, fresh: int, repeats: list[int], keys_since: float | None, now: float
    ) -> list[Intent]:
        """Put into flight the unknown records to repeat, then up to ``fresh`` pending ones."""
        return [
            self._claim(row, now, with_key=keys_since is not None)
            for row in self._choose(fresh, repeats, keys_since, now)
        ]

    def _choose(
        self, fresh: int, repeats: list[int], keys_since: float | None, now: float
    ) -> list[Any]:
        columns = (
            "record, payload, attempts, is_in_doubt, generation, idempotency_key, state,"
            " first_sent_at, line"
        )
        chosen: list[Any] = []
        for record in repeats:
            chosen += self._sql.execute(
                f"SELECT {columns} FROM records WHERE import = ? AND record = ?"
                f" AND state = 'unknown' AND {_REPEATABLE}",
                [self._import, record, keys_since, now],
            )
        if fresh > 0:
            chosen += self._sql.execute(
                f"SELECT {columns} FROM records WHERE import = ? AND state = 'pending'"
                " ORDER BY record LIMIT ?",
                [self._import, fresh],
            )
        return chosen

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown records whose key was first sent between two moments."""
        found = self._sql.execute(
            "SELECT record FROM records WHERE import = ? AND state = 'unknown'"
            f" AND {_REPEATABLE} ORDER BY record",
            [self._import, sent_after, now],
        )
        return [record for (record,) in found]

    def _claim(self, row: Sequence[Any], now: float, *, with_key: bool) -> Intent:
        record, payload, attempts, is_in_doubt, generation, key, state, first_sent_at, line = row
        if not with_key:
            # What goes out without a key must never count as repeatable under an older one.
            key = None
        elif key is None:
            key = str(uuid.uuid5(self._run, f"{record}:{generation}"))
        self._move(
            record,
            [state],
            State.IN_FLIGHT,
            idempotency_key=key,
            attempts=attempts + 1,
            first_sent_at=now if first_sent_at is None else first_sent_at,
            last_sent_at=now,
        )
        return Intent(record, payload, key, attempts + 1, bool(is_in_doubt), now, line)

    def settle(self, end: Settlement, now: float) -> None:
        """Write how a request ended; an id that another record has settles nothing."""
        if end.pet_id is not None and self.has_pet(end.pet_id):
            end = replace(end, state=State.UNKNOWN, reason=OTHERS_ANSWER, pet_id=None)
        if end.state is State.PENDING and end.intent.is_in_doubt:
            raise JournalError(f"record {end.intent.record} is in doubt and cannot become pending")
        self._move(
            end.intent.record,
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
            self._warn(end.intent.record, end.warnings)
        self._sql.execute(
            "INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                self._import,
                end.intent.record,
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

    def has_pet(self, pet_id: int) -> bool:
        """Tell whether a record of any import into the store has this id."""
        return self.owner_of(pet_id) is not None

    def owner_of(self, pet_id: int) -> tuple[int, str] | None:
        """Return the record that has this pet, and the file of its import."""
        found: tuple[int, str] | None = self._sql.execute(
            "SELECT record, source_name FROM records JOIN imports USING (import)"
            " WHERE records.store = ? AND pet_id = ?",
            [self._store, pet_id],
        ).fetchone()
        return found

    def resettle(self, change: Resettlement, now: float) -> None:
        """Write what reading back, or a person, has found out of one record."""
        values: dict[str, Any] = {"reason": change.reason, "settled_at": now}
        if change.pet_id is not None:
            values |= {"pet_id": change.pet_id, "id_source": change.id_source}
        if change.state is State.PENDING:
            # A new life: what was in doubt is settled, and a key that was used is not used again.
            values |= {"is_in_doubt": 0, "settled_at": None, "first_sent_at": None}
            values |= {"idempotency_key": None}
            self._sql.execute(
                "UPDATE records SET generation = generation + 1 WHERE import = ? AND record = ?",
                [self._import, change.record],
            )
        self._move(change.record, [str(change.old)], change.state, **values)
        detail = {"record": change.record, "from": str(change.old), "to": str(change.state)}
        self.note(now, "resettled", detail | {"reason": change.reason, "pet_id": change.pet_id})

    def name_pet(self, record: int, pet_id: int, now: float) -> None:
        """Write the id of a created record whose answer was lost."""
        self._sql.execute(
            "UPDATE records SET pet_id = ?, id_source = 'recovered'"
            " WHERE import = ? AND record = ? AND state = 'created' AND pet_id IS NULL",
            [pet_id, self._import, record],
        )
        self.note(now, "named", {"record": record, "pet_id": pet_id})

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the import's log."""
        self._sql.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?)", [self._import, now, kind, json.dumps(detail)]
        )

    def _move(self, record: int, old: list[str], new: State, **values: Any) -> None:
        allowed = [state for state in old if state in _FROM[new]]
        names = ", ".join(f"{name} = ?" for name in values)
        moved = self._sql.execute(
            f"UPDATE records SET state = ?, {names} WHERE import = ? AND record = ?"
            f" AND state IN ({', '.join('?' * len(allowed))})",
            [str(new), *values.values(), self._import, record, *allowed],
        )
        if moved.rowcount != 1:
            raise JournalError(f"{self._path}: record {record} cannot become {new}; not written")

    def _warn(self, record: int, warnings: Sequence[str]) -> None:
        self._sql.execute(
            "UPDATE records SET warnings = coalesce(warnings || char(10), '') || ?"
            " WHERE import = ? AND record = ?",
            ["\n".join(warnings), self._import, record],
        )
