"""The staged records whose animals are looked for, and what the user must be asked about them.

An animal has one life, so a record becomes an animal and is skipped where that one lives already.
Where records are only similar, the rules note a case, and the user says which animals they are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from petstore_frame.loader.journal.rows import pack_problem, read_cells
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.tables import IS_UNSENT, form_of, is_live
from petstore_frame.loader.question import CASES, Case, Earlier, Example
from petstore_frame.loader.reading.mapping import likely_keys
from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.text import folded_name

TO_SEND: str = f"import = :mine AND {IS_UNSENT}"


_EXAMPLES = """
SELECT mine.record, mine.line,
  coalesce(iif(cases.name = 'similar_key', mine.key, CAST(mine.payload AS TEXT)), ''),
  coalesce(iif(cases.name = 'similar_key', old.key,
    coalesce(CAST(old.payload AS TEXT), pets.body)), ''),
  imports.source, imports.staged_at, coalesce(old.pet_id, cases.pet)
FROM temp.cases CROSS JOIN records AS mine USING (id)
LEFT JOIN records AS old ON old.id = cases.other
LEFT JOIN imports ON imports.import = old.import AND old.import <> mine.import
LEFT JOIN temp.pets ON pets.pet = cases.pet
WHERE cases.name = :case ORDER BY mine.id LIMIT 2
"""
_SOURCES = """
SELECT imports.id, source, staged_at, count(*) FROM temp.cases
JOIN records AS old ON old.id = cases.other JOIN imports USING (import)
WHERE cases.name = :case AND import <> :mine GROUP BY import ORDER BY 4 DESC, import DESC
"""


@dataclass
class Animals:
    """The staged records of one import, with their animals as far as the rules have found them.

    Attributes:
        sql: A connection within a transaction.
        staged: The records.
        answers: What the user said, by case: ``skip`` (the same animals) or ``send`` (others).
        otherwise: The answer to try where the user gave none.
        pause: Called now and then; what it raises ends the rules.
        asked: How many records each case concerns, of how many that were compared.
        facts: What else the user should know, as values.
    """

    sql: sqlite3.Connection
    staged: Staged
    answers: Mapping[str, str]
    otherwise: str
    pause: Callable[[], None]
    asked: dict[str, tuple[int, int]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.run = self.staged.run
        self._names = {
            "first": self.staged.first,
            "mine": self.run.number,
            "place": self.run.place,
            "columns": self.staged.key_columns,
        }
        for function, values in ((form_of, 1), (name_of, 1), (relation, 4)):
            self.sql.create_function(function.__name__, values, function, deterministic=True)
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
        self.pause()
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
            "UPDATE records SET state = 'skipped', reason = 'superseded', known_by = 'key'"
            f" WHERE {IS_UNSENT} AND id IN (SELECT live.id FROM temp.becoming AS new"
            "  CROSS JOIN records AS mine ON mine.id = new.id AND mine.state = 'pending'"
            f" CROSS JOIN records AS live ON live.animal = new.animal AND {is_live('live')}"
            " WHERE live.id < :first)"
        )
        # A row that was corrected once may come back wrong: its animal stays the corrected one.
        is_taken = (
            "(n > 1 AND state = 'pending' OR EXISTS (SELECT 1 FROM records AS live"
            f" WHERE live.animal = new.animal AND {is_live('live')} AND live.id <> new.id))"
        )
        self.do(
            "UPDATE records SET animal = new.animal, known_by = new.known_by,"
            f" state = CASE WHEN {is_taken} THEN 'skipped' ELSE state END,"
            f" problem = CASE WHEN {is_taken} THEN NULL ELSE problem END,"
            f" problem_code = CASE WHEN {is_taken} THEN NULL ELSE problem_code END"
            " FROM temp.becoming AS new WHERE records.id = new.id"
        )

    def ask(self, case: str, select: str, of: int, **more: Any) -> str:
        """Note the records of a case, a selection (id, other, pet); return the answer, if any.

        The answer is the user's, or the one to try.
        """
        records = self.do(
            f"INSERT OR IGNORE INTO temp.cases SELECT :case, id, other, pet FROM ({select})",
            case=case,
            **more,
        ).rowcount
        if not records:
            return ""
        self.asked[case] = (records, of)
        answer = self.answers.get(case, self.otherwise)
        if answer == "send":
            self.do(
                "UPDATE records SET known_by = 'user' WHERE id IN"
                " (SELECT id FROM temp.cases WHERE name = :case)",
                case=case,
            )
        return answer

    def cases(self) -> tuple[Case, ...]:
        """Return the cases that the user has not answered, as values to be shown."""

        return tuple(
            Case(
                name,
                *self.asked[name],
                examples=tuple(Example(*row) for row in self.do(_EXAMPLES, case=name)),
                sources=tuple(Earlier(*row) for row in self.do(_SOURCES, case=name)),
            )
            for name in CASES
            if name in self.asked and name not in self.answers
        )

    def likely_key(self) -> str | None:
        """Return a column that is not sent, filled, and different in each record, if any."""
        if self.run.key:
            return None
        rows = self.do("SELECT cells FROM records WHERE import = :mine AND notes IS NOT 'blank'")
        cells = (read_cells(packed) for (packed,) in rows)
        found = likely_keys(self.run.header, cells, {*self.run.mapping.values()})
        return found[0] if found else None

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
    is_default = "default_name" in f"{notes} {other_notes}"
    has_other_name = not is_default and folded_name(one["name"]) != folded_name(two["name"])
    return 2 * has_other_name + bool(one["categoryId"] != two["categoryId"])
