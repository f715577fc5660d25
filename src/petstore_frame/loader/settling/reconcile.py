"""What became of the records in doubt, found out by reading the store, or by a person."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import ArgumentError, JournalError
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.journal.tables import IS_DOUBTFUL
from petstore_frame.loader.options import check_settling
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.settling.readback import (
    Before,
    Match,
    ReadBack,
    SettlingClient,
    Wanted,
    ask_store_id,
    list_all,
    match,
)
from petstore_frame.schema.arguments import whole_number
from petstore_frame.schema.models import checked_id
from petstore_frame.transport.settings import same_store_address

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


def reconcile(
    path: Path,
    import_ids: Sequence[str],
    client: SettlingClient,
    grace_s: float,
    sleep: Callable[[float], None],
) -> Reconciliation:
    """Settle the records in doubt of imports, as ``LoadResult.reconcile`` says.

    Returns:
        What that came to; the candidates are those of the last import.

    Raises:
        ArgumentError: An argument cannot be used; nothing was sent.
        JournalLockedError: An import is at work on the journal.
        JournalError: The journal is another store's, or its store's address is another's now.
        PetstoreError: The store cannot be read; nothing was settled.
    """
    check_settling(client, grace_s)
    runs = [journal.read_import(path, import_id) for import_id in import_ids]
    done = [_reconcile(path, run, client, grace_s, sleep) for run in runs]
    counts = ("created", "absent", "unknown", "requests")
    sums = {name: sum(getattr(each, name) for each in done) for name in counts}
    return replace(done[-1], **sums, notes=tuple(note for each in done for note in each.notes))


def _reconcile(
    path: Path, run: Import, client: SettlingClient, grace_s: float, sleep: Callable[[float], None]
) -> Reconciliation:
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, and the client's store is "
            f"{client.base_url}; use a client of that store"
        )
    # Without the journal's lock: others may load meanwhile.
    sleep(_wait_s(list(journal.rows(path, run.id, *DOUBT_STATES)), grace_s))
    with holding(path), Writer(path, run.base_url) as writer:
        sql, outcomes = writer.sql, Outcomes(writer, run)
        outcomes.recover()
        rows = journal.read_rows(sql, run.id, State.CREATED, State.UNKNOWN, State.ABSENT)
        doubtful = [row for row in rows if row.known is None and row.pet_id is None]
        doubtful.sort(key=lambda row: row.state is not State.CREATED)
        if not doubtful:
            return Reconciliation()
        if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
            raise JournalError(
                f"{path} is an import into another store, which had the address {run.base_url} "
                "before; the store there now does not have these records, so nothing was settled"
            )
        found = _read(client, sql, run, doubtful)
        matches = match(
            doubtful,
            found,
            _read_before(sql),
            {row.record: _first_sent(sql, run, row) for row in doubtful},
            _read_rivals(sql, run),
        )
        done = _settle(outcomes, matches, found)
        outcomes.note(time.time(), "reconcile", asdict(done))
    return done


def _read_rivals(sql: sqlite3.Connection, run: Import) -> list[Wanted]:
    """Return what the records in doubt of other imports asked for."""
    query = "SELECT payload FROM animals WHERE import IS NOT ?"
    found = sql.execute(f"{query} AND {IS_DOUBTFUL}", [run.number])
    return [Wanted.of(json.loads(body)) for (body,) in found]


def _read_before(sql: sqlite3.Connection) -> Before:
    """Return what was known of the store at earlier readings."""
    pets = sql.execute("SELECT pet_id, payload FROM animals WHERE pet_id IS NOT NULL")
    readings = sql.execute("SELECT at, detail FROM events WHERE kind = 'read'")
    return Before(
        {pet_id: Wanted.of(json.loads(body)).animal for pet_id, body in pets},
        dict(sql.execute("SELECT pet_id, seen_at FROM strangers")),
        [at for at, detail in readings if json.loads(detail)["is_complete"]],
    )


def _first_sent(sql: sqlite3.Connection, run: Import, row: JournalRow) -> float:
    """Return when a record was sent first: any of its requests may have made its pet."""
    attempts = sql.execute(
        "SELECT detail FROM events WHERE import = ? AND record = ? AND kind = 'attempt'",
        [run.number, row.record],
    )
    moments = [float(json.loads(detail)["sent_at"]) for (detail,) in attempts]
    return min([row.sent_at or 0.0, *moments])


def _wait_s(doubtful: Sequence[JournalRow], grace_s: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    Never longer than for a request sent now: the clock may have been ahead then.
    """
    if not doubtful or not grace_s:
        return 0.0
    last, longest = max(row.sent_at or 0.0 for row in doubtful), CONNECT_S + grace_s
    return min(longest, max(0.0, last + longest - time.time()))


def _read(
    client: SettlingClient, sql: sqlite3.Connection, run: Import, doubtful: Sequence[JournalRow]
) -> ReadBack:
    """Read the listing of the store; one that lacks pets which the store confirmed is not whole."""
    found = ReadBack()
    list_all(client, doubtful, found)
    own = sql.execute(
        "SELECT pet_id FROM animals WHERE import = ? AND state = 'created' AND pet_id IS NOT NULL",
        [run.number],
    )
    hidden = {pet_id for (pet_id,) in own} - found.pets.keys()
    if found.is_whole and hidden:
        found.is_whole = False
        found.notes.append(
            f"the listing lacks pet {min(hidden)}, which the store confirmed, so its silence means "
            "nothing"
        )
    return found


def _settle(outcomes: Outcomes, matches: Iterable[Match], found: ReadBack) -> Reconciliation:
    """Write what became of the records; return how many, and the candidates of the others."""
    counts, changes = Counter[str](), list[Change]()
    candidates: dict[int, tuple[int, ...]] = {}
    for row, pet_id, is_absent, may_be in matches:
        if may_be:
            candidates[row.record] = may_be
        if row.state is State.CREATED:
            if pet_id is not None:
                outcomes.name_pet(row.record, pet_id, time.time())
            continue
        new: State = row.state
        why = row.reason or ""
        if pet_id is not None:
            new, why = State.CREATED, "found"
        elif is_absent:
            new, why = State.ABSENT, row.reason or "not found"
        counts[new.value] += 1
        if new is not row.state:
            changes.append(Change(row.record, row.state, new, why, pet_id, "recovered"))
    outcomes.change(changes, time.time())
    return Reconciliation(
        **counts, requests=found.requests, notes=tuple(found.notes), candidates=candidates
    )


def resolve(path: Path, import_id: str, pets: Mapping[int, int | None]) -> None:
    """Write what a person has found out about records in doubt, as ``LoadResult.resolve`` says."""
    if not isinstance(pets, Mapping):
        raise ArgumentError(
            f"resolve takes a pet for each record, as in {{17: 4711, 18: None}}, got {pets!r}; "
            "nothing was changed"
        )
    said = {
        whole_number("record", record, 1): None if pet_id is None else checked_id(pet_id)
        for record, pet_id in pets.items()
    }
    run = journal.read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        found = journal.read_rows(writer.sql, import_id, State.UNKNOWN, State.ABSENT)
        states = {row.record: row.state for row in found if row.known is None}
        named = [pet_id for pet_id in said.values() if pet_id is not None]
        for pet, owner in outcomes.owners(named).items():
            raise ArgumentError(
                f"pet {pet} is record {owner.record}'s in the import of {owner.source}; nothing "
                "was changed"
            )
        if len(named) > len({*named}):
            raise ArgumentError("one pet is no two records; nothing was changed")
        changes: list[Change] = []
        for record, pet_id in said.items():
            state = states.get(record)
            if state is None:
                raise ArgumentError(f"record {record} is not in doubt; nothing was changed")
            if pet_id is not None:
                why = "a person found it"
                changes.append(Change(record, state, State.CREATED, why, pet_id, "manual"))
                continue
            why = "a person did not find it"
            if state is State.UNKNOWN:
                changes.append(Change(record, state, State.ABSENT, why))
            changes.append(Change(record, State.ABSENT, State.PENDING, why))
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
