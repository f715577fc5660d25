"""What became of the records in doubt, found out by reading back, or told by a person.

In: a journal and a client. Out: the same journal with fewer unknown rows. Records are matched as
a multiset: equal records are interchangeable, and where a pet may be an older twin or someone
else's (more are free than records are in doubt, or ids do not tell its age) nothing is claimed.
"""

from __future__ import annotations

import math
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from petstore_frame.errors import ArgumentError, EndpointDeprecatedWarning
from petstore_frame.loader.journal import JournalRow, Run, connect, read_run, rows
from petstore_frame.loader.limits import GRACE_S, MOST_GETS, Limits
from petstore_frame.loader.lock import Lock
from petstore_frame.loader.readback import (
    CONNECT_S,
    Evidence,
    Found,
    find_windows,
    list_all,
    search_ids,
    wanted,
)
from petstore_frame.loader.record import State
from petstore_frame.loader.runs import find_runs, hold
from petstore_frame.loader.send import Timing
from petstore_frame.loader.session import check_store, check_store_id, run_session
from petstore_frame.loader.settlements import Resettlement
from petstore_frame.loader.writer import Writer


@dataclass(frozen=True)
class Reconciliation:
    """What reading back has settled.

    Attributes:
        created: Records found in the store.
        absent: Records not found where they would have been; evidence, not proof.
        unknown: Records still in doubt.
        resent: Absent records sent again, as was asked for.
        requests: GETs made.
        notes: What could be relied on, in words.
    """

    created: int
    absent: int
    unknown: int
    resent: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()


def reconcile(
    path: Path,
    client: Any,
    *,
    grace_s: float = GRACE_S,
    by_id: bool = True,
    most_gets: int = MOST_GETS,
    resend_absent: bool = False,
    sleep: Callable[[float], None] = time.sleep,
    timing: Timing | None = None,
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
        JournalLockedError: An import is at work on it.
        JournalError: The journal is another store's, or its store's address is another's now.
        PetstoreError: The store cannot be read; nothing was settled.
    """
    timing = timing or Timing()
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
            evidence = _read(client, path, [*doubtful, *nameless], grace_s, by_id, most_gets)
            done = _settle(writer, path, run, doubtful, nameless, evidence, timing.now())
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
        ArgumentError: Not exactly one of the two was said, or the record is not in doubt.
        JournalLockedError: An import is at work on the journal.
    """
    if (pet_id is None) == (not not_created):
        raise ArgumentError("say either pet_id= or not_created=True; nothing was changed")
    now = time.time()
    with Lock(path), closing(Writer(path, read_run(path).run_id)) as writer:
        writer.recover(now)
        states = {row.number: row.state for row in rows(path, State.UNKNOWN, State.ABSENT)}
        if number not in states:
            raise ArgumentError(f"record {number} is not in doubt; nothing was changed")
        if pet_id is not None:
            new, said = State.CREATED, "a person found it"
            changes = [Resettlement(number, states[number], new, said, pet_id, "manual")]
        else:
            said = "a person did not find it"
            changes = [Resettlement(number, states[number], State.ABSENT, said)]
            changes = changes if states[number] is State.UNKNOWN else []
            changes.append(Resettlement(number, State.ABSENT, State.PENDING, said))
        writer.resettle(changes, now)


def _wait_s(path: Path, doubtful: Sequence[JournalRow], grace_s: float, now: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied."""
    if not doubtful:
        return 0.0
    with closing(connect(path, is_reader=True)) as sql:
        (last,) = sql.execute(
            "SELECT max(last_sent_at) FROM rows WHERE state IN ('unknown', 'absent')"
        ).fetchone()
    return max(0.0, float(last) + CONNECT_S + grace_s - now) if grace_s else 0.0


def _read(
    client: Any, path: Path, doubtful: Sequence[JournalRow], grace_s: float, by_id: bool, most: int
) -> Evidence:
    evidence = Evidence()
    list_all(client, doubtful, evidence)
    _check_own(path, evidence)
    find_windows(path, doubtful, evidence, grace_s)
    open_rows = [row for row in doubtful if not evidence.is_exhaustive(row)]
    if open_rows and by_id:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EndpointDeprecatedWarning)
            search_ids(client, path, open_rows, evidence, most=most)
    return evidence


def _check_own(path: Path, evidence: Evidence) -> None:
    """Take back the claim of a listing that lacks a pet which the store confirmed to us."""
    for row in rows(path, State.CREATED):
        if row.pet_id is None or row.pet_id in evidence.pets:
            continue
        for status in {None, wanted(row)[2]} & evidence.listed:
            if status is None or wanted(row)[2] == status:
                evidence.listed.discard(status)
                evidence.notes.append(
                    f"the listing of {status or 'all'} lacks pet {row.pet_id}, which the store "
                    "confirmed, so its silence means nothing"
                )


def _settle(
    writer: Writer,
    path: Path,
    run: Run,
    doubtful: Sequence[JournalRow],
    nameless: Sequence[JournalRow],
    evidence: Evidence,
    now: float,
) -> dict[str, int]:
    owned = _owned_ids(path, run)
    free = [pet for pet in evidence.pets.values() if pet.pet_id not in owned]
    done = {"created": 0, "absent": 0, "unknown": 0}
    changes: list[Resettlement] = []
    for group, pets in _groups(doubtful, nameless, free):
        named = [row for row in group if row.state is State.CREATED]
        left = [row for row in group if row.state is not State.CREATED]
        pairs = _pair(named, left, pets, evidence)
        if pairs is None:
            evidence.notes.append(_cannot_tell(group, pets))
            done["unknown"] += len(left)
            continue
        for row in named:
            if row.number in pairs:
                writer.name_pet(row.number, pairs[row.number], now)
        for row in left:
            if row.number in pairs:
                found = (State.CREATED, "found", pairs[row.number], "recovered")
                changes.append(Resettlement(row.number, row.state, *found))
                done["created"] += 1
                continue
            is_absent = evidence.is_exhaustive(row) or row.state is State.ABSENT
            done["absent" if is_absent else "unknown"] += 1
            if is_absent and row.state is State.UNKNOWN:
                changes.append(
                    Resettlement(row.number, row.state, State.ABSENT, row.reason or "not found")
                )
    writer.resettle(changes, now)
    return done


def _pair(
    named: Sequence[JournalRow],
    left: Sequence[JournalRow],
    pets: Sequence[Found],
    evidence: Evidence,
) -> dict[int, int] | None:
    """Give each pet to a record that it can be of, those surely created first.

    Returns:
        Pet id by record; None where a pet may be someone else's, so that none is claimed.
    """
    pairs: dict[int, int] = {}
    newer = [pet for pet in pets if not _is_older(pet.pet_id, [*named, *left], evidence)]
    for rows_of_kind in (named, left):
        for pet in newer:
            fitting = [
                row
                for row in rows_of_kind
                if row.number not in pairs and _fits(pet.pet_id, row, evidence)
            ]
            if fitting and pet.pet_id not in pairs.values():
                # The record whose ids end first, so that a later pet finds one too.
                chosen = min(fitting, key=lambda row: evidence.windows[row.number][1] or math.inf)
                pairs[chosen.number] = pet.pet_id
    return pairs if len(pairs) == len(newer) else None


def _is_older(pet_id: int, group: Sequence[JournalRow], evidence: Evidence) -> bool:
    """Tell whether a pet surely was in the store before any of the records was sent."""
    lows = [evidence.windows.get(row.number, (None, None))[0] for row in group]
    return all(low is not None and pet_id <= low for low in lows)


def _fits(pet_id: int, row: JournalRow, evidence: Evidence) -> bool:
    low, high = evidence.windows.get(row.number, (None, None))
    return low is not None and low < pet_id and (high is None or pet_id < high)


def _cannot_tell(group: Sequence[JournalRow], pets: Sequence[Found]) -> str:
    first = f"{len(group)} records (the first is record {group[0].number})"
    if len(pets) > len(group):
        return f"{len(pets)} pets equal {first}: some are someone else's, so none is claimed"
    ids = ", ".join(str(pet.pet_id) for pet in pets[:5])
    return (
        f"pet {ids} equals {first} but may be an older twin or someone else's, so none is "
        "claimed; look at it, then say with resolve(row, pet_id=...) what it is"
    )


def _groups(
    doubtful: Sequence[JournalRow], nameless: Sequence[JournalRow], free: Sequence[Found]
) -> Iterator[tuple[list[JournalRow], list[Found]]]:
    """Yield equal records with the pets that could be theirs, each pet once.

    A record that left its status open may have become a pet of any status, so records that
    state one choose first.
    """
    members: dict[tuple[str, int, str | None], list[JournalRow]] = defaultdict(list)
    for row in (*nameless, *doubtful):
        members[wanted(row)].append(row)
    pets: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for pet in sorted(free, key=lambda pet: pet.pet_id):
        pets[pet.name, pet.category_id].append(pet)
    for (name, category_id, status), group in sorted(
        members.items(), key=lambda item: item[0][2] is None
    ):
        mine = [p for p in pets[name, category_id] if status is None or p.status == status]
        if len(mine) <= len(group):
            pets[name, category_id] = [p for p in pets[name, category_id] if p not in mine]
        yield group, mine


def _owned_ids(path: Path, run: Run) -> set[int]:
    """Return the ids that records of any import into this store have."""
    owned: set[int] = set()
    for other, _ in find_runs(path.parent, run.base_url, run.store_id):
        with closing(connect(other, is_reader=True)) as sql:
            owned.update(
                pet_id
                for (pet_id,) in sql.execute("SELECT pet_id FROM rows WHERE pet_id IS NOT NULL")
            )
    return owned


def _resend(writer: Writer, path: Path, now: float) -> int:
    absent = [row.number for row in rows(path, State.ABSENT)]
    writer.resettle(
        [Resettlement(number, State.ABSENT, State.PENDING, "resent") for number in absent], now
    )
    return len(absent)
