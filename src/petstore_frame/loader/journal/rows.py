"""What a journal knows of each import, and of each of its records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.tables import one_of
from petstore_frame.loader.record import Ending, Reason, RecordProblem, State


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
        bytes_id: Digest of the bytes of a file and of its sheet; None for a frame.
        copy: 0, or the number of a copy that was made on purpose (``again=True``).
        call, recipe: The call and how the file was read, as JSON; None where that is not known.
        facts: What a user should know of it, as values by name.
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
    bytes_id: str | None = None
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
RECIPE = ("mapping", "key", "keep", "recipe")
_PLAIN = (
    "id", "bytes_id", "copy", "source", "place", "staged_at", "started_at", "ended_at", "ending",
)  # fmt: skip
_IMPORTS = f"""
SELECT {", ".join(_PLAIN)}, detail, base_url, store_id, import, header, recipe, answers, warnings
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
    """Return the imports for which a condition holds, the oldest first.

    Raises:
        JournalError: What it knows of one is not what was written.
    """
    found = sql.execute(f"{_IMPORTS} {where} ORDER BY import", values).fetchall()
    runs = []
    for *plain, detail, base_url, store_id, number, header, recipe, answers, warnings in found:
        try:
            known = dict(zip(_PLAIN, plain, strict=True)) | json.loads(recipe)
            known |= {"key": tuple(known["key"]), "header": tuple(json.loads(header))}
            known["ending"] = Ending(known["ending"]) if known["ending"] else None
            known |= {"base_url": base_url, "store_id": store_id, "number": number}
            known |= {"duplicates": json.loads(answers), "ending_detail": detail}
            runs.append(Import(**known, facts=json.loads(warnings)))
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
    """What was done about an animal, where another row than this one speaks for it."""

    import_id: str
    line: int
    state: State
    pet_id: int | None
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one record; times are seconds since 1970, UTC.

    Attributes:
        payload: What was sent where this row speaks for its animal; else what its file gives.
        problem: Why it cannot be sent; None unless it is invalid.
        reason: Why it is in its state; of a skipped one a ``Reason``.
        reads_now: The payload that its file gives now, where that is not what was sent.
        known: What was done about its animal, where another row speaks for it.
    """

    record: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None
    problem: RecordProblem | None
    notes: tuple[str, ...]
    reason: str | None
    reads_now: bytes | None = None
    pet_id: int | None = None
    sent_at: float | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    known: Known | None = None


_STATES = {str(state): state for state in State}
_LATEST = 1e11  # seconds; a later moment is damage
_ROWS = """
SELECT r.record, r.line, r.cells, r.state, r.payload, r.known_by, r.problem, r.notes, r.reason,
  r.own_state, r.own_payload, r.own_reason, r.answer, r.pet_id, r.sent_at,
  r.own_import = r.import AND r.own_record = r.record, others.id, speaker.line
FROM imports AS mine JOIN records AS r USING (import)
LEFT JOIN imports AS others ON others.import = r.own_import
LEFT JOIN rows AS speaker ON speaker.import = r.own_import AND speaker.record = r.own_record
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


def _row(values: Sequence[Any]) -> JournalRow:
    (record, line, packed, state, payload, known_by, problem, notes, reason, own_state, sent,
     own_reason, answer, pet_id, sent_at, speaks, other_id, other_line) = values  # fmt: skip
    if abs(sent_at or 0.0) > _LATEST:
        raise ValueError("a moment that is none")
    noted, answered = tuple(notes.split("\n")) if notes else (), dict[str, Any]()
    known = reads_now = None
    if own_state is None:
        reason = reason or _reason_of(state, known_by)
    elif speaks:
        answered = json.loads(answer) if answer else {}
        noted += tuple(answered.get("notes", ()))
        payload, reads_now, reason = sent, None if payload == sent else payload, own_reason
    else:
        known = Known(other_id, other_line, _STATES[own_state], pet_id, sent)
        if state == State.SKIPPED:
            is_same = payload is None or payload == sent
            reason = reason or (Reason.KNOWN if is_same else Reason.CHANGED)
        reason, pet_id, sent_at = reason or own_reason, None, None
    return JournalRow(
        record,
        line,
        read_cells(packed),
        _STATES[state],
        payload,
        None if problem is None else read_problem(problem),
        noted,
        reason,
        reads_now,
        pet_id,
        sent_at,
        answered.get("error_code"),
        answered.get("error_message"),
        answered.get("error_field"),
        known,
    )


def _reason_of(state: str, known_by: str | None) -> str | None:
    """Return why a row is skipped that has no animal and no other reason."""
    if state != State.SKIPPED:
        return None
    return Reason.BLANK if known_by is None else Reason.KNOWN


def count_in(sql: sqlite3.Connection, import_id: str) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the answer."""
    found = sql.execute(
        "SELECT state, count(*) FROM records"
        " WHERE import = (SELECT import FROM imports WHERE id = ?) GROUP BY state",
        [import_id],
    )
    return dict.fromkeys(State, 0) | {_STATES[state]: count for state, count in found}
