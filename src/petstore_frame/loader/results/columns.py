"""What results show of each record, column by column, as a frame and for files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.returned import COLUMNS, FIX_COLUMNS, file_name
from petstore_frame.loader.record import FIX_STATES, RecordProblem, State
from petstore_frame.loader.results.facts import CHANGED, FATES, kind_of, reason_of
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import whole_text

if TYPE_CHECKING:
    import pandas as pd

# The values of these columns are known in advance, so they are the same in each result.
CATEGORIES: dict[str, list[str]] = {
    **{f"sent_{field.name}": [*field.values] for field in SENT_FIELDS if field.values},
    "state": [str(state) for state in State],
    "action": [*dict.fromkeys(fate.action for fate in FATES.values())],
    "id_source": ["response", "recovered", "manual"],
}

# In a frame, of which a notebook shows the first columns.
_FIX_FIRST = ("line", "error_column", "error_value", "error_message", "hint")


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
    sent = _sent(row.payload)
    problem = problem_of(row, run)
    known = row.same.pet_id if row.same is not None else None
    return (
        row.record,
        row.line,
        *(sent.get(field.wire_name) for field in SENT_FIELDS),
        str(row.state),
        FATES[row.state].action,
        known if row.pet_id is None else row.pet_id,
        row.id_source,
        row.http_status,
        problem.code or None,
        problem.message or None,
        problem.column,
        problem.value,
        str(problem.advice()) or None,
        problem.accept,
        reason_of(row),
        changes_of(row) or None,
        "; ".join(row.warnings) or None,
        row.attempts,
        moment_of(row.first_sent_at),
        moment_of(row.settled_at),
        row.elapsed_ms,
        row.request_id,
        row.idempotency_key,
        row.payload_sha256,
        run.run_id,
        run.records_sha256,
    )


def root_of(row: JournalRow, run: Run) -> tuple[str, int]:
    """Return the import and the record that a record is, which files name it by."""
    return row.origin or (run.run_id, row.record)


def changes_of(row: JournalRow) -> str:
    """Return in which fields a known animal is otherwise now, with both values."""
    if reason_of(row) != CHANGED or row.same is None:
        return ""
    old, new = _sent(row.same.payload), _sent(row.payload)
    return "; ".join(
        f"{field.name}: {_shown(old.get(field.wire_name))} → {_shown(new.get(field.wire_name))}"
        for field in SENT_FIELDS
        if old.get(field.wire_name) != new.get(field.wire_name)
    )


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)


def _sent(payload: bytes | None) -> dict[str, Any]:
    sent: dict[str, Any] = {} if payload is None else json.loads(payload)
    return sent


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
    hint = FATES[row.state].hint
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)


def moment_of(seconds: float | None) -> datetime | None:
    """Return a moment of the journal in UTC; None is missing."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def iso_of(seconds: float | None) -> str | None:
    """Return a moment of the journal as a text in UTC, ISO 8601; None is missing."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def make_frame(run: Run, rows: Iterator[JournalRow]) -> pd.DataFrame:
    """Return one row per record; its columns are those of ``LoadResult.frame``."""
    import pandas as pd

    originals = original_columns(run)
    cells: list[list[str | None]] = [[] for _ in originals]
    values: list[list[Any]] = [[] for _ in COLUMNS]
    for row in rows:
        for at, column in enumerate(cells):
            column.append(row.cells[at] if at < len(row.cells) else None)
        for own, value in zip(values, describe(row, run), strict=True):
            own.append(value)
    own_series = {
        name: _series(name, own.dtype, column)
        for (name, own), column in zip(COLUMNS.items(), values, strict=True)
    }
    file_series = {
        whole_text(name): text_series(column) for name, column in zip(originals, cells, strict=True)
    }
    first = {name: own_series.pop(name) for name in ("record", "line")}
    return pd.DataFrame({**first, **file_series, **own_series})


def _series(name: str, dtype: str, values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    if dtype == "str":
        return text_series(values)
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    seen = {value for value in values if value is not None}
    known = CATEGORIES.get(name, [])
    levels = [*known, *sorted(seen - set(known))]
    return pd.Series(pd.Categorical(values, categories=levels))


def fix_frame(part: pd.DataFrame, rows: Iterable[JournalRow], run: Run) -> pd.DataFrame:
    """Return the records to fix as a person needs them, each named so that it may come back."""
    own = [name for name in part.columns if name not in COLUMNS]
    rest = [name for name in FIX_COLUMNS if name not in _FIX_FIRST]
    roots = [root_of(row, run) for row in rows]
    fix = part[[*_FIX_FIRST, *own, *rest]].copy()
    fix[file_name("run_id")] = [run_id for run_id, _ in roots]
    fix[file_name("record")] = [record for _, record in roots]
    return fix


class Causes(NamedTuple):
    """How many records have each problem, note and reason, by its code."""

    problems: Counter[str]
    warnings: Counter[str]
    reasons: Counter[str]


def count_causes(run: Run, rows: Iterable[JournalRow]) -> Causes:
    """Count the codes of problems, the notes and the reasons over records."""
    causes = Causes(Counter(), Counter(), Counter())
    for row in rows:
        if row.state in FIX_STATES:
            causes.problems[problem_of(row, run).code] += 1
        if reason := reason_of(row):
            causes.reasons[reason] += 1
        causes.warnings.update(kind_of(note) for note in row.warnings)
    return causes
