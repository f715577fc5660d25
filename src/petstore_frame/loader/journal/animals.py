"""Which animal each staged record is: what all rules share.

An animal has one life, so a record becomes an animal and is skipped where that one lives already.
Where records are only similar, the rules note a case, and the user says which animals they are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from petstore_frame.loader.journal.keys import form_of
from petstore_frame.loader.journal.rows import pack_problem
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.tables import IS_UNSENT, is_live
from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.text import folded_name

SUPERSEDED = "superseded"
# The note of a record whose name is a default, not from its file.
DEFAULT_NAME = "default_name"
# From so many alike records on, and from such a share of either side, the user is asked.
LEAST_ALIKE, ALIKE_SHARE = 3, 0.25
TO_SEND: str = f"import = :mine AND {IS_UNSENT}"


class Animals:
    """The staged records of one import, with their animals as far as the rules have found them.

    Args:
        sql: A connection within a transaction.
        staged: The records.
        answers: What the user said, by case: ``skip`` (the same animals) or ``send`` (others).
        otherwise: The answer to try where the user gave none.
        pause: Called now and then; what it raises ends the rules.

    Attributes:
        cases: How many records each case concerns, of how many that were compared.
        facts: What else the user should know, as values.
    """

    def __init__(
        self,
        sql: sqlite3.Connection,
        staged: Staged,
        answers: Mapping[str, str],
        otherwise: str,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.sql, self.staged, self.run = sql, staged, staged.run
        self.cases: dict[str, tuple[int, int]] = {}
        self.facts: dict[str, Any] = {}
        self.answers, self._otherwise, self._pause = answers, otherwise, pause
        self._names = {
            "first": staged.first,
            "mine": staged.run.number,
            "place": staged.run.place,
            "columns": staged.key_columns,
        }
        sql.create_function("form_of", 1, form_of, deterministic=True)
        sql.create_function("name_of", 1, name_of, deterministic=True)
        sql.create_function("relation", 4, relation, deterministic=True)
        self.make("cases", "name, id, other, pet, PRIMARY KEY (name, id)")
        self.make("pets", "pet INTEGER PRIMARY KEY, name, body, fingerprint, is_ours, is_seen")

    def do(self, statement: str, **more: Any) -> sqlite3.Cursor:
        """Run a statement that knows the staged records."""
        return self.sql.execute(statement, self._names | more)

    def has(self, select: str) -> bool:
        """Return whether a selection has any row."""
        return self.do(f"{select} LIMIT 1").fetchone() is not None

    def count(self, which: str = "TRUE", table: str = "records") -> int:
        """Return for how many rows a condition holds."""
        ((found,),) = self.do(f"SELECT count(*) FROM {table} WHERE {which}").fetchall()
        return int(found)

    def make(self, table: str, columns: str, select: str = "", **more: Any) -> int:
        """Make a temporary table anew, and return how many rows it has."""
        self._pause()
        self.sql.execute(f"DROP TABLE IF EXISTS temp.{table}")
        self.sql.execute(f"CREATE TEMP TABLE {table} ({columns})")
        return self.do(f"INSERT INTO temp.{table} {select}", **more).rowcount if select else 0

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
            f" WHERE {IS_UNSENT} AND id IN (SELECT live.id FROM temp.becoming AS new"
            "  CROSS JOIN records AS mine ON mine.id = new.id AND mine.state = 'pending'"
            f" CROSS JOIN records AS live ON live.animal = new.animal AND {is_live('live')}"
            " WHERE live.id < :first)"
        )
        is_taken = (
            "(n > 1 AND state = 'pending' OR EXISTS (SELECT 1 FROM records AS live"
            f" WHERE live.animal = new.animal AND {is_live('live')} AND live.id <> new.id))"
        )
        # A row that was corrected once may come back wrong: its animal stays the corrected one.
        self.do(
            "UPDATE records SET animal = new.animal, known_by = new.known_by,"
            f" state = CASE WHEN {is_taken} THEN 'skipped' ELSE state END,"
            f" problem = CASE WHEN {is_taken} THEN NULL ELSE problem END,"
            f" problem_code = CASE WHEN {is_taken} THEN NULL ELSE problem_code END"
            " FROM temp.becoming AS new WHERE records.id = new.id"
        )

    def answer_to(self, case: str) -> str:
        """Return the user's answer to a case, or the one to try."""
        return self.answers.get(case, self._otherwise)

    def ask(self, case: str, select: str, of: int, **more: Any) -> str:
        """Note the records of a case, a selection (id, other, pet); return the answer, if any."""
        records = self.do(
            f"INSERT OR IGNORE INTO temp.cases SELECT :case, id, other, pet FROM ({select})",
            case=case,
            **more,
        ).rowcount
        if not records:
            return ""
        self.cases[case] = (records, of)
        if self.answer_to(case) == "send":
            self.do(
                "UPDATE records SET known_by = 'user' WHERE id IN"
                " (SELECT id FROM temp.cases WHERE name = :case)",
                case=case,
            )
        return self.answer_to(case)

    def spoil(self, record_id: int, problem: RecordProblem) -> None:
        """Turn a record that could be sent into one to fix."""
        self.do(
            "UPDATE records SET state = 'invalid', problem = :text, problem_code = :code"
            " WHERE id = :id AND state IN ('pending', 'invalid')",
            id=record_id,
            text=pack_problem(problem),
            code=problem.code,
        )

    def note(self, name: str, select: str) -> None:
        """Note the lines of records that are shown to the user without a question."""
        found = [line for (line,) in self.do(select)]
        if found:
            self.facts[name] = found


def is_many(alike: int, of: int) -> bool:
    """Return whether these are at least a quarter, and at least three or all.

    Example:
        >>> is_many(3, 12), is_many(3, 13), is_many(2, 2), is_many(2, 8)
        (True, False, True, False)
    """
    return alike >= min(LEAST_ALIKE, of) and 0 < ALIKE_SHARE * of <= alike


def name_of(payload: bytes | None) -> str | None:
    """Return the name of a request body, as names are compared."""
    return None if payload is None else folded_name(json.loads(payload)["name"])


def relation(
    payload: bytes | None, notes: str | None, other: bytes | None, other_notes: str | None
) -> int:
    """Return how two bodies differ: 1 the category, 2 the name, 3 both; 0 neither.

    A default in the place of a name counts as no difference.
    """
    if payload is None or other is None:
        return 0
    one, two = json.loads(payload), json.loads(other)
    is_default = DEFAULT_NAME in (notes or "") or DEFAULT_NAME in (other_notes or "")
    has_other_name = not is_default and folded_name(one["name"]) != folded_name(two["name"])
    return 2 * has_other_name + bool(one["categoryId"] != two["categoryId"])
