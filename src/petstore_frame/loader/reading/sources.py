"""The records of one file or frame, each read and checked.

In: an open file or rows, and how their columns are read. Out: Records, from the first one on, each
time anew, lazily and in constant memory.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import GiantCellError, OddRow, numbered
from petstore_frame.loader.reading.layout import ColumnLayout
from petstore_frame.loader.reading.text import Dialect, read_rows, text_of
from petstore_frame.loader.record import Record

_CHUNK = 1024 * 1024


class Source:
    """The records of one file or frame.

    A context manager; iterating it yields Records from the first one, each time anew.

    Attributes:
        name: What to call it in a message: the file's name, or ``frame``.
        path: The file, or None for a frame.
        sha256: Hex digest of the file's bytes, or of a frame's content.
        kind: ``csv``, ``workbook`` or ``frame``.
        columns: The column names, in order.
        mapping: The column of each field: ``name``, ``category_id`` and, where there is one,
            ``status``.
        key: The columns that identify an animal, as the file spells them; empty without ``key=``.
        is_returned: It is one of our own files, whose records have an ``origin``.
        warnings: What a person should know of the source as a whole, before it is sent.
        facts: How it is read: encoding and delimiter, or sheet, and the columns not used.
    """

    kind: Literal["csv", "workbook", "frame"]

    def __init__(self, name: str, path: Path | None, sha256: str, layout: ColumnLayout) -> None:
        self.name, self.path, self.sha256 = name, path, sha256
        self.columns, self.mapping, self.key = layout.header, layout.mapping, layout.key
        self.warnings: tuple[Advice, ...] = ()
        self.is_returned = layout.returned is not None
        used = set(layout.mapping.values())
        unused = [name for name in layout.header if name not in used]
        self.facts: dict[str, Any] = {"unused": unused}
        self._layout = layout

    def __iter__(self) -> Iterator[Record]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""


class TextSource(Source):
    """The records of a CSV file.

    Args:
        path: The file.
        file: The same, open for bytes.
        dialect: How its text is laid out.
        layout: Which column holds what.
        stamp: What ``stamp_of`` gave before anything was read: what was found out since then must
            be of the same content as the records.
    """

    def __init__(
        self,
        path: Path,
        file: BinaryIO,
        dialect: Dialect,
        layout: ColumnLayout,
        stamp: tuple[int, int],
    ) -> None:
        super().__init__(path.name, path, file_digest(file), layout)
        self.kind = "csv"
        self._file, self._dialect = file, dialect
        self._stamp = stamp
        self.facts |= {"encoding": dialect.encoding, "delimiter": dialect.delimiter}

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Record]:
        try:
            try:
                yield from self._records(self._dialect)
            except GiantCellError as giant:
                yield from self._piecewise(giant.records)
        except InputError as problem:
            problem.path = problem.path or str(self.path)
            raise
        if stamp_of(self._file) != self._stamp:
            raise InputError(
                "the file changed while it was being read",
                path=str(self.path),
                hint="load it again",
            )

    def _piecewise(self, done: int) -> Iterator[Record]:
        """Start again in the way that tolerates giant cells, after the records that are done."""
        dialect = replace(self._dialect, has_giants=True)
        try:
            yield from islice(self._records(dialect), done, None)
        except GiantCellError as giant:
            raise InputError(
                f"record {giant.records + 1} holds a cell of megabytes of quotes",
                hint=Advice(
                    "is this a CSV file? {} reads quotes as letters",
                    ("quoting", "none"),
                    by_hand="is this a CSV file?",
                ),
            ) from None

    def _records(self, dialect: Dialect) -> Iterator[Record]:
        with text_of(self._file, dialect.encoding) as text:
            reader = read_rows(text, dialect)
            checker = self._layout.checker()
            if self._layout.returned is None:
                yield from checker.plain_rows(reader, first_line=dialect.first_line)
            else:
                rows = numbered(reader, first_line=dialect.first_line)
                yield from self._layout.returned.records(rows, checker)


class TypedSource(Source):
    """The records of a workbook's sheet or of a frame."""

    def __init__(
        self,
        name: str,
        path: Path | None,
        sha256: str,
        layout: ColumnLayout,
        rows: Callable[[], Iterator[OddRow]],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(name, path, sha256, layout)
        self.kind = "frame" if path is None else "workbook"
        self._rows, self._close = rows, close

    def close(self) -> None:
        self._close()

    def __iter__(self) -> Iterator[Record]:
        rows, checker, returned = self._rows(), self._layout.checker(), self._layout.returned
        try:
            yield from returned.records(rows, checker) if returned else checker.odd_rows(rows)
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise


def file_digest(file: BinaryIO) -> str:
    """Return the SHA-256 of a file's bytes as hex."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def stamp_of(file: BinaryIO) -> tuple[int, int]:
    """Return what changes when an open file is written to."""
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns
