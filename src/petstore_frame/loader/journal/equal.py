"""Rule 4 of identity: a record that equals an earlier one, and earlier versions of a file."""

from __future__ import annotations

from petstore_frame.loader.journal.rules import UNSENT, Rules, is_many
from petstore_frame.loader.journal.tables import is_live

WITHDRAWN = "withdrawn"


def withdraw_unsent(rules: Rules) -> None:
    """Withdraw what earlier versions of the file have not sent; it is sent as it reads now."""
    rules.make("withdrawn", "id INTEGER PRIMARY KEY, fingerprint")
    is_fix = rules.do("SELECT 1 FROM temp.origins LIMIT 1").fetchone() is not None
    if rules.run.place is None or rules.run.copy or is_fix:
        return
    versions = rules.do(
        "SELECT import FROM imports WHERE place = :place AND import <> :mine AND NOT copy AND"
        f" EXISTS (SELECT 1 FROM records WHERE records.import = imports.import AND {UNSENT})"
    ).fetchall()
    for (version,) in versions:
        if _recurs(rules, version):
            rules.do(
                "INSERT INTO temp.withdrawn SELECT id, fingerprint FROM records"
                f" WHERE import = :version AND {UNSENT}",
                version=version,
            )
    rules.do(
        f"UPDATE records SET state = 'skipped', reason = '{WITHDRAWN}' WHERE id IN"
        " (SELECT id FROM temp.withdrawn)"
    )


def _recurs(rules: Rules, version: int) -> bool:
    """Return whether a key, a record or a name of an earlier import is in this one."""
    marks = ["fingerprint", "name_of(payload)", *(["form_of(key)"] if rules.run.key else [])]
    rules.make("marks", "mark PRIMARY KEY")
    for mark in marks:
        rules.do(
            f"INSERT OR IGNORE INTO temp.marks SELECT {mark} FROM records"
            f" WHERE import = :version AND {mark} IS NOT NULL",
            version=version,
        )
    either = " OR ".join(f"{mark} IN temp.marks" for mark in marks)
    found = rules.do(f"SELECT 1 FROM records WHERE id >= :first AND ({either}) LIMIT 1")
    return found.fetchone() is not None


def link_withdrawn(rules: Rules) -> None:
    """Let what was withdrawn be the animal that is sent in its place, and list the rest."""
    rules.do(
        "UPDATE records SET animal = new.animal, known_by = 'equal' FROM ("
        " SELECT gone.id, mine.animal FROM (SELECT id, fingerprint, row_number() OVER"
        "   (PARTITION BY fingerprint ORDER BY id) AS n FROM temp.withdrawn) AS gone"
        f" JOIN (SELECT animal, fingerprint, row_number() OVER"
        "   (PARTITION BY fingerprint ORDER BY id) AS n FROM records"
        f"  WHERE id >= :first AND state = 'pending'"
        "    AND fingerprint IN (SELECT fingerprint FROM temp.withdrawn)"
        " ) AS mine USING (fingerprint, n)"
        f" WHERE NOT EXISTS (SELECT 1 FROM records AS old JOIN records AS live"
        f"   ON live.animal = old.animal AND {is_live('live')} WHERE old.id = gone.id)) AS new"
        " WHERE records.id = new.id"
    )
    gone = rules.do(
        "SELECT line FROM temp.withdrawn CROSS JOIN records USING (id) WHERE NOT EXISTS"
        f" (SELECT 1 FROM records AS live WHERE live.animal = records.animal"
        f" AND {is_live('live')})"
    )
    rules.note("withdrawn", gone)


def find_equal(rules: Rules) -> None:
    """Compare records with those of earlier imports, as multisets.

    Equal records are paired one to one: two earlier Lunas are no more than two of the new
    ones. With a key only records are compared that have no key of these columns.
    """
    others = "imports.import <> :mine" + " AND key_columns <> :columns" * bool(rules.run.key)
    if rules.run.copy or not rules.do(f"SELECT 1 FROM imports WHERE {others}").fetchone():
        return
    rules.do("CREATE INDEX IF NOT EXISTS by_fingerprint ON records(fingerprint)")
    records = rules.make(
        "new",
        "id INTEGER PRIMARY KEY, fingerprint, payload, name",
        "SELECT id, fingerprint, payload, NULL FROM records"
        " WHERE id >= :first AND state = 'pending' AND coalesce(known_by, 'record') = 'record'",
    )
    # The rows of one file are different animals, also once they are fixed.
    rules.make(
        "siblings",
        "import INTEGER PRIMARY KEY",
        "SELECT root.import FROM temp.origins CROSS JOIN records AS mine USING (id)"
        " JOIN records AS root ON root.id = mine.animal WHERE mine.known_by = 'record'"
        " UNION SELECT import FROM temp.origins"
        " JOIN imports ON imports.id GLOB origins.import_id || '*'",
    )
    rules.make(
        "earlier",
        "id INTEGER PRIMARY KEY, animal, import, fingerprint, payload, name",
        "SELECT old.id, animal, import, fingerprint, payload, NULL"
        " FROM (SELECT DISTINCT fingerprint FROM temp.new) CROSS JOIN records AS old"
        f" USING (fingerprint) JOIN imports USING (import) WHERE {is_live('old')} AND {others}"
        f" AND {_is_free(rules, 'old')}",
    )
    rules.make("pairs", "id INTEGER PRIMARY KEY, other UNIQUE, animal, import")
    equal = "AND fingerprint IN (SELECT fingerprint FROM temp.earlier)"
    _pair(rules, "payload", equal)
    _pair(rules, "fingerprint", equal)
    if not rules.run.key:
        _pair_names(rules)
    ((alike,),) = rules.do("SELECT count(*) FROM temp.pairs").fetchall()
    if rules.run.key and not _is_worth_asking(rules, alike, records):
        few = rules.do("SELECT line FROM temp.pairs JOIN records USING (id) ORDER BY id")
        rules.note("equal_few", few)
        return
    equal = "SELECT id, other, NULL AS pet FROM temp.pairs"
    if rules.answer("equal", equal, records) == "skip":
        rules.become("SELECT id, animal, 'equal' AS known_by FROM temp.pairs")


def _is_free(rules: Rules, old: str) -> str:
    """Return the condition that no record of this source is that animal by a better reason."""
    by_key = f"AND {old}.animal NOT IN (SELECT animal FROM keys WHERE columns = :columns)"
    return (
        # The row that an animal is named after is gone where its file was read anew.
        f"coalesce((SELECT import FROM records AS root WHERE root.id = {old}.animal), {old}.import)"
        " NOT IN temp.siblings AND"
        f" {old}.id < :first AND {old}.animal NOT IN (SELECT animal FROM records"
        f" WHERE id >= :first AND animal <> id) {by_key if rules.run.key else ''}"
    )


def _pair(rules: Rules, column: str, which: str = "") -> None:
    """Pair the records that are left, the first with the first of the same content."""
    numbered = f"{column}, row_number() OVER (PARTITION BY {column} ORDER BY id) AS n"
    rules.do(
        f"INSERT INTO temp.pairs SELECT mine.id, old.id, animal, import FROM"
        f" (SELECT id, {numbered} FROM temp.new WHERE {column} IS NOT NULL {which}"
        "   AND id NOT IN (SELECT id FROM temp.pairs)) AS mine"
        f" JOIN (SELECT id, animal, import, {numbered} FROM temp.earlier"
        "   WHERE id NOT IN (SELECT other FROM temp.pairs)) AS old"
        f" USING ({column}, n)"
    )


def _pair_names(rules: Rules) -> None:
    """Pair by name what the last file of this path has, where that comes back without a key."""
    last = rules.do(
        "SELECT max(import) FROM imports WHERE place = :place AND import <> :mine AND NOT copy"
    ).fetchone()[0]
    if last is None or rules.do("SELECT 1 FROM temp.origins").fetchone():
        return
    rules.do(
        "INSERT OR IGNORE INTO temp.earlier SELECT id, animal, import, fingerprint, payload,"
        f" NULL FROM records AS old"
        f" WHERE import = :last AND {is_live()} AND {_is_free(rules, 'old')}",
        last=last,
    )
    for table in ("new", "earlier"):
        rules.do(f"UPDATE temp.{table} SET name = name_of(payload)")
    rules.do("UPDATE temp.earlier SET name = NULL WHERE import <> :last", last=last)
    _pair(rules, "name")


def _is_worth_asking(rules: Rules, alike: int, records: int) -> bool:
    """Return whether so many alike records are enough of this file, or of an earlier one."""
    if is_many(alike, records):
        return True
    shares = rules.do(
        "SELECT count(*), (SELECT count(*) FROM records WHERE records.import = pairs.import)"
        " FROM temp.pairs GROUP BY import"
    )
    return any(is_many(found, size) for found, size in shares)
