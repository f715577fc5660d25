"""The rows of a DataFrame, each cell judged by its type.

A missing name stops the load: a frame cannot distinguish an empty cell from an animal called NA.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.returned import COLUMNS, FIX_COLUMNS, file_name
from petstore_frame.loader.reading.rows import Row, text_of_value, typed_row

# By class, which is not imported for its name alone: reading a file needs no listing.
_READ_BACK = {
    "Inventory": "an Inventory, whose animals are in a store already; pass its .frame to make "
    "copies of them, with new ids",
    "LoadResult": "a LoadResult, whose records were loaded already; correct its .fix and load that",
}
_LOST = (
    "pandas reads empty cells and names such as NA, null or None as missing, so which it was is "
    "lost"
)
_KEEP = (
    "load the file itself, or read it with dtype=str, keep_default_na=False; frame.fillna('') "
    "makes them empty names"
)


class FrameTable:
    """The rows of a pandas or polars DataFrame.

    Attributes:
        columns: The column names; those of a LoadResult's frame as they are called in its files.
        is_result: Whether it is (part of) a LoadResult's frame.

    Raises:
        ArgumentError: It is not a frame.
    """

    header_row: int | None = None
    facts: Mapping[str, Any] = {}  # there is one way to read a frame

    def __init__(self, frame: Any) -> None:
        is_frame = hasattr(frame, "itertuples") or hasattr(frame, "iter_rows")
        if not is_frame or not hasattr(frame, "columns"):
            kind = type(frame).__name__
            got = _READ_BACK.get(kind, f"a {kind}; load_csv and load_excel read files")
            raise ArgumentError(
                f"expected a pandas or polars DataFrame, got {got}; nothing was sent"
            )
        self._frame = frame
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
            yield typed_row(
                line,
                [
                    ("", None)
                    if _is_missing(each)
                    else text_of_value(each, has_exact_integers=True)
                    for each in values
                ],
            )

    def refuse_missing_names(self, column: str) -> None:
        """Stop where the column of names has missing values.

        Raises:
            InputError: Says how many, where the first is, and how to keep such names.
        """
        at = self.columns.index(column)
        missing = [line for line, values in enumerate(self._tuples(), 1) if _is_missing(values[at])]
        if missing and not self.is_result:
            count = "1 name is" if len(missing) == 1 else f"{len(missing):,} names are"
            what = f"{count} missing, the first in record {missing[0]}; {_LOST}"
            raise InputError(what, column=column, hint=_KEEP)

    def _tuples(self) -> Iterator[Sequence[Any]]:
        is_pandas = hasattr(self._frame, "itertuples")
        rows: Iterator[Sequence[Any]] = (
            self._frame.itertuples(index=False, name=None) if is_pandas else self._frame.iter_rows()
        )
        return rows


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    import pandas as pd

    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
