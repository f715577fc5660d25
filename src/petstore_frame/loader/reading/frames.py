"""The rows of a DataFrame, each cell judged by its type.

A missing name stops the load: a frame cannot distinguish an empty cell from an animal called NA.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory.result import Inventory
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.returned import COLUMNS, FIX_COLUMNS, file_name
from petstore_frame.loader.reading.rows import Aside, Oddity, Row, text_of_value


class FrameTable:
    """The rows of a frame.

    Args:
        frame: A pandas or polars DataFrame.

    Attributes:
        columns: The column names; those of a LoadResult's frame as they are called in its files.
        header_row: None: its header is no row.
        facts: Nothing: there is one way to read a frame.
        is_result: Whether it is (part of) a LoadResult's frame.

    Raises:
        ArgumentError: It is not a frame.
    """

    header_row: int | None = None

    def __init__(self, frame: Any) -> None:
        _refuse_what_was_read_back(frame)
        has_rows = hasattr(frame, "itertuples") or hasattr(frame, "iter_rows")
        if not hasattr(frame, "columns") or not has_rows:
            raise ArgumentError(
                f"expected a pandas or polars DataFrame, got a {type(frame).__name__}; "
                "load_csv and load_excel read files; nothing was sent"
            )
        self._frame = frame
        self.facts: Mapping[str, Any] = {}
        names = [str(name) for name in frame.columns]
        self.is_result = set(FIX_COLUMNS) <= set(names)
        own = set(COLUMNS) if self.is_result else set()
        self.columns = tuple(file_name(name) if name in own else name for name in names)

    @property
    def index_hint(self) -> str | None:
        """How to make an index of names or categories a column; None where there is none."""
        names = getattr(getattr(self._frame, "index", None), "names", ())
        held = [str(name) for name in names if field_name(str(name)) is not None]
        if not held:
            return None
        return f"the index ({', '.join(held)}) is not read; load frame.reset_index()"

    def rows(self) -> Iterator[Row]:
        """Yield the records; a record's line is its position, 1 for the first."""
        for line, values in enumerate(self._tuples(), 1):
            cells, oddities = list[str](), dict[int, Oddity]()
            for at, value in enumerate(values):
                is_missing = not isinstance(value, str) and _is_missing(value)
                text, oddity = (
                    ("", None) if is_missing else text_of_value(value, has_exact_integers=True)
                )
                cells.append(text)
                if oddity is not None:
                    oddities[at] = oddity
            yield Row(line, cells, Aside(oddities) if oddities else None)

    def refuse_missing_names(self, column: str) -> None:
        """Stop where the column of names has missing values.

        Raises:
            InputError: Says how many, where the first is, and how to keep such names.
        """
        if self.is_result:
            return
        at = self.columns.index(column)
        missing = [line for line, values in enumerate(self._tuples(), 1) if _is_missing(values[at])]
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

    def _tuples(self) -> Iterator[Sequence[Any]]:
        rows: Iterator[Sequence[Any]] = (
            self._frame.itertuples(index=False, name=None)
            if hasattr(self._frame, "itertuples")
            else self._frame.iter_rows()
        )
        return rows


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


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
