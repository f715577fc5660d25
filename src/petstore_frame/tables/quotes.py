"""Recognizes rows and cells whose quotes are not those of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

SINGLE_QUOTE = "'"


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


def quoting_of_header(columns: Sequence[str], delimiters: Iterable[str]) -> str | None:
    """Return the ``quoting`` that removes the quotes around a header, or None.

    Example:
        >>> quoting_of_header(["name,category"], ",;"), quoting_of_header(["'name'", "'kind'"], ",")
        ('unwrap', 'single')
    """
    if any(unwrapped_row(columns, delimiter) for delimiter in delimiters):
        return "unwrap"
    names = [column for column in columns if column.strip()]
    return "single" if names and all(map(is_in_single_quotes, names)) else None


def is_in_single_quotes(cell: str) -> bool:
    """Return True if a cell begins and ends with a single quote."""
    text = cell.strip()
    return len(text) > 2 and text.startswith(SINGLE_QUOTE) and text.endswith(SINGLE_QUOTE)


def _read_again(text: str, delimiter: str, quote: str) -> list[str] | None:
    try:
        return next(csv.reader([text], delimiter=delimiter, quotechar=quote, strict=True), None)
    except csv.Error:
        return None


def unwrap_formula(text: str) -> str:
    """Return the text in a formula that only has a text, such as 007 in ``="007"``.

    Example:
        >>> unwrap_formula('="007"'), unwrap_formula("007")
        ('007', '007')
    """
    if text.startswith('="') and text.endswith('"') and len(text) > 2:
        return text[2:-1].replace('""', '"').strip()
    return text
