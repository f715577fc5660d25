"""What a store shows: before a load all its pets, afterwards those of the records in doubt.

Only a whole listing proves that a pet is not there. A listing is whole when the inventory can claim
so without trusting the length of a page. Equal records are interchangeable.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Protocol, cast

from petstore_frame.errors import APIStatusError, IncompleteInventoryError, PetstoreError
from petstore_frame.inventory.evidence import Assumption
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.requests import ReadingClient
from petstore_frame.inventory.result import Inventory
from petstore_frame.loader.journal.rows import JournalRow, read_payload
from petstore_frame.loader.journal.witness import StorePet, StorePets
from petstore_frame.loader.record import State, digest_of
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.schema.models import SENT_FIELDS, PetStatus
from petstore_frame.schema.text import REPLACEMENT, count_text, folded_name

# Before a load a store is asked at least so often, and once for each record to send.
LEAST_REQUESTS = 1000


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
    """Read the pets of a store, with at most as many requests as records, or a thousand."""
    pages, most = count(1), max(LEAST_REQUESTS, records)

    def asked(is_waiting: bool) -> None:
        if is_waiting and next(pages) > most:
            raise _EnoughError("enough pages were read")

    try:
        inventory, end = _fetch(WatchedClient(client, asked))
    except PetstoreError as failed:
        return StorePets([], problem=failed)
    if end is not None and not isinstance(end, _EnoughError):
        return StorePets(
            [], problem=end if isinstance(end, PetstoreError) else PetstoreError(str(end))
        )
    pets = []
    for pet_id, body in _bodies(inventory):
        payload = _json(body)
        body.pop("status", None)
        pets.append(StorePet(pet_id, str(body["name"]), payload, digest_of(_json(body))))
    is_complete = end is None and inventory.completeness.verdict == "complete"
    return StorePets(pets, is_complete, is_complete and _is_whole(inventory))


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _is_whole(inventory: Inventory) -> bool:
    """Return whether a listing was surely read to its end.

    A page shorter than its limit proves nothing, unless it is empty: a store that cuts its pages
    short still puts pets on them.
    """
    claim = inventory.completeness
    is_guessed = Assumption.FILLS_PAGES in claim.assumptions and claim.rows
    return claim.is_complete and not is_guessed and not claim.contradictions


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
    is_whole = end is None and _is_whole(inventory)
    found.requests += claim.requests
    found.pets |= {pet_id: Wanted.of(body) for pet_id, body in _bodies(inventory)}
    what = f"ended after {count_text(claim.rows, 'pet')}, and nothing proves that it has no more"
    if is_whole:
        what = f"was read to its end: {claim}"
    found.notes.append(f"the listing of {status or 'all'} pets {what}")
    return is_whole


class Match(NamedTuple):
    """What became of a record in doubt: its pet, its absence, or the pets that it may be."""

    row: JournalRow
    pet_id: int | None
    is_absent: bool
    candidates: tuple[int, ...] = ()


@dataclass(frozen=True)
class Before:
    """What was known of the store before rows in doubt were sent.

    Attributes:
        ours: The name and category, as compared, of the animal that has a pet.
        strangers: When a pet of others was first seen.
        readings: The moments at which the store was read to its end.
    """

    ours: Mapping[int, tuple[str, int]]
    strangers: Mapping[int, float]
    readings: Sequence[float]

    def had(self, pet_id: int, sent_at: float) -> bool:
        """Return whether a pet was there before a row was sent."""
        return self.strangers.get(pet_id, math.inf) <= sent_at


def match(
    rows: Sequence[JournalRow],
    found: ReadBack,
    before: Before,
    first_sent: Mapping[int, float],
    rivals: Sequence[Wanted],
) -> Iterator[Match]:
    """Yield what became of each record in doubt, and of those created whose ids are not known.

    A pet is taken for a row only where nothing else can explain it: the store was read to its end
    before the row was sent, and since then no pet appeared that is neither ours nor equal to a row
    in doubt.

    Args:
        rows: These records, the created ones first.
        found: What was read.
        before: What was known of the store before.
        first_sent: When each record was sent first.
        rivals: What records in doubt of other imports asked for.
    """
    wishes = [wanted(row) for row in rows]
    in_doubt = {wish.animal for wish in (*wishes, *rivals)}
    near: dict[tuple[str, int], list[int]] = defaultdict(list)
    for pet_id, pet in sorted(found.pets.items()):
        # An id that the store gave again has another animal now.
        if before.ours.get(pet_id) != pet.animal:
            near[pet.animal].append(pet_id)
    others = [
        pet_id
        for pet_id, pet in found.pets.items()
        if pet_id not in before.ours and pet.animal not in in_doubt
    ]
    last = max((before.strangers.get(pet_id, math.inf) for pet_id in others), default=0.0)
    groups: dict[Wanted, list[JournalRow]] = defaultdict(list)
    for row, wish in zip(rows, wishes, strict=True):
        groups[wish].append(row)
    pairs: dict[int, int] = {}
    may_be: dict[int, tuple[int, ...]] = {}
    # One that left its status open may have become a pet of any; those that state one come first.
    for wish, group in sorted(groups.items(), key=lambda item: item[0].status is None):
        sent_at = min(first_sent[row.record] for row in group)
        is_read = any(moment <= sent_at for moment in before.readings)
        free = [
            pet_id
            for pet_id in near[wish.animal]
            if pet_id not in pairs.values() and not before.had(pet_id, sent_at)
        ]
        equal = [pet_id for pet_id in free if wish.may_be(found.pets[pet_id])]
        is_contested = {*equal} & {pet_id for ids in may_be.values() for pet_id in ids}
        has_rival = any(wish.may_be(rival) or rival.may_be(wish) for rival in rivals)
        is_ours = is_read and last <= sent_at and len(equal) <= len(group)
        if is_ours and not is_contested and not has_rival:
            pairs |= {row.record: pet_id for row, pet_id in zip(group, equal, strict=False)}
            equal = [pet_id for pet_id in free if pet_id not in equal]
        elif not equal:  # a store, or somebody, may have changed a status
            equal = free
        may_be |= {row.record: tuple(equal) for row in group if row.record not in pairs}
    for row in rows:
        if row.record in pairs:
            yield Match(row, pairs[row.record], is_absent=False)
        else:
            candidates = may_be[row.record]
            is_gone = found.is_exhaustive(row) or row.state is State.ABSENT
            yield Match(row, None, is_gone and not candidates, candidates)


def ask_store_id(client: PostingClient) -> str | None:
    """Return the id that the store states, by one GET; None where it states none."""
    try:
        store_id: str | None = client.list_pets(1).store_id
    except APIStatusError as problem:  # a store that refuses the key still states its id
        return problem.store_id
    except PetstoreError:
        return None
    return store_id
