"""What results show of each record, column by column, and which pet each key is, as frames."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.rows import Import, JournalRow, read_payload
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.options import check_folder
from petstore_frame.loader.record import Reason, State
from petstore_frame.loader.results.summary import problem_of
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import kind_text, whole_text

if TYPE_CHECKING:
    import pandas as pd

# What is known of a record, in the order of a frame.
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
    **dict.fromkeys(("error_code", "error_message", "error_column", "error_value"), "str"),
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
_OF_ROW = [name for name in COLUMNS if name in JournalRow.__slots__]
# The values of these columns are known in advance, so they are the same in each result.
_CATEGORIES: dict[str, list[str]] = {
    **{f"sent_{field.name}": [*field.values] for field in SENT_FIELDS if field.values},
    "state": [str(state) for state in State],
    "action": [*dict.fromkeys(state.action for state in State)],
    "id_source": ["response", "recovered", "manual", "adopted"],
    "known_by": ["record", "key", "equal", "store", "user"],
}


def describe(row: JournalRow, run: Import) -> dict[str, Any]:
    """Return all that is known of a record, by the names of ``COLUMNS``; None is missing."""
    problem = problem_of(row, run)
    reason = Reason.CHANGED if row.reads_now is not None else row.reason
    sent = read_payload(row.payload)
    times = {"first_sent_at": row.first_sent_at, "settled_at": row.settled_at}
    return {
        **{name: getattr(row, name) for name in _OF_ROW},
        **{
            name: None if at is None else datetime.fromtimestamp(at, UTC)
            for name, at in times.items()
        },
        **{f"sent_{field.name}": sent.get(field.wire_name) for field in SENT_FIELDS},
        "state": str(row.state),
        "action": row.state.action,
        "pet_id": pet_of(row),
        "error_code": problem.code or None,
        "error_message": problem.message or None,
        "error_column": problem.column,
        "error_value": problem.value,
        "hint": problem.hint or None,
        "accept": problem.accept,
        "reason": reason,
        "changed": _changes(row) if reason == Reason.CHANGED else None,
        "notes": "; ".join(note for note in row.notes if note != "blank") or None,
        "import_id": run.id,
    }


def pet_of(row: JournalRow) -> int | None:
    """Return the pet that a record is, also where another record made it."""
    return row.pet_id if row.known is None else row.known.pet_id


def _changes(row: JournalRow) -> str | None:
    """Return the fields that differ now in a known animal, with both values."""
    before, now = row.payload, row.reads_now
    if row.known is not None:
        before, now = row.known.payload, row.payload
    old, new = read_payload(before), read_payload(now)
    both = [(f.name, old.get(f.wire_name), new.get(f.wire_name)) for f in SENT_FIELDS]
    changes = (
        f"{name}: {'none' if was is None else was} → {'none' if is_now is None else is_now}"
        for name, was, is_now in both
        if was != is_now
    )
    return "; ".join(changes) or None


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
    theirs = {
        whole_text(name): text_series(column) for name, column in zip(originals, cells, strict=True)
    }
    ours: dict[str, Any] = {}
    for name, dtype in COLUMNS.items():
        if dtype == "category":
            known = _CATEGORIES.get(name, [])
            others = {value for value in values[name] if value is not None} - set(known)
            ours[name] = pd.Categorical(values[name], categories=[*known, *sorted(others)])
        elif dtype == "str":
            ours[name] = text_series(values[name])
        else:
            ours[name] = pd.Series(values[name], dtype=dtype)
    first = {name: ours.pop(name) for name in ("record", "line")}
    return pd.DataFrame({**first, **theirs, **ours})


# Which pet each key is. An animal has at most one live record; one that has none is not in the
# store.
_IDS = f"""
SELECT keys.key, live.pet_id, live.state, imports.source
FROM keys JOIN records AS live ON live.animal = keys.animal AND {is_live("live")}
JOIN imports USING (import)
GROUP BY keys.columns, keys.key, keys.animal ORDER BY min(keys.animal), keys.key
"""
IMPORT_IDS = f"""
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
        return read_ids_by(None, _IDS)
    with reading(path) as sql:
        return read_ids_by(sql, _IDS)


def read_ids_by(
    sql: sqlite3.Connection | None, query: str, values: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the rows of key, pet, state and file that a query has; none without a journal."""
    import pandas as pd

    rows = [] if sql is None else sql.execute(query, values).fetchall()
    keys, ids, states, sources = zip(*rows, strict=True) if rows else ((), (), (), ())
    return pd.DataFrame(
        {
            "key": text_series(list(keys)),
            "id": pd.array(list(ids), dtype="Int64"),
            "state": pd.Categorical(list(states), categories=_CATEGORIES["state"]),
            "source": text_series(list(sources)),
        }
    )
