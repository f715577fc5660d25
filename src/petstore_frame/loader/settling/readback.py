"""What a store shows of the records in doubt, and which of its pets are theirs.

A listing is whole when the inventory can claim so without trusting the length of a page. Ids are
searched one by one only between those that a record's pet must be between, where ids rise with
time: by the attempts in the journal, the last id that the store surely gave before the record's
first request, and the first that it gave once the last one could no longer act.

Equal records are interchangeable. A pet is claimed only where the user states that nobody else adds
pets, and where exactly one way to match remains; otherwise the pets that a record may be are its
candidates, for a person to look at.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count, islice
from typing import NamedTuple, Protocol, cast

from petstore_frame.errors import IncompleteInventoryError, NotFoundError, PetstoreError
from petstore_frame.inventory.asking import SIDE_BY_SIDE, ReadingClient
from petstore_frame.inventory.completeness import Completeness
from petstore_frame.inventory.evidence import Assumption
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.record import State
from petstore_frame.loader.sending.send import PostingClient
from petstore_frame.schema.models import PET_STATUSES, Pet, PetStatus
from petstore_frame.schema.text import REPLACEMENT, likeness

CONNECT_S = 5.0
# Ids drawn at random would rise over so many creations once in millions of imports.
RISING_PAIRS = 10
DENSE = 0.5

_CONFIRMED = """
CREATE TEMP TABLE confirmed AS SELECT attempts.started_at, attempts.ended_at, attempts.pet_id
FROM attempts JOIN imports USING (import) WHERE store = ? AND pet_id IS NOT NULL
"""
_CLOCK_WENT_BACK = """
SELECT EXISTS (SELECT 1 FROM
  (SELECT attempts.started_at, attempts.ended_at,
     lag(attempts.ended_at) OVER (ORDER BY attempts.rowid) AS before
   FROM attempts JOIN imports USING (import) WHERE store = ?)
  WHERE ended_at < before OR ended_at < started_at)
"""
# Of each pet the highest id that was answered before its request: how many, and how many above it.
_RISING = """
SELECT count(*), coalesce(sum(highest >= pet_id), 0) FROM (
  SELECT is_start, pet_id, max(CASE WHEN is_start THEN NULL ELSE pet_id END) OVER
    (ORDER BY at, is_start ROWS UNBOUNDED PRECEDING) AS highest
  FROM (SELECT started_at AS at, 1 AS is_start, pet_id FROM confirmed
    UNION ALL SELECT ended_at, 0, pet_id FROM confirmed))
WHERE is_start AND highest IS NOT NULL
"""
# Nothing of a request leaves us after it ended, or after it had no connection in time.
_WINDOW = """
WITH sent AS (
  SELECT min(first_sent_at, coalesce(min(started_at), first_sent_at)) AS first,
    last_sent_at + :connect AS last,
    (SELECT CASE reason WHEN 'abandoned' THEN NULL ELSE ended_at END FROM attempts
      WHERE import = :import AND record = :record ORDER BY attempt DESC LIMIT 1) AS ended
  FROM fates LEFT JOIN attempts USING (import, record)
  WHERE fates.import = :import AND fates.record = :record)
SELECT (SELECT max(pet_id) FROM confirmed, sent WHERE ended_at <= first),
  (SELECT min(pet_id) FROM confirmed, sent
    WHERE started_at > min(last, coalesce(ended, last)) + :grace)
"""
# After so many ids in a row that do not exist the search ends; they prove nothing.
EMPTY_IDS = 50


class SettlingClient(PostingClient, ReadingClient, Protocol):
    """Reads a whole store back, and adds what turned out to be absent."""


@dataclass
class Windows:
    """What the ids of confirmed creations tell of records in doubt.

    Attributes:
        of: By record, the last id surely before its pet's, and the first surely after or None.
        highest: The highest id confirmed to any import; None where ids tell nothing, says ``note``.
        is_dense: At least every other id up to there is one of ours.
    """

    of: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    highest: int | None = None
    is_dense: bool = False
    note: str | None = None

    def is_older(self, pet_id: int, rows: Sequence[JournalRow]) -> bool:
        """Tell whether a pet surely was in the store before any of the records was sent."""
        return all(row.record in self.of and pet_id <= self.of[row.record][0] for row in rows)

    def may_hold(self, row: JournalRow, pet_id: int) -> bool:
        """Tell whether a pet was created after a record was sent, and before something later.

        A pet beyond every confirmed one may be of any time: some stores give ids in blocks.
        """
        if row.record not in self.of or self.highest is None:
            return False
        low, high = self.of[row.record]
        return low < pet_id < (self.highest if high is None else high)


class Found(NamedTuple):
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
        cut_names: The beginnings of names up to a character of which half was lost.
        listed: Statuses whose listing was whole; None stands for the listing of all.
        windows: Between which ids the records' pets must be, where ids show that.
        searched: Records whose whole range of ids was asked for.
        requests: GETs made.
        notes: What could be relied on, and what not, as sentences.
    """

    pets: dict[int, Found] = field(default_factory=dict)
    cut_names: set[str] = field(default_factory=set)
    listed: set[str | None] = field(default_factory=set)
    windows: Windows = field(default_factory=Windows)
    searched: set[int] = field(default_factory=set)
    requests: int = 0
    notes: list[str] = field(default_factory=list)

    def take(self, found: Found) -> None:
        """Take a pet of the store."""
        self.pets[found.pet_id] = found
        if REPLACEMENT in found.name:
            self.cut_names.add(found.name.partition(REPLACEMENT)[0])

    def is_exhaustive(self, row: JournalRow) -> bool:
        """Tell whether this record's pet would have been seen, under the name that was sent."""
        # A listing by status would not show it any more once someone has sold it.
        is_read = row.record in self.searched or None in self.listed
        name = wanted(row)[0]
        # A damaged pet may be this one, cut within an emoji.
        starts = [start for start in self.cut_names if name.startswith(start)]
        return is_read and not any(name[len(start) : len(start) + 1] > "\uffff" for start in starts)


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
    if None not in statuses | evidence.listed:
        _list(client, None, evidence)


def _list(client: SettlingClient, status: str | None, evidence: Evidence) -> None:
    try:
        asked = cast("PetStatus | None", status)
        inventory = fetch_inventory(client, status=asked, progress=False)
        is_broken = False
    except IncompleteInventoryError as problem:
        inventory, is_broken = problem.partial, True
    claim = inventory.completeness
    evidence.requests += claim.requests
    columns = (inventory.frame[name] for name in ("id", "name", "category_id", "status"))
    for pet_id, name, category_id, cell in zip(*columns, strict=True):
        own_status = cell if isinstance(cell, str) else None
        evidence.take(Found(int(pet_id), str(name), int(category_id), own_status))
    whole = set[str | None]() if is_broken or claim.contradictions else _whole(claim)
    evidence.listed |= whole
    end = "was read to its end" if status in whole or None in whole else "may have had no end"
    evidence.notes.append(f"the listing of {status or 'all'} {end}: {claim}")


def _whole(claim: Completeness) -> set[str | None]:
    """Return the statuses of which a claim covers every pet; None stands for all pets."""
    # A page shorter than its limit shows nothing, unless it is empty: a store that cuts its pages
    # short still fills them with something.
    if Assumption.FILLS_PAGES in claim.assumptions and claim.rows:
        return set()
    exact = {name for name in PET_STATUSES if claim.count(name).is_exact}
    return {*exact, None} if claim.covers_all else {*exact}


def search_ids(
    client: SettlingClient, rows: Sequence[JournalRow], evidence: Evidence, *, most: int
) -> None:
    """Ask for the ids that the records' pets can have."""
    found = Searcher(client, evidence, most)
    for row in rows:
        if row.record in evidence.windows.of and found.covers(*evidence.windows.of[row.record]):
            evidence.searched.add(row.record)
    tail = [row for row in rows if evidence.windows.of.get(row.record, (0, 0))[1] is None]
    if tail:
        evidence.notes.append(
            f"no pet of ours was created after {len(tail)} of the records could no longer be, so "
            "not finding theirs shows nothing yet: load something more, then reconcile again"
        )
    if found.is_cut:
        evidence.notes.append(f"the search by id ended after {most} requests")


class Searcher:
    """Asks for each id once, up to a number of requests."""

    def __init__(self, client: SettlingClient, evidence: Evidence, most: int) -> None:
        self.is_cut = self._is_stopped = False
        self._client = client
        self._evidence = evidence
        self._left = most
        self._asked: dict[int, bool] = dict.fromkeys(evidence.pets, True)

    def covers(self, low: int, high: int | None) -> bool:
        """Ask for all ids between two; without an upper one nothing is sure to be the end."""
        known = self._evidence.windows
        last = known.highest if known.is_dense and known.highest is not None else low
        empty, pet_id = 0, low + 1
        while high is None or pet_id < high:
            if pet_id not in self._asked and not self._ask_from(pet_id, high):
                return False
            empty = 0 if self._asked[pet_id] else empty + 1
            if high is None and pet_id > last and empty >= EMPTY_IDS:
                return False
            pet_id += 1
        return True

    def _ask_from(self, first: int, high: int | None) -> bool:
        """Ask for the next ids side by side; tell whether it is known of the first."""
        room = min(SIDE_BY_SIDE, self._left)
        if self._is_stopped or room <= 0:
            self.is_cut = not self._is_stopped
            return False
        rest = count(first) if high is None else range(first, high)
        ids = list(islice((pet_id for pet_id in rest if pet_id not in self._asked), room))
        self._left -= len(ids)
        self._evidence.requests += len(ids)
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            for pet_id, answer in zip(ids, pool.map(self._ask, ids), strict=True):
                self._take(pet_id, answer)
        return first in self._asked

    def _ask(self, pet_id: int) -> Pet | PetstoreError | None:
        try:
            return self._client.get_pet(pet_id)
        except NotFoundError:
            return None
        except PetstoreError as problem:
            return problem

    def _take(self, pet_id: int, answer: Pet | PetstoreError | None) -> None:
        if not isinstance(answer, PetstoreError):
            self._asked[pet_id] = answer is not None
            if answer is not None:
                found = Found(pet_id, answer.name, answer.category_id, answer.status)
                self._evidence.take(found)
        elif not self._is_stopped:  # the others of its batch mostly say the same
            self._is_stopped = True
            self._evidence.notes.append(f"the search by id stopped: {answer}")


def find_windows(
    sql: sqlite3.Connection, run: Run, rows: Sequence[JournalRow], grace_s: float
) -> Windows:
    """Find the windows of an import's records."""
    if sql.execute(_CLOCK_WENT_BACK, [run.store]).fetchone() != (0,):
        return Windows(note="the clock went backwards, so ids do not show age")
    sql.execute("DROP TABLE IF EXISTS temp.confirmed")
    sql.execute(_CONFIRMED, [run.store])
    pairs, falling = sql.execute(_RISING).fetchone()
    if pairs < RISING_PAIRS or falling:
        return Windows(
            note="ids do not rise with time here, or too few pets were created to show it, so "
            "they do not show age"
        )
    found: dict[int, tuple[int, int | None]] = {}
    for row in rows:
        facts = {"grace": grace_s, "connect": CONNECT_S}
        facts |= {"import": run.number, "record": row.record}
        low, high = sql.execute(_WINDOW, facts).fetchone()
        if low is not None and (high is None or low < high):
            found[row.record] = (low, high)
    count, lowest, highest = sql.execute(
        "SELECT count(DISTINCT pet_id), min(pet_id), max(pet_id) FROM confirmed"
    ).fetchone()
    return Windows(found, highest, is_dense=count >= DENSE * (highest - lowest + 1))


class Match(NamedTuple):
    """What reading back shows of one record: its pet, that it has none, or which it may be."""

    row: JournalRow
    pet_id: int | None
    is_absent: bool
    candidates: tuple[int, ...] = ()


def match(
    rows: Sequence[JournalRow],
    owned: set[int],
    evidence: Evidence,
    *,
    sole_writer: bool,
    rivals: Sequence[JournalRow] = (),
) -> Iterator[Match]:
    """Yield what became of each record in doubt, and of those created whose ids are not known.

    ``owned`` are the ids of other records' pets; ``rivals`` are records in doubt of other imports,
    whose pets may be among those that were read.
    """
    windows = evidence.windows
    # A store, or someone after it, may have tidied a name or changed a status.
    near: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for pet in sorted(evidence.pets.values(), key=lambda pet: pet.pet_id):
        if pet.pet_id not in owned:
            near[likeness(pet.name), pet.category_id].append(pet)
    pairs: dict[int, int] = {}
    contested: dict[int, tuple[int, ...]] = {}
    # One that left its status open may have become a pet of any; those that state one come first.
    groups: dict[tuple[str, int, str | None], list[JournalRow]] = defaultdict(list)
    for row in rows:
        groups[wanted(row)].append(row)
    for asked, group in sorted(groups.items(), key=lambda item: item[0][2] is None):
        name, category_id, status = asked
        equal = [
            pet
            for pet in near[likeness(name), category_id]
            if pet.name == name
            and (status is None or pet.status == status)
            and not windows.is_older(pet.pet_id, group)
            and pet.pet_id not in pairs.values()
        ]
        others = sum(_may_share(rival, group[0]) for rival in rivals)
        is_free = not any(pet.pet_id in ids for pet in equal for ids in contested.values())
        found = _pair(group, equal, windows, others) if sole_writer and is_free else None
        if found is not None:
            pairs |= found
        elif equal:
            contested |= {row.record: tuple(pet.pet_id for pet in equal) for row in group}
    for row in rows:
        name, category_id, _ = wanted(row)
        candidates = contested.get(row.record) or tuple(
            pet.pet_id
            for pet in near[likeness(name), category_id]
            if pet.pet_id not in pairs.values() and not windows.is_older(pet.pet_id, [row])
        )
        if row.record in pairs:
            yield Match(row, pairs[row.record], is_absent=False)
        else:
            is_gone = evidence.is_exhaustive(row) or row.state is State.ABSENT
            yield Match(row, None, is_gone and not candidates, candidates)


def _may_share(rival: JournalRow, row: JournalRow) -> bool:
    """Tell whether two records may have become the same pet."""
    (*animal, status), (*its_animal, its_status) = wanted(row), wanted(rival)
    return animal == its_animal and (status == its_status or None in (status, its_status))


def _pair(
    group: Sequence[JournalRow], pets: Sequence[Found], windows: Windows, others: int
) -> dict[int, int] | None:
    """Give each pet to a record that it can be of; None where there is more than one way."""
    # Of the others the one whose ids end first, so that a later pet finds one too.
    ends = {record: math.inf if high is None else high for record, (_, high) in windows.of.items()}
    rows = sorted(
        group, key=lambda row: (row.state is not State.CREATED, ends.get(row.record, math.inf))
    )
    pairs: dict[int, int] = {}
    for pet in pets:
        fitting = [row for row in rows if windows.may_hold(row, pet.pet_id)]
        row = next((row for row in fitting if row.record not in pairs), None)
        if row is not None:
            pairs[row.record] = pet.pet_id
    is_one_way = len(pairs) == (len(group) if others else len(pets))
    return pairs if is_one_way and len(pets) == len(pairs) + others else None
