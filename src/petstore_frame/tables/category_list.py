"""Reads a category list: a table with the columns ``id`` and ``name``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.schema.text import join_names
from petstore_frame.tables.table import Layout
from petstore_frame.tables.table_file import TableFile

_COLUMNS = ("id", "name")
_HINT = "save the list as CSV (UTF-8), with the columns id and name"


class CategoryRow(NamedTuple):
    """A row of a category list, as text."""

    line: int
    number: str
    name: str


def read_category_list(path: Path) -> list[CategoryRow]:
    """Return the rows with a name; other columns are ignored.

    Raises:
        InputError: The file cannot be read, or lacks a column.
    """
    file = TableFile(path)
    with file.naming(_HINT):
        return _rows_of(file)


def _rows_of(file: TableFile) -> list[CategoryRow]:
    table = file.table(Layout(), _has_columns)
    header = [name.strip().casefold() for name in table.columns]
    if not _has_columns(header):
        message = f"a category list has the columns id and name, got {join_names(table.columns)}"
        raise InputError(message, line=table.header_row, hint="name its columns id and name")
    positions = [header.index(name) for name in _COLUMNS]
    rows = []
    for row in table.rows():
        for at in positions:
            if at in row.problems:
                _, message, hint = row.problems[at]
                raise InputError(message, line=row.line, column=header[at], hint=hint)
        number, name = (row.cells[at].strip() if at < len(row.cells) else "" for at in positions)
        if name:
            rows.append(CategoryRow(row.line, number, name))
    return rows


def _has_columns(row: Sequence[str]) -> bool:
    names = [name.strip().casefold() for name in row]
    return all(names.count(column) == 1 for column in _COLUMNS)
