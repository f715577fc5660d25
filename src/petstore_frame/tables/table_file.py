"""Reads a file into memory, detects its kind, and turns it into a table."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from petstore_frame.errors import InputError
from petstore_frame.tables.csv_file import text_table
from petstore_frame.tables.excel_file import MayBeHeader, Workbook
from petstore_frame.tables.file_kinds import FileKind, kind_of, read_file, unpack
from petstore_frame.tables.table import Layout, Table
from petstore_frame.tables.typed_tables import (
    PARQUET_HINT,
    frame_table,
    json_lines_table,
    list_within,
    parquet_table,
)

SourceKind: TypeAlias = FileKind | Literal["frame"]
STANDARD_INPUT = "standard input"
# The readers of files that need no layout.
_READERS: dict[SourceKind, Callable[[bytes], Table]] = {
    "jsonl": json_lines_table,
    "parquet": parquet_table,
}


def _refuse_lock_file(name: str) -> None:
    """Refuse the small file that Excel and LibreOffice keep while a workbook is open."""
    workbook = name.removeprefix("~$").removeprefix(".~lock.").removesuffix("#")
    if name.startswith(("~$", ".~lock.")):
        message = "this is the lock file of a workbook that is open"
        raise InputError(message, hint=f"name the workbook itself: {workbook}")


class TableFile:
    """A file or a frame that was opened, before its header is read.

    Attributes:
        name: The name of the file, as text that a journal can store.
        path: The path of the file; None for a frame or standard input.
        kind: What the source is.
        data: The unpacked bytes; empty for a frame.
        digest: The SHA-256 of the bytes that were read; None for a frame. (The file itself may be
            replaced during the load.)
    """

    def __init__(self, source: Any) -> None:
        self.name, self.path = "frame", None
        self.kind: SourceKind = "frame"
        self.digest: str | None = None
        self._table: Table | None = None
        self.data = b""
        if isinstance(source, str | PathLike):
            self.path = Path(fspath(source))
            # A name that is not valid text can be neither stored nor printed.
            self.name = self.path.name.encode(errors="backslashreplace").decode()
            with self.naming():
                _refuse_lock_file(self.name)
                self._take(read_file(self.path))
        elif isinstance(source, bytes):
            self.name = STANDARD_INPUT
            self._take(source)
        else:
            self._table = frame_table(source)  # rejects other types

    @classmethod
    def of_table(cls, name: str, table: Table) -> Self:
        """Return rows that were read before as if they were a frame."""
        opened = cls.__new__(cls)
        opened.name, opened.path, opened.kind, opened.digest = name, None, "frame", None
        opened._table, opened.data = table, b""  # noqa: SLF001 # its own attribute
        return opened

    def _take(self, data: bytes) -> None:
        self.digest = hashlib.sha256(data).hexdigest()
        self.data = unpack(data)
        self.kind = kind_of(self.data)
        if self.kind == "csv" and self.name.lower().endswith(".parquet"):
            raise InputError("this is not a Parquet file, despite its name", hint=PARQUET_HINT)

    @contextmanager
    def naming(self, hint: str | None = None) -> Iterator[None]:
        """Add the path of the file to an error.

        Args:
            hint: The next step if the error asks for an option; None keeps the option.
        """
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            if hint is not None and problem.questions:
                problem.questions, problem.add, problem.hint = (), None, hint
            raise

    @cached_property
    def _book(self) -> Workbook:
        return Workbook(io.BytesIO(self.data))

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; empty for any other source."""
        return self._book.names if self.kind == "workbook" else ()

    def table(self, layout: Layout, may_be_header: MayBeHeader) -> Table:
        """Return the rows of the source as a table.

        Args:
            layout: How the file is read.
            may_be_header: Finds the sheet of a workbook, by one of its first rows.
        """
        if self.kind == "workbook":
            return self._book.table(layout, may_be_header)
        if layout.sheet is not None and self.kind != "frame":
            raise InputError("the option sheet needs a workbook, and this file is none")
        if self.kind == "csv":
            return text_table(self.data, layout)
        if self._table is None:
            self._table = _READERS[self.kind](self.data)
        return self._table

    @property
    def list_within(self) -> tuple[str, int] | None:
        """The key and length of a list of objects in the first object of JSON lines, or None."""
        return list_within(self.data) if self.kind == "jsonl" else None
