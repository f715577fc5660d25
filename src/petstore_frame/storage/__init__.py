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
from petstore_frame.storage.cell_values import common_zone, fits, harmless, without_guard
from petstore_frame.storage.excel_cells import Book, Sheet, open_book
from petstore_frame.storage.excel_tables import CellWriter, Table, TableColumn, write_table
from petstore_frame.storage.own_files import (
    COVERAGE_DIGEST,
    coverage_path,
    digest,
    is_input,
    marked_png,
    marked_text,
    reason_to_keep,
    refuse_overwriting,
)
from petstore_frame.storage.workbook_origin import mark_workbook

__all__ = [
    "COVERAGE_DIGEST",
    "Book",
    "CellWriter",
    "LockedError",
    "Sheet",
    "Table",
    "TableColumn",
    "common_zone",
    "coverage_path",
    "digest",
    "fits",
    "harmless",
    "is_input",
    "locked",
    "mark_workbook",
    "marked_png",
    "marked_text",
    "open_book",
    "reason_to_keep",
    "refuse_impossible",
    "refuse_overwriting",
    "replacing",
    "styles",
    "sync",
    "toml",
    "without_guard",
    "write_atomically",
    "write_table",
]
