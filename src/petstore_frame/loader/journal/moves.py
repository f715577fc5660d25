"""How a record moves from one state to another in the journal.

In: a connection inside a transaction, and what is to be written. Out: changed rows, their attempts
and the run's events. It refuses every move that record.py does not list, and knows nothing of
transactions and full disks: writer.py begins and commits.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.settlements import Intent, Resettlement, Settlement
from petstore_frame.loader.record import MOVES, State
from petstore_frame.loader.sending.echo import OTHERS_ANSWER

_FROM = {new: [str(old) for old in State if new in MOVES[old]] for new in State}
_REPEATABLE = "idempotency_key IS NOT NULL AND first_sent_at > ? AND first_sent_at <= ?"


class Moves:
    """Writes the moves of the records of one run.

    Args:
        sql: The journal's connection.
        path: The journal, for messages.
        run_id: Its run, from which idempotency keys are derived.
    """

    def __init__(self, sql: sqlite3.Connection, path: Path, run_id: str) -> None:
        self._sql = sql
        self._path = path
        self._run = uuid.UUID(run_id)

    def recover(self, now: float) -> int:
        """Make unknown what a dead session left in flight.

        Returns:
            How many records that were.
        """
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

    def repeatable(self, sent_after: float, now: float) -> list[int]:
        """Return the unknown rows whose key was first sent between two moments."""
        found = self._sql.execute(
            f"SELECT number FROM rows WHERE state = 'unknown' AND {_REPEATABLE}"  # noqa: S608
            " ORDER BY number",
            [sent_after, now],
        )
        return [number for (number,) in found]

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

    def settle(self, end: Settlement, now: float) -> None:
        """Write how a request ended; an id that another record has settles nothing."""
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

    def has_pet(self, pet_id: int) -> bool:
        """Tell whether a record has this id; a broken journal says no, and refuses the id later."""
        try:
            query = "SELECT EXISTS (SELECT 1 FROM rows WHERE pet_id = ?)"
            return bool(self._sql.execute(query, [pet_id]).fetchone()[0])
        except sqlite3.Error:
            return False

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
                "UPDATE rows SET generation = generation + 1 WHERE number = ?", [change.number]
            )
        self._move(change.number, [str(change.old)], change.state, **values)
        detail = {"number": change.number, "from": str(change.old), "to": str(change.state)}
        self.note(now, "resettled", detail | {"reason": change.reason, "pet_id": change.pet_id})

    def release_skipped(self, reasons: Sequence[str], now: float) -> int:
        """Make pending the records that were skipped for one of these reasons.

        Returns:
            How many records that were.
        """
        which = f"state = 'skipped' AND reason IN ({', '.join('?' * len(reasons))})"
        found = self._sql.execute(
            f"SELECT number, reason FROM rows WHERE {which}",  # noqa: S608 # our own names
            [*reasons],
        ).fetchall()
        for number, reason in found:
            change = Resettlement(number, State.SKIPPED, State.PENDING, "ignore_earlier")
            self.resettle(change, now)
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
        self._sql.execute(
            "UPDATE rows SET pet_id = ?, id_source = 'recovered'"
            " WHERE number = ? AND state = 'created' AND pet_id IS NULL",
            [pet_id, number],
        )
        self.note(now, "named", {"number": number, "pet_id": pet_id})

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the run's log."""
        self._sql.execute("INSERT INTO events VALUES (?, ?, ?)", [now, kind, json.dumps(detail)])

    def _move(self, number: int, old: list[str], new: State, **values: Any) -> None:
        allowed = [state for state in old if state in _FROM[new]]
        names = ", ".join(f"{name} = ?" for name in values)
        moved = self._sql.execute(
            f"UPDATE rows SET state = ?, {names} WHERE number = ?"  # noqa: S608 # our own names
            f" AND state IN ({', '.join('?' * len(allowed))})",
            [str(new), *values.values(), number, *allowed],
        )
        if moved.rowcount != 1:
            raise JournalError(f"{self._path}: record {number} cannot become {new}; not written")

    def _warn(self, number: int, warnings: Sequence[str]) -> None:
        self._sql.execute(
            "UPDATE rows SET warnings = coalesce(warnings || char(10), '') || ? WHERE number = ?",
            ["\n".join(warnings), number],
        )
