"""What became of the records in doubt, found out by reading the store, or by a person."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError, EndpointDeprecatedWarning, JournalError
from petstore_frame.http.settings import same_store_address
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import (
    JournalRow,
    read_doubt_elsewhere,
    read_import,
    read_rows,
    rows,
)
from petstore_frame.loader.journal.store_pets import read_seen_before_doubt
from petstore_frame.loader.options import (
    GRACE_S,
    MOST_GETS,
    Limits,
    check_settling,
    checked_resolution,
)
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.sending.pool import REAL_TIME, SessionClocks
from petstore_frame.loader.sending.session import ask_store_id, run_session
from petstore_frame.loader.settling.readback import (
    Match,
    ReadBack,
    SettlingClient,
    list_all,
    match,
    search_ids,
)

# A request without a connection for so long was not sent.
CONNECT_S = 5.0


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

    created: int
    absent: int
    unknown: int
    resent: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()
    candidates: dict[int, tuple[int, ...]] = field(default_factory=dict)


def reconcile(
    path: Path,
    import_id: str,
    client: SettlingClient,
    *,
    sole_writer: bool = False,
    grace_s: float = GRACE_S,
    by_id: bool = True,
    most_gets: int = MOST_GETS,
    resend_absent: bool = False,
    sleep: Callable[[float], None] = time.sleep,
    timing: SessionClocks = REAL_TIME,
) -> Reconciliation:
    """Settle the records in doubt of an import, as ``LoadResult.reconcile`` says.

    Raises:
        ArgumentError: An argument cannot be used; nothing was sent.
        JournalLockedError: An import is at work on the journal.
        JournalError: The journal is another store's, or its store's address is another's now.
        PetstoreError: The store cannot be read; nothing was settled.
    """
    check_settling(
        client,
        grace_s=grace_s,
        by_id=by_id,
        most_gets=most_gets,
        resend_absent=resend_absent,
        sole_writer=sole_writer,
    )
    run = read_import(path, import_id)
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, and the client's store is "
            f"{client.base_url}; use a client of that store"
        )
    # Without the journal's lock: others may load meanwhile.
    sleep(_wait_s(list(rows(path, import_id, *DOUBT_STATES)), grace_s, timing.now()))
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        doubtful = list(read_rows(writer.sql, import_id, State.UNKNOWN, State.ABSENT))
        created = read_rows(writer.sql, import_id, State.CREATED)
        doubtful = [*(row for row in created if row.pet_id is None), *doubtful]
        if not doubtful:
            return Reconciliation(0, 0, 0)
        if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
            raise JournalError(
                f"{path} is an import into another store, which had the address {run.base_url} "
                "before; the store there now does not have these records, so nothing was settled"
            )
        own_ids = _pets_of(writer, _CREATED_PETS, run.number)
        found = _read(client, own_ids, doubtful, most_gets if by_id else 0)
        older, is_all = read_seen_before_doubt(writer.sql)
        matches = match(
            doubtful,
            found,
            others_pets=_pets_of(writer, _PETS) | older,
            may_claim=sole_writer and is_all,
            rivals=read_doubt_elsewhere(writer.sql, run.number),
        )
        done, candidates = _settle(outcomes, matches, timing.now())
        resent = _resend(writer, outcomes, timing.now()) if resend_absent else 0
        shown = {str(record): ids for record, ids in candidates.items()}
        detail = {"notes": found.notes, "candidates": shown, **done}
        outcomes.note(timing.now(), "reconcile", detail)
        if resent:
            run_session(writer, run, client, Limits(), progress=False, timing=timing)
    return Reconciliation(
        **done,
        resent=resent,
        requests=found.requests,
        notes=tuple(found.notes),
        candidates=candidates,
    )


def reconcile_all(
    path: Path, import_ids: Sequence[str], client: SettlingClient, **options: Any
) -> Reconciliation:
    """Settle several imports, and return what that came to; candidates are those of the last."""
    done = [reconcile(path, import_id, client, **options) for import_id in import_ids]
    counts = ("created", "absent", "unknown", "resent", "requests")
    sums = {name: sum(getattr(each, name) for each in done) for name in counts}
    return replace(done[-1], **sums, notes=tuple(note for each in done for note in each.notes))


def resolve(
    path: Path,
    import_id: str,
    record: int,
    *,
    pet_id: int | None = None,
    not_created: bool = False,
) -> None:
    """Write what a person has found out about a record in doubt, as ``LoadResult.resolve`` says."""
    record, pet_id = checked_resolution(record, pet_id=pet_id, not_created=not_created)
    now = time.time()
    run = read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        found = read_rows(writer.sql, import_id, State.UNKNOWN, State.ABSENT)
        state = next((row.state for row in found if row.record == record), None)
        if state is None:
            raise ArgumentError(f"record {record} is not in doubt; nothing was changed")
        for pet, (owner, source) in outcomes.owners([pet_id] if pet_id is not None else []).items():
            raise ArgumentError(
                f"pet {pet} is record {owner}'s in the import of {source}; nothing was changed"
            )
        if pet_id is not None:
            why = "a person found it"
            changes = [Change(record, state, State.CREATED, why, pet_id, "manual")]
        else:
            why = "a person did not find it"
            changes = [Change(record, State.ABSENT, State.PENDING, why)]
            if state is State.UNKNOWN:
                changes.insert(0, Change(record, state, State.ABSENT, why))
        outcomes.change(changes, now)


def _wait_s(doubtful: Sequence[JournalRow], grace_s: float, now: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    Never longer than for a request sent now: the clock may have been ahead then.
    """
    if not doubtful or not grace_s:
        return 0.0
    last, longest = max(row.last_sent_at or 0.0 for row in doubtful), CONNECT_S + grace_s
    return min(longest, max(0.0, last + longest - now))


def _read(
    client: SettlingClient, own_ids: set[int], doubtful: Sequence[JournalRow], most_gets: int
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
    if most_gets and not found.is_whole:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            search_ids(client, own_ids, found, most=most_gets)
    return found


def _settle(
    outcomes: Outcomes, matches: Iterable[Match], now: float
) -> tuple[dict[str, int], dict[int, tuple[int, ...]]]:
    """Write what became of the records; return how many, and the candidates of the others."""
    done = {"created": 0, "absent": 0, "unknown": 0}
    changes: list[Change] = []
    candidates: dict[int, tuple[int, ...]] = {}
    for row, pet_id, is_absent, may_be in matches:
        if may_be:
            candidates[row.record] = may_be
        if row.state is State.CREATED:
            if pet_id is not None:
                outcomes.name_pet(row.record, pet_id, now)
            continue
        new, why = State.UNKNOWN, "a pet is alike"
        if pet_id is not None:
            new, why = State.CREATED, "found"
        elif is_absent:
            new, why = State.ABSENT, row.reason or "not found"
        done[new.value] += 1
        if new is not row.state:
            changes.append(Change(row.record, row.state, new, why, pet_id, "recovered"))
    outcomes.change(changes, now)
    return done, candidates


_PETS = "SELECT pet_id FROM records WHERE pet_id IS NOT NULL"
_CREATED_PETS = f"{_PETS} AND import = ? AND state = 'created'"


def _pets_of(writer: Writer, query: str, *values: int) -> set[int]:
    return {pet_id for (pet_id,) in writer.sql.execute(query, values)}


def _resend(writer: Writer, outcomes: Outcomes, now: float) -> int:
    absent = [row.record for row in read_rows(writer.sql, outcomes.run.id, State.ABSENT)]
    outcomes.change(
        [Change(record, State.ABSENT, State.PENDING, "resent") for record in absent], now
    )
    return len(absent)


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
        records = tuple(row.record for row in read_rows(sql, import_id, State.UNKNOWN))
    found = json.loads(last[0])
    left = {int(record): tuple(ids) for record, ids in found["candidates"].items()}
    left = {record: ids for record, ids in left.items() if record in records}
    return Doubt(tuple(found["notes"]), records, left)
