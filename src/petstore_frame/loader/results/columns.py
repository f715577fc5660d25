"""What results show of each record, column by column, and which pet each key is, as frames."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.rows import Import, JournalRow, read_payload
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.options import check_folder
from petstore_frame.loader.reading.returned import RECORD, record_name
from petstore_frame.loader.record import State
from petstore_frame.loader.results.summary import CHANGED, MEANINGS, problem_of, reason_of
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import kind_text, whole_text

if TYPE_CHECKING:
    import pandas as pd


class SeenRecord:
    """A record of an import, as its columns show it."""

    def __init__(self, row: JournalRow, run: Import) -> None:
        self.row, self.run = row, run
        self.problem, self.sent = problem_of(row, run), read_payload(row.payload)
        self.reason = reason_of(row)

    @property
    def changed(self) -> str:
        """The fields that differ now in a known animal, with both values."""
        if self.reason != CHANGED:
            return ""
        before, now = self.row.payload, self.row.reads_now
        if self.row.known is not None:
            before, now = self.row.known.payload, self.row.payload
        old, new = read_payload(before), read_payload(now)
        both = ((f.name, old.get(f.wire_name), new.get(f.wire_name)) for f in SENT_FIELDS)
        return "; ".join(
            f"{name}: {_or_none(was)} → {_or_none(is_now)}"
            for name, was, is_now in both
            if was != is_now
        )

    @property
    def notes(self) -> str:
        return "; ".join(note for note in self.row.notes if note != "blank")


def _or_none(value: Any) -> str:
    return "none" if value is None else str(value)


class _Column(NamedTuple):
    dtype: str
    value: Callable[[SeenRecord], Any]


def _of_row(dtype: str, name: str) -> _Column:
    return _Column(dtype, attrgetter(f"row.{name}"))


def _sent(name: str, dtype: str) -> _Column:
    return _Column("Int64" if dtype == "int64" else dtype, lambda seen: seen.sent.get(name))


def _moment(name: str) -> _Column:
    return _Column("datetime64[us, UTC]", lambda seen: _as_moment(getattr(seen.row, name)))


def _as_moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


# What is known of a record, in the order of a frame; None is missing.
_RECORD: dict[str, _Column] = {
    "record": _of_row("Int64", "record"),
    "line": _of_row("Int64", "line"),
    **{f"sent_{field.name}": _sent(field.wire_name, field.dtype) for field in SENT_FIELDS},
    "state": _Column("category", lambda seen: str(seen.row.state)),
    "action": _Column("category", lambda seen: MEANINGS[seen.row.state].action),
    "pet_id": _Column("Int64", lambda seen: pet_of(seen.row)),
    "id_source": _of_row("category", "id_source"),
    "http_status": _of_row("Int16", "http_status"),
    "error_code": _Column("str", lambda seen: seen.problem.code or None),
    "error_message": _Column("str", lambda seen: seen.problem.message or None),
    "error_column": _Column("str", attrgetter("problem.column")),
    "error_value": _Column("str", attrgetter("problem.value")),
    "hint": _Column("str", lambda seen: str(seen.problem.advice()) or None),
    "accept": _Column("str", attrgetter("problem.accept")),
    "reason": _Column("category", attrgetter("reason")),
    "known_by": _of_row("category", "known_by"),
    "changed": _Column("str", lambda seen: seen.changed or None),
    "notes": _Column("str", lambda seen: seen.notes or None),
    "attempts": _of_row("Int32", "attempts"),
    "first_sent_at": _moment("first_sent_at"),
    "settled_at": _moment("settled_at"),
    "elapsed_ms": _of_row("Float64", "elapsed_ms"),
    "request_id": _of_row("str", "request_id"),
    "import_id": _Column("str", attrgetter("run.id")),
}
COLUMNS = {name: column.dtype for name, column in _RECORD.items()}
# The values of these columns are known in advance, so they are the same in each result.
_CATEGORIES: dict[str, list[str]] = {
    **{f"sent_{field.name}": [*field.values] for field in SENT_FIELDS if field.values},
    "state": [str(state) for state in State],
    "action": [*dict.fromkeys(meaning.action for meaning in MEANINGS.values())],
    "id_source": ["response", "recovered", "manual", "adopted"],
    "known_by": ["record", "key", "equal", "store", "user"],
}
# In ``result.fix``, of which a notebook shows the first columns.
_FIX_FIRST = ("line", "error_column", "error_value", "error_message", "hint")
_FIX_LAST = ("accept",)


def describe(row: JournalRow, run: Import) -> dict[str, Any]:
    """Return all that is known of a record, by the names of ``COLUMNS``; None is missing."""
    seen = SeenRecord(row, run)
    return {name: column.value(seen) for name, column in _RECORD.items()}


def pet_of(row: JournalRow) -> int | None:
    """Return the pet that a record is, also where another record made it."""
    return row.pet_id if row.known is None else row.known.pet_id


def original_columns(run: Import) -> list[str]:
    """Return the names of the file's own columns for a frame: none empty, none like ours."""
    names: list[str] = []
    for at, name in enumerate(run.header, 1):
        free = name or f"column {at}"
        while free in COLUMNS or free in names:
            free = f"{free} (file)"
        names.append(free)
    return names


def make_frame(run: Import, rows: Iterable[JournalRow]) -> pd.DataFrame:
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
    known = _CATEGORIES.get(name, [])
    others = {value for value in values if value is not None} - set(known)
    return pd.Series(pd.Categorical(values, categories=[*known, *sorted(others)]))


def fix_frame(part: pd.DataFrame, run: Import) -> pd.DataFrame:
    """Return the records to fix for a person to correct, each with the name of its record."""
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


# An animal has at most one live record; one that has none is not in the store.
_IDS = f"""
SELECT keys.key, live.pet_id, live.state, imports.source
FROM keys JOIN records AS live ON live.animal = keys.animal AND {is_live("live")}
JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
_IMPORT_IDS = f"""
SELECT mine.key, coalesce(mine.pet_id, live.pet_id), coalesce(live.state, mine.state),
  imports.source
FROM records AS mine JOIN imports USING (import)
LEFT JOIN records AS live ON live.animal = mine.animal AND {is_live("live")}
WHERE imports.id = ? AND mine.key IS NOT NULL AND mine.state NOT IN ('invalid', 'rejected')
ORDER BY mine.record
"""


def read_ids(
    store: Any, *, store_id: str | None = None, journal: str | PathLike[str] | None = None
) -> pd.DataFrame:
    """Return which pet each key is, over all imports with ``key=`` into a store.

    Args:
        store: A client of the store, or its address.
        store_id: The id that the store states, where several stores had one address.
        journal: Folder of the journals; None is the user's state directory.

    Returns:
        One row for each key that was ever given, in the order of the animals: ``key`` str (of
        several columns a JSON list of their texts), ``id`` Int64, ``state`` category (``created``
        or ``adopted``, one of doubt, or ``pending``), ``source`` str. Empty where nothing was
        loaded with a key.

    Raises:
        JournalError: The journal has lost something.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve() as server:
        ...     pf.read_ids(server.base_url, journal="no-such-folder").columns.tolist()
        ['key', 'id', 'state', 'source']
    """
    if journal is not None:
        check_folder("journal", journal)
    address = store if isinstance(store, str) else getattr(store, "base_url", None)
    if not isinstance(address, str):
        raise ArgumentError(f"store is a Client or an address, got {kind_text(store)}")
    path = find_journal(journal, address, store_id)
    if not path.exists():
        return _make_ids([])
    with reading(path) as sql:
        return _make_ids(sql.execute(_IDS).fetchall())


def read_import_ids(sql: sqlite3.Connection, import_id: str) -> pd.DataFrame:
    """Return which pet each key of one import is, also where an earlier import made it."""
    return _make_ids(sql.execute(_IMPORT_IDS, [import_id]).fetchall())


def _make_ids(rows: list[tuple[str, int | None, str, str]]) -> pd.DataFrame:
    """Return rows of key, pet, state and file as a table."""
    import pandas as pd

    keys, ids, states, sources = zip(*rows, strict=True) if rows else ((), (), (), ())
    return pd.DataFrame(
        {
            "key": text_series(list(keys)),
            "id": pd.array(list(ids), dtype="Int64"),
            "state": pd.Categorical(list(states), categories=[str(state) for state in State]),
            "source": text_series(list(sources)),
        }
    )
