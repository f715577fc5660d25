"""Reads from the journal what the rules look at: rows that SQL has not settled, and their likes."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from petstore_frame.loader.journal.rows import read_cells
from petstore_frame.loader.journal.staging import Staged
from petstore_frame.loader.journal.store_check import StorePets, animals_in_store, settled_before
from petstore_frame.loader.matching.by_key import first_digits
from petstore_frame.loader.matching.match import MatchingInput
from petstore_frame.loader.matching.not_keys import is_date, is_missing_marker
from petstore_frame.loader.matching.repeated_keys import KEY_MISSING, key_texts
from petstore_frame.loader.matching.values import CREATE, Animal, By, Pet, Row
from petstore_frame.loader.row_state import RowProblem, State
from petstore_frame.schema import FIELDS, fold

# The rows that would be sent as things stand: those of new animals, and those of animals that were
# not sent yet. The row that the store refused is not sent as it was; a corrected or later one is.
# Where the file is not at hand, only rows that speak for their animals already are.
IS_TO_SEND = """
(rows.animal IS NOT NULL AND rows.payload IS NOT NULL
  AND coalesce(rows.known_by, '') NOT IN ('repeat', 'similar_row')
  AND rows.problem IS NULL AND rows.reason IS NULL
  AND (own.state = 'pending' AND own.import = rows.import AND own.row = rows.row
    OR NOT :is_resumed AND (own.state IS NULL OR own.state = 'pending'
      OR own.state IN ('rejected', 'not_found') AND own.import IS NOT rows.import
      OR own.state = 'rejected'
        AND (own.payload IS NOT rows.payload OR own.row IS NOT rows.row))))
"""
TO_SEND = f"""
FROM rows LEFT JOIN animals AS own ON own.animal = rows.animal
WHERE rows.import = :mine AND {IS_TO_SEND}
"""
# No animal that was sent is its own.
_IS_OPEN = """
(rows.animal IS NULL OR own.state IS NULL OR own.state IN ('pending', 'rejected', 'not_found'))
"""
_REPEATED = """
INSERT INTO temp.repeated_cores
SELECT core FROM rows WHERE import = :mine AND core IS NOT NULL
AND (content IS NOT NULL OR problem IS NOT NULL) GROUP BY core HAVING count(*) > 1
"""
# What needs no thought: a key that one row of the file has, and one animal that was sent, with the
# same content.
_SETTLE = """
UPDATE rows SET animal = same.animal, known_by = 'key' FROM (
  SELECT rows.row AS of_row, min(keys.animal) AS animal FROM rows
  CROSS JOIN keys ON keys.columns = :columns AND keys.core = rows.core AND keys.key = rows.key
  CROSS JOIN animals AS own ON own.animal = keys.animal
  WHERE rows.import = :mine AND rows.animal > :base AND rows.known_by IS NULL
    AND rows.problem IS NULL AND rows.reason IS NULL
    AND rows.core NOT IN (SELECT core FROM temp.repeated_cores)
  GROUP BY rows.row HAVING count(*) = 1 AND min(own.content) = min(rows.content)
    AND min(own.state) IN ('created', 'matched')) AS same
WHERE rows.import = :mine AND rows.row = same.of_row
"""
_ROWS = f"""
SELECT rows.row, rows.line, rows.content, rows.payload, rows.key, rows.core, rows.animal,
  own.state, rows.known_by, {IS_TO_SEND}, rows.reason IS NOT NULL, rows.is_unnamed,
  rows.problem, rows.rank, rows.unsent_hash, rows.animal <= :base AND own.state IS NOT NULL
FROM rows LEFT JOIN animals AS own ON own.animal = rows.animal
WHERE rows.import = :mine AND (rows.content IS NOT NULL OR rows.problem IS NOT NULL)
"""
_KEYS = """
SELECT keys.core, keys.key, own.animal, own.content, own.payload, own.state,
  coalesce((SELECT is_unnamed FROM rows WHERE rows.import = own.import
    AND rows.row = own.row), 0),
  own.pet_id, own.shown_at IS NOT NULL OR own.settled_at < :settled_before, own.reason
FROM json_each(:cores) AS of
JOIN keys ON keys.columns = :columns AND keys.core = of.value
JOIN animals AS own ON own.animal = keys.animal ORDER BY own.animal
"""
_LONG_NUMBERS = """
SELECT keys.core, keys.key, own.animal, own.content, own.payload, own.state, 0,
  own.pet_id, own.shown_at IS NOT NULL OR own.settled_at < :settled_before, own.reason
FROM json_each(:digits) AS of
JOIN keys ON keys.columns = :columns AND keys.core >= of.value AND keys.core < of.value || ':'
JOIN animals AS own ON own.animal = keys.animal ORDER BY own.animal
"""
_EQUAL = """
SELECT own.animal, own.content, own.payload, own.state,
  coalesce((SELECT is_unnamed FROM rows WHERE rows.import = own.import
    AND rows.row = own.row), 0),
  (SELECT json_group_array(json_array(keys.key, keys.core)) FROM keys
    WHERE keys.animal = own.animal AND keys.columns = :columns),
  EXISTS (SELECT 1 FROM rows WHERE rows.import = :mine AND rows.animal = own.animal),
  own.pet_id, own.shown_at IS NOT NULL OR own.settled_at < :settled_before, own.reason
FROM json_each(:contents) AS of JOIN animals AS own ON own.content = of.value
WHERE own.import IS NOT :mine AND own.state IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM rows WHERE rows.animal = own.animal
    AND rows.import IN (SELECT value FROM json_each(:siblings)))
ORDER BY own.import, own.row
"""
_EARLIER_ROWS = """
SELECT DISTINCT animal, content FROM rows WHERE import <> :mine AND content IS NOT NULL
AND animal IN (SELECT value FROM json_each(:animals))
"""
_LONGEST_ID = 18
_SAMPLE = 200
_AT_ONCE = 5000
_KEY_CODES = ("key_repeated", "key_missing")


class Export(Enum):
    """What a file says of the store that it was exported from."""

    UNMARKED = auto()  # nothing, or nothing that can be compared
    OF_THIS_STORE = auto()
    OF_ANOTHER_STORE = auto()


class Reader(NamedTuple):
    """A connection, and the rows that are looked at."""

    sql: sqlite3.Connection
    staged: Staged
    pause: Callable[[], None]
    now: float

    @property
    def names(self) -> dict[str, Any]:
        """The values that statements refer to by name."""
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
        ((found,),) = self.execute(f"SELECT count(*) {from_}", **more).fetchall()
        return int(found)

    def has(self, from_: str) -> bool:
        return self.execute(f"SELECT 1 {from_} LIMIT 1").fetchone() is not None


def find_repeated_cores(reader: Reader) -> None:
    """Note the cores that several rows of the file have, in a table of this connection."""
    reader.execute("DROP TABLE IF EXISTS temp.repeated_cores")
    reader.execute("CREATE TEMP TABLE repeated_cores (core TEXT PRIMARY KEY) WITHOUT ROWID")
    reader.execute(_REPEATED)


def settle_exact_keys(reader: Reader) -> int:
    """Give rows with known keys and unchanged content their animals; return how many."""
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
    """Return what the rules look at; the store was read before.

    ``siblings`` are the imports whose rows the file corrects, ``export`` is what the file says of
    the store that it was exported from.
    """
    staged = reader.staged
    run = staged.run
    has_keys = bool(staged.key_columns)
    is_compared = not (run.copy or staged.is_resumed)
    if has_keys and not staged.is_resumed:
        find_repeated_cores(reader)
    settled = settle_exact_keys(reader) if has_keys and is_compared else 0
    shown, open_gone = animals_in_store(reader.sql, run.number, named_answers, reader.now)
    listing = {} if store is None else {pet.pet_id: pet.content for pet in store.pets.values()}
    if store is None:
        shown = []
    pet_ids = _pet_ids(reader, {pet.id for pet in pets}) if is_compared else {}
    listed = {animal.row for animal in shown if listing.get(animal.pet_id) != animal.content}
    listed |= {match.row for match in open_gone} | pet_ids.keys()
    rows = _read_rows(reader, pets, listed)
    by_key, by_core, long_numbers = _read_keyed(reader, rows if is_compared else [])
    keyed, sent, unsent = _read_equal(reader, rows, siblings) if is_compared else ([], [], [])
    return MatchingInput(
        rows=rows,
        to_send=reader.count(TO_SEND),
        keep=run.keep,
        has_keys=has_keys,
        is_compared=is_compared,
        is_resumed=staged.is_resumed,
        settled_keys=settled,
        animals_of_key=by_key,
        animals_of_core=by_core,
        keyed_animals=keyed,
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
        shown=shown,
        open_gone=open_gone,
        asks_again_about_gone=named_answers.get("gone") == CREATE,
        listing=listing,
        is_proof=store is not None
        and (store.is_whole or (store.is_complete and "gone" in answers)),
    )


def _read_rows(reader: Reader, pets: Sequence[Pet], listed: set[int]) -> list[Row]:
    """Return the rows that a rule may be about; ``listed`` are some that the store says."""
    staged = reader.staged
    is_compared = not (staged.run.copy or staged.is_resumed)
    conditions = ["rows.row IN (SELECT value FROM json_each(:listed))"]
    if staged.key_columns and not staged.is_resumed:
        conditions.append("rows.core IN (SELECT core FROM temp.repeated_cores)")
        if is_compared and reader.has("FROM keys WHERE columns = :columns"):
            conditions.append(
                f"{_IS_OPEN} AND (EXISTS (SELECT 1 FROM keys WHERE columns = :columns"
                " AND keys.core = rows.core)"
                " OR rows.core NOT GLOB '*[^0-9]*' AND length(rows.core) > 15)"
            )
    if is_compared and reader.has("FROM animals WHERE import IS NOT :mine"):
        reader.execute("CREATE INDEX IF NOT EXISTS contents ON animals(content)")
        reader.execute("CREATE INDEX IF NOT EXISTS keys_of_animals ON keys(animal)")
        conditions.append(
            f"{_IS_OPEN} AND EXISTS (SELECT 1 FROM animals AS equal"
            " WHERE equal.content = rows.content AND equal.import IS NOT :mine)"
        )
    if pets and not staged.run.copy:
        listed = listed | _rows_that_equal(reader, {pet.content for pet in pets})
    condition = " OR ".join(f"({condition})" for condition in conditions)
    found = reader.execute(
        f"{_ROWS} AND ({condition}) ORDER BY rows.row", listed=json.dumps(sorted(listed))
    )
    return [_row(values) for values in found]


def _row(values: Sequence[Any]) -> Row:
    (number, line, content, payload, key, core, animal, state, known_by, is_to_send, is_excluded,
     is_unnamed, problem, rank, unsent_hash, is_known) = values  # fmt: skip
    by = None
    if known_by is not None:
        by = By.USER if known_by.startswith("new:") else By(known_by)
    codes = problem or ""
    return Row(
        number, line, content, payload, key, core, animal,
        None if state is None else State(state), by,
        is_to_send=bool(is_to_send),
        is_excluded=bool(is_excluded),
        has_default_name=bool(is_unnamed),
        has_problem=problem is not None,
        has_key_problem=any(f'"{code}"' in codes for code in _KEY_CODES),
        order_value=rank,
        unsent_hash=unsent_hash,
        is_known=bool(is_known),
    )  # fmt: skip


def _rows_that_equal(reader: Reader, contents: set[str]) -> set[int]:
    """Return the rows to send whose content is one of these."""
    found = reader.execute(f"SELECT rows.row, rows.content {TO_SEND}")
    return {row for row, content in found if content in contents}


def _pet_ids(reader: Reader, pets: set[int]) -> dict[int, int]:
    """Return the pet of each row whose cell in a column of ids names one."""
    header = reader.staged.run.header
    names = [fold(name).replace("_", "").replace(" ", "") for name in header]
    at = next((at for at, name in enumerate(names) if name in ("id", "petid")), None)
    if at is None or not pets:
        return {}
    found: dict[int, int] = {}
    for row, packed in reader.execute(f"SELECT rows.row, rows.cells {TO_SEND}"):
        text = "".join(read_cells(packed)[at : at + 1]).strip().removesuffix(".0")
        if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_ID and int(text) in pets:
            found[row] = int(text)
    return found


def _read_keyed(
    reader: Reader, rows: Sequence[Row]
) -> tuple[dict[str, list[Animal]], dict[str, list[Animal]], dict[str, list[Animal]]]:
    """Return the animals of the keys, of the cores, and of the long numbers of rows."""
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


def _animals(
    reader: Reader, query: str, name: str, values: Sequence[str]
) -> Iterable[tuple[str, Animal]]:
    """Yield the animals of some keys, and the key of each."""
    for start in range(0, len(values), _AT_ONCE):
        part = json.dumps(values[start : start + _AT_ONCE])
        for core, key, *values in reader.execute(query, **{name: part}):
            yield key, _animal(values, (key,), (core,))


def _animal(
    values: Sequence[Any], keys: tuple[str, ...] = (), cores: tuple[str, ...] = ()
) -> Animal:
    number, content, payload, state, is_unnamed, pet_id, was_listed, reason = values
    return Animal(
        number,
        content,
        payload,
        None if state is None else State(state),
        bool(is_unnamed),
        keys,
        cores,
        pet_id,
        bool(was_listed),
        reason,
    )


def _read_equal(
    reader: Reader, rows: Sequence[Row], siblings: Sequence[int]
) -> tuple[list[Animal], list[Animal], list[Animal]]:
    """Return animals with the contents of rows: with keys in these columns, sent, and unsent.

    A word such as "none" is no key, so an animal that was loaded under one counts as keyless.
    """
    keyed: list[Animal] = []
    sent: list[Animal] = []
    unsent: list[Animal] = []
    contents = sorted({row.content for row in rows if row.content is not None and row.is_free})
    has_keys = bool(reader.staged.key_columns)
    for start in range(0, len(contents), _AT_ONCE):
        part = json.dumps(contents[start : start + _AT_ONCE])
        found = reader.execute(_EQUAL, contents=part, siblings=json.dumps(siblings))
        for *first, packed, is_here, pet_id, was_listed, reason in found:
            pairs = [tuple(pair) for pair in json.loads(packed)]
            pairs = [pair for pair in pairs if not is_missing_marker(key_texts(pair[0]))]
            keys, cores = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
            animal = _animal([*first, pet_id, was_listed, reason], keys, cores)
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
    """Return the keys of some animals that the file has, too."""
    keys = sorted({key for animal in animals for key in animal.keys})
    if not keys:
        return []
    found = reader.execute(
        "SELECT key FROM rows WHERE import = :mine AND key IN (SELECT value FROM json_each(:keys))",
        keys=json.dumps(keys),
    )
    return [key for (key,) in found]


def _read_earlier(
    reader: Reader,
    rows: Sequence[Row],
    by_key: dict[str, list[Animal]],
    named_answers: Mapping[str, str],
) -> frozenset[tuple[int, str]]:
    """Return the contents that earlier rows of animals had whose names differ now."""
    if By.REUSED_KEY in named_answers:  # an answer that is given anew
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
    found = reader.execute(_EARLIER_ROWS, animals=json.dumps(sorted(animals)))
    return frozenset((animal, content) for animal, content in found)


def _date_problems(reader: Reader) -> dict[int, RowProblem]:
    """Return the rows whose keys are dates in a column whose other keys are not."""
    dates = reader.staged.dates
    if not dates:
        return {}
    keys = reader.count("FROM rows WHERE import = :mine AND key IS NOT NULL")
    sample = reader.execute(
        "SELECT key FROM keys WHERE columns = :columns LIMIT :sample", sample=_SAMPLE
    )
    earlier = ["".join(key_texts(key)) for (key,) in sample]
    others = [text for text in earlier if not is_date(text)]
    has_other_keys_before = 2 * len(others) > len(earlier)
    if not has_other_keys_before and 2 * len(dates) >= keys:
        return {}
    return {
        date.row: RowProblem(
            KEY_MISSING,
            f"{date.text!r} is a date, and other keys of this column are none: a spreadsheet may "
            "have made it from a key such as 3-12",
            value=date.text,
            hint="write the key as it was, in a column that is formatted as text",
        )
        for date in dates
    }
