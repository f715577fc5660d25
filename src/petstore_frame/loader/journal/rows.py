"""Reads what a journal has of each import and of each of its rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.schema import one_of
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

# A fact of an import: the rows whose pets have another name in the store, with that name.
RENAMED = "renamed_in_store"


@dataclass(frozen=True)
class Import:
    """The facts of one import; times are seconds since 1970, UTC."""

    id: str  # 32 hex digits of the cells as read and of the copy, the same on every computer
    base_url: str
    source: str  # the file's name, or "frame"
    place: str | None  # its path, with the sheet of a workbook
    header: tuple[str, ...]
    mapping: dict[str, str]  # field to column
    key: tuple[str, ...] = ()
    duplicates: Any = "raise"  # one answer, or one for each case
    keep: str | None = None  # first or last
    bytes_id: str | None = None  # digest of the bytes of a file and of its sheet
    copy: int = 0  # or the number of a copy that was made on purpose
    recipe: dict[str, Any] | None = None  # how it was read, as the words that say so
    facts: dict[str, Any] = field(default_factory=dict)  # what a user should know of it
    staged_at: float = 0.0  # when it was read last
    started_at: float | None = None  # when the last session began to send, and when that ended
    ended_at: float | None = None
    ending: Ending | None = None  # None while it runs, or after a kill
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0  # its place in the journal

    @property
    def store_names(self) -> dict[int, str]:
        """The names that pets have in the store, by row, where they are not what was sent."""
        return {entry["row"]: entry["name"] for entry in self.facts.get(RENAMED, ())}


# How it was read, in the column ``recipe``.
RECIPE = ("mapping", "key", "keep", "recipe")
_PLAIN = (
    "id", "bytes_id", "copy", "source", "place", "staged_at", "started_at", "ended_at", "ending",
)  # fmt: skip
_IMPORTS = f"""
SELECT {", ".join(_PLAIN)}, detail, base_url, store_id, import, recipe, header, answers, warnings
FROM imports, journal WHERE
"""


def write_import(sql: sqlite3.Connection, run: Import, key_columns: str) -> None:
    """Write the facts of an import, new or known."""
    values = {name: getattr(run, name) for name in _PLAIN} | {
        "import": run.number,
        "header": json.dumps(run.header),
        "key_columns": key_columns,
        "recipe": json.dumps({name: getattr(run, name) for name in RECIPE}),
        "answers": json.dumps(run.duplicates),
        "warnings": json.dumps(run.facts),
        "detail": run.ending_detail,
    }
    named = f"({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
    sql.execute(f"INSERT OR REPLACE INTO imports {named}", [*values.values()])


def note_facts(sql: sqlite3.Connection, run: Import, facts: dict[str, Any]) -> None:
    """Write what a user should know of an import."""
    noted = [json.dumps(facts), run.number]
    sql.execute("UPDATE imports SET warnings = ? WHERE import = ?", noted)


def read_imports(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Import]:
    """Return the imports for which a condition holds, the oldest first."""
    runs = []
    for *plain, detail, base_url, store_id, number, recipe, header, answers, facts in sql.execute(
        f"{_IMPORTS} {where} ORDER BY import", values
    ).fetchall():
        try:
            known = dict(zip(_PLAIN, plain, strict=True)) | json.loads(recipe)
            known |= {"key": tuple(known["key"]), "header": tuple(json.loads(header))}
            known["ending"] = Ending(known["ending"]) if known["ending"] else None
            known |= {"duplicates": json.loads(answers), "facts": json.loads(facts)}
            runs.append(Import(
                **known, ending_detail=detail, base_url=base_url, store_id=store_id, number=number
            ))  # fmt: skip
        except (ValueError, KeyError, TypeError) as problem:
            what = f"import {number} of the journal is damaged ({problem})"
            raise JournalError(what) from problem
    return runs


def read_import(path: Path, import_id: str) -> Import:
    """Read the facts of an import."""
    with reading(path) as sql:
        found = read_imports(sql, "id = ?", [import_id])
    if not found:
        raise JournalError(f"{path} does not know the import {import_id}; it was another journal's")
    return found[0]


class Known(NamedTuple):
    """An animal for which another row speaks."""

    import_id: str
    line: int
    state: State
    pet_id: int | None
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one row; times are seconds since 1970, UTC."""

    number: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None  # what was sent where this row speaks for its animal, else what it reads
    problems: tuple[RowProblem, ...]
    notes: tuple[str, ...]
    reason: str | None  # why it is in its state; of an excluded one a ``Reason``
    reads_now: bytes | None = None  # what its file gives now, where that is not what was sent
    pet_id: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    known: Known | None = None  # its animal, where another row speaks for it


# A row shows the state of its animal, or is invalid or excluded.
_ROWS = """
SELECT row, line, cells, reason, known_by, payload, problem, notes,
  animal_state, animal_import = import AND animal_row = row AS has_this_row,
  animal_import = import AS is_of_import, animal_reason, animal_payload, answer, pet_id,
  (SELECT id FROM imports AS other WHERE other.import = animal_import) AS other_id,
  (SELECT line FROM rows AS speaker
    WHERE speaker.import = animal_import AND speaker.row = animal_row) AS other_line
FROM rows_and_animals WHERE import = (SELECT import FROM imports WHERE id = ?)
"""


def pack_cells(cells: Sequence[str]) -> str | bytes:
    """Store cells as one text, a control character between; JSON where that would not do."""
    text = "\x1f".join(cells)
    is_utf8 = text.isascii() or text.encode(errors="ignore").decode() == text
    if is_utf8 and text.count("\x1f") + 1 == len(cells):
        return text
    return json.dumps(cells).encode("ascii")


def read_cells(value: str | bytes) -> tuple[str, ...]:
    """Return the cells of a row as they were stored."""
    return tuple(json.loads(value)) if isinstance(value, bytes) else tuple(value.split("\x1f"))


def shown_key(key: str | None) -> str | None:
    """Return a key as a user sees it: its text, or a JSON list of the texts of several columns."""
    if key is None:
        return None
    texts = json.loads(key)
    return str(texts[0]) if len(texts) == 1 else json.dumps(texts, ensure_ascii=False)


def pack_problems(problems: Sequence[RowProblem]) -> str:
    """Store the problems of a row as one text."""
    return json.dumps(
        [[getattr(problem, name) for name in RowProblem.__slots__] for problem in problems]
    )


def unpack_problems(text: str | None) -> tuple[RowProblem, ...]:
    """Return the problems of a row as they were stored."""
    return tuple(map(unpack_problem, json.loads(text))) if text else ()


def unpack_problem(values: Sequence[Any]) -> RowProblem:
    """Return a problem as it was stored in the list of a row."""
    problem = dict(zip(RowProblem.__slots__, values, strict=True))
    add = problem.pop("add")
    return RowProblem(**problem, add=None if add is None else tuple(add))


def read_payload(payload: bytes | None) -> dict[str, Any]:
    """Return the values of a request body that a journal has; empty for None."""
    try:
        return {} if payload is None else dict(json.loads(payload))
    except (ValueError, TypeError) as problem:
        raise JournalError(f"a row of the journal is damaged ({problem})") from problem


def rows(path: Path, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import in order, those of the given states or all, at one moment."""
    with reading(path) as sql:
        yield from read_rows(sql, import_id, *states)


def read_rows(sql: sqlite3.Connection, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import over a connection."""
    query = f"{_ROWS} {_may_be_in(states)} ORDER BY row"
    for values in sql.execute(query, [import_id]):
        row = _journal_row(_StoredRow(*values))
        if not states or row.state in states:
            yield row


def _may_be_in(states: Collection[State]) -> str:
    """Return a condition that leaves out most rows that are in none of some states."""
    if not states or State.EXCLUDED in states:
        return ""
    condition = one_of(states, "animal_state")
    if State.INVALID in states:
        condition += " OR animal_state IS NULL AND problem IS NOT NULL"
    return f"AND ({condition})"


class _StoredRow(NamedTuple):
    """A row and its animal, as a statement has them."""

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
    shown = JournalRow(
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
        return shown
    if not animal.has_this_row:
        known = Known(
            stored.other_id or "",
            stored.other_line,
            animal.state,
            stored.pet_id,
            stored.animal_payload,
        )
        return replace(shown, known=known)
    answer: dict[str, Any] = json.loads(stored.answer) if stored.answer else {}
    return replace(
        shown,
        payload=stored.animal_payload,
        reads_now=stored.payload if stored.payload != stored.animal_payload else None,
        notes=(*notes, *answer.pop("notes", ())),
        pet_id=stored.pet_id,
        **answer,
    )


# An animal of which nothing is to be sent has no state.
_KEYS = f"""
SELECT keys.key, own.pet_id, own.state, imports.source
FROM keys JOIN animals AS own ON own.animal = keys.animal AND {one_of(LIVE_STATES, "own.state")}
LEFT JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
_KEYS_OF_ROWS = """
SELECT key, pet_id, source, reason IS NOT NULL, problem IS NOT NULL, animal_state,
  animal_import = import AND animal_row = row, animal_import = import
FROM rows_and_animals JOIN imports USING (import)
WHERE id = ? AND key IS NOT NULL ORDER BY row
"""


class KeyOfPet(NamedTuple):
    """Which pet a key is, and the file that it came with."""

    key: str
    pet_id: int | None
    state: str
    source: str | None


def read_keys(sql: sqlite3.Connection, import_id: str | None = None) -> list[KeyOfPet]:
    """Return which pet each key is, of the rows of one import or of all animals."""
    if import_id is None:
        return [KeyOfPet(shown_key(key) or "", *values) for key, *values in sql.execute(_KEYS)]
    keys = []
    for key, pet_id, source, *facts in sql.execute(_KEYS_OF_ROWS, [import_id]):
        row, animal = facts_of(facts)
        state = state_of(row, animal)
        if state not in FIX_STATES:
            shown = state if animal is None else animal.state
            keys.append(KeyOfPet(shown_key(key) or "", pet_id, str(shown), source))
    return keys


def facts_of(values: Sequence[Any]) -> tuple[RowFacts, AnimalFacts | None]:
    """Return what a state depends on, as a statement has it.

    Args:
        values: Whether the row is left out and has a problem; the state of its animal, whether it
            has the values of this row, and whether it is of this import.
    """
    is_left_out, has_problem, animal_state, has_this_row, is_of_import = values
    row = RowFacts(bool(is_left_out), bool(has_problem))
    if animal_state is None:
        return row, None
    return row, AnimalFacts(State(animal_state), bool(has_this_row), bool(is_of_import))
