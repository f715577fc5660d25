"""Files written whole, one writer at a time; the cells of a workbook; files of TOML."""

from petstore_frame.storage import excel_styles as styles
from petstore_frame.storage import toml_files as toml
from petstore_frame.storage.atomic_write import (
    AtWorkError,
    locked,
    refuse_impossible,
    replacing,
    sync,
    whole_file,
)
from petstore_frame.storage.excel_cells import Book, Sheet, harmless, open_book

__all__ = [
    "AtWorkError",
    "Book",
    "Sheet",
    "harmless",
    "locked",
    "open_book",
    "refuse_impossible",
    "replacing",
    "styles",
    "sync",
    "toml",
    "whole_file",
]
