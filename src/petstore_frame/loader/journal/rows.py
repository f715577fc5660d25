"""What a journal knows of each record."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.tables import is_doubtful, is_live
from petstore_frame.loader.record import DOUBT_STATES, RecordProblem, State


class Known(NamedTuple):
    """The live record of the same animal, for one that was skipped.

    Known ``by`` the ``record`` (it was fixed from it), the ``key``, the ``store``, or ``equal``
    where the caller said that equal records are the same animals.
    """

    by: str
    import_id: str
    source: str
    staged_at: float
    record: int
    line: int
    state: State
    pet_id: int | None
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one record; times are seconds since 1970, UTC.

    Attributes:
        reads_now: The payload that its file gives now, where that is not what was sent.
        life: How many equal animals were known when the user said that this is another.
    """

    record: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None
    fingerprint: bytes | None
    key: str | None
    animal: int
    known_by: str | None
    life: int
    problem: RecordProblem | None
    notes: tuple[str, ...]
    reason: str | None
    reads_now: bytes | None
    attempts: int
    is_in_doubt: bool
    is_keyed: bool
    pet_id: int | None
    id_source: str | None
    first_sent_at: float | None
    last_sent_at: float | None
    settled_at: float | None
    http_status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    request_id: str | None = None
    elapsed_ms: float | None = None
    known: Known | None = None

    @property
    def payload_sha256(self) -> str | None:
        """Digest of the request body, for the logs of a store's operator."""
        return None if self.payload is None else hashlib.sha256(self.payload).hexdigest()


# The JSON object in the column ``answer`` has these names.
ANSWER = ("http_status", "error_code", "error_message", "error_field", "request_id", "elapsed_ms")
_COLUMNS = tuple(name for name in JournalRow.__slots__ if name not in (*ANSWER, "known"))
_STATES = {str(state): state for state in State}
_ROWS = f"""
SELECT {", ".join(f"r.{name}" for name in _COLUMNS)}, r.answer,
  other.id, other.source, other.staged_at, live.record, live.line, live.state, live.pet_id,
  live.payload
FROM imports JOIN records AS r USING (import)
LEFT JOIN records AS live ON r.state = 'skipped' AND live.animal = r.animal AND {is_live("live")}
LEFT JOIN imports AS other ON other.import = live.import
WHERE imports.id = ?
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
    if problem["option"] is not None:
        problem["option"] = tuple(problem["option"])
    return RecordProblem(**problem)


def read_payload(payload: bytes | None) -> dict[str, Any]:
    """Return the values of a request body that a journal has; empty for None.

    Raises:
        JournalError: It is not what was written.
    """
    if payload is None:
        return {}
    try:
        return dict(json.loads(payload))
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
    listed = ", ".join(f"'{state}'" for state in states)
    which = f"AND r.state IN ({listed})" if states else ""
    return map(_row, sql.execute(f"{_ROWS} {which} ORDER BY r.record", [import_id]))


def read_doubt_elsewhere(sql: sqlite3.Connection, number: int) -> list[JournalRow]:
    """Read the rows in doubt of all imports but one."""
    others = sql.execute(
        "SELECT id FROM imports WHERE import <> ? AND import IN"
        f" (SELECT import FROM records WHERE {is_doubtful()})",
        [number],
    ).fetchall()
    return [row for (other,) in others for row in read_rows(sql, other, *DOUBT_STATES)]


def _row(values: Sequence[Any]) -> JournalRow:
    own = dict(zip(_COLUMNS, values, strict=False))
    answer, *known = values[len(_COLUMNS) :]
    own |= {
        "cells": read_cells(own["cells"]),
        "state": _STATES[own["state"]],
        "problem": None if own["problem"] is None else read_problem(own["problem"]),
        "notes": tuple(own["notes"].split("\n")) if own["notes"] else (),
        "is_in_doubt": bool(own["is_in_doubt"]),
        "is_keyed": bool(own["is_keyed"]),
    }
    if answer is not None:
        own |= json.loads(answer)
    if known[0] is not None:
        found = Known(own["known_by"] or "record", *known)
        own["known"] = found._replace(state=_STATES[found.state])
    return JournalRow(**own)


def count_states(path: Path, import_id: str) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the answer."""
    with reading(path) as sql:
        return count_in(sql, import_id)


def count_in(sql: sqlite3.Connection, import_id: str) -> dict[State, int]:
    """Count the rows of an import over a connection."""
    found = sql.execute(
        "SELECT state, count(*) FROM records"
        " WHERE import = (SELECT import FROM imports WHERE id = ?) GROUP BY state",
        [import_id],
    )
    return dict.fromkeys(State, 0) | {_STATES[state]: count for state, count in found}
