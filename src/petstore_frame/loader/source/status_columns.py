"""Finds columns that may hold the status, by their names or by their values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from petstore_frame.schema.words import comparable, status_of, words_for

# Number of rows to examine; a column with more values in them is unlikely to hold statuses.
ROWS_TO_EXAMINE, _MAX_VALUES = 2_000, 12


def is_status_header(column: str) -> bool:
    """Return True if the name of a column has a word for a status.

    Example:
        >>> is_status_header("Estado de adopción"), is_status_header("Estado civil")
        (True, False)
    """
    if any(text in comparable(column) for text in words_for("not_status")):
        return False
    parts = [comparable(part) for part in column.replace("_", " ").replace("-", " ").split()]
    return any(part in words_for("status_part") for part in parts)


def has_status_values(texts: Collection[str]) -> bool:
    """Return True if most of these different values, which must be few, are statuses.

    Example:
        >>> has_status_values(["vendido", "disponible", "fallecido"]), has_status_values(["WA"])
        (True, False)
    """
    if not 0 < len(texts) <= _MAX_VALUES:
        return False
    return 2 * sum(map(is_status_value, texts)) > len(texts)


def may_be_status(column: str, texts: Collection[str]) -> bool:
    """Return True for a column with status values, or with few values below one as its name.

    Example:
        >>> may_be_status("Disponible", ["oui", "non"]), may_be_status("Chip", ["oui", "non"])
        (True, False)
    """
    is_flag = is_status_value(column) and 0 < len(texts) <= _MAX_VALUES
    return is_flag or has_status_values(texts)


def is_status_value(text: str) -> bool:
    """Return True for a word for a status, such as ``disponible``."""
    return status_of(text) is not None


def values_by_column(
    columns: Sequence[str], cells: Iterable[Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the different values of each column in the first rows, without empty ones."""
    values: dict[str, dict[str, None]] = {column: {} for column in columns}
    for row in islice(cells, ROWS_TO_EXAMINE):
        for column, text in zip(columns, row, strict=False):
            values[column][text.strip()] = None
    return {column: tuple(filter(None, texts)) for column, texts in values.items()}
