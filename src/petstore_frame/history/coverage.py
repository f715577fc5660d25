"""Builds the two small tables of what each snapshot covers, which the SQL statements read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from petstore_frame.extras import import_extra
from petstore_frame.history.folder import Contents
from petstore_frame.inventory import Completeness
from petstore_frame.schema import NO_STATUS, PET_STATUSES

NO_SNAPSHOT, UNREADABLE = "no_snapshot", "unreadable"


def coverage_tables(contents: Contents, every_days: int | None = None) -> dict[str, Any]:
    """Return ``days`` and ``bounds`` as pyarrow Tables; see ``History.coverage``."""
    arrow = import_extra("pyarrow", "a history", "history")
    completeness = {entry.date: entry.completeness for entry in contents.snapshots}
    problems = dict.fromkeys(contents.lost, UNREADABLE)
    if every_days is not None:
        dates_with_file = {*completeness, *problems}
        problems |= dict.fromkeys(_missing_dates(dates_with_file, every_days), NO_SNAPSHOT)

    days: list[tuple[Any, ...]] = []
    for day in sorted({*completeness, *problems}):
        covered = completeness.get(day)
        if covered is None:
            days.append((day, day.toordinal(), problems[day], None, None))
        else:
            days.append((day, day.toordinal(), None, covered.covers_all, covered.total.bound))
    bounds = [
        (day, status, covered.bound_of(status))
        for day, covered in completeness.items()
        for status in _statuses(covered)
    ]
    day_schema = arrow.schema(
        {
            "date": arrow.date32(),
            "day_number": arrow.int32(),
            "problem": arrow.string(),
            "covers_all": arrow.bool_(),
            "bound": arrow.string(),
        }
    )
    bound_schema = arrow.schema(
        {"date": arrow.date32(), "status": arrow.string(), "bound": arrow.string()}
    )
    return {
        "days": _table(arrow, days, day_schema),
        "bounds": _table(arrow, bounds, bound_schema),
    }


def _missing_dates(dates: Iterable[date], every_days: int) -> list[date]:
    """Return the days between two files on which a snapshot was due."""
    missing = []
    for earlier, later in pairwise(sorted(dates)):
        due = earlier + timedelta(days=every_days)
        while due < later:
            missing.append(due)
            due += timedelta(days=every_days)
    return missing


def _statuses(completeness: Completeness) -> set[str]:
    return {*PET_STATUSES, *completeness.by_status, NO_STATUS}


def _table(arrow: Any, rows: list[tuple[Any, ...]], schema: Any) -> Any:
    return arrow.Table.from_pylist(
        [dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema
    )
