"""Rule 5 of identity: the store is asked before a session sends.

Pets that this journal did not make are what a colleague's load, a restored, copied or lost journal
look like. Compared are those that were not seen at the last reading; all of them, where nine in ten
records are in the store already.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from dataclasses import dataclass, field
from typing import Any

from petstore_frame.errors import IncompleteInventoryError, PetstoreError
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.loader.journal.imports import Import
from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.rules import Rules, is_many, name_of
from petstore_frame.loader.journal.tables import is_doubtful
from petstore_frame.loader.record import digest_of
from petstore_frame.schema.models import PET_COLUMNS, SENT_FIELDS
from petstore_frame.schema.text import likeness

LEAST_REQUESTS = 100
# From such a share of the records on, also pets that were seen before are worth a question.
ALL_ALIKE = 0.9
_LONGEST_ID = 18
_TO_SEND = "import = :mine AND state = 'pending' AND NOT is_in_doubt"


class _EnoughError(PetstoreError):
    """As many requests were made as are allowed."""


class _Bounded:
    """A client that makes no more than so many requests."""

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


@dataclass(frozen=True)
class StorePets:
    """The pets that a store showed.

    Attributes:
        pets: Id, name, and what would be sent of each but its status.
        is_complete: The store was read to its end.
        problem: Why it was not, in the words of the error.
    """

    pets: list[tuple[int, str, str]] = field(default_factory=list)
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
        return StorePets(problem=str(failed))
    is_complete = inventory.completeness.verdict == "complete"
    frame = inventory.frame[["id", *_NAMES]].astype(object)
    columns = [frame[name].where(frame[name].notna(), None).tolist() for name in frame]
    pets = [
        (pet_id, str(values[0]), _body(values)) for pet_id, *values in zip(*columns, strict=True)
    ]
    return StorePets(pets, is_complete, problem)


_FIELDS = [each for each in SENT_FIELDS if each.name != "status"]
_NAMES = [each.name for each in _FIELDS]


def _body(values: list[Any]) -> str:
    """Return the request body that makes a pet with these values."""
    body = {
        each.wire_name: value
        for each, value in zip(_FIELDS, values, strict=True)
        if value is not None
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def may_be_listing(run: Import) -> bool:
    """Return whether a source has a column of ids as a store gives them."""
    return _id_column(run) is not None


def _id_column(run: Import) -> int | None:
    names = [likeness(name).replace("_", "").replace(" ", "") for name in run.header]
    return next((at for at, name in enumerate(names) if name in ("id", "petid")), None)


def show_store(rules: Rules, store: StorePets) -> None:
    """Put the pets of a store where the rules compare them."""
    if store.problem:
        rules.found.facts["store_unread"] = store.problem
    elif not store.is_complete:
        rules.found.facts["store_cut"] = len(store.pets)
    seen = read_seen(rules.sql) or set()
    rules.sql.executemany(
        "INSERT OR IGNORE INTO temp.pets VALUES (?, ?, ?, ?, 0, ?)",
        (
            (pet, name, body, digest_of(body.encode()), pet in seen)
            for pet, name, body in store.pets
        ),
    )
    rules.do(
        "UPDATE temp.pets SET is_ours = 1 WHERE EXISTS"
        " (SELECT 1 FROM records WHERE pet_id = pets.pet)"
    )


def find_own_pets(rules: Rules) -> None:
    """Ask about rows that have the ids of pets of the store, with their names.

    The pets of this journal count only where the columns are those of a frame that was fetched: the
    numbers of the user's own list may be their ids, too.
    """
    run, at = rules.run, _id_column(rules.run)
    if at is None:
        return
    which = "" if {*PET_COLUMNS} <= {*run.header} else "AND NOT is_ours"
    found: dict[int, int] = {}
    rows = rules.do(f"SELECT id, cells, payload FROM records WHERE {_TO_SEND} AND known_by IS NULL")
    for record_id, packed, payload in rows:
        cells = read_cells(packed)
        text = cells[at].strip().removesuffix(".0") if at < len(cells) else ""
        if not text.isdecimal() or len(text) > _LONGEST_ID:
            continue
        asked = f"SELECT name FROM temp.pets WHERE pet = :pet {which}"
        pet = rules.do(asked, pet=int(text)).fetchone()
        if pet is not None and likeness(pet[0]) == name_of(payload):
            found.setdefault(int(text), record_id)
    rules.make("own", "id INTEGER PRIMARY KEY, pet")
    rules.sql.executemany("INSERT INTO temp.own VALUES (?, ?)", [(v, k) for k, v in found.items()])
    if rules.answer("own_pets", "SELECT id, NULL AS other, pet FROM temp.own", _left(rules)):
        _adopt(rules, "own_pets")


def find_others_pets(rules: Rules) -> None:
    """Ask about records that equal pets which this journal did not make."""
    records = _left(rules)
    if not records or not rules.do("SELECT 1 FROM temp.pets").fetchone():
        return
    # A pet that a record in doubt may have made is left for that record.
    rules.make(
        "doubt",
        "fingerprint PRIMARY KEY, n",
        f"SELECT fingerprint, count(*) FROM records WHERE {is_doubtful()} AND state <> 'created'"
        " GROUP BY fingerprint",
    )
    rules.make(
        "others",
        "pet INTEGER PRIMARY KEY, fingerprint, is_seen, n",
        "SELECT pet, fingerprint, is_seen, place - coalesce(doubt.n, 0) FROM (SELECT *,"
        "  row_number() OVER (PARTITION BY fingerprint ORDER BY is_seen, pet) AS place"
        "  FROM temp.pets WHERE NOT is_ours AND pet NOT IN (SELECT pet FROM temp.cases"
        "   WHERE pet IS NOT NULL)) LEFT JOIN temp.doubt USING (fingerprint)"
        " WHERE place > coalesce(doubt.n, 0)",
    )
    rules.make(
        "alike",
        "id INTEGER PRIMARY KEY, pet UNIQUE, is_seen",
        "SELECT id, pet, is_seen FROM (SELECT id, fingerprint, row_number() OVER"
        f"  (PARTITION BY fingerprint ORDER BY id) AS n FROM records WHERE {_TO_SEND}"
        "   AND fingerprint IN (SELECT fingerprint FROM temp.others)"
        "   AND coalesce(known_by, '') <> 'user') JOIN temp.others USING (fingerprint, n)",
    )
    alike, new, others = rules.do(
        "SELECT count(*), coalesce(sum(NOT is_seen), 0),"
        " (SELECT count(*) FROM temp.others WHERE NOT is_seen) FROM temp.alike"
    ).fetchone()
    is_copy = is_many(alike, records) and alike >= ALL_ALIKE * records
    which = "SELECT id, NULL AS other, pet FROM temp.alike"
    if not is_copy:
        which += " WHERE NOT is_seen"
        if not is_many(new, records) and not (new and is_many(new, others)):
            few = "SELECT line FROM temp.alike JOIN records USING (id) WHERE NOT is_seen"
            rules.note("others_pets_few", rules.do(few))
            return
    if rules.answer("others_pets", which, records):
        _adopt(rules, "others_pets")


def _left(rules: Rules) -> int:
    found = f"SELECT count(*) FROM records WHERE {_TO_SEND} AND coalesce(known_by, '') <> 'user'"
    ((records,),) = rules.do(found).fetchall()
    return int(records)


def _adopt(rules: Rules, case: str) -> None:
    """Give the records of a case their pets; where others are meant, see to it that they are."""
    if rules.answers.get(case, rules.otherwise) == "send":
        # Another animal than an equal pet needs another idempotency key than that pet had.
        rules.do(
            "UPDATE records SET life = cases.pet FROM temp.cases"
            " WHERE records.id = cases.id AND cases.name = :case",
            case=case,
        )
        return
    rules.become(
        "SELECT cases.id, mine.animal, 'store' AS known_by FROM temp.cases"
        " JOIN records AS mine ON mine.pet_id = cases.pet WHERE cases.name = :case",
        case=case,
    )
    rules.do(
        "UPDATE records SET state = 'adopted', known_by = 'store', pet_id = cases.pet,"
        " id_source = 'adopted' FROM temp.cases WHERE records.id = cases.id"
        " AND cases.name = :case AND records.state = 'pending'",
        case=case,
    )


_DOUBT = f"""
SELECT EXISTS (SELECT 1 FROM records WHERE {is_doubtful()} AND state <> 'pending')
"""


def note_seen(rules: Rules, store: StorePets) -> None:
    """Remember the pets that were there at this reading; nobody is asked about them again.

    The pets of this reading may be those of the records in doubt: while there are any, what was
    there before them is kept as well.
    """
    seen, is_complete = {pet for pet, _, _ in store.pets}, store.is_complete
    before, was_complete = _seen(rules.sql, "NOT is_before_doubt") or (set(), False)
    if not is_complete:
        seen, is_complete = seen | before, was_complete
    ((has_doubt,),) = rules.do(_DOUBT).fetchall()
    if not has_doubt:
        rules.do("DELETE FROM seen WHERE is_before_doubt")
    elif _seen(rules.sql, "is_before_doubt") is None:
        _write_seen(rules, before, was_complete, is_before_doubt=True)
    rules.do("DELETE FROM seen WHERE NOT is_before_doubt")
    _write_seen(rules, seen, is_complete, is_before_doubt=False)


def _write_seen(rules: Rules, pets: set[int], is_complete: bool, *, is_before_doubt: bool) -> None:
    rules.do(
        "INSERT INTO seen VALUES (:ids, :complete, :before)",
        ids=array("q", sorted(pets)).tobytes(),
        complete=is_complete,
        before=is_before_doubt,
    )


def read_seen(sql: sqlite3.Connection) -> set[int] | None:
    """Return the pets that were there at the last reading; None before the first."""
    found = _seen(sql, "NOT is_before_doubt")
    return None if found is None else found[0]


def read_seen_before_doubt(sql: sqlite3.Connection) -> tuple[set[int], bool]:
    """Return pets that were there before any record in doubt was sent, and if they are all."""
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
