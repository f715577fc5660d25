"""Rules 4 and 5 of identity: a record that equals an earlier one, or a pet of the store.

Rule 4 knows earlier versions of a file, too. For rule 5 the store is asked before a session sends:
pets that this journal did not make come from a colleague's load, or from a journal that was
restored, copied or lost. Those are compared that it did not see at the last reading; if nine in ten
records are in the store already, all are.
"""

from __future__ import annotations

import sqlite3
from array import array
from typing import NamedTuple

from petstore_frame.loader.journal.animals import TO_SEND, Animals, name_of
from petstore_frame.loader.journal.rows import Import, read_cells
from petstore_frame.loader.journal.tables import IS_DOUBTFUL, IS_UNSENT, is_live
from petstore_frame.loader.question import is_many
from petstore_frame.loader.record import digest_of
from petstore_frame.schema.models import PET_COLUMNS
from petstore_frame.schema.text import folded_name

# From such a share of the records on, the user is asked about pets seen before, too.
ALL_ALIKE = 0.9
_LONGEST_ID = 18
_COMPARED = f"{TO_SEND} AND coalesce(known_by, '') <> 'user'"


def withdraw_unsent(animals: Animals) -> None:
    """Withdraw the rows that earlier versions of the file left unsent; this one sends them."""
    animals.make("withdrawn", "id INTEGER PRIMARY KEY, fingerprint")
    if animals.run.place is None or animals.run.copy or _is_fix(animals):
        return
    versions = animals.do(
        "SELECT import FROM imports WHERE place = :place AND import <> :mine AND NOT copy"
        " AND ending IS NOT 'done' AND"
        f" EXISTS (SELECT 1 FROM records WHERE records.import = imports.import AND {IS_UNSENT})"
    ).fetchall()
    marks = ["fingerprint", "name_of(payload)", *(["form_of(key)"] if animals.run.key else [])]
    either = " OR ".join(f"{mark} IN temp.marks" for mark in marks)
    for (version,) in versions:
        # Only if a key, a record or a name of it is in this one.
        animals.make("marks", "mark PRIMARY KEY")
        for mark in marks:
            animals.do(
                f"INSERT OR IGNORE INTO temp.marks SELECT {mark} FROM records"
                f" WHERE import = :version AND {mark} IS NOT NULL",
                version=version,
            )
        if animals.has(f"SELECT 1 FROM records WHERE id >= :first AND ({either})"):
            animals.do(
                "INSERT INTO temp.withdrawn SELECT id, fingerprint FROM records"
                f" WHERE import = :version AND {IS_UNSENT}",
                version=version,
            )
    animals.do(
        "UPDATE records SET state = 'skipped', reason = 'withdrawn' WHERE id IN"
        " (SELECT id FROM temp.withdrawn)"
    )


def _is_fix(animals: Animals) -> bool:
    return animals.has("SELECT 1 FROM temp.origins")


def link_withdrawn(animals: Animals) -> None:
    """Give a withdrawn row the animal of the row sent in its place, and list the others."""
    sent = (
        "(SELECT id, animal, fingerprint FROM records WHERE id >= :first AND state = 'pending'"
        " AND fingerprint IN (SELECT fingerprint FROM temp.withdrawn))"
    )
    in_its_place = _paired("temp.withdrawn", sent, "fingerprint")
    animals.do(
        "UPDATE records SET animal = new.animal, known_by = 'equal' FROM"
        f" (SELECT mine.id, old.animal FROM {in_its_place} WHERE NOT EXISTS"
        "   (SELECT 1 FROM records AS gone JOIN records AS live ON live.animal = gone.animal"
        f"   AND {is_live('live')} WHERE gone.id = mine.id)) AS new WHERE records.id = new.id"
    )
    animals.note(
        "withdrawn",
        "SELECT line FROM temp.withdrawn CROSS JOIN records USING (id) WHERE NOT EXISTS"
        " (SELECT 1 FROM records AS live WHERE live.animal = records.animal"
        f" AND {is_live('live')})",
    )


def find_equal(animals: Animals) -> None:
    """Compare records with those of earlier imports, as multisets.

    Equal records are paired one to one: two earlier Lunas are no more than two of the new
    ones. With a key only records are compared that have no key of these columns.
    """
    has_key = bool(animals.run.key)
    others = f"imports.import <> :mine {'AND key_columns <> :columns' if has_key else ''}"
    if animals.run.copy or not animals.has(f"SELECT 1 FROM imports WHERE {others}"):
        return
    animals.do("CREATE INDEX IF NOT EXISTS by_fingerprint ON records(fingerprint)")
    records = animals.make(
        "new",
        "id INTEGER PRIMARY KEY, fingerprint, payload, name",
        "SELECT id, fingerprint, payload, NULL FROM records"
        " WHERE id >= :first AND state = 'pending' AND coalesce(known_by, 'record') = 'record'",
    )
    # The rows of one file are different animals, also once they are fixed.
    animals.make(
        "siblings",
        "import INTEGER PRIMARY KEY",
        "SELECT root.import FROM temp.origins CROSS JOIN records AS mine USING (id)"
        " JOIN records AS root ON root.id = mine.animal WHERE mine.known_by = 'record'"
        " UNION SELECT import FROM temp.origins"
        " JOIN imports ON imports.id GLOB origins.import_id || '*'",
    )
    is_free = _is_free(animals)
    animals.make(
        "earlier",
        "id INTEGER PRIMARY KEY, animal, import, fingerprint, payload, name",
        "SELECT old.id, animal, import, fingerprint, payload, NULL"
        " FROM (SELECT DISTINCT fingerprint FROM temp.new) CROSS JOIN records AS old"
        f" USING (fingerprint) JOIN imports USING (import) WHERE {is_live('old')} AND {others}"
        f" AND {is_free}",
    )
    animals.make("pairs", "id INTEGER PRIMARY KEY, other UNIQUE, animal, import")
    equal = "AND fingerprint IN (SELECT fingerprint FROM temp.earlier)"
    _pair(animals, "payload", equal)
    _pair(animals, "fingerprint", equal)
    if not has_key:
        _pair_names(animals, is_free)
    elif not _is_worth_asking(animals, records):
        few = "SELECT line FROM temp.pairs JOIN records USING (id) ORDER BY id"
        animals.note("equal_few", few)
        return
    if animals.ask("equal", "SELECT id, other, NULL AS pet FROM temp.pairs", records) == "skip":
        animals.become("SELECT id, animal, 'equal' AS known_by FROM temp.pairs")


def _is_free(animals: Animals) -> str:
    """Return the condition that no rule has given an old record's animal to this source."""
    by_key = "AND old.animal NOT IN (SELECT animal FROM keys WHERE columns = :columns)"
    return (
        # The row that an animal is named after is gone where its file was read anew.
        "coalesce((SELECT import FROM records AS root WHERE root.id = old.animal), old.import)"
        " NOT IN temp.siblings AND old.id < :first AND old.animal NOT IN"
        " (SELECT animal FROM records WHERE id >= :first AND animal <> id)"
        f" {by_key if animals.run.key else ''}"
    )


def _paired(ours: str, theirs: str, mark: str) -> str:
    """Return rows of two selections side by side, the first with the first of the same mark."""
    numbered = f"SELECT *, row_number() OVER (PARTITION BY {mark} ORDER BY id) AS n FROM"
    return f"({numbered} {ours}) AS mine JOIN ({numbered} {theirs}) AS old USING ({mark}, n)"


def _pair(animals: Animals, column: str, which: str = "") -> None:
    """Pair the other records with the earlier ones of the same content."""
    ours = f"temp.new WHERE {column} IS NOT NULL {which} AND id NOT IN (SELECT id FROM temp.pairs)"
    theirs = "temp.earlier WHERE id NOT IN (SELECT other FROM temp.pairs)"
    pairs = f"SELECT mine.id, old.id, animal, import FROM {_paired(ours, theirs, column)}"
    animals.do(f"INSERT INTO temp.pairs {pairs}")


def _pair_names(animals: Animals, is_free: str) -> None:
    """Pair by name the rows of the last file of this path, if it comes back without a key.

    A frame has no path. If an earlier frame was not sent to its end, its unsent rows are paired,
    too: else a corrected frame would be sent beside them.
    """
    if _is_fix(animals):
        return
    named = animals.make(
        "recurring",
        "id INTEGER PRIMARY KEY",
        f"SELECT id FROM records AS old WHERE {is_live()} AND (import ="
        "  (SELECT max(import) FROM imports"
        "   WHERE place = :place AND import <> :mine AND NOT copy)"
        " OR import IN (SELECT import FROM imports"
        "   WHERE (place IS NULL OR :place IS NULL) AND import <> :mine AND NOT copy"
        f"   AND ending IS NOT 'done') AND {IS_UNSENT}) AND {is_free}",
    )
    if not named:
        return
    animals.do(
        "INSERT OR IGNORE INTO temp.earlier SELECT id, animal, import, fingerprint, payload, NULL"
        " FROM temp.recurring JOIN records USING (id)"
    )
    animals.do("UPDATE temp.new SET name = name_of(payload)")
    animals.do("UPDATE temp.earlier SET name = name_of(payload) WHERE id IN temp.recurring")
    _pair(animals, "name")


def _is_worth_asking(animals: Animals, records: int) -> bool:
    """Return whether the alike records are enough of this file, or of an earlier one."""
    shares = animals.do(
        "SELECT count(*), (SELECT count(*) FROM records WHERE records.import = pairs.import)"
        " FROM temp.pairs GROUP BY import"
    )
    return is_many(animals.count(table="temp.pairs"), records) or any(
        is_many(found, size) for found, size in shares
    )


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


def id_column(run: Import) -> int | None:
    """Return the column of a source that may hold the store's ids, if it has one."""
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


def find_own_pets(animals: Animals, at: int) -> None:
    """Ask about rows that have in a column the ids of pets of the store, with their names.

    Pets that this journal made count only if the columns are those of a fetched frame: a number in
    the user's own list may be the id of such a pet by chance.
    """
    which = "TRUE" if {*PET_COLUMNS} <= {*animals.run.header} else "NOT is_ours"
    names = dict(animals.do(f"SELECT pet, name FROM temp.pets WHERE {which}").fetchall())
    found: dict[int, int] = {}
    rows = f"SELECT id, cells, payload FROM records WHERE {TO_SEND} AND known_by IS NULL"
    for record_id, packed, payload in animals.do(rows):
        text = "".join(read_cells(packed)[at : at + 1]).strip().removesuffix(".0")
        pet = int(text) if text.isdecimal() and len(text) <= _LONGEST_ID else None
        if pet is not None and pet in names and folded_name(names[pet]) == name_of(payload):
            found.setdefault(pet, record_id)
    animals.make("own", "pet, id INTEGER PRIMARY KEY")
    animals.sql.executemany("INSERT INTO temp.own VALUES (?, ?)", found.items())
    own = "SELECT id, NULL AS other, pet FROM temp.own"
    _adopt(animals, "own_pets", animals.ask("own_pets", own, animals.count(_COMPARED)))


def find_others_pets(animals: Animals) -> None:
    """Ask about records that equal pets which this journal did not make."""
    if not animals.has("SELECT 1 FROM temp.pets"):
        return
    records = animals.count(_COMPARED)
    if not records:
        return
    # The pet of a record in doubt, or of one whose answer was cut off, is kept for that record.
    animals.make(
        "doubt",
        "fingerprint PRIMARY KEY, n",
        f"SELECT fingerprint, count(*) FROM records WHERE {IS_DOUBTFUL} GROUP BY fingerprint",
    )
    animals.make(
        "others",
        "id INTEGER PRIMARY KEY, pet, fingerprint, is_seen",
        "SELECT NULL, pet, fingerprint, is_seen FROM (SELECT *,"
        "  row_number() OVER (PARTITION BY fingerprint ORDER BY is_seen, pet) AS place"
        "  FROM temp.pets WHERE NOT is_ours AND pet NOT IN (SELECT pet FROM temp.cases"
        "   WHERE pet IS NOT NULL)) LEFT JOIN temp.doubt USING (fingerprint)"
        " WHERE place > coalesce(doubt.n, 0) ORDER BY is_seen, pet",
    )
    ours = (
        f"(SELECT id, fingerprint FROM records WHERE {_COMPARED}"
        " AND fingerprint IN (SELECT fingerprint FROM temp.others))"
    )
    alike = animals.make(
        "alike",
        "id INTEGER PRIMARY KEY, pet UNIQUE, is_seen",
        f"SELECT mine.id, pet, is_seen FROM {_paired(ours, 'temp.others', 'fingerprint')}",
    )
    new, others = (animals.count("NOT is_seen", table) for table in ("temp.alike", "temp.others"))
    which = "SELECT id, NULL AS other, pet FROM temp.alike"
    if not (is_many(alike, records) and alike >= ALL_ALIKE * records):
        which += " WHERE NOT is_seen"
        if not is_many(new, records) and not (new and is_many(new, others)):
            few = "SELECT line FROM temp.alike JOIN records USING (id) WHERE NOT is_seen"
            animals.note("others_pets_few", few)
            return
    _adopt(animals, "others_pets", animals.ask("others_pets", which, records))


def _adopt(animals: Animals, case: str, answer: str) -> None:
    """Give the records of a case their pets, or new keys where the user says they are others."""
    if answer == "send":
        # An equal animal that is another one needs another idempotency key.
        animals.do(
            "UPDATE records SET life = cases.pet FROM temp.cases"
            " WHERE records.id = cases.id AND cases.name = :case",
            case=case,
        )
    if answer != "skip":
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

    def write(pets: set[int], is_complete: bool, *, is_before_doubt: bool) -> None:
        ids = array("q", sorted(pets)).tobytes()
        sql.execute("INSERT INTO seen VALUES (?, ?, ?)", [ids, is_complete, is_before_doubt])

    last = _seen(sql, "NOT is_before_doubt") or (set(), False)
    now = ({pet for pet, _, _ in store.pets}, True)
    if not store.is_complete:
        now = (now[0] | last[0], last[1])
    has_doubt = animals.has(f"SELECT 1 FROM records WHERE {IS_DOUBTFUL} AND state <> 'pending'")
    if not has_doubt:
        sql.execute("DELETE FROM seen WHERE is_before_doubt")
    elif _seen(sql, "is_before_doubt") is None:
        write(*last, is_before_doubt=True)
    if not {"own_pets", "others_pets"} & animals.asked.keys():
        sql.execute("DELETE FROM seen WHERE NOT is_before_doubt")
        write(*now, is_before_doubt=False)
    elif not has_doubt:
        write(*now, is_before_doubt=True)


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
