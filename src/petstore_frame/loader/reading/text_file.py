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
from petstore_frame.loader.reading.opening import proven_encoding, text_of
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.tables import Row, Table

DELIMITERS = (",", ";", "\t", "|")
MAX_HEADER = 1024 * 1024
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)


def text_tables(file: BinaryIO, options: RecipeOptions) -> list[Table]:
    """Return a table per possible delimiter, the one with most columns first.

    It is a single one where the caller or the file's first line names the delimiter.

    Raises:
        InputError: The encoding cannot be found out, or the header cannot be read.
    """
    encoding, quoting = proven_encoding(file, options.encoding), options.quoting
    with text_of(file, encoding) as text:
        sample = text.read(MAX_HEADER)
        is_cut = bool(text.read(1))
    if not sample.strip():
        raise InputError("the file is empty", hint="it needs a header and records")
    lines = [*io.StringIO(sample, newline="")]
    skipped, delimiter = _leading_lines(lines, options.delimiter)
    header_row = options.header_row
    if header_row is not None:
        skipped = header_row - 1
    elif options.columns is None:
        header_row = skipped + 1
    rows, fault = _first_rows(lines[skipped:], delimiter, quoting)
    if options.columns is None:
        rows = _headers(rows, fault, lines[skipped:], skipped + 1, is_cut=is_cut)
    else:
        length = 0 if header_row is None else 1
        sign = delimiter or _sign_by_width(rows, len(options.columns))
        rows = {sign: (tuple(options.columns), length)}
    return [
        Table(
            columns,
            partial(_rows, file, skipped + length, encoding, sign, quoting),
            header_row,
            {"encoding": encoding, "delimiter": sign},
        )
        for sign, (columns, length) in sorted(rows.items(), key=lambda row: -len(row[1][0]))
    ]


def cut_plainly(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of lines whose quotes are letters."""
    return list(_reader(lines, delimiter, "none"))


# The cells of a first row, and how many physical lines it takes.
_FirstRow = tuple[tuple[str, ...], int]


def _first_rows(
    body: Sequence[str], delimiter: str | None, quoting: str
) -> tuple[dict[str, _FirstRow], csv.Error | None]:
    """Return the first row by each possible delimiter, and why one cannot be read."""
    rows, fault = dict[str, _FirstRow](), None
    for sign in (delimiter,) if delimiter else DELIMITERS:
        reader = _reader(body, sign, quoting)
        try:
            cells: list[str] = next(reader, [])
        except csv.Error as unread:
            fault = unread
        else:
            rows[sign] = tuple(cells), reader.line_num
    return rows, fault


def _headers(
    rows: dict[str, _FirstRow],
    fault: csv.Error | None,
    body: Sequence[str],
    line: int,
    *,
    is_cut: bool,
) -> dict[str, _FirstRow]:
    """Return the rows that are headers; where the file ``is_cut`` its last line is not whole."""
    if not body or not body[0].strip():
        raise InputError(f"no header in line {line}", hint="count from 1")
    if not rows:
        raise InputError(
            f"the header cannot be read: {fault}", line=line, hint="look at its quotes"
        )
    most = len(body) if is_cut else len(body) + 1
    whole = {
        sign: ((cells[0].removeprefix("\ufeff"), *cells[1:]), length)
        for sign, (cells, length) in rows.items()
        if length < most
    }
    if not whole:
        what = f"the header is longer than {MAX_HEADER:,} characters"
        hint = "keep only the columns of the animals, and look at its quotes"
        raise InputError(what, line=line, hint=hint)
    return whole


def _leading_lines(lines: Sequence[str], delimiter: str | None) -> tuple[int, str | None]:
    """Return how many lines to skip before the header, and the delimiter if a line names it."""
    for at, line in enumerate(lines):
        if at == 0 and (named := _SEP_LINE.fullmatch(line)):
            delimiter = delimiter or named[1]
        elif line.strip():
            return at, delimiter
    return 0, delimiter


def _sign_by_width(rows: dict[str, _FirstRow], width: int) -> str:
    for sign, (cells, _) in rows.items():
        if len(cells) == width:
            return sign
    what = f"no delimiter cuts the first line into the {width} columns given"
    hint = Advice("name it with {}, or give a name for each column", ("delimiter",))
    raise InputError(what, line=1, hint=hint)


def _rows(
    file: BinaryIO, skipped: int, encoding: str, delimiter: str, quoting: str
) -> Iterator[Row]:
    """Yield the rows below the header with the physical line that each begins on."""
    line, raw = skipped + 1, list[str]()
    with text_of(file, encoding) as text:
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
    way = 'double the quotes within a cell ("a ""b"" c"), or read quotes as letters: {}'
    advice = Advice(way, ("quoting", "none"), by_hand="close or double its quotes")
    return InputError(f"the record that begins here {what}", line=line, hint=advice)
