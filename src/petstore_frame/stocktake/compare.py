"""Whether the store holds what our list says."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from petstore_frame.errors import ArgumentError
from petstore_frame.history import Snapshot
from petstore_frame.inventory import Inventory
from petstore_frame.loader.options import ListOptions, takes
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.record import DOUBT_STATES
from petstore_frame.loader.results.ids import read_ids
from petstore_frame.stocktake.comparison import Comparison
from petstore_frame.stocktake.listed import read_list
from petstore_frame.stocktake.matching import FIELDS, Kind, match_by_key, match_on

if TYPE_CHECKING:
    import pandas as pd


@takes(ListOptions)
def compare(
    data: Any,
    inventory: Inventory,
    *,
    on: str | Sequence[str] = (),
    journal: str | PathLike[str] | None = None,
    **options: Unpack[ListOptions],
) -> Comparison:
    """Compare a list with what a store holds, animal by animal.

    Two listings of a store are compared by ``petstore_frame.history.diff_inventories``.

    Which pet a record is, is stated and never guessed. With ``key``, the table of keys and pet
    ids that loading by key has kept decides. With ``on``, records and pets that are equal in
    these fields belong together, and where that leaves a choice they are ``ambiguous``.

    Args:
        data: What ``load_csv`` reads: a CSV or ``.xlsx`` file, or a DataFrame.
        inventory: What was read of the store, all statuses.
        on: The fields that make a record and a pet equal, as in ``["name", "category_id"]``.
        journal: Folder of the journals; None is the user's state directory.
        options: ``key`` is the column of the list that identifies an animal, or several that do so
            together: those by which it was loaded. The others say how the list is read; each means
            what it does for ``load_csv``, and ``sheet`` what it does for ``load_excel``. Records
            of a kind in ``accept`` are compared although they are suspicious.

    Returns:
        A Comparison. ``.frame`` has one row per animal: ``kind`` (category: same, changed, only
        in list, not seen, only in store, ambiguous, in doubt, invalid), ``difference``,
        ``record``, ``line``, ``key``, ``id`` (Int64) and each field of both sides. ``not seen``
        stands in the place of ``only in list`` where the listing is not complete. What a record
        leaves empty it does not state, so it differs from nothing.

    Raises:
        ArgumentError: Neither or both of ``key`` and ``on`` were given, or the inventory is that
            of one status.
        InputError: The list cannot be read as records.
        JournalError: The journal of the store cannot be read.

    Example:
        >>> import pandas as pd
        >>> from petstore_frame import compare, fetch_inventory, serve
        >>> ours = pd.DataFrame({"name": ["Luna"], "category_id": [3], "status": ["sold"]})
        >>> with serve(sample=20, seed=7) as server, server.client() as client:
        ...     found = compare(ours, fetch_inventory(client), on=["name", "category_id"])
        >>> found.summary.loc["only in list"].to_dict()
        {'records': 1, 'pets': 0}

    Interface: List all animals (what is compared is ours; the interface has no change and no
        delete).
    """
    reading = Reading(**options)
    fields = _checked(data, reading.key, (on,) if isinstance(on, str) else tuple(on), inventory)
    listed = read_list(data, reading)
    if fields:
        table = match_on(listed.frame, inventory.frame, fields)
    else:
        table = match_by_key(listed.frame, _known_keys(inventory, journal), inventory.frame)
    if not inventory.completeness.is_complete:  # absence proves only that it was not read
        absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].where(~absent, str(Kind.NOT_SEEN))
    return Comparison(listed.name, inventory, listed.key, fields, table, listed.warnings)


def _known_keys(inventory: Inventory, journal: str | PathLike[str] | None) -> pd.DataFrame:
    """Return the table of keys that loading by key has kept.

    Raises:
        ArgumentError: There is none, so no record could be told from another.
    """
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty:
        raise ArgumentError(
            f"no key of {inventory.base_url} is known here: load the list with key= first, name "
            "the folder of its journal with journal=, or compare with on="
        )
    return ids[["key", "id"]].assign(is_in_doubt=ids["state"].isin([*map(str, DOUBT_STATES)]))


def _checked(
    data: Any, key: Sequence[str], on: tuple[str, ...], inventory: Inventory
) -> tuple[str, ...]:
    """Return ``on``; refuse what leaves open which pet a record is."""
    if isinstance(data, Inventory | Snapshot):
        raise ArgumentError(
            "what changed between two listings of a store is their diff: "
            "petstore_frame.history.diff_inventories(old, new), or history.diff()"
        )
    if not isinstance(inventory, Inventory):
        raise ArgumentError(
            "compare(list, inventory): the second is what pf.fetch_inventory(client) returns, "
            f"got a {type(inventory).__name__}"
        )
    if inventory.completeness.status is not None:
        raise ArgumentError(
            f"the inventory holds only pets that are {inventory.completeness.status}; compare "
            "with that of all: pf.fetch_inventory(client)"
        )
    if bool(key) == bool(on):
        raise ArgumentError(
            "say which pet a record is: key= names the column by which the list was loaded, "
            f"on= the fields that make two equal (of {', '.join(FIELDS)}); one of the two"
        )
    unknown = [field for field in on if field not in FIELDS]
    if unknown:
        raise ArgumentError(f"on= names fields of a pet ({', '.join(FIELDS)}), got {unknown[0]!r}")
    return on
