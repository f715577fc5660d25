"""What became of the records in doubt, found out by reading the store, or by a person."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import ArgumentError, EndpointDeprecatedWarning
from petstore_frame.loader.call import Call as Audience
from petstore_frame.loader.journal.database import holding, reading
from petstore_frame.loader.journal.moves import Moves, Resettlement
from petstore_frame.loader.journal.rows import JournalRow, Run, read_rows, read_run, rows
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.options import (
    GRACE_S,
    MOST_GETS,
    Limits,
    check_settling,
    checked_resolution,
)
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.sending.pool import REAL_TIME, Timing
from petstore_frame.loader.sending.session import check_store, check_store_id, run_session
from petstore_frame.loader.settling.readback import (
    CONNECT_S,
    Evidence,
    Match,
    SettlingClient,
    find_windows,
    list_all,
    match,
    search_ids,
    wanted,
)


@dataclass(frozen=True)
class Reconciliation:
    """What reading back has settled.

    Attributes:
        created: Records found in the store.
        absent: Records not found where they would have been; evidence, not proof.
        unknown: Records still in doubt.
        resent: Absent records sent again, because the caller wanted it.
        requests: GETs made.
        notes: What could be relied on, as sentences.
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
    run_id: str,
    client: SettlingClient,
    *,
    sole_writer: bool = False,
    grace_s: float = GRACE_S,
    by_id: bool = True,
    most_gets: int = MOST_GETS,
    resend_absent: bool = False,
    sleep: Callable[[float], None] = time.sleep,
    timing: Timing = REAL_TIME,
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
    run = read_run(path, run_id)
    check_store(path, run, client)
    # Not while the journal is held: others may load meanwhile.
    sleep(_wait_s(list(rows(path, run_id, *DOUBT_STATES)), grace_s, timing.now()))
    with holding(path), Writer(path, run.base_url) as writer:
        session = Moves(writer, run)
        session.recover(timing.now())
        doubtful = list(read_rows(writer.sql, run_id, State.UNKNOWN, State.ABSENT))
        created = read_rows(writer.sql, run_id, State.CREATED)
        nameless = [row for row in created if row.pet_id is None]
        if not doubtful and not nameless:
            return Reconciliation(0, 0, 0)
        check_store_id(path, run, client)
        evidence = _read(client, writer, run, [*doubtful, *nameless], grace_s, by_id, most_gets)
        matches = match(
            [*nameless, *doubtful],
            _owned_ids(writer, run),
            evidence,
            sole_writer=sole_writer,
            rivals=_doubtful_elsewhere(writer, run),
        )
        done, candidates = _settle(session, matches, timing.now())
        resent = _resend(writer, session, timing.now()) if resend_absent else 0
        listed = {str(record): ids for record, ids in candidates.items()}
        found = {"notes": evidence.notes, "candidates": listed, **done}
        session.note(timing.now(), "reconcile", found)
        if resent:
            run_session(writer, run, client, Limits(), progress=False, timing=timing)
    return Reconciliation(
        **done,
        resent=resent,
        requests=evidence.requests,
        notes=tuple(evidence.notes),
        candidates=candidates,
    )


def reconcile_all(
    path: Path, run_ids: Sequence[str], client: SettlingClient, **options: Any
) -> Reconciliation:
    """Settle several imports, and return what that came to; candidates are those of the last."""
    done = [reconcile(path, run_id, client, **options) for run_id in run_ids]
    counts = ("created", "absent", "unknown", "resent", "requests")
    sums = {name: sum(getattr(each, name) for each in done) for name in counts}
    return replace(done[-1], **sums, notes=tuple(note for each in done for note in each.notes))


def resolve(
    path: Path,
    run_id: str,
    record: int,
    *,
    pet_id: int | None = None,
    not_created: bool = False,
) -> None:
    """Write what a person has found out about a record in doubt, as ``LoadResult.resolve`` says."""
    record, pet_id = checked_resolution(record, pet_id=pet_id, not_created=not_created)
    now = time.time()
    run = read_run(path, run_id)
    with holding(path), Writer(path, run.base_url) as writer:
        session = Moves(writer, run)
        session.recover(now)
        found = read_rows(writer.sql, run_id, State.UNKNOWN, State.ABSENT)
        state = next((row.state for row in found if row.record == record), None)
        if state is None:
            raise ArgumentError(f"record {record} is not in doubt; nothing was changed")
        owner = None if pet_id is None else session.owner_of(pet_id)
        if owner is not None:
            raise ArgumentError(
                f"pet {pet_id} is record {owner[0]}'s in the import of {owner[1]}; nothing was "
                "changed"
            )
        if pet_id is not None:
            why = "a person found it"
            changes = [Resettlement(record, state, State.CREATED, why, pet_id, "manual")]
        else:
            why = "a person did not find it"
            changes = [Resettlement(record, State.ABSENT, State.PENDING, why)]
            if state is State.UNKNOWN:
                changes.insert(0, Resettlement(record, state, State.ABSENT, why))
        session.resettle(changes, now)


def _wait_s(doubtful: Sequence[JournalRow], grace_s: float, now: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    No more than from a request sent now: a clock that was ahead must not be waited for.
    """
    if not doubtful or not grace_s:
        return 0.0
    last = max(row.last_sent_at or 0.0 for row in doubtful)
    longest = CONNECT_S + grace_s
    return min(longest, max(0.0, last + longest - now))


def _read(
    client: SettlingClient,
    writer: Writer,
    run: Run,
    doubtful: Sequence[JournalRow],
    grace_s: float,
    by_id: bool,
    most: int,
) -> Evidence:
    evidence = Evidence()
    list_all(client, doubtful, evidence)
    _check_own(writer, run, evidence)
    evidence.windows = find_windows(writer.sql, run, doubtful, grace_s)
    if evidence.windows.note is not None:
        evidence.notes.append(evidence.windows.note)
    open_rows = [row for row in doubtful if not evidence.is_exhaustive(row)]
    if open_rows and by_id:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            search_ids(client, open_rows, evidence, most=most)
    return evidence


def _check_own(writer: Writer, run: Run, evidence: Evidence) -> None:
    """Take back the claim of a listing that lacks a pet which the store confirmed to us."""
    for row in read_rows(writer.sql, run.run_id, State.CREATED):
        if row.pet_id is None or row.pet_id in evidence.pets:
            continue
        for status in {None, wanted(row)[2]} & evidence.listed:
            evidence.listed.discard(status)
            evidence.notes.append(
                f"the listing of {status or 'all'} lacks pet {row.pet_id}, which the store "
                "confirmed, so its silence means nothing"
            )


def _settle(
    session: Moves, matches: Iterable[Match], now: float
) -> tuple[dict[str, int], dict[int, tuple[int, ...]]]:
    """Write what became of the records; return how many, and the candidates of the others."""
    done = {"created": 0, "absent": 0, "unknown": 0}
    changes: list[Resettlement] = []
    candidates: dict[int, tuple[int, ...]] = {}
    for row, pet_id, is_absent, found in matches:
        if found:
            candidates[row.record] = found
        if row.state is State.CREATED:
            if pet_id is not None:
                session.name_pet(row.record, pet_id, now)
            continue
        new, why = State.UNKNOWN, "a pet is alike"
        if pet_id is not None:
            new, why = State.CREATED, "found"
        elif is_absent:
            new, why = State.ABSENT, row.reason or "not found"
        done[new.value] += 1
        if new is not row.state:
            changes.append(Resettlement(row.record, row.state, new, why, pet_id, "recovered"))
    session.resettle(changes, now)
    return done, candidates


def _owned_ids(writer: Writer, run: Run) -> set[int]:
    """Return the ids that records of any import into this store have."""
    found = writer.sql.execute(
        "SELECT pet_id FROM fates WHERE store = ? AND pet_id IS NOT NULL", [run.store]
    )
    return {pet_id for (pet_id,) in found}


def _doubtful_elsewhere(writer: Writer, run: Run) -> list[JournalRow]:
    """Return the records in doubt of the other imports into this store."""
    others = writer.sql.execute(
        "SELECT run_id FROM imports WHERE store = ? AND import <> ? AND EXISTS (SELECT 1 FROM fates"
        " WHERE fates.import = imports.import AND state IN ('in_flight', 'unknown', 'absent'))",
        [run.store, run.number],
    ).fetchall()
    return [row for (other,) in others for row in read_rows(writer.sql, other, *DOUBT_STATES)]


def _resend(writer: Writer, session: Moves, now: float) -> int:
    absent = [row.record for row in read_rows(writer.sql, session.run.run_id, State.ABSENT)]
    session.resettle(
        [Resettlement(record, State.ABSENT, State.PENDING, "resent") for record in absent], now
    )
    return len(absent)


_SHOWN_NOTES, _SHOWN_RECORDS = 10, 5
# A reading from before the last doubtful request says nothing about that request.
_LAST = """
SELECT detail FROM events JOIN imports USING (import) WHERE run_id = :run
  AND kind = 'reconcile' AND at >= (SELECT max(last_sent_at) FROM fates
    WHERE fates.import = imports.import AND state = 'unknown')
ORDER BY at DESC LIMIT 1
"""


class Doubt(NamedTuple):
    """The records in doubt although the store was read, and the pets that each may be."""

    notes: tuple[str, ...]
    records: tuple[int, ...]
    candidates: dict[int, tuple[int, ...]]

    @property
    def shown(self) -> list[str]:
        """The candidates, then the notes, and how many more there are of each."""
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:_SHOWN_RECORDS]))}"
            for record, ids in self.candidates.items()
        ]
        return [*_cut(lines, "records with candidates"), *_cut(self.notes, "notes")]

    def step(self, voice: Audience) -> str:
        """Return how a person settles it."""
        more = len(self.records) - _SHOWN_RECORDS
        listed = ", ".join(map(str, self.records[:_SHOWN_RECORDS])) + ", …" * (more > 0)
        return (
            f"still in doubt after reading back, record {listed}: look in the store, then "
            f"{voice.resolve()}; never send these again by hand"
        )


def _cut(lines: Sequence[str], what: str) -> list[str]:
    more = len(lines) - _SHOWN_NOTES
    return [*lines[:_SHOWN_NOTES], *[f"and {more:,} more {what}"] * (more > 0)]


def read_doubt(path: Path, run_id: str) -> Doubt | None:
    """Return what the last reading left in doubt; None where it left nothing, or was not made."""
    with reading(path) as sql:
        last = sql.execute(_LAST, {"run": run_id}).fetchone()
        if last is None:
            return None
        records = tuple(row.record for row in read_rows(sql, run_id, State.UNKNOWN))
    found = json.loads(last[0])
    left = {int(record): tuple(ids) for record, ids in found["candidates"].items()}
    left = {record: ids for record, ids in left.items() if record in records}
    return Doubt(tuple(found["notes"]), records, left)
