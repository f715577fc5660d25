"""Reads a file into memory, detects its kind, and turns it into a table."""

from __future__ import annotations

import hashlib
import io
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
    PARQUET_HINT,
    frame_table,
    json_lines_table,
    list_within,
    parquet_table,
)
from petstore_frame.schema.file_kinds import kind_of, read_file, unpack

SourceKind = Literal["csv", "workbook", "frame", "jsonl", "parquet"]
STANDARD_INPUT = "standard input"


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

    @classmethod
    def of_table(cls, name: str, table: Table) -> Input:
        """Return a table that was read before as an input."""
        opened = cls.__new__(cls)
        opened.name, opened.path, opened.kind, opened.digest = name, None, "frame", None
        opened._table, opened._data = table, b""
        return opened

    def _take(self, data: bytes) -> None:
        self.digest = hashlib.sha256(data).hexdigest()
        self._data = unpack(data)
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

    @property
    def list_within(self) -> tuple[str, int] | None:
        """The key and length of a list of objects in the first object of JSON lines, or None."""
        return list_within(self._data) if self.kind == "jsonl" else None

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
