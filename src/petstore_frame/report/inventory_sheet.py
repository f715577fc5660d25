"""One row per pet, exactly as it was read.

In: Facts. Out: one sheet, or several where one cannot hold all. Ids are text, because Excel
rounds numbers past 15 digits; names are text, whatever they begin with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from petstore_frame.charts.drawing import place_in_words
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.files.book import Book, Sheet
from petstore_frame.files.cells import fit, fits
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.facts import Facts
from petstore_frame.schema.models import NO_STATUS
from petstore_frame.schema.palette import INK, PAPER

SHEET_ROWS = 1_048_575  # data rows below one header row
TABLE_ROWS = 100_000
_CHUNK = 10_000
_CELL = {**look.BODY, "num_format": "@", "align": "left"}
_NOTE = (
    "Ids are text: Excel keeps 15 digits of a number, and an id may have 19. "
    'Look one up with the filter, or with =XLOOKUP("17", ...).'
)


@dataclass(frozen=True)
class Part:
    """A sheet of the inventory.

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
        place = place_in_words(self.start, self.stop - self.start, held)
        return f"One row per pet: {place}, in the order read."


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


def changed_names(facts: Facts) -> dict[int, str]:
    """Return what has to be done to names to fit a cell, by pet id."""
    changed: dict[int, str] = {}
    for chunk in _chunks(Part("", 0, len(facts.frame))):
        rows = facts.frame.iloc[chunk]
        if not fits(names := rows["name"].tolist()):
            done = [fit(name)[1] for name in names]
            changed |= {one: d for one, d in zip(rows["id"].tolist(), done, strict=True) if d}
    return changed


def write_inventory(
    book: Book, facts: Facts, parts: list[Part], advance: Callable[[int], None]
) -> None:
    """Add the sheets.

    Args:
        book: The workbook.
        facts: What to write.
        parts: The sheets, from ``split``.
        advance: Called with the number of pets written since the last call.
    """
    for part in parts:
        sheet = book.sheet(part.name)
        _set_up(book, sheet, facts, _headers(facts), part)
        for chunk in _chunks(part):
            _write_rows(book, sheet, facts, part, chunk)
            advance(chunk.stop - chunk.start)


def _headers(facts: Facts) -> list[str]:
    labels = ["Category"] if facts.labels else []
    return ["ID", "Name", "Category ID", *labels, "Status"]


def _chunks(part: Part) -> Iterator[slice]:
    for start in range(part.start, part.stop, _CHUNK):
        yield slice(start, min(start + _CHUNK, part.stop))


def _set_up(book: Book, sheet: Sheet, facts: Facts, headers: list[str], part: Part) -> None:
    last = part.stop - part.start
    widths = _widths(facts)
    for col, width in enumerate(widths):
        sheet.do("set_column", col, col, width)
    sheet.raw.freeze_panes(1, 1)
    is_narrow = sum(widths) <= look.PORTRAIT_WIDTH
    look.set_up_print(sheet, facts, repeat_row=0, is_portrait=is_narrow)
    sheet.do("ignore_errors", {"number_stored_as_text": f"A1:C{last + 1}"})
    dark = {"bold": True, "font_color": PAPER, "bg_color": INK}
    styles = [{**dark, "indent": int(header == "Status")} for header in headers]
    for col, (header, style) in enumerate(zip(headers, styles, strict=True)):
        sheet.text(0, col, header, **style)
    sheet.height(0, 21)
    sheet.finish()
    sheet.do("write_comment", 0, 0, _NOTE, {"x_scale": 2, "author": "petstore-frame"})
    if book.is_constant_memory or last == 0:
        sheet.do("autofilter", 0, 0, last, len(headers) - 1)
        return
    sheet.do("add_table", 0, 0, last, len(headers) - 1,
        {
            "name": part.name.replace(" ", ""),
            "style": "Table Style Light 1",
            "columns": [
                {"header": header, "header_format": book.style(**style)}
                for header, style in zip(headers, styles, strict=True)
            ],
        },
    )  # fmt: skip


def _widths(facts: Facts) -> list[float]:
    frame = facts.frame
    ids = len(str(frame["id"].abs().max())) if len(frame) else 2
    names = frame["name"].str.len()
    name = min(max(24, float(names.quantile(0.995))), 50) if len(frame) else 20
    categories = max((len(str(one)) for one in facts.counts.category_ids), default=2)
    widths = [max(ids, 6) + 3, name + 3, max(categories, 11) + 3]
    if facts.labels:
        widths.append(min(max([10, *map(len, facts.counts.labels)]), 40) + 3)
    return [*widths, max(map(len, facts.statuses)) + 5]


def _write_rows(book: Book, sheet: Sheet, facts: Facts, part: Part, chunk: slice) -> None:
    frame = facts.frame.iloc[chunk]
    names = frame["name"].tolist()
    if not fits(names):
        names = [fit(name)[0] for name in names]
    ids = map(str, frame["id"].tolist())
    categories = category_ids(frame["category_id"])
    words = _status_words(book, facts)
    status_codes = frame["status"].cat.codes.tolist()
    text = book.style(**_CELL)
    write, status_col = sheet.raw.write_string, 4 if facts.labels else 3
    labels = {one: fit(facts.label(one))[0] for one in set(categories)} if facts.labels else {}
    _make_room(sheet, names, chunk.start - part.start)
    row = chunk.start - part.start
    for pet_id, name, category, code in zip(ids, names, categories, status_codes, strict=True):
        row += 1
        word, style = words[code]
        failed = (
            write(row, 0, pet_id, text)
            or write(row, 1, name, text)
            or write(row, 2, "" if category is None else str(category), text)
            or (labels and write(row, 3, labels[category], text))
            or write(row, status_col, word, style)
        )
        if failed:
            sheet.check(failed, row)


def _make_room(sheet: Sheet, names: list[str], row: int) -> None:
    """Give names of several lines the height for them, up to five."""
    if not any("\n" in name for name in names):
        return
    for offset, name in enumerate(names, start=1):
        if breaks := name.count("\n"):
            sheet.do("set_row", row + offset, 15 * min(breaks + 1, 5))


def _status_words(book: Book, facts: Facts) -> list[tuple[str, Any]]:
    """What to write for each code of the status column; -1, a missing one, finds the last."""
    shades = facts.colours
    words = [*map(str, facts.frame["status"].cat.categories), NO_STATUS]
    chips = [look.chip_of(shades.get(word, INK)) for word in words]
    return [
        (fit(word)[0], book.style(**_CELL, **chip, indent=1))
        for word, chip in zip(words, chips, strict=True)
    ]
