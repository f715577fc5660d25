"""Makes frames of the rows of an import, and of the pet that each key is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, answering
from petstore_frame.loader.causes import NOTES
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.rows import (
    Import,
    JournalRow,
    KeyOfPet,
    read_keys,
    read_payload,
)
from petstore_frame.loader.reading.returned import RECORD, record_name
from petstore_frame.loader.record import Reason, State
from petstore_frame.loader.results.summary import problem_of
from petstore_frame.schema import FIELDS, as_type

if TYPE_CHECKING:
    import pandas as pd

# What is known of a row, in the order of a frame, behind the file's own columns.
COLUMNS: dict[str, str] = {
    "record": "Int64",
    "line": "Int64",
    "state": "category",
    "pet_id": "Int64",
    "reason": "category",
    "error_code": "str",
    "error_column": "str",
    "error_message": "str",
    "changed": "str",
    "notes": "str",
}
# What a row to fix has, in front of the file's own columns and behind them.
FIX_COLUMNS = ("line", "error_column", "error_value", "error_message", "hint")
FIX_LAST = ("accept", RECORD)
_STATES = [str(state) for state in State]


def describe(row: JournalRow, run: Import) -> dict[str, Any]:
    """Return what a person may want to know of a row; None is missing."""
    problem, changed = problem_of(row, run), _changes_of(row)
    return {
        "record": row.record,
        "line": row.line,
        "state": row.state,
        # Also where another row made it.
        "pet_id": row.pet_id if row.known is None else row.known.pet_id,
        "reason": Reason.CHANGED if changed else row.reason,
        "error_code": problem.code or None,
        "error_column": problem.column,
        "error_value": problem.value,
        "error_message": problem.message or None,
        "hint": problem.hint or None,
        "accept": problem.accept,
        RECORD: record_name(run.id, row.record),
        "changed": changed,
        "notes": "; ".join(NOTES.get(note, note) for note in row.notes if note != "blank") or None,
    }


def _changes_of(row: JournalRow) -> str | None:
    """Return the fields that differ now in a known animal, with both values."""
    before, now = row.payload, row.reads_now
    if row.known is not None:
        before, now = row.known.payload, row.payload
    if before is None or now in (None, before):
        return None
    old, new = read_payload(before), read_payload(now)
    names = [(each.name, each.wire_name) for each in FIELDS.sent]
    changes = (
        f"{name}: {old.get(wire, 'none')} → {new.get(wire, 'none')}"
        for name, wire in names
        if old.get(wire) != new.get(wire)
    )
    return "; ".join(changes) or None


def original_columns(run: Import) -> list[str]:
    """Return the names of the file's own columns for a frame: none empty, none like ours."""
    names: list[str] = []
    for at, name in enumerate(run.header, 1):
        free = name or f"column {at}"
        while free in (*COLUMNS, *FIX_COLUMNS, *FIX_LAST) or free in names:
            free = f"{free} (file)"
        names.append(free)
    return names


def make_frame(
    run: Import, rows: Iterable[JournalRow], *, first: Iterable[str] = (), last: Iterable[str]
) -> pd.DataFrame:
    """Return the file's own columns of some rows between columns of ours."""
    import pandas as pd

    described = [(row.cells, describe(row, run)) for row in rows]
    own = {
        name: as_type([cells[at] if at < len(cells) else None for cells, _ in described], "str")
        for at, name in enumerate(as_type(original_columns(run), "str"))
    }
    before, behind = (
        {name: _series(name, [known[name] for _, known in described]) for name in names}
        for names in (first, last)
    )
    return pd.DataFrame({**before, **own, **behind})


def _series(name: str, values: list[Any]) -> Any:
    import pandas as pd

    dtype = COLUMNS.get(name, "str")
    if dtype == "str":
        return as_type(values, "str")
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    texts = [None if value is None else str(value) for value in values]
    found = _STATES if name == "state" else sorted({text for text in texts if text is not None})
    return pd.Categorical(texts, categories=found)


@answering
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
    address = store if isinstance(store, str) else getattr(store, "base_url", None)
    if not isinstance(address, str):
        raise ArgumentError(f"store is a Client or an address, got {type(store).__name__}")
    path = find_journal(journal, address, lambda: store_id)
    if not path.exists():
        return frame_of_keys([])
    with reading(path) as sql:
        return frame_of_keys(read_keys(sql))


def frame_of_keys(keys: Sequence[KeyOfPet]) -> pd.DataFrame:
    """Return the frame of ``read_ids``."""
    import pandas as pd

    return pd.DataFrame(
        {
            "key": as_type([each.key for each in keys], "str"),
            "id": pd.array([each.pet_id for each in keys], dtype="Int64"),
            "state": pd.Categorical([each.state for each in keys], categories=_STATES),
            "source": as_type([each.source for each in keys], "str"),
        }
    )
