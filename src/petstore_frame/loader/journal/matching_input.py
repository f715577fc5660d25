"""Reads the input of the matching rules from the journal: open rows and similar animals."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.staging import Staged, columns_of
from petstore_frame.loader.journal.store_check import StorePets, animals_in_store, settled_before
from petstore_frame.loader.key_dates import THREE_NUMBERS, DateForm, date_form
from petstore_frame.loader.matching.by_key import first_digits
from petstore_frame.loader.matching.folding import fold
from petstore_frame.loader.matching.match import MatchingInput
from petstore_frame.loader.matching.not_keys import is_missing_key
from petstore_frame.loader.matching.repeated_keys import (
    KEY_MISSING,
    KEY_PROBLEMS,
    key_texts,
)
from petstore_frame.loader.matching.values import CREATE, Animal, By, Pet, Row
from petstore_frame.loader.row_state import RowProblem, State
from petstore_frame.schema import FIELDS

# Whether a row would be sent now: its animal is new or was not sent yet. A row that the store
# rejected is not sent again unchanged, but a corrected or later row of its animal is. A resume
# has no file, so it sends only rows whose values their animals already have.
IS_TO_SEND = """
(rows.animal IS NOT NULL AND rows.payload IS NOT NULL
  AND coalesce(rows.known_by, '') NOT IN ('repeat', 'similar_row')
  AND rows.problem IS NULL AND rows.reason IS NULL
  AND (animals.state = 'pending' AND animals.import = rows.import AND animals.row = rows.row
    OR NOT :is_resumed AND (animals.state IS NULL OR animals.state = 'pending'
      OR animals.state IN ('rejected', 'not_found') AND animals.import IS NOT rows.import
      OR animals.state = 'rejected'
        AND (animals.payload IS NOT rows.payload OR animals.row IS NOT rows.row))))
"""
TO_SEND = f"""
FROM rows LEFT JOIN animals ON animals.animal = rows.animal
WHERE rows.import = :mine AND {IS_TO_SEND}
"""
# Whether a row has no animal, or one that can still be sent.
_IS_OPEN = """
(rows.animal IS NULL OR animals.state IS NULL
  OR animals.state IN ('pending', 'rejected', 'not_found'))
"""
# Stores the cores of keys that several rows of the file have.
_REPEATED = """
INSERT INTO temp.repeated_cores
SELECT core FROM rows WHERE import = :mine AND core IS NOT NULL
AND (content IS NOT NULL OR problem IS NOT NULL) GROUP BY core HAVING count(*) > 1
"""
# Assigns loaded animals to rows with exact keys, if exactly one row of the file and one sent animal
# have the key and both have the same content.
_SETTLE = """
UPDATE rows SET animal = loaded.animal, known_by = 'key' FROM (
  SELECT rows.row AS row_number, min(keys.animal) AS animal FROM rows
  CROSS JOIN keys ON keys.columns = :columns AND keys.core = rows.core AND keys.key = rows.key
  CROSS JOIN animals ON animals.animal = keys.animal
  WHERE rows.import = :mine AND rows.animal > :base AND rows.known_by IS NULL
    AND rows.problem IS NULL AND rows.reason IS NULL
    AND rows.core NOT IN (SELECT core FROM temp.repeated_cores)
  GROUP BY rows.row HAVING count(*) = 1 AND min(animals.content) = min(rows.content)
    AND min(animals.state) IN ('created', 'matched')) AS loaded
WHERE rows.import = :mine AND rows.row = loaded.row_number
"""
# The rows of the file with their animals, in the order of the parameters of ``_row``.
_ROWS = f"""
SELECT rows.row, rows.line, rows.content, rows.payload, rows.key, rows.core, rows.animal,
  animals.state, rows.known_by, {IS_TO_SEND}, rows.reason IS NOT NULL, rows.is_unnamed,
  rows.problem, rows.rank, rows.unsent_hash, rows.animal <= :base AND animals.state IS NOT NULL
FROM rows LEFT JOIN animals ON animals.animal = rows.animal
WHERE rows.import = :mine AND (rows.content IS NOT NULL OR rows.problem IS NOT NULL)
"""
# What the rules need to know about an animal that has a key.
_KEYED_ANIMAL = """
  keys.core, keys.key, animals.animal, animals.content, animals.payload, animals.state,
  coalesce((SELECT is_unnamed FROM rows WHERE rows.import = animals.import
    AND rows.row = animals.row), 0),
  animals.pet_id, animals.shown_at IS NOT NULL OR animals.settled_at < :settled_before,
  animals.reason"""
# The animals of some cores.
_KEYS = f"""
SELECT {_KEYED_ANIMAL}
FROM json_each(:cores) AS wanted
JOIN keys ON keys.columns = :columns AND keys.core = wanted.value
JOIN animals ON animals.animal = keys.animal ORDER BY animals.animal
"""
# The animals whose keys are long numbers that start with some digits.
_LONG_NUMBERS = """
SELECT keys.core, keys.key, animals.animal, animals.content, animals.payload, animals.state, 0,
  animals.pet_id, animals.shown_at IS NOT NULL OR animals.settled_at < :settled_before,
  animals.reason
FROM json_each(:digits) AS prefix
JOIN keys ON keys.columns = :columns
  AND keys.core >= prefix.value AND keys.core < prefix.value || ':'
JOIN animals ON animals.animal = keys.animal ORDER BY animals.animal
"""
# The animals of some cores in other key columns, if they have no key in the columns of this file.
_KEYS_OF_OTHER_COLUMNS = f"""
SELECT {_KEYED_ANIMAL}
FROM json_each(:cores) AS wanted JOIN json_each(:other_columns) AS other
JOIN keys ON keys.columns = other.value AND keys.core = wanted.value
JOIN animals ON animals.animal = keys.animal AND animals.import IS NOT :mine
WHERE NOT EXISTS (SELECT 1 FROM keys AS own WHERE own.animal = animals.animal
  AND own.columns = :columns)
ORDER BY animals.animal
"""
# The next key columns in alphabetical order; faster than DISTINCT, which reads all keys.
_NEXT_COLUMNS = "SELECT min(columns) FROM keys WHERE columns > :after"
# Animals of other imports with some contents, without those of the ``siblings``.
_EQUAL = """
SELECT animals.animal, animals.content, animals.payload, animals.state,
  coalesce((SELECT is_unnamed FROM rows WHERE rows.import = animals.import
    AND rows.row = animals.row), 0),
  (SELECT json_group_array(json_array(keys.key, keys.core)) FROM keys
    WHERE keys.animal = animals.animal AND keys.columns = :columns),
  EXISTS (SELECT 1 FROM rows WHERE rows.import = :mine AND rows.animal = animals.animal),
  animals.pet_id, animals.shown_at IS NOT NULL OR animals.settled_at < :settled_before,
  animals.reason
FROM json_each(:contents) AS wanted JOIN animals ON animals.content = wanted.value
WHERE animals.import IS NOT :mine AND animals.state IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM rows WHERE rows.animal = animals.animal
    AND rows.import IN (SELECT value FROM json_each(:siblings)))
ORDER BY animals.import, animals.row
"""
# The contents of the rows of some animals in other imports.
_EARLIER_ROWS = """
SELECT DISTINCT animal, content FROM rows WHERE import <> :mine AND content IS NOT NULL
AND animal IN (SELECT value FROM json_each(:animals))
"""
_MAX_ID_DIGITS = 18
_SAMPLE_KEYS = 200
_BATCH_SIZE = 5000


class Export(Enum):
    """Whether a file names the store that it was exported from."""

    UNMARKED = auto()  # no store is named, or its id cannot be compared
    OF_THIS_STORE = auto()
    OF_ANOTHER_STORE = auto()


class Reader(NamedTuple):
    """Runs statements for the import whose rows are being matched."""

    sql: sqlite3.Connection
    staged: Staged
    pause: Callable[[], None]
    now: float

    @property
    def names(self) -> dict[str, Any]:
        """The named parameters of all statements."""
        run = self.staged.run
        return {
            "mine": run.number,
            "base": self.staged.base,
            "columns": self.staged.key_columns,
            "is_resumed": self.staged.is_resumed,
            "settled_before": settled_before(self.now),
        }

    def execute(self, statement: str, **more: Any) -> sqlite3.Cursor:
        self.pause()
        return self.sql.execute(statement, self.names | more)

    def count(self, from_: str, **more: Any) -> int:
        ((rows,),) = self.execute(f"SELECT count(*) {from_}", **more).fetchall()
        return int(rows)

    def has(self, from_: str) -> bool:
        return self.execute(f"SELECT 1 {from_} LIMIT 1").fetchone() is not None


def find_repeated_cores(reader: Reader) -> None:
    """Create a temporary table of the cores that several rows of the file have."""
    reader.execute("DROP TABLE IF EXISTS temp.repeated_cores")
    reader.execute("CREATE TEMP TABLE repeated_cores (core TEXT PRIMARY KEY) WITHOUT ROWID")
    reader.execute(_REPEATED)


def settle_exact_keys(reader: Reader) -> int:
    """Assign loaded animals to rows with exact keys and unchanged content; return their number."""
    if not reader.has("FROM keys WHERE columns = :columns"):
        return 0
    return reader.execute(_SETTLE).rowcount


def read_matching_input(
    reader: Reader,
    store: StorePets | None,
    pets: Sequence[Pet],
    siblings: Sequence[int],
    answers: Mapping[str, str],
    named_answers: Mapping[str, str],
    *,
    is_first: bool,
    has_created_same: bool,
    export: Export = Export.UNMARKED,
) -> MatchingInput:
    """Return the input of the matching rules.

    Args:
        reader: Runs statements for the import of the file.
        store: The reading of the store; None if it was not read.
        pets: The pets of that reading, with what the journal has about each.
        siblings: The imports whose rows the file corrects.
        answers: The answer to each case, from all options.
        named_answers: The answers that the user gave for a named case.
        is_first: Whether this is the first load of the journal.
        has_created_same: Whether an earlier file of this header was answered with ``create``.
        export: Whether the file names the store that it was exported from.
    """
    staged = reader.staged
    run = staged.run
    has_keys = bool(staged.key_columns)
    is_compared = not (run.copy or staged.is_resumed)
    if has_keys and not staged.is_resumed:
        find_repeated_cores(reader)
    settled = settle_exact_keys(reader) if has_keys and is_compared else 0
    stored_animals, open_gone = animals_in_store(reader.sql, run.number, named_answers, reader.now)
    listing = {} if store is None else {pet.pet_id: pet.content for pet in store.pets.values()}
    if store is None:
        stored_animals = []
    pet_ids = _pet_ids(reader, {pet.id for pet in pets}) if is_compared else {}
    store_rows = {
        animal.row for animal in stored_animals if listing.get(animal.pet_id) != animal.content
    }
    store_rows |= {match.row for match in open_gone} | pet_ids.keys()
    other_columns = _other_key_columns(reader) if is_compared else []
    rows = _read_rows(reader, pets, store_rows, other_columns)
    by_key, by_core, long_numbers = _read_keyed(reader, rows if is_compared else [])
    keyed, sent, unsent = _read_equal(reader, rows, siblings) if is_compared else ([], [], [])
    return MatchingInput(
        rows=rows,
        to_send=reader.count(TO_SEND),
        keep=run.keep,
        order_by=(run.recipe or {}).get("order_by"),
        has_keys=has_keys,
        is_compared=is_compared,
        is_resumed=staged.is_resumed,
        settled_keys=settled,
        animals_of_key=by_key,
        animals_of_core=by_core,
        keyed_animals=keyed,
        animals_of_other_columns=_read_other_columns(reader, rows, other_columns),
        long_numbers=long_numbers,
        keys_of_file=frozenset(_keys_in_file(reader, keyed)),
        date_problems=_date_problems(reader) if is_compared else {},
        sent_animals=sent,
        unsent_animals=unsent,
        earlier_contents=_read_earlier(reader, rows, by_key, named_answers),
        has_created_same=has_created_same,
        pets=pets,
        pet_ids=pet_ids,
        is_first=is_first,
        is_export=export is Export.UNMARKED and {*FIELDS.names} <= {*run.header},
        is_marked=export is Export.OF_THIS_STORE,
        creates_marked=named_answers.get(By.IN_STORE) == CREATE,
        stored_animals=stored_animals,
        open_gone=open_gone,
        asks_again_about_gone=named_answers.get("gone") == CREATE,
        listing=listing,
        is_proof=store is not None
        and (store.is_whole or (store.is_complete and "gone" in answers)),
        is_assumed_proof=store is not None and store.is_complete,
    )


def _other_key_columns(reader: Reader) -> list[str]:
    """Return the key columns of earlier files that this file does not have, or not all of them."""
    columns = reader.staged.key_columns
    if not columns:
        return []
    in_file = {columns_of([name]) for name in reader.staged.run.header}
    others: list[str] = []
    ((after,),) = reader.execute(_NEXT_COLUMNS, after="").fetchall()
    while after is not None:
        names = after.split("\x1f")
        if len(names) == len(columns.split("\x1f")) and not in_file.issuperset(names):
            others.append(after)
        ((after,),) = reader.execute(_NEXT_COLUMNS, after=after).fetchall()
    return others


def _read_rows(
    reader: Reader, pets: Sequence[Pet], store_rows: set[int], other_columns: Sequence[str]
) -> list[Row]:
    """Return the rows that a rule may apply to.

    Args:
        reader: Runs statements for the import of the file.
        pets: The pets of the store.
        store_rows: Rows whose pets have changed.
        other_columns: The key columns of earlier files that this file lacks.
    """
    staged = reader.staged
    is_compared = not (staged.run.copy or staged.is_resumed)
    conditions = ["rows.row IN (SELECT value FROM json_each(:store_rows))"]
    if staged.key_columns and not staged.is_resumed:
        conditions.append("rows.core IN (SELECT core FROM temp.repeated_cores)")
        if is_compared and reader.has("FROM keys WHERE columns = :columns"):
            conditions.append(
                f"{_IS_OPEN} AND (EXISTS (SELECT 1 FROM keys WHERE columns = :columns"
                " AND keys.core = rows.core)"
                " OR rows.core NOT GLOB '*[^0-9]*' AND length(rows.core) > 15)"
            )
    if other_columns:
        conditions.append(
            f"{_IS_OPEN} AND EXISTS (SELECT 1 FROM json_each(:other_columns) AS other"
            " JOIN keys ON keys.columns = other.value AND keys.core = rows.core)"
        )
    if is_compared and reader.has("FROM animals WHERE import IS NOT :mine"):
        reader.execute("CREATE INDEX IF NOT EXISTS contents ON animals(content)")
        reader.execute("CREATE INDEX IF NOT EXISTS keys_of_animals ON keys(animal)")
        conditions.append(
            f"{_IS_OPEN} AND EXISTS (SELECT 1 FROM animals AS equal"
            " WHERE equal.content = rows.content AND equal.import IS NOT :mine)"
        )
    if pets and not staged.run.copy:
        store_rows = store_rows | _rows_with_content(reader, {pet.content for pet in pets})
    condition = " OR ".join(f"({condition})" for condition in conditions)
    records = reader.execute(
        f"{_ROWS} AND ({condition}) ORDER BY rows.row",
        store_rows=json.dumps(sorted(store_rows)),
        other_columns=json.dumps(other_columns),
    )
    return [_row(values) for values in records]


def _row(values: Sequence[Any]) -> Row:
    (number, line, content, payload, key, core, animal, state, link, is_to_send, is_excluded,
     is_unnamed, problem, rank, unsent_hash, has_earlier_animal) = values  # fmt: skip
    by = None
    if link is not None:
        by = By.USER if link.startswith("new:") else By(link)
    codes = problem or ""
    return Row(
        number, line, content, payload, key, core, animal,
        None if state is None else State(state), by,
        is_to_send=bool(is_to_send),
        is_excluded=bool(is_excluded),
        has_default_name=bool(is_unnamed),
        has_problem=problem is not None,
        has_key_problem=any(f'"{code}"' in codes for code in KEY_PROBLEMS),
        order_value=rank,
        unsent_hash=unsent_hash,
        has_earlier_animal=bool(has_earlier_animal),
    )  # fmt: skip


def _rows_with_content(reader: Reader, contents: set[str]) -> set[int]:
    """Return the rows to send with one of some contents."""
    rows = reader.execute(f"SELECT rows.row, rows.content {TO_SEND}")
    return {row for row, content in rows if content in contents}


def _pet_ids(reader: Reader, pets: set[int]) -> dict[int, int]:
    """Map rows to pets by the ids in the file's id column, if it has one."""
    header = reader.staged.run.header
    names = [fold(name).replace("_", "").replace(" ", "") for name in header]
    id_positions = [at for at, name in enumerate(names) if name in ("id", "petid")]
    if not id_positions or not pets:
        return {}
    at = id_positions[0]
    pet_ids: dict[int, int] = {}
    for row, packed in reader.execute(f"SELECT rows.row, rows.cells {TO_SEND}"):
        text = "".join(read_cells(packed)[at : at + 1]).strip().removesuffix(".0")
        if (
            text.isascii()
            and text.isdecimal()
            and len(text) <= _MAX_ID_DIGITS
            and int(text) in pets
        ):
            pet_ids[row] = int(text)
    return pet_ids


def _read_keyed(
    reader: Reader, rows: Sequence[Row]
) -> tuple[dict[str, list[Animal]], dict[str, list[Animal]], dict[str, list[Animal]]]:
    """Return the animals with the keys, the cores and the long numbers of some rows."""
    by_key = defaultdict[str, list[Animal]](list)
    by_core = defaultdict[str, list[Animal]](list)
    by_digits = defaultdict[str, list[Animal]](list)
    if not reader.staged.key_columns:
        return by_key, by_core, by_digits
    cores = sorted({row.core for row in rows if row.core})
    for key, animal in _animals(reader, _KEYS, "cores", cores):
        by_key[key].append(animal)
        by_core[animal.cores[0]].append(animal)
    digits = {first_digits(core) for core in cores} - {None}
    for _, animal in _animals(reader, _LONG_NUMBERS, "digits", sorted(map(str, digits))):
        by_digits[animal.cores[0][:15]].append(animal)
    return by_key, by_core, by_digits


def _read_other_columns(
    reader: Reader, rows: Sequence[Row], other_columns: Sequence[str]
) -> dict[str, list[Animal]]:
    """Return the animals whose keys in other columns have the cores of some rows."""
    by_core = defaultdict[str, list[Animal]](list)
    if not other_columns:
        return by_core
    cores = sorted({row.core for row in rows if row.core and row.is_free})
    columns = json.dumps(other_columns)
    pairs = _animals(reader, _KEYS_OF_OTHER_COLUMNS, "cores", cores, other_columns=columns)
    for _, animal in pairs:
        if animal.is_sent:
            by_core[animal.cores[0]].append(animal)
    return by_core


def _animals(
    reader: Reader, query: str, name: str, values: Sequence[str], **more: str
) -> Iterable[tuple[str, Animal]]:
    """Yield each key that a query finds for some values, with its animal."""
    for start in range(0, len(values), _BATCH_SIZE):
        part = json.dumps(values[start : start + _BATCH_SIZE])
        for core, key, *values in reader.execute(query, **{name: part}, **more):
            yield key, _animal(values, (key,), (core,))


def _animal(
    values: Sequence[Any], keys: tuple[str, ...] = (), cores: tuple[str, ...] = ()
) -> Animal:
    number, content, payload, state, is_unnamed, pet_id, should_be_listed, reason = values
    return Animal(
        number,
        content,
        payload,
        None if state is None else State(state),
        bool(is_unnamed),
        keys,
        cores,
        pet_id,
        bool(should_be_listed),
        reason,
    )


def _read_equal(
    reader: Reader, rows: Sequence[Row], siblings: Sequence[int]
) -> tuple[list[Animal], list[Animal], list[Animal]]:
    """Return the animals with the contents of some rows, in three lists.

    The first has animals with keys in the same columns. The others have animals without such keys
    that were sent, and that were not sent. Texts such as "none" do not count as keys.
    """
    keyed: list[Animal] = []
    sent: list[Animal] = []
    unsent: list[Animal] = []
    contents = sorted({row.content for row in rows if row.content is not None and row.is_free})
    has_keys = bool(reader.staged.key_columns)
    for start in range(0, len(contents), _BATCH_SIZE):
        part = json.dumps(contents[start : start + _BATCH_SIZE])
        records = reader.execute(_EQUAL, contents=part, siblings=json.dumps(siblings))
        for *first, packed_keys, is_here, pet_id, should_be_listed, reason in records:
            pairs = [tuple(pair) for pair in json.loads(packed_keys)]
            pairs = [pair for pair in pairs if not is_missing_key(key_texts(pair[0]))]
            keys, cores = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
            animal = _animal([*first, pet_id, should_be_listed, reason], keys, cores)
            if keys and has_keys:
                keyed.append(animal)
            elif is_here:
                continue
            elif animal.is_sent:
                sent.append(animal)
            else:
                unsent.append(animal)
    return keyed, sent, unsent


def _keys_in_file(reader: Reader, animals: Sequence[Animal]) -> Iterable[str]:
    """Return those keys of some animals that are also in the file."""
    keys = sorted({key for animal in animals for key in animal.keys})
    if not keys:
        return []
    records = reader.execute(
        "SELECT key FROM rows WHERE import = :mine AND key IN (SELECT value FROM json_each(:keys))",
        keys=json.dumps(keys),
    )
    return [key for (key,) in records]


def _read_earlier(
    reader: Reader,
    rows: Sequence[Row],
    by_key: dict[str, list[Animal]],
    named_answers: Mapping[str, str],
) -> frozenset[tuple[int, str]]:
    """Return the earlier contents of animals whose keys now come with another content."""
    if By.REUSED_KEY in named_answers:  # the user reverses earlier answers
        return frozenset()
    animals = {
        animal.id
        for row in rows
        if row.key is not None and row.is_free and row.content is not None
        for animal in by_key.get(row.key, ())
        if animal.content != row.content
    }
    if not animals:
        return frozenset()
    records = reader.execute(_EARLIER_ROWS, animals=json.dumps(sorted(animals)))
    return frozenset((animal, content) for animal, content in records)


def _date_problems(reader: Reader) -> dict[int, RowProblem]:
    """Return the problems of rows whose keys are dates although the other keys are not."""
    dates = reader.staged.dates
    if not dates:
        return {}
    keys = reader.count("FROM rows WHERE import = :mine AND key IS NOT NULL")
    sample = reader.execute(
        "SELECT key FROM keys WHERE columns = :columns LIMIT :sample", sample=_SAMPLE_KEYS
    )
    earlier = ["".join(key_texts(key)) for (key,) in sample]
    others = [text for text in earlier if date_form(text) is None]
    has_other_keys_before = 2 * len(others) > len(earlier)
    if not has_other_keys_before or any(map(THREE_NUMBERS.fullmatch, others)):
        # Keys of three numbers in this file were compared when it was read.
        dates = [date for date in dates if date.form is not DateForm.NUMBERS]
    if not has_other_keys_before and 2 * len(dates) >= keys:
        return {}
    return {
        date.row: RowProblem(
            KEY_MISSING,
            f"{date.text!r} is a date, and other keys of this column are not: a spreadsheet may "
            "have converted a key such as 3-12",
            value=date.text,
            hint="enter the original key, in a column that is formatted as text",
        )
        for date in dates
    }
