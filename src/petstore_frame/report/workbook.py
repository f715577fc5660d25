"""The workbook: which sheets, in which order.

A sheet is a function of a Book and a Content, and a line here; it adds nothing where there is
nothing to show.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from petstore_frame import __version__
from petstore_frame.files import open_book
from petstore_frame.report.content import Content
from petstore_frame.report.lists import write_about, write_changes
from petstore_frame.report.pets import write_inventory
from petstore_frame.report.summary import write_by_category, write_summary

SHEETS = (write_summary, write_by_category, write_inventory, write_changes, write_about)


def write_workbook(content: Content, path: Path) -> None:
    """Write all sheets."""
    with open_book(path) as book:
        book.workbook.set_properties(
            {
                "title": content.title,
                "subject": content.base_url,
                "comments": f"{content.sentence}. Made with petstore-frame {__version__}.",
                # Of the data, not of the clock: the same inventory gives the same bytes.
                "created": (content.as_of or datetime(2000, 1, 1, tzinfo=UTC)).astimezone(UTC),
            }
        )
        for write in SHEETS:
            write(book, content)
