"""Takes earlier answers back, row by row, where the user names a case and says the opposite."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from petstore_frame.loader.matching.values import CREATE, SKIP

_ROWS_OF_CASE = """
FROM rows WHERE import = :mine AND known_by = :by
"""
# A key that ``skip`` gave to an animal; a key that was used again is the animal's own.
_RELEASE_KEYS = f"""
DELETE FROM keys WHERE columns = :columns AND (core, key, animal) IN (
  SELECT core, key, animal {_ROWS_OF_CASE} AND key IS NOT NULL)
"""
_RELEASE_PETS = f"""
UPDATE animals SET state = 'pending', pet_id = NULL, id_source = NULL, settled_at = NULL,
  shown_at = NULL, life = life + 1
WHERE state = 'matched' AND import = :mine
  AND animal IN (SELECT animal {_ROWS_OF_CASE})
"""
_RELEASE_ROWS = f"""
UPDATE rows SET animal = NULL, known_by = NULL WHERE (import, row) IN (
  SELECT import, row {_ROWS_OF_CASE})
"""
# Rows of a known key that follow an answer to an earlier file: the rules look at them again.
_RELEASE_OTHER_CONTENT = """
UPDATE rows SET animal = NULL, known_by = NULL FROM animals AS own
WHERE own.animal = rows.animal AND rows.import = :mine AND rows.known_by = 'key'
  AND rows.content IS NOT own.content
"""
_UNSENT = "state IS NULL OR state IN ('pending', 'rejected', 'not_found')"
_OWN_UNSENT = f"""
SELECT animals.animal FROM animals JOIN rows USING (import, row)
WHERE animals.import = :mine AND rows.known_by = :by AND ({_UNSENT})
"""


def release_answers(
    sql: sqlite3.Connection, number: int, key_columns: str, named_answers: Mapping[str, str]
) -> list[int]:
    """Release the rows of an import whose case is answered otherwise now.

    Returns:
        The lines of rows that were created, and so can no longer be known animals.
    """
    stays: list[int] = []
    for case, answer in named_answers.items():
        named = {"mine": number, "columns": key_columns}
        if answer == CREATE:
            for by in _known_by(case):
                _release_skipped(sql, named | {"by": by}, has_own_keys=case == "reused_key")
            if case == "reused_key":
                sql.execute(_RELEASE_OTHER_CONTENT, named)
        elif answer == SKIP:
            stays += _release_created(sql, named | {"by": f"new:{case}"})
    return sorted(stays)


def _known_by(case: str) -> list[str]:
    return [case, "similar_row"] if case == "similar_key" else [case]


def _release_skipped(
    sql: sqlite3.Connection, named: dict[str, object], *, has_own_keys: bool
) -> None:
    if not has_own_keys:
        sql.execute(_RELEASE_KEYS, named)
    sql.execute(_RELEASE_PETS, named)
    sql.execute(_RELEASE_ROWS, named)


def _release_created(sql: sqlite3.Connection, named: dict[str, object]) -> list[int]:
    """Release rows that were not sent; return the lines of those that were."""
    unsent = [animal for (animal,) in sql.execute(_OWN_UNSENT, named)]
    values = [(animal,) for animal in unsent]
    sql.executemany("DELETE FROM keys WHERE animal = ?", values)
    sql.executemany("UPDATE rows SET animal = NULL, known_by = NULL WHERE animal = ?", values)
    sql.executemany(
        "UPDATE animals SET state = NULL, import = NULL, row = NULL WHERE animal = ?", values
    )
    lines = sql.execute(f"SELECT line {_ROWS_OF_CASE} AND animal IS NOT NULL", named)
    return [line for (line,) in lines]
