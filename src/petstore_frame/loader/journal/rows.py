"""What a journal knows of its imports and of each of their records."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.record import Ending, Origin, RecordProblem, State


@dataclass(frozen=True)
class Run:
    """The facts of one import; times are seconds since 1970, UTC.

    Attributes:
        run_id: Random, 32 hex digits.
        base_url: The store, in its one spelling.
        source_name: The file's name, or "frame", which has no ``source_path``.
        records_sha256: Digest of the records as read, which tells one import from another.
        mapping: Field to column of the file.
        duplicates: What to do with records that equal earlier ones: refuse, skip or send.
        is_again: A deliberate second copy.
        plan: What the import has in common with earlier ones, as found when it was staged.
        started_at: When the last session began to send; None for a rehearsal.
        ended_at: When it ended, or None while it runs or after a kill.
        store_id: The id that the store stated, or None where it has not.
        number: Its place in the journal; ``store`` is that of its store.
    """

    run_id: str
    base_url: str
    source_name: str
    source_path: str | None
    records_sha256: str
    header: tuple[str, ...]
    mapping: dict[str, str]
    key: tuple[str, ...] = ()
    duplicates: str = "refuse"
    is_again: bool = False
    plan: dict[str, Any] = field(default_factory=dict)
    created_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0
    store: int = 0


class Same(NamedTuple):
    """The record of an earlier import, or of the same one, that a skipped record is.

    Shown ``by`` the ``record`` (it was fixed from it), ``fix`` (its fix file created it), the
    ``key``, or ``equal`` where the caller said that equal records are the same animals.
    """

    by: str
    run_id: str
    source_name: str
    created_at: float
    record: int
    state: State
    pet_id: int | None
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one record; times are seconds since 1970, UTC."""

    record: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None
    problem: RecordProblem | None
    warnings: tuple[str, ...]
    key: str | None
    reason: str | None
    attempts: int
    is_in_doubt: bool
    generation: int
    pet_id: int | None
    id_source: str | None
    http_status: int | None
    error_code: str | None
    error_message: str | None
    error_field: str | None
    request_id: str | None
    idempotency_key: str | None
    first_sent_at: float | None
    last_sent_at: float | None
    settled_at: float | None
    elapsed_ms: float | None
    origin: Origin | None = None
    same: Same | None = None

    @property
    def payload_sha256(self) -> str | None:
        """Digest of the request body, for the logs of a store's operator."""
        return None if self.payload is None else hashlib.sha256(self.payload).hexdigest()


_OWN_COLUMNS = tuple(JournalRow.__dataclass_fields__)[:-2]
_STATES = {str(state): state for state in State}
_OF_RUN = "import = (SELECT import FROM imports WHERE run_id = :run)"
_ROWS = f"""
SELECT {", ".join(f"r.{name}" for name in _OWN_COLUMNS)}, root.run_id, r.root_record,
  r.same_by, other.run_id, other.source_name, other.created_at, r.same_record,
  coalesce(fates.state, 'pending'), fates.pet_id, same.payload
FROM records AS r
LEFT JOIN imports AS root ON root.import = r.root_import
LEFT JOIN imports AS other ON other.import = r.same_import
LEFT JOIN contents AS same ON same.import = r.same_import AND same.record = r.same_record
LEFT JOIN fates ON fates.import = r.same_import AND fates.record = r.same_record
WHERE r.{_OF_RUN}
"""
_RUN_COLUMNS = tuple(Run.__dataclass_fields__)
_RUNS = f"""
SELECT {", ".join(_RUN_COLUMNS)} FROM (SELECT *, import AS number FROM imports) AS imports
JOIN stores USING (store), journal
"""
_OF_THE_STORE = ("base_url", "store_id")
_RUN_JSON = ("header", "mapping", "key", "plan")


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
    values = json.loads(text)
    problem = dict(zip(RecordProblem.__slots__, values, strict=True))
    if problem["option"] is not None:
        problem["option"] = tuple(problem["option"])
    return RecordProblem(**problem)


def write_run(sql: sqlite3.Connection, run: Run) -> None:
    """Write the facts of a new import."""
    values = {name: getattr(run, name) for name in _RUN_COLUMNS if name not in _OF_THE_STORE}
    values |= {name: json.dumps(values[name]) for name in _RUN_JSON}
    values["import"] = values.pop("number")
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    sql.execute(f"INSERT INTO imports ({columns}) VALUES ({places})", list(values.values()))


def read_runs(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Run]:
    """Return the imports for which a condition holds, the oldest first."""
    runs = []
    for row in sql.execute(f"{_RUNS} WHERE {where} ORDER BY number", values).fetchall():
        facts = dict(zip(_RUN_COLUMNS, row, strict=True))
        facts |= {name: json.loads(facts[name]) for name in _RUN_JSON}
        facts |= {name: tuple(facts[name]) for name in ("header", "key")}
        facts["ending"] = Ending(facts["ending"]) if facts["ending"] else None
        runs.append(Run(**facts | {"is_again": bool(facts["is_again"])}))
    return runs


def read_run(path: Path, run_id: str) -> Run:
    """Read the facts of an import.

    Raises:
        JournalError: The journal has lost something, or does not know this import.
    """
    with reading(path) as sql:
        found = read_runs(sql, "run_id = ?", [run_id])
    if not found:
        raise JournalError(f"{path} does not know the import {run_id}; it was another journal's")
    return found[0]


def rows(path: Path, run_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import in order, those of the given states or all.

    What it yields is one moment of the journal, also while an importer writes.
    """
    with reading(path) as sql:
        yield from read_rows(sql, run_id, *states)


def read_rows(sql: sqlite3.Connection, run_id: str, *states: State) -> Iterator[JournalRow]:
    """Read the rows of an import over a connection."""
    listed = ", ".join(f"'{state}'" for state in states)
    which = f"AND r.state IN ({listed})" if states else ""
    if states and State.PENDING not in states:  # any other has a row of its own
        which = (
            f"AND r.record IN (SELECT record FROM fates WHERE {_OF_RUN} AND state IN ({listed}))"
        )
    return map(_row, sql.execute(f"{_ROWS} {which} ORDER BY r.record", {"run": run_id}))


def _row(values: Sequence[Any]) -> JournalRow:
    own = dict(zip(_OWN_COLUMNS, values, strict=False))
    root_run, root_record, by, *same = values[len(_OWN_COLUMNS) :]
    problem, warnings = own["problem"], own["warnings"]
    own |= {
        "cells": read_cells(own["cells"]),
        "state": _STATES[own["state"]],
        "problem": None if problem is None else read_problem(problem),
        "warnings": tuple(warnings.split("\n")) if warnings else (),
        "is_in_doubt": bool(own["is_in_doubt"]),
        "origin": None if root_run is None else Origin(root_run, root_record),
        "same": None if by is None else Same(by, *same)._replace(state=_STATES[same[4]]),
    }
    return JournalRow(**own)


def count_states(path: Path, run_id: str) -> dict[State, int]:
    """Count the rows of an import in each state; every state is in the answer."""
    with reading(path) as sql:
        return count_in(sql, run_id)


def count_in(sql: sqlite3.Connection, run_id: str) -> dict[State, int]:
    """Count the rows of an import over a connection."""
    facts = {"run": run_id}
    query = f"SELECT state, count(*) FROM fates WHERE {_OF_RUN} GROUP BY state"
    found = dict.fromkeys(State, 0) | {_STATES[s]: n for s, n in sql.execute(query, facts)}
    (records,) = sql.execute(f"SELECT count(*) FROM contents WHERE {_OF_RUN}", facts).fetchone()
    found[State.PENDING] += records - sum(found.values())
    return found
