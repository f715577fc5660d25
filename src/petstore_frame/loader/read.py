"""Which records a file or a frame holds, each read and checked, none sent.

In: a path (CSV, TSV, gzip of these, ``.xlsx``) or a DataFrame. Out: a Source, which gives one
Record per record of the file, lazily and in constant memory. It knows nothing of a store.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from os import fspath
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from petstore_frame.categories import Categories, category_labels
from petstore_frame.errors import InputError
from petstore_frame.loader.check import Checker, GiantCellError, LineReader, OddRow, unreadable
from petstore_frame.loader.fields import Rules
from petstore_frame.loader.mapping import find_columns
from petstore_frame.loader.record import Record
from petstore_frame.loader.returned import Returned, has_own_columns
from petstore_frame.loader.text import Dialect, find_dialect, read_rows, text_of
from petstore_frame.loader.values import read_value_map

_CHUNK = 1024 * 1024
ValueMap = Mapping[str, Mapping[Any, Any]]


class Source:
    """The records of one file or frame.

    A context manager; iterating it yields Records from the first one, each time anew.

    Attributes:
        name: What to call it in a message: the file's name, or ``frame``.
        path: The file, or None for a frame.
        sha256: Hex digest of the file's bytes, or of a frame's content.
        header: The column names, in order.
        mapping: The column of each field: ``name``, ``category_id`` and, where there is one,
            ``status``.
    """

    name: str
    path: Path | None
    sha256: str
    header: tuple[str, ...]
    mapping: dict[str, str]

    def __init__(self, checker: Checker, mapping: dict[str, str]) -> None:
        self.header = checker.header
        self.mapping = mapping
        self._checker = checker

    def __iter__(self) -> Iterator[Record]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""


class TextSource(Source):
    """The records of a CSV file."""

    def __init__(
        self,
        path: Path,
        file: BinaryIO,
        sha256: str,
        dialect: Dialect,
        checker: Checker,
        mapping: dict[str, str],
    ) -> None:
        super().__init__(checker, mapping)
        self.path, self.name, self.sha256 = path, path.name, sha256
        self.dialect = dialect
        self._file = file
        self._stamp = _stamp(file)

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Record]:
        try:
            try:
                yield from self._records(self.dialect)
            except GiantCellError as giant:
                piecewise = replace(self.dialect, has_giants=True)
                yield from islice(self._records(piecewise), giant.records, None)
        except InputError as problem:
            problem.path = problem.path or str(self.path)
            raise
        if _stamp(self._file) != self._stamp:
            raise InputError(
                "the file changed while it was being read",
                path=str(self.path),
                hint="load it again",
            )

    def _records(self, dialect: Dialect) -> Iterator[Record]:
        with text_of(self._file, dialect.encoding) as text:
            reader = read_rows(text, dialect)
            if has_own_columns(dialect.header):
                rows = _returned_rows(reader, dialect)
                yield from self._checker.odd_rows(rows)
            else:
                yield from self._checker.plain_rows(reader, first_line=dialect.first_line)


def _returned_rows(reader: LineReader, dialect: Dialect) -> Iterator[OddRow]:
    """Yield the records of one of our own result files as they were in the first file."""
    returned, number, line = Returned(dialect.header), 0, dialect.first_line
    try:
        for number, cells in enumerate(reader, 1):  # noqa: B007 # told if the next one fails
            yield line, returned.restore(line, cells), None
            line = dialect.first_line + reader.line_num
    except csv.Error as problem:
        raise unreadable(problem, number, line) from None


def open_source(
    path_or_frame: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str = "strict",
    columns: Sequence[str] | None = None,
    sheet: str | None = None,
    keep_spaces: bool = False,
    thousands: str | None = None,
) -> Source:
    """Open a file or a frame as records.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (told by its bytes, not its name),
            or a DataFrame.
        mapping: Column names by field, where the header does not speak for itself.
        value_map: Values by field and word, as in ``{"status": {"in stock": "available"}}``.
        categories: Labels by category id (dict, Series or CSV path), so that "Dog" is a number.
        encoding: The codec of a text file that is neither UTF-8 nor marked.
        delimiter: The sign between cells; None finds the one that makes the header speak.
        quoting: ``strict``, or ``none`` to read quotes as letters.
        columns: The column names of a file without a header.
        sheet: The sheet of a workbook that has several.
        keep_spaces: Leave the outer spaces of names.
        thousands: ``,`` or ``.`` where category ids have their digits grouped.

    Raises:
        InputError: It cannot be read as records; says where and what to do.
        MissingExtraError: A workbook, and openpyxl is not installed.
    """
    rules = _rules(value_map, categories, keep_spaces=keep_spaces, thousands=thousands)
    path = Path(fspath(path_or_frame))
    try:
        file = path.open("rb")
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}", path=str(path)) from None
    try:
        return _open_text(
            path,
            file,
            rules,
            mapping,
            encoding=encoding,
            delimiter=delimiter,
            quoting=quoting,
            columns=columns,
        )
    except BaseException:
        file.close()
        raise


def _open_text(
    path: Path, file: BinaryIO, rules: Rules, mapping: Mapping[str, str] | None, **options: Any
) -> TextSource:
    sha256 = file_digest(file)
    dialect = find_dialect(
        file, str(path), lambda names: find_columns(_own_header(names), mapping), **options
    )
    header = _own_header(dialect.header)
    found = find_columns(header, mapping)
    return TextSource(path, file, sha256, dialect, Checker(header, found, rules), found)


def _own_header(header: Sequence[str]) -> Sequence[str]:
    return Returned(header).header if has_own_columns(header) else header


def _rules(
    value_map: ValueMap | None, categories: Categories, *, keep_spaces: bool, thousands: str | None
) -> Rules:
    if thousands not in (None, ",", "."):
        raise InputError(f"thousands={thousands!r} is not known", hint="it is ',' or '.'")
    words = read_value_map(value_map, category_labels(categories))
    return Rules(keep_spaces, thousands, words.categories, words.statuses)


def file_digest(file: BinaryIO) -> str:
    """Return the SHA-256 of a file's bytes as hex."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _stamp(file: BinaryIO) -> tuple[int, int]:
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns
