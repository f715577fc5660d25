"""What became of the records in doubt, found out by reading the store, or by a person.

A pet is taken for a record only where nothing else can explain it: the store was read to its end
before the record was sent, and since then no pet appeared that is neither ours nor equal to a
record in doubt. Equal records are interchangeable.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import ArgumentError, JournalError, whole_number
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import Import, read_payload
from petstore_frame.loader.journal.tables import IS_DOUBTFUL
from petstore_frame.loader.record import State
from petstore_frame.loader.settling.readback import (
    ReadBack,
    SettlingClient,
    Wanted,
    ask_store_id,
    list_all,
)
from petstore_frame.transport import same_store_address

# A request without a connection for so long was not sent.
CONNECT_S = 5.0


@dataclass(frozen=True)
class Reconciliation:
    """What reading the store back has shown.

    Attributes:
        created: Records found in the store.
        absent: Records not found where they would have been; evidence, not proof.
        unknown: Records still in doubt.
        requests: GETs made.
        notes: What we could rely on, as sentences.
        candidates: The ids of the pets that a record still in doubt may be, by record.
    """

    created: int = 0
    absent: int = 0
    unknown: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()
    candidates: dict[int, tuple[int, ...]] = field(default_factory=dict)


class _Doubtful(NamedTuple):
    """A record in doubt, or a created one whose id is not known, and its first request."""

    record: int
    state: State
    reason: str
    wish: Wanted
    sent_at: float


class _Before(NamedTuple):
    """What was known of the store before: by pet, our animals and when others were first seen."""

    ours: Mapping[int, tuple[str, int]]
    strangers: Mapping[int, tuple[bytes, float]]
    first_reading: float  # when it was first read to its end

    def seen_at(self, pet_id: int, pet: Wanted) -> float:
        """Return when a pet of others was first seen; an id given again is another pet's."""
        likeness, at = self.strangers.get(pet_id, (b"", math.inf))
        return at if likeness == pet.likeness else math.inf


# Any of the requests of a record may have made its pet.
_DOUBTFUL = """
SELECT record, state, reason, payload, first_sent_at FROM animals WHERE import = ?
AND (state IN ('unknown', 'absent') OR state = 'created' AND pet_id IS NULL)
ORDER BY state <> 'created', record
"""
_FIRST_READING = """
SELECT min(at) FROM events WHERE kind = 'read' AND json_extract(detail, '$.is_complete')
"""
_LAST_SENT = """
SELECT max(sent_at) FROM animals JOIN imports USING (import)
WHERE id IN (SELECT value FROM json_each(?))
AND state IN ('unknown', 'in_flight', 'absent')
"""


def reconcile(
    path: Path,
    import_ids: Sequence[str],
    client: SettlingClient,
    grace_s: float,
    sleep: Callable[[float], None],
) -> Reconciliation:
    """Settle the records in doubt of imports, as ``LoadResult.reconcile`` says.

    The candidates that it returns are those of the last import.
    """
    runs = [journal.read_import(path, import_id) for import_id in import_ids]
    base_url, store_id = runs[-1].base_url, runs[-1].store_id
    if same_store_address(client.base_url) != same_store_address(base_url):
        raise JournalError(
            f"{path} is an import into {base_url}, and the client's store is {client.base_url}; "
            "use a client of that store"
        )
    with reading(path) as sql:
        ((sent_at,),) = sql.execute(_LAST_SENT, [json.dumps(import_ids)]).fetchall()
    sleep(_wait_s(sent_at, grace_s))  # without the journal's lock: others may load meanwhile
    done = Reconciliation()
    with holding(path), Writer(path, base_url) as writer:
        work = [Outcomes(writer, run) for run in runs]
        for outcomes in work:
            outcomes.recover()
        doubtful = {run.id: _read_doubtful(writer.sql, run) for run in runs}
        if not any(doubtful.values()):
            return done
        if store_id is not None and ask_store_id(client) not in (None, store_id):
            raise JournalError(
                f"{path} is an import into another store, which had the address {base_url} "
                "before; the store there now does not have these records, so nothing was settled"
            )
        found = list_all(client)
        _check_own(writer.sql, runs, found)
        before = _read_before(writer.sql)
        for outcomes in work:
            rivals = _read_rivals(writer.sql, outcomes.run)
            of_run = _settle(outcomes, doubtful[outcomes.run.id], found, before, rivals)
            outcomes.note(time.time(), "reconcile", asdict(of_run))
            counts = ("created", "absent", "unknown")
            sums = {name: getattr(done, name) + getattr(of_run, name) for name in counts}
            done = replace(of_run, **sums)
    return done


def _wait_s(sent_at: float | None, grace_s: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    Never longer than for a request sent now: the clock may have been ahead then.
    """
    if sent_at is None or not grace_s:
        return 0.0
    longest = CONNECT_S + grace_s
    return min(longest, max(0.0, sent_at + longest - time.time()))


def _read_doubtful(sql: sqlite3.Connection, run: Import) -> list[_Doubtful]:
    """Return what is to be settled of an import, the created records first."""
    return [
        _Doubtful(record, State(state), reason or "", Wanted.of(read_payload(body)), sent_at or 0.0)
        for record, state, reason, body, sent_at in sql.execute(_DOUBTFUL, [run.number])
    ]


def _check_own(sql: sqlite3.Connection, runs: Sequence[Import], found: ReadBack) -> None:
    """Believe no listing that lacks pets which the store confirmed."""
    query = "SELECT pet_id FROM animals WHERE state = 'created' AND import = ?"
    own = {pet_id for run in runs for (pet_id,) in sql.execute(query, [run.number])} - {None}
    if found.is_whole and (hidden := own - found.pets.keys()):
        found.is_whole = False
        found.note += (
            f"; it lacks pet {min(hidden)}, which the store confirmed, so its silence means nothing"
        )


def _read_before(sql: sqlite3.Connection) -> _Before:
    """Return what was known of the store at earlier readings."""
    pets = sql.execute("SELECT pet_id, payload FROM animals WHERE pet_id IS NOT NULL")
    strangers = sql.execute("SELECT pet_id, likeness, seen_at FROM strangers")
    ((first,),) = sql.execute(_FIRST_READING).fetchall()
    return _Before(
        {pet_id: Wanted.of(json.loads(body)).animal for pet_id, body in pets},
        {pet_id: (likeness, at) for pet_id, likeness, at in strangers},
        math.inf if first is None else first,
    )


def _read_rivals(sql: sqlite3.Connection, run: Import) -> list[Wanted]:
    """Return what the records in doubt of other imports asked for."""
    query = "SELECT payload FROM animals WHERE import IS NOT ?"
    found = sql.execute(f"{query} AND {IS_DOUBTFUL}", [run.number])
    return [Wanted.of(json.loads(body)) for (body,) in found]


def match(
    rows: Sequence[_Doubtful], found: ReadBack, before: _Before, rivals: Sequence[Wanted]
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Return the pet of each record that is found, and the pets that each other one may be.

    Args:
        rows: The records, the created ones first.
        found: What was read.
        before: What was known of the store before.
        rivals: What records in doubt of other imports asked for.
    """
    in_doubt = {wish.animal for wish in (*(each.wish for each in rows), *rivals)}
    near: dict[tuple[str, int], list[int]] = defaultdict(list)
    last = 0.0  # when a pet appeared that is neither ours nor equal to a record in doubt
    for pet_id, pet in sorted(found.pets.items()):
        # An id that the store gave again has another animal now.
        if before.ours.get(pet_id) != pet.animal:
            near[pet.animal].append(pet_id)
        if pet_id not in before.ours and pet.animal not in in_doubt:
            last = max(last, before.seen_at(pet_id, pet))
    groups: dict[Wanted, list[_Doubtful]] = defaultdict(list)
    for each in rows:
        groups[each.wish].append(each)
    pairs: dict[int, int] = {}
    may_be: dict[int, tuple[int, ...]] = {}
    # One that left its status open may have become a pet of any; those that state one come first.
    for wish, group in sorted(groups.items(), key=lambda item: item[0].status is None):
        sent_at = min(each.sent_at for each in group)
        taken, claimed = {*pairs.values()}, {*chain.from_iterable(may_be.values())}
        free = [
            pet_id
            for pet_id in near[wish.animal]
            if pet_id not in taken and before.seen_at(pet_id, found.pets[pet_id]) > sent_at
        ]
        equal = [pet_id for pet_id in free if wish.may_be(found.pets[pet_id])]
        has_rival = any(wish.may_be(rival) or rival.may_be(wish) for rival in rivals)
        is_ours = max(before.first_reading, last) <= sent_at and len(equal) <= len(group)
        if is_ours and not has_rival and not claimed & {*equal}:
            pairs |= {each.record: pet for each, pet in zip(group, equal, strict=False)}
            free, equal = [pet_id for pet_id in free if pet_id not in equal], []
        # Where none is equal, a store, or somebody, may have changed a status.
        candidates = tuple(equal or free)
        may_be |= {each.record: candidates for each in group if each.record not in pairs}
    return pairs, may_be


def _settle(
    outcomes: Outcomes,
    rows: Sequence[_Doubtful],
    found: ReadBack,
    before: _Before,
    rivals: Sequence[Wanted],
) -> Reconciliation:
    """Write what became of the records of an import."""
    pairs, may_be = match(rows, found, before, rivals)
    counts, changes = Counter[str](), list[Change]()
    for record, old, reason, *_ in rows:
        pet_id, state = pairs.get(record), old
        if pet_id is not None:
            state = State.CREATED
            changes.append(Change(record, old, state, "found", pet_id, "recovered"))
        elif old is State.UNKNOWN and found.is_whole and not may_be[record]:
            state = State.ABSENT
            changes.append(Change(record, old, state, reason or "not found"))
        counts[state] += old is not State.CREATED
    outcomes.change(changes, time.time())
    candidates = {record: pets for record, pets in may_be.items() if pets}
    return Reconciliation(
        counts[State.CREATED],
        counts[State.ABSENT],
        counts[State.UNKNOWN],
        found.requests,
        (found.note,),
        candidates,
    )


def resolve(path: Path, import_id: str, pets: Mapping[int, int | None]) -> None:
    """Write what a person has found out about records in doubt, as ``LoadResult.resolve`` says."""
    if not isinstance(pets, Mapping):
        raise ArgumentError(
            f"resolve takes a pet for each record, as in {{17: 4711, 18: None}}, got {pets!r}; "
            "nothing was changed"
        )
    said = {
        whole_number("record", record, 1): (
            None if pet_id is None else whole_number("pet_id", pet_id)
        )
        for record, pet_id in pets.items()
    }
    run = journal.read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        found = {each.record: each.state for each in _read_doubtful(writer.sql, run)}
        named = [pet_id for pet_id in said.values() if pet_id is not None]
        for pet in outcomes.owners(named):
            raise ArgumentError(f"pet {pet} is another record's; nothing was changed")
        if len(named) > len({*named}):
            raise ArgumentError("one pet is no two records; nothing was changed")
        changes: list[Change] = []
        for record, pet_id in said.items():
            state = found.get(record, State.CREATED)
            if state is State.CREATED:
                raise ArgumentError(f"record {record} is not in doubt; nothing was changed")
            if pet_id is not None:
                why = "a person found it"
                changes.append(Change(record, state, State.CREATED, why, pet_id, "manual"))
                continue
            ways = [(State.UNKNOWN, State.ABSENT), (State.ABSENT, State.PENDING)]
            why = "a person did not find it"
            changes += [Change(record, *way, why) for way in ways[state is State.ABSENT :]]
        outcomes.change(changes, time.time())


# A reading from before the last doubtful request says nothing about that request.
_LAST = """
SELECT events.detail FROM events JOIN imports USING (import) WHERE id = :run
  AND kind = 'reconcile' AND at >= (SELECT max(sent_at) FROM animals
    WHERE animals.import = imports.import AND state = 'unknown')
ORDER BY at DESC LIMIT 1
"""


class Doubt(NamedTuple):
    """The records in doubt although the store was read, and the pets that each may be."""

    notes: tuple[str, ...]
    records: tuple[int, ...]
    candidates: dict[int, tuple[int, ...]]


def read_doubt(path: Path, import_id: str) -> Doubt | None:
    """Return what the last reading left in doubt; None if it left nothing, or there was none."""
    with reading(path) as sql:
        last = sql.execute(_LAST, {"run": import_id}).fetchone()
        if last is None:
            return None
        records = tuple(row.record for row in journal.read_rows(sql, import_id, State.UNKNOWN))
    found = json.loads(last[0])
    left = {int(record): tuple(ids) for record, ids in found["candidates"].items()}
    left = {record: ids for record, ids in left.items() if record in records}
    return Doubt(tuple(found["notes"]), records, left)
