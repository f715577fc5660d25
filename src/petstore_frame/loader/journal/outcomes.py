"""What becomes of the records of one import while they are sent: intents first, then outcomes."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import Writer, sql_errors
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.journal.tables import ID_GIVEN_AGAIN
from petstore_frame.loader.record import Ending, State

_TO_SEND = """
SELECT own.record, rows.line, CAST(own.payload AS TEXT) AS payload, life, is_in_doubt
FROM animals AS own JOIN rows USING (import, record) WHERE own.import = ?
"""
# A start time in the future means that the clock was wrong, so the key may be of any age.
_REPEATABLE = "state = 'unknown' AND key_since > ? AND key_since <= ?"
# ``key_since`` is the first moment of a key that each request of the animal carried.
_CLAIM = """
UPDATE animals SET state = 'in_flight', sent_at = ?1, session = ?2,
  first_sent_at = coalesce(first_sent_at, ?1),
  key_since = iif(?3, coalesce(key_since, ?1), NULL)
WHERE import = ?4 AND state IN ('pending', 'unknown')
  AND record IN (SELECT value FROM json_each(?5))
"""
# One statement for all outcomes of a commit; its rows are those that ``_settle`` makes.
_SETTLE = """
UPDATE animals SET state = column2, reason = column3, pet_id = column4, id_source = column5,
  answer = column6, is_in_doubt = column7, key_since = iif(column8, key_since, NULL),
  settled_at = column9, shown_at = NULL
FROM (VALUES {}) WHERE import = ? AND record = column1 AND state = 'in_flight'
"""
_CHANGE = """
UPDATE animals SET state = :state, reason = :reason, pet_id = coalesce(:pet_id, pet_id),
  id_source = coalesce(:id_source, id_source), settled_at = iif(:state = 'pending', NULL, :now),
  is_in_doubt = iif(:state = 'pending', 0, is_in_doubt)
WHERE import = :import AND record = :record AND state = :old
"""
READ_AHEAD = 256
# All in one row: with each row that SQLite gives, Python lets the other threads run first.
_READ_AHEAD = f"""
SELECT json_group_array(json_array(record, line, payload, life, is_in_doubt))
FROM ({_TO_SEND} AND state = 'pending' AND own.record >= ? ORDER BY own.record LIMIT ?)
"""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent: it is on disk."""

    record: int
    line: int
    payload: bytes
    key: str | None  # its idempotency key
    is_in_doubt: bool  # an earlier attempt may have been applied
    claimed_at: float  # when it was written, before the first byte; seconds since 1970


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the end of a request made of its record."""

    intent: Intent
    state: State
    reason: str
    pet_id: int | None = None
    answer: dict[str, str] = field(default_factory=dict)  # the error, as a ``JournalRow`` has it
    notes: tuple[str, ...] = ()  # in what the pet differs from what was sent
    may_repeat: bool = True  # the same request, under its key, may settle a record in doubt
    is_taken: bool = False  # an earlier session gave its pet's id to another animal


class Change(NamedTuple):
    """A later change of a record: found in the store, not found, or to be sent again.

    From created to created its pet becomes known.
    """

    record: int
    old: State
    state: State
    reason: str
    pet_id: int | None = None
    id_source: str | None = None


class Outcomes:
    """Writes what becomes of the records of one import; the caller holds the journal."""

    def __init__(self, writer: Writer, run: Import) -> None:
        self.run, self.path = run, writer.path
        self._writer, self._sql = writer, writer.sql
        self._import, self._uuid = run.number, uuid.UUID(run.id)
        self._store_id, self._session = run.store_id, writer.commits
        self._first_pending = 0
        self._pending: list[Any] = []

    def counts(self) -> dict[State, int]:
        """Count the animals that the import sends by their states, and its rows to fix."""
        found = self._sql.execute(
            "SELECT state, count(*) FROM animals WHERE import = ?1 AND state IS NOT NULL GROUP BY 1"
            " UNION ALL SELECT 'invalid', count(*) FROM records WHERE import = ?1"
            " AND state = 'invalid'",
            [self._import],
        )
        return dict.fromkeys(State, 0) | {State(state): count for state, count in found}

    def start(self, now: float) -> int:
        """Begin a session; return how many records a dead one left in flight, now unknown."""
        found = self.recover()
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET started_at = ?, ended_at = NULL, ending = NULL, detail = ''"
                " WHERE import = ?",
                [now, self._import],
            )
        self._session = self._writer.commits
        return found

    def recover(self) -> int:
        """Make unknown what a dead session left in flight; return how many that were."""
        with self._writer.transaction() as sql:
            return sql.execute(
                "UPDATE animals SET state = 'unknown', is_in_doubt = 1, reason = 'killed'"
                " WHERE import = ? AND state = 'in_flight'",
                [self._import],
            ).rowcount

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET ended_at = ?, ending = ?, detail = ? WHERE import = ?",
                [now, str(ending), detail, self._import],
            )

    def commit(
        self,
        verdicts: Sequence[Outcome],
        now: float,
        *,
        fresh: int = 0,
        repeats: Sequence[int] = (),
        keys_since: float | None = None,
        store_id: str | None = None,
    ) -> list[Intent]:
        """Write what became of requests, and return the next intents, in one durable transaction.

        Up to ``fresh`` pending records may start, and records in doubt be repeated under the keys
        that the store remembers if they were first sent after ``keys_since`` (None: it has none).

        Raises:
            JournalError: Nothing of this call is on disk.
        """
        with self._writer.transaction() as sql:
            if verdicts:
                self._settle(verdicts, now)
            if store_id != self._store_id:
                sql.execute("UPDATE journal SET store_id = ? WHERE store_id IS NULL", [store_id])
                self._store_id = store_id
            intents = self._claim(fresh, repeats, keys_since, now)
        self._writer.has_sent |= bool(intents)
        return intents

    def repeatable(self, keys_since: float, now: float) -> list[int]:
        """Return the records in doubt whose key the store still remembers."""
        query = f"SELECT record FROM animals WHERE import = ? AND {_REPEATABLE} ORDER BY record"
        with sql_errors(self.path):
            found = self._sql.execute(query, [self._import, keys_since, now])
            return [record for (record,) in found]

    def _claim(
        self, fresh: int, repeats: Sequence[int], keys_since: float | None, now: float
    ) -> list[Intent]:
        """Write the next intents: records in doubt to repeat, then up to ``fresh`` pending ones."""
        chosen: list[Any] = []
        if repeats:
            which = f"own.record IN ({_places(repeats)}) AND {_REPEATABLE} ORDER BY own.record"
            repeated = [self._import, *repeats, keys_since, now]
            chosen += self._sql.execute(f"{_TO_SEND} AND {which}", repeated)
        chosen += self._next_pending(fresh)
        if not chosen:
            return []
        numbers, has_key = [record for record, *_ in chosen], keys_since is not None
        values: list[Any] = [now, self._session, has_key, self._import, json.dumps(numbers)]
        self._expect(len(numbers), self._sql.execute(_CLAIM, values))
        return [
            Intent(
                record,
                line,
                payload.encode(),
                # The same on every computer, so that a store replays for a restored journal, too.
                # An animal that is another than an equal pet has a life, and a key, of its own.
                str(uuid.uuid5(self._uuid, f"{record} {life} {payload}")) if has_key else None,
                bool(is_in_doubt),
                now,
            )
            for record, line, payload, life, is_in_doubt in chosen
        ]

    def _next_pending(self, most: int) -> list[Any]:
        """Take pending records, read in advance: each statement hands the processor to others."""
        if len(self._pending) < most:
            start = self._pending[-1][0] + 1 if self._pending else self._first_pending
            values = [self._import, start, READ_AHEAD]
            ((packed,),) = self._sql.execute(_READ_AHEAD, values).fetchall()
            self._pending += json.loads(packed)
        taken, self._pending = self._pending[:most], self._pending[most:]
        if taken:
            self._first_pending = taken[-1][0] + 1
        return taken

    def _read_again(self, record: int) -> None:
        """Begin anew with the pending records, of which this is one now."""
        self._first_pending, self._pending = min(self._first_pending, record), []

    def _settle(self, verdicts: Sequence[Outcome], now: float) -> None:
        """Write how requests ended; a pet that another record has is refused with all of them."""
        values: list[tuple[Any, ...]] = []
        for each in verdicts:
            intent, state = each.intent, each.state
            if state is State.PENDING:
                self._read_again(intent.record)
            answer = each.answer | ({"notes": each.notes} if each.notes else {})
            values.append((
                intent.record, state.value, each.reason, each.pet_id,
                None if each.pet_id is None else "response", json.dumps(answer),
                intent.is_in_doubt or state is State.UNKNOWN, each.may_repeat,
                None if state is State.PENDING else now,
            ))  # fmt: skip
        self._sql.executemany(
            ID_GIVEN_AGAIN, [(each.pet_id,) for each in verdicts if each.is_taken]
        )
        query = _SETTLE.format(", ".join(f"({_places(row)})" for row in values))
        flat = [value for row in values for value in row]
        self._expect(len(verdicts), self._sql.execute(query, [*flat, self._import]))

    def change(self, changes: Iterable[Change], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with self._writer.transaction() as sql:
            for each in changes:
                if each.state is State.PENDING:  # its doubt is settled, and it is sent once more
                    self._read_again(each.record)
                    sql.execute("UPDATE imports SET ending = NULL WHERE import = ?", [self._import])
                named = {"state": str(each.state), "old": str(each.old)}
                values = each._asdict() | named | {"now": now, "import": self._import}
                self._expect(1, sql.execute(_CHANGE, values))

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the import's log."""
        with self._writer.transaction() as sql:
            said = [self._import, now, kind, json.dumps(detail)]
            sql.execute("INSERT INTO events (import, at, kind, detail) VALUES (?, ?, ?, ?)", said)

    def owners(self, pet_ids: Sequence[int]) -> dict[int, bool]:
        """Return the pets that animals have of some, and whether an earlier session made them."""
        query = "SELECT pet_id, session IS NOT ? FROM animals"
        with sql_errors(self.path):
            found = self._sql.execute(
                f"{query} WHERE pet_id IN ({_places(pet_ids)})", [self._session, *pet_ids]
            )
            return {pet: bool(is_earlier) for pet, is_earlier in found}

    def _expect(self, records: int, done: sqlite3.Cursor) -> None:
        """Refuse all of a transaction where a record is not in the state that it should be in."""
        if done.rowcount != records:
            raise JournalError(f"{self.path}: a record is in another state; nothing was written")


def _places(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
