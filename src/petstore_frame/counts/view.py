"""How counts by category and status look, as text and in a notebook.

In: StatusCounts, and the lines to put above them. Out: one text, or HTML with every text escaped.
It counts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from petstore_frame.counts.tally import StatusCounts, short
from petstore_frame.html.markup import NUMBER, cell, escape, quiet_lines, row_name, table

ALL_PETS = "all pets"
ALL_CATEGORIES = "all categories"
_SHOWN_CATEGORIES = 20
_LEGEND = "≥ means at least: the store may hold more than was read."


def column_name(status: str) -> str:
    """Name a status's column; an unknown status must not replace a column of ours."""
    return f"status {status}" if status in ("category_id", "category", ALL_PETS) else status


def counts_text(counts: StatusCounts, above: Sequence[str]) -> str:
    """Return the largest categories, the rest of them together, and the sums, for a terminal."""
    rows = [_head(counts), *_rows(counts)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([*above, *_legend(counts), "", lines[0], rule, *lines[1:]])


def counts_html(counts: StatusCounts, above: str) -> str:
    """Return the same for a notebook, below markup that states the claim."""
    head = _head(counts)
    rows = (
        [row_name(label), *(cell(escape(number), NUMBER) for number in numbers)]
        for label, *numbers in _rows(counts)
    )
    legend = quiet_lines(_legend(counts))
    return f"<div>{above}{legend}{table(rows, head, numbers=range(1, len(head)))}</div>"


def _head(counts: StatusCounts) -> list[str]:
    return ["category", *map(column_name, counts.statuses), ALL_PETS]


def _legend(counts: StatusCounts) -> list[str]:
    return [] if counts.is_exact and all(counts.exact) else [_LEGEND]


def _rows(counts: StatusCounts) -> list[list[str]]:
    """Return the rows to show, largest categories first, small ones together."""
    rows = [
        [line.label, *map(short, (*line.counts, line.total))]
        for line in counts.largest(_SHOWN_CATEGORIES)
    ]
    sums = map(short, (*counts.by_status.values(), counts.total))
    return [*rows, [ALL_CATEGORIES, *sums]]
