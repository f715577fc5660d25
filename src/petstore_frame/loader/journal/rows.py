"""Reads what a journal has of each import and of each of its rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.schema import one_of
from petstore_frame.loader.row_state import (
    LIVE_STATES,
    Ending,
    Reason,
    RowProblem,
    State,
)


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


_STATES = {str(state): state for state in State}
_ROWS = """
SELECT r.row, r.line, r.cells, r.state, r.payload, r.problem, r.notes, r.why, r.own_state,
  r.own_payload, r.answer, r.pet_id, r.speaks, others.id, speaker.line
FROM imports AS mine JOIN row_states AS r USING (import)
LEFT JOIN imports AS others ON others.import = r.own_import
LEFT JOIN rows AS speaker ON speaker.import = r.own_import AND speaker.row = r.own_record
WHERE mine.id = ?
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
    return tuple(map(_unpack_problem, json.loads(text))) if text else ()


def _unpack_problem(values: Sequence[Any]) -> RowProblem:
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
    which = f"AND {one_of(states, 'r')}" if states else ""
    return map(_row, sql.execute(f"{_ROWS} {which} ORDER BY r.row", [import_id]))


def _row(values: Sequence[Any]) -> JournalRow:
    (row, line, packed, state, payload, problem, notes, why, own_state, sent, answer, pet_id,
     speaks, other_id, other_line) = values  # fmt: skip
    noted, answered = tuple(notes.split("\n")) if notes else (), dict[str, Any]()
    known = reads_now = None
    if own_state is not None and speaks:
        answered = json.loads(answer) if answer else {}
        noted += tuple(answered.pop("notes", ()))
        payload, reads_now = sent, payload if payload != sent else None
    elif own_state is not None:
        known = Known(other_id, other_line, _STATES[own_state], pet_id, sent)
        pet_id = None
    problems = unpack_problems(problem)
    first = row, line, read_cells(packed), _STATES[state], payload, problems, noted, why
    return JournalRow(*first, reads_now, pet_id, **answered, known=known)


def count_in(sql: sqlite3.Connection, import_id: str) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the answer."""
    found = sql.execute(
        "SELECT state, count(*) FROM row_states"
        " WHERE import = (SELECT import FROM imports WHERE id = ?) GROUP BY state",
        [import_id],
    )
    return dict.fromkeys(State, 0) | {_STATES[state]: count for state, count in found}


# The rows of an import in groups, so that a million of them are a few.
_EXCLUDED = """
SELECT r.why, r.known_by, other.source, other.staged_at, count(*)
FROM imports AS mine JOIN row_states AS r USING (import)
LEFT JOIN imports AS other ON other.import = r.own_import AND other.import <> mine.import
WHERE mine.id = ? AND r.state = 'excluded' GROUP BY 1, 2, r.own_import ORDER BY min(r.row)
"""
_NOTED = """
SELECT notes, count(*), min(line) FROM row_states
WHERE import = ? AND notes IS NOT NULL AND notes <> 'blank' AND state <> 'invalid'
GROUP BY notes ORDER BY 3
"""
# By the first problem of a row, which is the one that is to be fixed first.
_INVALID = """
SELECT json_extract(problem, '$[0]') AS first, count(*), min(line), max(line) FROM row_states
WHERE import = ? AND state = 'invalid' AND problem IS NOT NULL GROUP BY first
ORDER BY min(row)
"""
# An animal of which nothing is to be sent has no state.
_KEYS = f"""
SELECT keys.key, own.pet_id, own.state, imports.source
FROM keys JOIN animals AS own ON own.animal = keys.animal AND {one_of(LIVE_STATES, "own")}
LEFT JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
_KEYS_OF_ROWS = """
SELECT mine.key, mine.pet_id, coalesce(mine.own_state, mine.state), imports.source
FROM row_states AS mine JOIN imports USING (import)
WHERE imports.id = ? AND mine.key IS NOT NULL AND mine.state NOT IN ('invalid', 'rejected')
ORDER BY mine.row
"""


class KeyOfPet(NamedTuple):
    """Which pet a key is, and the file that it came with."""

    key: str
    pet_id: int | None
    state: str
    source: str | None


class ExcludedRows(NamedTuple):
    """Rows that are excluded for one reason."""

    reason: Reason
    by: str | None  # what shows that they are known, as in ``rows``
    source: str | None  # the other file that has the animals, and when it was read
    staged_at: float | None
    rows: int


def read_excluded(sql: sqlite3.Connection, run: Import) -> list[ExcludedRows]:
    """Return the excluded rows of an import by their reason, the first row's first."""
    found = sql.execute(_EXCLUDED, [run.id])
    return [ExcludedRows(Reason(reason), *values) for reason, *values in found]


def read_problems(
    sql: sqlite3.Connection, run: Import
) -> Iterator[tuple[RowProblem, list[int], int]]:
    """Yield each problem of an import, with the lines of two rows that have it, and how many do."""
    for text, rows, *lines in sql.execute(_INVALID, [run.number]):
        yield _unpack_problem(json.loads(text)), lines, rows


def read_noted(sql: sqlite3.Connection, run: Import) -> Iterator[tuple[list[str], int, int]]:
    """Yield the notes of rows that were not refused, how many have them, and the first line."""
    for notes, rows, line in sql.execute(_NOTED, [run.number]):
        yield notes.split("\n"), rows, line


def read_keys(sql: sqlite3.Connection, import_id: str | None = None) -> list[KeyOfPet]:
    """Return which pet each key is, of the rows of one import or of all animals."""
    found = sql.execute(_KEYS) if import_id is None else sql.execute(_KEYS_OF_ROWS, [import_id])
    return [KeyOfPet(shown_key(key) or "", *values) for key, *values in found]
