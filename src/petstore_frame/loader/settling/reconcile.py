"""What became of the records in doubt, found out by reading the store, or by a person."""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import ArgumentError, EndpointDeprecatedWarning, JournalError
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.equal import read_seen_before_doubt
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.options import (
    Limits,
    SettlingOptions,
)
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.sending.pool import REAL_TIME
from petstore_frame.loader.sending.session import ask_store_id, run_session
from petstore_frame.loader.settling.readback import (
    Match,
    ReadBack,
    SettlingClient,
    list_all,
    match,
    search_ids,
)
from petstore_frame.schema.arguments import true_or_false, whole_number
from petstore_frame.schema.models import checked_id
from petstore_frame.transport.settings import same_store_address

# A request without a connection for so long was not sent.
CONNECT_S = 5.0
_PETS = "SELECT pet_id FROM records WHERE pet_id IS NOT NULL"


@dataclass(frozen=True)
class Reconciliation:
    """What reading the store back has shown.

    Attributes:
        created: Records found in the store.
        absent: Records not found where they would have been; evidence, not proof.
        unknown: Records still in doubt.
        resent: Absent records sent again, because the caller wanted it.
        requests: GETs made.
        notes: What we could rely on, as sentences.
        candidates: The ids of the pets that a record still in doubt may be, by record.
    """

    created: int = 0
    absent: int = 0
    unknown: int = 0
    resent: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()
    candidates: dict[int, tuple[int, ...]] = field(default_factory=dict)


def reconcile(
    path: Path,
    import_ids: Sequence[str],
    client: SettlingClient,
    options: SettlingOptions,
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
    options.check(client)
    runs = [journal.read_import(path, import_id) for import_id in import_ids]
    done = [_reconcile(path, run, client, options, sleep) for run in runs]
    counts = ("created", "absent", "unknown", "resent", "requests")
    sums = {name: sum(getattr(each, name) for each in done) for name in counts}
    return replace(done[-1], **sums, notes=tuple(note for each in done for note in each.notes))


def _reconcile(
    path: Path,
    run: Import,
    client: SettlingClient,
    options: SettlingOptions,
    sleep: Callable[[float], None],
) -> Reconciliation:
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, and the client's store is "
            f"{client.base_url}; use a client of that store"
        )
    # Without the journal's lock: others may load meanwhile.
    sleep(_wait_s(list(journal.rows(path, run.id, *DOUBT_STATES)), options.grace_s))
    with holding(path), Writer(path, run.base_url) as writer:
        sql, outcomes = writer.sql, Outcomes(writer, run)
        outcomes.recover()
        doubtful = [
            *(row for row in journal.read_rows(sql, run.id, State.CREATED) if row.pet_id is None),
            *journal.read_rows(sql, run.id, State.UNKNOWN, State.ABSENT),
        ]
        if not doubtful:
            return Reconciliation()
        if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
            raise JournalError(
                f"{path} is an import into another store, which had the address {run.base_url} "
                "before; the store there now does not have these records, so nothing was settled"
            )
        pets = {pet for (pet,) in sql.execute(_PETS)}
        own = sql.execute(f"{_PETS} AND import = ? AND state = 'created'", [run.number])
        found = _read(client, {pet for (pet,) in own}, doubtful, options)
        older, is_all = read_seen_before_doubt(sql)
        matches = match(
            doubtful,
            found,
            others_pets=pets | older,
            may_claim=options.sole_writer and is_all,
            rivals=journal.read_doubt_elsewhere(sql, run.number),
        )
        done = _settle(outcomes, matches, found)
        if options.resend_absent:
            absent = journal.read_rows(sql, run.id, State.ABSENT)
            again = [Change(row.record, row.state, State.PENDING, "resent") for row in absent]
            outcomes.change(again, time.time())
            done = replace(done, resent=len(again))
        outcomes.note(time.time(), "reconcile", asdict(done))
        if done.resent:
            run_session(writer, run, client, Limits(), progress=False, timing=REAL_TIME)
    return done


def _wait_s(doubtful: Sequence[JournalRow], grace_s: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    Never longer than for a request sent now: the clock may have been ahead then.
    """
    if not doubtful or not grace_s:
        return 0.0
    last, longest = max(row.last_sent_at or 0.0 for row in doubtful), CONNECT_S + grace_s
    return min(longest, max(0.0, last + longest - time.time()))


def _read(
    client: SettlingClient,
    own_ids: set[int],
    doubtful: Sequence[JournalRow],
    options: SettlingOptions,
) -> ReadBack:
    """Read the listing of the store, and where that has no end the ids near those of our pets."""
    found = ReadBack()
    list_all(client, doubtful, found)
    hidden = own_ids - found.pets.keys()
    if found.is_whole and hidden:
        found.is_whole = False
        found.notes.append(
            f"the listing lacks pet {min(hidden)}, which the store confirmed, so its silence means "
            "nothing"
        )
    if options.by_id and options.most_gets and not found.is_whole:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            search_ids(client, own_ids, found, most=options.most_gets)
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
        new, why = State.UNKNOWN, "a pet is alike"
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


def resolve(
    path: Path,
    import_id: str,
    record: int,
    *,
    pet_id: int | None = None,
    not_created: bool = False,
) -> None:
    """Write what a person has found out about a record in doubt, as ``LoadResult.resolve`` says."""
    true_or_false("not_created", not_created)
    if (pet_id is None) == (not not_created):
        raise ArgumentError("give either pet_id= or not_created=True; nothing was changed")
    record = whole_number("record", record, 1)
    pet_id = None if pet_id is None else checked_id(pet_id)
    run = journal.read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        found = journal.read_rows(writer.sql, import_id, State.UNKNOWN, State.ABSENT)
        state = next((row.state for row in found if row.record == record), None)
        if state is None:
            raise ArgumentError(f"record {record} is not in doubt; nothing was changed")
        for pet, (owner, source) in outcomes.owners([pet_id] if pet_id is not None else []).items():
            raise ArgumentError(
                f"pet {pet} is record {owner}'s in the import of {source}; nothing was changed"
            )
        why = "a person found it"
        changes = [Change(record, state, State.CREATED, why, pet_id, "manual")]
        if pet_id is None:
            why = "a person did not find it"
            changes = [Change(record, State.ABSENT, State.PENDING, why)]
            if state is State.UNKNOWN:
                changes.insert(0, Change(record, state, State.ABSENT, why))
        outcomes.change(changes, time.time())


# A reading from before the last doubtful request says nothing about that request.
_LAST = """
SELECT detail FROM events JOIN imports USING (import) WHERE id = :run
  AND kind = 'reconcile' AND at >= (SELECT max(last_sent_at) FROM records
    WHERE records.import = imports.import AND state = 'unknown')
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
