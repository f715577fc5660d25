"""What became of the records in doubt, found out by reading the store, or by a person.

In: a journal and a client. Out: the same journal with fewer unknown rows. Which pet is whose,
match.py decides; it asks for nothing else, and sends again only what the caller wants sent.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from petstore_frame.errors import ArgumentError, EndpointDeprecatedWarning
from petstore_frame.loader.journal.journal import JournalRow, Run, opened, read_run, rows
from petstore_frame.loader.journal.lock import Lock
from petstore_frame.loader.journal.runs import find_runs, hold
from petstore_frame.loader.journal.settlements import Resettlement
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.limits import GRACE_S, MOST_GETS, Limits
from petstore_frame.loader.options import check_settling, checked_resolution
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.sending.clients import SettlingClient
from petstore_frame.loader.sending.session import check_store, check_store_id, run_session
from petstore_frame.loader.sending.timing import REAL_TIME, Timing
from petstore_frame.loader.settling.match import Match, match
from petstore_frame.loader.settling.readback import Evidence, list_all, search_ids, wanted
from petstore_frame.loader.settling.windows import CONNECT_S, find_windows


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
    """

    created: int
    absent: int
    unknown: int
    resent: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Reconciliation) -> Reconciliation:
        """Return both as one."""
        return Reconciliation(
            *(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__)
        )


def reconcile(
    path: Path,
    client: SettlingClient,
    *,
    grace_s: float = GRACE_S,
    by_id: bool = True,
    most_gets: int = MOST_GETS,
    resend_absent: bool = False,
    sleep: Callable[[float], None] = time.sleep,
    timing: Timing = REAL_TIME,
) -> Reconciliation:
    """Settle the unknown records of a journal by reading the store.

    Args:
        path: The journal.
        client: Its store.
        grace_s: Seconds after the last doubtful request before its absence means anything: a
            store may act late.
        by_id: Also ask id by id, through the deprecated operation, where ids rise with time.
        most_gets: At most so many requests of that kind.
        resend_absent: Send absent records again. Only for a store that surely finishes a
            request within the grace: a later one makes a duplicate.
        sleep: Waits for a number of seconds.
        timing: The clocks.

    Raises:
        ArgumentError: An argument cannot be used; nothing was sent.
        JournalLockedError: An import is at work on it.
        JournalError: The journal is another store's, or its store's address is another's now.
        PetstoreError: The store cannot be read; nothing was settled.
    """
    check_settling(
        client, grace_s=grace_s, by_id=by_id, most_gets=most_gets, resend_absent=resend_absent
    )
    read_run(path)  # refuses one without its -wal, before a lock makes it look at home here
    with hold(path) if resend_absent else Lock(path):
        run = read_run(path)
        check_store(path, run, client)
        with closing(Writer(path, run.run_id)) as writer:
            writer.recover(timing.now())
            doubtful = list(rows(path, State.UNKNOWN, State.ABSENT))
            nameless = [row for row in rows(path, State.CREATED) if row.pet_id is None]
            if not doubtful and not nameless:
                return Reconciliation(0, 0, 0)
            check_store_id(path, run, client)
            sleep(_wait_s(path, doubtful, grace_s, timing.now()))
            evidence = _read(client, path, run, [*doubtful, *nameless], grace_s, by_id, most_gets)
            elsewhere = _doubtful_elsewhere(path, run)
            matches = match([*nameless, *doubtful], _owned_ids(path, run), evidence, elsewhere)
            done = _settle(writer, matches, timing.now())
            resent = _resend(writer, path, timing.now()) if resend_absent else 0
            writer.note(timing.now(), "reconcile", {"notes": evidence.notes, **done})
        if resent:
            run_session(path, client, Limits(), progress=False, timing=timing)
    return Reconciliation(
        **done, resent=resent, requests=evidence.requests, notes=tuple(evidence.notes)
    )


def resolve(
    path: Path, number: int, *, pet_id: int | None = None, not_created: bool = False
) -> None:
    """Write what a person has found out about a record in doubt.

    Args:
        path: The journal.
        number: The record.
        pet_id: It is this pet.
        not_created: It was not created; the next import of the file sends it.

    Raises:
        ArgumentError: Not exactly one of the two was given, the record is not in doubt, or the
            pet is another record's.
        JournalLockedError: An import is at work on the journal.
    """
    number, pet_id = checked_resolution(number, pet_id=pet_id, not_created=not_created)
    now = time.time()
    run = read_run(path)
    with Lock(path), closing(Writer(path, run.run_id)) as writer:
        writer.recover(now)
        states = {row.number: row.state for row in rows(path, State.UNKNOWN, State.ABSENT)}
        if number not in states:
            raise ArgumentError(f"record {number} is not in doubt; nothing was changed")
        if pet_id is not None:
            _check_owner(path, run, pet_id)
            new, reason = State.CREATED, "a person found it"
            changes = [Resettlement(number, states[number], new, reason, pet_id, "manual")]
        else:
            reason = "a person did not find it"
            changes = [Resettlement(number, states[number], State.ABSENT, reason)]
            changes = changes if states[number] is State.UNKNOWN else []
            changes.append(Resettlement(number, State.ABSENT, State.PENDING, reason))
        writer.resettle(changes, now)


def _check_owner(path: Path, run: Run, pet_id: int) -> None:
    """Refuse a pet that a record of any import into this store has."""
    for other, found in find_runs(path.parent, run.base_url, run.store_id):
        with opened(other, is_reader=True) as sql:
            owner = sql.execute("SELECT number FROM rows WHERE pet_id = ?", [pet_id]).fetchone()
        if owner is not None:
            where = "" if other == path else f" in the import of {found.source_name}"
            raise ArgumentError(f"pet {pet_id} is record {owner[0]}'s{where}; nothing was changed")


def _wait_s(path: Path, doubtful: Sequence[JournalRow], grace_s: float, now: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied.

    No more than from a request sent now: a clock that was ahead must not be waited for.
    """
    if not doubtful or not grace_s:
        return 0.0
    with opened(path, is_reader=True) as sql:
        (last,) = sql.execute(
            "SELECT max(last_sent_at) FROM rows WHERE state IN ('unknown', 'absent')"
        ).fetchone()
    longest = CONNECT_S + grace_s
    return min(longest, max(0.0, float(last) + longest - now))


def _read(
    client: SettlingClient,
    path: Path,
    run: Run,
    doubtful: Sequence[JournalRow],
    grace_s: float,
    by_id: bool,
    most: int,
) -> Evidence:
    evidence = Evidence()
    list_all(client, doubtful, evidence)
    _check_own(path, evidence)
    journals = [other for other, _ in find_runs(path.parent, run.base_url, run.store_id)]
    evidence.windows = find_windows(path, journals, doubtful, grace_s)
    evidence.notes += evidence.windows.notes
    open_rows = [row for row in doubtful if not evidence.is_exhaustive(row)]
    if open_rows and by_id:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            search_ids(client, open_rows, evidence, most=most)
    return evidence


def _check_own(path: Path, evidence: Evidence) -> None:
    """Take back the claim of a listing that lacks a pet which the store confirmed to us."""
    for row in rows(path, State.CREATED):
        if row.pet_id is None or row.pet_id in evidence.pets:
            continue
        for status in {None, wanted(row)[2]} & evidence.listed:
            evidence.listed.discard(status)
            evidence.notes.append(
                f"the listing of {status or 'all'} lacks pet {row.pet_id}, which the store "
                "confirmed, so its silence means nothing"
            )


def _settle(writer: Writer, matches: Iterable[Match], now: float) -> dict[str, int]:
    """Write what became of the records, and count it."""
    done = {"created": 0, "absent": 0, "unknown": 0}
    changes: list[Resettlement] = []
    for row, pet_id, is_absent in matches:
        if row.state is State.CREATED:
            if pet_id is not None:
                writer.name_pet(row.number, pet_id, now)
            continue
        if pet_id is not None:
            found = (State.CREATED, "found", pet_id, "recovered")
            changes.append(Resettlement(row.number, row.state, *found))
            done["created"] += 1
        elif is_absent:
            if row.state is State.UNKNOWN:
                reason = row.reason or "not found"
                changes.append(Resettlement(row.number, row.state, State.ABSENT, reason))
            done["absent"] += 1
        else:
            if row.state is State.ABSENT:
                changes.append(Resettlement(row.number, row.state, State.UNKNOWN, "a pet is alike"))
            done["unknown"] += 1
    writer.resettle(changes, now)
    return done


def _owned_ids(path: Path, run: Run) -> set[int]:
    """Return the ids that records of any import into this store have."""
    owned: set[int] = set()
    for other, _ in find_runs(path.parent, run.base_url, run.store_id):
        with opened(other, is_reader=True) as sql:
            owned.update(
                pet_id
                for (pet_id,) in sql.execute("SELECT pet_id FROM rows WHERE pet_id IS NOT NULL")
            )
    return owned


def _doubtful_elsewhere(path: Path, run: Run) -> list[JournalRow]:
    """Return the records in doubt of the other imports into this store."""
    others = (other for other, _ in find_runs(path.parent, run.base_url, run.store_id))
    return [row for other in others if other != path for row in rows(other, *DOUBT_STATES)]


def _resend(writer: Writer, path: Path, now: float) -> int:
    absent = [row.number for row in rows(path, State.ABSENT)]
    writer.resettle(
        [Resettlement(number, State.ABSENT, State.PENDING, "resent") for number in absent], now
    )
    return len(absent)
