"""Asks whether a later file replaces one that stopped, before the remaining rows are sent."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

from petstore_frame.errors import DuplicatesError
from petstore_frame.loader.duplicate_question import UNSENT, Case, Example, Question
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.matching.values import CREATE, SKIP
from petstore_frame.loader.row_state import State

_LATER = """
SELECT source, staged_at FROM imports
WHERE import > :mine AND header = :header AND NOT copy ORDER BY import DESC LIMIT 1
"""
_PENDING = """
SELECT row, line, CAST(animals.payload AS TEXT) FROM animals JOIN rows USING (import, row)
WHERE animals.import = :mine AND animals.state = 'pending' ORDER BY row
"""
# Excludes the rows; their animals are then withdrawn like those of any row that is excluded.
_EXCLUDE_ROWS = """
UPDATE rows SET reason = 'left_out' WHERE import = :mine AND row IN (
  SELECT row FROM animals WHERE import = :mine AND state = 'pending')
"""


def drop_replaced(sql: sqlite3.Connection, run: Import, answers: Mapping[str, str]) -> None:
    """Drop the pending rows of an import if the user says that a later file replaces it.

    Raises:
        DuplicatesError: There is a later file with the same columns, and the user has not answered.
    """
    named = {"mine": run.number, "header": json.dumps(run.header)}
    later = sql.execute(_LATER, named).fetchone()
    pending = sql.execute(_PENDING, named).fetchall()
    if later is None or not pending or answers.get(UNSENT) == CREATE:
        return
    if answers.get(UNSENT) == SKIP:
        sql.execute(_EXCLUDE_ROWS, named)
        return
    source, staged_at = later
    examples = tuple(
        Example(row, line, body, "a later file", source, staged_at)
        for row, line, body in pending[:2]
    )
    counts = count_states(sql, run.number)
    rows = sum(counts.values())
    dropped = counts | {State.PENDING: 0, State.EXCLUDED: counts[State.EXCLUDED] + len(pending)}
    case = Case(UNSENT, len(pending), rows, examples)
    raise DuplicatesError(Question(run.source, rows, (case,), run.base_url, dropped, counts))
