"""Writes what the rules have found: gives each animal the row that speaks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from petstore_frame.loader.journal.matching_input import TO_SEND, Reader
from petstore_frame.loader.journal.rows import pack_problems
from petstore_frame.loader.journal.schema import ID_GIVEN_AGAIN
from petstore_frame.loader.matching.values import By, Plan

_SPEAK = f"""
UPDATE animals SET import = :mine, row = new.row, payload = new.payload,
  content = new.content, state = 'pending', reason = iif(reason = 'recreated', reason, NULL),
  answer = NULL, settled_at = NULL, may_have_been_applied = 0
FROM (SELECT rows.animal, rows.row, rows.payload, rows.content {TO_SEND}
  AND own.animal IS NOT NULL) AS new
WHERE animals.animal = new.animal
"""
_NEW = f"""
INSERT INTO animals (animal, import, row, payload, content, state)
SELECT rows.animal, rows.import, rows.row, rows.payload, rows.content, 'pending'
{TO_SEND} AND own.animal IS NULL
"""
# Of what was not sent: a row that is to fix now, or left out, speaks for its animal still, and one
# that is another animal now does not.
_WITHDRAW = """
UPDATE animals SET state = iif(own.state = 'pending', NULL, own.state),
  import = iif(own.is_here, import, NULL), row = iif(own.is_here, row, NULL)
FROM (SELECT one.animal, one.state, rows.animal IS one.animal AS is_here
  FROM animals AS one JOIN rows USING (import, row)
  WHERE one.import = :mine AND (one.state IS NULL OR one.state IN ('pending', 'rejected'))
    AND (rows.animal IS NOT one.animal OR one.state = 'pending'
      AND (rows.problem IS NOT NULL OR rows.reason IS NOT NULL))) AS own
WHERE animals.animal = own.animal
"""
# A finished import that has something to send again must be resumed after a kill.
_UNFINISHED = """
UPDATE imports SET ending = NULL WHERE import = :mine AND ending = 'done'
AND EXISTS (SELECT 1 FROM animals WHERE import = :mine AND state = 'pending')
"""
# Gives each key its animal; a settled one has it already.
_CLAIM = """
INSERT OR IGNORE INTO keys SELECT :columns, core, key, animal FROM rows
WHERE import = :mine AND key IS NOT NULL AND animal IS NOT NULL AND reason IS NULL
  AND known_by IS NOT 'key' ORDER BY core, key
"""
# An excluded row shows the animal of its key, unless another row of the file does: the animal was
# loaded, and may have other values now. Another name and another category are another animal; of
# a row with a value that cannot be read, the key alone says which animal it is.
_SHOW_EXCLUDED = """
UPDATE rows SET known_by = 'key', animal = same.animal FROM (
  SELECT rows.row AS of_row, min(own.animal) AS animal FROM rows
  JOIN keys ON keys.columns = :columns AND keys.core = rows.core AND keys.key = rows.key
  JOIN animals AS own ON own.animal = keys.animal AND own.state IN ('created', 'matched')
  WHERE rows.import = :mine AND rows.animal IS NULL AND rows.reason IS NOT NULL
    AND rows.content IS NULL
    AND (rows.payload IS NULL
      OR CAST(rows.payload AS TEXT) ->> 'name' = CAST(own.payload AS TEXT) ->> 'name'
      OR CAST(rows.payload AS TEXT) ->> 'categoryId' = CAST(own.payload AS TEXT) ->> 'categoryId')
    AND rows.key NOT IN (
      SELECT key FROM rows WHERE import = :mine AND reason IS NULL AND key IS NOT NULL)
  GROUP BY rows.row) AS same
WHERE rows.import = :mine AND rows.row = same.of_row
"""
# ``{}`` is the number in front of the first row's animal.
_CREATE = """
rows SET known_by = ?, animal = iif(EXISTS (SELECT 1 FROM animals AS own
  WHERE own.animal = rows.animal AND own.import = rows.import AND own.row = rows.row),
  animal, {} + row)
"""
# The rows that were corrected are the animals of their corrections.
_CORRECTED = """
UPDATE rows SET animal = fixed.animal, known_by = 'fix'
FROM rows AS fixed WHERE fixed.import = ? AND fixed.row = ?
AND fixed.animal IS NOT NULL AND rows.import = ? AND rows.row = ?
AND rows.animal IS NOT fixed.animal
"""


def write_plan(
    reader: Reader, plan: Plan, origins: Sequence[tuple[int, int, int]], now: float
) -> None:
    """Write the animals of rows; ``origins`` has the import and row that each row corrects."""
    number = reader.staged.run.number
    _write_rows(reader, plan)
    for statement in (_WITHDRAW, _SPEAK, _NEW):
        reader.execute(statement)
    _change(reader, "animals SET life = life + ?", [(n, row) for row, n in plan.lives.items()])
    _write_matched(reader, plan, now)
    # Rows that repeat another one have its animal, or its reason to be left out.
    _change(
        reader,
        "rows SET (animal, reason) = (SELECT one.animal, one.reason FROM rows AS one"
        f" WHERE one.import = {number} AND one.row = ?)",
        [(_standing(plan, row), row) for row in plan.same_as],
    )
    reader.sql.executemany(_CORRECTED, [(number, *origin) for origin in origins])
    reader.execute(_UNFINISHED)
    if reader.staged.key_columns and not reader.staged.is_resumed:
        reader.execute(_CLAIM)
        if reader.staged.has_excluded and not reader.staged.run.copy:
            reader.execute(_SHOW_EXCLUDED)


def _write_rows(reader: Reader, plan: Plan) -> None:
    _change(
        reader,
        "rows SET animal = NULL, problem = NULL, known_by = ?",
        [
            (By.SIMILAR_ROW.value if row in plan.similar else By.REPEAT.value, row)
            for row in plan.same_as
        ],
    )
    # Rows that could be sent are to be fixed now; what else is wrong with a row stays.
    _change(
        reader,
        "rows SET animal = iif(problem IS NULL, NULL, animal),"
        " known_by = iif(problem IS NULL, NULL, known_by), problem = coalesce(problem, ?)",
        [(pack_problems([problem]), row) for row, problem in plan.problems.items()],
    )
    _change(
        reader,
        "rows SET animal = ?, known_by = ?",
        [(animal, by.value, row) for row, (animal, by) in plan.animals.items()],
    )
    _change(
        reader,
        _CREATE.format(reader.staged.base),
        [(f"new:{case}", row) for row, case in plan.created.items()],
    )


def _write_matched(reader: Reader, plan: Plan, now: float) -> None:
    """Let rows be pets of somebody else, which have these values."""
    pets = plan.pets
    reader.sql.executemany(ID_GIVEN_AGAIN, [(pet.id,) for pet in pets.values()])
    _change(
        reader,
        "animals SET state = 'matched', pet_id = ?, payload = ?, content = ?,"
        f" id_source = 'matched', settled_at = {now}, shown_at = {now}",
        [(pet.id, pet.payload, pet.content, row) for row, pet in pets.items()],
    )
    _change(reader, "rows SET known_by = 'in_store'", [(row,) for row in pets])


def _change(reader: Reader, update: str, values: Iterable[Sequence[Any]]) -> None:
    """Change rows, or the animals that they speak for; each tuple ends in the row's number."""
    mine = f"WHERE import = {reader.staged.run.number} AND row = ?"
    reader.sql.executemany(f"UPDATE {update} {mine}", values)


def _standing(plan: Plan, row: int) -> int:
    while row in plan.same_as:
        row = plan.same_as[row]
    return row


def mark_new_lines(reader: Reader) -> None:
    """Make rows new animals that the user calls so; what was sent of them stays."""
    reader.execute(
        "UPDATE rows SET known_by = 'user', animal = iif(EXISTS (SELECT 1 FROM animals AS own"
        "  WHERE own.animal = rows.animal AND own.import = :mine AND own.row = rows.row),"
        "  animal, :base + row)"
        " WHERE import = :mine AND animal IS NOT NULL"
        " AND line IN (SELECT value FROM json_each(:lines))",
        lines=json.dumps([*reader.staged.new_lines]),
    )
