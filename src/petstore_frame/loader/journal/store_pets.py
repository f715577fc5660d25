"""Rule 5 of identity: the store is asked before a session sends.

Pets that this journal did not make come from a colleague's load, or from a journal that was
restored, copied or lost. The loader compares those that it did not see at the last reading; if nine
in ten records are in the store already, it compares all.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from typing import Any, NamedTuple

from petstore_frame.errors import IncompleteInventoryError, PetstoreError
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.loader.journal.animals import TO_SEND, Animals, is_many, name_of
from petstore_frame.loader.journal.rows import Import, read_cells
from petstore_frame.loader.journal.tables import IS_DOUBTFUL
from petstore_frame.loader.record import digest_of
from petstore_frame.schema.models import PET_COLUMNS, SENT_FIELDS
from petstore_frame.schema.text import folded_name

LEAST_REQUESTS = 100
# From such a share of the records on, the user is asked about pets seen before, too.
ALL_ALIKE = 0.9
_LONGEST_ID = 18
_COMPARED = f"{TO_SEND} AND coalesce(known_by, '') <> 'user'"
_FIELDS = {each.name: each.wire_name for each in SENT_FIELDS if each.name != "status"}


class _EnoughError(PetstoreError):
    """The largest number of requests was made."""


class _Bounded:
    """A client that makes a limited number of requests."""

    def __init__(self, client: Any, requests: int) -> None:
        self._client, self._left = client, requests

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def ask_page(self, *args: Any, **options: Any) -> Any:
        """Ask for a page, within the bound."""
        if self._left <= 0:
            raise _EnoughError("enough pages were read")
        self._left -= 1
        return self._client.ask_page(*args, **options)


class StorePets(NamedTuple):
    """The pets that a store showed.

    Attributes:
        pets: Id, name, and what would be sent of each but its status.
        is_complete: The store was read to its end.
        problem: Why it was not, in the words of the error.
    """

    pets: list[tuple[int, str, str]]
    is_complete: bool = False
    problem: str = ""


def read_store(client: Any, records: int) -> StorePets:
    """Read the pets of a store, with at most as many requests as records, or a hundred."""
    bounded, problem = _Bounded(client, max(LEAST_REQUESTS, records)), ""
    try:
        inventory = fetch_inventory(bounded, progress=False)
    except IncompleteInventoryError as cut:
        if isinstance(cut.__cause__, KeyboardInterrupt):
            raise cut.__cause__ from None
        inventory = cut.partial
        problem = "" if isinstance(cut.__cause__, _EnoughError) else str(cut.__cause__ or cut)
    except PetstoreError as failed:
        return StorePets([], problem=str(failed))
    frame = inventory.frame[["id", *_FIELDS]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    pets = [
        (pet_id, str(values[0]), _body(values)) for pet_id, *values in zip(*columns, strict=True)
    ]
    return StorePets(pets, inventory.completeness.verdict == "complete", problem)


def _body(values: list[Any]) -> str:
    """Return the request body that makes a pet with these values."""
    named = zip(_FIELDS.values(), values, strict=True)
    body = {name: value for name, value in named if value is not None}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def may_be_listing(run: Import) -> bool:
    """Return whether a source has a column that may hold the store's ids."""
    return _id_column(run) is not None


def _id_column(run: Import) -> int | None:
    names = [folded_name(name).replace("_", "").replace(" ", "") for name in run.header]
    return next((at for at, name in enumerate(names) if name in ("id", "petid")), None)


def show_store(animals: Animals, store: StorePets) -> None:
    """Put the pets of a store where the rules compare them."""
    if store.problem:
        animals.facts["store_unread"] = store.problem
    elif not store.is_complete:
        animals.facts["store_cut"] = len(store.pets)
    seen, _ = _seen(animals.sql, "NOT is_before_doubt") or (set(), False)
    animals.sql.executemany(
        "INSERT OR IGNORE INTO temp.pets VALUES (?, ?, ?, ?, 0, ?)",
        (
            (pet, name, body, digest_of(body.encode()), pet in seen)
            for pet, name, body in store.pets
        ),
    )
    animals.do(
        "UPDATE temp.pets SET is_ours = 1 WHERE EXISTS"
        " (SELECT 1 FROM records WHERE pet_id = pets.pet)"
    )


def find_own_pets(animals: Animals) -> None:
    """Ask about rows that have the ids of pets of the store, with their names.

    Pets that this journal made count only if the columns are those of a fetched frame: a number in
    the user's own list may be the id of such a pet by chance.
    """
    run, at = animals.run, _id_column(animals.run)
    if at is None:
        return
    which = "TRUE" if {*PET_COLUMNS} <= {*run.header} else "NOT is_ours"
    names = dict(animals.do(f"SELECT pet, name FROM temp.pets WHERE {which}").fetchall())
    found: dict[int, int] = {}
    rows = f"SELECT id, cells, payload FROM records WHERE {TO_SEND} AND known_by IS NULL"
    for record_id, packed, payload in animals.do(rows):
        cells = read_cells(packed)
        text = cells[at].strip().removesuffix(".0") if at < len(cells) else ""
        pet = int(text) if text.isdecimal() and len(text) <= _LONGEST_ID else None
        if pet is not None and pet in names and folded_name(names[pet]) == name_of(payload):
            found.setdefault(pet, record_id)
    animals.make("own", "pet, id INTEGER PRIMARY KEY")
    animals.sql.executemany("INSERT INTO temp.own VALUES (?, ?)", found.items())
    own = "SELECT id, NULL AS other, pet FROM temp.own"
    if animals.ask("own_pets", own, animals.count(_COMPARED)):
        _adopt(animals, "own_pets")


def find_others_pets(animals: Animals) -> None:
    """Ask about records that equal pets which this journal did not make."""
    records = animals.count(_COMPARED)
    if not records or not animals.has("SELECT 1 FROM temp.pets"):
        return
    # The pet of a record in doubt, or of one whose answer was cut off, is kept for that record.
    animals.make(
        "doubt",
        "fingerprint PRIMARY KEY, n",
        f"SELECT fingerprint, count(*) FROM records WHERE {IS_DOUBTFUL} GROUP BY fingerprint",
    )
    animals.make(
        "others",
        "pet INTEGER PRIMARY KEY, fingerprint, is_seen, n",
        "SELECT pet, fingerprint, is_seen, place - coalesce(doubt.n, 0) FROM (SELECT *,"
        "  row_number() OVER (PARTITION BY fingerprint ORDER BY is_seen, pet) AS place"
        "  FROM temp.pets WHERE NOT is_ours AND pet NOT IN (SELECT pet FROM temp.cases"
        "   WHERE pet IS NOT NULL)) LEFT JOIN temp.doubt USING (fingerprint)"
        " WHERE place > coalesce(doubt.n, 0)",
    )
    alike = animals.make(
        "alike",
        "id INTEGER PRIMARY KEY, pet UNIQUE, is_seen",
        "SELECT id, pet, is_seen FROM (SELECT id, fingerprint, row_number() OVER"
        f"  (PARTITION BY fingerprint ORDER BY id) AS n FROM records WHERE {_COMPARED}"
        "   AND fingerprint IN (SELECT fingerprint FROM temp.others)"
        " ) JOIN temp.others USING (fingerprint, n)",
    )
    new, others = (animals.count("NOT is_seen", table) for table in ("temp.alike", "temp.others"))
    which = "SELECT id, NULL AS other, pet FROM temp.alike"
    if not (is_many(alike, records) and alike >= ALL_ALIKE * records):
        which += " WHERE NOT is_seen"
        if not is_many(new, records) and not (new and is_many(new, others)):
            few = "SELECT line FROM temp.alike JOIN records USING (id) WHERE NOT is_seen"
            animals.note("others_pets_few", few)
            return
    if animals.ask("others_pets", which, records):
        _adopt(animals, "others_pets")


def _adopt(animals: Animals, case: str) -> None:
    """Give the records of a case their pets, or new keys where the user says they are others."""
    if animals.answer_to(case) == "send":
        # An equal animal that is another one needs another idempotency key.
        animals.do(
            "UPDATE records SET life = cases.pet FROM temp.cases"
            " WHERE records.id = cases.id AND cases.name = :case",
            case=case,
        )
        return
    animals.become(
        "SELECT cases.id, mine.animal, 'store' AS known_by FROM temp.cases"
        " JOIN records AS mine ON mine.pet_id = cases.pet WHERE cases.name = :case",
        case=case,
    )
    animals.do(
        "UPDATE records SET state = 'adopted', known_by = 'store', pet_id = cases.pet,"
        " id_source = 'adopted' FROM temp.cases WHERE records.id = cases.id"
        " AND cases.name = :case AND records.state = 'pending'",
        case=case,
    )


def note_seen(animals: Animals, store: StorePets) -> None:
    """Remember the pets that were there at this reading; nobody is asked about them again.

    If this reading led to a question, the other pets are compared with the next file, too. Pets of
    this reading may belong to records in doubt, so the list from before those records is kept as
    long as there are any.
    """
    sql = animals.sql
    last = _seen(sql, "NOT is_before_doubt") or (set(), False)
    now = ({pet for pet, _, _ in store.pets}, True)
    if not store.is_complete:
        now = (now[0] | last[0], last[1])
    has_doubt = animals.has(f"SELECT 1 FROM records WHERE {IS_DOUBTFUL} AND state <> 'pending'")
    if not has_doubt:
        sql.execute("DELETE FROM seen WHERE is_before_doubt")
    elif _seen(sql, "is_before_doubt") is None:
        _write_seen(sql, *last, is_before_doubt=True)
    if not {"own_pets", "others_pets"} & animals.cases.keys():
        sql.execute("DELETE FROM seen WHERE NOT is_before_doubt")
        _write_seen(sql, *now, is_before_doubt=False)
    elif not has_doubt:
        _write_seen(sql, *now, is_before_doubt=True)


def _write_seen(
    sql: sqlite3.Connection, pets: set[int], is_complete: bool, *, is_before_doubt: bool
) -> None:
    ids = array("q", sorted(pets)).tobytes()
    sql.execute("INSERT INTO seen VALUES (?, ?, ?)", [ids, is_complete, is_before_doubt])


def read_seen_before_doubt(sql: sqlite3.Connection) -> tuple[set[int], bool]:
    """Return the pets from before any record in doubt was sent, and whether these are all."""
    return _seen(sql, "TRUE") or (set(), False)


def _seen(sql: sqlite3.Connection, which: str) -> tuple[set[int], bool] | None:
    found = sql.execute(
        f"SELECT ids, is_complete FROM seen WHERE {which} ORDER BY is_before_doubt DESC"
    ).fetchone()
    if found is None:
        return None
    ids = array("q")
    ids.frombytes(found[0])
    return set(ids), bool(found[1])
