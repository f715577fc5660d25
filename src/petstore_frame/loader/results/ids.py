"""Which pet each key is: the table that a journal keeps of a store's animals."""

from __future__ import annotations

import sqlite3
from os import PathLike
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.options import check_folder
from petstore_frame.loader.record import State
from petstore_frame.schema.frame import text_series

if TYPE_CHECKING:
    import pandas as pd

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
        raise ArgumentError(f"store is a Client or an address, got a {type(store).__name__}")
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
