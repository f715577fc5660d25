"""Writes files atomically, and reads and writes workbooks and TOML."""

from petstore_frame.storage import excel_styles as styles
from petstore_frame.storage import toml_files as toml
from petstore_frame.storage.atomic_write import (
    LockedError,
    locked,
    refuse_impossible,
    replacing,
    sync,
    write_atomically,
)
from petstore_frame.storage.cell_values import common_zone, harmless, is_cut, without_guard
from petstore_frame.storage.excel_cells import Book, Sheet, open_book
from petstore_frame.storage.saved_workbook import open_workbook
from petstore_frame.storage.workbook_origin import (
    changed_file_error,
    has_content,
    mark_workbook,
    refuse_changed_workbook,
)

__all__ = [
    "Book",
    "LockedError",
    "Sheet",
    "changed_file_error",
    "common_zone",
    "harmless",
    "has_content",
    "is_cut",
    "locked",
    "mark_workbook",
    "open_book",
    "open_workbook",
    "refuse_changed_workbook",
    "refuse_impossible",
    "replacing",
    "styles",
    "sync",
    "toml",
    "without_guard",
    "write_atomically",
]
