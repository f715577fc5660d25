"""What a store shows: before a load all its pets, afterwards those of the records in doubt.

Only a whole listing proves that a pet is not there; asking for single ids may find one. A listing
is whole when the inventory can claim so without trusting the length of a page.

Equal records are interchangeable. A record gets a pet only if the user states that nobody else adds
pets, if we know which pets were there before, and if there are no more equal pets than records.
Otherwise the pets that it may be are its candidates, and a person decides.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Protocol, cast

from petstore_frame.errors import IncompleteInventoryError, NotFoundError, PetstoreError
from petstore_frame.inventory.evidence import Assumption
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.requests import SIDE_BY_SIDE, ReadingClient
from petstore_frame.inventory.result import Inventory
from petstore_frame.loader.journal.equal import StorePets
from petstore_frame.loader.journal.rows import JournalRow, read_payload
from petstore_frame.loader.record import State
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.schema.models import SENT_FIELDS, Pet, PetStatus
from petstore_frame.schema.text import REPLACEMENT, count_text, folded_name

# Before a load a store is asked at least so often, and once for each record to send.
LEAST_REQUESTS = 100
# If the answer for one of our pets was lost, its id is mostly just above another one of ours.
NEAR_IDS = 20
# After so many ids in a row that do not exist the search ends.
EMPTY_IDS = 50


class _EnoughError(PetstoreError):
    """The largest number of requests was made."""


class WatchedClient:
    """A client that tells when it begins to wait for a page, and when it has it."""

    def __init__(self, client: SettlingClient, asked: Callable[[bool], None]) -> None:
        self._client, self._asked = client, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def ask_page(self, *args: Any, **options: Any) -> Any:
        """Ask for a page."""
        self._asked(True)
        try:
            return self._client.ask_page(*args, **options)
        finally:
            self._asked(False)


def _fetch(client: Any, status: str | None = None) -> tuple[Inventory, BaseException | None]:
    """Read a listing; return what was read, and what ended it before its end."""
    try:
        asked = cast("PetStatus | None", status)
        return fetch_inventory(client, status=asked, progress=False), None
    except IncompleteInventoryError as cut:
        if isinstance(cut.__cause__, KeyboardInterrupt):
            raise cut.__cause__ from None
        return cut.partial, cut.__cause__ or cut


def _bodies(inventory: Inventory) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the id of each pet, and the request body that would make it."""
    fields = {each.name: each.wire_name for each in SENT_FIELDS}
    frame = inventory.frame[["id", *fields]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    for pet_id, *values in zip(*columns, strict=True):
        named = zip(fields.values(), values, strict=True)
        yield int(pet_id), {name: value for name, value in named if value is not None}


def read_store(client: Any, records: int) -> StorePets:
    """Read the pets of a store, with at most as many requests as records, or a hundred."""
    pages, most = count(1), max(LEAST_REQUESTS, records)

    def asked(is_waiting: bool) -> None:
        if is_waiting and next(pages) > most:
            raise _EnoughError("enough pages were read")

    try:
        inventory, end = _fetch(WatchedClient(client, asked))
    except PetstoreError as failed:
        return StorePets([], problem=str(failed))
    pets = []
    for pet_id, body in _bodies(inventory):
        body.pop("status", None)
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        pets.append((pet_id, str(body["name"]), text))
    problem = "" if end is None or isinstance(end, _EnoughError) else str(end)
    return StorePets(pets, inventory.completeness.verdict == "complete", problem)


class SettlingClient(PostingClient, ReadingClient, Protocol):
    """Reads a whole store back, and adds what turned out to be absent."""


class Wanted(NamedTuple):
    """What a record asked for, or what a pet of the store is."""

    name: str
    category_id: int
    status: str | None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Wanted:
        """Return what a request body asks for."""
        return cls(body["name"], body["categoryId"], body.get("status"))

    @property
    def animal(self) -> tuple[str, int]:
        """Name and category, as they are compared where a store may tidy names."""
        return folded_name(self.name), self.category_id

    def may_be(self, other: Wanted) -> bool:
        """Return whether a record that asks for this may have become another one."""
        return self[:2] == other[:2] and self.status in (None, other.status)


@dataclass
class ReadBack:
    """What was read.

    Attributes:
        pets: Pets seen, by id.
        is_whole: The listing of all pets was read to its end.
        requests: GETs made.
        notes: What we could rely on, and what not, as sentences.
    """

    pets: dict[int, Wanted] = field(default_factory=dict)
    is_whole: bool = False
    requests: int = 0
    notes: list[str] = field(default_factory=list)

    @cached_property
    def _cut_names(self) -> set[str]:
        """The beginnings of names up to a character of which half was lost."""
        names = (pet.name for pet in self.pets.values())
        return {name.partition(REPLACEMENT)[0] for name in names if REPLACEMENT in name}

    def is_exhaustive(self, row: JournalRow) -> bool:
        """Return whether this record's pet would have been seen, under the name that was sent."""
        name = wanted(row).name
        starts = [start for start in self._cut_names if name.startswith(start)]
        # A damaged pet may be this one, cut within an emoji.
        is_damaged = any(name[len(start) : len(start) + 1] > "\uffff" for start in starts)
        return self.is_whole and not is_damaged


def wanted(row: JournalRow) -> Wanted:
    """Return what a record asks for."""
    return Wanted.of(read_payload(row.payload))


def list_all(client: SettlingClient, rows: Sequence[JournalRow], found: ReadBack) -> None:
    """Read the listing of all pets, and where that has no end those of the records' statuses."""
    found.is_whole = _list(client, None, found)
    if not found.is_whole:
        for status in sorted({wanted(row).status or "" for row in rows} - {""}):
            _list(client, status, found)


def _list(client: SettlingClient, status: str | None, found: ReadBack) -> bool:
    """Read one listing; return whether it was read to its end."""
    inventory, end = _fetch(client, status)
    claim = inventory.completeness
    # A page shorter than its limit proves nothing, unless it is empty: a store that cuts its pages
    # short still puts pets on them.
    is_guessed = Assumption.FILLS_PAGES in claim.assumptions and claim.rows
    is_whole = end is None and claim.is_complete and not is_guessed and not claim.contradictions
    found.requests += claim.requests
    found.pets |= {pet_id: Wanted.of(body) for pet_id, body in _bodies(inventory)}
    what = f"ended after {count_text(claim.rows, 'pet')}, and nothing proves that it has no more"
    if is_whole:
        what = f"was read to its end: {claim}"
    found.notes.append(f"the listing of {status or 'all'} pets {what}")
    return is_whole


def search_ids(
    client: SettlingClient, own_ids: Iterable[int], found: ReadBack, *, most: int
) -> None:
    """Ask for the ids just above those of our own pets; this may find a pet, and proves nothing."""

    def ask(pet_id: int) -> Pet | PetstoreError:
        try:
            return client.get_pet(pet_id)
        except PetstoreError as problem:
            return problem

    near = {own + step for own in own_ids for step in range(1, NEAR_IDS + 1)}
    ids = sorted(near - found.pets.keys())[:most]
    misses = asked = 0
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        while asked < len(ids) and misses < EMPTY_IDS:
            batch = ids[asked : asked + SIDE_BY_SIDE]
            asked += len(batch)
            for answer in list(pool.map(ask, batch)):
                if isinstance(answer, Pet):
                    misses = 0
                    found.pets[answer.id] = Wanted(answer.name, answer.category_id, answer.status)
                elif isinstance(answer, NotFoundError):
                    misses += 1
                else:
                    found.notes.append(f"the search by id stopped: {answer}")
                    ids = []
                    break
    found.requests += asked


class Match(NamedTuple):
    """What became of a record in doubt: its pet, its absence, or the pets that it may be."""

    row: JournalRow
    pet_id: int | None
    is_absent: bool
    candidates: tuple[int, ...] = ()


def match(
    rows: Sequence[JournalRow],
    found: ReadBack,
    *,
    others_pets: Collection[int],
    may_claim: bool,
    rivals: Sequence[JournalRow] = (),
) -> Iterator[Match]:
    """Yield what became of each record in doubt, and of those created whose ids are not known.

    Args:
        rows: These records, the created ones first.
        found: What was read.
        others_pets: Ids that are surely none of these records' pets.
        may_claim: All other pets may be ours alone: the user says so, and what was there before
            is among ``others_pets``.
        rivals: Records in doubt of other imports, whose pets may be among those that were read.
    """
    # A store, or someone after it, may have tidied a name or changed a status.
    near: dict[tuple[str, int], list[int]] = defaultdict(list)
    for pet_id, pet in sorted(found.pets.items()):
        if pet_id not in others_pets:
            near[pet.animal].append(pet_id)
    groups: dict[Wanted, list[JournalRow]] = defaultdict(list)
    for row in rows:
        groups[wanted(row)].append(row)
    pairs: dict[int, int] = {}
    contested: dict[int, tuple[int, ...]] = {}
    # One that left its status open may have become a pet of any; those that state one come first.
    for asked, group in sorted(groups.items(), key=lambda item: item[0].status is None):
        taken = {*pairs.values()}
        equal = [
            pet_id
            for pet_id in near[asked.animal]
            if asked.may_be(found.pets[pet_id]) and pet_id not in taken
        ]
        is_free = not any({*equal} & {*ids} for ids in contested.values())
        rivalling = [wanted(row) for row in rivals]
        others = sum(asked.may_be(rival) or rival.may_be(asked) for rival in rivalling)
        # Beside rivals each of all these records must have its pet, or it may be a rival's.
        has_one_way = len(equal) == len(group) + others if others else len(equal) <= len(group)
        if may_claim and is_free and has_one_way:
            pairs |= dict(zip((row.record for row in group), equal, strict=False))
        elif equal:
            contested |= {row.record: tuple(equal) for row in group}
    for row in rows:
        free = [pet_id for pet_id in near[wanted(row).animal] if pet_id not in pairs.values()]
        candidates = contested.get(row.record, tuple(free))
        if row.record in pairs:
            yield Match(row, pairs[row.record], is_absent=False)
        else:
            is_gone = found.is_exhaustive(row) or row.state is State.ABSENT
            yield Match(row, None, is_gone and not candidates, candidates)
