"""Shows counts by category and status as an HTML table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from petstore_frame.rendering.display_text import shorten
from petstore_frame.rendering.palette import STATUS_COLORS, VERDICT_BADGES
from petstore_frame.rendering.templates import PAGE, Cell
from petstore_frame.schema import status_label

_NAME_LENGTH = 40
_STRONGEST_SHADE = 0.45  # maximum opacity behind a number; more would make the number hard to read
_RED_GREEN_BLUE = ",".join(str(part) for part in bytes.fromhex(STATUS_COLORS["available"][1:]))


@dataclass(frozen=True)
class CountCell:
    """A number of the table.

    Attributes:
        text: The number, with a sign if it is not exact.
        shade: How strongly the cell is shaded, from 0 to 1.
        is_warning: Whether the cell is highlighted because nothing is available.
    """

    text: str
    shade: float = 0.0
    is_warning: bool = False


@dataclass(frozen=True)
class CountRow:
    """A row of the table.

    Attributes:
        label: The name of the category.
        counts: One cell per status.
        total: The number of pets of any status.
        category: The id of the category as text, empty for pets without a category; None for a row
            of several categories, which a script cannot filter by.
    """

    label: str
    counts: Sequence[CountCell]
    total: str
    category: str | None = None


def count_table(
    statuses: Sequence[str], rows: Sequence[CountRow], sums: Sequence[str], caption: str
) -> Markup:
    """Return the table: a row per category, then the sums of the columns.

    Scripts find a cell by its ``data-category`` and ``data-status``; the last column has no status,
    and a row of several categories has neither.
    """
    head = [Cell("Category")]
    for status in statuses:
        name = shorten(status_label(status), _NAME_LENGTH)
        head.append(Cell(_marked(name), {"status": status}))
    head.append(Cell("Pets"))
    return PAGE.table(
        [_row(statuses, row) for row in rows],
        head,
        numbers=range(1, len(head)),
        caption=caption,
        foot=["Total", *sums],
        is_named=True,
    )


def _row(statuses: Sequence[str], row: CountRow) -> list[Cell]:
    label = shorten(row.label, _NAME_LENGTH)
    if row.category is None:
        counts = [Cell(count.text, css=_style(count)) for count in row.counts]
        return [Cell(label), *counts, Cell(row.total)]
    data: Mapping[str, str] = {"category": row.category}
    cells = [Cell(_marked(label), data)]
    for status, count in zip(statuses, row.counts, strict=True):
        cells.append(Cell(_marked(count.text), {**data, "status": status}, _style(count)))
    cells.append(Cell(_marked(row.total), data))
    return cells


def _marked(text: str) -> Markup:
    """Return a text that a script makes clickable."""
    return Markup('<span class="pf-mark">{}</span>').format(text)


def _style(count: CountCell) -> str:
    if count.is_warning:
        badge = VERDICT_BADGES["incomplete"]
        return f"background:{badge.fill};color:{badge.ink}"
    if count.shade:
        return f"background:rgba({_RED_GREEN_BLUE},{count.shade * _STRONGEST_SHADE:.2f})"
    return ""
