"""Reads the store, and finds out what became of unconfirmed rows, from it or from a person.

A pet is taken for a row only where nothing else can explain it: the store was read to its end
before the row was sent, and since then no pet appeared that is neither ours nor equal to a
unconfirmed row. Equal rows are interchangeable. Only a whole listing proves that a pet is not
there: one that the inventory calls complete without trusting the length of a page.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import (
    APIStatusError,
    ArgumentError,
    IncompleteInventoryError,
    JournalError,
    PetstoreError,
)
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.journal.database import Writer, holding, reading
from petstore_frame.loader.journal.outcomes import Change, Outcomes
from petstore_frame.loader.journal.rows import Import, read_import, read_imports, read_rows
from petstore_frame.loader.journal.store_check import StorePet, StorePets
from petstore_frame.loader.row_state import State
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.rendering import count_text
from petstore_frame.schema import FIELDS, content_of, folded_name
from petstore_frame.transport import same_store_address
from petstore_frame.validation import whole_number

# A request without a connection for so long was not sent.
CONNECT_S = 5.0


class _EnoughError(PetstoreError):
    """The largest number of pages was read."""


def read_store(client: Any, watch: Callable[[], object], most_pages: float = math.inf) -> StorePets:
    """Read the pets of a store; ``watch`` is called at each page, and what it raises ends it."""
    pages = count(1)

    def note_page(_: int) -> None:
        watch()
        if next(pages) >= most_pages:
            raise _EnoughError("enough pages were read")

    is_cut = False
    try:
        inventory = fetch_inventory(client, progress=note_page)
    except IncompleteInventoryError as broken:
        if not isinstance(broken.__cause__, _EnoughError):
            raise broken.__cause__ or broken from None
        inventory, is_cut = broken.partial, True
    claim, pets = inventory.completeness, dict[int, StorePet]()
    for pet_id, body in _bodies(inventory):
        name = str(body["name"])
        content = content_of(name, body["categoryId"])
        pets[pet_id] = StorePet(pet_id, name, _json(body), content)
    is_complete = claim.is_complete and not is_cut
    # A page shorter than its limit proves nothing, unless it is empty: a store that cuts its pages
    # short still puts pets on them.
    is_guessed = claim.contradictions or (claim.rests_on_page_length and pets)
    is_whole = is_complete and not is_guessed
    said = f"ended after {count_text(claim.rows, 'pet')}, and nothing proves that it has no more"
    said = f"was read to its end: {claim}" if is_whole else said
    return StorePets(pets, is_complete, is_whole, claim.requests, f"the listing of all pets {said}")


def _bodies(inventory: Inventory) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the id of each pet, and the request body that would make it."""
    fields = {each.name: each.wire_name for each in FIELDS.sent}
    frame = inventory.frame[["id", *fields]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    for pet_id, *values in zip(*columns, strict=True):
        named = zip(fields.values(), values, strict=True)
        yield int(pet_id), {name: value for name, value in named if value is not None}


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def ask_store_id(client: PostingClient) -> str | None:
    """Return the id that the store states, by one GET; None where it states none."""
    try:
        store_id: str | None = client.list_pets(1).store_id
    except APIStatusError as problem:  # a store that refuses the key still states its id
        return problem.store_id
    except PetstoreError:
        return None
    return store_id


@dataclass(frozen=True)
class Reconciliation:
    """What reading the store back has shown of an import.

    Attributes:
        created: Rows found in the store.
        not_found: Rows not found where they would have been; evidence, not proof.
        unconfirmed: Rows that are still unconfirmed.
        requests: GETs made.
        notes: What we could rely on, as sentences.
        candidates: The ids of the pets that a row that is still unconfirmed may be, by row.
    """

    created: int = 0
    not_found: int = 0
    unconfirmed: int = 0
    requests: int = 0
    notes: tuple[str, ...] = ()
    candidates: dict[int, tuple[int, ...]] = field(default_factory=dict)


class _Doubtful(NamedTuple):
    """An unconfirmed row, or a created one whose id is not known, and its first request."""

    number: int  # of its import
    row: int
    state: State
    reason: str | None
    payload: bytes
    sent_at: float

    @property
    def is_open(self) -> bool:
        """Whether it left its status to the store."""
        return "status" not in json.loads(self.payload)

    def may_be(self, other: StorePet | _Doubtful) -> bool:
        """Return whether what it asks for may have become the other."""
        if self.payload == other.payload:
            return True
        return self.is_open and _without_status(self.payload) == _without_status(other.payload)


class _Before(NamedTuple):
    """What was known of the store before: by pet, our animals and when others were first seen."""

    ours: Mapping[int, tuple[str, int]]
    others: Mapping[int, tuple[str, float]]
    first_reading: float  # when it was first read to its end

    def seen_at(self, pet: StorePet) -> float:
        """Return when a pet of others was first seen; an id given again is another pet's."""
        content, at = self.others.get(pet.pet_id, ("", math.inf))
        return at if content == pet.content else math.inf


# Any of the requests of a row may have made its pet.
_DOUBTFUL = """
SELECT import, row, state, reason, payload, coalesce(first_sent_at, 0) FROM animals
WHERE state IN ('unconfirmed', 'not_found') OR state = 'created' AND pet_id IS NULL
ORDER BY state <> 'created', import, row
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
    """Settle all unconfirmed rows of a journal; return what was found of one import."""
    run, done = read_import(path, import_id), Reconciliation()
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, and the client's store is "
            f"{client.base_url}; use a client of that store"
        )
    with reading(path) as sql:
        ((sent_at,),) = sql.execute(_LAST_SENT).fetchall()
    sleep(_wait_s(sent_at, grace_s))  # without the journal's lock: others may load meanwhile
    with holding(path), Writer(path, run.base_url) as writer:
        Outcomes(writer, run).recover()
        numbers = json.dumps([each.number for each in _read_doubtful(writer.sql)])
        runs = read_imports(writer.sql, "import IN (SELECT value FROM json_each(?))", [numbers])
        if not runs:
            return done
        if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
            raise JournalError(
                f"{path} is an import into another store, which had the address {run.base_url} "
                "before; the store there now does not have these rows, so nothing was settled"
            )
        found = read_store(client, watch)
        for each in runs:
            of_import = _settle(writer.sql, Outcomes(writer, each), found)
            done = of_import if each.id == import_id else done
    return done


def _wait_s(sent_at: float | None, grace_s: float) -> float:
    """Return the seconds until the last doubtful request can no longer be applied."""
    if sent_at is None or not grace_s:
        return 0.0
    longest = CONNECT_S + grace_s  # never longer: the clock may have been ahead then
    return min(longest, max(0.0, sent_at + longest - time.time()))


def _read_doubtful(sql: sqlite3.Connection) -> list[_Doubtful]:
    """Return the rows to settle, the created ones first."""
    return [
        _Doubtful(number, row, State(state), *more)
        for number, row, state, *more in sql.execute(_DOUBTFUL)
    ]


def _read_before(sql: sqlite3.Connection) -> _Before:
    """Return what was known of the store at earlier readings."""
    pets = sql.execute("SELECT pet_id, payload FROM animals WHERE pet_id IS NOT NULL")
    others = sql.execute(
        "SELECT pet_id, min(content), min(seen_at) FROM other_pets GROUP BY pet_id"
    )
    ((first,),) = sql.execute(_FIRST_READING).fetchall()
    return _Before(
        {pet_id: _animal(body) for pet_id, body in pets},
        {pet_id: (content, at) for pet_id, content, at in others},
        math.inf if first is None else first,
    )


def _animal(payload: bytes) -> tuple[str, int]:
    """Return name and category, as they are compared where a store may tidy names."""
    body = json.loads(payload)
    return folded_name(body["name"]), body["categoryId"]


def _without_status(payload: bytes) -> dict[str, Any]:
    return {name: value for name, value in json.loads(payload).items() if name != "status"}


def match(
    rows: Sequence[_Doubtful],
    rivals: Sequence[_Doubtful],
    pets: Mapping[int, StorePet],
    before: _Before,
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Return the pet of each row that is found, and the pets that each other one may be.

    ``rows`` are the rows of an import, the created ones first, ``rivals`` those of others.
    """
    in_doubt = {_animal(each.payload) for each in (*rows, *rivals)}
    near: dict[tuple[str, int], list[StorePet]] = defaultdict(list)
    last = 0.0  # when a pet appeared that is neither ours nor equal to an unconfirmed row
    for pet_id, pet in sorted(pets.items()):
        animal = _animal(pet.payload)
        # An id that the store gave again has another animal now.
        if before.ours.get(pet_id) != animal:
            near[animal].append(pet)
        if pet_id not in before.ours and animal not in in_doubt:
            last = max(last, before.seen_at(pet))
    groups: dict[bytes, list[_Doubtful]] = defaultdict(list)
    for each in rows:
        groups[each.payload].append(each)
    pairs: dict[int, int] = {}
    may_be: dict[int, tuple[int, ...]] = {}
    # One that left its status open may have become a pet of any; those that state one come first.
    for group in sorted(groups.values(), key=lambda group: group[0].is_open):
        one, sent_at = group[0], min(each.sent_at for each in group)
        taken, claimed = {*pairs.values()}, {*chain.from_iterable(may_be.values())}
        free = [
            pet
            for pet in near[_animal(one.payload)]
            if pet.pet_id not in taken and before.seen_at(pet) > sent_at
        ]
        equal = [pet.pet_id for pet in free if one.may_be(pet)]
        has_rival = any(one.may_be(rival) or rival.may_be(one) for rival in rivals)
        is_ours = max(before.first_reading, last) <= sent_at and len(equal) <= len(group)
        left = [pet.pet_id for pet in free]
        if is_ours and not has_rival and not claimed & {*equal}:
            pairs |= {each.row: pet for each, pet in zip(group, equal, strict=False)}
            left, equal = [pet_id for pet_id in left if pet_id not in equal], []
        # Where none is equal, a store, or somebody, may have changed a status.
        candidates = tuple(equal or left)
        may_be |= {each.row: candidates for each in group if each.row not in pairs}
    return pairs, may_be


def _settle(sql: sqlite3.Connection, outcomes: Outcomes, found: StorePets) -> Reconciliation:
    """Write what became of the rows of an import."""
    doubtful, number = _read_doubtful(sql), outcomes.run.number
    rows = [each for each in doubtful if each.number == number]
    rivals = [each for each in doubtful if each.number != number]
    is_whole, note = found.is_whole, found.note
    own = "SELECT pet_id FROM animals WHERE state = 'created' AND pet_id IS NOT NULL AND import = ?"
    confirmed = {pet_id for (pet_id,) in sql.execute(own, [number])}
    if is_whole and (hidden := confirmed - found.pets.keys()):
        is_whole = False
        note += (
            f"; it lacks pet {min(hidden)}, which the store confirmed, so its silence means nothing"
        )
    pairs, may_be = match(rows, rivals, found.pets, _read_before(sql))
    counts, changes = Counter[str](), list[Change]()
    for each in rows:
        pet_id, state = pairs.get(each.row), each.state
        if pet_id is not None:
            state = State.CREATED
            changes.append(Change(each.row, each.state, state, "found", pet_id, "recovered"))
        elif each.state is State.UNCONFIRMED and is_whole and not may_be[each.row]:
            state = State.NOT_FOUND
            changes.append(Change(each.row, each.state, state, each.reason or "not found"))
        counts[state] += each.state is not State.CREATED
    outcomes.change(changes, time.time())
    numbers = counts[State.CREATED], counts[State.NOT_FOUND], counts[State.UNCONFIRMED]
    candidates = {row: ids for row, ids in may_be.items() if ids}
    done = Reconciliation(*numbers, found.requests, (note,), candidates)
    outcomes.note(time.time(), "reconcile", asdict(done))
    return done


def resolve(path: Path, import_id: str, pets: Mapping[int, int | None]) -> None:
    """Write what a person has found out about unconfirmed rows, as ``LoadResult.resolve`` says."""
    if not isinstance(pets, Mapping):
        raise ArgumentError(
            f"resolve takes a pet for each row, as in {{17: 4711, 18: None}}, got {pets!r}; "
            "nothing was changed"
        )
    said = {
        whole_number("row", row, 1): (None if pet_id is None else whole_number("pet_id", pet_id))
        for row, pet_id in pets.items()
    }
    run = read_import(path, import_id)
    with holding(path), Writer(path, run.base_url) as writer:
        outcomes = Outcomes(writer, run)
        outcomes.recover()
        of_run = (each for each in _read_doubtful(writer.sql) if each.number == run.number)
        states = {each.row: each.state for each in of_run}
        named = Counter(pet_id for pet_id in said.values() if pet_id is not None)
        twice = [pet_id for pet_id, rows in named.items() if rows > 1]
        for pet in (*outcomes.owners([*named]), *twice):
            raise ArgumentError(f"pet {pet} is another row's; nothing was changed")
        changes: list[Change] = []
        for row, pet_id in said.items():
            state = states.get(row, State.CREATED)
            if state is State.CREATED:
                raise ArgumentError(f"row {row} is not unconfirmed; nothing was changed")
            if pet_id is not None:
                why = "a person found it"
                changes.append(Change(row, state, State.CREATED, why, pet_id, "manual"))
                continue
            why = "a person did not find it"
            if state is State.UNCONFIRMED:
                changes.append(Change(row, state, State.NOT_FOUND, why))
            changes.append(Change(row, State.NOT_FOUND, State.PENDING, why))
        outcomes.change(changes, time.time())


# A reading from before the last doubtful request says nothing about that request.
_LAST = """
SELECT events.detail FROM events JOIN imports USING (import) WHERE id = :run
  AND kind = 'reconcile' AND at >= (SELECT max(sent_at) FROM animals
    WHERE animals.import = imports.import AND state = 'unconfirmed')
ORDER BY at DESC LIMIT 1
"""


class Doubt(NamedTuple):
    """The unconfirmed rows although the store was read, and the pets that each may be."""

    notes: tuple[str, ...]
    rows: tuple[int, ...]
    candidates: dict[int, tuple[int, ...]]


def read_doubt(sql: sqlite3.Connection, run: Import) -> Doubt | None:
    """Return what the last reading left unconfirmed; None if it left nothing, or there was none."""
    last = sql.execute(_LAST, {"run": run.id}).fetchone()
    if last is None:
        return None
    rows = tuple(row.number for row in read_rows(sql, run.id, State.UNCONFIRMED))
    found = json.loads(last[0])
    left = {int(row): tuple(ids) for row, ids in found["candidates"].items()}
    left = {row: ids for row, ids in left.items() if row in rows}
    return Doubt(tuple(found["notes"]), rows, left)
