"""What lies packed in a workbook, looked through before a spreadsheet library unpacks it.

A packed file can state one size and unpack to thousands of times as much. So each part that will be
parsed is streamed once, bounded in bytes and in tags, and without entities. On the way this finds
what the library's streaming reader does not tell: hidden rows, merged cells, formulas that were
never calculated.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from xml.parsers import expat

from petstore_frame.errors import InputError

_MIB = 1024 * 1024
_PIECE = 64 * 1024
_FREE_SIZE, _MAX_RATIO = 8 * _MIB, 200
_MAX_TOTAL = 2048 * _MIB
_MAX_PART, _MAX_TAGS = 16 * _MIB, 250_000
# The texts of all cells are kept as a list, every other part as a tree.
_MAX_TEXTS, _MAX_TEXT_TAGS = 128 * _MIB, 10_000_000
# A sheet is read row by row. A workbook has 16,384 columns, and a cell has up to eight tags.
_MAX_ROW_SIZE, _MAX_ROW_TAGS = 16 * _MIB, 8 * 16_384
_MAX_UNCALCULATED = 100_000
_READ_WHOLE = re.compile(
    r"\[content_types\]\.xml|_rels/\.rels|xl/(workbook|styles)\.xml|xl/_rels/workbook\.xml\.rels|"
    r"xl/theme/.*\.xml|docprops/.*\.xml",
    re.IGNORECASE,
)
_TRUE = ("1", "true")
Merged = tuple[int, int, int, int, str]


@dataclass
class Survey:
    """What one sheet has that its cells' values do not show; rows and columns count from 1.

    Attributes:
        hidden: The rows that are hidden.
        merged: First row, first column, last row, last column and reference of the merged cells,
            the topmost first.
        uncalculated: Row and column of formulas whose value was never calculated.
    """

    hidden: set[int] = field(default_factory=set)
    merged: list[Merged] = field(default_factory=list)
    uncalculated: set[tuple[int, int]] = field(default_factory=set)


def refuse_bombs(file: BinaryIO) -> None:
    """Look through all parts that are read whole.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
    """
    with zipfile.ZipFile(file) as packed:
        parts = packed.infolist()
        if not any(part.filename.startswith("xl/") for part in parts):
            what = "a zip file, but not a workbook"
            raise InputError(what, hint="unpack it, or save it as .xlsx")
        # A stream never gives out more than its size in the directory, which is looked at here.
        for part in parts:
            if part.file_size > max(_FREE_SIZE, _MAX_RATIO * part.compress_size):
                raise _too_large(f"{part.filename[:60]} inside", part.file_size)
        if (total := sum(part.file_size for part in parts)) > _MAX_TOTAL:
            raise _too_large("what is inside", total)
        for part in parts:
            is_texts = part.filename.lower().endswith("sharedstrings.xml")
            if is_texts or _READ_WHOLE.fullmatch(part.filename):
                size, tags = (_MAX_TEXTS, _MAX_TEXT_TAGS) if is_texts else (_MAX_PART, _MAX_TAGS)
                if part.file_size > size:
                    raise _too_large(f"{part.filename[:60]} inside", part.file_size)
                _scan(packed, part.filename, _Tags(f"{part.filename[:60]} inside", tags))
            elif part.filename.startswith("xl/worksheets/"):  # the library looks into each
                _scan(packed, part.filename)


def survey(file: BinaryIO, part: str, sheet: str) -> Survey:
    """Return what the sheet in a part has besides values.

    Raises:
        InputError: A row is larger than those of animals are.
    """
    with zipfile.ZipFile(file) as packed:
        scan = _SheetScan(sheet)
        _scan(packed, part, scan)
    scan.found.merged.sort()
    return scan.found


class _Tags:
    """Counts the tags of a part."""

    def __init__(self, what: str, most: int) -> None:
        self._what, self._most, self._tags = what, most, 0

    def watch(self, parser: expat.XMLParserType) -> None:
        parser.StartElementHandler = self._start

    def feed(self, size: int) -> None:
        """Take note of a piece of so many bytes."""

    def _start(self, _tag: str, _facts: dict[str, str]) -> None:
        self._tags += 1
        if self._tags > self._most:
            raise self._refused(f"holds more than {self._most:,} XML tags")

    def _refused(self, what: str) -> InputError:
        return _refused(f"{self._what} {what}")


class _SheetScan(_Tags):
    """Finds what a sheet has besides values, row by row."""

    def __init__(self, sheet: str) -> None:
        from openpyxl.utils import column_index_from_string, range_boundaries

        super().__init__(f"this row of the sheet {sheet!r}", _MAX_ROW_TAGS)
        self._column_of: Callable[[str], int] = column_index_from_string
        self._boundaries: Callable[[str], tuple[int, int, int, int]] = range_boundaries
        self.found = Survey()
        self._sheet, self._row, self._column, self._size = sheet, 0, 0, 0
        self._is_formula = self._has_value = False

    def watch(self, parser: expat.XMLParserType) -> None:
        super().watch(parser)
        self._parser, parser.EndElementHandler = parser, self._end

    def feed(self, size: int) -> None:
        self._size += size
        if self._size > _MAX_ROW_SIZE:
            raise self._refused(f"unpacks to more than {_MAX_ROW_SIZE // _MIB} MiB")

    def _start(self, tag: str, facts: dict[str, str]) -> None:
        super()._start(tag, facts)
        local = tag.rpartition(":")[2]
        if local == "c":
            letters = facts.get("r", "").rstrip("0123456789")
            self._column = self._column_of(letters) if letters else self._column + 1
            # A formula whose value is the empty text has the type of text, and no value.
            self._is_formula, self._has_value = False, facts.get("t") == "str"
        elif local == "v":
            # Looked at for formulas only; <v/> and <v></v> are no value.
            self._parser.CharacterDataHandler = self._text if self._is_formula else None
        elif local == "f":
            self._is_formula = True
        elif local == "row":
            self._row, self._column = int(facts.get("r") or self._row + 1), 0
            if facts.get("hidden") in _TRUE or facts.get("ht") == "0":
                self.found.hidden.add(self._row)
        elif local == "mergeCell":
            left, top, right, bottom = self._boundaries(facts.get("ref", ""))
            self.found.merged.append((top, left, bottom, right, facts["ref"]))

    def _end(self, tag: str) -> None:
        local = tag.rpartition(":")[2]
        if local == "c":
            self._parser.CharacterDataHandler = None
            if self._is_formula and not self._has_value:
                self.found.uncalculated.add((self._row, self._column))
                if len(self.found.uncalculated) > _MAX_UNCALCULATED:
                    what = f"the formulas of the sheet {self._sheet!r} were never calculated"
                    raise InputError(what, hint="open the workbook and save it")
        elif local == "row":
            self._tags = self._size = 0

    def _text(self, _: str) -> None:
        self._has_value = True

    def _refused(self, what: str) -> InputError:
        refused = super()._refused(what)
        refused.line = self._row
        return refused


def _scan(packed: zipfile.ZipFile, name: str, watcher: _Tags | None = None) -> None:
    """Stream one part through a parser that knows no entities."""

    def refuse_entities(*_: Any) -> None:
        raise _refused(f"{name[:60]} inside is written as no spreadsheet program writes it")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse_entities
    if watcher is not None:
        watcher.watch(parser)
    with packed.open(name) as stream:
        while piece := stream.read(_PIECE):
            parser.Parse(piece, False)
            if watcher is not None:
                watcher.feed(len(piece))
        parser.Parse(b"", True)


def _too_large(what: str, size: int) -> InputError:
    return _refused(f"{what} would unpack to {size // _MIB:,} MiB")


def _refused(what: str) -> InputError:
    hint = "save the sheet as CSV and load that"
    return InputError(f"{what}; no list of animals needs that much", hint=hint)
