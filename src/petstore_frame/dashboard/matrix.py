"""The table of categories by statuses whose every number leads to its pets.

In: what is shown. Out: the texts of a grid of buttons, where each leads, and the grid's colours.
Pure; the widget that carries it is made in ``inventory_tab``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from petstore_frame.counts.tally import CategoryCounts
from petstore_frame.counts.words import short
from petstore_frame.dashboard.model import Selection, Shown
from petstore_frame.schema.palette import shorten, status_word

ROWS = 15
STRONGEST = 0.45  # of the blue behind a number; with more, the number is hard to read


@dataclass(frozen=True)
class MatrixCell:
    """One button.

    Attributes:
        text: What it shows.
        tip: What it leads to, as text.
        target: The selection that it leads to, or None where there is nothing to see.
        shade: How strong its colour is, 0 to 1.
    """

    text: str
    tip: str
    target: Selection | None
    shade: float = 0.0


@dataclass(frozen=True)
class Matrix:
    """A grid of buttons, row by row, the names of the columns first."""

    columns: int
    cells: list[MatrixCell]

    def style(self, scope: str) -> str:
        """Return the colours of the cells; they change with the numbers.

        Args:
            scope: CSS class of this matrix alone, for a page may hold several.
        """
        button = f".pf-dash .{scope} button"
        grid = (
            f".pf-dash .{scope}>div{{grid-template-columns:minmax(var(--pf-name),1.5fr) "
            f"repeat({self.columns - 1},minmax(min-content,1fr))}}"
            f"{button}:nth-child({self.columns}n+1){{text-align:left!important}}"
            f"{button}:nth-child({self.columns}n),"
            f"{button}:nth-child(-n+{self.columns}){{font-weight:600}}"
        )
        shades = "".join(
            f"{button}:nth-child({at + 1})"
            f"{{background:rgba(0,114,178,{cell.shade * STRONGEST:.2f})!important}}"
            for at, cell in enumerate(self.cells)
            if cell.shade * STRONGEST >= 0.005
        )
        return f"<style>{grid}{shades}</style>"


def matrix(shown: Shown) -> Matrix:
    """Lay out what is shown as a grid of numbers."""
    counts, now = shown.counts, shown.selection
    columns = [
        at
        for at, status in enumerate(counts.statuses)
        if now.status is None or counts.by_status[status].count
    ]
    lines = counts.largest(ROWS)
    single = [line for line in lines if not line.is_rest]
    deepest = max((count.count for line in single for count in line.counts), default=1)
    cells = _names(shown, columns)
    for line in lines:
        cells += _line(shown, line, columns, max(deepest, 1))
    return Matrix(len(columns) + 2, cells)


def _names(shown: Shown, columns: list[int]) -> list[MatrixCell]:
    """The first row: each status leads to its pets in the categories now selected."""
    now = replace(shown.selection, page=1)
    every_category = replace(now, categories=frozenset())
    row = [MatrixCell("Category", "show every category", every_category)]
    for at in columns:
        status = shown.counts.statuses[at]
        tip = f"show pets: {status}"
        row.append(MatrixCell(shorten(status_word(status), 20), tip, replace(now, status=status)))
    return [*row, MatrixCell("All", "show every status", replace(now, status=None))]


def _line(shown: Shown, line: CategoryCounts, columns: list[int], deepest: int) -> list[MatrixCell]:
    """One category; the rest of them together lead nowhere, for no filter means them."""
    if line.is_rest:
        here = None
    else:
        only = frozenset({line.category_id})
        here = replace(shown.selection, categories=only, page=1)
    row = [MatrixCell(shorten(line.label, 26), f"{line.label}: show its pets", here)]
    for at in columns:
        status, count = shown.counts.statuses[at], line.counts[at]
        target = replace(here, status=status) if here and count.count else None
        shade = count.count / deepest if here else 0.0
        text = short(count)
        row.append(MatrixCell(text, f"{line.label}, {status}: {text}", target, shade))
    total = short(line.total)
    return [*row, MatrixCell(total, f"{line.label}, all: {total}", here)]
