"""One row per pet, exactly as it was read, on one sheet or on several where one cannot hold all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petstore_frame.files import Book, Sheet, styles
from petstore_frame.markup import NO_STATUS, palette
from petstore_frame.report import layout
from petstore_frame.report.content import LABELS, Content, Part, PetColumn

_DARK = {"bold": True, "font_color": palette.PAPER, "bg_color": palette.INK}
_IDS = ("id", "category_id")
_NAME = 1  # the column of names
_MOMENT = "yyyy-mm-dd hh:mm"

Looks = tuple[Any, Any]  # of a value, and of a text


def write_inventory(book: Book, content: Content) -> None:
    """Add the sheets."""
    looks = []
    for column in content.columns:
        style = {**styles.BODY, **_place(column)}
        form = _MOMENT if column.is_moment else styles.WHOLE if column.name in _IDS else 0
        text = book.style(**style, num_format=styles.TEXT)
        looks.append((book.style(**style, num_format=form), text))
    chip = {**styles.BODY, "num_format": styles.TEXT, "indent": 1}
    chips = {
        status: (book.style(**chip, **layout.chip_of(colour)),) * 2
        for status, colour in content.colours.items()
    }
    for part in content.parts:
        sheet = book.sheet(part.name)
        _set_up(sheet, content, part)
        _fill(sheet, content, part, looks, chips)


def _set_up(sheet: Sheet, content: Content, part: Part) -> None:
    last, columns = part.stop - part.start, content.columns
    for col, column in enumerate(columns):
        sheet.do("set_column", col, col, _width(content, column))
    sheet.raw.freeze_panes(1, 1)
    sheet.do("ignore_errors", {"number_stored_as_text": f"A1:C{last + 1}"})
    for col, column in enumerate(columns):
        sheet.cell(0, col, column.label, **_DARK, **_place(column))
    sheet.height(0, 21)
    layout.finish(sheet, content, head=0, listed=(last, len(columns) - 1), has_gridlines=True)
    sheet.do("autofilter", 0, 0, last, len(columns) - 1)


def _place(column: PetColumn) -> dict[str, Any]:
    """Return how the texts of a column are aligned: ids left, other numbers right."""
    if column.is_number:
        return {"align": "left" if column.name in _IDS else "right"}
    return {"indent": int(column.name == "status")}


def _width(content: Content, column: PetColumn) -> float:
    frame, counts = content.frame, content.counts
    if column.name == LABELS:
        return min(max([10, *map(len, counts.labels)]), 40) + 3
    if column.name == "status":
        return max(map(len, counts.statuses), default=9) + 5
    if column.name == "category_id":
        return max([11, *(len(str(one)) for one in counts.category_ids)]) + 3
    if column.name == "id":
        return max(len(str(frame["id"].abs().max())) if len(frame) else 2, 6) + 3
    if column.name == "name":
        longest = float(frame["name"].str.len().quantile(0.995)) if len(frame) else 17
        return min(max(24, longest), 50) + 3
    return max(len(column.label), 17 if column.is_moment else 10) + 3


def _fill(
    sheet: Sheet, content: Content, part: Part, looks: Sequence[Looks], chips: Mapping[str, Looks]
) -> None:
    """Write the pets; names of several lines are given the height for them, up to five."""
    at = content.status_at
    for start, stop in part.chunks():
        values = content.values(start, stop)
        values[at] = [status or NO_STATUS for status in values[at]]
        for row, cells in enumerate(zip(*values, strict=True), start=start - part.start + 1):
            if breaks := cells[_NAME].count("\n"):
                sheet.do("set_row", row, 15 * min(breaks + 1, 5))
            for col, value in enumerate(cells):
                sheet.put(row, col, value, *(chips[value] if col == at else looks[col]))
