"""A list as the loader reads it, as a frame, for whoever compares it with a store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.loader.causes import Note, kind_of
from petstore_frame.loader.journal.keyed import KeyedRow, row_that_stands
from petstore_frame.loader.reading import Recipe, open_source
from petstore_frame.loader.record import Record, RecordProblem, State
from petstore_frame.schema import FIELDS, as_type

if TYPE_CHECKING:
    import pandas as pd

_PIECE = 10_000  # a million records are not a million objects at once


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
    import pandas as pd

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
    import pandas as pd

    bodies = json.loads(b"[" + b",".join(record.payload or b"{}" for record in records) + b"]")
    columns: dict[str, Any] = {
        "record": pd.array([record.number for record in records], "int64"),
        "line": pd.array([record.line for record in records], "int64"),
        "key": as_type([record.key for record in records], "str"),
        "left_out": pd.array([record.left_out for record in records], "bool"),
    }
    for field in FIELDS.sent:
        values = [body.get(field.wire_name) for body in bodies]
        columns[field.name] = as_type(values, field.nullable)
    problems = (record.problem for record in records)
    columns["problem"] = as_type(
        [each and ": ".join(filter(None, (each.column, each.message))) for each in problems], "str"
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
    problem = as_type([differ.get(number) for number in listed["record"]], "str")
    problem = problem.fillna(listed["problem"])
    is_listed = ~listed["record"].isin(others) & ~listed["left_out"]
    whole = listed.assign(problem=problem)[is_listed].drop(columns="left_out")
    return whole.reset_index(drop=True)
