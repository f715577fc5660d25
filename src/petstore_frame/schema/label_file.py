"""Reads a file of category labels: a number and a name per row."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.extras import import_extra

INTEGER = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_DELIMITERS = (",", ";", "\t", "|")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ZIP = b"PK\x03\x04"
_ID_NAMES = ("categoryid", "id", "number", "no", "nr", "code", "nummer", "numero", "kategorieid")
_HINT = 'write two columns, a number and a name, such as 3,"Cat"'


class _Row(NamedTuple):
    line: int
    cells: list[str]


class _Columns(NamedTuple):
    """The positions of the number and the name, and the number of header rows."""

    number: int
    name: int
    header_rows: int


def read_label_rows(path: Path) -> list[tuple[str, str, int]]:
    """Return the number, the name and the line of each category in a text file or a workbook.

    A file may have any delimiter and any two columns, one of numbers and one of names, with or
    without a header.

    Raises:
        InputError: The file cannot be read, or it is not clear which columns these are.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        message = f"cannot open the categories file: {problem.strerror}"
        raise InputError(message, path=str(path), hint="check its name") from None
    try:
        rows = [*_sheet_rows(data)] if data.startswith(_ZIP) else [*_text_rows(data)]
        rows = [row for row in rows if any(map(str.strip, row.cells))]
        columns = _find_columns(rows)
    except InputError as problem:
        problem.path = str(path)
        raise
    return [
        (_cell(row, columns.number), _cell(row, columns.name), row.line)
        for row in rows[columns.header_rows :]
    ]


def _cell(row: _Row, at: int) -> str:
    return row.cells[at].strip() if at < len(row.cells) else ""


def _text_rows(data: bytes) -> Iterator[_Row]:
    codec = next((codec for mark, codec in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(codec)
    except UnicodeError:
        message = "the categories file is not UTF-8 text"
        raise InputError(message, hint="save it with the encoding UTF-8") from None
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(_DELIMITERS, key=lambda sign: len(first_line.split(sign)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield _Row(line, cells)
            line = reader.line_num + 1
    except csv.Error as problem:
        message = f"not a line of a categories file: {problem}"
        raise InputError(message, line=max(1, reader.line_num), hint=_HINT) from None


def _sheet_rows(data: bytes) -> Iterator[_Row]:
    openpyxl = import_extra("openpyxl", "reading a workbook", "excel")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        for line, values in enumerate(sheets[0].iter_rows(values_only=True), 1):
            yield _Row(line, [_text_of(value) for value in values])
    except Exception as problem:  # noqa: BLE001 # openpyxl does not wrap the errors of its parsers
        reason = str(problem).partition("\n")[0][:200]
        message = f"the workbook of categories cannot be read: {reason}"
        raise InputError(message, hint="save it again as .xlsx") from None


def _text_of(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _find_columns(rows: Sequence[_Row]) -> _Columns:
    """Find the column of numbers and the column of names, by the header or by the cells."""
    if not rows:
        raise InputError("the categories file is empty", hint=_HINT)
    header = [re.sub(r"[\s_-]", "", cell.casefold()) for cell in rows[0].cells]
    if "categoryid" in header and "label" in header:
        return _Columns(header.index("categoryid"), header.index("label"), 1)
    has_header = not any(INTEGER.fullmatch(cell.strip()) for cell in rows[0].cells)
    body = rows[1:] if has_header else rows
    width = max(len(row.cells) for row in rows)
    numbers = [at for at in range(width) if _share_of_numbers(body, at) > 0.5]
    names = [
        at
        for at in range(width)
        if at not in numbers and any(_cell(row, at) for row in body or rows)
    ]
    if len(numbers) > 1:
        numbers = [at for at in numbers if at < len(header) and header[at] in _ID_NAMES]
    if len(numbers) != 1 or len(names) != 1:
        first_row = ", ".join(map(repr, rows[0].cells[:8]))
        message = f"it is not clear which columns are the number and the name: {first_row}"
        hint = f"{_HINT}, or name the columns category_id and label"
        raise InputError(message, line=rows[0].line, hint=hint)
    return _Columns(numbers[0], names[0], int(has_header))


def _share_of_numbers(rows: Sequence[_Row], at: int) -> float:
    cells = [cell for row in rows if (cell := _cell(row, at))]
    numbers = [cell for cell in cells if INTEGER.fullmatch(cell)]
    return len(numbers) / len(cells) if cells else 0.0
