"""Reads a file into memory once, and finds out how its text is written and cut into cells.

The encoding is proven, by a mark or as UTF-8, or it is given; else the refusal shows a line.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import locale
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import BLANK, MAX_CELL
from petstore_frame.loader.reading.mapping import OWN_PREFIX
from petstore_frame.loader.reading.returned import FIX_SHEET, has_own_columns, restored
from petstore_frame.loader.reading.tables import Row, Table, Workbook, frame_table
from petstore_frame.loader.reading.words import RecipeFields

SourceKind = Literal["csv", "workbook", "frame"]
DELIMITERS = (",", ";", "\t", "|")
MOST_BYTES, MAX_HEADER = 256 * 1024 * 1024, 1024 * 1024
_ZIP, _OLE, _GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
# A line of nothing else is an empty row.
_NO_TEXT = ' \t\r\n\ufeff"' + "".join(DELIMITERS)


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file, unpacked where it is gzip.

    Raises:
        InputError: It is no file, too large, damaged, or somebody is writing to it.
    """
    try:
        mode = path.stat().st_mode  # before opening, which would wait at a pipe
        file = path.open("rb") if stat.S_ISREG(mode) else None
    except (OSError, ValueError) as problem:  # a ValueError for a NUL in its name
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot open the file: {reason}") from None
    if file is None:
        what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise InputError(f"this is {what}, not a file", hint="name a file")
    with file:
        before = os.fstat(file.fileno())
        data = file.read(min(before.st_size, MOST_BYTES) + 1)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        hint = "load it again when it is complete"
        raise InputError("the file changed while it was being read", hint=hint)
    if data.startswith(_GZIP):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise InputError(f"the gzip file is damaged: {problem}") from None
    if len(data) > MOST_BYTES:
        hint = "split it, with the header in each part: a known key is never sent twice"
        raise InputError(f"this is more than {MOST_BYTES // 1024**2} MiB", hint=hint)
    return data


def _codec_of(data: bytes, given: str | None) -> str:
    """Return the codec of a text, by which all of it was decoded once."""
    name = codecs.lookup(given).name if given else None
    marked = next((codec for mark, codec in _BOMS if data.startswith(mark)), None)
    codec = ("utf-8-sig" if name == "utf-8" else name) or marked or "utf-8"
    if codec == "utf-8" and data[:2].count(0) == 1:
        likely = "utf-16-be" if data[0] == 0 else "utf-16-le"
        what = "the file looks like UTF-16 without a byte order mark"
        raise InputError(what, hint="name its encoding", add=("encoding", likely))
    fault = _fault(data, codec)
    if fault is None:
        return codec
    if isinstance(fault, UnicodeDecodeError) and not codec.startswith(("utf-16", "utf-32")):
        raise _misread(data, codec, fault.start)
    raise InputError(f"the file is not {codec.upper()} text", hint=_SAVE_AS_UTF8)


def _fault(data: bytes, codec: str) -> UnicodeError | None:
    """Return why bytes are not text of an encoding, or None."""
    try:
        data.decode(codec, _error_handler(codec))
    except UnicodeError as fault:
        return fault
    return None


def _error_handler(codec: str) -> str:
    # Half a character is accepted where the codec can: it then spoils one record, not all.
    return "surrogatepass" if codec.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def _misread(data: bytes, codec: str, at: int) -> InputError:
    """Name the place where the bytes are not text, and what another encoding makes of the line."""
    lines = data.splitlines()
    number = len(data[: at + 1].splitlines())
    name = codec.removesuffix("-sig").upper()
    what = f"byte {at + 1:,} (0x{data[at]:02x}) is not {name} text"
    odd = [line for line in lines[: number + 1000] if not line.isascii()]
    if sum(_fault(line, "utf-8") is None for line in odd) * 2 >= len(odd):
        hint = "no encoding fits the whole file; correct this line, and others like it"
        return InputError(what, line=number, hint=hint)
    of_locale = codecs.lookup(locale.getencoding()).name
    fitting = [each for each in dict.fromkeys((of_locale, "cp1252")) if not _fault(data, each)]
    if not fitting:
        return InputError(what, line=number, hint=_SAVE_AS_UTF8)
    # A line in which they differ, if there is one, shows which is right.
    differing = (line for line in odd if len({line.decode(each) for each in fitting}) > 1)
    line = next(differing, lines[number - 1])
    shown_as = "; ".join(f"{each} reads {line.decode(each).strip()[-60:]!r}" for each in fitting)
    hint = f"name its encoding: {shown_as}; or {_SAVE_AS_UTF8}"
    return InputError(what, line=number, hint=hint, add=("encoding", fitting[0]))


class Text:
    """A text of a known encoding, which is cut as its first line or the caller says.

    Raises:
        InputError: The encoding is not known, or there is no text.
    """

    def __init__(self, data: bytes, encoding: str | None) -> None:
        self._data, self._encoding = data, _codec_of(data, encoding)
        with self._opened() as text:
            self._lines = [*io.StringIO(text.read(MAX_HEADER), newline="")]
            self._is_cut = bool(text.read(1))
        self._sep = _SEP_LINE.fullmatch(self._lines[0]) if self._lines else None
        above = 1 if self._sep else 0
        filled = [at for at, line in enumerate(self._lines) if line.strip(_NO_TEXT) and at >= above]
        if not filled:
            raise InputError("the file is empty", hint="it needs a header and records")
        self._first = filled[0]

    def _opened(self) -> io.TextIOWrapper:
        handler = _error_handler(self._encoding)
        return io.TextIOWrapper(io.BytesIO(self._data), self._encoding, handler, newline="")

    def table(self, recipe: RecipeFields) -> Table:
        """Return its rows, its header found.

        Raises:
            InputError: The header cannot be read.
        """
        first = self._first if recipe.header_row is None else recipe.header_row - 1
        below, names = self._lines[first:], recipe.columns or ()
        if not names and (not below or not below[0].strip(_NO_TEXT)):
            raise InputError(f"no header in line {first + 1}", hint="count from 1")
        said = recipe.delimiter or (self._sep and self._sep[1])
        cuts, fault = list[tuple[str, list[str], int]](), csv.Error()
        for sign in (said,) if said else DELIMITERS:
            reader = _reader(below, sign, recipe.quoting)
            try:
                cuts.append((sign, next(reader, [""]), reader.line_num))
            except csv.Error as problem:
                fault = problem
        if not cuts:
            what, hint = f"the header cannot be read: {fault}", "look at its quotes"
            raise InputError(what, line=first + 1, hint=hint)
        # The delimiter that gives the first row most cells, or as many as there are names.
        sign, columns, lines = max(cuts, key=lambda cut: (len(cut[1]) == len(names), len(cut[1])))
        header_row: int | None = first + 1
        if names:
            if not said and len(columns) != len(names):
                what = f"no delimiter cuts the first line into the {len(names)} columns given"
                hint, add = "name it, or give a name for each column", ("delimiter", BLANK)
                raise InputError(what, line=first + 1, hint=hint, add=add)
            columns, header_row = [*names], recipe.header_row
            lines = 0 if header_row is None else 1
        elif self._is_cut and lines >= len(below):
            what = f"the header is longer than {MAX_HEADER:,} characters"
            hint = "keep only the columns of the animals, and look at its quotes"
            raise InputError(what, line=first + 1, hint=hint)
        columns[:1] = [columns[0].removeprefix("\ufeff")]
        rows = partial(self._rows, first + lines, sign, recipe.quoting)
        facts = {"encoding": self._encoding, "delimiter": sign}
        return Table(tuple(columns), rows, header_row, facts)

    def _rows(self, skipped: int, delimiter: str, quoting: str) -> Iterator[Row]:
        """Yield the rows below the header with the physical line that each begins on."""
        line = skipped + 1
        with self._opened() as text:
            for _ in range(skipped):
                next(text, "")
            reader = _reader(text, delimiter, quoting)
            try:
                for cells in reader:
                    following = skipped + reader.line_num + 1
                    yield Row(line, cells, following - line)
                    line = following
            except csv.Error as fault:
                raise _unreadable(fault, line) from None


def _reader(lines: Iterable[str], delimiter: str, quoting: str) -> Any:
    # csv's own limit of 131,072 characters is too low for a note; the limit belongs to the
    # process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _unreadable(problem: Exception, line: int) -> InputError:
    if "field limit" in str(problem):
        what = f"the record that begins here has a cell of more than {MAX_CELL:,} characters"
        hint = "shorten it; a quote that is never closed can cause this too"
        return InputError(what, line=line, hint=hint)
    is_open = "unexpected end" in str(problem)
    what = "opens a quote that is never closed" if is_open else f"cannot be read: {problem}"
    hint = 'double the quotes within a cell ("a ""b"" c"), or read quotes as letters'
    add = ("quoting", "none")
    return InputError(f"the record that begins here {what}", line=line, hint=hint, add=add)


class Input:
    """A file or a frame before its columns are known, and what to call it in a message.

    Raises:
        InputError: It is no file that could be read.
        ArgumentError: It is neither a path nor a frame.
    """

    def __init__(self, path_or_frame: Any) -> None:
        self._text = cache(self._text_of)
        self.name, self.path, self.frame = "frame", None, path_or_frame
        self.kind: SourceKind = "frame"
        if not isinstance(path_or_frame, str | PathLike):
            self._frame = frame_table(path_or_frame)  # which refuses all else
            return
        self.path, self.frame = Path(fspath(path_or_frame)), None
        self.name = self.path.name
        with self.naming():
            self._data = read_whole(self.path)
            self.kind = "workbook" if self._data.startswith(_ZIP) else "csv"
            if self._data.startswith(_OLE):
                raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in what is refused."""
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    @cached_property
    def _book(self) -> Workbook:
        return Workbook(io.BytesIO(self._data))

    def _text_of(self, encoding: str | None) -> Text:
        return Text(self._data, encoding)

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; of anything else, none."""
        return self._book.names if self.kind == "workbook" else ()

    def table(self, recipe: RecipeFields) -> Table:
        """Return it cut into columns."""
        if self.kind == "frame":
            return self._frame
        if self.kind == "workbook":
            return self._book.table(recipe)
        if recipe.sheet is not None:
            raise InputError("a sheet was named, but the file is not a workbook")
        return self._text(recipe.encoding).table(recipe)

    def own_table(self, recipe: RecipeFields) -> Table | None:
        """Return the records of one of our own files as they were, whatever saved it."""
        sheet = None
        if self.kind == "workbook":
            sheet = recipe.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv" and OWN_PREFIX.encode() not in self._data[:MAX_HEADER].replace(
            b"\0", b""
        ):
            return None
        for encoding in dict.fromkeys((None, recipe.encoding)):
            with suppress(InputError):
                table = self.table(RecipeFields(encoding=encoding, sheet=sheet))
                if has_own_columns(table.columns):
                    return restored(table)
        return None
