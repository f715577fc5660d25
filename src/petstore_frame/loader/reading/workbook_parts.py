"""What lies packed in a workbook, looked through before a spreadsheet library unpacks it.

A packed file can state one size and unpack to thousands of times as much. So each part that will be
parsed is streamed once, bounded in bytes and in tags, and without entities. On the way this finds
what the library's streaming reader does not tell: hidden rows, merged cells, formulas that were
never calculated.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO, NamedTuple
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
_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_READ_WHOLE = re.compile(
    r"\[content_types\]\.xml|_rels/\.rels|xl/(workbook|styles)\.xml|xl/_rels/workbook\.xml\.rels|"
    r"xl/theme/.*\.xml|docprops/.*\.xml",
    re.IGNORECASE,
)
_AS_CSV = "save the sheet as CSV and load that"


class Merged(NamedTuple):
    """Merged cells: rows and columns count from 1, both ends are in it."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int
    name: str


@dataclass
class Survey:
    """What one sheet has that its cells' values do not show.

    Attributes:
        hidden: The rows that are hidden.
        merged: The merged cells, the topmost first.
        uncalculated: Row and column of formulas whose value was never calculated.
    """

    hidden: set[int] = field(default_factory=set)
    merged: list[Merged] = field(default_factory=list)
    uncalculated: set[tuple[int, int]] = field(default_factory=set)


@dataclass(frozen=True)
class Sheet:
    """A sheet with cells.

    Attributes:
        name: Its name.
        part: The part of the file that holds it.
        is_hidden: Whether a person does not see it.
    """

    name: str
    part: str
    is_hidden: bool


class Parts:
    """The parts of a packed workbook.

    Args:
        file: The file, open for bytes.

    Attributes:
        sheets: Its sheets that have cells, in their order.

    Raises:
        InputError: It is not a workbook, or unpacks to more than a list of animals can need.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(file)
        self._names = set(self._zip.namelist())
        if _BOOK not in self._names:
            raise InputError(
                "a zip file, but not a workbook", hint="unpack it, or save it as .xlsx"
            )
        # A stream never gives out more than its size in the directory, which is looked at here.
        self._refuse_bombs()
        for part in self._zip.infolist():
            is_texts = part.filename.lower().endswith("sharedstrings.xml")
            if is_texts or _READ_WHOLE.fullmatch(part.filename):
                most = (_MAX_TEXTS, _MAX_TEXT_TAGS) if is_texts else (_MAX_PART, _MAX_TAGS)
                if part.file_size > most[0]:
                    raise _too_large(f"{part.filename[:60]} inside", part.file_size)
                self._scan(part.filename, _Tags(part.filename, most[1]).count)
        self.sheets = self._find_sheets()
        for sheet in self.sheets:  # the library looks into each
            self._scan(sheet.part)

    def survey(self, sheet: Sheet) -> Survey:
        """Return what a sheet has besides values.

        Raises:
            InputError: A row is larger than those of animals are.
        """
        parser = expat.ParserCreate()
        scan = _SheetScan(sheet, parser)
        self._scan(sheet.part, scan.start, scan.end, scan.feed, parser)
        scan.found.merged.sort()
        return scan.found

    def _refuse_bombs(self) -> None:
        for part in self._zip.infolist():
            if part.file_size > _FREE_SIZE and part.file_size > _MAX_RATIO * part.compress_size:
                raise _too_large(f"{part.filename[:60]} inside", part.file_size)
        total = sum(part.file_size for part in self._zip.infolist())
        if total > _MAX_TOTAL:
            raise _too_large("what is inside", total)

    def _find_sheets(self) -> list[Sheet]:
        targets, sheets = dict[str, str](), list[Sheet]()

        def relation(tag: str, facts: dict[str, str]) -> None:
            if _local(tag) == "Relationship" and facts.get("Type", "").endswith("/worksheet"):
                target = facts.get("Target", "")
                place = target if target.startswith("/") else f"/xl/{target}"
                targets[facts.get("Id", "")] = posixpath.normpath(place)[1:]

        def sheet(tag: str, facts: dict[str, str]) -> None:
            if _local(tag) == "sheet":
                linked = (value for name, value in facts.items() if _local(name) == "id")
                part = targets.get(next(linked, ""), "")
                if part in self._names:
                    is_hidden = facts.get("state", "visible") != "visible"
                    sheets.append(Sheet(facts.get("name", ""), part, is_hidden))

        if _RELATIONS in self._names:
            self._scan(_RELATIONS, relation)
        self._scan(_BOOK, sheet)
        if not sheets:
            raise InputError("the workbook has no sheet with cells")
        return sheets

    def _scan(
        self,
        name: str,
        start: Callable[[str, dict[str, str]], None] | None = None,
        end: Callable[[str], None] | None = None,
        feed: Callable[[int], None] | None = None,
        parser: expat.XMLParserType | None = None,
    ) -> None:
        """Stream one part through a parser that knows no entities."""
        parser = parser or expat.ParserCreate()
        parser.StartDoctypeDeclHandler = partial(_refuse_entities, name)
        parser.StartElementHandler, parser.EndElementHandler = start, end
        with self._zip.open(name) as stream:
            while piece := stream.read(_PIECE):
                parser.Parse(piece, False)
                if feed is not None:
                    feed(len(piece))
            parser.Parse(b"", True)


class _Tags:
    """Counts the tags of a part."""

    def __init__(self, part: str, most: int) -> None:
        self._part, self._most, self._tags = part, most, 0

    def count(self, _tag: str, _facts: dict[str, str]) -> None:
        self._tags += 1
        if self._tags > self._most:
            raise _refused(f"{self._part[:60]} inside holds more than {self._most:,} XML tags")


class _SheetScan:
    """Finds what a sheet has besides values, row by row."""

    def __init__(self, sheet: Sheet, parser: expat.XMLParserType) -> None:
        self.found = Survey()
        self._sheet, self._parser = sheet, parser
        self._row = self._column = self._tags = self._size = 0
        self._is_formula = self._has_value = False

    def start(self, tag: str, facts: dict[str, str]) -> None:
        self._tags += 1
        if self._tags > _MAX_ROW_TAGS:
            raise self._refused(f"holds more than {_MAX_ROW_TAGS:,} XML tags")
        local = tag.rpartition(":")[2]
        if local == "c":
            place = facts.get("r")
            self._column = _column_of(place) if place else self._column + 1
            # A formula whose value is the empty text has the type of text, and no value.
            self._is_formula, self._has_value = False, facts.get("t") == "str"
        elif local == "v":
            # Looked at for formulas only; <v/> and <v></v> are no value.
            self._parser.CharacterDataHandler = self._text if self._is_formula else None
        elif local == "f":
            self._is_formula = True
        elif local == "row":
            place = facts.get("r")
            self._row = int(place) if place else self._row + 1
            self._column = 0
            if facts.get("hidden") in _TRUE or facts.get("ht") == "0":
                self.found.hidden.add(self._row)
        elif local == "mergeCell":
            self.found.merged.append(_merged(facts.get("ref", "")))

    def end(self, tag: str) -> None:
        local = tag.rpartition(":")[2]
        if local == "c":
            self._parser.CharacterDataHandler = None
            if self._is_formula and not self._has_value:
                self.found.uncalculated.add((self._row, self._column))
                if len(self.found.uncalculated) > _MAX_UNCALCULATED:
                    raise InputError(
                        f"the formulas of the sheet {self._sheet.name!r} were never calculated",
                        hint="open the workbook and save it",
                    )
        elif local == "row":
            self._tags = self._size = 0

    def _text(self, _: str) -> None:
        self._has_value = True

    def feed(self, size: int) -> None:
        self._size += size
        if self._size > _MAX_ROW_SIZE:
            raise self._refused(f"unpacks to more than {_MAX_ROW_SIZE // _MIB} MiB")

    def _refused(self, what: str) -> InputError:
        refused = _refused(f"this row of the sheet {self._sheet.name!r} {what}")
        refused.line = self._row
        return refused


_TRUE = ("1", "true")
_PLACE = re.compile(r"([A-Za-z]{1,3})([0-9]+)")


def _column_of(place: str) -> int:
    """Return the number of a cell's column: ``B7`` is in column 2."""
    column = 0
    for sign in place.upper():
        if not "A" <= sign <= "Z":
            break
        column = column * 26 + ord(sign) - 64
    return column


def _merged(reference: str) -> Merged:
    first, _, last = reference.partition(":")
    places = [_PLACE.fullmatch(place) for place in (first, last or first)]
    if None in places:
        raise InputError(f"the workbook merges the cells {reference[:40]!r}, which are none")
    rows = [int(place[2]) for place in places if place]
    columns = [_column_of(place[1]) for place in places if place]
    return Merged(rows[0], rows[1], columns[0], columns[1], reference)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse_entities(part: str, *_: object) -> None:
    raise _refused(f"{part[:60]} inside is written as no spreadsheet program writes it")


def _too_large(what: str, size: int) -> InputError:
    return _refused(f"{what} would unpack to {size // _MIB:,} MiB")


def _refused(what: str) -> InputError:
    return InputError(f"{what}; no list of animals needs that much", hint=_AS_CSV)
