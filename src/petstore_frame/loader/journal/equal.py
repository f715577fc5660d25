"""Rule 4 of identity: a record that equals an earlier one, and earlier versions of a file."""

from __future__ import annotations

from petstore_frame.loader.journal.animals import Animals, is_many
from petstore_frame.loader.journal.tables import IS_UNSENT, is_live

WITHDRAWN = "withdrawn"


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
    for (version,) in versions:
        if _recurs(animals, version):
            animals.do(
                "INSERT INTO temp.withdrawn SELECT id, fingerprint FROM records"
                f" WHERE import = :version AND {IS_UNSENT}",
                version=version,
            )
    animals.do(
        f"UPDATE records SET state = 'skipped', reason = '{WITHDRAWN}' WHERE id IN"
        " (SELECT id FROM temp.withdrawn)"
    )


def _is_fix(animals: Animals) -> bool:
    return animals.has("SELECT 1 FROM temp.origins")


def _recurs(animals: Animals, version: int) -> bool:
    """Return whether a key, a record or a name of an earlier import is in this one."""
    marks = ["fingerprint", "name_of(payload)", *(["form_of(key)"] if animals.run.key else [])]
    animals.make("marks", "mark PRIMARY KEY")
    for mark in marks:
        animals.do(
            f"INSERT OR IGNORE INTO temp.marks SELECT {mark} FROM records"
            f" WHERE import = :version AND {mark} IS NOT NULL",
            version=version,
        )
    either = " OR ".join(f"{mark} IN temp.marks" for mark in marks)
    return animals.has(f"SELECT 1 FROM records WHERE id >= :first AND ({either})")


def link_withdrawn(animals: Animals) -> None:
    """Give a withdrawn row the animal of the row sent in its place, and list the others."""
    place = "row_number() OVER (PARTITION BY fingerprint ORDER BY id) AS n"
    animals.do(
        "UPDATE records SET animal = new.animal, known_by = 'equal' FROM ("
        f" SELECT gone.id, mine.animal FROM (SELECT id, fingerprint, {place} FROM temp.withdrawn)"
        f"   AS gone JOIN (SELECT animal, fingerprint, {place} FROM records"
        "   WHERE id >= :first AND state = 'pending'"
        "    AND fingerprint IN (SELECT fingerprint FROM temp.withdrawn)"
        " ) AS mine USING (fingerprint, n)"
        f" WHERE NOT EXISTS (SELECT 1 FROM records AS old JOIN records AS live"
        f"   ON live.animal = old.animal AND {is_live('live')} WHERE old.id = gone.id)) AS new"
        " WHERE records.id = new.id"
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
    others = "imports.import <> :mine"
    if animals.run.key:
        others += " AND key_columns <> :columns"
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
    animals.make(
        "earlier",
        "id INTEGER PRIMARY KEY, animal, import, fingerprint, payload, name",
        "SELECT old.id, animal, import, fingerprint, payload, NULL"
        " FROM (SELECT DISTINCT fingerprint FROM temp.new) CROSS JOIN records AS old"
        f" USING (fingerprint) JOIN imports USING (import) WHERE {is_live('old')} AND {others}"
        f" AND {_is_free(animals)}",
    )
    animals.make("pairs", "id INTEGER PRIMARY KEY, other UNIQUE, animal, import")
    equal = "AND fingerprint IN (SELECT fingerprint FROM temp.earlier)"
    _pair(animals, "payload", equal)
    _pair(animals, "fingerprint", equal)
    if not animals.run.key:
        _pair_names(animals)
    alike = animals.count(table="temp.pairs")
    if animals.run.key and not _is_worth_asking(animals, alike, records):
        few = "SELECT line FROM temp.pairs JOIN records USING (id) ORDER BY id"
        animals.note("equal_few", few)
        return
    equal = "SELECT id, other, NULL AS pet FROM temp.pairs"
    if animals.ask("equal", equal, records) == "skip":
        animals.become("SELECT id, animal, 'equal' AS known_by FROM temp.pairs")


def _is_free(animals: Animals) -> str:
    """Return the condition that no rule has given an old record's animal to this source."""
    by_key = "AND old.animal NOT IN (SELECT animal FROM keys WHERE columns = :columns)"
    return (
        # The row that an animal is named after is gone where its file was read anew.
        "coalesce((SELECT import FROM records AS root WHERE root.id = old.animal), old.import)"
        " NOT IN temp.siblings AND old.id < :first AND old.animal NOT IN"
        f" (SELECT animal FROM records WHERE id >= :first AND animal <> id)"
        f" {by_key if animals.run.key else ''}"
    )


def _pair(animals: Animals, column: str, which: str = "") -> None:
    """Pair the other records, the first with the first of the same content."""
    numbered = f"{column}, row_number() OVER (PARTITION BY {column} ORDER BY id) AS n"
    animals.do(
        f"INSERT INTO temp.pairs SELECT mine.id, old.id, animal, import FROM"
        f" (SELECT id, {numbered} FROM temp.new WHERE {column} IS NOT NULL {which}"
        "   AND id NOT IN (SELECT id FROM temp.pairs)) AS mine"
        f" JOIN (SELECT id, animal, import, {numbered} FROM temp.earlier"
        "   WHERE id NOT IN (SELECT other FROM temp.pairs)) AS old"
        f" USING ({column}, n)"
    )


def _pair_names(animals: Animals) -> None:
    """Pair by name the rows of the last file of this path, if it comes back without a key.

    A frame has no path. If an earlier frame was not sent to its end, its unsent rows are paired,
    too: else a corrected frame would be sent beside them.
    """
    if _is_fix(animals):
        return
    last = "SELECT max(import) FROM imports WHERE place = :place AND import <> :mine AND NOT copy"
    unfinished = (
        "SELECT import FROM imports WHERE (place IS NULL OR :place IS NULL) AND import <> :mine"
        " AND NOT copy AND ending IS NOT 'done'"
    )
    named = animals.make(
        "recurring",
        "id INTEGER PRIMARY KEY",
        f"SELECT id FROM records AS old WHERE {is_live()} AND (import = ({last})"
        f" OR import IN ({unfinished}) AND {IS_UNSENT}) AND {_is_free(animals)}",
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


def _is_worth_asking(animals: Animals, alike: int, records: int) -> bool:
    """Return whether so many alike records are enough of this file, or of an earlier one."""
    if is_many(alike, records):
        return True
    shares = animals.do(
        "SELECT count(*), (SELECT count(*) FROM records WHERE records.import = pairs.import)"
        " FROM temp.pairs GROUP BY import"
    )
    return any(is_many(found, size) for found, size in shares)
