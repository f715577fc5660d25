"""What a store shows of the pets that some records may have become.

In: a client, the journal's confirmed creations, the records in doubt. Out: pets that no record
owns yet, and for which records the search was exhaustive. It settles nothing.

Two ways, both with an assumption that is tested, not taken for granted: a listing is whole when the
inventory can claim so without trusting the length of a page; ids are searched one by one, and
distinguish a record's pet from an older twin, only where every confirmed pair shows that they rise.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from petstore_frame.errors import IncompleteInventoryError, NotFoundError, PetstoreError
from petstore_frame.inventory.completeness import Assumption, Completeness
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.loader.clients import SettlingClient
from petstore_frame.loader.journal import JournalRow, connect
from petstore_frame.models import PET_STATUSES

CONNECT_S = 5.0
# So many ids in a row that do not exist are the end of the store, where ids are dense.
EMPTY_IDS = 50
DENSE = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """A pet of the store, as far as it can be compared."""

    pet_id: int
    name: str
    category_id: int
    status: str | None


@dataclass
class Evidence:
    """What was read.

    Attributes:
        pets: Pets seen, by id.
        listed: Statuses whose listing was whole; None stands for the listing of all.
        windows: By record, the last id surely before its pet's and the first surely after;
            empty where ids do not rise with time.
        searched: Records whose whole range of ids was asked for.
        requests: GETs made.
        notes: What could be relied on, and what not, as sentences.
    """

    pets: dict[int, Found] = field(default_factory=dict)
    listed: set[str | None] = field(default_factory=set)
    windows: dict[int, tuple[int | None, int | None]] = field(default_factory=dict)
    searched: set[int] = field(default_factory=set)
    requests: int = 0
    notes: list[str] = field(default_factory=list)

    def is_exhaustive(self, row: JournalRow) -> bool:
        """Tell whether this record's pet would have been seen."""
        status = wanted(row)[2]
        return (
            row.number in self.searched
            or None in self.listed
            or (status is not None and status in self.listed)
        )


def wanted(row: JournalRow) -> tuple[str, int, str | None]:
    """Return name, category and status of the pet that a record asks for."""
    sent = json.loads(row.payload or b"{}")
    return sent["name"], sent["categoryId"], sent.get("status")


def list_all(client: SettlingClient, rows: Sequence[JournalRow], evidence: Evidence) -> None:
    """Read the listings in which the records would be, and that of all where one is in doubt."""
    statuses = {wanted(row)[2] for row in rows}
    for status in sorted(statuses, key=str):
        if not evidence.listed & {None, status}:
            _list(client, status, evidence)
    if None not in statuses and not statuses <= evidence.listed:
        _list(client, None, evidence)


def _list(client: SettlingClient, status: str | None, evidence: Evidence) -> None:
    try:
        inventory = fetch_inventory(client, status=status, progress=False)
        is_broken = False
    except IncompleteInventoryError as problem:
        if isinstance(problem.cause, KeyboardInterrupt):
            raise problem.cause from None
        inventory, is_broken = problem.partial, True
    claim = inventory.completeness
    evidence.requests += claim.requests
    columns = (inventory.frame[name] for name in ("id", "name", "category_id", "status"))
    for pet_id, name, category_id, cell in zip(*columns, strict=True):
        own_status = cell if isinstance(cell, str) else None
        evidence.pets[int(pet_id)] = Found(int(pet_id), str(name), int(category_id), own_status)
    whole = set[str | None]() if is_broken or claim.conflicts else _whole(claim)
    evidence.listed |= whole
    end = "was read to its end" if status in whole or None in whole else "may have had no end"
    evidence.notes.append(f"the listing of {status or 'all'} {end}: {claim}")


def _whole(claim: Completeness) -> set[str | None]:
    """Return the statuses of which a claim covers every pet; None stands for all pets.

    A page that is merely shorter than its limit shows nothing, unless it is empty: a store that
    cuts its pages short still fills them with something.
    """
    if str(Assumption.FILLS_PAGES) in claim.assumptions and claim.rows:
        return set()
    exact = {name for name in PET_STATUSES if claim.count(name).is_exact}
    return {*exact, None} if claim.covers_all else {*exact}


def find_windows(
    path: Path, rows: Sequence[JournalRow], evidence: Evidence, grace_s: float
) -> None:
    """Find between which ids the records' pets must be, where ids rise with time."""
    with closing(connect(path, is_reader=True)) as sql:
        if _do_ids_rise(sql):
            evidence.windows = {row.number: _window(sql, row, grace_s) for row in rows}
        else:
            evidence.notes.append("ids do not rise with time here, so they do not show a pet's age")


def search_ids(
    client: SettlingClient, path: Path, rows: Sequence[JournalRow], evidence: Evidence, *, most: int
) -> None:
    """Ask for the ids that the records' pets can have."""
    if not evidence.windows:
        return
    with closing(connect(path, is_reader=True)) as sql:
        is_dense = _is_dense(sql)
    found = Searcher(client, evidence, most)
    for row in rows:
        low, high = evidence.windows[row.number]
        if low is not None and found.covers(low, high, is_dense=is_dense):
            evidence.searched.add(row.number)
    if found.is_cut:
        evidence.notes.append(f"the search by id ended after {most} requests")


class Searcher:
    """Asks for each id once, up to a number of requests."""

    def __init__(self, client: SettlingClient, evidence: Evidence, most: int) -> None:
        self.is_cut = False
        self._client = client
        self._evidence = evidence
        self._left = most
        self._asked: dict[int, bool] = dict.fromkeys(evidence.pets, True)

    def covers(self, low: int, high: int | None, *, is_dense: bool) -> bool:
        """Ask for all ids between two, or from one to the end of the store."""
        empty = 0
        pet_id = low + 1
        while high is None or pet_id < high:
            is_there = self._is_there(pet_id)
            if is_there is None:
                return False
            empty = 0 if is_there else empty + 1
            if high is None and empty >= EMPTY_IDS:
                return is_dense
            pet_id += 1
        return True

    def _is_there(self, pet_id: int) -> bool | None:
        if pet_id not in self._asked:
            if self._left <= 0:
                self.is_cut = True
                return None
            self._left -= 1
            self._evidence.requests += 1
            try:
                pet = self._client.get_pet(pet_id)
            except NotFoundError:
                self._asked[pet_id] = False
            except PetstoreError as problem:
                self._evidence.notes.append(f"the search by id stopped: {problem}")
                self._left = 0
                return None
            else:
                self._asked[pet_id] = True
                self._evidence.pets[pet_id] = Found(pet_id, pet.name, pet.category_id, pet.status)
        return self._asked[pet_id]


def _do_ids_rise(sql: sqlite3.Connection) -> bool:
    """Check over all confirmed pairs: answered before the other was sent means a smaller id."""
    ended = sql.execute(
        "SELECT ended_at, pet_id FROM attempts WHERE pet_id IS NOT NULL ORDER BY ended_at"
    )
    highest: int | None = None
    pending = ended.fetchone()
    pairs = 0
    for started_at, pet_id in sql.execute(
        "SELECT started_at, pet_id FROM attempts WHERE pet_id IS NOT NULL ORDER BY started_at"
    ):
        while pending is not None and pending[0] <= started_at:
            highest = pending[1] if highest is None else max(highest, pending[1])
            pending = ended.fetchone()
        if highest is not None:
            pairs += 1
            if highest >= pet_id:
                return False
    return pairs > 0


def _window(
    sql: sqlite3.Connection, row: JournalRow, grace_s: float
) -> tuple[int | None, int | None]:
    """Return the last id surely before a record's first sending, and the first surely after."""
    first, last = sql.execute(
        "SELECT min(first_sent_at, coalesce((SELECT min(started_at) FROM attempts"
        " WHERE attempts.number = rows.number), first_sent_at)), last_sent_at"
        " FROM rows WHERE number = ?",
        [row.number],
    ).fetchone()
    (low,) = sql.execute(
        "SELECT max(pet_id) FROM attempts WHERE pet_id IS NOT NULL AND ended_at <= ?", [first]
    ).fetchone()
    (high,) = sql.execute(
        "SELECT min(pet_id) FROM attempts WHERE pet_id IS NOT NULL AND started_at > ?",
        [last + CONNECT_S + grace_s],
    ).fetchone()
    return low, high


def _is_dense(sql: sqlite3.Connection) -> bool:
    count, low, high = sql.execute(
        "SELECT count(DISTINCT pet_id), min(pet_id), max(pet_id) FROM attempts"
    ).fetchone()
    return bool(count) and count >= DENSE * (high - low + 1)
