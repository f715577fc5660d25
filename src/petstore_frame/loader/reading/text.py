"""The rows of a text file: where its header is, and which character stands between its cells."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.encoding import Text, proven_encoding
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.kinds import Stamp, changed, stamp_of
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.rows import LineReader, Row, unreadable
from petstore_frame.loader.record import Record

DELIMITERS = (",", ";", "\t", "|")
# Also looked for where none of these makes the columns appear; proposed, never assumed.
ODD_DELIMITERS = ("，", "；", "、", ":", "^", "~", "\x1f", "¦", "/")
SAMPLE = 1024 * 1024
_BATCH = 1000
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How the text of one file is laid out.

    Attributes:
        encoding: Name of the codec.
        delimiter: The character between two cells.
        quoting: ``strict`` for quoted cells, ``none`` to read quotes as letters.
        first_line: Physical line of the first record.
    """

    encoding: str
    delimiter: str
    quoting: str
    first_line: int


class TextTable:
    """A text file as one dialect reads it.

    Attributes:
        columns: The names of the columns.
        header_row: Line of the header, or None for a file without.
        dialect: The dialect.
        facts: The same for a reader.
    """

    def __init__(
        self,
        file: BinaryIO,
        path: Path,
        columns: Sequence[str],
        dialect: Dialect,
        header_row: int | None,
        stamp: Stamp,
    ) -> None:
        self.columns, self.dialect, self.header_row = tuple(columns), dialect, header_row
        self.facts: Mapping[str, Any] = {
            "encoding": dialect.encoding,
            "delimiter": dialect.delimiter,
        }
        self._file, self._path, self._stamp = file, path, stamp

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the header with the physical line that each begins on."""
        first, line = self.dialect.first_line, self.dialect.first_line
        with Text(self._file, self.dialect.encoding) as text:
            reader = self._reader(text)
            try:
                for number, cells in enumerate(reader, 1):
                    yield Row(line, cells)
                    line = first + reader.line_num
                    if number % _BATCH == 0:
                        self._refuse_change()
                self._refuse_change()
            except csv.Error as problem:
                raise unreadable(problem, line) from None

    def records(self, checker: Checker) -> Iterator[Record]:
        """Yield the rows as records, the usual ones by a short way."""
        with Text(self._file, self.dialect.encoding) as text:
            records = checker.plain_records(self._reader(text), self.dialect.first_line)
            while batch := list(islice(records, _BATCH)):
                yield from batch
                self._refuse_change()  # a file that grows as fast as it is read has no end
            self._refuse_change()

    def _refuse_change(self) -> None:
        if stamp_of(self._file) != self._stamp:
            raise changed(self._path)

    def _reader(self, text: IO[str]) -> LineReader:
        lines: Iterator[str] = iter(text)
        for _ in range(self.dialect.first_line - 1):
            next(lines, None)
        return _reader(lines, self.dialect.delimiter, self.dialect.quoting)


def text_tables(
    file: BinaryIO, path: Path, reading: Reading, *, odd: bool = False
) -> list[TextTable]:
    """Return the ways in which a text file can be cut into columns.

    Args:
        file: The file, open for bytes.
        path: Its path, for messages.
        reading: How it is read; a delimiter that it names is the only one.
        odd: Whether to try also what is seldom a delimiter.

    Returns:
        One table per delimiter that may be meant, the one with most columns first; a single one
        where the caller or the file's first line names the delimiter.

    Raises:
        InputError: The encoding cannot be found out, or the header cannot be read.
    """
    stamp = stamp_of(file)
    codec = proven_encoding(file, path, reading.encoding)
    with Text(file, codec) as text:
        sample = text.read(SAMPLE)
        goes_on = bool(text.read(1))
    if not sample.strip():
        raise InputError("the file is empty", path=str(path), hint="it needs a header and records")
    skipped, delimiter = _leading_lines(sample, None if odd else reading.delimiter)
    if reading.header_row is not None:
        skipped = reading.header_row - 1
    body = "".join(islice(io.StringIO(sample, newline=""), skipped, None))
    signs = (*DELIMITERS, *ODD_DELIMITERS) if odd else (delimiter,) if delimiter else DELIMITERS
    if reading.columns is not None:
        first = skipped + 1 + (reading.header_row is not None)
        sign = delimiter or _delimiter_by_width(body, reading.quoting, len(reading.columns), path)
        dialect = Dialect(codec, sign, reading.quoting, first)
        return [TextTable(file, path, reading.columns, dialect, reading.header_row, stamp)]
    if not next(iter(io.StringIO(body, newline="")), "").strip():
        raise InputError(f"no header in line {skipped + 1}", path=str(path), hint="count from 1")
    headers = _headers(body, signs, reading.quoting, path, skipped + 1, goes_on=goes_on)
    return [
        TextTable(
            file,
            path,
            header,
            Dialect(codec, sign, reading.quoting, skipped + length + 1),
            skipped + 1,
            stamp,
        )
        for sign, (header, length) in sorted(headers.items(), key=lambda found: -len(found[1][0]))
    ]


def _headers(
    body: str, delimiters: Sequence[str], quoting: str, path: Path, line: int, *, goes_on: bool
) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the header by delimiter, with how many physical lines it takes.

    Raises:
        InputError: None can be read, or none ends within the sample.
    """
    headers, problem = dict[str, tuple[tuple[str, ...], int]](), None
    for delimiter in delimiters:
        try:
            header, length = _first_row(body, delimiter, quoting)
        except csv.Error as unread:
            problem = unread
        else:
            headers[delimiter] = ((header[0].removeprefix("\ufeff"), *header[1:]), length)
    if not headers:
        raise InputError(
            f"the header cannot be read: {problem}",
            path=str(path),
            line=line,
            hint="look at its quotes",
        )
    lines = sum(1 for _ in io.StringIO(body, newline="")) if goes_on else MAX_CELL
    whole = {sign: found for sign, found in headers.items() if found[1] < lines}
    if not whole:
        raise InputError(
            f"the header is longer than {SAMPLE:,} characters",
            path=str(path),
            line=line,
            hint="keep only the columns of the animals, and look at its quotes",
        )
    return whole


def _leading_lines(sample: str, delimiter: str | None) -> tuple[int, str | None]:
    """Return how many lines to skip before the header, and the delimiter if a line names it."""
    for at, line in enumerate(io.StringIO(sample, newline="")):
        named = _SEP_LINE.fullmatch(line) if at == 0 else None
        if named:
            delimiter = delimiter or named[1]
        elif line.strip():
            return at, delimiter
    return 0, delimiter


def _delimiter_by_width(body: str, quoting: str, width: int, path: Path) -> str:
    for delimiter in DELIMITERS:
        try:
            if len(_first_row(body, delimiter, quoting)[0]) == width:
                return delimiter
        except csv.Error:
            continue
    raise InputError(
        f"no delimiter cuts the first line into the {width} columns given",
        path=str(path),
        line=1,
        hint=Advice("name it with {}, or give a name for each column", ("delimiter",)),
    )


def _first_row(body: str, delimiter: str, quoting: str) -> tuple[tuple[str, ...], int]:
    """Return the first row and how many physical lines it takes."""
    reader = _reader(iter(io.StringIO(body, newline="")), delimiter, quoting)
    return tuple(next(reader)), reader.line_num


def _reader(lines: Iterator[str], delimiter: str, quoting: str) -> LineReader:
    # csv's own limit of 131,072 characters is too low for a note; the limit belongs to the
    # process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)
