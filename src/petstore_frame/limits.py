"""Limits of the files that are read, so that none can stall the program or fill the memory.

They are far above any list of animals. A file beyond a limit is refused before its rows are read.
"""

from __future__ import annotations

from typing import NamedTuple

from petstore_frame.errors import InputError

_HINT = "split the list, or save only the cells of the animals, as CSV (UTF-8)"


class Limit(NamedTuple):
    """The most that a file may have of something."""

    noun: str
    most: int

    def check(
        self, count: int, *, is_exact: bool = True, line: int | None = None, hint: str = _HINT
    ) -> None:
        """Refuse a file with too many; the count is a minimum if it is not exact.

        Raises:
            InputError: The message names the limit, its value, and the count.
        """
        if count > self.most:
            number = f"{count:,}" if is_exact else f"at least {count:,}"
            message = f"the file has {number} {self.noun}; the limit is {self.most:,}"
            raise InputError(message, line=line, hint=hint)


UNPACKED_BYTES = Limit("bytes", 256 * 1024 * 1024)
ROWS = Limit("rows", 10_000_000)
COLUMNS = Limit("columns", 16_384)
# Of a typed table, whose cells take almost no space in the file if they are equal.
CELLS = Limit("cells", 50_000_000)
CELL_CHARACTERS = Limit("characters in one cell", 1024 * 1024)
LINE_BYTES = Limit("bytes in one line", 4 * 1024 * 1024)
# Tags of all parts of a workbook that are read; a cell has four, and a formula two more.
XML_TAGS = Limit("XML tags", 24_000_000)
SHARED_STRINGS = Limit("shared texts", 4_000_000)
STYLES = Limit("cell styles", 100_000)
SHEETS = Limit("sheets", 10_000)
MERGED_CELLS = Limit("merged cells", 1_000_000)
TOML_DEPTH = Limit("levels of nested tables", 100)

EMPTY_ROW_WEIGHT = 10  # the empty cells that a blank row counts as


class EmptyCells:
    """Counts the empty cells of a table, which take no space in the file but some in memory.

    A cell far to the right or below, or a new key in each line of JSON, has many empty cells next
    to it. A table may have 100,000, and twenty for each cell with a text.
    """

    BASE, PER_FILLED = 100_000, 20

    def __init__(self) -> None:
        self._empty = self._filled = 0

    def add(self, empty: int, filled: int, place: str, line: int | None = None) -> None:
        """Count the cells up to a place in the file, and check their number."""
        self._empty += empty
        self._filled += filled
        self.check(self._empty, self._filled, place, line)

    @classmethod
    def check(cls, empty: int, filled: int, place: str, line: int | None = None) -> None:
        """Refuse a table that is almost empty up to a place in the file.

        Raises:
            InputError: There are too many empty cells; the message names the place.
        """
        most = cls.BASE + cls.PER_FILLED * filled
        if empty > most:
            message = f"up to {place}, the table has {empty:,} empty cells"
            hint = "delete the cells far below or far to the right of the list"
            raise InputError(
                f"{message} and {filled:,} others; the limit is {most:,}",
                line=line,
                hint=hint,
            )
