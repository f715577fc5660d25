"""Finds animals that the store still shows with a status for which their rows are now excluded."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from petstore_frame.loader.journal.rows import Import, JournalRow, read_excluded_rows, read_payload
from petstore_frame.loader.row_state import Reason


def status_still_shown(row: JournalRow, run: Import) -> str | None:
    """Return the status that the animal of an excluded row was loaded with, if it differs now.

    None if the row is not excluded, has no animal, or still has this status.
    """
    if row.reason != Reason.LEFT_OUT or row.other_row is None:
        return None
    status: str | None = read_payload(row.other_row.payload).get("status")
    if status == _status_now(row, run, read_payload(row.payload)):
        return None
    return status


def read_still_shown(sql: sqlite3.Connection, run: Import) -> dict[str, list[int]]:
    """Return the lines of excluded rows by the status that the store still shows."""
    lines: dict[str, list[int]] = defaultdict(list)
    for row in read_excluded_rows(sql, run.id):
        status = status_still_shown(row, run)
        if status is not None:
            lines[status].append(row.line)
    return dict(lines)


def _status_now(row: JournalRow, run: Import, body: Mapping[str, Any]) -> str | None:
    """Return the status of a row in the file, or the text of its cell if that is not a status."""
    if body:
        return body.get("status")
    column = run.mapping.get("status")
    at = run.header.index(column) if column in run.header else len(row.cells)
    return row.cells[at].strip().casefold() if at < len(row.cells) else None
