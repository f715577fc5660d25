"""What a journal knows of each import, and of each of its records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.tables import IS_DOUBTFUL, is_live, one_of
from petstore_frame.loader.record import DOUBT_STATES, Ending, Reason, RecordProblem, State


@dataclass(frozen=True)
class Import:
    """The facts of one import; times are seconds since 1970, UTC.

    Attributes:
        id: 32 hex digits, a digest of the cells as read and of the copy number, so that it is the
            same on every computer.
        source: The file's name, or "frame".
        place: The file's path, with the sheet of a workbook; None for a frame.
        mapping: Field to column of the file.
        duplicates: The answers to the question, one word or one for each case.
        keep: Which of several rows of one key stands.
        copy: 0, or the number of a copy that was made on purpose (``again=True``).
        call, recipe: The call and how the file was read, as JSON; None where that is not known.
        facts: What was found when it was staged, as values.
        staged_at: When its records were read last.
        started_at: When the last session began to send; None before the first.
        ended_at: When it ended, or None while it runs or after a kill.
        store_id: The id that the store stated, or None where it has not.
        number: Its place in the journal.
    """

    id: str
    base_url: str
    source: str
    place: str | None
    header: tuple[str, ...]
    mapping: dict[str, str]
    key: tuple[str, ...] = ()
    duplicates: Any = "refuse"
    keep: str | None = None
    copy: int = 0
    recipe: dict[str, Any] | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    staged_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0


# How it was read and called, in the column ``recipe``.
RECIPE = ("mapping", "key", "duplicates", "keep", "recipe")
_PLAIN = (
    "id", "copy", "source", "place", "staged_at", "started_at", "ended_at", "ending",
    "ending_detail",
)  # fmt: skip
_IMPORTS = f"SELECT {', '.join(_PLAIN)}, base_url, store_id, import, header, recipe, facts"


def write_import(sql: sqlite3.Connection, run: Import, key_columns: str) -> None:
    """Write the facts of an import, new or known."""
    values = {name: getattr(run, name) for name in _PLAIN} | {
        "import": run.number,
        "header": json.dumps(run.header),
        "key_columns": key_columns,
        "recipe": json.dumps({name: getattr(run, name) for name in RECIPE}),
        "facts": json.dumps(run.facts),
    }
    named = f"({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
    sql.execute(f"INSERT OR REPLACE INTO imports {named}", [*values.values()])


def note_facts(sql: sqlite3.Connection, run: Import, facts: dict[str, Any]) -> None:
    """Write what was found in the records of an import."""
    sql.execute("UPDATE imports SET facts = ? WHERE import = ?", [json.dumps(facts), run.number])


def read_imports(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Import]:
    """Return the imports for which a condition holds, the oldest first.

    Raises:
        JournalError: What it knows of one is not what was written.
    """
    found = sql.execute(f"{_IMPORTS} FROM imports, journal WHERE {where} ORDER BY import", values)
    runs = []
    for *plain, base_url, store_id, number, header, recipe, facts in found.fetchall():
        try:
            known = dict(zip(_PLAIN, plain, strict=True)) | json.loads(recipe)
            known |= {"key": tuple(known["key"]), "header": tuple(json.loads(header))}
            known["ending"] = Ending(known["ending"]) if known["ending"] else None
            known |= {"base_url": base_url, "store_id": store_id, "number": number}
            runs.append(Import(**known, facts=json.loads(facts)))
        except (ValueError, KeyError, TypeError) as problem:
            raise JournalError(
                f"import {number} of the journal is damaged ({problem})"
            ) from problem
    return runs


def read_import(path: Path, import_id: str) -> Import:
    """Read the facts of an import.

    Raises:
        JournalError: The journal has lost something, or does not know this import.
    """
    with reading(path) as sql:
        found = read_imports(sql, "id = ?", [import_id])
    if not found:
        raise JournalError(f"{path} does not know the import {import_id}; it was another journal's")
    return found[0]


class Known(NamedTuple):
    """The live record of the same animal, for one that was skipped."""

    import_id: str
    line: int
    state: State
    pet_id: int | None
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one record; times are seconds since 1970, UTC.

    Attributes:
        reason: Why it is in its state; of a skipped one a ``Reason``.
        reads_now: The payload that its file gives now, where that is not what was sent.
    """

    record: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None
    key: str | None
    animal: int
    known_by: str | None
    problem: RecordProblem | None
    notes: tuple[str, ...]
    reason: str | None
    reads_now: bytes | None
    attempts: int
    is_in_doubt: bool
    pet_id: int | None
    id_source: str | None
    first_sent_at: float | None
    last_sent_at: float | None
    settled_at: float | None
    # The JSON object in the column ``answer`` has these names.
    http_status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    request_id: str | None = None
    elapsed_ms: float | None = None
    known: Known | None = None


_NAMES = [each.name for each in fields(JournalRow)]
_COLUMNS = _NAMES[: _NAMES.index("http_status")]
_MOMENTS = ("first_sent_at", "last_sent_at", "settled_at")
_STATES = {str(state): state for state in State}
_LATEST = 1e11  # seconds; a later moment is damage
REASON: str = f"""
CASE WHEN r.state <> 'skipped' THEN r.reason
  WHEN r.reason IN ('{Reason.LEFT_OUT}', '{Reason.WITHDRAWN}') THEN r.reason
  WHEN coalesce(r.known_by, live.id) IS NULL THEN '{Reason.BLANK}'
  WHEN live.id IS NULL THEN '{Reason.NOT_CREATED}'
  WHEN live.state = 'pending' THEN '{Reason.NOT_SENT}'
  WHEN {one_of(DOUBT_STATES, "live")} THEN '{Reason.IN_DOUBT}'
  WHEN r.payload IS NULL OR r.payload IS live.payload THEN '{Reason.KNOWN}'
  ELSE '{Reason.CHANGED}' END
"""
# The records of an import, each skipped one beside the live record of its animal.
OF_IMPORT: str = f"""
FROM imports AS mine JOIN records AS r USING (import)
LEFT JOIN records AS live ON r.state = 'skipped' AND live.animal = r.animal AND {is_live("live")}
LEFT JOIN imports AS other ON other.import = live.import WHERE mine.id = ?
"""
_READ = [REASON if name == "reason" else f"r.{name}" for name in _COLUMNS]
_ROWS = f"""
SELECT {", ".join(_READ)}, r.answer, other.id, live.line, live.state, live.pet_id, live.payload
{OF_IMPORT}
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


def pack_problem(problem: RecordProblem) -> str:
    """Store a problem as one text."""
    return json.dumps([getattr(problem, name) for name in RecordProblem.__slots__])


def read_problem(text: str) -> RecordProblem:
    """Return a problem as it was stored."""
    problem = dict(zip(RecordProblem.__slots__, json.loads(text), strict=True))
    add = problem.pop("add")
    return RecordProblem(**problem, add=None if add is None else tuple(add))


def read_payload(payload: bytes | None) -> dict[str, Any]:
    """Return the values of a request body that a journal has; empty for None.

    Raises:
        JournalError: It is not what was written.
    """
    try:
        return {} if payload is None else dict(json.loads(payload))
    except (ValueError, TypeError) as problem:
        raise JournalError(f"a record of the journal is damaged ({problem})") from problem


def rows(path: Path, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import in order, those of the given states or all.

    What it yields is one moment of the journal, also while an importer writes.
    """
    with reading(path) as sql:
        yield from read_rows(sql, import_id, *states)


def read_rows(sql: sqlite3.Connection, import_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import over a connection."""
    which = f"AND {one_of(states, 'r')}" if states else ""
    return map(_row, sql.execute(f"{_ROWS} {which} ORDER BY r.record", [import_id]))


def read_doubt_elsewhere(sql: sqlite3.Connection, number: int) -> list[JournalRow]:
    """Read the rows in doubt of all imports but one."""
    in_doubt = f"import IN (SELECT import FROM records WHERE {IS_DOUBTFUL})"
    others = read_imports(sql, f"import <> ? AND {in_doubt}", [number])
    return [row for other in others for row in read_rows(sql, other.id, *DOUBT_STATES)]


def _row(values: Sequence[Any]) -> JournalRow:
    own = dict(zip(_COLUMNS, values, strict=False))
    answer, *known = values[len(_COLUMNS) :]
    own |= {
        "cells": read_cells(own["cells"]),
        "state": _STATES[own["state"]],
        "problem": None if own["problem"] is None else read_problem(own["problem"]),
        "notes": tuple(own["notes"].split("\n")) if own["notes"] else (),
        "is_in_doubt": bool(own["is_in_doubt"]),
    }
    if not all(abs(own[name] or 0.0) < _LATEST for name in _MOMENTS):
        raise ValueError("a moment that is none")
    if answer is not None:
        own |= json.loads(answer)
    if known[0] is not None:
        found = Known(*known)
        own["known"] = found._replace(state=_STATES[found.state])
    return JournalRow(**own)


def count_in(sql: sqlite3.Connection, import_id: str) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the answer."""
    found = sql.execute(
        "SELECT state, count(*) FROM records"
        " WHERE import = (SELECT import FROM imports WHERE id = ?) GROUP BY state",
        [import_id],
    )
    return dict.fromkeys(State, 0) | {_STATES[state]: count for state, count in found}
