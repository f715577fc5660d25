"""Detects the encoding and the delimiter of a text file, and reads its rows.

The encoding is the one that the recipe states, that of a byte order mark, or UTF-8. If none of them
fits, the error shows lines of the file in the most likely encodings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.file_questions import quoting_question
from petstore_frame.limits import CELL_CHARACTERS, COLUMNS
from petstore_frame.questions import Question
from petstore_frame.tables.file_kinds import check_lines
from petstore_frame.tables.quotes import SINGLE_QUOTE, unwrap_formula, unwrapped_row
from petstore_frame.tables.table import Layout, Table, TableRow, reject_repeated
from petstore_frame.tables.text_encoding import codec_of, decode_error_handler

DELIMITERS = (",", ";", "\t", "|")
# So few that their objects do not start the garbage collector, which would look at all columns.
_ROWS_AT_ONCE = 256
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
# A header such as "name" "category": R and other programs write it.
_SPACED = re.compile(r'"[^"]*"( "[^"]*")+')
# A line with only these characters is an empty row.
_NO_TEXT = ' \t\r\n\ufeff"' + "".join(DELIMITERS)


class _Text(NamedTuple):
    """Where the rows of a text begin, and how they are split."""

    columns: list[str]
    header_row: int | None
    codec: str
    skipped: int  # the lines above the first row
    delimiter: str
    quoting: str


class _Cut(NamedTuple):
    """The header, split by one delimiter."""

    delimiter: str
    header: list[str]
    lines: int  # the number of lines that the header takes


def text_table(data: bytes, layout: Layout) -> Table:
    """Return the rows of a text, split by the delimiter of the recipe or the best one."""
    text = _text_of(data, layout)
    facts = {"encoding": text.codec, "delimiter": text.delimiter}
    return Table(tuple(text.columns), partial(_rows, data, text), text.header_row, facts)


def text_columns(data: bytes) -> dict[str, list[str]] | None:
    """Return the cells of a text by column, which takes half the time of the rows of its table.

    The result is None if a row cannot be read, or has more cells than the header.
    """
    text = _text_of(data, Layout())
    reject_repeated(text.columns, "file")
    width = len(text.columns)
    columns: list[list[str]] = [[] for _ in text.columns]
    reader = _reader(_lines(data, text.codec, text.skipped), text.delimiter, text.quoting)
    try:
        while batch := [*islice(reader, _ROWS_AT_ONCE)]:
            rows = [row for row in batch if row]  # a blank line is no row
            lengths = {*map(len, rows)}
            if max(lengths, default=width) > width:
                return None
            if lengths != {width}:
                rows = [row + [""] * (width - len(row)) for row in rows]
            for values, cells in zip(columns, zip(*rows, strict=True), strict=bool(rows)):
                values.extend(cells)
    except csv.Error:
        return None
    return dict(zip(text.columns, columns, strict=True))


def _text_of(data: bytes, layout: Layout) -> _Text:
    """Find the encoding, the delimiter and the header of a text."""
    check_lines(data)
    codec = codec_of(data, layout.encoding)
    sep = _SEP_LINE.fullmatch(next(_lines(data, codec), ""))
    first = _first_line(data, codec, skips_first=sep is not None)
    if first is None:
        raise InputError("the file is empty", hint="it must have a header and rows")
    names, header_row = [*(layout.columns or ())], layout.header_row
    if header_row is not None:
        first = header_row - 1
    delimiter = layout.delimiter or (sep and sep[1])
    cut = _best_cut(data, codec, first, delimiter, layout)
    header, header_lines = cut.header, cut.lines
    if names:
        header, header_lines = names, 0 if header_row is None else 1
    elif any(map(str.strip, header)):
        header_row = first + 1
    else:
        raise InputError(f"no header in line {first + 1}", hint="lines count from 1")
    header[0] = header[0].removeprefix("\ufeff")
    return _Text(header, header_row, codec, first + header_lines, cut.delimiter, layout.quoting)


def _lines(data: bytes, codec: str, skipped: int = 0) -> Iterator[str]:
    text = io.TextIOWrapper(io.BytesIO(data), codec, decode_error_handler(codec), newline="")
    return islice(text, skipped, None)


def _first_line(data: bytes, codec: str, *, skips_first: bool) -> int | None:
    """Return the position of the first line with text, or None."""
    for at, line in enumerate(_lines(data, codec)):
        if line.strip(_NO_TEXT) and (at or not skips_first):
            return at
    return None


def _best_cut(data: bytes, codec: str, first: int, delimiter: str | None, layout: Layout) -> _Cut:
    """Return the split with as many cells as the recipe has columns, or with the most cells."""
    cuts, fault = list[_Cut](), csv.Error()
    for sign in (delimiter,) if delimiter else DELIMITERS:
        reader = _reader(_lines(data, codec, first), sign, layout.quoting)
        try:
            header = _unwrapped(next(reader, [""]), sign, layout.quoting)
            COLUMNS.check(len(header), line=first + 1)
            cuts.append(_Cut(sign, header, reader.line_num))
        except csv.Error as problem:
            fault = problem
    if not cuts:
        line = next(_lines(data, codec, first), "").strip()
        if _SPACED.fullmatch(line):
            message = "the columns are separated by spaces"
            hint = "name the delimiter"
            question = Question(
                "delimiter", message, option=("delimiter",), note=hint, likely=" ", is_certain=True
            )
            raise InputError(message, line=first + 1, hint=hint, questions=(question,))
        message = f"the header cannot be read: {fault}"
        raise InputError(message, line=first + 1, hint="check its quotes")
    names = len(layout.columns or ())
    return max(
        cuts,
        key=lambda cut: (
            len(cut.header) == names,
            _cells_below(data, codec, first, cut, layout),
            len(cut.header),
        ),
    )


def _cells_below(data: bytes, codec: str, first: int, cut: _Cut, layout: Layout) -> bool:
    """Return True if the rows below the header have as many cells as the header.

    A header may contain a second delimiter: ``Name, first;Kind``.
    """
    reader = _reader(_lines(data, codec, first), cut.delimiter, layout.quoting)
    try:
        rows = [_unwrapped(row, cut.delimiter, layout.quoting) for row in islice(reader, 1, 6)]
    except csv.Error:
        return False
    width = len(cut.header)
    rows = [row for row in rows if any(map(str.strip, row))]
    return width > 1 and bool(rows) and all(len(row) == width for row in rows)


def _unwrapped(cells: list[str], delimiter: str, quoting: str) -> list[str]:
    """Return the cells inside the quotes around a row, if the recipe asks to unwrap rows."""
    if quoting != "unwrap":
        return cells
    return [*map(unwrap_formula, unwrapped_row(cells, delimiter) or cells)]


def _rows(data: bytes, text: _Text) -> Iterator[TableRow]:
    """Yield the rows below the header, each with its first line in the file."""
    _, _, codec, skipped, delimiter, quoting = text
    line, reader = skipped + 1, _reader(_lines(data, codec, skipped), delimiter, quoting)
    try:
        for cells in reader:
            COLUMNS.check(len(cells), line=line)
            following = skipped + reader.line_num + 1
            if quoting == "unwrap":
                cells = _unwrapped(cells, delimiter, quoting)  # noqa: PLW2901
            yield TableRow(line, cells, following - line)
            line = following
    except csv.Error as fault:
        first_line = next(_lines(data, codec, line - 1), "").strip()
        raise _unreadable(fault, line, first_line, delimiter) from None


def _reader(lines: Iterable[str], delimiter: str, quoting: str) -> Any:
    # The default limit of 131,072 characters is too low for a long cell. The limit is global, so it
    # is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), CELL_CHARACTERS.most))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    if quoting == "single":
        return csv.reader(lines, delimiter=delimiter, quotechar=SINGLE_QUOTE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _unreadable(problem: Exception, line: int, text: str, delimiter: str) -> InputError:
    if "field larger" in str(problem) and '"' not in text:
        message = f"a cell has more than {CELL_CHARACTERS.most:,} characters"
        return InputError(message, line=line, hint="shorten it, or delete it if it is not needed")
    is_open = "unexpected end" in str(problem)
    reason = "opens a quote that is never closed" if is_open else f"cannot be read: {problem}"
    cells = text.split(delimiter)
    quoted_cells = [cell for cell in cells if '"' in cell] or cells
    hint = (
        'double the quotes within a cell ("a ""b"" c"), or read quotes as text: '
        f"quoting 'none' reads {quoted_cells[0][:60]!r} unchanged"
    )
    message = f"the row that begins here {reason}"
    question = quoting_question(message, hint)
    return InputError(message, line=line, hint=hint, questions=(question,))
