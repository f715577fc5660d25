"""The imports of a journal: what each was called with, and how it ended."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.record import Ending


@dataclass(frozen=True)
class Import:
    """The facts of one import; times are seconds since 1970, UTC.

    Attributes:
        id: 32 hex digits, a digest of the cells as read and of the copy number, so that it is the
            same on every computer.
        base_url: The store.
        source: The file's name, or "frame".
        place: The file's path, with the sheet of a workbook; None for a frame.
        header: The names of its columns.
        mapping: Field to column of the file.
        key: The columns that identify an animal.
        duplicates: The answers to the question, one word or one for each case.
        keep: Which of several rows of one key stands.
        copy: 0, or the number of a copy that was made on purpose (``again=True``).
        call: The call, as JSON.
        recipe: How it was read, as JSON; None where that cannot be written.
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
    call: dict[str, Any] | None = None
    recipe: dict[str, Any] | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    staged_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    ending: Ending | None = None
    ending_detail: str = ""
    store_id: str | None = None
    number: int = 0


_PLAIN = (
    "id", "copy", "source", "place", "staged_at", "started_at", "ended_at", "ending",
    "ending_detail",
)  # fmt: skip
# How it was read and called, in the column ``recipe``.
_RECIPE = ("mapping", "key", "duplicates", "keep", "call", "recipe")


def write_import(sql: sqlite3.Connection, run: Import, key_columns: str) -> None:
    """Write the facts of an import, new or known."""
    values = {name: getattr(run, name) for name in _PLAIN}
    values |= {
        "import": run.number,
        "header": json.dumps(run.header),
        "key_columns": key_columns,
        "recipe": json.dumps({name: getattr(run, name) for name in _RECIPE}),
        "facts": json.dumps(run.facts),
    }
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    sql.execute(
        f"INSERT OR REPLACE INTO imports ({columns}) VALUES ({places})", list(values.values())
    )


def note_facts(sql: sqlite3.Connection, run: Import, facts: dict[str, Any]) -> None:
    """Write what was found in the records of an import."""
    sql.execute("UPDATE imports SET facts = ? WHERE import = ?", [json.dumps(facts), run.number])


def read_imports(
    sql: sqlite3.Connection, where: str = "TRUE", values: Sequence[Any] = ()
) -> list[Import]:
    """Return the imports for which a condition holds, the oldest first."""
    found = sql.execute(
        f"SELECT {', '.join(_PLAIN)}, header, recipe, facts, base_url, store_id, import"
        f" FROM imports, journal WHERE {where} ORDER BY import",
        values,
    ).fetchall()
    return [_import(row) for row in found]


def _import(row: Sequence[Any]) -> Import:
    facts = dict(zip(_PLAIN, row, strict=False))
    header, recipe, found, base_url, store_id, number = row[len(_PLAIN) :]
    try:
        facts |= json.loads(recipe)
        facts |= {"key": tuple(facts["key"]), "header": tuple(json.loads(header))}
        facts["ending"] = Ending(facts["ending"]) if facts["ending"] else None
        facts |= {"base_url": base_url, "store_id": store_id, "number": number}
        return Import(**facts, facts=json.loads(found))
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalError(f"import {number} of the journal is damaged ({problem})") from problem


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
