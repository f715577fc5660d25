"""What results show of each record, column by column, as a frame and for files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.loader.journal.rows import Import, JournalRow, read_payload
from petstore_frame.loader.reading.returned import RECORD, record_name
from petstore_frame.loader.record import State
from petstore_frame.loader.results.facts import CHANGED, FATES, problem_of, reason_of
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import whole_text

if TYPE_CHECKING:
    import pandas as pd

# By the name in a frame, the dtype.
COLUMNS: dict[str, str] = {
    "record": "Int64",
    "line": "Int64",
    **{
        f"sent_{field.name}": "Int64" if field.dtype == "int64" else field.dtype
        for field in SENT_FIELDS
    },
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
    "accept": "str",
    "reason": "category",
    "known_by": "category",
    "changed": "str",
    "notes": "str",
    "attempts": "Int32",
    "first_sent_at": "datetime64[us, UTC]",
    "settled_at": "datetime64[us, UTC]",
    "elapsed_ms": "Float64",
    "request_id": "str",
    "import_id": "str",
}
# The values of these columns are known in advance, so they are the same in each result.
CATEGORIES: dict[str, list[str]] = {
    **{f"sent_{field.name}": [*field.values] for field in SENT_FIELDS if field.values},
    "state": [str(state) for state in State],
    "action": [*dict.fromkeys(fate.action for fate in FATES.values())],
    "id_source": ["response", "recovered", "manual", "adopted"],
    "known_by": ["record", "key", "equal", "store", "user"],
}
# In ``result.fix``, of which a notebook shows the first columns.
_FIX_FIRST = ("line", "error_column", "error_value", "error_message", "hint")
_FIX_LAST = ("accept",)


class ResultLine(NamedTuple):
    """One record as it goes into a file: its own cells, then what is known of it."""

    state: State
    cells: list[str]
    values: dict[str, Any]


def original_columns(run: Import) -> list[str]:
    """Return the names of the file's own columns for a frame: none empty, none like ours."""
    names: list[str] = []
    for at, name in enumerate(run.header, 1):
        free = name or f"column {at}"
        while free in COLUMNS or free in names:
            free = f"{free} (file)"
        names.append(free)
    return names


def describe(row: JournalRow, run: Import) -> dict[str, Any]:
    """Return all that is known of a record, by the names of ``COLUMNS``; None is missing."""
    sent, problem = read_payload(row.payload), problem_of(row, run)
    return {
        "record": row.record,
        "line": row.line,
        **{f"sent_{field.name}": sent.get(field.wire_name) for field in SENT_FIELDS},
        "state": str(row.state),
        "action": FATES[row.state].action,
        "pet_id": pet_of(row),
        "id_source": row.id_source,
        "http_status": row.http_status,
        "error_code": problem.code or None,
        "error_message": problem.message or None,
        "error_column": problem.column,
        "error_value": problem.value,
        "hint": str(problem.advice()) or None,
        "accept": problem.accept,
        "reason": reason_of(row),
        "known_by": row.known_by,
        "changed": changes_of(row) or None,
        "notes": "; ".join(note for note in row.notes if note != "blank") or None,
        "attempts": row.attempts,
        "first_sent_at": _moment(row.first_sent_at),
        "settled_at": _moment(row.settled_at),
        "elapsed_ms": row.elapsed_ms,
        "request_id": row.request_id,
        "import_id": run.id,
    }


def hint_in_file(row: JournalRow, run: Import) -> str:
    """Return how to fix a record for somebody who knows spreadsheets, and no options."""
    problem = problem_of(row, run)
    if problem.option is None:
        return problem.hint
    option = problem.option[0]
    if option == "accept":
        return "check it; if it is right, write yes in the column that asks whether to send it"
    if option == "thousands":
        return "write the number without points and commas"
    return problem.hint.format("").rstrip(" :")


def pet_of(row: JournalRow) -> int | None:
    """Return the pet that a record is, also where another record made it."""
    return row.pet_id if row.known is None else row.known.pet_id


def changes_of(row: JournalRow) -> str:
    """Return in which fields an animal reads otherwise now, with both values."""
    if reason_of(row) != CHANGED:
        return ""
    before, now = row.payload, row.reads_now
    if row.known is not None:
        before, now = row.known.payload, row.payload
    old, new = read_payload(before), read_payload(now)
    return "; ".join(
        f"{field.name}: {_shown(old.get(field.wire_name))} → {_shown(new.get(field.wire_name))}"
        for field in SENT_FIELDS
        if old.get(field.wire_name) != new.get(field.wire_name)
    )


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def iso_of(seconds: float | None) -> str | None:
    """Return a moment of the journal as a text in UTC, ISO 8601; None is missing."""
    moment = _moment(seconds)
    return None if moment is None else moment.isoformat()


def make_frame(run: Import, rows: Iterator[JournalRow]) -> pd.DataFrame:
    """Return one row per record; its columns are those of ``LoadResult.frame``."""
    import pandas as pd

    originals = original_columns(run)
    cells: list[list[str | None]] = [[] for _ in originals]
    values: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for row in rows:
        for at, column in enumerate(cells):
            column.append(row.cells[at] if at < len(row.cells) else None)
        for name, value in describe(row, run).items():
            values[name].append(value)
    ours = {name: _series(name, values[name]) for name in COLUMNS}
    theirs = {
        whole_text(name): text_series(column) for name, column in zip(originals, cells, strict=True)
    }
    first = {name: ours.pop(name) for name in ("record", "line")}
    return pd.DataFrame({**first, **theirs, **ours})


def _series(name: str, values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    dtype = COLUMNS[name]
    if dtype == "str":
        return text_series(values)
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    seen = {value for value in values if value is not None}
    known = CATEGORIES.get(name, [])
    levels = [*known, *sorted(seen - set(known))]
    return pd.Series(pd.Categorical(values, categories=levels))


def fix_frame(part: pd.DataFrame, run: Import) -> pd.DataFrame:
    """Return the records to fix as a person needs them, each named so that it may come back."""
    own = [name for name in part.columns if name not in COLUMNS]
    fix = part[[*_FIX_FIRST, *own, *_FIX_LAST]].copy()
    fix[RECORD] = text_series([record_name(run.id, record) for record in part["record"]])
    return fix


def pet_ids(rows: Iterable[JournalRow], index: Any) -> pd.Series[Any]:
    """Return the pet of each record, with the index of the frame that was loaded."""
    import pandas as pd

    ids = [pet_of(row) for row in rows]
    fits = index is not None and len(index) == len(ids)
    return pd.Series(pd.array(ids, dtype="Int64"), index=index if fits else None, name="pet_id")
