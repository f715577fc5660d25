"""Reads the imports of a journal and the rows of each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.schema import IS_ANIMAL, in_states
from petstore_frame.loader.journal.stored_values import stored_json, stored_state
from petstore_frame.loader.matching.key_texts import shown_key
from petstore_frame.loader.row_state import FIX_STATES, Ending, RowProblem, State

# The note of a row that was created, but the response with the id of its pet was lost.
NO_PET_ID = "no_pet_id"


@dataclass(frozen=True)
class Import:
    """The facts of one import; times are seconds since 1970, UTC."""

    id: str  # 32 hex digits: digest of the cells and the copy number, the same on every computer
    base_url: str
    source: str  # the file's name, or "frame"
    place: str | None  # its path, with the sheet of a workbook
    header: tuple[str, ...]
    mapping: dict[str, str]  # field to column
    key: tuple[str, ...] = ()
    bytes_id: str | None = None  # digest of the bytes of a file and of its sheet
    copy: int = 0  # number of an intended second load of the same rows, 0 for the first
    recipe: dict[str, Any] | None = None  # how it was read, as the options of a recipe
    facts: dict[str, Any] = field(default_factory=dict)  # the findings of the latest call
    staged_at: float = 0.0  # when it was read last
    started_at: float | None = None  # when the last session began to send, and when that ended
    ended_at: float | None = None
    ending: Ending | None = None  # None while it runs, or after a kill
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0  # its number in the journal
    reading: int = 0  # the reading of the file that has its rows


# The fields that are stored in the column ``recipe``.
RECIPE = ("mapping", "key", "recipe")
_PLAIN = (
    "id", "reading", "bytes_id", "copy", "source", "place", "staged_at", "started_at", "ended_at",
    "ending",
)  # fmt: skip
_IMPORTS = f"""
SELECT {", ".join(_PLAIN)}, detail, base_url, store_id, import, recipe, header, facts
FROM imports, journal WHERE
"""


def write_import(sql: sqlite3.Connection, run: Import) -> None:
    """Insert or update an import; no session of this call has sent anything yet."""
    values = {name: getattr(run, name) for name in _PLAIN} | {
        "import": run.number,
        "header": json.dumps(run.header),
        "recipe": json.dumps({name: getattr(run, name) for name in RECIPE}),
        "facts": json.dumps(run.facts),
        "detail": run.ending_detail,
    }
    columns = f"({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
    sql.execute(f"INSERT OR REPLACE INTO imports {columns}", [*values.values()])


def note_facts(sql: sqlite3.Connection, run: Import, facts: dict[str, Any]) -> None:
    """Store what a call found about an import."""
    values = [json.dumps(facts), run.number]
    sql.execute("UPDATE imports SET facts = ? WHERE import = ?", values)


def read_imports(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Import]:
    """Return the imports that match a condition, oldest first."""
    runs = []
    for *plain, detail, base_url, store_id, number, recipe, header, facts in sql.execute(
        f"{_IMPORTS} {where} ORDER BY import", values
    ).fetchall():
        try:
            fields = dict(zip(_PLAIN, plain, strict=True)) | stored_json(recipe)
            fields |= {"key": tuple(fields["key"]), "header": tuple(stored_json(header))}
            fields["ending"] = Ending(fields["ending"]) if fields["ending"] else None
            fields["facts"] = stored_json(facts)
            runs.append(Import(
                **fields, ending_detail=detail, base_url=base_url, store_id=store_id, number=number
            ))  # fmt: skip
        except (ValueError, KeyError, TypeError) as problem:
            message = f"import {number} of the journal is damaged ({problem})"
            raise JournalError(message) from problem
    return runs


def read_import(path: Path, import_id: str) -> Import:
    """Return an import by its id."""
    with reading(path) as sql:
        imports = read_imports(sql, "id = ?", [import_id])
    if not imports:
        raise JournalError(
            f"{path} has no import {import_id}; use the journal that it was loaded with"
        )
    return imports[0]


class OtherRow(NamedTuple):
    """The row whose values the animal of a row has, if it is not that row itself."""

    import_id: str
    line: int
    source: str
    pet_id: int | None
    payload: bytes | None


class Possible(NamedTuple):
    """What a possible duplicate may be: an animal or a pet, and the line of the table for it.

    A row that may be another row of the file has the line of that row as ``same_line``.
    """

    table_line: int
    payload: bytes | None = None  # the values of the animal or pet
    key: str | None = None  # a key of the animal, as it is displayed
    pet_id: int | None = None
    source: str | None = None  # the file of the animal; None for a pet of the store
    staged_at: float | None = None  # when that file was read last
    same_line: int | None = None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """A row of an import with its state and its animal."""

    number: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None  # what was sent for this row; if nothing was, what the file gives
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    reason: str | None  # why it is in its state; a ``Reason`` if nothing was sent for it
    key: str | None = None  # as it is displayed
    reads_now: bytes | None = None  # what the file gives now, if that differs from what was sent
    pet_id: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    other_row: OtherRow | None = None  # the row that its animal was sent with, if another
    possible: Possible | None = None  # what a possible duplicate may be


# The rows of an import with their animals, in the order of ``_StoredRow``.
_ROWS = """
SELECT row, line, cells, state, reason, key, payload, problem, notes, is_animal, is_own,
  animal_state, animal_payload, answer, coalesce(pet_id, last_pet_id), possible, animal_import,
  animal_row
FROM row_states WHERE import = (SELECT import FROM imports WHERE id = ?)
"""
# The file and the line of the row whose values an animal has.
_ORIGIN = """
SELECT imports.id, imports.source,
  (SELECT line FROM rows WHERE rows.reading = imports.reading AND rows.row = ?)
FROM imports WHERE import = ?
"""
_POSSIBLE_ANIMAL = """
SELECT payload, (SELECT min(key) FROM keys WHERE keys.animal = animals.animal),
  coalesce(pet_id, last_pet_id), source, staged_at
FROM animals JOIN imports USING (import) WHERE animal = ?
"""
_LINE_OF_ROW = """
SELECT line FROM rows JOIN imports USING (reading) WHERE id = ? AND row = ?
"""


def pack_cells(cells: Sequence[str]) -> str | bytes:
    """Encode cells as text separated by a control character, or as JSON if a cell contains it."""
    text = "\x1f".join(cells)
    is_utf8 = text.isascii() or text.encode(errors="ignore").decode() == text
    if is_utf8 and text.count("\x1f") + 1 == len(cells):
        return text
    return json.dumps(cells).encode("ascii")


def read_cells(value: str | bytes) -> tuple[str, ...]:
    """Decode the cells of a row."""
    return tuple(stored_json(value)) if isinstance(value, bytes) else tuple(value.split("\x1f"))


def pack_problems(problems: Sequence[RowProblem]) -> str:
    """Encode the problems of a row as one text."""
    return json.dumps(
        [[getattr(problem, name) for name in RowProblem.__slots__] for problem in problems]
    )


def unpack_problems(text: str | None) -> tuple[RowProblem, ...]:
    """Decode the problems of a row."""
    return tuple(map(unpack_problem, stored_json(text))) if text else ()


def unpack_problem(values: Sequence[Any]) -> RowProblem:
    """Decode one problem of a row."""
    problem = dict(zip(RowProblem.__slots__, values, strict=True))
    add = problem.pop("add")
    return RowProblem(**problem, add=None if add is None else tuple(add))


def read_payload(payload: bytes | None) -> dict[str, Any]:
    """Decode a stored request body; None gives an empty dict."""
    try:
        return {} if payload is None else dict(stored_json(payload))
    except (ValueError, TypeError) as problem:
        raise JournalError(f"a row of the journal is damaged ({problem})") from problem


def rows(path: Path, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Yield the rows of an import, in some states or all, in order and from one snapshot."""
    with reading(path) as sql:
        yield from read_rows(sql, import_id, *states)


def read_rows(sql: sqlite3.Connection, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Yield the rows of an import, over an open connection."""
    condition = f"AND {in_states(states)}" if states else ""
    for values in sql.execute(f"{_ROWS} {condition} ORDER BY row", [import_id]):
        yield _journal_row(sql, import_id, _StoredRow(*values))


def read_excluded_rows(sql: sqlite3.Connection, import_id: str) -> Iterator[JournalRow]:
    """Yield the rows that the user excluded although their animals are in the store."""
    query = f"{_ROWS} AND state = 'excluded' AND is_animal AND gone_at IS NULL"
    for values in sql.execute(f"{query} ORDER BY row", [import_id]):
        yield _journal_row(sql, import_id, _StoredRow(*values))


class _StoredRow(NamedTuple):
    """A row and its animal, with the columns of ``_ROWS``."""

    row: int
    line: int
    cells: str | bytes
    state: str
    reason: str | None
    key: str | None
    payload: bytes | None
    problem: str | None
    notes: str | None
    is_animal: int
    is_own: int
    animal_state: str | None
    animal_payload: bytes | None
    answer: str | None
    pet_id: int | None
    possible: str | None
    animal_import: int | None
    animal_row: int | None


def _journal_row(sql: sqlite3.Connection, import_id: str, stored: _StoredRow) -> JournalRow:
    state = stored_state(stored.state)
    row = JournalRow(
        stored.row,
        stored.line,
        read_cells(stored.cells),
        state,
        stored.payload,
        unpack_problems(stored.problem) if state is State.INVALID else (),
        tuple(stored.notes.split("\n")) if stored.notes else (),
        stored.reason,
        shown_key(stored.key),
    )
    if state is State.POSSIBLE_DUPLICATE and stored.possible is not None:
        return replace(row, possible=_possible(sql, import_id, stored_json(stored.possible)))
    if not stored.is_own:
        return replace(row, other_row=_other_row(sql, stored)) if stored.is_animal else row
    answer: dict[str, Any] = stored_json(stored.answer) if stored.answer else {}
    notes = (*row.notes, *answer.pop("notes", ()))
    if state is State.CREATED and stored.pet_id is None:
        notes = (*notes, NO_PET_ID)
    if stored.is_animal and stored.payload != stored.animal_payload:
        row = replace(row, reads_now=stored.payload)
    payload = stored.animal_payload if stored.is_animal else stored.payload
    return replace(row, payload=payload, notes=notes, pet_id=stored.pet_id, **answer)


def _other_row(sql: sqlite3.Connection, stored: _StoredRow) -> OtherRow:
    origin = sql.execute(_ORIGIN, [stored.animal_row, stored.animal_import]).fetchone()
    import_id, source, line = origin or ("", "", 0)
    return OtherRow(import_id, line, source, stored.pet_id, stored.animal_payload)


def _possible(sql: sqlite3.Connection, import_id: str, match: dict[str, Any]) -> Possible:
    """Return what a row may be, from the stored match."""
    table_line = int(match["line"])
    if "animal" in match:
        record = sql.execute(_POSSIBLE_ANIMAL, [match["animal"]]).fetchone()
        payload, key, *others = record or (None, None, None, None, None)
        return Possible(table_line, payload, shown_key(key), *others)
    if "pet" in match:
        return Possible(table_line, match["payload"].encode(), pet_id=match["pet"])
    ((line,),) = sql.execute(_LINE_OF_ROW, [import_id, match["row"]]).fetchall()
    return Possible(table_line, same_line=line)


# All keys, each with its animals that were sent.
_KEYS = f"""
SELECT keys.key, coalesce(animals.pet_id, animals.last_pet_id),
  iif(gone_at IS NULL, animals.state, 'gone'), imports.source
FROM keys JOIN animals ON animals.animal = keys.animal AND {IS_ANIMAL}
LEFT JOIN imports USING (import)
GROUP BY keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
# The keys of the rows of one import, unless the rows need fixing.
_KEYS_OF_ROWS = f"""
SELECT key, coalesce(pet_id, last_pet_id), state, source
FROM row_states JOIN imports USING (import)
WHERE id = ? AND key IS NOT NULL AND NOT {in_states(FIX_STATES)} ORDER BY row
"""


class KeyOfPet(NamedTuple):
    """A key, its pet, and the file that it was loaded from."""

    key: str
    pet_id: int | None
    state: str
    source: str | None


def read_keys(sql: sqlite3.Connection, import_id: str | None = None) -> list[KeyOfPet]:
    """Return the pet of each key, of one import or of the whole journal."""
    records = sql.execute(_KEYS) if import_id is None else sql.execute(_KEYS_OF_ROWS, [import_id])
    return [KeyOfPet(shown_key(key) or "", *values) for key, *values in records]
