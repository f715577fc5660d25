"""One row per pet, exactly as it was read, on one sheet or on several where one cannot hold all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from petstore_frame.files.book import Book, Sheet
from petstore_frame.files.cells import fit, fits, is_exact_number
from petstore_frame.html.palette import INK, PAPER
from petstore_frame.report import look
from petstore_frame.report.content import Content, Part
from petstore_frame.report.facts import LABELS, Facts, PetColumn
from petstore_frame.report.sheets.lists import ID_RULE
from petstore_frame.schema.models import NO_STATUS

_DARK = {"bold": True, "font_color": PAPER, "bg_color": INK}
_IDS = ("id", "category_id")


def write_inventory(book: Book, content: Content) -> None:
    """Add the sheets."""
    facts = content.facts
    for part in content.parts:
        sheet = book.sheet(part.name, part.words(facts.counts.total))
        _set_up(book, sheet, facts, part)
        for start, stop in part.chunks():
            _write_rows(book, sheet, facts, part, start, stop)
            content.advance(stop - start)


def _set_up(book: Book, sheet: Sheet, facts: Facts, part: Part) -> None:
    last, columns = part.stop - part.start, facts.columns
    widths = [_width(facts, column) for column in columns]
    for col, width in enumerate(widths):
        sheet.do("set_column", col, col, width)
    sheet.raw.freeze_panes(1, 1)
    sheet.do("ignore_errors", {"number_stored_as_text": f"A1:C{last + 1}"})
    styles = [{**_DARK, **_place(column)} for column in columns]
    for col, (column, style) in enumerate(zip(columns, styles, strict=True)):
        sheet.text(0, col, column.label, **style)
    sheet.height(0, 21)
    is_narrow = sum(widths) <= look.PORTRAIT_WIDTH
    look.finish(sheet, facts, repeat_row=0, is_portrait=is_narrow, has_gridlines=True)
    sheet.do("write_comment", 0, 0, ID_RULE, {"x_scale": 2, "author": "petstore-frame"})
    if book.is_constant_memory or last == 0:
        sheet.do("autofilter", 0, 0, last, len(columns) - 1)
        return
    sheet.do("add_table", 0, 0, last, len(columns) - 1,
        {
            "name": part.name.replace(" ", ""),
            "style": "Table Style Light 1",
            "columns": [
                {"header": column.label, "header_format": book.style(**style)}
                for column, style in zip(columns, styles, strict=True)
            ],
        },
    )  # fmt: skip


def _place(column: PetColumn) -> dict[str, Any]:
    """Return where the texts of a column stand: ids at the left, other numbers at the right."""
    if column.is_number:
        return {"align": "left" if column.name in _IDS else "right"}
    return {"indent": int(column.name == "status")}


def _width(facts: Facts, column: PetColumn) -> float:
    frame = facts.frame
    if column.name == LABELS:
        return min(max([10, *map(len, facts.counts.labels)]), 40) + 3
    if column.name == "status":
        return max(map(len, facts.statuses)) + 5
    if column.name == "category_id":
        return max([11, *(len(str(one)) for one in facts.counts.category_ids)]) + 3
    if column.name == "id":
        return max(len(str(frame["id"].abs().max())) if len(frame) else 2, 6) + 3
    if column.name == "name":
        longest = float(frame["name"].str.len().quantile(0.995)) if len(frame) else 17
        return min(max(24, longest), 50) + 3
    return max(len(column.label), 10) + 3


def _write_rows(book: Book, sheet: Sheet, facts: Facts, part: Part, start: int, stop: int) -> None:
    first = start - part.start + 1
    columns = [
        _cells(book, sheet, facts, column, values)
        for column, values in zip(facts.columns, facts.values(start, stop), strict=True)
    ]
    _make_room(sheet, facts.frame["name"].iloc[start:stop].tolist(), first)
    for row, cells in enumerate(zip(*columns, strict=True), start=first):
        for col, (write, value, style) in enumerate(cells):
            if failed := write(row, col, value, style):
                sheet.check(failed, row)


def _cells(
    book: Book, sheet: Sheet, facts: Facts, column: PetColumn, values: list[Any]
) -> Iterator[tuple[Any, Any, Any]]:
    """Return how to write each value of a column, the value, and its style."""
    raw, place = sheet.raw, _place(column)
    text = book.style(**look.BODY, **place, num_format="@")
    if column.name == "status":
        chips = _chips(book, facts)
        return ((raw.write_string, *chips[value or NO_STATUS]) for value in values)
    if column.is_number:
        number = book.style(**look.BODY, **place, num_format="0" if column.name in _IDS else 0)
        if None not in values and all(map(is_exact_number, values)):
            return zip(repeat(raw.write_number), values, repeat(number))
        return (
            (raw.write_blank, None, text)
            if value is None
            else (raw.write_number, value, number)
            if is_exact_number(value)
            else (raw.write_string, str(value), text)
            for value in values
        )
    texts = ["" if value is None else str(value) for value in values]
    if not fits(texts):
        texts = [fit(each)[0] for each in texts]
    return zip(repeat(raw.write_string), texts, repeat(text))


def _chips(book: Book, facts: Facts) -> dict[str, tuple[str, Any]]:
    """Return what to write for each status, and how it looks."""
    return {
        status: (
            fit(status)[0],
            book.style(**look.BODY, **look.chip_of(colour), num_format="@", indent=1),
        )
        for status, colour in facts.colours.items()
    }


def _make_room(sheet: Sheet, names: list[str], first: int) -> None:
    """Give names of several lines the height for them, up to five."""
    if not any("\n" in name for name in names):
        return
    for row, name in enumerate(names, start=first):
        if breaks := name.count("\n"):
            sheet.do("set_row", row, 15 * min(breaks + 1, 5))
