"""A list as a frame: what each of its records says of an animal, or why it says nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.record import Record, State
from petstore_frame.loader.results.notes import Note, kind_of
from petstore_frame.schema.frame import text_series
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.stocktake.matching import shared_dtype

if TYPE_CHECKING:
    import pandas as pd

_PIECE = 10_000  # a million records are not a million objects at once


@dataclass(frozen=True)
class Listed:
    """The records of a list.

    Attributes:
        name: The file or the frame, as a person calls it.
        key: The columns that identify an animal.
        frame: ``record`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
            dtypes), and ``problem`` (str): missing where the record can be compared.
        warnings: What was noted on records, by kind, as sentences.
    """

    name: str
    key: tuple[str, ...]
    frame: pd.DataFrame
    warnings: tuple[str, ...]


def read_list(data: Any, reading: Reading) -> Listed:
    """Read a list as the loader would; records without a cell in them are left out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
    """
    import pandas as pd

    notes: dict[str, Note] = {}
    with open_source(data, reading) as source:
        name_at = source.columns.index(source.mapping["name"])
        records = (record for record in source if record.state is not State.SKIPPED)
        frames = [_frame([])]
        while piece := list(islice(records, _PIECE)):
            _count_notes(piece, name_at, notes)
            frames.append(_frame(piece))
    whole = _without_repeated_keys(pd.concat(frames, ignore_index=True))
    return Listed(source.name, source.key, whole, tuple(map(str, notes.values())))


def _frame(records: Sequence[Record]) -> pd.DataFrame:
    """Return records as columns; their payloads are decoded at once."""
    import pandas as pd

    bodies = json.loads(b"[" + b",".join(record.payload or b"{}" for record in records) + b"]")
    columns: dict[str, Any] = {
        "record": pd.array([record.number for record in records], "int64"),
        "line": pd.array([record.line for record in records], "int64"),
        "key": text_series([record.key for record in records]),
    }
    for field in SENT_FIELDS:
        values, dtype = [body.get(field.wire_name) for body in bodies], shared_dtype(field)
        whole = pd.api.types.pandas_dtype(dtype)
        columns[field.name] = (
            text_series(values) if dtype == "str" else pd.Series(values, dtype=whole)
        )
    columns["problem"] = text_series([_problem_of(record) for record in records])
    return pd.DataFrame(columns)


def _count_notes(records: Sequence[Record], name_at: int, notes: dict[str, Note]) -> None:
    """Add what was noted on records that can be compared, by kind."""
    for record in records:
        if not record.warnings or record.state is State.INVALID:
            continue
        name = "".join(record.cells[name_at : name_at + 1])
        for kind in {kind_of(note) for note in record.warnings}:
            known = notes.get(kind) or Note(0, kind, record.number, record.line, name)
            notes[kind] = known._replace(records=known.records + 1)


def _problem_of(record: Record) -> str | None:
    problem = record.problem
    if problem is None:
        return None
    return f"{problem.column}: {problem.message}" if problem.column else problem.message


def _without_repeated_keys(listed: pd.DataFrame) -> pd.DataFrame:
    """Say of records that share a key that they cannot be told apart, and where they stand."""
    is_twice = listed["key"].notna() & listed["key"].duplicated(keep=False)
    if not is_twice.any():
        return listed
    lines = listed[is_twice].groupby("key")["line"].agg(lambda at: ", ".join(map(str, at)))
    words = "the key " + listed["key"] + " stands in the lines " + listed["key"].map(lines)
    return listed.assign(problem=listed["problem"].where(~is_twice, words))
