"""Reads the parts of a workbook that all its sheets share: names, texts, number formats.

The parts are XML files in a zip file. Their tags are counted before they are parsed, and each part
is parsed once, so the time depends only on the size of the file.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, cast
from xml.parsers import expat

from petstore_frame.errors import InputError
from petstore_frame.limits import (
    CELL_CHARACTERS,
    SHARED_STRINGS,
    SHEETS,
    STYLES,
    UNPACKED_BYTES,
    XML_TAGS,
)
from petstore_frame.tables.file_kinds import reject_other_archive

_MIB = 1024 * 1024
# A small file that unpacks to hundreds of times its size was made to fill the memory.
_MOST_EXPANSION, _SMALL = 500, 8 * _MIB
SAVE_AGAIN = "save it again as .xlsx"
# What the readers of zip files and XML raise for a damaged file.
_ERRORS_OF_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ArithmeticError, ValueError,
    TypeError, LookupError,
)  # fmt: skip
_MOST_TAGS = 1000  # maximum number of tags to remember
_TRUE = ("1", "true", "on")
_SAVE_AS_CSV = "save the cells of the animals as CSV, and load that"
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
Attributes = dict[str, str]


class SheetPart(NamedTuple):
    """A sheet with cells: its title, the name of its XML file, and whether a person sees it."""

    title: str
    file: str
    is_visible: bool


class NumberFormat(NamedTuple):
    """Whether the number format of a cell style shows a number as a day or a duration."""

    is_date: bool = False
    is_duration: bool = False


class _Handlers(dict[str, Any]):
    """Functions by the name of an element; a tag may have the prefix of a namespace."""

    def __missing__(self, tag: str) -> Any:
        handler = self.get(tag.rpartition(":")[2], _ignore)
        if len(self) < _MOST_TAGS:
            self[tag] = handler
        return handler


def _ignore(*_: object) -> None:
    """Ignore an element."""


class _Element:
    """Notes whether the parser is inside an element."""

    is_open = False

    def start(self, _: Attributes) -> None:
        self.is_open = True

    def end(self) -> None:
        self.is_open = False


def parse_xml(
    part: BinaryIO,
    starts: Mapping[str, Callable[[Attributes], None]],
    ends: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    on_text: Callable[[str], None] | None = None,
) -> None:
    """Parse a part; call the functions at the start and the end of elements, and for texts."""
    start_handlers, end_handlers = _Handlers(starts), _Handlers(ends)
    parser = expat.ParserCreate()
    # Without a buffer, each line feed is a text of its own.
    parser.buffer_text = True
    parser.buffer_size = 65_536
    parser.EntityDeclHandler = _reject_entities
    parser.StartElementHandler = lambda tag, attributes: start_handlers[tag](attributes)
    if ends:
        parser.EndElementHandler = lambda tag: end_handlers[tag]()
    if on_text is not None:
        parser.CharacterDataHandler = on_text
    parser.ParseFile(part)


@contextmanager
def _explained_damage() -> Iterator[None]:
    """Turn the errors of a damaged workbook into an InputError."""
    try:
        yield
    except InputError:
        raise
    except expat.ExpatError as problem:
        raise InputError(f"the workbook is damaged: {problem}", hint=SAVE_AGAIN) from None
    except _ERRORS_OF_DAMAGE as problem:
        reason = str(problem).partition("\n")[0][:200]
        raise InputError(f"the workbook cannot be read: {reason}", hint=SAVE_AGAIN) from None


def _reject_entities(*_: object) -> None:
    """Reject entity declarations, which can expand without limit."""
    raise InputError("the workbook is damaged: it defines entities", hint=_SAVE_AS_CSV)


class WorkbookParts:
    """The parts of a workbook; each is read when it is needed.

    Raises:
        InputError: The file is not a readable workbook, or it exceeds a limit.
    """

    def __init__(self, file: BinaryIO) -> None:
        with _explained_damage():
            self._zip = zipfile.ZipFile(file)
            self._infos = {part.filename: part for part in self._zip.infolist()}
            reject_other_archive(self._zip)
        self._tags = 0
        sizes = [part.file_size for part in self._infos.values()]
        stored = max(1, sum(part.compress_size for part in self._infos.values()))
        # zipfile never unpacks more than the size that the directory states.
        UNPACKED_BYTES.check(sum(sizes))
        if sum(sizes) > _SMALL and sum(sizes) / stored > _MOST_EXPANSION:
            message = f"the workbook unpacks to {sum(sizes) // stored:,} times its size"
            raise InputError(f"{message}; the limit is {_MOST_EXPANSION}", hint=_SAVE_AS_CSV)
        self.sheets: list[SheetPart] = []
        # The program that wrote the workbook did not calculate formulas, and asks Excel to do so.
        self.is_uncalculated = False
        self.is_1904 = False  # the year in which days begin to count
        self._read_workbook()

    def _read_workbook(self) -> None:
        targets, types = dict[str, str](), dict[str, str]()

        def add_relation(attributes: Attributes) -> None:
            path = posixpath.normpath(posixpath.join("/xl", attributes.get("Target", "")))
            targets[attributes.get("Id", "")] = path.lstrip("/")
            types[attributes.get("Id", "")] = attributes.get("Type", "")

        def add_sheet(attributes: Attributes) -> None:
            SHEETS.check(len(self.sheets) + 1, is_exact=False)
            ids = [value for key, value in attributes.items() if key.endswith(":id")]
            relation = "".join(ids[:1])
            file = targets.get(relation, "")
            if types.get(relation, "").endswith("/worksheet") and file in self._infos:
                is_visible = attributes.get("state", "visible") == "visible"
                self.sheets.append(SheetPart(attributes.get("name", ""), file, is_visible))

        def set_calculation(attributes: Attributes) -> None:
            self.is_uncalculated = _leaves_calculation_to_excel(attributes)

        def set_epoch(attributes: Attributes) -> None:
            self.is_1904 = attributes.get("date1904") in _TRUE

        self.parse("xl/_rels/workbook.xml.rels", {"Relationship": add_relation})
        self.parse(
            "xl/workbook.xml",
            {"sheet": add_sheet, "calcPr": set_calculation, "workbookPr": set_epoch},
        )

    def parse(
        self,
        name: str,
        starts: Mapping[str, Callable[[Attributes], None]],
        ends: Mapping[str, Callable[[], None]] = MappingProxyType({}),
        on_text: Callable[[str], None] | None = None,
    ) -> None:
        """Parse a part, if the workbook has it; count its tags first."""
        if name not in self._infos:
            return
        with _explained_damage():
            with self._zip.open(name) as part:
                while chunk := part.read(_MIB):
                    self._tags += chunk.count(b"<")
                    XML_TAGS.check(self._tags, is_exact=False)
            with self._zip.open(name) as part:
                parse_xml(cast("BinaryIO", part), starts, ends, on_text)

    @cached_property
    def texts(self) -> list[str]:
        """The texts that cells refer to by their position."""
        return _texts_of(self, "xl/sharedStrings.xml")

    @cached_property
    def formats(self) -> list[NumberFormat]:
        """The number format of each cell style."""
        from openpyxl.styles import numbers

        codes: dict[int, str] = dict(numbers.BUILTIN_FORMATS)
        ids, cell_styles = list[int](), _Element()

        def add_code(attributes: Attributes) -> None:
            STYLES.check(len(codes), is_exact=False)
            # Excel allows 255 characters.
            codes[int(attributes.get("numFmtId", "0"))] = attributes.get("formatCode", "")[:255]

        def add_style(attributes: Attributes) -> None:
            if cell_styles.is_open:
                STYLES.check(len(ids) + 1, is_exact=False)
                ids.append(int(attributes.get("numFmtId", "0")))

        starts = {"numFmt": add_code, "cellXfs": cell_styles.start, "xf": add_style}
        self.parse("xl/styles.xml", starts, {"cellXfs": cell_styles.end})
        formats = dict[int, NumberFormat]()
        for number in dict.fromkeys(ids):
            code = codes.get(number, "General")
            is_duration = bool(numbers.is_timedelta_format(code))
            formats[number] = NumberFormat(bool(numbers.is_date_format(code)), is_duration)
        return [formats[number] for number in ids]

    @cached_property
    def description(self) -> str:
        """The comment of the workbook, which a program may have written."""
        texts, element = list[str](), _Element()

        def add_text(content: str) -> None:
            if element.is_open:
                texts.append(content)

        starts, ends = {"description": element.start}, {"description": element.end}
        self.parse("docProps/core.xml", starts, ends, add_text)
        return "".join(texts)

    @cached_property
    def custom_properties(self) -> Mapping[str, str]:
        """The custom properties of the workbook, as text by name."""
        properties, current = dict[str, list[str]](), ""

        def start(attributes: Attributes) -> None:
            nonlocal current
            current = attributes.get("name", "")
            properties[current] = []

        def add_text(content: str) -> None:
            if current in properties:
                properties[current].append(content)

        self.parse("docProps/custom.xml", {"property": start}, {}, add_text)
        return {name: "".join(parts) for name, parts in properties.items()}


def _leaves_calculation_to_excel(attributes: Mapping[str, str]) -> bool:
    """Return True if the writer of a workbook says that its values may not be calculated."""
    asks_for_it = any(attributes.get(name) in _TRUE for name in ("fullCalcOnLoad", "forceFullCalc"))
    return asks_for_it or attributes.get("calcCompleted", "1") not in _TRUE


def _texts_of(parts: WorkbookParts, file: str) -> list[str]:
    """Return the shared texts; pieces of a text in several fonts are joined."""
    texts, pieces = list[str](), list[str]()
    text, phonetic = _Element(), _Element()
    length = 0

    def start_item(_: Attributes) -> None:
        nonlocal length
        pieces.clear()
        length = 0

    def end_item() -> None:
        SHARED_STRINGS.check(len(texts) + 1, is_exact=False)
        texts.append(unescaped("".join(pieces)))

    def add_text(content: str) -> None:
        nonlocal length
        if text.is_open and not phonetic.is_open:
            length += len(content)
            CELL_CHARACTERS.check(length, is_exact=False)
            pieces.append(content)

    parts.parse(
        file,
        {"si": start_item, "t": text.start, "rPh": phonetic.start},
        {"si": end_item, "t": text.end, "rPh": phonetic.end},
        add_text,
    )
    return texts


def unescaped(text: str) -> str:
    """Return a text with its control characters, which a workbook writes as ``_x000D_``.

    Example:
        >>> unescaped("a_x0009_b"), unescaped("_x005F_x0009_")
        ('a\\tb', '_x0009_')
    """
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
