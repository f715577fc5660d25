"""What results show of each record, column by column.

In: a row of the journal and the facts of its run. Out: its values in the order of ``COLUMNS``,
for the frame and for the files alike. It makes no frame and writes no file.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from petstore_frame.loader.journal.journal import JournalRow, Run
from petstore_frame.loader.reading.mapping import OWN_PREFIX, field_name
from petstore_frame.loader.record import RecordProblem, State

# Name in the frame, and its dtype; in files each has the prefix that the reader ignores.
COLUMNS: dict[str, str] = {
    "row": "Int64",
    "line": "Int64",
    "sent_name": "str",
    "sent_category_id": "Int64",
    "sent_status": "category",
    "state": "category",
    "action": "category",
    "pet_id": "Int64",
    "id_source": "category",
    "http_status": "Int16",
    "error_code": "str",
    "error_message": "str",
    "error_column": "str",
    "error_value": "str",
    "hint": "str",
    "reason": "category",
    "warnings": "str",
    "attempts": "Int32",
    "first_sent_at": "datetime64[us, UTC]",
    "settled_at": "datetime64[us, UTC]",
    "elapsed_ms": "Float64",
    "correlation_id": "str",
    "idempotency_key": "str",
    "payload_sha256": "str",
    "run_id": "str",
    "file_sha256": "str",
}

# The values of these columns are known in advance, so they are the same in each result.
CATEGORIES: dict[str, list[str]] = {
    "sent_status": ["available", "pending", "sold"],
    "state": [str(state) for state in State],
    "action": ["none", "fix", "resend", "check"],
    "id_source": ["response", "recovered", "manual"],
}

# What helps to fix a record comes first, right after its own cells.
FIX_COLUMNS = (
    "error_message", "hint", "error_column", "line", "error_code", "state", "row", "http_status",
    "correlation_id", "warnings", "run_id",
)  # fmt: skip

# In a frame, of which a notebook shows the first columns.
FIX_FIRST = ("line", "error_column", "error_value", "error_message", "hint")

_FILE_NAMES = {"error_message": "error", "error_column": "column", "run_id": "run"}

_ACTIONS: dict[State, str] = {
    State.INVALID: "fix",
    State.REJECTED: "fix",
    State.PENDING: "resend",
    State.ABSENT: "resend",
    State.UNKNOWN: "check",
    State.IN_FLIGHT: "check",
}
_DOUBT_HINTS: dict[State, str] = {
    State.UNKNOWN: "it may exist: let reconcile settle it, do not send it again",
    State.IN_FLIGHT: "it is on its way, or was when its import was killed; load the file again",
    State.ABSENT: "its pet was not found: resend it only if you are sure",
}


class ResultLine(NamedTuple):
    """One record as it goes into a file: its own cells, then what is known of it."""

    state: State
    cells: list[str]
    values: dict[str, Any]


def original_columns(run: Run) -> list[str]:
    """Return the names of the file's own columns for a frame: none empty, none like ours."""
    names: list[str] = []
    for at, name in enumerate(run.header, 1):
        free = name or f"column {at}"
        while free in COLUMNS or free in names:
            free = f"{free} (file)"
        names.append(free)
    return names


def describe(row: JournalRow, run: Run) -> tuple[Any, ...]:
    """Return all that is known of a record, in the order of ``COLUMNS``; None is missing."""
    sent = json.loads(row.payload) if row.payload is not None else {}
    problem = problem_of(row, run)
    return (
        row.number,
        row.line,
        sent.get("name"),
        sent.get("categoryId"),
        sent.get("status"),
        str(row.state),
        _ACTIONS.get(row.state, "none"),
        row.pet_id,
        row.id_source,
        row.http_status,
        problem.code or None,
        problem.message or None,
        problem.column,
        problem.value,
        problem.hint or None,
        row.reason,
        "; ".join(row.warnings) or None,
        row.attempts,
        moment_of(row.first_sent_at),
        moment_of(row.settled_at),
        row.elapsed_ms,
        row.request_id,
        row.idempotency_key,
        row.payload_sha256,
        run.run_id,
        run.source_sha256,
    )


def problem_of(row: JournalRow, run: Run) -> RecordProblem:
    """Return what is wrong with a record, by our own checks or by the store's answer."""
    if row.problem is not None:
        return row.problem
    if row.state is State.REJECTED:
        column = run.mapping.get(field_name(row.error_field or "") or "")
        at = run.header.index(column) if column in run.header else len(row.cells)
        value = row.cells[at] if at < len(row.cells) else None
        return RecordProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store refused it",
            column,
            value,
            "the store refused it; correct what its message names",
        )
    hint = _DOUBT_HINTS.get(row.state, "")
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)


def file_name(column: str) -> str:
    """Return what a column of ours is called in a file.

    Example:
        >>> file_name("error_message")
        '_pf_error'
    """
    return OWN_PREFIX + _FILE_NAMES.get(column, column)


def moment_of(seconds: float | None) -> datetime | None:
    """Return a moment of the journal in UTC; None is missing."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
