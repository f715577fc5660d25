"""One row per pet, exactly as it was read, on one sheet or on several where one cannot hold all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import repeat
from typing import Any

from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet
from petstore_frame.files.cells import fit, fits, is_exact_number
from petstore_frame.html.palette import INK, PAPER
from petstore_frame.report import look
from petstore_frame.report.content import LABELS, Content, Part, PetColumn
from petstore_frame.report.sheets.lists import ID_RULE
from petstore_frame.schema.models import NO_STATUS

_DARK = {"bold": True, "font_color": PAPER, "bg_color": INK}
_IDS = ("id", "category_id")
_NAME = 1  # the column of names
_MOMENT = "yyyy-mm-dd hh:mm"


def write_inventory(book: Book, content: Content) -> None:
    """Add the sheets."""
    styles = [_styles(book, column) for column in content.columns]
    for part in content.parts:
        sheet = book.sheet(part.name, part.words(content.counts.total))
        _set_up(book, sheet, content, part)
        for first, values in _chunks(content, part):
            columns = [
                _cells(sheet.raw, column, held, *style)
                for column, held, style in zip(content.columns, values, styles, strict=True)
            ]
            at = [column.name for column in content.columns].index("status")
            columns[at] = _chips(book, sheet.raw, content, values[at])
            _make_room(sheet, values[_NAME], first)
            _write_rows(sheet, first, columns)


def write_data_rows(book: Book, content: Content) -> None:
    """Add the sheets as plain tables, for programs and for loading back, as the CSV is."""
    plain, moment = book.style(), book.style(num_format=_MOMENT)
    for part in content.parts:
        sheet = book.sheet(part.name, part.words(content.counts.total))
        for col, column in enumerate(content.columns):
            sheet.text(0, col, column.name, bold=True)
        sheet.do("set_column", _NAME, _NAME, 24)
        sheet.do("freeze_panes", 1, 0)
        look.print_first(sheet, 0, part.stop - part.start, len(content.columns) - 1)
        sheet.finish()
        for first, values in _chunks(content, part):
            held = zip(content.columns, values, strict=True)
            cells = [
                _cells(sheet.raw, column, each, plain, moment if column.is_moment else plain, None)
                for column, each in held
            ]
            _write_rows(sheet, first, cells)


def _chunks(content: Content, part: Part) -> Iterator[tuple[int, list[list[Any]]]]:
    """Yield the row on the sheet and the columns of some pets at a time."""
    for start, stop in part.chunks():
        yield start - part.start + 1, content.values(start, stop)
        content.advance(stop - start)


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
    is_narrow = sum(widths) <= look.PORTRAIT_WIDTH
    printed = look.print_first(sheet, 0, last, len(columns) - 1)
    look.finish(
        sheet, content, repeat_row=0, is_portrait=is_narrow, has_gridlines=True, printed=printed
    )
    sheet.do("write_comment", 0, 0, ID_RULE, {"x_scale": 2, "author": "petstore-frame"})
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
    frame = content.frame
    if column.name == LABELS:
        return min(max([10, *map(len, content.counts.labels)]), 40) + 3
    if column.name == "status":
        return max(map(len, content.statuses)) + 5
    if column.name == "category_id":
        return max([11, *(len(str(one)) for one in content.counts.category_ids)]) + 3
    if column.name == "id":
        return max(len(str(frame["id"].abs().max())) if len(frame) else 2, 6) + 3
    if column.name == "name":
        longest = float(frame["name"].str.len().quantile(0.995)) if len(frame) else 17
        return min(max(24, longest), 50) + 3
    return max(len(column.label), 17 if column.is_moment else 10) + 3


def _styles(book: Book, column: PetColumn) -> tuple[Any, Any, Any]:
    """Return how texts, numbers and missing values of a column look."""
    place = {**styles.BODY, **_place(column)}
    text = book.style(**place, num_format=styles.TEXT)
    form: Any = styles.WHOLE if column.name in _IDS else 0
    if column.is_moment:
        form = _MOMENT
    return text, book.style(**place, num_format=form), text


def _cells(
    raw: Any, column: PetColumn, values: list[Any], text: Any, number: Any, missing: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Return how to write each value of a column, the value, and its style."""
    has_all = None not in values
    if column.is_number and has_all and all(map(is_exact_number, values)):
        return zip(repeat(raw.write_number), values, repeat(number))
    is_text = all(isinstance(value, str) for value in values)
    if not column.is_number and is_text:
        texts = values if fits(values) else [fit(value)[0] for value in values]
        return zip(repeat(raw.write_string), texts, repeat(text))
    return (_cell(raw, column, value, (text, number, missing)) for value in values)


def _cell(
    raw: Any, column: PetColumn, value: Any, styles: tuple[Any, Any, Any]
) -> tuple[Any, Any, Any]:
    """Return how to write one value, the value, and its style."""
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


def _chips(
    book: Book, raw: Any, content: Content, values: list[Any]
) -> Iterator[tuple[Any, Any, Any]]:
    """Return the cells of the statuses, each in the colour of its own."""
    chips = {
        status: (
            fit(status)[0],
            book.style(**styles.BODY, **look.chip_of(colour), num_format=styles.TEXT, indent=1),
        )
        for status, colour in content.colours.items()
    }
    return ((raw.write_string, *chips[value or NO_STATUS]) for value in values)


def _write_rows(sheet: Sheet, first: int, columns: list[Iterator[tuple[Any, Any, Any]]]) -> None:
    for row, cells in enumerate(zip(*columns, strict=True), start=first):
        for col, (write, value, style) in enumerate(cells):
            if failed := write(row, col, value, style):
                sheet.check(failed, row)


def _make_room(sheet: Sheet, names: list[str], first: int) -> None:
    """Give names of several lines the height for them, up to five."""
    for row, name in enumerate(names, start=first):
        if breaks := name.count("\n"):
            sheet.do("set_row", row, 15 * min(breaks + 1, 5))
