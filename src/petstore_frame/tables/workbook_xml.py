"""Reads the facts of a workbook that openpyxl does not report: formulas, hidden rows, sizes.

Each sheet is read as a stream before openpyxl opens it, so that a small file cannot take much
memory. The time depends only on the size of the file.
"""

from __future__ import annotations

import posixpath
import zipfile
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from petstore_frame.errors import InputError
from petstore_frame.tables.file_kinds import reject_other_archive

_MIB = 1024 * 1024
# A zip file can unpack to thousands of times its size, and openpyxl creates an object per cell, so
# both are limited first.
MAX_UNPACKED, MAX_CELLS, MAX_MERGED = 256 * _MIB, 4_000_000, 1_000_000
_MOST_EXPANSION, _SMALL = 500, 8 * _MIB
_TRUE = ("1", "true")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SAVE_AS_CSV = "save the cells of the animals as CSV, and load that"


class CellRange(NamedTuple):
    """A rectangle of cells; rows and columns count from 1."""

    top: int
    left: int
    bottom: int
    right: int
    name: str  # such as ``B2:B3``


@dataclass
class SheetFacts:
    """The facts of a sheet besides the values of its cells."""

    hidden_rows: set[int] = field(default_factory=set)
    merged: list[CellRange] = field(default_factory=list)
    uncalculated: list[str] = field(default_factory=list)  # addresses of formulas without a value
    # The positions of formulas with the value 0, in ascending order; see ``is_zero_formula``.
    zero_formulas: array[int] = field(default_factory=lambda: array("Q"))

    def is_zero_formula(self, row: int, column: int) -> bool:
        """Return True if a cell is a formula with the value 0; rows and columns count from 1."""
        position = _position(row, column)
        at = bisect_left(self.zero_formulas, position)
        return at < len(self.zero_formulas) and self.zero_formulas[at] == position


@dataclass
class WorkbookParts:
    """The file of each sheet by its title, and whether the workbook was calculated."""

    sheet_files: Mapping[str, str]
    # The program that wrote it did not calculate formulas, and asks Excel to do so.
    is_uncalculated: bool

    def sheet_facts(self, file: BinaryIO, title: str) -> SheetFacts:
        """Read the facts of a sheet; reject it if it has too many cells."""
        name = self.sheet_files.get(title)
        if name is None:
            return SheetFacts()
        scan = _SheetScan(is_uncalculated=self.is_uncalculated)
        with zipfile.ZipFile(file) as packed, packed.open(name) as part:
            scan.parse(part)
        return scan.facts


def read_parts(file: BinaryIO) -> WorkbookParts:
    """Return the files of a workbook; reject a file that is not a readable workbook."""
    with zipfile.ZipFile(file) as packed:
        parts = {part.filename: part for part in packed.infolist()}
        reject_other_archive(packed)
        unpacked = sum(part.file_size for part in parts.values())
        stored = max(1, sum(part.compress_size for part in parts.values()))
        # zipfile never unpacks more than the size that the directory states.
        if unpacked > MAX_UNPACKED or (unpacked > _SMALL and unpacked / stored > _MOST_EXPANSION):
            raise _too_large(f"would unpack to {unpacked // _MIB:,} MiB")
        targets = dict[str, str]()
        relations = "xl/_rels/workbook.xml.rels"
        for _, attributes in _elements(packed.read(relations)) if relations in parts else ():
            path = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", "")))
            targets[attributes.get("Id", "")] = path.lstrip("/")
        files, is_uncalculated = dict[str, str](), False
        for name, attributes in _elements(packed.read("xl/workbook.xml")):
            if name == "sheet":
                ids = [value for key, value in attributes.items() if key.endswith(":id")]
                files[attributes.get("name", "")] = targets.get("".join(ids[:1]), "")
            elif name == "calcPr":
                is_uncalculated = _leaves_calculation_to_excel(attributes)
        existing_files = {title: path for title, path in files.items() if path in parts}
        return WorkbookParts(existing_files, is_uncalculated)


def _leaves_calculation_to_excel(attributes: Mapping[str, str]) -> bool:
    """Return True if the writer of a workbook says that its values may not be calculated."""
    asks_for_it = any(attributes.get(name) in _TRUE for name in ("fullCalcOnLoad", "forceFullCalc"))
    return asks_for_it or attributes.get("calcCompleted", "1") not in _TRUE


def _new_parser() -> expat.XMLParserType:
    """Return a parser that rejects entity declarations, which can expand without limit."""
    parser = expat.ParserCreate()

    def reject_entities(*_: object) -> None:
        raise InputError("the workbook is damaged: it defines entities", hint=_SAVE_AS_CSV)

    parser.EntityDeclHandler = reject_entities
    return parser


def _elements(data: bytes) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of a small XML file, without their namespaces, with their attributes."""
    elements = list[tuple[str, dict[str, str]]]()
    parser = _new_parser()

    def start(tag: str, attributes: dict[str, str]) -> None:
        elements.append((tag.rpartition(":")[2], attributes))

    parser.StartElementHandler = start
    parser.Parse(data, True)  # positional only
    return elements


def _too_large(reason: str) -> InputError:
    message = f"the workbook {reason}, more than a list of animals needs"
    return InputError(message, hint=_SAVE_AS_CSV)


class _SheetScan:
    """Collects the facts of a sheet while its XML is parsed."""

    def __init__(self, *, is_uncalculated: bool) -> None:
        self.facts = SheetFacts()
        self._is_uncalculated = is_uncalculated
        self._cells = self._cells_with_gaps = self._merged_cells = 0
        self._address, self._type, self._has_formula = "", "", False
        self._value: str | None = None
        self._parser = _new_parser()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def parse(self, part: object) -> None:
        """Parse the XML of a sheet."""
        try:
            self._parser.ParseFile(part)  # type: ignore[arg-type]
        except expat.ExpatError as problem:
            hint = "save it again as .xlsx"
            raise InputError(f"the workbook is damaged: {problem}", hint=hint) from None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "c":
            self._count_cell()
            self._address, self._type = attributes.get("r", ""), attributes.get("t", "")
            self._has_formula, self._value = False, None
        elif name == "f":
            self._has_formula = True
        elif name == "v":
            if self._has_formula:
                self._value = ""
                self._parser.CharacterDataHandler = self._text
        elif name == "row":
            self._start_row(attributes)
        elif name == "mergeCell":
            self._add_merged(attributes.get("ref", ""))

    def _end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name == "v":
            self._parser.CharacterDataHandler = None
        elif name == "c" and self._has_formula:
            self._end_formula()
        elif name == "row":
            self._end_row()

    def _end_formula(self) -> None:
        if not self._has_value():
            self.facts.uncalculated.append(self._address)
        elif self._value == "0" and self._type in ("", "n"):
            row = self._address.lstrip(_LETTERS)
            if row.isdecimal():
                position = _position(int(row), _column_of(self._address))
                self.facts.zero_formulas.append(position)

    def _text(self, text: str) -> None:
        self._value = (self._value or "") + text

    def _count_cell(self) -> None:
        self._cells += 1
        if self._cells > MAX_CELLS:
            raise _too_large(f"has more than {MAX_CELLS:,} cells")

    def _has_value(self) -> bool:
        """Whether the file has the calculated value of a formula."""
        if self._is_uncalculated:
            return bool(self._value) and self._value != "0"
        # A formula with an empty text as its value has the type "str" and no value.
        return bool(self._value) or self._type == "str"

    def _start_row(self, attributes: dict[str, str]) -> None:
        is_flat = attributes.get("ht") in ("0", "0.0")
        if is_flat or attributes.get("hidden") in ("1", "true"):
            line = attributes.get("r", "")
            if line.isdecimal():
                self.facts.hidden_rows.add(int(line))

    def _end_row(self) -> None:
        """Count the empty cells that openpyxl fills a row with, up to its last cell."""
        self._cells_with_gaps += _column_of(self._address)
        self._address = ""
        if self._cells_with_gaps > 4 * MAX_CELLS:
            raise _too_large(f"has more than {4 * MAX_CELLS:,} cells, empty ones included")

    def _add_merged(self, reference: str) -> None:
        from openpyxl.utils import range_boundaries

        left, top, right, bottom = range_boundaries(reference)
        self._merged_cells += (right - left + 1) * (bottom - top + 1)
        if self._merged_cells > MAX_MERGED:
            raise _too_large(f"merges {self._merged_cells:,} cells")
        self.facts.merged.append(CellRange(top, left, bottom, right, reference))


def _column_of(address: str) -> int:
    """Return the number of the column of an address such as ``AB12``, from 1."""
    column = 0
    for letter in address.rstrip("0123456789").upper()[:4]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


def _position(row: int, column: int) -> int:
    """Return a number that sorts the cells of a sheet by row and column."""
    return (row << 20) + column


class MergedCells:
    """Finds the merged cells of a row; rows must be requested in ascending order."""

    def __init__(self, ranges: list[CellRange]) -> None:
        self._waiting = sorted(ranges, reverse=True)  # the last item is the next range
        self._active = list[CellRange]()

    def __bool__(self) -> bool:
        return bool(self._waiting or self._active)

    def in_row(self, row: int) -> Iterator[tuple[int, CellRange]]:
        """Yield the columns of a row that are merged into the first cell of a range."""
        self._active = [area for area in self._active if area.bottom >= row]
        while self._waiting and self._waiting[-1].top <= row:
            area = self._waiting.pop()
            if area.bottom >= row:
                self._active.append(area)
        for area in self._active:
            for column in range(area.left, area.right + 1):
                if (row, column) != (area.top, area.left):
                    yield column, area
