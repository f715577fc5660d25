"""Rules 2 and 3 of identity: a row that names its record, and a key that names an animal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from itertools import combinations, groupby
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.animals import Animals, relation
from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.question import ALIKE_SHARE, LEAST_ALIKE
from petstore_frame.loader.record import Reason, RecordProblem

KEY_REPEATED, KEY_MISSING, SAME_ROW = "key_repeated", "key_missing", "same_row"
# A record with one of these problems may get another key when it is fixed.
KEY_PROBLEMS = f"('{KEY_REPEATED}', '{KEY_MISSING}')"
# Most keys are plain letters and digits, whose form the database finds by itself.
_FORM = """
CASE WHEN key GLOB '*[^0-9A-Za-z]*' THEN form_of(key)
  ELSE coalesce(nullif(ltrim(lower(key), '0'), ''), '0') END
"""


def find_fixed(animals: Animals) -> None:
    """Make rows of a fix file the records that they name.

    Raises:
        InputError: A row names a record that this journal does not know.
    """
    if not animals.has("SELECT 1 FROM temp.origins"):
        return
    animals.make(
        "named",
        "id INTEGER PRIMARY KEY, record_id, animal, key, may_change",
        "SELECT origins.id, old.id, old.animal, old.key,"
        f" coalesce(old.problem_code IN {KEY_PROBLEMS}, FALSE)"
        " FROM temp.origins CROSS JOIN records AS mine ON mine.id = origins.id"
        " JOIN imports ON imports.id GLOB origins.import_id || '*'"
        " JOIN records AS old ON old.import = imports.import AND old.record = origins.record"
        " GROUP BY origins.id HAVING count(DISTINCT old.id) = 1",
    )
    unknown = animals.do(
        "SELECT line, import_id, origins.record FROM temp.origins JOIN records USING (id)"
        " WHERE id NOT IN (SELECT id FROM temp.named) ORDER BY id LIMIT 1"
    ).fetchone()
    if unknown is not None:
        line, import_id, record = unknown
        raise InputError(
            f"this row is record {record} of the import {import_id}, which this journal does not "
            "know, so it may be in the store already; nothing was sent",
            line=line,
            hint="name the journal folder that the import was made with; or, if these are new "
            "animals, empty the column _pf_record",
        )
    copied = animals.do(
        "SELECT named.id, first.line FROM (SELECT id, min(id) OVER (PARTITION BY record_id) AS one"
        "  FROM temp.named) AS named JOIN records AS first ON first.id = one WHERE named.id > one"
    ).fetchall()
    for record_id, line in copied:
        what = f"this row and line {line} are the same record"
        hint = "remove one of the two, or empty _pf_record where it is another animal"
        animals.spoil(record_id, RecordProblem("record_repeated", what, hint=hint))
        animals.do("DELETE FROM temp.named WHERE id = :id", id=record_id)
    animals.do(
        "UPDATE records SET key = named.key FROM temp.named AS named"
        " WHERE records.id = named.id AND named.key IS NOT NULL AND NOT named.may_change"
    )
    animals.become("SELECT id, animal, 'record' AS known_by FROM temp.named")


def find_keys(animals: Animals) -> None:
    """List the keys of the file by their forms, and the forms that several rows have."""
    animals.make("same_row", "id INTEGER PRIMARY KEY, stands")
    animals.make(
        "keyed",
        "form TEXT, key TEXT, id INTEGER, PRIMARY KEY (form, key, id)) WITHOUT ROWID --",
        f"SELECT {_FORM} AS form, key, id FROM records WHERE id >= :first AND key IS NOT NULL"
        " ORDER BY form, key, id",
    )
    animals.make(
        "shared",
        "form PRIMARY KEY",
        "SELECT form FROM temp.keyed GROUP BY form HAVING count(*) > 1",
    )


class KeyedRow(NamedTuple):
    """One of several rows of a key."""

    key: str
    id: int
    line: int
    state: str
    payload: bytes | None
    cells: str | bytes
    rank: str | None
    notes: str | None

    @property
    def content(self) -> bytes | str:
        """All that is sent, or the cells of a row that cannot be."""
        return self.payload or self.cells


def one_record_per_key(animals: Animals) -> None:
    """Let one row of each key stand; rows that differ are to fix, unless ``keep`` says which.

    Rows that differ in name and category are never one animal. A row that the user leaves out by
    its line is none of them.
    """
    animals.make(
        "repeated",
        ", ".join(KeyedRow._fields),
        "SELECT keyed.key, records.id, line, state, payload, cells, rank, notes FROM"
        " (SELECT form, key FROM temp.shared CROSS JOIN temp.keyed USING (form)"
        "   GROUP BY form, key HAVING count(*) > 1)"
        " CROSS JOIN temp.keyed AS keyed USING (form, key) CROSS JOIN records USING (id)"
        " LEFT JOIN temp.ranks AS ranks USING (id)"
        f" WHERE NOT (state = 'skipped' AND reason IS '{Reason.LEFT_OUT}')"
        " ORDER BY form, keyed.key, records.id",
    )
    repeated = map(KeyedRow._make, animals.do("SELECT * FROM temp.repeated"))
    for _, found in groupby(repeated, lambda row: row.key):
        rows = list(found)
        stands = row_that_stands(rows, animals.run.keep)
        for row in rows:
            if isinstance(stands, RecordProblem):
                if row.state == "pending":
                    animals.spoil(row.id, stands)
            elif row is not stands and row.state in ("pending", "invalid"):
                animals.do("INSERT INTO temp.same_row VALUES (:id, :to)", id=row.id, to=stands.id)
    _skip_same_rows(animals)


def row_that_stands(rows: Sequence[KeyedRow], keep: str | None) -> KeyedRow | RecordProblem:
    """Return the row of a key that stands, or why none does."""
    key = rows[0].key
    if len(rows) > 1 and key.startswith("[") and "" in json.loads(key):
        what = "a part of the key is empty, and the rest names several rows"
        return RecordProblem(KEY_MISSING, what, value=key, hint="fill it in")
    if len({row.content for row in rows}) == 1:
        return rows[0]
    lines = [str(row.line) for row in rows]
    shown = ", ".join(lines[:5]) + (", …" if len(lines) > 5 else "")
    what = f"rows of this key differ, in the lines {shown}"
    bodies = {row.payload: row for row in rows if row.payload is not None}.values()
    for one, other in combinations(bodies, 2):
        if relation(one.payload, one.notes, other.payload, other.notes) == 3:
            hint = "they have other names and categories: give each animal a key of its own"
            return RecordProblem(KEY_REPEATED, what, hint=hint)
    if keep in ("first", "last"):
        return rows[0] if keep == "first" else rows[-1]
    if keep is None:
        hint = "leave one of these rows, or say which one counts"
        return RecordProblem(KEY_REPEATED, what, hint=hint, add=("keep", "?"))
    newest = max(row.rank or "" for row in rows)
    best = [row for row in rows if row.rank == newest]
    unclear = [row for row in rows if not row.rank]
    if len({row.content for row in best}) > 1:
        unclear = sorted({*unclear, *best}, key=lambda row: row.id)
    if not unclear:
        return best[0]
    hint = "which of them is the newest is not clear; leave the row that counts"
    return RecordProblem(KEY_REPEATED, what, hint=hint)


def _skip_same_rows(animals: Animals) -> None:
    animals.do(
        f"UPDATE records SET state = 'skipped', reason = '{SAME_ROW}', problem = NULL,"
        " problem_code = NULL, known_by = 'key'"
        " WHERE id IN (SELECT id FROM temp.same_row) AND state <> 'skipped'"
    )


def read_kept(sql: sqlite3.Connection) -> list[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Return line and cells of the rows that stand for another, and the cells of that one.

    Rows that are equal in all that is sent are left out.
    """
    found = sql.execute(
        "SELECT one.line, one.cells, mine.cells FROM temp.same_row"
        " JOIN records AS mine USING (id) JOIN records AS one ON one.id = same_row.stands"
        " WHERE mine.payload IS NOT one.payload"
    )
    return [(line, read_cells(stands), read_cells(other)) for line, stands, other in found]


def known_keys(animals: Animals) -> None:
    """Skip the records of known keys; ask where such a record is clearly another animal.

    Of several animals of one key a row is the one that has its name and category, else the only
    one that has its name; else it asks. An animal of a similar key is one of them where the row
    has both, as somebody said before that these keys name several.
    """
    if animals.run.copy:
        return
    animals.make(
        "known",
        "id INTEGER PRIMARY KEY, animal, live, relation",
        "SELECT id, animal, live, CASE WHEN relation = 0 OR animals = 1"
        "   OR relation = 1 AND named = 1 THEN relation ELSE 3 END"
        " FROM (SELECT *, count(*) OVER (PARTITION BY id) AS animals,"
        "   sum(relation = 1) OVER (PARTITION BY id) AS named,"
        "   row_number() OVER"
        "    (PARTITION BY id ORDER BY min(relation, 2), is_similar, live IS NULL, animal) AS place"
        "  FROM (SELECT mine.id, keys.animal, live.id AS live,"
        "    keys.key <> keyed.key AS is_similar, CASE WHEN live.id IS NULL"
        "    OR live.fingerprint IS mine.fingerprint OR mine.payload IS NULL THEN 0"
        "    ELSE relation(mine.payload, mine.notes, live.payload, live.notes) END AS relation"
        "   FROM temp.keyed CROSS JOIN keys"
        "    ON keys.columns = :columns AND keys.form = keyed.form"
        "   CROSS JOIN records AS mine ON mine.id = keyed.id"
        f"  LEFT JOIN records AS live ON live.animal = keys.animal AND {is_live('live')}"
        "   WHERE (keys.key = keyed.key OR live.fingerprint = mine.fingerprint"
        "     AND EXISTS (SELECT 1 FROM keys AS own WHERE own.columns = :columns"
        "      AND own.form = keyed.form AND own.key = keyed.key))"
        "    AND NOT EXISTS (SELECT 1 FROM keys AS own WHERE own.columns = :columns"
        "     AND own.form = keyed.form AND own.key = keyed.key AND own.animal = mine.animal)"
        "    AND mine.id NOT IN (SELECT id FROM temp.same_row)))"
        " WHERE place = 1",
    )
    known, renamed = (
        animals.count(f"live IS NOT NULL {which}", "temp.known")
        for which in ("", "AND relation = 2")
    )
    is_reused = renamed >= LEAST_ALIKE and renamed >= ALIKE_SHARE * known
    reused = "SELECT id, live AS other, NULL AS pet FROM temp.known WHERE relation >= :least"
    if animals.ask("reused_key", reused, known, least=2 if is_reused else 3) == "send":
        animals.do(
            "DELETE FROM temp.known WHERE id IN"
            " (SELECT id FROM temp.cases WHERE name = 'reused_key')"
        )
    animals.become("SELECT id, animal, 'key' AS known_by FROM temp.known")


def similar_keys(animals: Animals) -> None:
    """Ask about new keys that differ from others only in what spreadsheets change."""
    animals.make("similar", "id INTEGER PRIMARY KEY, other, animal, stands")
    # A row that is invalid for another reason has its key, too.
    is_open = (
        "mine.state IN ('pending', 'invalid') AND mine.known_by IS NOT 'user'"
        f" AND coalesce(mine.problem_code, '') NOT IN {KEY_PROBLEMS}"
    )
    if not animals.run.copy:
        animals.do(
            "INSERT INTO temp.similar SELECT mine.id, max(live.id), max(keys.animal), NULL"
            " FROM temp.keyed CROSS JOIN keys ON keys.columns = :columns"
            "  AND keys.form = keyed.form AND keys.key <> keyed.key"
            " CROSS JOIN records AS mine ON mine.id = keyed.id AND keys.animal <> mine.animal"
            f" LEFT JOIN records AS live ON live.animal = keys.animal AND {is_live('live')}"
            f" WHERE {is_open} AND NOT EXISTS (SELECT 1 FROM keys AS own"
            "   WHERE own.columns = :columns AND own.form = keyed.form AND own.key = keyed.key)"
            " GROUP BY mine.id"
        )
    # Of several keys of one form in the file, the first row stands for the others.
    animals.do(
        "INSERT OR IGNORE INTO temp.similar SELECT mine.id, one.id, NULL, one.id"
        " FROM (SELECT form, min(id) AS id FROM temp.shared CROSS JOIN temp.keyed USING (form)"
        "   CROSS JOIN records USING (id) WHERE state = 'pending'"
        "   GROUP BY form HAVING count(DISTINCT keyed.key) > 1) AS one"
        " CROSS JOIN temp.keyed USING (form) CROSS JOIN records AS mine ON mine.id = keyed.id"
        " WHERE mine.state = 'pending' AND mine.known_by IS NULL AND mine.id > one.id"
    )
    similar = "SELECT id, other, NULL AS pet FROM temp.similar"
    if animals.ask("similar_key", similar, animals.count(table="temp.keyed")) != "skip":
        return
    animals.become("SELECT id, animal, 'key' AS known_by FROM temp.similar WHERE stands IS NULL")
    animals.do(
        "UPDATE temp.same_row SET stands = similar.stands FROM temp.similar"
        " WHERE same_row.stands = similar.id AND similar.stands IS NOT NULL"
    )
    animals.do(
        "INSERT INTO temp.same_row SELECT id, stands FROM temp.similar WHERE stands IS NOT NULL"
    )
    _skip_same_rows(animals)


def claim_keys(animals: Animals) -> None:
    """Give each key its animal, and what was skipped for another row that row's animal."""
    animals.do(
        "UPDATE records SET animal = stands.animal,"
        " known_by = coalesce(stands.known_by, 'key')"
        " FROM temp.same_row JOIN records AS stands ON stands.id = same_row.stands"
        " WHERE records.id = same_row.id"
    )
    if animals.run.copy:
        return
    # A row that is left out has no animal that its key could name beside the right one.
    animals.make(
        "other",
        "id INTEGER PRIMARY KEY, animal, names_none",
        f"SELECT id, animal, coalesce(problem_code, '') IN {KEY_PROBLEMS}"
        f"  OR known_by IS NULL AND state = 'skipped' AND reason IS '{Reason.LEFT_OUT}'"
        " FROM records WHERE id >= :first"
        f" AND (animal <> id OR problem_code IS NOT NULL OR reason IS '{Reason.LEFT_OUT}')",
    )
    animals.do(
        "INSERT OR IGNORE INTO keys"
        " SELECT :columns, form, key, coalesce(other.animal, keyed.id)"
        " FROM temp.keyed LEFT JOIN temp.other USING (id)"
        " WHERE names_none IS NOT 1 ORDER BY form, key"
    )
