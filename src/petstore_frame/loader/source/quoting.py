"""Recognizes rows whose quotes are not those of a CSV file, and asks how to read them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.column_mapping import likely_name_column
from petstore_frame.loader.source.spreadsheet_text import unwrap_name
from petstore_frame.loader.source.table import Table

SINGLE_QUOTE = "'"
_MAX_CELLS, _MAX_LENGTH = 6, 60


def unwrapped_row(cells: Sequence[str], delimiter: str) -> list[str] | None:
    """Return the cells of a row that is in quotes as a whole, or None.

    Example:
        >>> unwrapped_row(["1,Luna"], ","), unwrapped_row(["1", "Luna"], ",")
        (['1', 'Luna'], None)
    """
    if len(cells) != 1 or delimiter not in cells[0]:
        return None
    return _read_again(cells[0], delimiter, '"')


def single_quoted_row(cells: Sequence[str], delimiter: str) -> list[str] | None:
    """Return the cells of a row that was split within single quotes, or None.

    Example:
        >>> single_quoted_row(["'Luna", " the cat'", "1"], ",")
        ['Luna, the cat', '1']
        >>> single_quoted_row(["O'Malley", " the cat", "1"], ",") is None
        True
    """
    if not any(cell.startswith(SINGLE_QUOTE) for cell in cells):
        return None
    read = _read_again(delimiter.join(cells), delimiter, SINGLE_QUOTE)
    return read if read is not None and len(read) < len(cells) else None


def is_in_single_quotes(cell: str) -> bool:
    """Return True if a cell begins and ends with a single quote."""
    text = cell.strip()
    return len(text) > 2 and text.startswith(SINGLE_QUOTE) and text.endswith(SINGLE_QUOTE)


def _read_again(text: str, delimiter: str, quote: str) -> list[str] | None:
    try:
        return next(csv.reader([text], delimiter=delimiter, quotechar=quote, strict=True), None)
    except csv.Error:
        return None


def ask_for_quoting(
    quoting: str, table: Table, mapping: Mapping[str, str], *, message: str, line: int | None
) -> InputError:
    """Return the question whether to read a file with another ``quoting``.

    Args:
        quoting: The likely answer.
        table: The file as it is read with this answer.
        mapping: The columns that the recipe names.
        message: What is unusual in the file.
        line: The first line with it.
    """
    first_row = next((cells for cells in table.cells() if any(map(str.strip, cells))), ())
    header = ", ".join(repr(name[:_MAX_LENGTH]) for name in table.columns[:_MAX_CELLS])
    hint = f"quoting {quoting!r} reads the header as {header}"
    column = likely_name_column(table.columns, mapping)
    at = len(first_row) if column is None else table.columns.index(column)
    if at < len(first_row):
        name = unwrap_name(first_row[at]) if quoting == "unwrap" else first_row[at].strip()
        hint += f" and sends {name[:_MAX_LENGTH]!r} as the first name"
    elif first_row:
        row = ", ".join(repr(cell[:_MAX_LENGTH]) for cell in first_row[:_MAX_CELLS])
        hint += f" and the first row as {row}"
    if quoting == "single":
        hint += f"; allow '{Suspicion.WRAPPED_NAMES}' reads the quotes as text"
    return InputError(message, line=line, hint=hint, add=("quoting", PLACEHOLDER), likely=quoting)
