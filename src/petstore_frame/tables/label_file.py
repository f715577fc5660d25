"""Reads a file of category labels: a number and a name per row."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.extras import import_extra
from petstore_frame.tables.file_kinds import (
    AS_TABLE,
    kind_of,
    marked_encoding,
    read_file,
    reject_other_archive,
    unpack,
    utf16_orders,
)

# A whole number, which a spreadsheet may have written as 3.0 or 3,0; 3.000 may be three thousand.
INTEGER = re.compile(r"([+-]?[0-9]{1,19})(?:[.,](?:00?|0000+))?", re.ASCII)
_DELIMITERS = (",", ";", "\t", "|")
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
        rows, columns = _rows_and_columns(unpack(read_file(path, "categories file")))
    except InputError as problem:
        problem.path = str(path)
        raise
    return [
        (_cell(row, columns.number), _cell(row, columns.name), row.line)
        for row in rows[columns.header_rows :]
    ]


def _rows_and_columns(data: bytes) -> tuple[list[_Row], _Columns]:
    """Return the rows with text, and the columns of the number and the name."""
    kind = kind_of(data, json_hint=AS_TABLE)
    if kind == "workbook":
        return _sheet_of_labels(data)
    if kind != "csv":
        name = "a Parquet file" if kind == "parquet" else "a file of JSON lines"
        raise InputError(f"this is {name}", hint=AS_TABLE)
    rows = _with_text(_text_rows(data))
    return rows, _find_columns(rows)


def _with_text(rows: Iterable[_Row]) -> list[_Row]:
    return [row for row in rows if any(map(str.strip, row.cells))]


def _cell(row: _Row, at: int) -> str:
    return row.cells[at].strip() if at < len(row.cells) else ""


def _text_rows(data: bytes) -> Iterator[_Row]:
    codec = marked_encoding(data) or "utf-8"
    hint = "save it with the encoding UTF-8"
    if codec == "utf-8" and utf16_orders(data):
        raise InputError("this is UTF-16 text without a byte order mark", hint=hint)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1 if codec.startswith("utf-8") else None
        message = f"the categories file is not {codec.removesuffix('-sig').upper()} text"
        raise InputError(message, line=line, hint=hint) from None
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


def _sheet_of_labels(data: bytes) -> tuple[list[_Row], _Columns]:
    """Return the rows and columns of the only visible sheet that has a number and a name."""
    sheets = _sheet_rows(data)
    if not sheets:
        raise InputError("the categories file is empty", hint=_HINT)
    readable = dict[str, tuple[list[_Row], _Columns]]()
    for title, rows in sheets.items():
        with suppress(InputError):
            readable[title] = rows, _find_columns(rows)
    if len(readable) > 1:
        titles = " and ".join(map(repr, [*readable][:3]))
        message = f"several sheets may hold the categories, such as {titles}"
        raise InputError(message, hint="save the sheet of the categories as a CSV file (UTF-8)")
    if not readable:
        _find_columns(next(iter(sheets.values())))  # raises its error
    return next(iter(readable.values()))


def _sheet_rows(data: bytes) -> dict[str, list[_Row]]:
    """Return the rows of each visible sheet that has text, by its title."""
    openpyxl = import_extra("openpyxl", "reading a workbook", "excel")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            reject_other_archive(packed)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        rows_by_title = {
            sheet.title: _with_text(
                _Row(line, [_text_of(value) for value in values])
                for line, values in enumerate(sheet.iter_rows(values_only=True), 1)
            )
            for sheet in visible
        }
    except InputError:
        raise
    except Exception as problem:  # noqa: BLE001 # openpyxl does not wrap the errors of its parsers
        reason = str(problem).partition("\n")[0][:200]
        message = f"the workbook of categories cannot be read: {reason}"
        raise InputError(message, hint="save it again as .xlsx") from None
    return {title: rows for title, rows in rows_by_title.items() if rows}


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
