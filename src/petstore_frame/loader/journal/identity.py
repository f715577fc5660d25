"""Which animal each staged record is: the rules of identity, in their order.

1. The same records are the same import (``staging.py``): what it sent stays, the rest is read anew.
2. A row of a fix file is the record that it names, and keeps that record's key.
3. A key names an animal: rows of one key in one file are one animal, and a known key is its animal.
4. Without a key, a record equal to an earlier one in all but the status may be the same animal.
5. The store is asked, too (``store_pets.py``): a pet that this journal did not make may be it.

A record that is an animal with a live record is skipped, or takes its place where that one was not
sent yet. Where likeness is all there is, nothing is decided: a case is noted, and the answer of the
user, or the one to be tried, says whether its records are the same animals or others.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.keys import form_of
from petstore_frame.loader.journal.rows import pack_problem
from petstore_frame.loader.journal.staging import LEFT_OUT, Staged
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.text import likeness

KEY_REPEATED, KEY_MISSING, SAME_ROW = "key_repeated", "key_missing", "same_row"
# A record with one of these problems may get another key when it is fixed.
KEY_PROBLEMS = f"('{KEY_REPEATED}', '{KEY_MISSING}')"
WITHDRAWN, SUPERSEDED = "withdrawn", "superseded"
# The note of a record whose name is not of its file.
DEFAULT_NAME = "default_name"
# From so many alike records on, and from such a share of either side, likeness is worth a question.
LEAST_ALIKE, ALIKE_SHARE = 3, 0.25
_UNSENT = "state = 'pending' AND NOT is_in_doubt"


@dataclass
class Found:
    """What the rules found in one source.

    Attributes:
        cases: How many records each case concerns, of how many that were compared.
        facts: What the user is told besides, as values.
    """

    cases: dict[str, tuple[int, int]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


class Rules:
    """Gives staged records their animals.

    Args:
        sql: A connection within a transaction.
        staged: The records.
        answers: What the user said, by case: ``skip`` (the same animals) or ``send`` (others).
        otherwise: What is tried where the user has said nothing.
        pause: Called between the rules; what it raises ends them.
    """

    def __init__(
        self,
        sql: sqlite3.Connection,
        staged: Staged,
        answers: Mapping[str, str],
        otherwise: str,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.sql, self.staged, self.answers, self.otherwise = sql, staged, answers, otherwise
        self.run, self.found, self._pause = staged.run, Found(), pause
        self.has_seen_store = False
        self._facts = {
            "first": staged.first,
            "mine": staged.run.number,
            "place": staged.run.place,
            "columns": staged.key_columns,
        }
        sql.create_function("form_of", 1, form_of, deterministic=True)
        sql.create_function("name_of", 1, name_of, deterministic=True)
        sql.create_function("relation", 4, relation, deterministic=True)

    def apply_known(self) -> None:
        """Apply the rules 2 and 3, and what follows from rule 1."""
        self.make("cases", "name, id, other, pet, PRIMARY KEY (name, id)")
        self.make("same_row", "id INTEGER PRIMARY KEY, stands")
        self.make("pets", "pet INTEGER PRIMARY KEY, name, body, fingerprint, is_ours, is_seen")
        steps = [self._keep_what_was_said, self._find_fixed]
        if self.run.key:
            steps.append(self._find_keys)
        steps.append(self._take_over_unsent)
        if self.run.key:
            steps += [self._one_record_per_key, self._known_keys, self._similar_keys]
        steps.append(self._leave_out)
        for step in steps:
            self._pause()
            step()

    def finish(self) -> None:
        """Give each key its animal, and what was skipped for another row that row's animal."""
        if self.run.key:
            self.do(
                "UPDATE records SET animal = stands.animal,"
                " known_by = coalesce(stands.known_by, 'key')"
                " FROM temp.same_row JOIN records AS stands ON stands.id = same_row.stands"
                " WHERE records.id = same_row.id"
            )
        if self.run.key and not self.run.copy:
            self.make(
                "other",
                "id INTEGER PRIMARY KEY, animal, problem_code",
                "SELECT id, animal, problem_code FROM records"
                " WHERE id >= :first AND (animal <> id OR problem_code IS NOT NULL)",
            )
            self.do(
                "INSERT OR IGNORE INTO keys"
                " SELECT :columns, form, key, coalesce(other.animal, keyed.id)"
                " FROM temp.keyed LEFT JOIN temp.other USING (id)"
                f" WHERE coalesce(problem_code, '') NOT IN {KEY_PROBLEMS} ORDER BY form, key"
            )
        self._link_withdrawn()

    def count_to_send(self) -> int:
        """Return how many records of the import are to be sent."""
        ((records,),) = self.do(
            f"SELECT count(*) FROM records WHERE import = :mine AND {_UNSENT}"
        ).fetchall()
        return int(records)

    def do(self, statement: str, **more: Any) -> sqlite3.Cursor:
        """Run a statement that knows the staged records."""
        return self.sql.execute(statement, self._facts | more)

    def make(self, table: str, columns: str, select: str = "", **more: Any) -> int:
        """Make a temporary table anew, and return how many rows it has."""
        self.sql.execute(f"DROP TABLE IF EXISTS temp.{table}")
        self.sql.execute(f"CREATE TEMP TABLE {table} ({columns})")
        return self.do(f"INSERT INTO temp.{table} {select}", **more).rowcount if select else 0

    # -- an animal has one life ------------------------------------------------------------------

    def become(self, select: str, **more: Any) -> None:
        """Make records the animals of a selection (id, animal, known_by).

        Of several records of one animal only the first may live; it takes the place of a record
        of an earlier load that was not sent yet.
        """
        self.make(
            "becoming",
            "id INTEGER PRIMARY KEY, animal, known_by, n",
            "SELECT id, animal, known_by,"
            " row_number() OVER (PARTITION BY animal, state ORDER BY id)"
            f" FROM (SELECT new.*, state FROM ({select}) AS new JOIN records USING (id))",
            **more,
        )
        self.do(
            f"UPDATE records SET state = 'skipped', reason = '{SUPERSEDED}', known_by = 'key'"
            " WHERE id IN (SELECT live.id FROM temp.becoming AS new"
            "  CROSS JOIN records AS mine ON mine.id = new.id AND mine.state = 'pending'"
            f" CROSS JOIN records AS live ON live.animal = new.animal AND {is_live('live')}"
            f" AND live.{_UNSENT.replace('is_in', 'live.is_in')} AND live.id < :first)"
        )
        is_taken = (
            "(n > 1 AND state = 'pending' OR EXISTS (SELECT 1 FROM records AS live"
            f" WHERE live.animal = new.animal AND {is_live('live')} AND live.id <> new.id))"
        )
        # What was known as invalid may be known now: an animal that was fixed once stays so.
        self.do(
            "UPDATE records SET animal = new.animal, known_by = new.known_by,"
            f" state = CASE WHEN {is_taken} THEN 'skipped' ELSE state END,"
            f" problem = CASE WHEN {is_taken} THEN NULL ELSE problem END,"
            f" problem_code = CASE WHEN {is_taken} THEN NULL ELSE problem_code END"
            " FROM temp.becoming AS new WHERE records.id = new.id"
        )

    def answer(self, case: str, select: str, of: int, **more: Any) -> str:
        """Note the records of a case: a selection (id, other record, pet); return the answer."""
        records = self.do(
            f"INSERT OR IGNORE INTO temp.cases SELECT :case, id, other, pet FROM ({select})",
            case=case,
            **more,
        ).rowcount
        if not records:
            return ""
        self.found.cases[case] = (records, of)
        answer = self.answers.get(case, self.otherwise)
        if answer == "send":
            self.do(
                "UPDATE records SET known_by = 'user' WHERE id IN"
                " (SELECT id FROM temp.cases WHERE name = :case)",
                case=case,
            )
        return answer

    # -- 1. the same records are the same import ---------------------------------------------------

    def _keep_what_was_said(self) -> None:
        """Let records that are read anew be the animals that they were."""
        if self.staged.is_new:
            return
        words = ", ".join(
            f"'{by}'"
            for case, by in (("equal", "equal"), ("own_pets", "store"))
            if self.answers.get(case) != "send"
        )
        self.become(
            "SELECT id, animal, known_by FROM temp.again WHERE NOT stays AND ("
            " known_by IS NULL OR known_by IN ('record', 'user') OR is_same AND state = 'skipped'"
            f" AND known_by IN ({words}) AND EXISTS (SELECT 1 FROM records AS live"
            f"  WHERE live.animal = again.animal AND {is_live('live')}))"
        )

    # -- 2. a fix row is its record ---------------------------------------------------------------

    def _find_fixed(self) -> None:
        """Make rows of a fix file the records that they name.

        Raises:
            InputError: A row names a record that this journal does not know.
        """
        if self.do("SELECT 1 FROM temp.origins LIMIT 1").fetchone() is None:
            return
        self.make(
            "named",
            "id INTEGER PRIMARY KEY, record_id, animal, key, may_change",
            "SELECT origins.id, old.id, old.animal, old.key,"
            f" coalesce(old.problem_code IN {KEY_PROBLEMS}, FALSE)"
            " FROM temp.origins CROSS JOIN records AS mine ON mine.id = origins.id"
            " JOIN imports ON imports.id GLOB origins.import_id || '*'"
            " JOIN records AS old ON old.import = imports.import AND old.record = origins.record"
            " GROUP BY origins.id HAVING count(DISTINCT old.id) = 1",
        )
        unknown = self.do(
            "SELECT line, import_id, origins.record FROM temp.origins JOIN records USING (id)"
            " WHERE id NOT IN (SELECT id FROM temp.named) ORDER BY id LIMIT 1"
        ).fetchone()
        if unknown is not None:
            raise _unknown_record(*unknown)
        copied = self.do(
            "SELECT mine.id, first.line FROM temp.named AS named JOIN records AS mine USING (id)"
            " JOIN (SELECT record_id, min(id) AS id FROM temp.named GROUP BY 1) AS one"
            "  USING (record_id) JOIN records AS first ON first.id = one.id WHERE mine.id > one.id"
        ).fetchall()
        for record_id, line in copied:
            what = f"this row and line {line} are the same record"
            hint = "remove one of the two, or empty _pf_record where it is another animal"
            self._spoil(record_id, RecordProblem("record_repeated", what, hint=hint))
            self.do("DELETE FROM temp.named WHERE id = :id", id=record_id)
        self.do(
            "UPDATE records SET key = named.key FROM temp.named AS named"
            " WHERE records.id = named.id AND named.key IS NOT NULL AND NOT named.may_change"
        )
        self.become("SELECT id, animal, 'record' AS known_by FROM temp.named")

    def _spoil(self, record_id: int, problem: RecordProblem) -> None:
        self.do(
            "UPDATE records SET state = 'invalid', problem = :text, problem_code = :code"
            " WHERE id = :id AND state IN ('pending', 'invalid')",
            id=record_id,
            text=pack_problem(problem),
            code=problem.code,
        )

    # -- what an earlier version of the file has not sent -----------------------------------------

    def _take_over_unsent(self) -> None:
        """Withdraw what earlier versions of the file have not sent; it is sent as it reads now."""
        self.make("withdrawn", "id INTEGER PRIMARY KEY, fingerprint")
        is_fix = self.do("SELECT 1 FROM temp.origins LIMIT 1").fetchone() is not None
        if self.run.place is None or self.run.copy or is_fix:
            return
        versions = self.do(
            "SELECT import FROM imports WHERE place = :place AND import <> :mine AND NOT copy AND"
            f" EXISTS (SELECT 1 FROM records WHERE records.import = imports.import AND {_UNSENT})"
        ).fetchall()
        for (version,) in versions:
            if self._recurs(version):
                self.do(
                    "INSERT INTO temp.withdrawn SELECT id, fingerprint FROM records"
                    f" WHERE import = :version AND {_UNSENT}",
                    version=version,
                )
        self.do(
            f"UPDATE records SET state = 'skipped', reason = '{WITHDRAWN}' WHERE id IN"
            " (SELECT id FROM temp.withdrawn)"
        )

    def _recurs(self, version: int) -> bool:
        """Return whether a key, a record or a name of an earlier import is in this one."""
        marks = ["fingerprint", "name_of(payload)", *(["form_of(key)"] if self.run.key else [])]
        self.make("marks", "mark PRIMARY KEY")
        for mark in marks:
            self.do(
                f"INSERT OR IGNORE INTO temp.marks SELECT {mark} FROM records"
                f" WHERE import = :version AND {mark} IS NOT NULL",
                version=version,
            )
        either = " OR ".join(f"{mark} IN temp.marks" for mark in marks)
        found = self.do(f"SELECT 1 FROM records WHERE id >= :first AND ({either}) LIMIT 1")
        return found.fetchone() is not None

    def _link_withdrawn(self) -> None:
        """Let what was withdrawn be the animal that is sent in its place, and list the rest."""
        self.do(
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
        gone = self.do(
            "SELECT line FROM temp.withdrawn CROSS JOIN records USING (id) WHERE NOT EXISTS"
            f" (SELECT 1 FROM records AS live WHERE live.animal = records.animal AND {is_live('live')})"
        )
        self.note("withdrawn", gone)

    # -- 3. a key names an animal -----------------------------------------------------------------

    def _find_keys(self) -> None:
        self.make(
            "keyed",
            "form TEXT, key TEXT, id INTEGER, PRIMARY KEY (form, key, id)) WITHOUT ROWID --",
        )
        self.do(
            "INSERT INTO temp.keyed SELECT form_of(key) AS form, key, id FROM records"
            " WHERE id >= :first AND key IS NOT NULL ORDER BY form, key, id"
        )

    def _one_record_per_key(self) -> None:
        """Let one row of each key stand; rows that differ are to fix, unless ``keep`` says which.

        Rows that differ in name and category are never one animal.
        """
        self.make(
            "repeated",
            "key, id, line, state, payload, cells, rank, notes",
            "SELECT keyed.key, records.id, line, state, payload, cells, rank, notes FROM"
            " (SELECT form, key FROM temp.keyed GROUP BY form, key HAVING count(*) > 1)"
            " CROSS JOIN temp.keyed AS keyed USING (form, key) CROSS JOIN records USING (id)"
            " LEFT JOIN temp.ranks AS ranks USING (id) ORDER BY form, keyed.key, records.id",
        )
        repeated = self.do("SELECT * FROM temp.repeated")
        for key, rows in groupby(repeated, itemgetter(0)):
            self._judge_rows(key, [_Row(*row[1:]) for row in rows])

    def _judge_rows(self, key: str, rows: Sequence[_Row]) -> None:
        """Choose the row of a key that stands."""
        stands = _standing(rows, self.run.keep)
        if key.startswith("[") and "" in json.loads(key):
            what = "a part of the key is empty, and the rest names several rows"
            stands = RecordProblem(KEY_MISSING, what, value=key, hint="fill it in")
        if isinstance(stands, RecordProblem):
            for row in rows:
                if row.state == "pending":
                    self._spoil(row.id, stands)
            return
        for row in rows:
            if row is not stands and row.state in ("pending", "invalid"):
                self.do("INSERT INTO temp.same_row VALUES (:id, :to)", id=row.id, to=stands.id)
                self.do(
                    "UPDATE records SET state = 'skipped', reason = :why, problem = NULL,"
                    " problem_code = NULL, known_by = 'key', notes = coalesce(notes || char(10),"
                    " '') || :line WHERE id = :id",
                    why=SAME_ROW,
                    line=f"same_line:{stands.line}",
                    id=row.id,
                )

    def _known_keys(self) -> None:
        """Skip the records of known keys; ask where such a record is clearly another animal."""
        if self.run.copy:
            return
        self.make(
            "known",
            "id, animal, live, relation, PRIMARY KEY (id, animal)",
            "SELECT mine.id, keys.animal, live.id, CASE WHEN live.id IS NULL"
            "  OR live.fingerprint IS mine.fingerprint OR mine.payload IS NULL THEN 0"
            "  ELSE relation(mine.payload, mine.notes, live.payload, live.notes) END"
            " FROM temp.keyed CROSS JOIN keys"
            "  ON keys.columns = :columns AND keys.form = keyed.form AND keys.key = keyed.key"
            " CROSS JOIN records AS mine ON mine.id = keyed.id"
            f" LEFT JOIN records AS live ON live.animal = keys.animal AND {is_live('live')}"
            " WHERE NOT EXISTS (SELECT 1 FROM keys AS own WHERE own.columns = :columns"
            "  AND own.form = keyed.form AND own.key = keyed.key AND own.animal = mine.animal)"
            " AND mine.id NOT IN (SELECT id FROM temp.same_row)",
        )
        self._choose_among_known()
        known, renamed = self.do(
            "SELECT count(*), coalesce(sum(relation = 2), 0) FROM temp.known WHERE live IS NOT NULL"
        ).fetchone()
        is_reused = renamed >= LEAST_ALIKE and renamed >= ALIKE_SHARE * known
        reused = "SELECT id, live AS other, NULL AS pet FROM temp.known WHERE relation >= :least"
        if self.answer("reused_key", reused, known, least=2 if is_reused else 3) == "send":
            self.do(
                "DELETE FROM temp.known WHERE id IN"
                " (SELECT id FROM temp.cases WHERE name = 'reused_key')"
            )
        self.become("SELECT id, animal, 'key' AS known_by FROM temp.known")

    def _choose_among_known(self) -> None:
        """Of several animals of one key, a row is the one that has its name and category, else the
        only one that has its name; else it asks."""
        several = self.do(
            "SELECT id, animal, relation FROM temp.known WHERE id IN"
            " (SELECT id FROM temp.known GROUP BY id HAVING count(*) > 1) ORDER BY id, animal"
        ).fetchall()
        for record_id, rows in groupby(several, itemgetter(0)):
            found = [(relation, animal) for _, animal, relation in rows]
            equal = [animal for relation, animal in found if relation == 0]
            named = [animal for relation, animal in found if relation == 1]
            chosen = equal[:1] or (named if len(named) == 1 else [])
            self.do(
                "DELETE FROM temp.known WHERE id = :id AND animal <> :animal",
                id=record_id,
                animal=(chosen or [found[0][1]])[0],
            )
            if not chosen:
                self.do("UPDATE temp.known SET relation = 3 WHERE id = :id", id=record_id)

    def _similar_keys(self) -> None:
        """Ask about new keys that differ from others only in what spreadsheets change."""
        self.make("similar", "id INTEGER PRIMARY KEY, other, animal, stands")
        is_open = "mine.state = 'pending' AND mine.known_by IS NOT 'user'"
        if not self.run.copy:
            self.do(
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
        self.do(
            "INSERT OR IGNORE INTO temp.similar SELECT mine.id, one.id, NULL, one.id"
            " FROM (SELECT form, min(id) AS id FROM (SELECT form FROM temp.keyed GROUP BY form"
            "   HAVING min(key) <> max(key)) CROSS JOIN temp.keyed USING (form)"
            "   CROSS JOIN records USING (id) WHERE state = 'pending'"
            "   GROUP BY form HAVING count(DISTINCT keyed.key) > 1) AS one"
            " CROSS JOIN temp.keyed USING (form) CROSS JOIN records AS mine ON mine.id = keyed.id"
            f" WHERE {is_open} AND mine.known_by IS NULL AND mine.id > one.id"
        )
        ((compared,),) = self.do("SELECT count(*) FROM temp.keyed").fetchall()
        similar = "SELECT id, other, NULL AS pet FROM temp.similar"
        if self.answer("similar_key", similar, compared) != "skip":
            return
        self.become("SELECT id, animal, 'key' AS known_by FROM temp.similar WHERE stands IS NULL")
        self.do(
            "UPDATE temp.same_row SET stands = similar.stands FROM temp.similar"
            " WHERE same_row.stands = similar.id AND similar.stands IS NOT NULL"
        )
        self.do(
            "INSERT INTO temp.same_row SELECT id, stands FROM temp.similar WHERE stands IS NOT NULL"
        )
        self.do(
            f"UPDATE records SET state = 'skipped', reason = '{SAME_ROW}', known_by = 'key'"
            " WHERE id IN (SELECT id FROM temp.similar WHERE stands IS NOT NULL)"
        )

    def _leave_out(self) -> None:
        """Skip what the user does not want to be sent, once it is known which rows stand."""
        self.do(
            "UPDATE records SET state = 'skipped', problem = NULL, problem_code = NULL"
            f" WHERE id >= :first AND reason = '{LEFT_OUT}' AND state IN ('pending', 'invalid')"
        )

    # -- 4. without a key, an equal record may be the same animal ---------------------------------

    def find_equal(self) -> None:
        """Compare records with those of earlier imports, as multisets.

        Equal records are paired one to one: two earlier Lunas are no more than two of the new
        ones. With a key only records are compared that have no key of these columns.
        """
        others = "imports.import <> :mine" + " AND key_columns <> :columns" * bool(self.run.key)
        if self.run.copy or not self.do(f"SELECT 1 FROM imports WHERE {others}").fetchone():
            return
        self.do("CREATE INDEX IF NOT EXISTS by_fingerprint ON records(fingerprint)")
        records = self.make(
            "new",
            "id INTEGER PRIMARY KEY, fingerprint, payload, name",
            "SELECT id, fingerprint, payload, NULL FROM records"
            " WHERE id >= :first AND state = 'pending' AND coalesce(known_by, 'record') = 'record'",
        )
        # The rows of one file are different animals, also once they are fixed.
        self.make(
            "siblings",
            "import INTEGER PRIMARY KEY",
            "SELECT DISTINCT root.import FROM temp.origins CROSS JOIN records AS mine USING (id)"
            " JOIN records AS root ON root.id = mine.animal WHERE mine.known_by = 'record'",
        )
        self.make(
            "earlier",
            "id INTEGER PRIMARY KEY, animal, import, fingerprint, payload, name",
            "SELECT old.id, animal, import, fingerprint, payload, NULL"
            " FROM (SELECT DISTINCT fingerprint FROM temp.new) CROSS JOIN records AS old"
            f" USING (fingerprint) JOIN imports USING (import) WHERE {is_live('old')} AND {others}"
            f" AND {self._is_free('old')}",
        )
        self.make("pairs", "id INTEGER PRIMARY KEY, other UNIQUE, animal, import")
        equal = "AND fingerprint IN (SELECT fingerprint FROM temp.earlier)"
        self._pair("payload", equal)
        self._pair("fingerprint", equal)
        if not self.run.key:
            self._pair_names()
        ((alike,),) = self.do("SELECT count(*) FROM temp.pairs").fetchall()
        if self.run.key and not self._is_worth_asking(alike, records):
            few = self.do("SELECT line FROM temp.pairs JOIN records USING (id) ORDER BY id")
            self.note("equal_few", few)
            return
        equal = "SELECT id, other, NULL AS pet FROM temp.pairs"
        if self.answer("equal", equal, records) == "skip":
            self.become("SELECT id, animal, 'equal' AS known_by FROM temp.pairs")

    def _is_free(self, old: str) -> str:
        """Return the condition that no record of this source is that animal by a better reason."""
        by_key = f"AND {old}.animal NOT IN (SELECT animal FROM keys WHERE columns = :columns)"
        return (
            f"(SELECT import FROM records AS root WHERE root.id = {old}.animal)"
            " NOT IN temp.siblings AND"
            f" {old}.id < :first AND {old}.animal NOT IN (SELECT animal FROM records"
            f" WHERE id >= :first AND animal <> id) {by_key if self.run.key else ''}"
        )

    def _pair(self, column: str, which: str = "") -> None:
        """Pair the records that are left, the first with the first of the same content."""
        numbered = f"{column}, row_number() OVER (PARTITION BY {column} ORDER BY id) AS n"
        self.do(
            f"INSERT INTO temp.pairs SELECT mine.id, old.id, animal, import FROM"
            f" (SELECT id, {numbered} FROM temp.new WHERE {column} IS NOT NULL {which}"
            "   AND id NOT IN (SELECT id FROM temp.pairs)) AS mine"
            f" JOIN (SELECT id, animal, import, {numbered} FROM temp.earlier"
            "   WHERE id NOT IN (SELECT other FROM temp.pairs)) AS old"
            f" USING ({column}, n)"
        )

    def _pair_names(self) -> None:
        """Pair by name what the last file of this path has, where that comes back without a key."""
        last = self.do(
            "SELECT max(import) FROM imports WHERE place = :place AND import <> :mine AND NOT copy"
        ).fetchone()[0]
        if last is None or self.do("SELECT 1 FROM temp.origins").fetchone():
            return
        self.do(
            "INSERT OR IGNORE INTO temp.earlier SELECT id, animal, import, fingerprint, payload,"
            f" NULL FROM records AS old"
            f" WHERE import = :last AND {is_live()} AND {self._is_free('old')}",
            last=last,
        )
        for table in ("new", "earlier"):
            self.do(f"UPDATE temp.{table} SET name = name_of(payload)")
        self.do("UPDATE temp.earlier SET name = NULL WHERE import <> :last", last=last)
        self._pair("name")

    def _is_worth_asking(self, alike: int, records: int) -> bool:
        """Return whether so many alike records are enough of this file, or of an earlier one."""
        if is_many(alike, records):
            return True
        shares = self.do(
            "SELECT count(*), (SELECT count(*) FROM records WHERE records.import = pairs.import)"
            " FROM temp.pairs GROUP BY import"
        )
        return any(is_many(found, size) for found, size in shares)

    def note(self, name: str, lines: sqlite3.Cursor) -> None:
        """Note the lines of records that the user is told of, and not asked about."""
        found = [line for (line,) in lines]
        if found:
            self.found.facts[name] = found


def is_many(alike: int, of: int) -> bool:
    """Return whether so many alike are at least three, or all of them, and a quarter.

    Example:
        >>> is_many(3, 12), is_many(3, 13), is_many(2, 2), is_many(2, 8)
        (True, False, True, False)
    """
    return alike >= min(LEAST_ALIKE, of) and 0 < ALIKE_SHARE * of <= alike


@dataclass(frozen=True)
class _Row:
    """One of several rows of a key."""

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


def _standing(rows: Sequence[_Row], keep: str | None) -> _Row | RecordProblem:
    """Return the row of a key that stands, or why none does."""
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
        hint = "leave one of these rows, or say which row stands: {}"
        return RecordProblem(KEY_REPEATED, what, hint=hint, option=("keep", "last"))
    newest = max(row.rank or "" for row in rows)
    best = [row for row in rows if row.rank == newest]
    if not all(row.rank for row in rows) or len({row.content for row in best}) > 1:
        hint = "which of them is the newest is not clear: correct the dates, or leave one row"
        return RecordProblem(KEY_REPEATED, what, hint=hint)
    return best[0]


def name_of(payload: bytes | None) -> str | None:
    """Return the name of a request body, as names are compared."""
    return None if payload is None else likeness(json.loads(payload)["name"])


def relation(
    payload: bytes | None, notes: str | None, other: bytes | None, other_notes: str | None
) -> int:
    """Return how two bodies differ: 1 the category, 2 the name, 3 both; 0 neither.

    A name that is not of the file is no other name.
    """
    if payload is None or other is None:
        return 0
    one, two = json.loads(payload), json.loads(other)
    is_default = DEFAULT_NAME in (notes or "") or DEFAULT_NAME in (other_notes or "")
    has_other_name = not is_default and likeness(one["name"]) != likeness(two["name"])
    return 2 * has_other_name + (one["categoryId"] != two["categoryId"])


def _unknown_record(line: int, import_id: str, record: int) -> InputError:
    return InputError(
        f"this row is record {record} of the import {import_id}, which this journal does not know, "
        "so it may be in the store already; nothing was sent",
        line=line,
        hint="name the journal folder that the import was made with; or, if these are new animals, "
        "empty the column _pf_record",
    )
