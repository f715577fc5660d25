"""Reads the rows that need a rule from the journal, with the animals and pets that they may be."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petstore_frame.loader.journal.row_answers import RowAnswers
from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.schema import IS_ANIMAL, MAY_BE_DATE
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.stored_values import stored_json
from petstore_frame.loader.matching.folding import SEPARATOR, fold, name_in
from petstore_frame.loader.matching.key_cores import DayCore, date_cores, day_core
from petstore_frame.loader.matching.key_texts import key_texts
from petstore_frame.loader.matching.values import Animal, Candidates, Pet, Row
from petstore_frame.schema import FIELDS

# Gives rows the animals that were made for them when this file was read before.
_KEEP_OWN = """
UPDATE rows SET animal = own.animal FROM (
  SELECT row, animal, state, max(attempt) FROM animals WHERE import = :mine GROUP BY row) AS own
WHERE rows.reading = :reading AND rows.row = own.row
  AND (rows.animal IS NOT NULL OR own.state <> 'pending')
"""
_REPEATED = """
INSERT INTO temp.repeated_cores
SELECT core FROM rows WHERE reading = :reading AND core IS NOT NULL
GROUP BY core HAVING count(*) > 1
"""
# Settles rows with an exact key and unchanged content, if one animal has the key.
_SETTLE = f"""
UPDATE rows SET animal = existing.animal FROM (
  SELECT rows.row AS row_number, min(keys.animal) AS animal FROM rows
  CROSS JOIN keys ON keys.core = rows.core AND keys.key = rows.key
  CROSS JOIN animals ON animals.animal = keys.animal AND {IS_ANIMAL}
  WHERE rows.reading = :reading AND rows.animal > :base
  GROUP BY rows.row HAVING count(*) = 1 AND min(animals.content) = min(rows.content)) AS existing
WHERE rows.reading = :reading AND rows.row = existing.row_number
"""
# The rows of the file; ``CandidateReader._rows`` reads their values in this order.
_ROWS = f"""
SELECT rows.row, rows.line, rows.content, rows.payload, rows.key, rows.core,
  iif({IS_ANIMAL} AND animals.import = :mine, animals.animal, NULL),
  {IS_ANIMAL}, animals.gone_at IS NOT NULL, animals.state = 'not_found',
  rows.excluded IS NOT NULL, rows.is_unranked, rows.is_unnamed, rows.rank, rows.unsent_hash
FROM rows LEFT JOIN animals ON animals.animal = rows.animal
WHERE rows.reading = :reading
"""
# Whether a row is not settled: it has no animal that was sent.
_IS_OPEN = f"(animals.animal IS NULL OR NOT {IS_ANIMAL})"
_OPEN_ROWS = f"""
SELECT count(*) FROM rows LEFT JOIN animals ON animals.animal = rows.animal
WHERE rows.reading = :reading AND rows.payload IS NOT NULL AND rows.excluded IS NULL AND {_IS_OPEN}
"""
_ANIMAL_COLUMNS = """
animals.animal, animals.content, animals.payload, animals.is_unnamed, animals.gone_at IS NOT NULL
"""
_BY_CORE = f"""
SELECT keys.core, keys.key, {_ANIMAL_COLUMNS}
FROM json_each(:cores) AS wanted JOIN keys ON keys.core = wanted.value
JOIN animals ON animals.animal = keys.animal AND {IS_ANIMAL} ORDER BY animals.animal
"""
_BY_CONTENT = f"""
SELECT {_ANIMAL_COLUMNS},
  (SELECT json_group_array(key) FROM keys WHERE keys.animal = animals.animal)
FROM json_each(:contents) AS wanted JOIN animals ON animals.content = wanted.value
WHERE {IS_ANIMAL} ORDER BY animals.animal
"""
# The name in a content.
_NAME = f"substr({{table}}.content, instr({{table}}.content, '{SEPARATOR}') + 1)"
_BY_NAME = f"""
SELECT {_ANIMAL_COLUMNS},
  (SELECT json_group_array(key) FROM keys WHERE keys.animal = animals.animal)
FROM animals WHERE {IS_ANIMAL}
  AND {_NAME.format(table="animals")} IN (SELECT value FROM json_each(:names))
ORDER BY animals.animal
"""
_MAX_ID_DIGITS = 18
_BATCH_SIZE = 5000


@dataclass(frozen=True)
class ListedPets:
    """The pets of a reading of the store: those of animals, and all others."""

    others: Mapping[int, Pet]
    animals: Mapping[int, int]  # the animal of each pet that has one


class CandidateReader:
    """Reads the candidates of one reading of a file.

    Args:
        sql: A connection with an open transaction.
        staged: The rows, and their import.
        pause: Called before each statement, so that Ctrl-C works.
    """

    def __init__(self, sql: sqlite3.Connection, staged: Staged, pause: Callable[[], None]) -> None:
        self._sql, self._run, self._pause = sql, staged.run, pause
        self._names = {
            "mine": staged.run.number, "reading": staged.run.reading, "base": staged.base,
        }  # fmt: skip

    def execute(self, statement: str, **more: Any) -> sqlite3.Cursor:
        """Run a statement with the parameters of this reading."""
        self._pause()
        return self._sql.execute(statement, self._names | more)

    def _has(self, from_: str, **more: Any) -> bool:
        return self.execute(f"SELECT 1 {from_} LIMIT 1", **more).fetchone() is not None

    def read(self, answers: RowAnswers, pets: ListedPets, *, earlier_create: bool) -> Candidates:
        """Give rows their own animals, settle exact keys, and return the rows that remain."""
        run, has_key = self._run, bool(self._run.key)
        self.execute(_KEEP_OWN)
        named = self._rows_of_lines(answers.new_lines)
        if has_key:
            self._find_repeated_cores()
        settled = 0
        if has_key and not run.copy and self._has("FROM keys"):
            settled = self.execute(_SETTLE).rowcount
        pet_ids = {} if run.copy else self._pet_ids({*pets.others, *pets.animals})
        other_rows = {*answers.decisions, *named, *pet_ids}
        rows, settled_rows = self._rows(answers, named, other_rows, pet_ids, pets)
        if run.copy:
            return Candidates(rows, has_key=has_key)
        by_key, by_core = self._animals_of_keys(rows)
        contents = {row.content for row in rows if row.content is not None and row.own is None}
        by_name: dict[str, list[Animal]] = {}
        if not has_key:
            names = {name_in(content) for content in contents}
            by_name = self._animals_with(_BY_NAME, "names", names, name_in)
        named_pets = {*pet_ids.values()}
        animals_of_pets = {
            pet_id: animal for pet_id, animal in pets.animals.items() if pet_id in named_pets
        }
        return Candidates(
            rows=rows,
            by_key=by_key,
            by_core=by_core,
            by_content=self._animals_with(_BY_CONTENT, "contents", contents, lambda text: text),
            by_name=by_name,
            open_rows=self.execute(_OPEN_ROWS).fetchone()[0] if by_name else 0,
            pets={
                pet.id: pet
                for pet in pets.others.values()
                if pet.content in contents or pet.id in named_pets
            },
            animals_of_pets=self._animals_of_pets(animals_of_pets),
            settled_keys=settled - settled_rows,
            has_key=has_key,
            earlier_create=earlier_create,
        )

    def _rows_of_lines(self, lines: Collection[int]) -> set[int]:
        records = self.execute(
            "SELECT row FROM rows WHERE reading = :reading"
            " AND line IN (SELECT value FROM json_each(:lines))",
            lines=json.dumps([*lines]),
        )
        return {row for (row,) in records}

    def _find_repeated_cores(self) -> None:
        """Create a temporary table of the cores that several rows of the file have."""
        self.execute("DROP TABLE IF EXISTS temp.repeated_cores")
        self.execute("CREATE TEMP TABLE repeated_cores (core TEXT PRIMARY KEY) WITHOUT ROWID")
        self.execute(_REPEATED)

    def _rows(
        self,
        answers: RowAnswers,
        named: Collection[int],
        other_rows: Collection[int],
        pet_ids: Mapping[int, int],
        pets: ListedPets,
    ) -> tuple[tuple[Row, ...], int]:
        """Return the rows that a line of the table may apply to, and how many were settled."""
        run, has_key = self._run, bool(self._run.key)
        conditions = ["rows.row IN (SELECT value FROM json_each(:other_rows))"]
        if has_key:
            conditions.append("rows.core IN (SELECT core FROM temp.repeated_cores)")
        if not run.copy:
            conditions += [f"{_IS_OPEN} AND {condition}" for condition in self._conditions()]
        contents = {pet.content for pet in pets.others.values()} if not run.copy else set()
        records = self.execute(
            f"{_ROWS} AND ({' OR '.join(f'({condition})' for condition in conditions)}"
            f" OR {_IS_OPEN} AND rows.content IN (SELECT value FROM json_each(:pet_contents)))"
            " ORDER BY rows.row",
            other_rows=json.dumps([*other_rows]),
            pet_contents=json.dumps([*contents]),
        )
        rows = []
        settled_rows = 0
        for number, line, content, payload, key, core, own, *flags, rank, unsent_hash in records:
            is_animal, is_gone, is_not_found, is_excluded, is_unranked, is_unnamed = flags
            settled_rows += bool(is_animal) and own is None
            rows.append(Row(
                number, line, content, payload, key, core, own,
                is_gone=bool(is_gone),
                is_not_found=bool(is_not_found),
                is_excluded=bool(is_excluded),
                is_unranked=bool(is_unranked),
                has_default_name=bool(is_unnamed),
                order_value=rank,
                unsent_hash=unsent_hash,
                pet_id=pet_ids.get(number),
                decision=answers.decision_of(number, key, content),
                was_shown=number in answers.shown,
                is_named_new=number in named,
            ))  # fmt: skip
        return tuple(rows), settled_rows

    def _conditions(self) -> Iterable[str]:
        """Yield the conditions of rows that may be animals of other files."""
        if self._has("FROM keys"):
            yield "EXISTS (SELECT 1 FROM keys WHERE keys.core = rows.core)"
            yield f"({MAY_BE_DATE})"  # compared by their day
        if not self._has(f"FROM animals WHERE import IS NOT :mine AND {IS_ANIMAL}"):
            return
        self.execute("CREATE INDEX IF NOT EXISTS contents ON animals(content)")
        self.execute("CREATE INDEX IF NOT EXISTS keys_of_animals ON keys(animal)")
        yield "EXISTS (SELECT 1 FROM animals AS equal WHERE equal.content = rows.content)"
        if not self._run.key:
            names, equal = _NAME.format(table="rows"), _NAME.format(table="equal")
            yield f"{names} IN (SELECT {equal} FROM animals AS equal)"

    def _pet_ids(self, pets: set[int]) -> dict[int, int]:
        """Map rows to pets by the ids of a file that has the columns of an export."""
        header = [fold(name).replace(" ", "_") for name in self._run.header]
        if not {*FIELDS.names} <= {*header} or not pets:
            return {}
        at = header.index("id")
        pet_ids: dict[int, int] = {}
        for row, packed in self.execute("SELECT row, cells FROM rows WHERE reading = :reading"):
            text = "".join(read_cells(packed)[at : at + 1]).strip().removesuffix(".0")
            is_id = text.isascii() and text.isdecimal() and len(text) <= _MAX_ID_DIGITS
            if is_id and int(text) in pets:
                pet_ids[row] = int(text)
        return pet_ids

    def _animals_of_keys(
        self, rows: Sequence[Row]
    ) -> tuple[dict[str, list[Animal]], dict[str, list[Animal]]]:
        """Return the animals with the keys of some rows, and those with their cores only."""
        by_key = defaultdict[str, list[Animal]](list)
        by_core = defaultdict[str, list[Animal]](list)
        keys: set[str] = set()
        # The cores of the rows that each core is compared with, and the day if the core is of one.
        compared = defaultdict[str, set[tuple[str, DayCore | None]]](set)
        for row in rows:
            if row.key is None or row.core is None or row.own is not None:
                continue
            keys.add(row.key)
            compared[row.core].add((row.core, None))
            texts = key_texts(row.key)
            for core in date_cores(texts):
                compared[core].add((row.core, day_core(texts)))
        for batch in _batches(sorted(compared)):
            for core, key, *values in self.execute(_BY_CORE, cores=batch):
                animal = _animal(values, (key,))
                if key in keys:
                    by_key[key].append(animal)
                for row_core, day in compared[core]:
                    if day is None or _is_of_day(key, day):
                        by_core[row_core].append(animal)
        return by_key, by_core

    def _animals_with(
        self, query: str, name: str, texts: Iterable[str], text_of: Callable[[str], str]
    ) -> dict[str, list[Animal]]:
        """Return animals that no row of the file is, and none of whose keys is in the file."""
        animals: list[Animal] = []
        for batch in _batches(sorted(texts)):
            for *values, keys in self.execute(query, **{name: batch}):
                animals.append(_animal(values, tuple(stored_json(keys))))
        keys_here = self._in_file("key", {key for animal in animals for key in animal.keys})
        animals_here = self._in_file("animal", {animal.id for animal in animals})
        by_text = defaultdict[str, list[Animal]](list)
        for animal in animals:
            if animal.id not in animals_here and keys_here.isdisjoint(animal.keys):
                by_text[text_of(animal.content or "")].append(animal)
        return by_text

    def _in_file(self, column: str, values: Collection[Any]) -> set[Any]:
        """Return those values that a row of the file has in a column."""
        if not values:
            return set()
        records = self.execute(
            f"SELECT DISTINCT {column} FROM rows WHERE reading = :reading"
            f" AND {column} IN (SELECT value FROM json_each(:values))",
            values=json.dumps([*values]),
        )
        return {value for (value,) in records}

    def _animals_of_pets(self, animals_of_pets: Mapping[int, int]) -> dict[int, Animal]:
        records = self.execute(
            f"SELECT {_ANIMAL_COLUMNS} FROM animals"
            " WHERE animal IN (SELECT value FROM json_each(:animals))",
            animals=json.dumps([*animals_of_pets.values()]),
        )
        animals = {values[0]: _animal(values) for values in records}
        return {pet_id: animals[animal] for pet_id, animal in animals_of_pets.items()}


def _is_of_day(key: str, day: DayCore) -> bool:
    """Return whether a key may be a day that is written in another form."""
    own_day = day_core(key_texts(key))
    return own_day is not None and own_day.is_of(day)


def _animal(values: Sequence[Any], keys: tuple[str, ...] = ()) -> Animal:
    number, content, payload, is_unnamed, is_gone = values
    return Animal(number, content, payload, bool(is_unnamed), keys, bool(is_gone))


def _batches(texts: Sequence[str]) -> Iterable[str]:
    """Yield lists of texts as JSON."""
    for start in range(0, len(texts), _BATCH_SIZE):
        yield json.dumps(texts[start : start + _BATCH_SIZE])
