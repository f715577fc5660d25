"""Answers questions about the rows of one reading, compared with all that was sent before."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.journal.schema import IS_ANIMAL
from petstore_frame.loader.matching.folding import name_in
from petstore_frame.loader.matching.values import Pet

_KEYS_OF_OTHERS = f"""
SELECT count(DISTINCT rows.key) FROM rows
WHERE rows.reading = :reading AND EXISTS (
  SELECT 1 FROM keys JOIN animals ON animals.animal = keys.animal AND {IS_ANIMAL}
  WHERE keys.core = rows.core AND animals.import <> :mine AND animals.gone_at IS NULL)
"""
_EQUAL_TO_OTHERS = f"""
SELECT count(*) FROM rows WHERE reading = :reading AND animal IS NOT NULL AND EXISTS (
  SELECT 1 FROM animals WHERE animals.content = rows.content AND {IS_ANIMAL}
    AND animals.import <> :mine)
"""
_REPEATED_ROWS = """
SELECT row, line, CAST(cells AS TEXT) FROM rows
WHERE reading = :reading AND payload IS NOT NULL
AND cells IN (SELECT cells FROM rows WHERE reading = :reading AND payload IS NOT NULL
  GROUP BY cells HAVING count(*) > 1) ORDER BY row
"""
# The animals of a file with their pets and the content that was sent.
_ANIMALS_WITH_PETS = f"""
SELECT rows.row, rows.line, animals.pet_id, animals.content
FROM rows JOIN animals USING (animal)
WHERE rows.reading = :reading AND animals.pet_id IS NOT NULL AND {IS_ANIMAL}
"""


class RenamedRow(NamedTuple):
    """A row whose pet has another name in the store."""

    row: int
    line: int
    name: str


def _names(run: Import) -> dict[str, int]:
    return {"reading": run.reading, "mine": run.number}


def count_keys_of_others(sql: sqlite3.Connection, run: Import) -> int:
    """Return how many keys of a file may be those of animals of other files that are not gone."""
    ((keys,),) = sql.execute(_KEYS_OF_OTHERS, _names(run)).fetchall()
    return int(keys)


def count_equal_to_others(sql: sqlite3.Connection, run: Import) -> int:
    """Return how many rows of a file have the name and category of animals of other files."""
    ((rows,),) = sql.execute(_EQUAL_TO_OTHERS, _names(run)).fetchall()
    return int(rows)


def repeated_rows(sql: sqlite3.Connection, run: Import) -> list[tuple[int, int, str]]:
    """Return the number, line and cells of each row that equals another row of its file."""
    return sql.execute(_REPEATED_ROWS, _names(run)).fetchall()


def renamed_rows(sql: sqlite3.Connection, run: Import, pets: Mapping[int, Pet]) -> list[RenamedRow]:
    """Return the rows of a file whose pets have another name in the store."""
    renamed = []
    for row, line, pet_id, content in sql.execute(_ANIMALS_WITH_PETS, _names(run)):
        pet = pets.get(pet_id)
        if pet is not None and content and name_in(pet.content) != name_in(content):
            renamed.append(RenamedRow(row, line, pet.name))
    return renamed


def lines_of_file(sql: sqlite3.Connection, run: Import) -> set[int]:
    """Return the lines of the rows of a file."""
    query = "SELECT DISTINCT line FROM rows WHERE reading = ?"
    return {line for (line,) in sql.execute(query, [run.reading])}
