"""Reads a file into memory, detects its kind, and turns it into a table."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from petstore_frame.errors import InputError
from petstore_frame.loader.source.cell_parsing import MAX_CELL
from petstore_frame.loader.source.column_mapping import OWN_PREFIX
from petstore_frame.loader.source.csv_file import text_table
from petstore_frame.loader.source.excel_file import Workbook
from petstore_frame.loader.source.recipe_options import RecipeFields
from petstore_frame.loader.source.returned_file import FIX_SHEET, restored
from petstore_frame.loader.source.table import Table
from petstore_frame.loader.source.typed_tables import (
    JSON_LINES_HINT,
    PARQUET_HINT,
    frame_table,
    is_json_lines,
    json_lines_table,
    parquet_table,
)

SourceKind = Literal["csv", "workbook", "frame", "jsonl", "parquet"]
MOST_BYTES = 256 * 1024 * 1024
STANDARD_INPUT = "standard input"
_ZIP, _GZIP, _PARQUET, _OLE = b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"\xd0\xcf\x11\xe0"
_AS_TABLE = "save it as CSV (UTF-8) or .xlsx"
# Files that cannot be read: their first bytes, their kind, and what to save them as.
_OTHER_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF document", "export the list behind it as CSV or .xlsx"),
    (b"\xfd7zXZ", "a file packed by xz", "unpack it, or pack it with gzip"),
    (b"BZh", "a file packed by bzip2", "unpack it, or pack it with gzip"),
    (b"(\xb5/\xfd", "a file packed by zstd", "unpack it, or pack it with gzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"{\\rtf", "a Rich Text document", _AS_TABLE),
    (b"SQLite format 3", "an SQLite database", "export the table of the animals as CSV"),
    (b"\x89PNG", "an image", "type the list into a spreadsheet"),
    (b"\xff\xd8\xff", "an image", "type the list into a spreadsheet"),
)
_HTML = re.compile(rb"\s*<(!doctype\s+html|html|head|body|table|meta|div)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<(\?xml|[A-Za-z][\w.:-]*[\s/>])")


def read_file(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: The path is not a file, or the file changes while it is read.
    """
    try:
        mode = path.stat().st_mode  # before opening, which would block on a pipe
        file = path.open("rb") if stat.S_ISREG(mode) else None
    except (OSError, ValueError) as problem:  # a ValueError if the name has a NUL
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot open the file: {reason}", hint="check its path") from None
    if file is None:
        raise InputError("this is a folder, a pipe or a device", hint="name a file")
    with file:
        before = os.fstat(file.fileno())
        data = file.read(min(before.st_size, MOST_BYTES) + 1)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        hint = "load it again when it is complete"
        raise InputError("the file changed while it was being read", hint=hint)
    return data


def _unpacked(data: bytes) -> bytes:
    """Return the content of a gzip file; any other file is returned unchanged."""
    if data.startswith(_GZIP):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise InputError(f"the gzip file is damaged: {problem}") from None
    if len(data) > MOST_BYTES:
        hint = "split it, with the header in each part; with a key, no animal is sent twice"
        raise InputError(f"the file has more than {MOST_BYTES // 1024**2} MiB", hint=hint)
    return data


def kind_of(data: bytes) -> SourceKind:
    """Return the kind of a file, by its first bytes.

    Raises:
        InputError: Files of this kind cannot be read; the hint suggests another format.
    """
    if data.startswith(_ZIP):
        return "workbook"
    if data.startswith(_PARQUET):
        return "parquet"
    if data.startswith(_OLE):
        raise _old_workbook(data)
    for start, name, hint in _OTHER_KINDS:
        if data.startswith(start):
            raise InputError(f"this is {name}", hint=hint)
    text = data[:4096].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe")
    if _HTML.match(text):
        raise InputError("this is a web page (HTML), despite its name", hint=_AS_TABLE)
    if _XML.match(text):
        raise InputError("this is an XML document", hint=_AS_TABLE)
    if is_json_lines(data):
        return "jsonl"
    if re.match(rb"\s*(\[\s*[\[{\]]|\{\s*[\"}])", text):
        raise InputError("this is a JSON document", hint=JSON_LINES_HINT)
    return "csv"


def _old_workbook(data: bytes) -> InputError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        hint = "open it with its password and save it without one"
        return InputError("the workbook is protected by a password", hint=hint)
    return InputError("this is an old Office file (.xls)", hint="save it as .xlsx")


class Input:
    """A file or a frame that was opened, before its columns are recognized.

    Attributes:
        name: The name of the file, as text that a journal can store.
        path: The path of the file; None for a frame or standard input.
        kind: What the source is.
        digest: The SHA-256 of the bytes that were read; None for a frame. (The file itself may be
            replaced during the load.)
    """

    def __init__(self, source: Any) -> None:
        self.name, self.path = "frame", None
        self.kind: SourceKind = "frame"
        self.digest: str | None = None
        self._table: Table | None = None
        self._data = b""
        if isinstance(source, str | PathLike):
            self.path = Path(fspath(source))
            # A name that is not valid text can be neither stored nor printed.
            self.name = self.path.name.encode(errors="backslashreplace").decode()
            with self.naming():
                self._take(read_file(self.path))
        elif isinstance(source, bytes):
            self.name = STANDARD_INPUT
            self._take(source)
        else:
            self._table = frame_table(source)  # rejects other types

    def _take(self, data: bytes) -> None:
        self.digest = hashlib.sha256(data).hexdigest()
        self._data = _unpacked(data)
        self.kind = kind_of(self._data)
        if self.kind == "csv" and self.name.lower().endswith(".parquet"):
            raise InputError("this is not a Parquet file, despite its name", hint=PARQUET_HINT)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Add the path of the file to an error."""
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    @cached_property
    def _book(self) -> Workbook:
        return Workbook(io.BytesIO(self._data))

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; empty for any other source."""
        return self._book.names if self.kind == "workbook" else ()

    def table(self, recipe: RecipeFields) -> Table:
        """Return the rows of the source as a table."""
        if self.kind == "workbook":
            return self._book.table(recipe)
        if recipe.sheet is not None and self.kind != "frame":
            raise InputError("the option sheet needs a workbook, and this file is none")
        if self.kind == "csv":
            return text_table(self._data, recipe)
        if self._table is None:
            read: Callable[[bytes], Table] = (
                parquet_table if self.kind == "parquet" else json_lines_table
            )
            self._table = read(self._data)
        return self._table

    def own_table(self, recipe: RecipeFields) -> Table | None:
        """Return the original rows of a file that this package wrote; None for any other file."""
        sheet = None
        if self.kind == "workbook":
            sheet = recipe.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv":
            start = self._data[:MAX_CELL].replace(b"\0", b"")  # of UTF-16
            if OWN_PREFIX.encode() not in start:
                return None
        for encoding in dict.fromkeys((None, recipe.encoding)):
            with suppress(InputError):
                if own := restored(self.table(RecipeFields(encoding=encoding, sheet=sheet))):
                    return own
        return None
