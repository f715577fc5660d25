"""The pets as a workbook of plain data, for programs and for loading back.

In: an Inventory. Out: an .xlsx whose first sheet is a table as in the CSV: ``id``, ``name``,
``category_id``, ``status``, with empty cells for what is missing. The sheet About has the claim.
The workbook for people is workbook.py's.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from petstore_frame.files.book import Book, Sheet, open_book
from petstore_frame.files.cells import EXACT_NUMBERS, fit
from petstore_frame.inventory.evidence import Line
from petstore_frame.report.about_sheet import DEFINITIONS, write_about
from petstore_frame.report.facts import Facts, gather
from petstore_frame.report.inventory_sheet import SHEET_ROWS, Part, changed_names, split
from petstore_frame.report.whole import whole_file
from petstore_frame.schema.fields import PET_COLUMNS

_CHUNK = 10_000
_VERDICTS = 5
_DEFINITIONS: tuple[Line, ...] = (
    *DEFINITIONS[:_VERDICTS],
    ("id, category_id", "Numbers of up to 15 digits; text beyond, where Excel would round."),
    ("Empty status", "The store gave no status for the pet."),
)


def write_data_book(pets: Any, path: str | PathLike[str], *, sheet_rows: int = SHEET_ROWS) -> Path:
    """Write the pets as they are, with the claim on a second sheet.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``.
        path: The file; one that is there is replaced only by a whole new one.
        sheet_rows: Most data rows of a sheet.

    Returns:
        The path written.

    Raises:
        ReportError: The file cannot be written; one that was there is unchanged.
        MissingExtraError: XlsxWriter is not installed.
    """
    target, facts = Path(path), gather(pets)
    parts = split(len(facts.frame), sheet_rows)
    with whole_file(target) as draft, open_book(draft, is_constant_memory=True) as book:
        for part in parts:
            _write_part(book, book.sheet(part.name), facts, part)
        contents = [(part.name, part.words(facts.counts.total)) for part in parts]
        write_about(book, facts, contents, changed_names(facts), _DEFINITIONS)
    return target


def _write_part(book: Book, sheet: Sheet, facts: Facts, part: Part) -> None:
    for col, name in enumerate(PET_COLUMNS):
        sheet.text(0, col, name, bold=True)
    sheet.do("set_column", 1, 1, 24)
    sheet.do("freeze_panes", 1, 0)
    sheet.finish()
    plain = book.style()
    row = 0
    for start in range(part.start, part.stop, _CHUNK):
        for cells in facts.data(start, min(start + _CHUNK, part.stop)):
            row += 1
            for col, value in enumerate(cells):
                if value is not None:
                    sheet.check(_put(sheet, row, col, value, plain), row)


def _put(sheet: Sheet, row: int, col: int, value: int | str, style: Any) -> int:
    if isinstance(value, int) and abs(value) < EXACT_NUMBERS:
        return int(sheet.raw.write_number(row, col, value, style))
    return int(sheet.raw.write_string(row, col, fit(str(value))[0], style))
