"""Writes the plan of the matching rules: which animal each row is, and which rows are sent."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from petstore_frame.loader.journal.row_answers import write_answers
from petstore_frame.loader.journal.rows import pack_problems
from petstore_frame.loader.journal.schema import IS_ANIMAL, MAY_BE_DATE, RELEASE_PET_ID
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.matching.key_cores import date_cores
from petstore_frame.loader.matching.key_texts import key_texts
from petstore_frame.loader.matching.values import SKIP, Candidates, Match, Pet, Plan

# Whether a row is sent, as far as its own columns say.
IS_TO_SEND = "rows.animal IS NOT NULL AND rows.payload IS NOT NULL AND rows.excluded IS NULL"
# Unsent animals whose rows are not sent any more, or are other animals now.
_WITHDRAWN = f"""
SELECT animals.animal FROM animals
LEFT JOIN rows ON rows.reading = :reading AND rows.row = animals.row
  AND rows.animal = animals.animal
WHERE animals.import = :mine AND (
  animals.state = 'pending' AND (rows.row IS NULL OR NOT ({IS_TO_SEND}))
  OR animals.state IN ('rejected', 'not_found') AND rows.row IS NULL)
"""
# Gives unsent animals the values of their rows. A rejected row is not sent again unchanged, and one
# that was not found only if a person says so in this call.
_UPDATE_ANIMALS = f"""
UPDATE animals SET payload = rows.payload, content = rows.content, is_unnamed = rows.is_unnamed,
  state = 'pending', reason = NULL, answer = NULL, settled_at = NULL, may_have_been_applied = 0
FROM rows WHERE rows.reading = :reading AND rows.animal = animals.animal
  AND animals.import = :mine AND {IS_TO_SEND}
  AND (animals.state = 'pending'
    OR animals.state = 'rejected' AND animals.payload IS NOT rows.payload
    OR animals.state = 'not_found' AND rows.row IN (SELECT value FROM json_each(:created)))
"""
_INSERT_ANIMALS = f"""
INSERT INTO animals (animal, import, row, attempt, payload, content, is_unnamed, state)
SELECT rows.animal, :mine, rows.row, {{attempt}}, rows.payload, rows.content, rows.is_unnamed,
  'pending'
FROM rows LEFT JOIN animals AS existing ON existing.animal = rows.animal
WHERE rows.reading = :reading AND {IS_TO_SEND} AND existing.animal IS NULL
"""
_NEXT_ATTEMPT = """
coalesce((SELECT max(attempt) + 1 FROM animals AS earlier
  WHERE earlier.import = :mine AND earlier.row = rows.row), 0)
"""
# Stores the animal of each key, except for rows that were settled by their exact key.
_NEW_KEYS = """
FROM rows JOIN animals USING (animal)
WHERE rows.reading = :reading AND rows.key IS NOT NULL
  AND (animals.import = :mine AND animals.row = rows.row
    OR rows.row IN (SELECT value FROM json_each(:linked)))
"""
# Reopens a finished import that has rows to send, so that it is resumed after a kill.
_REOPEN = """
UPDATE imports SET ending = NULL WHERE import = :mine AND ending = 'done'
AND EXISTS (SELECT 1 FROM animals WHERE import = :mine AND state = 'pending')
"""
# Takes the key of a row from the animal that an answer gave it to, unless it is its own key.
_RETURN_KEY = """
DELETE FROM keys WHERE animal = :animal AND (core, key) IN (
  SELECT core, key FROM rows WHERE reading = :reading AND row = :row)
AND NOT EXISTS (
  SELECT 1 FROM animals JOIN imports USING (import)
  JOIN rows ON rows.reading = imports.reading AND rows.row = animals.row
  WHERE animals.animal = :animal AND rows.key = keys.key)
"""


class PlanWriter:
    """Writes the plan for one reading of a file."""

    def __init__(self, sql: sqlite3.Connection, staged: Staged, now: float) -> None:
        self._sql, self._run, self._now = sql, staged.run, now
        self._base, self._is_new = staged.base, staged.is_new
        self._names = {"mine": staged.run.number, "reading": staged.run.reading}

    def write(self, plan: Plan, candidates: Candidates) -> None:
        """Write what each row is."""
        rows = {row.number: row for row in candidates.rows}
        self._write_rows(plan)
        for number in plan.created:
            decision = rows[number].decision
            if decision is not None and decision.answer == SKIP:
                self._execute(_RETURN_KEY, animal=decision.animal, row=number)
        if not self._is_new:
            self._withdraw()
            created_now = plan.created.keys() & plan.answered.keys()
            self._execute(_UPDATE_ANIMALS, created=json.dumps([*created_now]))
        attempt = "0" if self._is_new else _NEXT_ATTEMPT
        self._execute(_INSERT_ANIMALS.format(attempt=attempt))
        self._raise_attempts(plan.created, candidates.pets.values())
        self._write_matched(plan.pets)
        self._write_keys([*plan.animals])
        self._execute(_REOPEN)
        write_answers(self._sql, self._run.id, plan.answered, candidates.rows)

    def _execute(self, statement: str, **more: Any) -> sqlite3.Cursor:
        return self._sql.execute(statement, self._names | more)

    def _write_rows(self, plan: Plan) -> None:
        """Write which animal each row is or may be, or why it needs fixing."""
        self._change(
            "animal = NULL, conflict = ?",
            ((pack_problems([problem]), row) for row, problem in plan.conflicts.items()),
        )
        self._change(
            "animal = NULL, same_as = ?",
            ((_selected_row(plan, row), row) for row in plan.same_as),
        )
        self._change(
            "animal = NULL, possible = ?",
            ((pack_match(match), row) for row, match in plan.possible.items()),
        )
        self._change("animal = ?", ((animal, row) for row, animal in plan.animals.items()))
        # A created row keeps an animal of its own that was not sent yet.
        self._change(
            f"animal = iif(EXISTS (SELECT 1 FROM animals WHERE animals.animal = rows.animal"
            f" AND animals.import = {self._run.number} AND animals.row = rows.row"
            f" AND NOT {IS_ANIMAL}), animal, {self._base} + row)",
            ((row,) for row in plan.created),
        )

    def _change(self, update: str, values: Iterable[Sequence[Any]]) -> None:
        """Update rows of this reading; each tuple of values ends with the row's number."""
        condition = f"WHERE reading = {self._run.reading} AND row = ?"
        self._sql.executemany(f"UPDATE rows SET {update} {condition}", values)

    def _withdraw(self) -> None:
        """Delete animals that were not sent and will not be sent."""
        withdrawn = [(animal,) for (animal,) in self._execute(_WITHDRAWN)]
        self._sql.executemany("DELETE FROM keys WHERE animal = ?", withdrawn)
        self._sql.executemany("DELETE FROM animals WHERE animal = ?", withdrawn)

    def _raise_attempts(self, created: Mapping[int, Match | None], pets: Iterable[Pet]) -> None:
        """Give animals that equal pets of the store another idempotency key than those had."""
        equal_pets = Counter(pet.content for pet in pets)
        raised = [
            (equal_pets[match.pet.content], row)
            for row, match in created.items()
            if match is not None and match.pet is not None
        ]
        self._sql.executemany(
            "UPDATE animals SET attempt = attempt + ?"
            f" WHERE state = 'pending' AND import = {self._run.number} AND row = ?",
            raised,
        )

    def _write_matched(self, pets: Mapping[int, Pet]) -> None:
        """Mark animals as matched with pets of the store, and store the values of these."""
        for row, pet in pets.items():
            self._sql.execute(RELEASE_PET_ID, {"now": self._now, "pet_id": pet.id})
            self._execute(
                "UPDATE animals SET state = 'matched', pet_id = :pet_id, payload = :payload,"
                " content = :content, id_source = 'matched', settled_at = :now, shown_at = :now"
                " WHERE animal = (SELECT animal FROM rows WHERE reading = :reading AND row = :row)",
                pet_id=pet.id,
                payload=pet.payload,
                content=pet.content,
                now=self._now,
                row=row,
            )

    def _write_keys(self, linked: Sequence[int]) -> None:
        """Give animals the keys of their rows."""
        if not self._is_new:  # a correction may have changed the key of an unsent row
            self._execute(
                "DELETE FROM keys WHERE animal IN"
                " (SELECT animal FROM animals WHERE import = :mine AND state = 'pending')"
            )
        packed = json.dumps(linked)
        self._execute(
            f"INSERT OR IGNORE INTO keys SELECT rows.core, rows.key, rows.animal {_NEW_KEYS}"
            " ORDER BY rows.core, rows.key",
            linked=packed,
        )
        dates = self._execute(
            f"SELECT rows.key, rows.animal {_NEW_KEYS} AND ({MAY_BE_DATE})", linked=packed
        ).fetchall()
        self._sql.executemany(
            "INSERT OR IGNORE INTO keys VALUES (?, ?, ?)",
            [(core, key, animal) for key, animal in dates for core in date_cores(key_texts(key))],
        )


def pack_match(match: Match) -> str:
    """Encode what a row may be as one text."""
    values: dict[str, Any] = {"line": match.table_line}
    if match.animal is not None:
        values["animal"] = match.animal
    if match.same_as is not None:
        values["row"] = match.same_as
    if match.pet is not None:
        values["pet"] = match.pet.id
        values["payload"] = match.pet.payload.decode()
    return json.dumps(values)


def _selected_row(plan: Plan, row: int) -> int:
    """Return the row that was selected for the key of a row."""
    while row in plan.same_as:
        row = plan.same_as[row]
    return row
