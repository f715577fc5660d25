"""The workbooks: which sheets, in which order.

A sheet is a function of a Book and a Content, and a line here; it adds nothing where there is
nothing to show.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from petstore_frame import __version__
from petstore_frame.files.book import Book, open_book
from petstore_frame.report.content import Content
from petstore_frame.report.lists import (
    write_about,
    write_about_data,
    write_changes,
    write_imported,
)
from petstore_frame.report.pets import write_data_rows, write_inventory
from petstore_frame.report.summary import write_by_category, write_by_status, write_summary

# Up to so many pets the inventory is an Excel table; above, memory stays constant, which allows a
# plain filter only.
TABLE_ROWS = 100_000
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
    is_large = sheets is DATA_SHEETS or len(content.frame) > TABLE_ROWS
    # The many small tuples that a table's cells are form no cycles: scanning them again and again
    # took a fifth of the time.
    is_paused = not is_large and gc.isenabled()
    if is_paused:
        gc.disable()
    try:
        with open_book(path, is_constant_memory=is_large) as book:
            book.workbook.set_properties(
                {
                    "title": "Store inventory",
                    "subject": content.base_url,
                    "comments": f"{content.sentence}. Made with petstore-frame {__version__}.",
                    # Of the data, not of the clock: the same inventory gives the same bytes.
                    "created": (content.as_of or datetime(2000, 1, 1, tzinfo=UTC)).astimezone(UTC),
                }
            )
            for write in sheets:
                write(book, content)
    finally:
        if is_paused:
            gc.enable()
