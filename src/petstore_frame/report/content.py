"""What a workbook is made from, and how its pets are spread over sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from petstore_frame.files.cells import fit, fits
from petstore_frame.files.styles import SHEET_ROWS
from petstore_frame.inventory import StatusCount
from petstore_frame.report.facts import Facts

if TYPE_CHECKING:
    from petstore_frame.history import Diff
    from petstore_frame.loader.results.results import LoadResult

TABLE_ROWS = 100_000
CHUNK = 10_000


@dataclass(frozen=True)
class Part:
    """The pets of one sheet.

    Attributes:
        name: The sheet's name.
        start: First pet on it, counted from 0.
        stop: Pet after the last.
    """

    name: str
    start: int
    stop: int

    def words(self, held: StatusCount) -> str:
        """Return which of the pets held it lists."""
        if self.start == self.stop:
            return f"One row per pet: {held} pets, in the order read."
        return f"One row per pet: {self.start + 1:,}–{self.stop:,} of {held}, in the order read."

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Yield where pieces of it begin and end, small enough to hold."""
        for start in range(self.start, self.stop, CHUNK):
            yield start, min(start + CHUNK, self.stop)


def split(rows: int, sheet_rows: int = SHEET_ROWS) -> list[Part]:
    """Return the sheets that hold so many pets.

    Example:
        >>> [part.name for part in split(5, 2)]
        ['Inventory 1', 'Inventory 2', 'Inventory 3']
    """
    starts = range(0, max(rows, 1), sheet_rows)
    if len(starts) == 1:
        return [Part("Inventory", 0, rows)]
    return [
        Part(f"Inventory {number}", start, min(start + sheet_rows, rows))
        for number, start in enumerate(starts, start=1)
    ]


@dataclass(frozen=True)
class Content:
    """What a workbook is made from.

    Attributes:
        facts: What it shows.
        advance: Called with the number of pets written since the last call.
        changes: What the sheet Changes shows, or the reason why there is nothing to compare, or
            None for no such sheet.
        results: What the sheet Import shows, or None for no such sheet.
        attention: What needs a person, as sentences, or None where nobody asked.
        sheet_rows: Most data rows of a sheet.
        table_rows: Up to so many pets the inventory is an Excel table; above, memory stays
            constant and the inventory has a plain filter.
    """

    facts: Facts
    advance: Callable[[int], None] = lambda pets: None
    changes: Diff | str | None = None
    results: LoadResult | None = None
    attention: Sequence[str] | None = None
    sheet_rows: int = SHEET_ROWS
    table_rows: int = TABLE_ROWS

    @cached_property
    def parts(self) -> list[Part]:
        """The sheets of pets."""
        return split(len(self.facts.frame), self.sheet_rows)

    @cached_property
    def changed_names(self) -> dict[int, str]:
        """What has to be done to names to fit a cell, by pet id."""
        changed: dict[int, str] = {}
        for start, stop in Part("", 0, len(self.facts.frame)).chunks():
            rows = self.facts.frame.iloc[start:stop]
            if not fits(names := rows["name"].tolist()):
                done = [fit(name)[1] for name in names]
                changed |= {one: d for one, d in zip(rows["id"].tolist(), done, strict=True) if d}
        return changed
