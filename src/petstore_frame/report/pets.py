"""One row per pet, exactly as it was read, on one sheet or on several where one cannot hold all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import repeat
from typing import Any

from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet, fit, fits, is_exact_number
from petstore_frame.markup.palette import INK, PAPER
from petstore_frame.report import layout
from petstore_frame.report.content import LABELS, Content, Part, PetColumn
from petstore_frame.schema.models import NO_STATUS

PORTRAIT_WIDTH = 105.0  # characters across A4 upright, almost at full size
_DARK = {"bold": True, "font_color": PAPER, "bg_color": INK}
_IDS = ("id", "category_id")
_NAME = 1  # the column of names
_MOMENT = "yyyy-mm-dd hh:mm"

Style = Any
Cell = tuple[Any, Any, Style]  # how to write a value, the value, and its style


def write_inventory(book: Book, content: Content) -> None:
    """Add the sheets."""
    looks = []
    for column in content.columns:
        place = {**styles.BODY, **_place(column)}
        form = _MOMENT if column.is_moment else styles.WHOLE if column.name in _IDS else 0
        text = book.style(**place, num_format=styles.TEXT)
        looks.append((text, book.style(**place, num_format=form), text))
    chips = {
        status: (
            fit(status)[0],
            book.style(**styles.BODY, **layout.chip_of(colour), num_format=styles.TEXT, indent=1),
        )
        for status, colour in content.colours.items()
    }
    for part in content.parts:
        sheet = book.sheet(part.name, part.words(content.counts.total))
        _set_up(book, sheet, content, part)
        _fill(sheet, content, part, looks, chips)


def _set_up(book: Book, sheet: Sheet, content: Content, part: Part) -> None:
    last, columns = part.stop - part.start, content.columns
    widths = [_width(content, column) for column in columns]
    for col, width in enumerate(widths):
        sheet.do("set_column", col, col, width)
    sheet.raw.freeze_panes(1, 1)
    sheet.do("ignore_errors", {"number_stored_as_text": f"A1:C{last + 1}"})
    heads = [(column.label, {**_DARK, **_place(column)}) for column in columns]
    for col, (label, style) in enumerate(heads):
        sheet.text(0, col, label, **style)
    sheet.height(0, 21)
    is_narrow = sum(widths) <= PORTRAIT_WIDTH
    printed = layout.print_first(sheet, 0, last, len(columns) - 1)
    layout.finish(
        sheet, content, repeat_row=0, is_portrait=is_narrow, has_gridlines=True, printed=printed
    )
    sheet.do("write_comment", 0, 0, layout.ID_RULE, {"x_scale": 2, "author": "petstore-frame"})
    if book.is_constant_memory or last == 0:
        sheet.do("autofilter", 0, 0, last, len(columns) - 1)
        return
    table = {
        "name": part.name.replace(" ", ""),
        "style": "Table Style Light 1",
        "columns": [{"header": label, "header_format": book.style(**s)} for label, s in heads],
    }
    sheet.do("add_table", 0, 0, last, len(columns) - 1, table)


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
    sheet: Sheet,
    content: Content,
    part: Part,
    looks: Sequence[tuple[Style, Style, Style]],
    chips: Mapping[str, tuple[str, Style]],
) -> None:
    """Write the pets; ``chips`` are the texts of the statuses and their styles, if they have any.

    Beside chips, names of several lines are given the height for them, up to five.
    """
    raw = sheet.raw
    for start, stop in part.chunks():
        first, values = start - part.start + 1, content.values(start, stop)
        columns = [
            _cells(raw, column, held, *styles)
            for column, held, styles in zip(content.columns, values, looks, strict=True)
        ]
        if chips:
            shown = [chips[status or NO_STATUS] for status in values[content.status_at]]
            columns[content.status_at] = ((raw.write_string, *chip) for chip in shown)
            for row, name in enumerate(values[_NAME], start=first):
                if breaks := name.count("\n"):
                    sheet.do("set_row", row, 15 * min(breaks + 1, 5))
        for row, cells in enumerate(zip(*columns, strict=True), start=first):
            for col, (write, value, style) in enumerate(cells):
                if failed := write(row, col, value, style):
                    sheet.check(failed, row)
        content.advance(stop - start)


def _cells(
    raw: Any, column: PetColumn, values: list[Any], text: Style, number: Style, missing: Style
) -> Iterable[Cell]:
    """Return how to write each value of a column, the value, and its style."""
    if column.is_number and None not in values and all(map(is_exact_number, values)):
        return zip(repeat(raw.write_number), values, repeat(number))
    if not column.is_number and all(isinstance(value, str) for value in values):
        texts = values if fits(values) else [fit(value)[0] for value in values]
        return zip(repeat(raw.write_string), texts, repeat(text))
    return (_cell(raw, column, value, (text, number, missing)) for value in values)


def _cell(raw: Any, column: PetColumn, value: Any, styles: tuple[Style, Style, Style]) -> Cell:
    text, number, missing = styles
    if value is None:
        return raw.write_blank, None, missing
    if isinstance(value, bool):
        return raw.write_boolean, value, number
    if isinstance(value, datetime):
        return raw.write_datetime, value, number
    if column.is_number and is_exact_number(value):
        return raw.write_number, value, number
    return raw.write_string, fit(str(value))[0], text
