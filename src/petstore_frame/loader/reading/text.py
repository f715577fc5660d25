"""The rows of a text file: where its header is, and which character stands between its cells."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice, repeat
from typing import Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.opening import Stamp, Text, changed, proven_encoding, stamp_of
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.rows import Aside, Row

DELIMITERS = (",", ";", "\t", "|")
# Also looked for where none of these makes the columns appear; proposed, never assumed.
ODD_DELIMITERS = ("，", "；", "、", ":", "^", "~", "\x1f", "¦", "/")
SAMPLE = 1024 * 1024
_BATCH = 128
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
_OF_SEVERAL_LINES = Aside()
_row = partial(tuple.__new__, Row)


@dataclass(frozen=True)
class TextTable:
    """A text file, cut by one delimiter; its first record is on the line ``first_line``."""

    columns: tuple[str, ...]
    header_row: int | None
    encoding: str
    delimiter: str
    quoting: str
    first_line: int
    _file: BinaryIO
    _stamp: Stamp

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"encoding": self.encoding, "delimiter": self.delimiter}

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the header with the physical line that each begins on."""
        line, lines = self.first_line, 0
        with Text(self._file, self.encoding) as text:
            reader = _reader(islice(text, line - 1, None), self.delimiter, self.quoting)
            problem = None
            while problem is None:
                batch = list[list[str]]()
                try:
                    batch += islice(reader, _BATCH)  # those above a fault stay in the list
                except csv.Error as fault:
                    problem = fault
                self._refuse_change()  # a file that grows as fast as it is read has no end
                if not batch:
                    break
                if problem is None and reader.line_num - lines == len(batch):
                    yield from map(_row, zip(count(line), batch, repeat(None)))
                    line += len(batch)
                else:
                    for cells in batch:
                        taken = _lines_of(cells)
                        yield Row(line, cells, None if taken == 1 else _OF_SEVERAL_LINES)
                        line += taken
                lines = reader.line_num
            if problem is not None:
                raise _unreadable(problem, line)

    def _refuse_change(self) -> None:
        if stamp_of(self._file) != self._stamp:
            raise changed()


def text_tables(file: BinaryIO, reading: Reading, *, odd: bool = False) -> list[TextTable]:
    """Return a table per delimiter that may be meant, the one with most columns first.

    It is a single one where the caller or the file's first line names the delimiter; with ``odd``,
    what is seldom a delimiter is tried too.

    Raises:
        InputError: The encoding cannot be found out, or the header cannot be read.
    """
    stamp, quoting = stamp_of(file), reading.quoting
    encoding = proven_encoding(file, reading.encoding)
    with Text(file, encoding) as text:
        sample = text.read(SAMPLE)
        goes_on = bool(text.read(1))
    if not sample.strip():
        raise InputError("the file is empty", hint="it needs a header and records")
    skipped, delimiter = _leading_lines(sample, None if odd else reading.delimiter)
    if reading.header_row is not None:
        skipped = reading.header_row - 1
    body = [*io.StringIO(sample, newline="")][skipped:]
    signs = (*DELIMITERS, *ODD_DELIMITERS) if odd else (delimiter,) if delimiter else DELIMITERS
    if reading.columns is None:
        if not body or not body[0].strip():
            raise InputError(f"no header in line {skipped + 1}", hint="count from 1")
        most = len(body) if goes_on else MAX_CELL
        headers = _headers(body, signs, quoting, skipped + 1, most)
        header_row: int | None = skipped + 1
    else:
        header_row = reading.header_row
        sign = delimiter or _delimiter_by_width(body, quoting, len(reading.columns))
        headers = {sign: (tuple(reading.columns), int(header_row is not None))}
    return [
        TextTable(header, header_row, encoding, sign, quoting, skipped + length + 1, file, stamp)
        for sign, (header, length) in sorted(headers.items(), key=lambda found: -len(found[1][0]))
    ]


def _headers(
    body: Sequence[str], signs: Sequence[str], quoting: str, line: int, most: int
) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the header by delimiter, with how many physical lines it takes.

    Raises:
        InputError: None can be read, or none takes fewer lines than ``most``.
    """
    headers, problem = dict[str, tuple[tuple[str, ...], int]](), None
    for sign in signs:
        try:
            header, length = _first_row(body, sign, quoting)
        except csv.Error as unread:
            problem = unread
        else:
            headers[sign] = ((header[0].removeprefix("\ufeff"), *header[1:]), length)
    whole = {sign: found for sign, found in headers.items() if found[1] < most}
    if not headers:
        what = f"the header cannot be read: {problem}"
        raise InputError(what, line=line, hint="look at its quotes")
    if not whole:
        what = f"the header is longer than {SAMPLE:,} characters"
        hint = "keep only the columns of the animals, and look at its quotes"
        raise InputError(what, line=line, hint=hint)
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


def _delimiter_by_width(body: Sequence[str], quoting: str, width: int) -> str:
    for delimiter in DELIMITERS:
        try:
            if len(_first_row(body, delimiter, quoting)[0]) == width:
                return delimiter
        except csv.Error:
            continue
    what = f"no delimiter cuts the first line into the {width} columns given"
    hint = Advice("name it with {}, or give a name for each column", ("delimiter",))
    raise InputError(what, line=1, hint=hint)


def _first_row(body: Sequence[str], delimiter: str, quoting: str) -> tuple[tuple[str, ...], int]:
    """Return the first row and how many physical lines it takes."""
    reader = _reader(body, delimiter, quoting)
    return tuple(next(reader, ())), reader.line_num


def _lines_of(cells: Sequence[str]) -> int:
    """Return how many physical lines a record takes."""
    text = "\0".join(cells)
    return 1 + text.count("\n") + text.count("\r") - text.count("\r\n")


def _reader(lines: Iterable[str], delimiter: str, quoting: str) -> Any:
    # csv's own limit of 131,072 characters is too low for a note; the limit belongs to the
    # process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _unreadable(problem: csv.Error, line: int) -> InputError:
    """Return what an error of the CSV reader means for the record that begins on a line."""
    if "field limit" in str(problem):
        what = f"the record that begins here has a cell of more than {MAX_CELL:,} characters"
        hint = "shorten it; a quote that is never closed can cause this too"
        return InputError(what, line=line, hint=hint)
    is_open = "unexpected end" in str(problem)
    what = "opens a quote that is never closed" if is_open else f"cannot be read: {problem}"
    return InputError(
        f"the record that begins here {what}",
        line=line,
        hint=Advice(
            'double the quotes within a cell ("a ""b"" c"), or read quotes as letters: {}',
            ("quoting", "none"),
            by_hand="close or double its quotes",
        ),
    )
