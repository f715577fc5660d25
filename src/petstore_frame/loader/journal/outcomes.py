"""Writes an intent to the journal before each request of an import, and its outcome afterward."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import Writer, sql_errors
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.journal.schema import IS_UNCONFIRMED, RELEASE_PET_ID
from petstore_frame.loader.journal.stored_values import stored_json, stored_state
from petstore_frame.loader.row_state import Ending, State

# Animals to send, as one JSON array: Python may switch threads at each row that SQLite returns.
_TO_SEND = """
SELECT json_group_array(
  json_array(animal, row, line, payload, attempt, may_have_been_applied, key_since)) FROM (
  SELECT animals.animal, animals.row, rows.line, CAST(animals.payload AS TEXT) AS payload, attempt,
    may_have_been_applied, key_since
  FROM animals JOIN imports USING (import)
  JOIN rows ON rows.reading = imports.reading AND rows.row = animals.row
  WHERE animals.import = :import AND {} ORDER BY animals.row LIMIT :most)
"""
_NEXT_PENDING = _TO_SEND.format("state = 'pending' AND animals.row >= :start")
# Unconfirmed animals whose key the store still remembers. A time in the future means that the clock
# was wrong, so the age of the key is unknown.
_RETRYABLE = _TO_SEND.format("state = 'unconfirmed' AND key_since > :since AND key_since <= :now")
# Marks animals as in flight. ``key_since`` is when the idempotency key was first sent; it is NULL
# once the animal was sent without a key.
_CLAIM = """
UPDATE animals SET state = 'in_flight', sent_at = :now, session = :session,
  first_sent_at = coalesce(first_sent_at, :now),
  key_since = iif(:has_key, coalesce(key_since, :now), NULL)
WHERE animal IN (SELECT value FROM json_each(:animals)) AND state IN ('pending', 'unconfirmed')
"""
# Writes all outcomes of a commit; ``_settle`` builds the values.
_SETTLE = """
UPDATE animals SET state = column2, reason = column3, pet_id = column4, id_source = column5,
  answer = column6, may_have_been_applied = column7, key_since = iif(column8, key_since, NULL),
  settled_at = column9, shown_at = NULL
FROM (VALUES {}) WHERE animal = column1 AND state = 'in_flight'
"""
# Writes a later change of one animal, if it is still in the expected state.
_CHANGE = """
UPDATE animals SET state = :state, reason = :reason, pet_id = coalesce(:pet_id, pet_id),
  id_source = coalesce(:id_source, id_source), settled_at = iif(:state = 'pending', NULL, :now),
  may_have_been_applied = iif(:state = 'pending', 0, may_have_been_applied)
WHERE animal = :animal AND state = :old
"""
READ_AHEAD = 256


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent, because its intent is on disk."""

    animal: int
    row: int
    line: int
    payload: bytes
    key: str | None  # its idempotency key
    may_have_been_applied: bool  # an earlier attempt may have been applied
    claimed_at: float  # when the intent was written; seconds since 1970


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a request."""

    intent: Intent
    state: State
    reason: str
    pet_id: int | None = None
    answer: dict[str, str] = field(default_factory=dict)  # the error fields of a ``JournalRow``
    notes: tuple[str, ...] = ()  # how the pet differs from what was sent
    may_repeat: bool = True  # a retry with the same key may settle an unconfirmed row
    has_reused_id: bool = False  # an earlier session recorded the pet's id for another animal


class Change(NamedTuple):
    """A later change of an animal; a change from created to created adds the id of the pet."""

    animal: int
    row: int
    old: State
    state: State
    reason: str
    pet_id: int | None = None
    id_source: str | None = None


class Outcomes:
    """Writes the outcomes of the rows of one import; the caller must hold the journal's lock."""

    def __init__(self, writer: Writer, run: Import) -> None:
        self.run, self.path = run, writer.path
        self._writer, self._sql = writer, writer.sql
        self._import, self._uuid = run.number, uuid.UUID(run.id)
        self._store_id = run.store_id
        self._session: int = writer.commits
        # Rows that were read in advance, and the first row that was not read yet.
        self._retries: list[Any] = []
        self._pending: list[Any] = []
        self._next_pending = 0
        self._has_pending = True

    def counts(self) -> dict[State, int]:
        """Return the number of the import's animals in each state, and of its invalid rows."""
        counts = dict.fromkeys(State, 0)
        with sql_errors(self.path):
            counts[State.INVALID] = count_states(self._sql, self._import)[State.INVALID]
            for state, animals in self._sql.execute(
                "SELECT state, count(*) FROM animals WHERE import = ? AND state IS NOT NULL"
                " GROUP BY 1",
                [self._import],
            ):
                counts[stored_state(state)] = animals
        return counts

    def start(self, now: float) -> None:
        """Start a session; rows that a killed session left in flight become unconfirmed."""
        self.recover()
        with self._writer.transaction() as sql:
            self._session = self._writer.commits + 1  # once this transaction is committed
            sql.execute(
                "UPDATE imports SET started_at = ?, ended_at = NULL, ending = NULL, detail = '',"
                " session = ? WHERE import = ?",
                [now, self._session, self._import],
            )

    def recover(self) -> None:
        """Mark animals that killed sessions of any import left in flight as unconfirmed."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE animals SET state = 'unconfirmed', may_have_been_applied = 1,"
                f" reason = 'killed' WHERE {IS_UNCONFIRMED} AND state = 'in_flight'"
            )

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """End the session, and store why it ended."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET ended_at = ?, ending = ?, detail = ? WHERE import = ?",
                [now, str(ending), detail, self._import],
            )

    @property
    def session(self) -> int:
        """The number of this session, which each animal that it sends has."""
        return self._session

    @property
    def has_pending(self) -> bool:
        """Whether there may be more pending rows."""
        return self._has_pending

    @property
    def has_repeats(self) -> bool:
        """Whether unconfirmed rows will be retried with their keys."""
        return bool(self._retries)

    def begin_round(self, keys_since: float, now: float) -> bool:
        """Select the unconfirmed rows to retry: the store still remembers their keys."""
        with sql_errors(self.path):
            self._retries = self._read(_RETRYABLE, since=keys_since, now=now, most=-1)
        return bool(self._retries)

    def commit(
        self,
        outcomes: Sequence[Outcome],
        now: float,
        *,
        room: int = 0,
        max_pending: int | None = None,
        keys_since: float | None = None,
        store_id: str | None = None,
    ) -> list[Intent]:
        """Write outcomes and the next intents in one durable transaction; return the intents.

        Args:
            outcomes: The outcomes of finished requests.
            now: The current time, in seconds since 1970.
            room: Maximum number of intents. Retries come first.
            max_pending: Maximum number of pending rows among them; None for no limit.
            keys_since: Rows are retried only if their keys were first sent after this time; None
                if the store remembers no keys.
            store_id: The id of the store; None if it has none.
        """
        with self._writer.transaction() as sql:
            if outcomes:
                self._settle(outcomes, now)
            if store_id != self._store_id:
                sql.execute("UPDATE journal SET store_id = ? WHERE store_id IS NULL", [store_id])
                self._store_id = store_id
            intents = self._claim(room, max_pending, keys_since, now) if room else []
        self._writer.has_sent |= bool(intents)
        return intents

    def _claim(
        self, room: int, max_pending: int | None, keys_since: float | None, now: float
    ) -> list[Intent]:
        """Write the next intents: first retries of unconfirmed rows, then pending rows."""
        has_key = keys_since is not None
        retries, self._retries = self._retries[:room], self._retries[room:]
        chosen = [row for row in retries if keys_since is not None and row[-1] > keys_since]
        pending_room = room - len(retries)
        if max_pending is not None:
            pending_room = min(pending_room, max_pending)
        chosen += self._take_pending(pending_room)
        if not chosen:
            return []
        animals = [animal for animal, *_ in chosen]
        values = {
            "now": now,
            "session": self._session,
            "has_key": has_key,
            "animals": json.dumps(animals),
        }
        self._expect(len(animals), self._sql.execute(_CLAIM, values))
        return [
            Intent(
                animal,
                row,
                line,
                payload.encode(),
                # Computed from the values, so that a restored journal sends the same keys. The
                # attempt makes the key of a new animal differ from that of an equal one.
                str(uuid.uuid5(self._uuid, f"{row} {attempt} {payload}")) if has_key else None,
                bool(may_have_been_applied),
                now,
            )
            for animal, row, line, payload, attempt, may_have_been_applied, _ in chosen
        ]

    def _take_pending(self, max_rows: int) -> list[Any]:
        """Return the next pending rows; read them in batches, as each statement costs time."""
        if len(self._pending) < max_rows:
            start = self._pending[-1][1] + 1 if self._pending else self._next_pending
            self._pending += self._read(_NEXT_PENDING, start=start, most=READ_AHEAD)
        rows, self._pending = self._pending[:max_rows], self._pending[max_rows:]
        self._has_pending &= len(rows) == max_rows
        if rows:
            self._next_pending = rows[-1][1] + 1
        return rows

    def _read(self, query: str, **parameters: Any) -> list[Any]:
        ((packed,),) = self._sql.execute(query, parameters | {"import": self._import}).fetchall()
        return list(stored_json(packed))

    def _read_again(self, row: int) -> None:
        """Drop the rows that were read in advance, because this row is pending again."""
        self._next_pending, self._pending = min(self._next_pending, row), []
        self._has_pending = True

    def _settle(self, outcomes: Sequence[Outcome], now: float) -> None:
        """Write outcomes; the transaction fails if the pet of one belongs to another row."""
        values: list[tuple[Any, ...]] = []
        for outcome in outcomes:
            intent, state = outcome.intent, outcome.state
            if state is State.PENDING:
                self._read_again(intent.row)
            answer: dict[str, Any] = dict(outcome.answer)
            if outcome.notes:
                answer["notes"] = outcome.notes
            values.append((
                intent.animal, state.value, outcome.reason, outcome.pet_id,
                None if outcome.pet_id is None else "response", json.dumps(answer),
                intent.may_have_been_applied or state is State.UNCONFIRMED, outcome.may_repeat,
                None if state is State.PENDING else now,
            ))  # fmt: skip
        for outcome in outcomes:
            if outcome.has_reused_id:
                self._sql.execute(RELEASE_PET_ID, {"now": now, "pet_id": outcome.pet_id})
        query = _SETTLE.format(", ".join(f"({_question_marks(row)})" for row in values))
        flat = [value for row in values for value in row]
        self._expect(len(outcomes), self._sql.execute(query, flat))

    def change(self, changes: Iterable[Change], now: float) -> None:
        """Write changes that come from reading the store back or from the user."""
        with self._writer.transaction() as sql:
            for change in changes:
                if change.pet_id is not None:  # a restored store may have reused the id
                    sql.execute(RELEASE_PET_ID, {"now": now, "pet_id": change.pet_id})
                if change.state is State.PENDING:  # it turned out that the store does not have it
                    self._read_again(change.row)
                    sql.execute("UPDATE imports SET ending = NULL WHERE import = ?", [self._import])
                states = {"state": str(change.state), "old": str(change.old)}
                values = change._asdict() | states | {"now": now}
                self._expect(1, sql.execute(_CHANGE, values))

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the log of the import."""
        with self._writer.transaction() as sql:
            values = [self._import, now, kind, json.dumps(detail)]
            sql.execute("INSERT INTO events (import, at, kind, detail) VALUES (?, ?, ?, ?)", values)

    def owners(self, pet_ids: Sequence[int]) -> dict[int, bool]:
        """Map each pet that an animal has to whether an earlier session created it."""
        query = "SELECT pet_id, session IS NOT ? FROM animals"
        with sql_errors(self.path):
            owners = self._sql.execute(
                f"{query} WHERE pet_id IN ({_question_marks(pet_ids)})", [self._session, *pet_ids]
            )
            return {pet: bool(is_earlier) for pet, is_earlier in owners}

    def _expect(self, rows: int, cursor: sqlite3.Cursor) -> None:
        """Raise, which rolls back the transaction, unless a statement changed all its rows."""
        if cursor.rowcount != rows:
            raise JournalError(f"{self.path}: a row is in another state; nothing was written")


def _question_marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
