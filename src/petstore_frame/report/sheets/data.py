"""The pets as a plain table, for programs and for loading back: empty cells for what is missing."""

from __future__ import annotations

from petstore_frame.files.book import Book, Sheet
from petstore_frame.files.cells import fit, is_exact_number
from petstore_frame.report.content import Content, Part


def write_data_rows(book: Book, content: Content) -> None:
    """Add the sheets: a header as in the CSV, then the rows."""
    for part in content.parts:
        sheet = book.sheet(part.name, part.words(content.facts.counts.total))
        for col, column in enumerate(content.facts.columns):
            sheet.text(0, col, column.name, bold=True)
        sheet.do("set_column", 1, 1, 24)
        sheet.do("freeze_panes", 1, 0)
        sheet.finish()
        _write_rows(book, sheet, content, part)


def _write_rows(book: Book, sheet: Sheet, content: Content, part: Part) -> None:
    plain, raw = book.style(), sheet.raw
    row = 0
    for start, stop in part.chunks():
        for values in content.facts.rows(start, stop):
            row += 1
            for col, value in enumerate(values):
                if value is None:
                    continue
                if isinstance(value, str):
                    failed = raw.write_string(row, col, fit(value)[0], plain)
                elif is_exact_number(value):
                    failed = raw.write_number(row, col, value, plain)
                else:
                    failed = raw.write_string(row, col, str(value), plain)
                sheet.check(failed, row)
