"""Reads the imports of a journal and the rows of each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.schema import in_states
from petstore_frame.loader.row_state import (
    FIX_STATES,
    LIVE_STATES,
    AnimalFacts,
    Ending,
    RowFacts,
    RowProblem,
    State,
    reason_of,
    state_of,
)

_IN_STORE = (State.CREATED, State.MATCHED)
# The fact that lists rows whose pets have another name in the store, with these names.
RENAMED = "renamed_in_store"
# The facts that list rows whose animals are gone: certainly, and if the store fills its pages.
# Each has a fact with the names and the files of its first animals.
GONE, UNPROVEN_GONE = "gone_few", "gone_unproven"
GONE_ANIMALS = {GONE: "gone_few_animals", UNPROVEN_GONE: "gone_unproven_animals"}
# The number of animals of other files that are gone, and the fact with the first of these.
GONE_ELSEWHERE, GONE_ELSEWHERE_ANIMALS = "not_shown", "not_shown_animals"
# The fact that says why a complete listing does not prove that a pet is gone: it rests on the
# length of a page, or other responses contradict it.
LISTING_DOUBT, PAGE_LENGTH, CONTRADICTION = "listing_doubt", "page_length", "contradiction"
# The fact with the full path of the file, if it was loaded from one.
FILE_PATH = "file_path"
# The fact with the names of categories that nobody stated before this dry run.
CATEGORY_NAMES = "category_names"
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
    duplicates: Any = "raise"  # one answer, or one for each case
    keep: str | None = None  # first or last
    bytes_id: str | None = None  # digest of the bytes of a file and of its sheet
    copy: int = 0  # number of an intended second load of the same rows, 0 for the first
    recipe: dict[str, Any] | None = None  # how it was read, as the options of a recipe
    facts: dict[str, Any] = field(default_factory=dict)  # facts that a user should know, by name
    staged_at: float = 0.0  # when it was read last
    started_at: float | None = None  # when the last session began to send, and when that ended
    ended_at: float | None = None
    ending: Ending | None = None  # None while it runs, or after a kill
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0  # its number in the journal

    @property
    def store_names(self) -> dict[int, str]:
        """Names of pets in the store that differ from the names that were sent, by row."""
        return {entry["row"]: entry["name"] for entry in self.facts.get(RENAMED, ())}


# The fields that are stored in the column ``recipe``.
RECIPE = ("mapping", "key", "keep", "recipe")
_PLAIN = (
    "id", "bytes_id", "copy", "source", "place", "staged_at", "started_at", "ended_at", "ending",
)  # fmt: skip
_IMPORTS = f"""
SELECT {", ".join(_PLAIN)}, detail, base_url, store_id, import, recipe, header, answers, warnings
FROM imports, journal WHERE
"""


def write_import(sql: sqlite3.Connection, run: Import, key_columns: str) -> None:
    """Insert or update an import."""
    values = {name: getattr(run, name) for name in _PLAIN} | {
        "import": run.number,
        "header": json.dumps(run.header),
        "key_columns": key_columns,
        "recipe": json.dumps({name: getattr(run, name) for name in RECIPE}),
        "answers": json.dumps(run.duplicates),
        "warnings": json.dumps(run.facts),
        "detail": run.ending_detail,
    }
    columns = f"({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
    sql.execute(f"INSERT OR REPLACE INTO imports {columns}", [*values.values()])


def note_facts(sql: sqlite3.Connection, run: Import, facts: dict[str, Any]) -> None:
    """Store the facts that a user should know about an import."""
    values = [json.dumps(facts), run.number]
    sql.execute("UPDATE imports SET warnings = ? WHERE import = ?", values)


def read_imports(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Import]:
    """Return the imports that match a condition, oldest first."""
    runs = []
    for *plain, detail, base_url, store_id, number, recipe, header, answers, facts in sql.execute(
        f"{_IMPORTS} {where} ORDER BY import", values
    ).fetchall():
        try:
            fields = dict(zip(_PLAIN, plain, strict=True)) | json.loads(recipe)
            fields |= {"key": tuple(fields["key"]), "header": tuple(json.loads(header))}
            fields["ending"] = Ending(fields["ending"]) if fields["ending"] else None
            fields |= {"duplicates": json.loads(answers), "facts": json.loads(facts)}
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
    state: State
    pet_id: int | None
    payload: bytes | None


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
    reason: str | None  # why it is in its state; a ``Reason`` if it is excluded
    reads_now: bytes | None = None  # what the file gives now, if that differs from what was sent
    pet_id: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    other_row: OtherRow | None = None  # the row that its animal was sent with, if another


# The rows of an import with their animals, in the order of ``_StoredRow``.
_ROWS = """
SELECT row, line, cells, reason, known_by, payload, problem, notes,
  animal_state, animal_import = import AND animal_row = row AS has_this_row,
  animal_import = import AS is_of_import, animal_reason, animal_payload, answer, pet_id,
  (SELECT id FROM imports WHERE imports.import = animal_import) AS other_id,
  (SELECT line FROM rows
    WHERE rows.import = animal_import AND rows.row = animal_row) AS other_line
FROM rows_and_animals WHERE import = (SELECT import FROM imports WHERE id = ?)
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
    return tuple(json.loads(value)) if isinstance(value, bytes) else tuple(value.split("\x1f"))


def shown_key(key: str | None) -> str | None:
    """Return a key for display: its text, or a JSON list of the texts of several columns."""
    if key is None:
        return None
    texts = json.loads(key)
    return str(texts[0]) if len(texts) == 1 else json.dumps(texts, ensure_ascii=False)


def pack_problems(problems: Sequence[RowProblem]) -> str:
    """Encode the problems of a row as one text."""
    return json.dumps(
        [[getattr(problem, name) for name in RowProblem.__slots__] for problem in problems]
    )


def unpack_problems(text: str | None) -> tuple[RowProblem, ...]:
    """Decode the problems of a row."""
    return tuple(map(unpack_problem, json.loads(text))) if text else ()


def unpack_problem(values: Sequence[Any]) -> RowProblem:
    """Decode one problem of a row."""
    problem = dict(zip(RowProblem.__slots__, values, strict=True))
    add = problem.pop("add")
    return RowProblem(**problem, add=None if add is None else tuple(add))


def read_payload(payload: bytes | None) -> dict[str, Any]:
    """Decode a stored request body; None gives an empty dict."""
    try:
        return {} if payload is None else dict(json.loads(payload))
    except (ValueError, TypeError) as problem:
        raise JournalError(f"a row of the journal is damaged ({problem})") from problem


def rows(path: Path, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Yield the rows of an import, in some states or all, in order and from one snapshot."""
    with reading(path) as sql:
        yield from read_rows(sql, import_id, *states)


def read_rows(sql: sqlite3.Connection, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Yield the rows of an import, over an open connection."""
    query = f"{_ROWS} {_may_be_in(states)} ORDER BY row"
    for values in sql.execute(query, [import_id]):
        row = _journal_row(_StoredRow(*values))
        if not states or row.state in states:
            yield row


def read_excluded_rows(sql: sqlite3.Connection, import_id: str) -> Iterator[JournalRow]:
    """Yield the rows that the user excluded although their animals are in the store."""
    query = f"{_ROWS} AND reason = 'left_out' AND {in_states(_IN_STORE, 'animal_state')}"
    for values in sql.execute(f"{query} ORDER BY row", [import_id]):
        yield _journal_row(_StoredRow(*values))


def _may_be_in(states: Collection[State]) -> str:
    """Return a condition that excludes most rows in other states, to speed up the query."""
    if not states or State.EXCLUDED in states:
        return ""
    condition = in_states(states, "animal_state")
    if State.INVALID in states:
        condition += " OR animal_state IS NULL AND problem IS NOT NULL"
    return f"AND ({condition})"


class _StoredRow(NamedTuple):
    """A row and its animal, with the columns of ``_ROWS``."""

    row: int
    line: int
    cells: str | bytes
    reason: str | None
    known_by: str | None
    payload: bytes | None
    problem: str | None
    notes: str | None
    animal_state: str | None
    has_this_row: int | None
    is_of_import: int | None
    animal_reason: str | None
    animal_payload: bytes | None
    answer: str | None
    pet_id: int | None
    other_id: str | None
    other_line: int

    @property
    def row_facts(self) -> RowFacts:
        return RowFacts(
            is_left_out=self.reason is not None,
            has_problem=self.problem is not None,
            is_matched=self.known_by is not None,
            has_new_values=None not in (self.payload, self.animal_payload)
            and self.payload != self.animal_payload,
        )

    @property
    def animal_facts(self) -> AnimalFacts | None:
        if self.animal_state is None:
            return None
        return AnimalFacts(
            State(self.animal_state),
            has_this_row=bool(self.has_this_row),
            is_of_import=bool(self.is_of_import),
            reason=self.animal_reason,
        )


def _journal_row(stored: _StoredRow) -> JournalRow:
    row, animal = stored.row_facts, stored.animal_facts
    state = state_of(row, animal)
    problems = unpack_problems(stored.problem) if state is State.INVALID else ()
    notes = tuple(stored.notes.split("\n")) if stored.notes else ()
    row_of_file = JournalRow(
        stored.row,
        stored.line,
        read_cells(stored.cells),
        state,
        stored.payload,
        problems,
        notes,
        reason_of(row, animal),
    )
    if animal is None or animal.state is None:
        return row_of_file
    if not animal.has_this_row:
        other_row = OtherRow(
            stored.other_id or "",
            stored.other_line,
            animal.state,
            stored.pet_id,
            stored.animal_payload,
        )
        return replace(row_of_file, other_row=other_row)
    answer: dict[str, Any] = json.loads(stored.answer) if stored.answer else {}
    notes = (*notes, *answer.pop("notes", ()))
    if animal.state is State.CREATED and stored.pet_id is None:
        notes = (*notes, NO_PET_ID)
    return replace(
        row_of_file,
        payload=stored.animal_payload,
        reads_now=stored.payload if stored.payload != stored.animal_payload else None,
        notes=notes,
        pet_id=stored.pet_id,
        **answer,
    )


# All keys whose animals are, or may come to be, in the store.
_KEYS = f"""
SELECT keys.key, animals.pet_id, animals.state, imports.source
FROM keys JOIN animals ON animals.animal = keys.animal AND {in_states(LIVE_STATES, "animals.state")}
LEFT JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
# The keys of the rows of one import.
_KEYS_OF_ROWS = """
SELECT key, pet_id, source, reason IS NOT NULL, problem IS NOT NULL, animal_state,
  animal_import = import AND animal_row = row, animal_import = import
FROM rows_and_animals JOIN imports USING (import)
WHERE id = ? AND key IS NOT NULL ORDER BY row
"""


class KeyOfPet(NamedTuple):
    """A key, its pet, and the file that it was loaded from."""

    key: str
    pet_id: int | None
    state: str
    source: str | None


def read_keys(sql: sqlite3.Connection, import_id: str | None = None) -> list[KeyOfPet]:
    """Return the pet of each key, of one import or of the whole journal."""
    if import_id is None:
        return [KeyOfPet(shown_key(key) or "", *values) for key, *values in sql.execute(_KEYS)]
    keys = []
    for key, pet_id, source, *facts in sql.execute(_KEYS_OF_ROWS, [import_id]):
        row, animal = facts_of(facts)
        state = state_of(row, animal)
        if state not in FIX_STATES:
            pet_state = state if animal is None else animal.state
            keys.append(KeyOfPet(shown_key(key) or "", pet_id, str(pet_state), source))
    return keys


def facts_of(values: Sequence[Any]) -> tuple[RowFacts, AnimalFacts | None]:
    """Return the facts that determine the state of a row, from the values of a query.

    Args:
        values: Whether the row is excluded; whether it has a problem; the state of its animal;
            whether the animal has the values of this row, and of any row of this import.
    """
    is_left_out, has_problem, animal_state, has_this_row, is_of_import = values
    row = RowFacts(bool(is_left_out), bool(has_problem))
    if animal_state is None:
        return row, None
    return row, AnimalFacts(State(animal_state), bool(has_this_row), bool(is_of_import))
