"""Which pet each key is: the table that a journal keeps of a store's animals."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.options import check_folder
from petstore_frame.loader.record import State
from petstore_frame.schema.frame import text_series

if TYPE_CHECKING:
    import pandas as pd

# Of a store that has stated no id, or is not known by the one given, the last one at its address.
_IDS = """
SELECT keys.key, records.pet_id, records.state, imports.source_name
FROM keys JOIN records USING (import, record) JOIN imports USING (import)
WHERE records.state NOT IN ('rejected', 'invalid') AND keys.store =
  (SELECT store FROM stores WHERE :store_id IS NULL OR store_id IS NULL OR store_id = :store_id
   ORDER BY store DESC LIMIT 1)
ORDER BY keys.import, keys.record
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
        One row for each key, in the order of its first load: ``key`` str (of several columns a
        JSON list of their texts), ``id`` Int64, ``state`` category (``created``, or one of doubt,
        or ``pending``), ``source`` str. Empty where nothing was loaded with a key.

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
    path = place_of(journal, address)
    if not path.exists():
        return make_ids([])
    with reading(path) as sql:
        return make_ids(sql.execute(_IDS, {"store_id": store_id}).fetchall())


def read_import_ids(path: Path, run_id: str) -> pd.DataFrame:
    """Return which pet each key of one import is, also where an earlier import made it."""
    with reading(path) as sql:
        rows = sql.execute(
            "SELECT mine.key, coalesce(mine.pet_id, other.pet_id),"
            " CASE mine.state WHEN 'skipped' THEN coalesce(other.state, 'pending')"
            "  ELSE mine.state END, imports.source_name"
            " FROM records AS mine JOIN imports USING (import)"
            " LEFT JOIN fates AS other ON other.import = mine.same_import"
            "  AND other.record = mine.same_record"
            " WHERE imports.run_id = ? AND mine.key IS NOT NULL"
            " AND mine.state NOT IN ('invalid', 'rejected') ORDER BY mine.record",
            [run_id],
        ).fetchall()
    return make_ids(rows)


def make_ids(rows: list[tuple[str, int | None, str, str]]) -> pd.DataFrame:
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
