"""Says why a file of pets cannot be read: which line and which value, and what to do."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import InputError
from petstore_frame.schema import FIELDS

if TYPE_CHECKING:
    import pandas as pd

EXPORT_AGAIN = "correct it, or export the inventory again"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_ID_COLUMNS = [field.name for field in FIELDS if field.dtype == "int64"]


def not_utf8(path: Path) -> InputError:
    """Return the error for a text file with another encoding."""
    with path.open("rb") as opened:
        is_utf16 = opened.read(2) in _UTF16_MARKS
        opened.seek(0)
        line = None if is_utf16 else _line_of_bad_byte(opened)
    encoding = "UTF-16" if is_utf16 else "not UTF-8"
    return InputError(
        f"the text of the file is {encoding}",
        path=str(path),
        line=line,
        hint="save it with the encoding UTF-8 (in Excel: CSV UTF-8)",
    )


def _line_of_bad_byte(lines: Iterable[bytes]) -> int | None:
    for number, line in enumerate(lines, 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return number
    return None


def find_csv_mistake(path: Path, delimiter: str) -> InputError | None:
    """Return the error for the first line of a CSV that cannot be read; None if all can be."""
    with path.open(encoding="utf-8-sig", newline="") as opened:
        reader = csv.reader(opened, delimiter=delimiter, strict=True)
        header = next(reader, None)
        if header is None:
            return InputError("the file is empty", path=str(path), hint=EXPORT_AGAIN)
        line = reader.line_num + 1
        try:
            for cells in reader:
                mistake = _mistake_in_row(path, line, header, cells)
                if mistake is not None:
                    return mistake
                line = reader.line_num + 1  # a text can have several lines
        except csv.Error as problem:
            hint = "check the quotes of this line"
            return InputError(f"this is not CSV: {problem}", path=str(path), line=line, hint=hint)
    return None


def _mistake_in_row(
    path: Path, line: int, header: list[str], cells: list[str]
) -> InputError | None:
    if len(cells) > len(header):
        message = f"the line has more cells than its header: {len(cells)} instead of {len(header)}"
        hint = "put a text that has the delimiter into quotes"
        return InputError(message, path=str(path), line=line, hint=hint)
    for name, cell in zip(header, cells, strict=False):
        if cells and name in _ID_COLUMNS and not is_int64(cell):
            return not_whole_number(path, line, name, cell)
    return None


def is_int64(value: Any) -> bool:
    """Return whether a value of a file is a whole number of 64 bits."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    is_whole = isinstance(value, str) or value == number
    return is_whole and -(2**63) <= number < 2**63


def not_whole_number(path: Path, line: int | None, column: str, value: Any) -> InputError:
    """Return the error for an id of a pet or category that is not a whole number."""
    shown = json.dumps(value, ensure_ascii=False, default=str)[:60]
    message = f"{shown} is not a whole number of 64 bits"
    if value is None or value == "":
        message = "the value is missing"
    return InputError(message, path=str(path), line=line, column=column, hint=EXPORT_AGAIN)


def refuse_wrong_ids(ids: pd.Series[Any]) -> None:
    """Raise an InputError if an id of a frame is missing or not a whole number."""
    if ids.isna().any():
        raise InputError("an id is missing", column="id", hint="drop rows without an id")
    if ids.dtype.kind in "iu":
        return
    for value in ids:
        if not is_int64(value):
            reason = f"{str(value)[:60]!r} is not a whole number of 64 bits"
            raise InputError(reason, column="id", hint="correct it, and pass the ids as int64")
