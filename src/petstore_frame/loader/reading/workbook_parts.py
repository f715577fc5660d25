"""What lies packed in a workbook, looked through before a spreadsheet library unpacks it.

A packed file can state one size and unpack to thousands of times as much. So each part that will be
parsed is streamed once, bounded in bytes and in tags, and without entities. On the way this finds
what the library's streaming reader does not tell: hidden rows, merged cells, formulas that were
never calculated.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.parsers import expat

from petstore_frame.errors import InputError

_MIB, _PIECE = 1024 * 1024, 64 * 1024
_FREE_SIZE, _MAX_RATIO, _MAX_TOTAL = 8 * _MIB, 200, 2048 * _MIB
# Bytes and tags of the parts that are kept whole: texts of cells as a list, others as trees.
_TEXTS = re.compile(r".*sharedstrings\.xml", re.IGNORECASE)
_TREES = re.compile(
    r"\[content_types\]\.xml|_rels/\.rels|xl/(workbook|styles)\.xml|xl/_rels/workbook\.xml\.rels|"
    r"xl/theme/.*\.xml|docprops/.*\.xml",
    re.IGNORECASE,
)
_LIMITS = ((_TEXTS, 128 * _MIB, 10_000_000), (_TREES, 16 * _MIB, 250_000))
# A sheet is read row by row. A workbook has 16,384 columns, and a cell has up to eight tags.
_MAX_ROW_SIZE, _MAX_ROW_TAGS = 16 * _MIB, 8 * 16_384
_MAX_UNCALCULATED = 100_000
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
        # A stream never gives out more than its size in the directory, which is looked at here.
        sizes = {part.filename: part.file_size for part in packed.infolist()}
        if not any(name.startswith("xl/") for name in sizes):
            what = "a zip file, but not a workbook"
            raise InputError(what, hint="unpack it, or save it as .xlsx")
        for part in packed.infolist():
            most = max(_FREE_SIZE, _MAX_RATIO * part.compress_size)
            if part.file_size > min(most, _limits_of(part.filename)[0]):
                raise _too_large(f"{part.filename[:60]} inside", part.file_size)
        if sum(sizes.values()) > _MAX_TOTAL:
            raise _too_large("what is inside", sum(sizes.values()))
        for name in sizes:
            tags = _limits_of(name)[1]
            if tags is not None or name.startswith("xl/worksheets/"):  # looked into by the library
                _Part(f"{name[:60]} inside", tags).scan(packed, name)


def survey(file: BinaryIO, part: str, sheet: str) -> Survey:
    """Return what the sheet in a part has besides values; a row of too many tags is refused."""
    with zipfile.ZipFile(file) as packed:
        looked_at = _Sheet(sheet)
        looked_at.scan(packed, part)
    looked_at.found.merged.sort()
    return looked_at.found


def _limits_of(name: str) -> tuple[int, int | None]:
    """Return how many bytes and tags a part may have; None where its tags are not counted."""
    kept = ((size, tags) for kind, size, tags in _LIMITS if kind.fullmatch(name))
    return next(kept, (_MAX_TOTAL, None))


class _Part:
    """One part, streamed through a parser that knows no entities and may count the tags."""

    def __init__(self, what: str, most_tags: int | None) -> None:
        self._what, self._most_tags, self._tags = what, most_tags or 0, 0
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._refuse_entities
        if most_tags is not None:
            self._parser.StartElementHandler = self._start

    def scan(self, packed: zipfile.ZipFile, name: str) -> None:
        with packed.open(name) as stream:
            while piece := stream.read(_PIECE):
                self._parser.Parse(piece, False)
                self._count(len(piece))
            self._parser.Parse(b"", True)

    def _start(self, _tag: str, _facts: dict[str, str]) -> None:
        self._tags += 1
        if self._tags > self._most_tags:
            raise self._refused(f"holds more than {self._most_tags:,} XML tags")

    def _count(self, size: int) -> None:
        """Take note of a piece of so many bytes."""

    def _refuse_entities(self, *_: object) -> None:
        raise self._refused("is written as no spreadsheet program writes it")

    def _refused(self, what: str) -> InputError:
        return _refused(f"{self._what} {what}")


class _Sheet(_Part):
    """A sheet, of which is found what it has besides values, row by row."""

    def __init__(self, sheet: str) -> None:
        from openpyxl.utils import column_index_from_string, range_boundaries

        super().__init__(f"this row of the sheet {sheet!r}", _MAX_ROW_TAGS)
        self._parser.EndElementHandler = self._end
        self._column_of, self._boundaries = column_index_from_string, range_boundaries
        self.found = Survey()
        self._sheet, self._row, self._column, self._size = sheet, 0, 0, 0
        self._is_formula = self._has_value = False

    def _count(self, size: int) -> None:
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
            if facts.get("hidden") in ("1", "true") or facts.get("ht") == "0":
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


def _too_large(what: str, size: int) -> InputError:
    return _refused(f"{what} would unpack to {size // _MIB:,} MiB")


def _refused(what: str) -> InputError:
    hint = "save the sheet as CSV and load that"
    return InputError(f"{what}; no list of animals needs that much", hint=hint)
