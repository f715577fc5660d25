"""Whether the store holds what our list says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Unpack

import pandas as pd

from petstore_frame.errors import answering, refuse, some_of
from petstore_frame.inventory import Inventory, read_listing
from petstore_frame.loader import Recipe, RecipeWords, State, as_recipe, read_ids, read_list
from petstore_frame.markup import minute_text
from petstore_frame.schema import AnyFrame, as_type
from petstore_frame.stocktake.comparison import BY_ID, Comparison
from petstore_frame.stocktake.matching import (
    NULLABLE,
    Kind,
    join,
    match_by_key,
    match_on,
    note_other_forms,
    note_twins,
)


@answering
def compare(
    source: str | PathLike[str] | AnyFrame | Inventory,
    inventory: Inventory | pd.DataFrame | str | PathLike[str],
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    on: str | Sequence[str] | None = None,
    journal: str | PathLike[str] | None = None,
    **words: Unpack[RecipeWords],
) -> Comparison:
    """Compare a list with what a store holds, animal by animal.

    You say how a record finds its pet; nothing is guessed. With ``key``, the loader's table of keys
    and pet ids decides. With ``on``, records and pets that are equal in these fields belong
    together; where that leaves a choice, they are ``ambiguous``.

    Args:
        source: What ``load`` reads, and read as ``load`` does. With ``on="id"`` an earlier listing,
            in any form that ``inventory`` has.
        inventory: What was read of the store, all statuses: an Inventory, its frame, or a file
            of one.
        recipe: How this kind of file is read, as of ``load``.
        on: The fields that make a record and a pet equal, as in ``["name", "category_id"]``; or
            ``id``.
        journal: Folder of the journals; None is the user's state directory.
        words: Words of a recipe, which win over its own; ``key`` is the column of the list by which
            it was loaded, or several.

    Returns:
        A Comparison, whose ``frame`` has one row per animal. If the listing is not complete, its
        kind is ``not seen`` instead of ``only in list``. An empty cell states nothing, so it never
        counts as a difference.

    Raises:
        ArgumentError: Neither or both of ``key`` and ``on`` were given, the inventory is that
            of one status, or two listings are of different stores.
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
    how = as_recipe(recipe, words)
    fields = some_of("on", on, (*BY_ID, *NULLABLE)) if on else ()
    if bool(how.key) == bool(fields):
        refuse(
            "say which pet a record is: key= names the column by which the list was loaded, "
            f"on= the fields that make two equal (of {', '.join(NULLABLE)}); one of the two"
        )
    store = _whole_listing(inventory)
    covered, stored = store.completeness, store.frame
    if fields == BY_ID:
        name, listed, warnings = _earlier(source, store)
        table = join(listed, stored, states_all=True)
    else:
        name, listed, warnings = read_list(source, how)
        if fields:
            table = match_on(listed, stored, fields, is_whole=covered.covers_all)
        else:
            keys = _known_keys(store, journal)
            table = match_by_key(listed, keys, stored)
            warnings += [*note_other_forms(table, keys), *note_twins(table)]
    if not covered.covers_all:  # absence proves only that it was not read
        absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].where(~absent, str(Kind.NOT_SEEN))
    return Comparison(name, store, covered, how.key or (), fields, table, tuple(warnings))


def _known_keys(inventory: Inventory, journal: str | PathLike[str] | None) -> pd.DataFrame:
    """Return the table of keys that the loader has kept."""
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty:
        refuse(
            f"no key of {inventory.base_url} is known here: load the list with key= first, name "
            "the folder of its journal with journal=, or compare with on="
        )
    return ids[["key", "id"]].assign(
        is_in_doubt=ids["state"].isin([each for each in State if each.is_in_doubt])
    )


def _whole_listing(given: Any) -> Inventory:
    """Return the inventory to compare with; one of a selection is refused."""
    inventory = read_listing(given)
    if inventory is None:
        refuse(
            "compare(list, inventory): the second is what pf.fetch_inventory(client) returns, its "
            f"frame, or a Parquet file of it; got {type(given).__name__}"
        )
    known = inventory.completeness
    if known.part or known.status:
        refuse(
            f"the inventory holds only the pets with {known.part or f'status {known.status}'}; "
            "compare with that of all: pf.fetch_inventory(client)"
        )
    return inventory


def _earlier(source: Any, inventory: Inventory) -> tuple[str, pd.DataFrame, list[str]]:
    """Return an earlier listing as a list, whose records have the ids of its pets."""
    before = read_listing(source)
    if before is None or before.provenance.is_other_store(inventory.provenance):
        got = type(source).__name__ if before is None else f"one of {before.store_name}"
        refuse(
            f'on="id" compares two listings of one store, here of {inventory.store_name}: each an '
            f"Inventory, its frame or a file of one; got {got}"
        )
    frame, known = as_type(before.frame, NULLABLE), before.completeness
    places = dict.fromkeys(("record", "line"), range(1, len(frame) + 1))
    ids, none = frame["id"].astype("Int64"), as_type([], "str")
    records = frame.assign(**places, key=none, problem=none, kind="", id=ids)
    warnings = [] if known.covers_all else [f"The earlier listing is not whole: {known}."]
    return (f"the listing of {minute_text(before.fetched_at)}", records, warnings)
