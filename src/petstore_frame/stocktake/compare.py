"""Whether the store holds what our list says."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

import pandas as pd

from petstore_frame.errors import answering, nearest
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.origin import HasOrigin
from petstore_frame.inventory.result import read_listing
from petstore_frame.loader.causes import Note, kind_of
from petstore_frame.loader.journal.keyed import KeyedRow, row_that_stands
from petstore_frame.loader.reading.mapping import Mapped
from petstore_frame.loader.reading.read import Source, open_source
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.reading.words import ByColumn, ByField, ValueMap
from petstore_frame.loader.record import DOUBT_STATES, Record, RecordProblem, State
from petstore_frame.loader.results.columns import read_ids
from petstore_frame.schema.arguments import refuse
from petstore_frame.schema.categories import Categories
from petstore_frame.schema.frame import AnyFrame, as_dtypes, text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import kind_text, minute_text
from petstore_frame.stocktake.comparison import BY_ID, Comparison
from petstore_frame.stocktake.matching import FIELDS, SHARED, Kind, match_by_key, match_on

_NOT_READING = ("source", "inventory", "on", "recipe", "leave_lines", "journal", "other")
_PIECE = 10_000  # a million records are not a million objects at once


@answering
def compare(
    source: str | PathLike[str] | AnyFrame | Inventory,
    inventory: Inventory | pd.DataFrame | str | PathLike[str],
    *,
    on: str | Sequence[str] = (),
    recipe: Recipe | str | PathLike[str] | None = None,
    key: str | Sequence[str] | None = None,
    mapping: Mapped | None = None,
    categories: Categories = None,
    value_map: ValueMap | None = None,
    otherwise: ByField | None = None,
    defaults: ByField | None = None,
    keep: str | None = None,
    leave_out: ByColumn | None = None,
    only: ByColumn | None = None,
    leave_lines: Collection[int] | None = None,
    count: str | None = None,
    accept: str | Collection[str] | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str | None = None,
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
    thousands: str | None = None,
    keep_spaces: bool | None = None,
    journal: str | PathLike[str] | None = None,
    **other: Any,
) -> Comparison:
    """Compare a list with what a store holds, animal by animal.

    You say how a record finds its pet; nothing is guessed. With ``key``, the loader's table of keys
    and pet ids decides. With ``on``, records and pets that are equal in these fields belong
    together; where that leaves a choice, they are ``ambiguous``.

    Args:
        source: What ``load`` reads. With ``on="id"``
            an earlier listing, in any form that ``inventory`` has.
        inventory: What was read of the store, all statuses: an Inventory, its frame, or a Parquet
            file of one.
        on: The fields that make a record and a pet equal, as in ``["name", "category_id"]``; or
            ``id``.
        recipe: How this kind of file is read, as of ``load``.
        key: The column of the list that identifies an animal, or several that do so together:
            those by which it was loaded.
        mapping, categories, value_map, otherwise, defaults, keep: As of ``load``.
        leave_out, only, leave_lines, count, accept, encoding, delimiter: As of ``load``.
        quoting, columns, header_row, sheet, thousands, keep_spaces, other: As of ``load``.
        journal: Folder of the journals; None is the user's state directory.

    Returns:
        A Comparison, whose ``frame`` has one row per animal. If the listing is not complete, its
        kind is ``not seen`` instead of ``only in list``. An empty cell states nothing, so it never
        counts as a difference.

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
    given = dict(locals())  # each parameter by its name: nothing else is local yet
    options = {name: value for name, value in given.items() if name not in _NOT_READING}
    for word in other:
        refuse(f"compare has no word {word!r}{nearest(word, options)}")
    recipe = as_recipe(recipe, options)
    fields = (on,) if isinstance(on, str) else tuple(on)
    inventory = _checked(source, recipe.key or (), fields, read_listing(inventory) or inventory)
    known = inventory.completeness
    if fields == BY_ID:
        listed = _earlier(source)
        keys = listed.frame[["id", "key"]].drop_duplicates().assign(is_in_doubt=False)
        records = listed.frame.drop(columns="id")
        table = match_by_key(records, keys, inventory.frame, states_all=True)
    else:
        listed = read_list(source, recipe, leave_lines or ())
        if fields:
            table = match_on(listed.frame, inventory.frame, fields, is_whole=known.covers_all)
        else:
            table = match_by_key(listed.frame, _known_keys(inventory, journal), inventory.frame)
    if not known.covers_all:  # absence proves only that it was not read
        absent = table["kind"].eq(Kind.ONLY_IN_LIST)
        table["kind"] = table["kind"].where(~absent, str(Kind.NOT_SEEN))
    return Comparison(listed.name, inventory, known, listed.key, fields, table, listed.warnings)


def _known_keys(inventory: Inventory, journal: str | PathLike[str] | None) -> pd.DataFrame:
    """Return the table of keys that the loader has kept."""
    ids = read_ids(inventory.base_url, store_id=inventory.store_id, journal=journal)
    if ids.empty:
        refuse(
            f"no key of {inventory.base_url} is known here: load the list with key= first, name "
            "the folder of its journal with journal=, or compare with on="
        )
    return ids[["key", "id"]].assign(is_in_doubt=ids["state"].isin([*map(str, DOUBT_STATES)]))


def _checked(data: Any, key: Sequence[str], on: tuple[str, ...], inventory: object) -> Inventory:
    """Return the inventory; refuse what leaves open which pet a record is."""
    if isinstance(data, HasOrigin) and on != BY_ID:
        refuse(
            'two listings of a store are compared with on="id"; pf.diff(old, new) and '
            "history.diff() say what changed between them"
        )
    if not isinstance(inventory, Inventory):
        refuse(
            "compare(list, inventory): the second is what pf.fetch_inventory(client) returns, its "
            f"frame, or a Parquet file of it; got {kind_text(inventory)}"
        )
    known = inventory.completeness
    part = known.part or (f"status {known.status}" if known.status else "")
    if part:
        refuse(
            f"the inventory holds only the pets with {part}; compare with that of all: "
            "pf.fetch_inventory(client)"
        )
    if bool(key) == bool(on):
        refuse(
            "say which pet a record is: key= names the column by which the list was loaded, "
            f"on= the fields that make two equal (of {', '.join(FIELDS)}); one of the two"
        )
    unknown = [field for field in on if field not in FIELDS]
    if unknown and on != BY_ID:
        refuse(f"on= names fields of a pet ({', '.join(FIELDS)}), got {unknown[0]!r}")
    return inventory


def _earlier(source: Any) -> Listed:
    """Return an earlier listing as a list, whose records have the ids of its pets."""
    before = read_listing(source)
    if before is None:
        refuse(
            'on="id" compares two listings of a store, each an Inventory, its frame or a Parquet '
            "file of one; a list of your own is compared by key=, or on= other fields"
        )
    frame = as_dtypes(before.frame, SHARED)
    numbers, known = range(1, len(frame) + 1), before.completeness
    rows = frame.assign(
        record=numbers, line=numbers, key=frame["id"].astype("str"), problem=text_series([]),
    )  # fmt: skip
    warnings = () if known.covers_all else (f"The earlier listing is not whole: {known}.",)
    return Listed(f"the listing of {minute_text(before.fetched_at)}", (), rows, warnings)


class Listed(NamedTuple):
    """The records of a list, with their notes.

    ``frame`` has ``record`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
    dtypes), and ``problem`` (str): missing where the record can be compared.
    """

    name: str
    key: tuple[str, ...]
    frame: pd.DataFrame
    warnings: tuple[str, ...]


def read_list(data: Any, recipe: Recipe, leave_lines: Collection[int] = ()) -> Listed:
    """Read a list as the loader would; blank rows are left out."""
    notes: dict[str, Note] = {}
    with open_source(data, recipe, leave_lines=leave_lines) as source:
        name = source.mapping.get("name")
        name_at = len(source.columns) if name is None else source.columns.index(name)
        records = (record for record in source if record.state is not State.SKIPPED)
        frames = [_frame([])]
        while piece := list(islice(records, _PIECE)):
            frames.append(_frame(piece))
            for record in piece:
                is_told = record.notes and record.state is not State.INVALID
                for kind in dict.fromkeys(map(kind_of, record.notes)) if is_told else ():
                    pet_name = "".join(record.cells[name_at : name_at + 1])
                    known = notes.get(kind) or Note(0, kind, record.number, record.line, pet_name)
                    notes[kind] = known._replace(records=known.records + 1)
        whole = _one_row_per_key(pd.concat(frames, ignore_index=True), source, recipe.keep)
    return Listed(source.name, source.key, whole, tuple(map(str, notes.values())))


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


def _one_row_per_key(listed: pd.DataFrame, source: Source, keep: str | None) -> pd.DataFrame:
    """Keep the row of each key that counts, as the loader does, and no row that is left out."""
    repeated = {*listed["key"][listed["key"].notna() & listed["key"].duplicated()]}
    rows: dict[str, list[KeyedRow]] = {}
    for record in source if repeated else ():
        key = record.key
        if key is None or key not in repeated or record.state is State.SKIPPED:
            continue
        cells, noted = "\x1f".join(record.cells), "\n".join(record.notes)
        row = (record.number, record.line, record.state, record.payload, cells, record.rank, noted)
        rows.setdefault(key, []).append(KeyedRow(key, *row))
    others, differ = set[int](), dict[int, str]()
    for alike in rows.values():
        stands = row_that_stands(alike, keep)
        if isinstance(stands, RecordProblem):
            differ |= dict.fromkeys((row.id for row in alike), stands.message)
        else:
            others.update(row.id for row in alike if row is not stands)
    numbers = listed["record"]
    words = text_series([differ.get(number, "") for number in numbers])
    problem = listed["problem"].where(~numbers.isin([*differ]), words)
    is_listed = ~numbers.isin(others) & ~listed["left_out"]
    whole = listed.assign(problem=problem)[is_listed].drop(columns="left_out")
    return whole.reset_index(drop=True)
