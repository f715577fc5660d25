"""Which rows a workbook's sheet holds, each cell judged by its type.

In: an ``.xlsx`` file. Out: rows of text with what the cells' types say beyond it, streamed. It
refuses what would unpack to far more than the file, and never calculates a formula.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from typing import Any, BinaryIO

from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.loader.check import OddRow
from petstore_frame.loader.fields import CellError
from petstore_frame.loader.typed import Oddity, text_of_value

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
_MIB = 1024 * 1024
_FREE_SIZE, _MAX_RATIO = 32 * _MIB, 200
# Sheets are streamed; every other part is held in memory as a whole.
_MAX_PART = 256 * _MIB
_BATCH = 512
# How a workbook spells a control character, and an underscore that could begin such a spelling.
_ESCAPE = re.compile("_x(005F|00[01][0-9A-F])_")


class Workbook:
    """One sheet of a workbook.

    Args:
        file: The file, open for bytes.
        path: Its path, for messages.
        sheet: Name of the sheet; None if there is only one.
        columns: The column names of a sheet without a header.

    Attributes:
        header: The column names.
        sheet: Name of the sheet.

    Raises:
        InputError: It is no workbook, or it is not told which sheet is meant.
        MissingExtraError: openpyxl is not installed.
    """

    def __init__(
        self, file: BinaryIO, path: str, sheet: str | None, columns: Sequence[str] | None
    ) -> None:
        self._file, self._path = file, path
        self._has_formulas = _look_inside(file, path)
        with _quiet(path):
            book = self._open(is_calculated=True)
            self.sheet = _choose(book.sheetnames, sheet, path)
        self._is_headed = columns is None
        self.header = tuple(columns) if columns is not None else self._read_header()

    def rows(self) -> Iterator[OddRow]:
        """Yield the records from the first one on; blank rows at the end are left out."""
        width, blanks = len(self.header), list[OddRow]()
        for line, cells, oddities in islice(self._all_rows(), self._header_line, None):
            if not any(cells):
                # Kept back: a sheet often ends in formatted rows that hold nothing.
                blanks.append((line, [""] * width, {}))
                continue
            yield from blanks
            blanks.clear()
            yield line, [*cells, *[""] * (width - len(cells))], oddities

    def _read_header(self) -> tuple[str, ...]:
        for line, cells, _ in self._all_rows():
            if any(cell.strip() for cell in cells):
                self._header_line = line
                return tuple(cells)
        raise InputError(f"the sheet {self.sheet!r} is empty", path=self._path)

    _header_line = 0

    def _all_rows(self) -> Iterator[tuple[int, list[str], dict[int, CellError | str]]]:
        """Yield all rows, the empty cells at their ends cut off."""
        with _quiet(self._path):
            sheets = [self._open(is_calculated=True)[self.sheet]]
            if self._has_formulas:
                sheets.append(self._open(is_calculated=False)[self.sheet])
            for each in sheets:
                each.reset_dimensions()  # what the file says of its size may be wrong
            rows = zip_longest(*(each.iter_rows() for each in sheets), fillvalue=())
        line = 0
        while True:
            with _quiet(self._path):
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            for pair in batch:
                line += 1
                if line > MAX_ROWS or len(pair[0]) > MAX_COLUMNS:
                    raise InputError(
                        "the sheet is larger than a workbook can be", path=self._path, line=line
                    )
                yield line, *_judge_row(*pair)

    def _open(self, *, is_calculated: bool) -> Any:
        try:
            from openpyxl import load_workbook
        except ImportError:
            raise MissingExtraError("reading a workbook", "excel") from None
        self._file.seek(0)
        return load_workbook(self._file, read_only=True, data_only=is_calculated, keep_links=False)


def _judge_row(
    values: Sequence[Any], formulas: Sequence[Any] = ()
) -> tuple[list[str], dict[int, CellError | str]]:
    cells, oddities = list[str](), dict[int, CellError | str]()
    for at, cell in enumerate(values):
        formula = formulas[at].data_type == "f" if at < len(formulas) else False
        text, oddity = _judge_cell(cell, has_formula=formula)
        cells.append(text)
        if oddity is not None:
            oddities[at] = oddity
    while cells and not cells[-1] and len(cells) - 1 not in oddities:
        cells.pop()
    return cells, oddities


def _judge_cell(cell: Any, *, has_formula: bool) -> tuple[str, Oddity]:
    if cell.value is None:
        return "", _uncalculated() if has_formula else None
    if cell.data_type == "e":
        return str(cell.value), CellError(
            "error_value", f"the cell shows {cell.value}", "mend the formula, or type the value"
        )
    if isinstance(cell.value, str):
        return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), cell.value), None
    return text_of_value(cell.value, has_exact_integers=False)


def _uncalculated() -> CellError:
    return CellError(
        "formula_without_value",
        "the cell holds a formula whose value was never calculated",
        "open the workbook and save it, or type the value",
    )


def _choose(names: Sequence[str], sheet: str | None, path: str) -> str:
    listed = ", ".join(map(repr, names[:12]))
    if sheet is None:
        if len(names) != 1:
            raise InputError(f"the workbook has the sheets {listed}", path=path, hint="pass sheet=")
        return names[0]
    if sheet not in names:
        raise InputError(f"no sheet is called {sheet!r}; there are {listed}", path=path)
    return sheet


def _look_inside(file: BinaryIO, path: str) -> bool:
    """Refuse a packed file that would unpack to far more; return whether it has formulas."""
    file.seek(0)
    with _quiet(path), zipfile.ZipFile(file) as parts:
        for part in parts.infolist():
            ratio = part.file_size / max(part.compress_size, 1)
            is_sheet = part.filename.startswith("xl/worksheets/")
            if (part.file_size > _FREE_SIZE and ratio > _MAX_RATIO) or (
                part.file_size > _MAX_PART and not is_sheet
            ):
                raise InputError(
                    f"{part.filename} inside would unpack to {part.file_size // _MIB:,} MiB; "
                    "that is no list of animals",
                    path=path,
                    hint="save the sheet as CSV and load that",
                )
        if "xl/workbook.xml" not in parts.namelist():
            raise InputError(
                "a zip file, but no workbook", path=path, hint="unpack it, or save it as .xlsx"
            )
        return any(
            _holds_formula(parts, name)
            for name in parts.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )


def _holds_formula(parts: zipfile.ZipFile, name: str) -> bool:
    with parts.open(name) as stream:
        tail = b""
        while chunk := stream.read(_MIB):
            if b"<f>" in tail + chunk or b"<f " in tail + chunk or b"<f/" in tail + chunk:
                return True
            tail = chunk[-2:]
    return False


@contextmanager
def _quiet(path: str) -> Iterator[None]:
    """Turn whatever the parser meets into one error, and keep its remarks on styles to itself."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, MissingExtraError):
        raise
    except Exception as problem:  # noqa: BLE001 # openpyxl raises whatever its parsers meet
        raise InputError(
            f"the workbook cannot be read: {problem}", path=path, hint="save it again as .xlsx"
        ) from None
