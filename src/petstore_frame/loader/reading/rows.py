"""A row as its source gives it, and what it means that there is none."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.fields import MAX_CELL, CellError

Oddity = CellError | str
MERGED = "merged_cell"


class Row(NamedTuple):
    """A row as its source gives it.

    Attributes:
        line: First physical line.
        cells: The cells as text.
        oddities: By position, what the type or the place of a cell adds to its text: a refusal, or
            a note.
        is_hidden: A filter or a person has hidden the row.
    """

    line: int
    cells: Sequence[str]
    oddities: Mapping[int, Oddity] = {}
    is_hidden: bool = False


class LineReader(Protocol):
    """What ``csv.reader`` is: rows, and the number of lines read so far."""

    @property
    def line_num(self) -> int: ...

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


def unreadable(problem: csv.Error, line: int) -> InputError:
    """Return what an error of the CSV reader means.

    Args:
        problem: The error.
        line: First physical line of the record.
    """
    if "field limit" in str(problem):
        return InputError(
            f"the record that begins here has a cell of more than {MAX_CELL:,} characters",
            line=line,
            hint="shorten it; a quote that is never closed can cause this too",
        )
    is_open = "unexpected end" in str(problem)
    return InputError(
        "the record that begins here "
        + ("opens a quote that is never closed" if is_open else f"cannot be read: {problem}"),
        line=line,
        hint=Advice(
            'double the quotes within a cell ("a ""b"" c"), or read quotes as letters: {}',
            ("quoting", "none"),
            by_hand="close or double its quotes",
        ),
    )
