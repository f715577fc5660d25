"""What is known of each record, on disk, before and after every request.

In: intents and outcomes. Out: one SQLite file per run, and rows read back from it. A record's
intent is durable before its first byte is sent; every change is one of the moves of record.py.
It knows nothing of HTTP, of CSV or of threads: one thread writes.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.lock import LOCK
from petstore_frame.loader.record import Ending, Record, RecordProblem, State

FORMAT = 1
SUFFIX = ".journal"

_TABLES = """
CREATE TABLE run (
  run_id TEXT PRIMARY KEY, format INTEGER, base_url TEXT,
  source_name TEXT, source_path TEXT, source_sha256 TEXT, identity TEXT,
  header TEXT, mapping TEXT, is_again INTEGER, plan TEXT,
  created_at REAL, started_at REAL, ended_at REAL, ending TEXT, ending_detail TEXT,
  store_id TEXT
);
CREATE TABLE rows (
  number INTEGER PRIMARY KEY, line INTEGER, cells, state TEXT, payload BLOB,
  problem TEXT, warnings TEXT, lineage TEXT, taken_from TEXT, reason TEXT,
  attempts INTEGER DEFAULT 0, is_in_doubt INTEGER DEFAULT 0, generation INTEGER DEFAULT 0,
  pet_id INTEGER, id_source TEXT, http_status INTEGER,
  error_code TEXT, error_message TEXT, error_field TEXT, request_id TEXT,
  idempotency_key TEXT, first_sent_at REAL, settled_at REAL, elapsed_ms REAL,
  last_sent_at REAL
);
CREATE TABLE attempts (
  number INTEGER, attempt INTEGER, started_at REAL, ended_at REAL, verdict TEXT, reason TEXT,
  http_status INTEGER, request_id TEXT, pet_id INTEGER, elapsed_ms REAL
);
CREATE TABLE events (at REAL, kind TEXT, detail TEXT);
"""
# Made after staging: filling an index row by row would double the cost of a million records.
INDEXES = """
CREATE INDEX IF NOT EXISTS rows_open ON rows(state, number)
  WHERE state IN ('pending', 'in_flight', 'unknown', 'absent');
CREATE UNIQUE INDEX IF NOT EXISTS rows_pet ON rows(pet_id) WHERE pet_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_fixed ON rows(lineage) WHERE lineage IS NOT NULL;
CREATE INDEX IF NOT EXISTS attempts_of ON attempts(number, attempt);
"""


@dataclass(frozen=True)
class Run:
    """The facts of one import.

    Attributes:
        run_id: Random, 32 hex digits.
        base_url: The store, in its one spelling.
        source_name: The file's name, or "frame".
        source_path: The file's whole path, or None for a frame.
        source_sha256: Digest of the file's bytes, or of the frame's content.
        identity: Digest of the content and of every option that changes what it means.
        header: The file's columns.
        mapping: Field to column of the file.
        is_again: A deliberate second copy.
        overlap: What an edited file has in common with earlier runs; empty for a first run.
        created_at: When it was staged, seconds since 1970, UTC.
        started_at: When the last session began to send, or None.
        ended_at: When the last session ended, or None while it runs or after a kill.
        ending: How the last session ended, or None.
        ending_detail: The same as text.
        store_id: The id that the store stated, or None where it has not.
    """

    run_id: str
    base_url: str
    source_name: str
    source_path: str | None
    source_sha256: str
    identity: str
    header: tuple[str, ...]
    mapping: dict[str, str]
    is_again: bool = False
    overlap: dict[str, Any] = field(default_factory=dict)
    created_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    ending_detail: str = ""
    store_id: str | None = None


@dataclass(frozen=True, slots=True)
class JournalRow:
    """All that is known of one record; times are seconds since 1970, UTC."""

    number: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None
    problem: RecordProblem | None
    warnings: tuple[str, ...]
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
    settled_at: float | None
    elapsed_ms: float | None

    @property
    def payload_sha256(self) -> str | None:
        """Digest of the request body, for the logs of a store's operator."""
        return None if self.payload is None else hashlib.sha256(self.payload).hexdigest()


_RUN_FIELDS = tuple(Run.__dataclass_fields__)
# A journal has one name of its own, so that journals of earlier versions stay readable.
_RUN_COLUMNS = tuple("plan" if name == "overlap" else name for name in _RUN_FIELDS)
_ROW_COLUMNS = tuple(JournalRow.__dataclass_fields__)
_STATES = {str(state): state for state in State}
# No table, not a database, or a torn file: what it knew is not there.
_LOST = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def sql_errors(path: Path) -> Iterator[None]:
    """Turn the database's errors into ours, with the place and the next step."""
    try:
        yield
    except sqlite3.Error as problem:
        raise JournalError(_describe(path, problem)) from problem


def error_code(problem: sqlite3.Error) -> int:
    """Return the primary code of an error; Python's own, of text that is not UTF-8, have none."""
    return getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _describe(path: Path, problem: sqlite3.Error) -> str:
    """Describe what is wrong with a journal and the next step, which is never to send all again."""
    is_lost = error_code(problem) in _LOST or not path.is_file()
    if not is_lost:
        return (
            f"{path}: {problem}; free some room or repair the disk, then run the same import again"
        )
    return (
        f"{path} is missing, damaged or not a journal ({problem}); only it may know which records "
        "are in the store: restore it before you load its file again, and move it to another "
        "folder only if it does not matter"
    )


def address_of(path: Path, *, is_new: bool = False) -> str:
    """Return how SQLite is to open a file: one that is missing is not made unless it is new."""
    return f"{path.absolute().as_uri()}?mode={'rwc' if is_new else 'rw'}"


def connect(path: Path, *, is_reader: bool = False, is_new: bool = False) -> sqlite3.Connection:
    """Open a journal's database; a reader changes nothing."""
    connection = sqlite3.connect(
        address_of(path, is_new=is_new),
        uri=True,
        timeout=10.0,
        isolation_level=None,
        check_same_thread=False,
    )
    if is_reader:
        connection.execute("PRAGMA query_only = 1")
    return connection


@contextmanager
def opened(
    path: Path, *, is_reader: bool = False, is_new: bool = False
) -> Iterator[sqlite3.Connection]:
    """Give a connection to a journal's database, and turn what it raises into a JournalError."""
    with sql_errors(path), closing(connect(path, is_reader=is_reader, is_new=is_new)) as sql:
        yield sql


@contextmanager
def attached(sql: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Let statements read, and change, another journal under the name ``earlier``."""
    with sql_errors(path):
        sql.execute("ATTACH ? AS earlier", [address_of(path)])
        try:
            yield
        finally:
            sql.execute("DETACH earlier")


def create(path: Path, run: Run, records: Iterable[Record]) -> None:
    """Write a whole run into a new file, in one pass and constant memory.

    The file is worthless until this returns: a caller gives it its final name afterwards.
    """
    with opened(path, is_new=True) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_TABLES)
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO rows (number, line, cells, state, payload, problem, warnings, lineage)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            map(_staged, records),
        )
        connection.execute(
            f"INSERT INTO run (format, {', '.join(_RUN_COLUMNS)})"  # noqa: S608 # our own names
            f" VALUES (?, {', '.join('?' * len(_RUN_COLUMNS))})",
            (FORMAT, *_run_values(run)),
        )
        connection.execute("COMMIT")


def add_store_id(sql: sqlite3.Connection) -> None:
    """Give a journal from before stores had ids the place for one."""
    if "store_id" not in {column[1] for column in sql.execute("PRAGMA table_info(run)")}:
        sql.execute("ALTER TABLE run ADD COLUMN store_id TEXT")


def _staged(record: Record) -> tuple[Any, ...]:
    number, line, cells, state, payload, problem, warnings, _, origin = record
    return (
        number,
        line,
        _pack(cells),
        state.value,
        payload,
        None if problem is None else json.dumps(_problem_values(problem)),
        "\n".join(warnings) if warnings else None,
        None if origin is None else f"{origin.run_id}:{origin.record}",
    )


def _problem_values(problem: RecordProblem) -> list[str | None]:
    return [problem.code, problem.message, problem.column, problem.value, problem.hint]


def _pack(cells: Sequence[str]) -> str | bytes:
    """Store cells as one text, a control character between; JSON where that would not do."""
    text = "\x1f".join(cells)
    if text.count("\x1f") + 1 == len(cells) and (text.isascii() or _is_utf8(text)):
        return text
    return json.dumps(cells).encode("ascii")


def _is_utf8(text: str) -> bool:
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def read_cells(value: str | bytes) -> tuple[str, ...]:
    """Return the cells of a row as they were stored."""
    return tuple(json.loads(value)) if isinstance(value, bytes) else tuple(value.split("\x1f"))


def _run_values(run: Run) -> list[Any]:
    return [
        json.dumps(value) if isinstance(value, dict | tuple) else value
        for value in (getattr(run, name) for name in _RUN_FIELDS)
    ]


def read_run(path: Path) -> Run:
    """Read the facts of a run.

    Raises:
        JournalError: The file is not a journal, or of another version, or it was moved without
            its -wal after a killed session.
    """
    is_alone = _is_alone(path)
    if not is_alone:
        _mark_at_home(path)
    with opened(path, is_reader=True) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute("SELECT * FROM run").fetchone()
    if found is None or found["format"] != FORMAT:
        raise JournalError(f"{path} is not a journal of this version; use another journal folder")
    if is_alone and found["started_at"] is not None and found["ended_at"] is None:
        raise JournalError(
            f"{path} was moved or copied without {path.name}-wal, which knows what was sent last; "
            "put both into this folder; nothing was sent"
        )
    # Journals from before stores had ids lack that column.
    known = found.keys()
    facts: dict[str, Any] = {
        name: found[column]
        for name, column in zip(_RUN_FIELDS, _RUN_COLUMNS, strict=True)
        if column in known
    }
    facts |= {
        "header": tuple(json.loads(facts["header"])),
        "mapping": json.loads(facts["mapping"]),
        "overlap": json.loads(facts["overlap"]),
        "is_again": bool(facts["is_again"]),
        "ending": Ending(facts["ending"]) if facts["ending"] else None,
        "ending_detail": facts["ending_detail"] or "",
    }
    return Run(**facts)


def _is_alone(path: Path) -> bool:
    """Tell whether a journal has neither its -wal nor ever had a lock where it is now."""
    return not any(path.with_name(path.name + suffix).exists() for suffix in (LOCK, "-wal"))


def _mark_at_home(path: Path) -> None:
    """Leave a sign that a journal was whole here: the reader that closes last takes its -wal.

    In a folder that cannot be written no reader can take it, so no sign is needed.
    """
    with suppress(OSError):
        path.with_name(path.name + LOCK).touch()


def rows(path: Path, *states: State) -> Iterator[JournalRow]:
    """Read the rows in order of their number, those of the given states or all.

    What it yields is one moment of the journal, also while an importer writes.
    """
    where = f"WHERE state IN ({', '.join('?' * len(states))})" if states else ""
    query = f"SELECT {', '.join(_ROW_COLUMNS)} FROM rows {where} ORDER BY number"  # noqa: S608
    with opened(path, is_reader=True) as connection:
        for values in connection.execute(query, [str(state) for state in states]):
            yield read_row(values)


def read_row(values: Sequence[Any]) -> JournalRow:
    """Make a JournalRow of a row of the database."""
    number, line, cells, state, payload, problem, warnings, reason, attempts, doubt, *rest = values
    return JournalRow(
        number,
        line,
        read_cells(cells),
        _STATES[state],
        payload,
        None if problem is None else RecordProblem(*json.loads(problem)),
        tuple(warnings.split("\n")) if warnings else (),
        reason,
        attempts,
        bool(doubt),
        *rest,
    )


def count_states(path: Path) -> dict[State, int]:
    """Count the rows in each state; every state is in the answer."""
    with opened(path, is_reader=True) as connection:
        found = dict(connection.execute("SELECT state, count(*) FROM rows GROUP BY state"))
    return {state: found.get(str(state), 0) for state in State}
