"""Asks how to read a file whose quotes are not those of a CSV file."""

from __future__ import annotations

from collections.abc import Mapping

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.column_mapping import likely_name_column
from petstore_frame.loader.source.spreadsheet_text import unwrap_name
from petstore_frame.tables.table import Table

_MAX_CELLS, _MAX_LENGTH = 6, 60


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
