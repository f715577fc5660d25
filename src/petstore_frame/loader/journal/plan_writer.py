"""Writes the plan of the matching rules: which animal each row is, and which values it has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from petstore_frame.loader.journal.matching_input import TO_SEND, Reader
from petstore_frame.loader.journal.rows import pack_problems
from petstore_frame.loader.journal.schema import RELEASE_PET_ID
from petstore_frame.loader.matching.repeated_keys import KEY_PROBLEMS
from petstore_frame.loader.matching.values import By, Plan

# Gives existing animals the values of the rows that will be sent.
_UPDATE_ANIMALS = f"""
UPDATE animals SET import = :mine, row = new.row, payload = new.payload,
  content = new.content, state = 'pending', reason = iif(reason = 'recreated', reason, NULL),
  answer = NULL, settled_at = NULL, may_have_been_applied = 0
FROM (SELECT rows.animal, rows.row, rows.payload, rows.content {TO_SEND}
  AND animals.animal IS NOT NULL) AS new
WHERE animals.animal = new.animal
"""
# Creates the animals of rows that have none yet.
_INSERT_ANIMALS = f"""
INSERT INTO animals (animal, import, row, payload, content, state)
SELECT rows.animal, rows.import, rows.row, rows.payload, rows.content, 'pending'
{TO_SEND} AND animals.animal IS NULL
"""
# Cancels unsent animals whose row now needs fixing or is excluded (they keep the row), or whose row
# is now another animal (they lose it).
_WITHDRAW = """
UPDATE animals SET state = iif(changed.state = 'pending', NULL, changed.state),
  import = iif(changed.has_row, import, NULL), row = iif(changed.has_row, row, NULL)
FROM (SELECT stored.animal, stored.state, rows.animal IS stored.animal AS has_row
  FROM animals AS stored JOIN rows USING (import, row)
  WHERE stored.import = :mine
    AND (stored.state IS NULL OR stored.state IN ('pending', 'rejected'))
    AND (rows.animal IS NOT stored.animal OR stored.state = 'pending'
      AND (rows.problem IS NOT NULL OR rows.reason IS NOT NULL))) AS changed
WHERE animals.animal = changed.animal
"""
# Reopens a finished import that has rows to send, so that it is resumed after a kill.
_UNFINISHED = """
UPDATE imports SET ending = NULL WHERE import = :mine AND ending = 'done'
AND EXISTS (SELECT 1 FROM animals WHERE import = :mine AND state = 'pending')
"""
# Stores the animal of each key, except for rows that were matched by their key.
_CLAIM = """
INSERT OR IGNORE INTO keys SELECT :columns, core, key, animal FROM rows
WHERE import = :mine AND key IS NOT NULL AND animal IS NOT NULL AND reason IS NULL
  AND known_by IS NOT 'key' ORDER BY core, key
"""
# Links excluded rows to the loaded animals of their keys, so that the result can show changed
# values. This applies only if no other row of the file has the key. A row with another name and
# another category is another animal. If a value of the row cannot be read, the key alone decides.
_SHOW_EXCLUDED = """
UPDATE rows SET known_by = 'key', animal = loaded.animal FROM (
  SELECT rows.row AS row_number, min(animals.animal) AS animal FROM rows
  JOIN keys ON keys.columns = :columns AND keys.core = rows.core AND keys.key = rows.key
  JOIN animals ON animals.animal = keys.animal AND animals.state IN ('created', 'matched')
  WHERE rows.import = :mine AND rows.animal IS NULL AND rows.reason IS NOT NULL
    AND rows.content IS NULL
    AND (rows.payload IS NULL
      OR CAST(rows.payload AS TEXT) ->> 'name' = CAST(animals.payload AS TEXT) ->> 'name'
      OR CAST(rows.payload AS TEXT) ->> 'categoryId'
        = CAST(animals.payload AS TEXT) ->> 'categoryId')
    AND rows.key NOT IN (
      SELECT key FROM rows WHERE import = :mine AND reason IS NULL AND key IS NOT NULL)
  GROUP BY rows.row) AS loaded
WHERE rows.import = :mine AND rows.row = loaded.row_number
"""
# Makes rows new animals, unless they already are. ``{}`` is the highest animal number so far.
_CREATE = """
rows SET known_by = ?, animal = iif(EXISTS (SELECT 1 FROM animals
  WHERE animals.animal = rows.animal AND animals.import = rows.import AND animals.row = rows.row),
  animal, {} + row)
"""
_HAS_VALID_KEY = " AND ".join(
    f"instr(coalesce(rows.problem, ''), '\"{code}\"') = 0" for code in sorted(KEY_PROBLEMS)
)
# Assigns the animal of a fix row to the row that it corrects.
_CORRECTED = """
UPDATE rows SET animal = fixed.animal, known_by = 'fix'
FROM rows AS fixed WHERE fixed.import = ? AND fixed.row = ?
AND fixed.animal IS NOT NULL AND rows.import = ? AND rows.row = ?
AND rows.animal IS NOT fixed.animal
"""
# Stores the valid key of a row that a fix row corrects, also if the fix file lacks its columns.
_CLAIM_CORRECTED = f"""
INSERT OR IGNORE INTO keys SELECT imports.key_columns, rows.core, rows.key, rows.animal
FROM rows JOIN imports USING (import)
WHERE rows.import = ? AND rows.row = ? AND rows.key IS NOT NULL AND rows.animal IS NOT NULL
  AND rows.reason IS NULL AND {_HAS_VALID_KEY}
"""


def write_plan(
    reader: Reader, plan: Plan, origins: Sequence[tuple[int, int, int]], now: float
) -> None:
    """Write a plan; ``origins`` has each fix row with the import and the row that it corrects."""
    number = reader.staged.run.number
    _write_rows(reader, plan)
    for statement in (_WITHDRAW, _UPDATE_ANIMALS, _INSERT_ANIMALS):
        reader.execute(statement)
    _change(reader, "animals SET life = life + ?", [(n, row) for row, n in plan.lives.items()])
    _write_matched(reader, plan, now)
    # Rows with the same key as a selected row get its animal, or its reason for being excluded.
    _change(
        reader,
        "rows SET (animal, reason) = (SELECT selected.animal, selected.reason FROM rows AS selected"
        f" WHERE selected.import = {number} AND selected.row = ?)",
        [(_selected_row(plan, row), row) for row in plan.same_as],
    )
    reader.sql.executemany(_CORRECTED, [(number, *origin) for origin in origins])
    reader.sql.executemany(_CLAIM_CORRECTED, [origin[1:] for origin in origins])
    reader.execute(_UNFINISHED)
    if reader.staged.key_columns and not reader.staged.is_resumed:
        reader.execute(_CLAIM)
        if reader.staged.has_excluded and not reader.staged.run.copy:
            reader.execute(_SHOW_EXCLUDED)


def _write_rows(reader: Reader, plan: Plan) -> None:
    """Write which animal each row is, or why it needs fixing."""
    _change(
        reader,
        "rows SET animal = NULL, problem = NULL, known_by = ?",
        [
            (By.SIMILAR_ROW.value if row in plan.similar else By.REPEAT.value, row)
            for row in plan.same_as
        ],
    )
    # A row that had no problem is unlinked from its animal; other problems of a row stay.
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
    """Mark rows as matched with existing pets, and store the values of these."""
    pets = plan.pets
    reader.sql.executemany(RELEASE_PET_ID, [(pet.id,) for pet in pets.values()])
    _change(
        reader,
        "animals SET state = 'matched', pet_id = ?, payload = ?, content = ?,"
        f" id_source = 'matched', settled_at = {now}, shown_at = {now}",
        [(pet.id, pet.payload, pet.content, row) for row, pet in pets.items()],
    )
    _change(reader, "rows SET known_by = 'in_store'", [(row,) for row in pets])


def _change(reader: Reader, update: str, values: Iterable[Sequence[Any]]) -> None:
    """Run an UPDATE for rows of this import; each tuple of values ends with the row's number."""
    condition = f"WHERE import = {reader.staged.run.number} AND row = ?"
    reader.sql.executemany(f"UPDATE {update} {condition}", values)


def _selected_row(plan: Plan, row: int) -> int:
    """Return the row that was selected for the key of a row."""
    while row in plan.same_as:
        row = plan.same_as[row]
    return row


def mark_new_lines(reader: Reader) -> None:
    """Make the rows that the user named new animals; rows that already are keep their animal."""
    reader.execute(
        "UPDATE rows SET known_by = 'user', animal = iif(EXISTS (SELECT 1 FROM animals"
        "  WHERE animals.animal = rows.animal AND animals.import = :mine"
        "  AND animals.row = rows.row),"
        "  animal, :base + row)"
        " WHERE import = :mine AND animal IS NOT NULL"
        " AND line IN (SELECT value FROM json_each(:lines))",
        lines=json.dumps([*reader.staged.new_lines]),
    )
