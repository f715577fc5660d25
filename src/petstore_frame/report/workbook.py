"""The workbooks: which sheets, in which order.

A sheet is a function of a Book and a Content in a module of its own in ``sheets/``, and a line
here; it adds nothing where there is nothing to show.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from petstore_frame import __version__
from petstore_frame.files.book import Book, open_book
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.about import write_about, write_about_data
from petstore_frame.report.sheets.by_category import write_by_category
from petstore_frame.report.sheets.by_status import write_by_status
from petstore_frame.report.sheets.changes import write_changes
from petstore_frame.report.sheets.imported import write_imported
from petstore_frame.report.sheets.inventory import write_data_rows, write_inventory
from petstore_frame.report.sheets.summary import write_summary

WriteSheet = Callable[[Book, Content], None]

# The workbook for people.
SHEETS: tuple[WriteSheet, ...] = (
    write_summary,
    write_by_category,
    write_by_status,
    write_inventory,
    write_changes,
    write_imported,
    write_about,
)
# The workbook of plain data, for programs and for loading back.
DATA_SHEETS: tuple[WriteSheet, ...] = (write_data_rows, write_about_data)


def write_workbook(content: Content, path: Path, sheets: tuple[WriteSheet, ...] = SHEETS) -> None:
    """Write a workbook of these sheets, in order."""
    is_large = sheets is DATA_SHEETS or len(content.frame) > content.table_rows
    at_rest = nullcontext() if is_large else _collector_at_rest()
    with at_rest, open_book(path, is_constant_memory=is_large) as book:
        _describe(book, content)
        for write in sheets:
            write(book, content)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause the garbage collector: the cells of a table form no reference cycles.

    Each cell is a small tuple that lives until the file is closed; scanning them repeatedly took
    a fifth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _describe(book: Book, content: Content) -> None:
    book.workbook.set_properties(
        {
            "title": "Store inventory",
            "subject": content.base_url or "",
            "comments": f"{content.sentence}. Made with petstore-frame {__version__}.",
            # Of the data, not of the clock: the same inventory gives the same bytes.
            "created": (content.as_of or datetime(2000, 1, 1, tzinfo=UTC)).astimezone(UTC),
        }
    )
