"""Counts the rows of an import by state, in SQL groups, so that large imports stay fast."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from petstore_frame.loader.journal.rows import NO_PET_ID, Import, facts_of, unpack_problem
from petstore_frame.loader.journal.schema import IS_UNCONFIRMED
from petstore_frame.loader.row_state import (
    AnimalFacts,
    Reason,
    RowFacts,
    RowProblem,
    State,
    reason_of,
    state_of,
)
from petstore_frame.schema import line_ranges

# The arguments of ``facts_of``, which determine the state of a row.
_FACTS = """
reason IS NOT NULL, problem IS NOT NULL,
animal_state, animal_import = import AND animal_row = row, animal_import = import
"""
# The number of rows for each combination of facts, and for each line if asked for.
_STATES = f"""
SELECT {{line}}, known_by IS NOT NULL, animal_session = :session, {_FACTS}, count(*)
FROM rows_and_animals WHERE import = :import GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1
"""
# The number of excluded rows, with the other file that their animals were loaded from.
_EXCLUDED = f"""
SELECT known_by, coalesce(payload <> animal_payload, FALSE), source, staged_at,
  {_FACTS}, count(*) FROM rows_and_animals
LEFT JOIN (SELECT import AS other, source, staged_at FROM imports)
  ON other = animal_import AND other <> import
WHERE import = ? GROUP BY 1, 2, other, 5, 6, 7, 8, 9 ORDER BY min(row)
"""
# The lines of rows with the same notes, as a JSON list.
_NOTED = f"""
SELECT notes, json_group_array(line), {_FACTS}, count(*) FROM rows_and_animals
WHERE import = ? AND notes IS NOT NULL AND notes <> 'blank'
GROUP BY 1, 3, 4, 5, 6, 7 ORDER BY min(line)
"""
# The lines of created animals whose pet id is not known.
_WITHOUT_ID = f"""
SELECT rows.line FROM animals JOIN rows USING (import, row)
WHERE animals.import = ? AND {IS_UNCONFIRMED} AND animals.state = 'created'
"""
# The lines of rows with the same problem, as a JSON list; a row counts for each of its problems.
_PROBLEMS = f"""
SELECT each_problem.value, json_group_array(line), {_FACTS}, count(*)
FROM rows_and_animals, json_each(problem) AS each_problem
WHERE import = ? AND problem IS NOT NULL GROUP BY 1, 3, 4, 5, 6, 7 ORDER BY min(row)
"""


class RowCount(NamedTuple):
    """The number of rows with identical facts, and therefore identical states."""

    row: RowFacts
    animal: AnimalFacts | None
    line: int | None
    is_sent_now: bool  # whether the session that was asked for sent the animal
    rows: int

    @property
    def state(self) -> State:
        return state_of(self.row, self.animal)


@dataclass
class ExcludedRows:
    """Rows that are excluded for one reason."""

    reason: Reason
    by: str | None  # how their animals were found: the column ``known_by`` of ``rows``
    source: str | None  # the other file that the animals were loaded from, and when it was read
    staged_at: float | None
    is_repeated: bool  # whether another row of the same file stands for the animal
    rows: int


class ProblemRows(NamedTuple):
    """Rows that have one problem."""

    problem: RowProblem
    lines: list[range]
    rows: int


class NotedRows(NamedTuple):
    """Rows that can be sent, with the same notes."""

    notes: Sequence[str]
    lines: list[range]
    rows: int


def count_rows(
    sql: sqlite3.Connection, number: int, *, session: int | None = None, by_line: bool = False
) -> list[RowCount]:
    """Count the rows of an import by the facts that determine their states, and ``by_line``.

    ``session`` is the session for ``RowCount.is_sent_now``; None for none.
    """
    query = _STATES.format(line="line" if by_line else "NULL")
    parameters = {"import": number, "session": session}
    counts = []
    for line, is_matched, is_sent_now, *facts, rows in sql.execute(query, parameters):
        row, animal = facts_of(facts)
        row = row._replace(is_matched=bool(is_matched))
        counts.append(RowCount(row, animal, line, bool(is_sent_now), rows))
    return counts


def count_states(sql: sqlite3.Connection, number: int) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the result."""
    counts = dict.fromkeys(State, 0)
    for group in count_rows(sql, number):
        counts[group.state] += group.rows
    return counts


def read_excluded(sql: sqlite3.Connection, run: Import) -> list[ExcludedRows]:
    """Return the excluded rows of an import by reason, in the order of their first rows."""
    groups: dict[tuple[Any, ...], ExcludedRows] = {}
    for by, has_new_values, source, staged_at, *facts, rows in sql.execute(_EXCLUDED, [run.number]):
        row, animal = facts_of(facts)
        if state_of(row, animal) is not State.EXCLUDED:
            continue
        row = row._replace(is_matched=by is not None, has_new_values=bool(has_new_values))
        reason = Reason(str(reason_of(row, animal)))
        if animal is None or animal.state is None:
            is_repeated = row.is_matched and not row.is_left_out
        else:
            is_repeated = animal.is_of_import
        group = ExcludedRows(reason, by, source, staged_at, is_repeated, 0)
        key = reason, by, source, staged_at, is_repeated
        groups.setdefault(key, group).rows += rows
    return list(groups.values())


def read_problems(sql: sqlite3.Connection, run: Import) -> Iterator[ProblemRows]:
    """Yield each problem of an import by first row; a row counts for each of its problems."""
    for packed, lines, *facts, rows in sql.execute(_PROBLEMS, [run.number]):
        if state_of(*facts_of(facts)) is State.INVALID:
            yield ProblemRows(
                unpack_problem(json.loads(packed)), line_ranges(json.loads(lines)), rows
            )


def read_noted(sql: sqlite3.Connection, run: Import) -> list[NotedRows]:
    """Return the notes of rows that can be sent, in the order of their first lines.

    Rows that were created without a known pet id come last.
    """
    row_counts, lines = Counter[str](), defaultdict[str, list[range]](list)
    for notes, lines_of_group, *facts, rows in sql.execute(_NOTED, [run.number]):
        if state_of(*facts_of(facts)) is not State.INVALID:
            row_counts[notes] += rows
            lines[notes] += line_ranges(json.loads(lines_of_group))
    noted = [NotedRows(notes.split("\n"), lines[notes], row_counts[notes]) for notes in lines]
    without_id = [line for (line,) in sql.execute(_WITHOUT_ID, [run.number])]
    if without_id:
        noted.append(NotedRows([NO_PET_ID], line_ranges(without_id), len(without_id)))
    return noted
