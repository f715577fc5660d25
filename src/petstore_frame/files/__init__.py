"""Files written whole, one writer at a time; the cells of a workbook; files of TOML."""

from petstore_frame.files import styles, toml
from petstore_frame.files.book import Book, Sheet, harmless, open_book
from petstore_frame.files.whole import (
    AtWorkError,
    locked,
    refuse_impossible,
    replacing,
    sync,
    whole_file,
)

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
