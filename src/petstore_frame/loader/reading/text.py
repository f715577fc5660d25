"""The rows of a text file: where its header is, and which character stands between its cells."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.opening import Text, proven_encoding
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.tables import Row, Table

DELIMITERS = (",", ";", "\t", "|")
MAX_HEADER = 1024 * 1024
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)


def text_tables(file: BinaryIO, options: Options) -> list[Table]:
    """Return a table per delimiter that may be meant, the one with most columns first.

    It is a single one where the caller or the file's first line names the delimiter.

    Raises:
        InputError: The encoding cannot be found out, or the header cannot be read.
    """
    encoding, quoting = proven_encoding(file, options.encoding), options.quoting
    with Text(file, encoding) as text:
        sample = text.read(MAX_HEADER)
        goes_on = bool(text.read(1))
    if not sample.strip():
        raise InputError("the file is empty", hint="it needs a header and records")
    skipped, delimiter = _leading_lines(sample, options.delimiter)
    if options.header_row is not None:
        skipped = options.header_row - 1
    body = [*io.StringIO(sample, newline="")][skipped:]
    signs = (delimiter,) if delimiter else DELIMITERS
    header_row = options.header_row
    if options.columns is None:
        header_row = skipped + 1
        headers = _headers(body, signs, quoting, header_row, len(body) if goes_on else MAX_CELL)
    else:
        sign = delimiter or _delimiter_by_width(body, quoting, len(options.columns))
        headers = {sign: (tuple(options.columns), int(header_row is not None))}
    return [
        Table(
            header,
            partial(_rows, file, skipped + length, encoding, sign, quoting),
            header_row,
            {"encoding": encoding, "delimiter": sign},
        )
        for sign, (header, length) in sorted(headers.items(), key=lambda found: -len(found[1][0]))
    ]


def _rows(
    file: BinaryIO, skipped: int, encoding: str, delimiter: str, quoting: str
) -> Iterator[Row]:
    """Yield the rows below the header with the physical line that each begins on."""
    line, raw = skipped + 1, list[str]()
    with Text(file, encoding) as text:
        lines = islice(text, skipped, None)
        reader = _reader(lines if quoting == "none" else _kept(lines, raw), delimiter, quoting)
        try:
            for cells in reader:
                yield Row(line, cells, None, tuple(raw) if len(raw) > 1 else ())
                line = skipped + reader.line_num + 1
                raw.clear()
        except (csv.Error, UnicodeError) as fault:
            raise _unreadable(fault, line) from None


def _kept(lines: Iterable[str], raw: list[str]) -> Iterator[str]:
    """Yield lines, and keep those that the row at work has taken."""
    for line in lines:
        raw.append(line)
        yield line


def cut_plainly(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of lines whose quotes are letters."""
    return list(_reader(lines, delimiter, "none"))


def _headers(
    body: Sequence[str], signs: Sequence[str], quoting: str, line: int, most: int
) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the header by delimiter, and how many physical lines it takes, fewer than ``most``."""
    if not body or not body[0].strip():
        raise InputError(f"no header in line {line}", hint="count from 1")
    headers, problem = dict[str, tuple[tuple[str, ...], int]](), None
    for sign in signs:
        try:
            header, length = _first_row(body, sign, quoting)
        except csv.Error as unread:
            problem = unread
        else:
            headers[sign] = ((header[0].removeprefix("\ufeff"), *header[1:]), length)
    if not headers:
        what = f"the header cannot be read: {problem}"
        raise InputError(what, line=line, hint="look at its quotes")
    whole = {sign: found for sign, found in headers.items() if found[1] < most}
    if not whole:
        what = f"the header is longer than {MAX_HEADER:,} characters"
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


def _reader(lines: Iterable[str], delimiter: str, quoting: str) -> Any:
    # csv's own limit of 131,072 characters is too low for a note; the limit belongs to the
    # process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _unreadable(problem: Exception, line: int) -> InputError:
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
