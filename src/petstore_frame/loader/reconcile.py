"""Reads the store to find the pets of unconfirmed rows.

Rows with the same values are interchangeable. Only a full listing proves that a pet is not in the
store: its completeness must not depend on the length of a page.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import APIStatusError, JournalError, PetstoreError
from petstore_frame.inventory import Inventory, fetch_or_raise
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import Import, read_import, read_imports, read_rows
from petstore_frame.loader.journal.store_pets import StorePets
from petstore_frame.loader.matching.folding import content_of
from petstore_frame.loader.matching.values import Pet
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.schema import FIELDS, count_text, folded_name, line_ranges
from petstore_frame.transport import same_store_address

# A request that has no connection after this time was not sent.
CONNECT_S = 5.0
# The journal stores the ids of a reading in at most this many ranges.
_MAX_RANGES = 10_000


def read_store(
    client: Any,
    on_rows: Callable[[int], object],
    max_pages: float = math.inf,
    on_wait: Callable[[float, bool], None] | None = None,
) -> StorePets:
    """Read the pets of a store.

    Args:
        client: Sends the requests.
        on_rows: Called with the number of pets after each page; an error that it raises ends the
            reading.
        max_pages: Maximum number of pages to read; a listing that reaches it is not complete.
        on_wait: Called before a retry with the seconds, and whether the store asked for them.
    """
    inventory = fetch_or_raise(client, max_pages=max_pages, on_rows=on_rows, on_wait=on_wait)
    claim, pets = inventory.completeness, dict[int, Pet]()
    for pet_id, body in _bodies(inventory):
        name = str(body["name"])
        content = content_of(name, body["categoryId"])
        pets[pet_id] = Pet(pet_id, name, _json(body), content)
    # A page that is shorter than its limit need not be the last one, unless it is empty: the limit
    # of the store may be lower.
    is_doubtful = bool(claim.contradictions) or (claim.rests_on_page_length and bool(pets))
    is_whole = claim.is_complete and not is_doubtful
    return StorePets(pets, claim.is_complete, is_whole, claim.requests, inventory.store_id)


def _bodies(inventory: Inventory) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the id of each pet, and the request body that would create it."""
    wire_names = {field.name: field.wire_name for field in FIELDS.sent}
    frame = inventory.frame[["id", *wire_names]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    for pet_id, *values in zip(*columns, strict=True):
        named = zip(wire_names.values(), values, strict=True)
        yield int(pet_id), {name: value for name, value in named if value is not None}


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def ask_store_id(client: PostingClient) -> str | None:
    """Return the id of the store, with one GET; None if the store does not state an id."""
    try:
        store_id: str | None = client.list_pets(1).store_id
    except APIStatusError as problem:  # a store that rejects the API key still states its id
        return problem.store_id
    except PetstoreError:
        return None
    return store_id


class ListingFacts(NamedTuple):
    """What a listing of the store proves about unconfirmed rows."""

    pets: int
    is_whole: bool  # whether a pet that is not listed is not in the store
    hidden_pet: int | None = None  # a pet that the store confirmed but does not list

    def __str__(self) -> str:
        pets = count_text(self.pets, "pet")
        if not self.is_whole:
            return (
                f"the listing of all pets ended after {pets}, and nothing proves that there are no "
                "more"
            )
        text = f"the listing of all pets was read to its end: complete: {pets}"
        if self.hidden_pet is None:
            return text
        return (
            f"{text}; pet {self.hidden_pet} is not in it although the store confirmed it, so a "
            "missing pet proves nothing"
        )


@dataclass(frozen=True)
class Reconciliation:
    """The result of ``reconcile``: what the store shows about the unconfirmed rows.

    Attributes:
        created: Number of rows whose pets are in the store.
        not_found: Number of rows that a complete listing does not have. This is evidence, not
            proof.
        unconfirmed: Number of rows that are still unconfirmed.
        requests: Number of requests that were sent to read the store.
        notes: The evidence for this result, as sentences.
        candidates: Ids of the possible pets of each row that is still unconfirmed, by line.
    """

    created: int = 0
    not_found: int = 0
    unconfirmed: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()
    candidates: dict[int, tuple[int, ...]] = field(default_factory=dict)


class _Unconfirmed(NamedTuple):
    """An unconfirmed row, or a created one without an id, and its first request."""

    number: int  # the number of its import
    animal: int
    row: int
    line: int
    state: State
    reason: str | None
    payload: bytes
    sent_at: float


class _Before(NamedTuple):
    """What the journal has about the pets of the store, by pet id."""

    ours: Mapping[int, tuple[str, int]]  # name and category of the pets that we loaded
    others: Mapping[int, tuple[str, float]]  # content of the other pets, and when first seen
    first_reading: float  # when the store was first read to its end

    def seen_at(self, pet: Pet) -> float:
        """Return when this pet was first seen; inf if it is new, or if its id was reused."""
        content, at = self.others.get(pet.id, ("", math.inf))
        return at if content == pet.content else math.inf

    def may_be_ours(self, pet: Pet) -> bool:
        """Return whether a pet may be one that we loaded: its name or category is still the same.

        If both differ, a restored store has reused the id.
        """
        if pet.id not in self.ours:
            return False
        old_name, old_category = self.ours[pet.id]
        name, category = _content(pet.payload)
        return old_name == name or old_category == category


# Any request of a row may have created its pet, so the time of the first one counts.
_UNCONFIRMED = """
SELECT animals.import, animals.animal, animals.row, coalesce(rows.line, animals.row), state,
  animals.reason, animals.payload, coalesce(first_sent_at, 0)
FROM animals JOIN imports USING (import)
LEFT JOIN rows ON rows.reading = imports.reading AND rows.row = animals.row
WHERE state IN ('unconfirmed', 'not_found')
  OR state = 'created' AND pet_id IS NULL AND last_pet_id IS NULL
ORDER BY state <> 'created', animals.import, animals.row
"""
_LAST_SENT = """
SELECT max(sent_at) FROM animals WHERE state IN ('unconfirmed', 'in_flight', 'not_found')
"""
_FIRST_READING = """
SELECT min(at) FROM events WHERE kind = 'read' AND json_extract(detail, '$.is_complete')
"""


def reconcile(
    path: Path,
    import_id: str,
    client: PostingClient,
    grace_s: float,
    *,
    sleep: Callable[[float], None],
    watch: Callable[[], object],
) -> Reconciliation:
    """Settle all unconfirmed rows of a journal; return the result for one import."""
    run, done = read_import(path, import_id), Reconciliation()
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, but the client is for "
            f"{client.base_url}; use a client of the store of the import"
        )
    with reading(path) as sql:
        ((sent_at,),) = sql.execute(_LAST_SENT).fetchall()
    sleep(_wait_s(sent_at, grace_s))  # without the lock, so that other processes can load
    with holding(path), Writer(path, run.base_url) as writer:
        Outcomes(writer, run).recover()
        numbers = json.dumps([row.number for row in _read_unconfirmed(writer.sql)])
        runs = read_imports(writer.sql, "import IN (SELECT value FROM json_each(?))", [numbers])
        if not runs:
            return done
        if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
            raise JournalError(
                f"{path} is an import into another store, which used to be at {run.base_url}; the "
                "store that is there now does not have these rows, so nothing was settled"
            )
        store = read_store(client, lambda _: watch())
        for unsettled in runs:
            settled = _settle(writer.sql, Outcomes(writer, unsettled), store)
            if unsettled.id == import_id:
                done = settled
    return done


def _wait_s(sent_at: float | None, grace_s: float) -> float:
    """Return the seconds until no unconfirmed request can be applied any more."""
    if sent_at is None or not grace_s:
        return 0.0
    longest = CONNECT_S + grace_s  # the limit, because the clock may have been ahead before
    return min(longest, max(0.0, sent_at + longest - time.time()))


def _read_unconfirmed(sql: sqlite3.Connection) -> list[_Unconfirmed]:
    """Return the rows to settle, the created ones first."""
    return [
        _Unconfirmed(number, animal, row, line, State(state), *more)
        for number, animal, row, line, state, *more in sql.execute(_UNCONFIRMED)
    ]


def _read_before(sql: sqlite3.Connection) -> _Before:
    """Return what earlier readings of the store have shown."""
    pets = sql.execute("SELECT pet_id, payload FROM animals WHERE pet_id IS NOT NULL")
    others = sql.execute("SELECT pet_id, content, seen_at FROM other_pets")
    ((first,),) = sql.execute(_FIRST_READING).fetchall()
    return _Before(
        {pet_id: _content(body) for pet_id, body in pets},
        {pet_id: (content, at) for pet_id, content, at in others},
        math.inf if first is None else first,
    )


def _content(payload: bytes) -> tuple[str, int]:
    """Return name and category for a comparison; the name is folded, as stores may tidy names."""
    body = json.loads(payload)
    return folded_name(body["name"]), body["categoryId"]


def match(
    rows: Sequence[_Unconfirmed],
    rivals: Sequence[_Unconfirmed],
    pets: Mapping[int, Pet],
    before: _Before,
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Match rows with pets; return the pet of each matched row, and the candidates of the others.

    Rows are matched if every pet that is new since they were sent has the content of an unconfirmed
    row, and if there are no more new pets of a content than rows.

    Args:
        rows: The rows of an import, those that were created without an id first.
        rivals: The unconfirmed rows of other imports.
        pets: The pets of the store by id.
        before: What earlier readings have shown.
    """
    contents = {_content(row.payload) for row in (*rows, *rivals)}
    rival_contents = {_content(row.payload) for row in rivals}
    unexplained: dict[tuple[str, int], list[Pet]] = defaultdict(list)
    last_foreign = 0.0  # when the last pet appeared that is not like any unconfirmed row
    for pet_id, pet in sorted(pets.items()):
        content = _content(pet.payload)
        # The id may have been reused for another animal.
        if before.ours.get(pet_id) != content:
            unexplained[content].append(pet)
        if pet_id not in before.ours and content not in contents:
            last_foreign = max(last_foreign, before.seen_at(pet))

    groups: dict[tuple[str, int], list[_Unconfirmed]] = defaultdict(list)
    for row in rows:
        groups[_content(row.payload)].append(row)
    pairs: dict[int, int] = {}
    candidates: dict[int, tuple[int, ...]] = {}
    for content, group in groups.items():
        sent_at = min(row.sent_at for row in group)
        new_pets = [pet for pet in unexplained[content] if before.seen_at(pet) > sent_at]
        is_alone = content not in rival_contents
        may_be_ours = any(before.may_be_ours(pet) for pet in new_pets)
        is_explained = (
            is_alone and not may_be_ours and max(before.first_reading, last_foreign) <= sent_at
        )
        paired = _pair(group, new_pets) if is_explained else {}
        if len(paired) == len(new_pets):
            pairs |= paired
        else:
            ids = tuple(pet.id for pet in new_pets)
            candidates |= {row.row: ids for row in group}
    return pairs, candidates


def _pair(rows: Sequence[_Unconfirmed], pets: Sequence[Pet]) -> dict[int, int]:
    """Pair rows with pets that have the values sent; a row without a status fits any status."""
    pairs: dict[int, int] = {}
    remaining = list(pets)
    for is_same in (_is_as_sent, _is_as_sent_without_status):
        for row in rows:
            pet = next((pet for pet in remaining if is_same(row, pet)), None)
            if row.row not in pairs and pet is not None:
                pairs[row.row] = pet.id
                remaining.remove(pet)
    return pairs


def _is_as_sent(row: _Unconfirmed, pet: Pet) -> bool:
    return row.payload == pet.payload


def _is_as_sent_without_status(row: _Unconfirmed, pet: Pet) -> bool:
    sent, stored = json.loads(row.payload), json.loads(pet.payload)
    stored.pop("status", None)
    return "status" not in sent and bool(sent == stored)


def _settle(sql: sqlite3.Connection, outcomes: Outcomes, store: StorePets) -> Reconciliation:
    """Write the new states of the unconfirmed rows of an import."""
    unconfirmed, number = _read_unconfirmed(sql), outcomes.run.number
    rows = [row for row in unconfirmed if row.number == number]
    rivals = [row for row in unconfirmed if row.number != number]
    hidden = _confirmed_pets(sql, number) - store.pets.keys() if store.is_whole else set()
    listing = ListingFacts(len(store.pets), store.is_whole, min(hidden, default=None))
    is_proof = store.is_whole and not hidden
    pairs, candidates = match(rows, rivals, store.pets, _read_before(sql))
    counts, changes = Counter[State](), list[Change]()
    for row in rows:
        pet_id, state = pairs.get(row.row), row.state
        if pet_id is not None:
            state = State.CREATED
            changes.append(
                Change(row.animal, row.row, row.state, state, "found", pet_id, "recovered")
            )
        elif state is State.UNCONFIRMED and is_proof and not candidates.get(row.row):
            state = State.NOT_FOUND
            changes.append(Change(row.animal, row.row, row.state, state, row.reason or "not_found"))
        if row.state is not State.CREATED:
            counts[state] += 1
    outcomes.change(changes, time.time())
    done = Reconciliation(
        created=counts[State.CREATED],
        not_found=counts[State.NOT_FOUND],
        unconfirmed=counts[State.UNCONFIRMED],
        requests=store.requests,
        notes=(str(listing),),
        candidates=_by_line(rows, candidates),
    )
    facts = {
        "listing": listing._asdict(),
        "candidates": done.candidates,
        "pet_ids": _pack_ids(store.pets),
    }
    outcomes.note(time.time(), "reconcile", facts)
    return done


def _confirmed_pets(sql: sqlite3.Connection, number: int) -> set[int]:
    query = (
        "SELECT pet_id FROM animals WHERE state = 'created' AND pet_id IS NOT NULL AND import = ?"
    )
    return {pet_id for (pet_id,) in sql.execute(query, [number])}


def _by_line(
    rows: Sequence[_Unconfirmed], candidates: Mapping[int, tuple[int, ...]]
) -> dict[int, tuple[int, ...]]:
    """Return the candidates by line; a line may have several animals."""
    by_line: dict[int, tuple[int, ...]] = {}
    for row in rows:
        if ids := candidates.get(row.row):
            by_line[row.line] = tuple(dict.fromkeys((*by_line.get(row.line, ()), *ids)))
    return by_line


def _pack_ids(pet_ids: Collection[int]) -> list[list[int]] | None:
    """Return ids as ranges, with the end of each; None if there are too many to store."""
    ranges = line_ranges(sorted(pet_ids))
    if len(ranges) > _MAX_RANGES:
        return None
    return [[span.start, span.stop] for span in ranges]


# A reading before the last unconfirmed request says nothing about that request.
_LAST = """
SELECT events.detail FROM events JOIN imports USING (import) WHERE id = :run
  AND kind = 'reconcile' AND at >= (SELECT max(sent_at) FROM animals
    WHERE animals.import = imports.import AND state = 'unconfirmed')
ORDER BY at DESC LIMIT 1
"""


class OpenRows(NamedTuple):
    """The lines that are still unconfirmed after a reading, and the pets they may be."""

    notes: tuple[str, ...]
    lines: tuple[int, ...]
    candidates: dict[int, tuple[int, ...]]
    is_whole: bool = False  # whether a pet that was not listed is not in the store
    pet_ids: tuple[range, ...] | None = None  # the listed pets; None if the journal lacks them

    def has_pet(self, pet_id: int) -> bool | None:
        """Return whether the reading proves that a pet is there, or is not; None for neither."""
        if self.pet_ids is None:
            return None
        if any(pet_id in span for span in self.pet_ids):
            return True
        return False if self.is_whole else None


def read_open_rows(sql: sqlite3.Connection, run: Import) -> OpenRows | None:
    """Return the rows that the last reading did not settle; None without such rows or reading."""
    last = sql.execute(_LAST, {"run": run.id}).fetchone()
    if last is None:
        return None
    lines = tuple(dict.fromkeys(row.line for row in read_rows(sql, run.id, State.UNCONFIRMED)))
    detail = json.loads(last[0])
    candidates = {int(line): tuple(ids) for line, ids in detail["candidates"].items()}
    candidates = {line: ids for line, ids in candidates.items() if line in lines}
    listing, ids = ListingFacts(**detail["listing"]), detail["pet_ids"]
    pet_ids = None if ids is None else tuple(range(start, stop) for start, stop in ids)
    return OpenRows((str(listing),), lines, candidates, listing.is_whole, pet_ids)
