"""A list as a frame: what each of its records says of an animal, or why it says nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
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

_PIECE = 10_000  # payloads decoded at once


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
    with open_source(data, reading) as source:
        columns = _Columns(source.columns.index(source.mapping["name"]))
        columns.extend(source)
        frame = _without_repeated_keys(columns.frame())
        warnings = tuple(str(note) for note in columns.notes.values())
        return Listed(source.name, source.key, frame, warnings)


class _Columns:
    """The records of a list, column by column: a million records are not a million objects."""

    def __init__(self, name_at: int) -> None:
        self.notes: dict[str, Note] = {}
        self._name_at = name_at
        self._records: list[int] = []
        self._lines: list[int] = []
        self._keys: list[str | None] = []
        self._problems: list[str | None] = []
        self._fields: dict[str, list[Any]] = {field.name: [] for field in SENT_FIELDS}

    def extend(self, records: Iterable[Record]) -> None:
        """Add records; their payloads are decoded many at a time."""
        waiting: list[bytes] = []
        for record in records:
            if record.state is State.SKIPPED:
                continue
            self._records.append(record.number)
            self._lines.append(record.line)
            self._keys.append(record.key)
            self._problems.append(_problem_of(record))
            if record.warnings and record.state is not State.INVALID:
                self._count_notes(record)
            waiting.append(record.payload or b"{}")
            if len(waiting) == _PIECE:
                self._decode(waiting)
        self._decode(waiting)

    def _count_notes(self, record: Record) -> None:
        name = "".join(record.cells[self._name_at : self._name_at + 1])
        for kind in {kind_of(note) for note in record.warnings}:
            first = self.notes.get(kind) or Note(0, kind, record.number, record.line, name)
            self.notes[kind] = first._replace(records=first.records + 1)

    def _decode(self, payloads: list[bytes]) -> None:
        bodies = json.loads(b"[" + b",".join(payloads) + b"]")
        for field in SENT_FIELDS:
            self._fields[field.name] += [body.get(field.wire_name) for body in bodies]
        payloads.clear()

    def frame(self) -> pd.DataFrame:
        import pandas as pd

        fields: dict[str, Any] = {}
        for field in SENT_FIELDS:
            values, dtype = self._fields[field.name], shared_dtype(field)
            is_text = dtype == "str"
            whole = pd.api.types.pandas_dtype(dtype)
            fields[field.name] = text_series(values) if is_text else pd.Series(values, dtype=whole)
        return pd.DataFrame(
            {
                "record": pd.array(self._records, "int64"),
                "line": pd.array(self._lines, "int64"),
                "key": text_series(self._keys),
                **fields,
                "problem": text_series(self._problems),
            }
        )


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
