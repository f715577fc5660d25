"""Counts the rows of an import by state and group, in SQL, so that large imports stay fast."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from petstore_frame.loader.journal.rows import NO_PET_ID, Import, unpack_problem
from petstore_frame.loader.journal.stored_values import stored_json, stored_state
from petstore_frame.loader.row_state import Reason, RowProblem, State
from petstore_frame.schema import line_ranges

_STATES = "SELECT state, count(*) FROM row_states WHERE import = ? GROUP BY 1"
_GROUPS = """
SELECT {line}, "group", count(*) FROM row_states WHERE import = ? GROUP BY 1, 2 ORDER BY 1
"""
# The number of rows that were not sent because of another row, with the other file that sent it.
_LOADED_BEFORE = """
SELECT "group", reason, source, staged_at, count(*)
FROM row_states LEFT JOIN (SELECT import AS other, source, staged_at FROM imports)
  ON other = animal_import AND other <> import
WHERE import = ? AND (is_animal AND NOT is_own OR state = 'excluded' OR "group" = 'repeated')
GROUP BY 1, 2, other ORDER BY min(row)
"""
# The lines of rows with the same notes, as a JSON list.
_NOTED = """
SELECT notes, json_group_array(line), count(*) FROM row_states
WHERE import = ? AND notes IS NOT NULL AND state <> 'invalid' AND excluded IS NOT 'blank'
GROUP BY 1 ORDER BY min(line)
"""
# The lines of created animals whose pet id is not known.
_WITHOUT_ID = """
SELECT line FROM row_states
WHERE import = ? AND is_own AND animal_state = 'created' AND pet_id IS NULL AND last_pet_id IS NULL
"""
# The lines of rows with the same problem, as a JSON list; a row counts for each of its problems.
_PROBLEMS = """
SELECT each_problem.value, json_group_array(line), count(*)
FROM row_states, json_each(problem) AS each_problem
WHERE import = ? AND state = 'invalid' GROUP BY 1 ORDER BY min(row)
"""


class LoadedBefore(NamedTuple):
    """Rows that were not sent for one reason."""

    group: str
    reason: Reason | None
    source: str | None  # the other file that sent their animals, and when that was read
    staged_at: float | None
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


def count_states(sql: sqlite3.Connection, number: int) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the result."""
    counts = dict.fromkeys(State, 0)
    return counts | {stored_state(state): rows for state, rows in sql.execute(_STATES, [number])}


def count_groups_of_lines(
    sql: sqlite3.Connection, number: int, *, by_line: bool
) -> list[tuple[int | None, str, int]]:
    """Return the number of rows in each group, for each line if asked for."""
    query = _GROUPS.format(line="line" if by_line else "NULL")
    return [(line, group, rows) for line, group, rows in sql.execute(query, [number])]


def read_loaded_before(sql: sqlite3.Connection, run: Import) -> list[LoadedBefore]:
    """Return the rows of an import that other rows stand for, or that are excluded."""
    return [
        LoadedBefore(group, None if reason is None else Reason(reason), source, staged_at, rows)
        for group, reason, source, staged_at, rows in sql.execute(_LOADED_BEFORE, [run.number])
        if reason is None or reason in {*Reason}
    ]


def read_problems(sql: sqlite3.Connection, run: Import) -> Iterator[ProblemRows]:
    """Yield each problem of an import by first row; a row counts for each of its problems."""
    for packed, lines, rows in sql.execute(_PROBLEMS, [run.number]):
        yield ProblemRows(
            unpack_problem(stored_json(packed)), line_ranges(stored_json(lines)), rows
        )


def read_noted(sql: sqlite3.Connection, run: Import) -> list[NotedRows]:
    """Return the notes of rows that can be sent, in the order of their first lines.

    Rows that were created without a known pet id come last.
    """
    noted = [
        NotedRows(notes.split("\n"), line_ranges(stored_json(lines)), rows)
        for notes, lines, rows in sql.execute(_NOTED, [run.number])
    ]
    without_id = [line for (line,) in sql.execute(_WITHOUT_ID, [run.number])]
    if without_id:
        noted.append(NotedRows([NO_PET_ID], line_ranges(without_id), len(without_id)))
    return noted
