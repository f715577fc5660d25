"""Notes an intent before each request of an import, and its outcome afterward."""

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
from petstore_frame.loader.journal.schema import ID_GIVEN_AGAIN, IS_UNCONFIRMED
from petstore_frame.loader.row_state import Ending, State

# All in one row: with each row that SQLite gives, Python lets the other threads run first.
_TO_SEND = """
SELECT json_group_array(
  json_array(row, line, payload, life, may_have_been_applied, key_since)) FROM (
  SELECT own.row, rows.line, CAST(own.payload AS TEXT) AS payload, life,
    may_have_been_applied, key_since
  FROM animals AS own JOIN rows USING (import, row)
  WHERE own.import = :import AND {} ORDER BY own.row LIMIT :most)
"""
_NEXT_PENDING = _TO_SEND.format("state = 'pending' AND own.row >= :start")
# A start time in the future means that the clock was wrong, so the key may be of any age.
_REPEATABLE = _TO_SEND.format("state = 'unconfirmed' AND key_since > :since AND key_since <= :now")
# ``key_since`` is the first moment of a key that each request of the animal carried.
_CLAIM = """
UPDATE animals SET state = 'in_flight', sent_at = :now, session = :session,
  first_sent_at = coalesce(first_sent_at, :now),
  key_since = iif(:has_key, coalesce(key_since, :now), NULL)
WHERE import = :import AND state IN ('pending', 'unconfirmed')
  AND row IN (SELECT value FROM json_each(:rows))
"""
# One statement for all outcomes of a commit; its rows are those that ``_settle`` makes.
_SETTLE = """
UPDATE animals SET state = column2, reason = column3, pet_id = column4, id_source = column5,
  answer = column6, may_have_been_applied = column7, key_since = iif(column8, key_since, NULL),
  settled_at = column9, shown_at = NULL
FROM (VALUES {}) WHERE import = ? AND row = column1 AND state = 'in_flight'
"""
_CHANGE = """
UPDATE animals SET state = :state, reason = :reason, pet_id = coalesce(:pet_id, pet_id),
  id_source = coalesce(:id_source, id_source), settled_at = iif(:state = 'pending', NULL, :now),
  may_have_been_applied = iif(:state = 'pending', 0, may_have_been_applied)
WHERE import = :import AND row = :row AND state = :old
"""
READ_AHEAD = 256


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent: it is on disk."""

    row: int
    line: int
    payload: bytes
    key: str | None  # its idempotency key
    may_have_been_applied: bool  # an earlier attempt may have been applied
    claimed_at: float  # when it was written, before the first byte; seconds since 1970


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the end of a request made of its row."""

    intent: Intent
    state: State
    reason: str
    pet_id: int | None = None
    answer: dict[str, str] = field(default_factory=dict)  # the error, as a ``JournalRow`` has it
    notes: tuple[str, ...] = ()  # in what the pet differs from what was sent
    may_repeat: bool = True  # the same request, under its key, may settle an unconfirmed row
    has_reused_id: bool = False  # an earlier session has its pet's id for another animal


class Change(NamedTuple):
    """A later change of a row; from created to created its pet becomes known."""

    row: int
    old: State
    state: State
    reason: str
    pet_id: int | None = None
    id_source: str | None = None


class Outcomes:
    """Writes what becomes of the rows of one import; the caller holds the journal."""

    def __init__(self, writer: Writer, run: Import) -> None:
        self.run, self.path = run, writer.path
        self._writer, self._sql = writer, writer.sql
        self._import, self._uuid = run.number, uuid.UUID(run.id)
        self._store_id, self._session = run.store_id, writer.commits
        # What was read of what is still to send, and from which row on there may be more.
        self._repeats: list[Any] = []
        self._pending: list[Any] = []
        self._next_pending = 0
        self._has_pending = True

    def counts(self) -> dict[State, int]:
        """Count the animals that the import sends by their states, and its rows to fix."""
        counts = dict.fromkeys(State, 0)
        counts[State.INVALID] = count_states(self._sql, self._import)[State.INVALID]
        for state, animals in self._sql.execute(
            "SELECT state, count(*) FROM animals WHERE import = ? AND state IS NOT NULL GROUP BY 1",
            [self._import],
        ):
            counts[State(state)] = animals
        return counts

    def start(self, now: float) -> None:
        """Begin a session; what a dead one left in flight is unconfirmed from now on."""
        self.recover()
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET started_at = ?, ended_at = NULL, ending = NULL, detail = ''"
                " WHERE import = ?",
                [now, self._import],
            )
        self._session = self._writer.commits

    def recover(self) -> None:
        """Make unconfirmed what dead sessions of any import left in flight."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE animals SET state = 'unconfirmed', may_have_been_applied = 1,"
                f" reason = 'killed' WHERE {IS_UNCONFIRMED} AND state = 'in_flight'"
            )

    def end(self, now: float, ending: Ending, detail: str = "") -> None:
        """Close the session with its reason."""
        with self._writer.transaction() as sql:
            sql.execute(
                "UPDATE imports SET ended_at = ?, ending = ?, detail = ? WHERE import = ?",
                [now, str(ending), detail, self._import],
            )

    @property
    def has_pending(self) -> bool:
        """Whether there may be pending rows, as far as they were read."""
        return self._has_pending

    @property
    def has_repeats(self) -> bool:
        """Whether unconfirmed rows are to be sent again under their keys."""
        return bool(self._repeats)

    def begin_round(self, keys_since: float, now: float) -> bool:
        """Find the unconfirmed rows whose key the store still remembers, to be sent again."""
        with sql_errors(self.path):
            self._repeats = self._read(_REPEATABLE, since=keys_since, now=now, most=-1)
        return bool(self._repeats)

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
        """Write what became of requests, and return the next intents, in one durable transaction.

        Up to ``room`` rows may start, at most ``max_pending`` of them pending ones: first those of
        a round, if their keys were first sent after ``keys_since`` (None: the store remembers
        none).
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
        """Write the next intents: unconfirmed rows to repeat, then pending ones."""
        has_key = keys_since is not None
        repeats, self._repeats = self._repeats[:room], self._repeats[room:]
        chosen = [row for row in repeats if keys_since is not None and row[-1] > keys_since]
        pending_room = room - len(repeats)
        if max_pending is not None:
            pending_room = min(pending_room, max_pending)
        chosen += self._take_pending(pending_room)
        if not chosen:
            return []
        numbers = [row for row, *_ in chosen]
        values = {
            "now": now,
            "session": self._session,
            "has_key": has_key,
            "import": self._import,
            "rows": json.dumps(numbers),
        }
        self._expect(len(numbers), self._sql.execute(_CLAIM, values))
        return [
            Intent(
                row,
                line,
                payload.encode(),
                # The same on every computer, so that a store replays for a restored journal, too.
                # An animal that is another than an equal pet has a life, and a key, of its own.
                str(uuid.uuid5(self._uuid, f"{row} {life} {payload}")) if has_key else None,
                bool(may_have_been_applied),
                now,
            )
            for row, line, payload, life, may_have_been_applied, _ in chosen
        ]

    def _take_pending(self, most: int) -> list[Any]:
        """Take pending rows, read in advance: each statement hands the processor to others."""
        if len(self._pending) < most:
            start = self._pending[-1][0] + 1 if self._pending else self._next_pending
            self._pending += self._read(_NEXT_PENDING, start=start, most=READ_AHEAD)
        rows, self._pending = self._pending[:most], self._pending[most:]
        self._has_pending &= len(rows) == most
        if rows:
            self._next_pending = rows[-1][0] + 1
        return rows

    def _read(self, query: str, **named: Any) -> list[Any]:
        ((packed,),) = self._sql.execute(query, named | {"import": self._import}).fetchall()
        return list(json.loads(packed))

    def _read_again(self, row: int) -> None:
        """Begin anew with the pending rows, of which this is one now."""
        self._next_pending, self._pending = min(self._next_pending, row), []
        self._has_pending = True

    def _settle(self, outcomes: Sequence[Outcome], now: float) -> None:
        """Write how requests ended; a pet that another row has is refused with all of them."""
        values: list[tuple[Any, ...]] = []
        for outcome in outcomes:
            intent, state = outcome.intent, outcome.state
            if state is State.PENDING:
                self._read_again(intent.row)
            answer: dict[str, Any] = dict(outcome.answer)
            if outcome.notes:
                answer["notes"] = outcome.notes
            values.append((
                intent.row, state.value, outcome.reason, outcome.pet_id,
                None if outcome.pet_id is None else "response", json.dumps(answer),
                intent.may_have_been_applied or state is State.UNCONFIRMED, outcome.may_repeat,
                None if state is State.PENDING else now,
            ))  # fmt: skip
        reused_ids = [(outcome.pet_id,) for outcome in outcomes if outcome.has_reused_id]
        if reused_ids:
            self._sql.executemany(ID_GIVEN_AGAIN, reused_ids)
        query = _SETTLE.format(", ".join(f"({_places(row)})" for row in values))
        flat = [value for row in values for value in row]
        self._expect(len(outcomes), self._sql.execute(query, [*flat, self._import]))

    def change(self, changes: Iterable[Change], now: float) -> None:
        """Write what reading back, or a person, has found out."""
        with self._writer.transaction() as sql:
            for change in changes:
                if change.state is State.PENDING:  # it is known now that it is not in the store
                    self._read_again(change.row)
                    sql.execute("UPDATE imports SET ending = NULL WHERE import = ?", [self._import])
                named = {"state": str(change.state), "old": str(change.old)}
                values = change._asdict() | named | {"now": now, "import": self._import}
                self._expect(1, sql.execute(_CHANGE, values))

    def note(self, now: float, kind: str, detail: dict[str, Any]) -> None:
        """Add an event to the import's log."""
        with self._writer.transaction() as sql:
            values = [self._import, now, kind, json.dumps(detail)]
            sql.execute("INSERT INTO events (import, at, kind, detail) VALUES (?, ?, ?, ?)", values)

    def owners(self, pet_ids: Sequence[int]) -> dict[int, bool]:
        """Return which of these pets animals have, and whether an earlier session made them."""
        query = "SELECT pet_id, session IS NOT ? FROM animals"
        with sql_errors(self.path):
            owners = self._sql.execute(
                f"{query} WHERE pet_id IN ({_places(pet_ids)})", [self._session, *pet_ids]
            )
            return {pet: bool(is_earlier) for pet, is_earlier in owners}

    def _expect(self, rows: int, done: sqlite3.Cursor) -> None:
        """Refuse all of a transaction where a row is not in the state that it should be in."""
        if done.rowcount != rows:
            raise JournalError(f"{self.path}: a row is in another state; nothing was written")


def _places(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
