"""What a store shows of the pets that some records may have become.

A listing is whole when the inventory can claim so without trusting the length of a page; ids are
searched one by one only inside the windows of windows.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count, islice

from petstore_frame.errors import IncompleteInventoryError, NotFoundError, PetstoreError
from petstore_frame.inventory.asking import SIDE_BY_SIDE
from petstore_frame.inventory.completeness import Completeness
from petstore_frame.inventory.evidence import Assumption
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.loader.journal.rows import JournalRow
from petstore_frame.loader.sending.clients import SettlingClient
from petstore_frame.loader.settling.windows import Windows
from petstore_frame.schema.models import PET_STATUSES, Pet
from petstore_frame.schema.text import REPLACEMENT

# After so many ids in a row that do not exist the search ends; they prove nothing.
EMPTY_IDS = 50


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
        return is_read and not self._may_be_cut(wanted(row)[0])

    def _may_be_cut(self, name: str) -> bool:
        """Tell whether a damaged pet may be the one of this name, cut within an emoji."""
        places = (len(start) for start in self.cut_names if name.startswith(start))
        return any(name[at : at + 1] > "\uffff" for at in places)


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
        evidence.take(Found(int(pet_id), str(name), int(category_id), own_status))
    whole = set[str | None]() if is_broken or claim.contradictions else _whole(claim)
    evidence.listed |= whole
    end = "was read to its end" if status in whole or None in whole else "may have had no end"
    evidence.notes.append(f"the listing of {status or 'all'} {end}: {claim}")


def _whole(claim: Completeness) -> set[str | None]:
    """Return the statuses of which a claim covers every pet; None stands for all pets.

    A page that is merely shorter than its limit shows nothing, unless it is empty: a store that
    cuts its pages short still fills them with something.
    """
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

    def _ask(self, pet_id: int) -> Pet | PetstoreError:
        try:
            return self._client.get_pet(pet_id)
        except PetstoreError as problem:
            return problem

    def _take(self, pet_id: int, answer: Pet | PetstoreError) -> None:
        if isinstance(answer, NotFoundError):
            self._asked[pet_id] = False
        elif isinstance(answer, PetstoreError):
            if not self._is_stopped:  # the others of its batch mostly say the same
                self._evidence.notes.append(f"the search by id stopped: {answer}")
            self._is_stopped = True
        else:
            self._asked[pet_id] = True
            self._evidence.take(Found(pet_id, answer.name, answer.category_id, answer.status))
