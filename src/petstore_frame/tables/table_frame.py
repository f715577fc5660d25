"""Reads a file of records as a pandas frame, column by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from petstore_frame.errors import InputError
from petstore_frame.schema.text import short_text
from petstore_frame.tables.csv_file import text_columns
from petstore_frame.tables.table import Layout
from petstore_frame.tables.table_file import TableFile
from petstore_frame.tables.typed_tables import json_lines_frame, parquet_frame

if TYPE_CHECKING:
    import pandas as pd

_DIGITS = {*"-0123456789"}
_WHOLE_NUMBER = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)


def read_frame(file: TableFile, whole_numbers: Sequence[str], hint: str) -> pd.DataFrame:
    """Return a file as a frame: a CSV as texts, JSON lines as objects, Parquet with its dtypes.

    Args:
        file: The file, which is not a workbook.
        whole_numbers: Columns that become int64, if the file has them.
        hint: What to do about a wrong row or value.

    Raises:
        InputError: The file cannot be read, or a value is not a whole number of 64 bits; names the
            line and the column.
    """
    import pandas as pd

    if file.kind == "parquet":
        frame = parquet_frame(file.data)
    elif file.kind == "jsonl":
        frame = json_lines_frame(file.data)
    else:
        frame = _text_frame(file, whole_numbers, hint)
    for name in frame.columns.intersection([*whole_numbers]):
        numbers = frame[name].infer_objects()
        if numbers.dtype.kind != "i":
            refuse_wrong_numbers(file, whole_numbers, hint)
            numbers = pd.Series([*map(int, numbers)])
        frame[name] = numbers.astype("int64")
    return frame


def _text_frame(file: TableFile, whole_numbers: Sequence[str], hint: str) -> pd.DataFrame:
    import pandas as pd

    columns = text_columns(file.data)
    if columns is None:
        refuse_wrong_numbers(file, whole_numbers, hint)
        raise AssertionError("the rows of the table have the error")
    frame = pd.DataFrame(columns, dtype="object")
    for name in columns.keys() & {*whole_numbers}:
        if {*"".join(columns[name])} <= _DIGITS:  # int() accepts 1_000, too
            with suppress(ValueError):  # an empty cell
                frame[name] = pd.Series([*map(int, columns[name])], dtype="object")
    return frame


def refuse_wrong_numbers(file: TableFile, whole_numbers: Sequence[str], hint: str) -> None:
    """Raise the error about the first row that cannot be read or has a wrong number, if any."""
    table = file.table(Layout(), lambda _: True)
    positions = [at for at, name in enumerate(table.columns) if name in whole_numbers]
    for row in table.rows():
        if len(row.cells) > len(table.columns):
            message = f"the line has {len(row.cells)} cells, and the header {len(table.columns)}"
            quotes = "put a text that has the delimiter into quotes"
            raise InputError(message, line=row.line, hint=quotes)
        for at in positions if row.cells else ():
            text = row.cells[at] if at < len(row.cells) else ""
            if not _WHOLE_NUMBER.fullmatch(text) or not -(2**63) <= int(text) < 2**63:
                message = f"{short_text(text)} is not a whole number of 64 bits"
                if not text:
                    message = "the value is missing"
                raise InputError(message, line=row.line, column=table.columns[at], hint=hint)
