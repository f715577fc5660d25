"""Compares a list of the user with the pets of a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, Unpack

import pandas as pd

from petstore_frame.comparison.comparison_result import Comparison
from petstore_frame.comparison.likely_pairs import (
    note_possible_duplicates,
    note_similar_keys,
    note_similar_names,
)
from petstore_frame.comparison.pet_matching import (
    NULLABLE,
    Kind,
    join,
    match_by_key,
    match_excluded,
    match_on,
)
from petstore_frame.errors import ArgumentError, PetstoreError
from petstore_frame.inventory import Inventory, describe_value, exported_from, read_listing
from petstore_frame.loader import (
    Recipe,
    RecipeOptions,
    State,
    as_recipe,
    read_ids,
    read_list,
    ways_to_match,
)
from petstore_frame.schema import FIELDS, AnyFrame, as_type, minute_text
from petstore_frame.validation import checked_choices

BY_ID = ("id",)  # compares two listings of the store


def compare(
    source: str | PathLike[str] | bytes | AnyFrame | Inventory,
    inventory: Inventory | AnyFrame | str | PathLike[str],
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    on: str | Sequence[str] | None = None,
    journal: str | PathLike[str] | None = None,
    **options: Unpack[RecipeOptions],
) -> Comparison:
    """Compare a list with the pets of a store, animal by animal.

    Pass either ``key`` or ``on``. With ``key``, the import journal says which pet each row is. With
    ``on``, a row and a pet match if these fields are equal; if several match, they are
    ``ambiguous``. Keys and names that are only similar are pointed out, but never matched.

    Args:
        source: The list: a path, bytes or a DataFrame, as for ``load``. With ``on="id"``, a list
            with the ids of the store in its column ``id``; or an earlier listing: an Inventory, its
            frame or its file.
        inventory: The pets of the store, with all statuses: an Inventory, its frame, or its file
            (``.xlsx``, ``.csv``, ``.jsonl`` or ``.parquet``).
        recipe: How this kind of file is read, as for ``load``.
        on: Fields that are equal in a row and its pet, such as ``["name", "category_id"]``; or
            ``id``.
        journal: Folder of the import journal; None is the user's state folder.
        options: Recipe options, which override ``recipe``; ``key`` is the column, or the columns,
            with which the list was loaded.

    Returns:
        A Comparison, whose ``frame`` has one row per animal. If the listing is not complete, a
        missing pet is ``not seen`` instead of ``only in list``. A row that the recipe excludes is
        ``excluded``. An empty cell of the list is never a difference.

    Raises:
        ArgumentError: Neither or both of ``key`` and ``on`` were passed, the inventory has only
            one status, or the listings are from different stores.
        InputError: The list cannot be read.
        JournalError: The journal of the store cannot be read.

    Example:
        >>> import pandas as pd
        >>> from petstore_frame import compare, fetch_inventory, serve
        >>> pets = pd.DataFrame({"name": ["Luna"], "category_id": [3], "status": ["sold"]})
        >>> with serve(sample=20, seed=7) as server, server.client() as client:
        ...     comparison = compare(pets, fetch_inventory(client), on=["name", "category_id"])
        >>> comparison.summary.loc["only in list"].to_dict()
        {'rows': 1, 'pets': 0}

    Interface: List all animals. The interface has no operation that changes or deletes a pet.
    """
    fields = () if on is None else checked_choices("on", on, (*BY_ID, *NULLABLE))
    _check_arguments(source, inventory, fields)
    reading = as_recipe(recipe, options)
    if bool(reading.key) == bool(fields):
        raise ArgumentError(
            "state exactly one of key (the column by which the list was loaded) and "
            f"on (the fields that make a row and a pet equal: {', '.join(NULLABLE)}; or id, if the "
            f"list has the ids of the store){'' if fields else ways_to_match(source, reading)}"
        )
    store = _full_listing(inventory)
    completeness, pets = store.completeness, store.frame
    if fields == BY_ID:
        earlier = _listing_or_none(source)
        if earlier is None:
            name, rows, warnings = _list_with_ids(source, reading)
        else:
            name, rows, warnings = _earlier_listing(earlier, store)
        table = join(rows, pets, states_all=earlier is not None)
    else:
        name, rows, warnings = read_list(source, reading)
        if fields:
            covers_all = completeness.covers_all
            match_rows = partial(match_on, on=fields, covers_all=covers_all)
            table = _match(rows, pets, match_rows)
        else:
            keys = _journal_keys(store, journal, reading.key or ())
            table = _match(
                rows, pets, lambda part, candidates: match_by_key(part, keys, candidates)
            )
            has_columns = len(reading.key or ()) > 1
            warnings += note_similar_keys(table, keys, has_columns=has_columns)
        warnings += [*note_similar_names(table), *note_possible_duplicates(table)]
    if not completeness.covers_all:  # a missing pet may not have been read
        is_absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].mask(is_absent, str(Kind.NOT_SEEN))
    return Comparison(name, store, completeness, reading.key or (), fields, table, tuple(warnings))


def _match(
    rows: pd.DataFrame,
    pets: pd.DataFrame,
    match: Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame],
) -> pd.DataFrame:
    """Match the included rows, then match the excluded rows with the remaining pets."""
    is_excluded = rows["is_excluded"]
    table = match(rows[~is_excluded].reset_index(drop=True), pets)
    if not is_excluded.any():
        return table
    left_over = table.loc[table["kind"].eq(Kind.ONLY_IN_STORE), "id"]
    excluded = match(rows[is_excluded].reset_index(drop=True), pets[pets["id"].isin(left_over)])
    return match_excluded(table, excluded)


def _check_arguments(source: object, inventory: object, on: Sequence[str]) -> None:
    """Raise for a Client, and for two readings of the store without ``on``."""
    for value in (source, inventory):
        if hasattr(value, "list_pets"):
            raise ArgumentError(
                "source must be a list, and inventory what pf.fetch_inventory(client) returns; "
                f"got {describe_value(value)}"
            )
    is_frame = not isinstance(source, str | PathLike)
    is_reading = isinstance(source, Inventory) or (is_frame and exported_from(source) is not None)
    if is_reading and not on:
        raise ArgumentError(
            "both are readings of a store; to see what changed, call pf.diff(earlier, later), or "
            "compare them by the ids of the store",
            add=("on", "id"),
        )


def _journal_keys(
    inventory: Inventory, journal: str | PathLike[str] | None, key: Sequence[str]
) -> pd.DataFrame:
    """Return the keys in the loader's journal, with the ids of their pets."""
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty and tuple(key) == BY_ID:
        raise ArgumentError(
            f"the journal has no key of {inventory.base_url}; if the column 'id' has the ids of "
            "the store, compare by them, without key",
            add=("on", "id"),
        )
    if ids.empty:
        raise ArgumentError(
            f"the journal has no key of {inventory.base_url}; load the list with its key first, or "
            "name the folder of its journal",
            add=("journal", "?"),
        )
    unconfirmed_states = [state for state in State if state.is_unconfirmed]
    return ids[["key", "id"]].assign(is_unconfirmed=ids["state"].isin(unconfirmed_states))


def _full_listing(value: Any) -> Inventory:
    """Return the inventory to compare with; raise for a selection of pets."""
    inventory = read_listing(value)
    if inventory is None:
        raise ArgumentError(
            "compare(list, inventory): inventory must be what pf.fetch_inventory(client) returns, "
            f"its frame, or a file of it; got {describe_value(value)}"
        )
    completeness = inventory.completeness
    if completeness.part or completeness.status:
        selection = completeness.part or f"status {completeness.status}"
        raise ArgumentError(
            f"the inventory has only the pets with {selection}; compare with all of them: "
            "pf.fetch_inventory(client)"
        )
    return inventory


def _list_with_ids(source: Any, recipe: Recipe) -> tuple[str, pd.DataFrame, list[str]]:
    """Return the rows of a list that has the ids of the store in its column ``id``."""
    name, rows, warnings = read_list(source, recipe.model_copy(update={"key": BY_ID}))
    is_number = rows["key"].str.fullmatch(r"-?[0-9]{1,18}").eq(other=True)
    ids = as_type([int(key) for key in rows["key"][is_number]], "Int64")
    ids = pd.Series(ids, index=rows.index[is_number]).reindex(rows.index)
    return name, rows.assign(id=ids, kind=""), warnings


def _listing_or_none(source: Any) -> Inventory | None:
    """Return an earlier listing; None for a list, which has not all columns of a listing."""
    try:
        return read_listing(source)
    except PetstoreError:
        return None


def _earlier_listing(
    earlier: Inventory, inventory: Inventory
) -> tuple[str, pd.DataFrame, list[str]]:
    """Return an earlier listing as list rows with the ids of its pets."""
    if earlier.provenance.is_other_store(inventory.provenance):
        raise ArgumentError(
            "a comparison by id compares two listings of one store, here of "
            f"{inventory.store_name}; got one of {earlier.store_name}"
        )
    own_fields = earlier.frame[[*FIELDS.names]]
    frame, completeness = as_type(own_fields, NULLABLE), earlier.completeness
    numbers = range(1, len(frame) + 1)
    no_text = as_type([], "str")
    ids = frame["id"].astype("Int64")
    rows = frame.assign(row=numbers, line=numbers, key=no_text, problem=no_text, kind="", id=ids)
    warnings = []
    if not completeness.covers_all:
        warnings.append(f"The earlier listing is not complete: {completeness}.")
    return f"the listing of {minute_text(earlier.fetched_at)}", rows, warnings
