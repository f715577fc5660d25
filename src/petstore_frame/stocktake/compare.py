"""Whether the store holds what our list says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple, Unpack

import pandas as pd

from petstore_frame.errors import answering
from petstore_frame.inventory import Inventory, read_listing
from petstore_frame.loader.causes import Note, kind_of
from petstore_frame.loader.journal.keyed import KeyedRow, row_that_stands
from petstore_frame.loader.reading import Recipe, RecipeWords, as_recipe, open_source
from petstore_frame.loader.record import DOUBT_STATES, Record, RecordProblem, State
from petstore_frame.loader.results.columns import read_ids
from petstore_frame.schema.arguments import refuse, some_of
from petstore_frame.schema.frame import AnyFrame, as_dtypes, text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import kind_text, minute_text
from petstore_frame.stocktake.comparison import BY_ID, Comparison
from petstore_frame.stocktake.matching import (
    FIELDS,
    SHARED,
    Kind,
    join,
    match_by_key,
    match_on,
    note_other_forms,
    note_twins,
)

_PIECE = 10_000  # a million records are not a million objects at once


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
    fields = some_of("on", on, (*BY_ID, *FIELDS)) if on else ()
    if bool(how.key) == bool(fields):
        refuse(
            "say which pet a record is: key= names the column by which the list was loaded, "
            f"on= the fields that make two equal (of {', '.join(FIELDS)}); one of the two"
        )
    store = _whole_listing(inventory)
    covered, stored = store.completeness, store.frame
    if fields == BY_ID:
        listed = _earlier(source, store)
        table = join(listed.frame, stored, states_all=True)
    else:
        listed = read_list(source, how)
        if fields:
            table = match_on(listed.frame, stored, fields, is_whole=covered.covers_all)
        else:
            keys = _known_keys(store, journal)
            table = match_by_key(listed.frame, keys, stored)
            listed.warnings.extend([*note_other_forms(table, keys), *note_twins(table)])
    if not covered.covers_all:  # absence proves only that it was not read
        absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].where(~absent, str(Kind.NOT_SEEN))
    key, warnings = how.key or (), tuple(listed.warnings)
    return Comparison(listed.name, store, covered, key, fields, table, warnings)


def _known_keys(inventory: Inventory, journal: str | PathLike[str] | None) -> pd.DataFrame:
    """Return the table of keys that the loader has kept."""
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty:
        refuse(
            f"no key of {inventory.base_url} is known here: load the list with key= first, name "
            "the folder of its journal with journal=, or compare with on="
        )
    return ids[["key", "id"]].assign(is_in_doubt=ids["state"].isin([*map(str, DOUBT_STATES)]))


def _whole_listing(given: Any) -> Inventory:
    """Return the inventory to compare with; one of a selection is refused."""
    inventory = read_listing(given)
    if inventory is None:
        refuse(
            "compare(list, inventory): the second is what pf.fetch_inventory(client) returns, its "
            f"frame, or a Parquet file of it; got {kind_text(given)}"
        )
    known = inventory.completeness
    if known.part or known.status:
        refuse(
            f"the inventory holds only the pets with {known.part or f'status {known.status}'}; "
            "compare with that of all: pf.fetch_inventory(client)"
        )
    return inventory


def _earlier(source: Any, inventory: Inventory) -> Listed:
    """Return an earlier listing as a list, whose records have the ids of its pets."""
    before = read_listing(source)
    if before is None or before.provenance.is_other_store(inventory.provenance):
        got = kind_text(source) if before is None else f"one of {before.store_name}"
        refuse(
            f'on="id" compares two listings of one store, here of {inventory.store_name}: each an '
            f"Inventory, its frame or a file of one; got {got}"
        )
    frame, known = as_dtypes(before.frame, SHARED), before.completeness
    places = dict.fromkeys(("record", "line"), range(1, len(frame) + 1))
    ids, none = frame["id"].astype("Int64"), text_series([])
    records = frame.assign(**places, key=none, problem=none, kind="", id=ids)
    warnings = [] if known.covers_all else [f"The earlier listing is not whole: {known}."]
    return Listed(f"the listing of {minute_text(before.fetched_at)}", records, warnings)


class Listed(NamedTuple):
    """The records of a list, with what was noticed while it was read.

    ``frame`` has ``record`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
    dtypes), and ``problem`` (str): missing where the record can be compared.
    """

    name: str
    frame: pd.DataFrame
    warnings: list[str]


def read_list(data: Any, recipe: Recipe) -> Listed:
    """Read a list as the loader would; blank rows, and those left out, are no records."""
    source = open_source(data, recipe)
    name_at = source.columns.index(source.mapping["name"]) if "name" in source.mapping else None
    notes: dict[str, Note] = {}
    frames, keyed = [_frame([])], dict[str, list[KeyedRow]]()
    records = (record for record in source if record.state is not State.SKIPPED)
    while piece := list(islice(records, _PIECE)):
        frames.append(_frame(piece))
        for record in piece:
            for kind in dict.fromkeys(map(kind_of, record.notes)) if record.problem is None else ():
                name = "" if name_at is None else record.cells[name_at]
                known = notes.get(kind) or Note(0, kind, record.number, record.line, name)
                notes[kind] = known._replace(records=known.records + 1)
    whole = pd.concat(frames, ignore_index=True)
    repeated = {*whole["key"][whole["key"].notna() & whole["key"].duplicated()]}
    for record in source if repeated else ():
        if record.key and record.key in repeated and record.state is not State.SKIPPED:
            cells, is_unnamed = "\x1f".join(record.cells), record.is_unnamed
            row = (record.number, record.line, record.payload, cells, record.rank, is_unnamed)
            keyed.setdefault(record.key, []).append(KeyedRow(record.key, *row))
    whole = _one_row_per_key(whole, keyed.values(), recipe.keep)
    return Listed(source.name, whole, list(map(str, notes.values())))


def _frame(records: Sequence[Record]) -> pd.DataFrame:
    """Return records as columns; their payloads are decoded at once."""
    bodies = json.loads(b"[" + b",".join(record.payload or b"{}" for record in records) + b"]")
    columns: dict[str, Any] = {
        "record": pd.array([record.number for record in records], "int64"),
        "line": pd.array([record.line for record in records], "int64"),
        "key": text_series([record.key for record in records]),
        "left_out": pd.array([record.left_out for record in records], "bool"),
    }
    for field in SENT_FIELDS:
        values = [body.get(field.wire_name) for body in bodies]
        dtype: Any = SHARED[field.name]
        is_text = dtype == "str"
        columns[field.name] = text_series(values) if is_text else pd.Series(values, dtype=dtype)
    problems = (record.problem for record in records)
    columns["problem"] = text_series(
        [each and ": ".join(filter(None, (each.column, each.message))) for each in problems]
    )
    return pd.DataFrame(columns)


def _one_row_per_key(
    listed: pd.DataFrame, keyed: Iterable[list[KeyedRow]], keep: str | None
) -> pd.DataFrame:
    """Keep the row of each key that counts, as the loader does, and no row that is left out."""
    others, differ = set[int](), dict[int, str]()
    for alike in keyed:
        stands = row_that_stands(alike, keep)
        if isinstance(stands, RecordProblem):
            differ |= dict.fromkeys((row.id for row in alike), stands.message)
        else:
            others.update(row.id for row in alike if row is not stands)
    problem = text_series([differ.get(number) for number in listed["record"]])
    problem = problem.fillna(listed["problem"])
    is_listed = ~listed["record"].isin(others) & ~listed["left_out"]
    whole = listed.assign(problem=problem)[is_listed].drop(columns="left_out")
    return whole.reset_index(drop=True)
