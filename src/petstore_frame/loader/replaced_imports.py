"""Asks whether later files replace those that were not sent to their end."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from petstore_frame.errors import DuplicatesError
from petstore_frame.loader.duplicate_question import UNSENT, Case, Earlier, Example, Question
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


class _Replaced(NamedTuple):
    """An import with rows to send, and the latest file that has the same columns."""

    run: Import
    pending: list[tuple[int, int, str]]  # number, line and request body
    later: tuple[str, float]  # name, and when it was read

    @property
    def examples(self) -> tuple[Example, ...]:
        source, staged_at = self.later
        return tuple(
            Example(row, line, body, "a later file", source, staged_at)
            for row, line, body in self.pending[:2]
        )

    @property
    def as_source(self) -> Earlier:
        return Earlier(self.run.id, self.run.source, self.run.staged_at, len(self.pending))


def drop_replaced(
    sql: sqlite3.Connection, runs: Sequence[Import], answers: Mapping[str, str]
) -> set[int]:
    """Drop the pending rows of imports if the user says that later files replace them.

    Returns:
        The numbers of the imports that the answer is about.

    Raises:
        DuplicatesError: There is a later file with the same columns, and the user has not answered.
    """
    replaced = [entry for run in runs if (entry := _find_replaced(sql, run)) is not None]
    answer = answers.get(UNSENT)
    if replaced and answer not in (CREATE, SKIP):
        raise DuplicatesError(_question(sql, replaced))
    if answer == SKIP:
        for entry in replaced:
            sql.execute(_EXCLUDE_ROWS, _parameters(entry.run))
    return {entry.run.number for entry in replaced}


def _parameters(run: Import) -> dict[str, Any]:
    return {"mine": run.number, "header": json.dumps(run.header)}


def _find_replaced(sql: sqlite3.Connection, run: Import) -> _Replaced | None:
    """Return the import with its pending rows, if there are any and a later file replaces it."""
    later = sql.execute(_LATER, _parameters(run)).fetchone()
    pending = sql.execute(_PENDING, _parameters(run)).fetchall()
    return _Replaced(run, pending, later) if later is not None and pending else None


def _question(sql: sqlite3.Connection, replaced: Sequence[_Replaced]) -> Question:
    """Return one question about all these files, because its answer is for all of them."""
    first, *others = replaced
    counts = Counter[State]()
    for entry in replaced:
        counts.update(count_states(sql, entry.run.number))
    rows, unsent = counts.total(), sum(len(entry.pending) for entry in replaced)
    sources = tuple(entry.as_source for entry in replaced) if others else ()
    case = Case(UNSENT, unsent, rows, () if others else first.examples, sources)
    names = ", ".join(dict.fromkeys(entry.run.source for entry in replaced))
    sent = dict(counts)
    dropped = sent | {State.PENDING: 0, State.EXCLUDED: counts[State.EXCLUDED] + unsent}
    return Question(names, rows, (case,), first.run.base_url, dropped, sent)
