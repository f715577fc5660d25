"""What a caller gives to be read, a path or a frame, before its columns are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.mapping import OWN_PREFIX
from petstore_frame.loader.reading.opening import (
    DAMAGED,
    bytes_of,
    changed,
    is_packed,
    open_regular,
    stamp_of,
)
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.returned import FIX_SHEET, has_own_columns
from petstore_frame.loader.reading.tables import Table, frame_table
from petstore_frame.loader.reading.text_file import MAX_HEADER, text_tables

if TYPE_CHECKING:
    from petstore_frame.loader.reading.workbook import Workbook

Kind = Literal["csv", "workbook", "frame"]


class Input:
    """A file or a frame, the other is None, and what to call it in a message.

    Raises:
        InputError: It is no file that could be read.
        ArgumentError: It is neither a path nor a frame.
    """

    def __init__(self, path_or_frame: Any) -> None:
        self.name, self.path, self.frame = "frame", None, path_or_frame
        self.kind: Kind = "frame"
        if not isinstance(path_or_frame, str | PathLike):
            self._frame_table = frame_table(path_or_frame)
            return
        self.path, self.frame = Path(fspath(path_or_frame)), None
        self.name = self.path.name
        with self.naming():
            self._file: BinaryIO = open_regular(self.path)
            self._stamp = stamp_of(self._file)
            try:
                self.kind = "workbook" if is_packed(self._file) else "csv"
            except InputError:
                self.close()
                raise

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in what is refused."""
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    def refuse_change(self) -> None:
        """Refuse a file that somebody writes to: one that grows while it is read has no end."""
        if self.path is not None and stamp_of(self._file) != self._stamp:
            raise changed()

    @cached_property
    def book(self) -> Workbook:
        """The file as a workbook."""
        from petstore_frame.loader.reading.workbook import Workbook

        return Workbook(self._file)

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; of anything else, none."""
        return self.book.names if self.kind == "workbook" else ()

    def tables(self, options: RecipeOptions) -> Sequence[Table]:
        """Return the ways to cut it into columns, the likeliest first."""
        if self.kind == "frame":
            return [self._frame_table]
        if self.kind == "workbook":
            return [self.book.table(options)]
        if options.sheet is not None:
            raise InputError("a sheet was named, but the file is not a workbook")
        return text_tables(self._file, options)

    def own_tables(self, options: RecipeOptions) -> Sequence[Table]:
        """Return the ways to cut one of our own files, as we wrote it or a spreadsheet saved it."""
        sheet = None
        if self.kind == "workbook":
            sheet = options.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv":
            with suppress(*DAMAGED):
                start = bytes_of(self._file).read(MAX_HEADER).replace(b"\0", b"")
                if OWN_PREFIX.encode() not in start:
                    return []
        for encoding in dict.fromkeys((None, options.encoding)):
            with suppress(InputError):
                tables = self.tables(RecipeOptions(encoding=encoding, sheet=sheet))
                if own := [table for table in tables if has_own_columns(table.columns)]:
                    return own
        return []

    def close(self) -> None:
        """Close the file."""
        if self.path is not None:
            self._file.close()
