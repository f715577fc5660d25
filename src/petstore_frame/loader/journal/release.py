"""Reverts earlier answers, row by row, if the user now gives the opposite answer for a case."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from petstore_frame.loader.matching.values import CREATE, SKIP

# Rows of the import that were linked by one case.
_ROWS_OF_CASE = """
FROM rows WHERE import = :mine AND known_by = :by
"""
# Deletes keys that the answer ``skip`` assigned to an animal.
_RELEASE_KEYS = f"""
DELETE FROM keys WHERE columns = :columns AND (core, key, animal) IN (
  SELECT core, key, animal {_ROWS_OF_CASE} AND key IS NOT NULL)
"""
# Makes matched animals pending again.
_RELEASE_PETS = f"""
UPDATE animals SET state = 'pending', pet_id = NULL, id_source = NULL, settled_at = NULL,
  shown_at = NULL, life = life + 1
WHERE state = 'matched' AND import = :mine
  AND animal IN (SELECT animal {_ROWS_OF_CASE})
"""
# Unlinks rows from their animals, so that the rules look at them again.
_RELEASE_ROWS = f"""
UPDATE rows SET animal = NULL, known_by = NULL WHERE (import, row) IN (
  SELECT import, row {_ROWS_OF_CASE})
"""
# Unlinks rows that were matched by their key although their content differs: they followed an
# answer to an earlier file.
_RELEASE_OTHER_CONTENT = """
UPDATE rows SET animal = NULL, known_by = NULL FROM animals
WHERE animals.animal = rows.animal AND rows.import = :mine AND rows.known_by = 'key'
  AND rows.content IS NOT animals.content
"""
_UNSENT = "state IS NULL OR state IN ('pending', 'rejected', 'not_found')"
# Unsent animals whose rows were linked by one case.
_UNSENT_ANIMALS = f"""
SELECT animals.animal FROM animals JOIN rows USING (import, row)
WHERE animals.import = :mine AND rows.known_by = :by AND ({_UNSENT})
"""


def release_answers(
    sql: sqlite3.Connection, number: int, key_columns: str, named_answers: Mapping[str, str]
) -> list[int]:
    """Unlink the rows of an import whose case now has the opposite answer.

    Returns:
        The lines of rows that were already created, so that ``skip`` comes too late for them.
    """
    created_lines: list[int] = []
    for case, answer in named_answers.items():
        parameters: dict[str, object] = {"mine": number, "columns": key_columns}
        if answer == CREATE:
            for by in _links_of_case(case):
                _release_skipped(sql, parameters | {"by": by}, has_own_keys=case == "reused_key")
            if case == "reused_key":
                sql.execute(_RELEASE_OTHER_CONTENT, parameters)
        elif answer == SKIP:
            created_lines += _release_created(sql, parameters | {"by": f"new:{case}"})
    return sorted(created_lines)


def _links_of_case(case: str) -> list[str]:
    """Return the values of the column ``known_by`` for a case."""
    return [case, "similar_row"] if case == "similar_key" else [case]


def _release_skipped(
    sql: sqlite3.Connection, parameters: dict[str, object], *, has_own_keys: bool
) -> None:
    """Unlink rows that ``skip`` linked; ``has_own_keys`` keeps the keys of their animals."""
    if not has_own_keys:
        sql.execute(_RELEASE_KEYS, parameters)
    sql.execute(_RELEASE_PETS, parameters)
    sql.execute(_RELEASE_ROWS, parameters)


def _release_created(sql: sqlite3.Connection, parameters: dict[str, object]) -> list[int]:
    """Unlink rows that were not sent yet; return the lines of those that were."""
    unsent = [animal for (animal,) in sql.execute(_UNSENT_ANIMALS, parameters)]
    values = [(animal,) for animal in unsent]
    sql.executemany("DELETE FROM keys WHERE animal = ?", values)
    sql.executemany("UPDATE rows SET animal = NULL, known_by = NULL WHERE animal = ?", values)
    sql.executemany(
        "UPDATE animals SET state = NULL, import = NULL, row = NULL WHERE animal = ?", values
    )
    lines = sql.execute(f"SELECT line {_ROWS_OF_CASE} AND animal IS NOT NULL", parameters)
    return [line for (line,) in lines]
