"""Which rows a DataFrame holds, each cell judged by its type.

In: a pandas or polars frame. Out: rows of text with what the cells' types add to it. A missing name
stops the load: a frame cannot distinguish an empty cell from an animal called NA.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory.result import Inventory
from petstore_frame.loader.reading.check import OddRow
from petstore_frame.loader.reading.fields import CellError
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.typed import Oddity, text_of_value
from petstore_frame.loader.results.columns import COLUMNS, FIX_COLUMNS, file_name


class Frame:
    """The rows of a frame.

    Args:
        frame: A pandas or polars DataFrame.

    Attributes:
        header: The column names; those of a LoadResult's frame as they are called in its files.
        is_result: Whether it is (part of) a LoadResult's frame.

    Raises:
        ArgumentError: It is not a frame.
    """

    def __init__(self, frame: Any) -> None:
        _refuse_what_was_read_back(frame)
        if not hasattr(frame, "columns") or _row_method(frame) is None:
            raise ArgumentError(
                f"expected a pandas or polars DataFrame, got a {type(frame).__name__}; "
                "load_csv and load_excel read files; nothing was sent"
            )
        self._frame = frame
        names = [str(name) for name in frame.columns]
        self.is_result = set(FIX_COLUMNS) <= set(names)
        own = set(COLUMNS) if self.is_result else set()
        self.header = tuple(file_name(name) if name in own else name for name in names)

    @property
    def index_hint(self) -> str | None:
        """How to make an index of names or categories a column; None where there is none."""
        names = getattr(getattr(self._frame, "index", None), "names", ())
        held = [str(name) for name in names if field_name(str(name)) is not None]
        if not held:
            return None
        return f"the index ({', '.join(held)}) is not read; load frame.reset_index()"

    def rows(self) -> Iterator[OddRow]:
        """Yield the records; a record's line is its position, 1 for the first."""
        for line, values in enumerate(_tuples(self._frame), 1):
            cells, oddities = list[str](), dict[int, CellError | str]()
            for at, value in enumerate(values):
                text, oddity = _judge(value)
                cells.append(text)
                if oddity is not None:
                    oddities[at] = oddity
            yield line, cells, oddities

    def refuse_missing_names(self, column: str) -> None:
        """Stop where the column of names has missing values.

        Raises:
            InputError: Says how many, where the first is, and how to keep such names.
        """
        if self.is_result:
            return
        at = self.header.index(column)
        missing = [
            line for line, values in enumerate(_tuples(self._frame), 1) if _is_missing(values[at])
        ]
        if missing:
            count = "1 name is" if len(missing) == 1 else f"{len(missing):,} names are"
            raise InputError(
                f"{count} missing, the first in record {missing[0]}; pandas "
                "reads empty cells and names such as NA, null or None as missing, so which it was "
                "is lost",
                column=column,
                hint="load the file itself, or read it with dtype=str, keep_default_na=False; "
                "frame.fillna('') makes them empty names",
            )

    def digest(self) -> str:
        """Return the SHA-256 of the content as hex: names of columns, text and kinds of cells."""
        digest = hashlib.sha256(repr(self.header).encode("utf-8", "surrogatepass"))
        for _, cells, oddities in self.rows():
            kinds = [(at, str(oddity)) for at, oddity in (oddities or {}).items()]
            digest.update(repr((cells, kinds)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def _refuse_what_was_read_back(frame: Any) -> None:
    """Refuse results of this package that hold a frame, and name the frame that may be meant."""
    if isinstance(frame, Inventory):
        raise ArgumentError(
            "expected a DataFrame, got an Inventory, whose animals are in a store already; pass "
            "its .frame to make copies of them, with new ids; nothing was sent"
        )
    if hasattr(frame, "fix") and hasattr(frame, "frame"):
        raise ArgumentError(
            "expected a DataFrame, got a LoadResult, whose records were loaded already; correct "
            "its .fix and load that; nothing was sent"
        )


def _row_method(frame: Any) -> Any:
    return getattr(frame, "itertuples", None) or getattr(frame, "iter_rows", None)


def _tuples(frame: Any) -> Iterator[Sequence[Any]]:
    rows: Iterator[Sequence[Any]] = (
        frame.itertuples(index=False, name=None)
        if hasattr(frame, "itertuples")
        else frame.iter_rows()
    )
    return rows


def _judge(value: Any) -> tuple[str, Oddity]:
    if isinstance(value, str):
        return str(value), None
    if _is_missing(value):
        return "", None
    return text_of_value(value, has_exact_integers=True)


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
