"""Reads a file into memory once, and finds out how its text is written and cut into cells.

The encoding is proven, by a mark or as UTF-8, or it is given; else the refusal shows a line.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import locale
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from petstore_frame.errors import InputError
from petstore_frame.loader.source.cell_parsing import MAX_CELL
from petstore_frame.loader.source.column_mapping import OWN_PREFIX
from petstore_frame.loader.source.excel_file import Row, Table, Workbook, frame_table
from petstore_frame.loader.source.fix_file import FIX_SHEET, restored
from petstore_frame.loader.source.recipe_options import RecipeFields

SourceKind = Literal["csv", "workbook", "frame"]
DELIMITERS = (",", ";", "\t", "|")
MOST_BYTES = 256 * 1024 * 1024
_ZIP, _OLE, _GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
# A line of nothing else is an empty row.
_NO_TEXT = ' \t\r\n\ufeff"' + "".join(DELIMITERS)


def read_whole(path: Path) -> tuple[bytes, str]:
    """Return the bytes of a file, unpacked if it is gzip, and the SHA-256 of what was read.

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
        raise InputError("this is a folder, a pipe or a device", hint="name a file")
    with file:
        before = os.fstat(file.fileno())
        data = file.read(min(before.st_size, MOST_BYTES) + 1)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        hint = "load it again when it is complete"
        raise InputError("the file changed while it was being read", hint=hint)
    digest = hashlib.sha256(data).hexdigest()
    if data.startswith(_GZIP):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as problem:
            raise InputError(f"the gzip file is damaged: {problem}") from None
    if len(data) > MOST_BYTES:
        hint = "split it, with the header in each part: a known key is never sent twice"
        raise InputError(f"this is more than {MOST_BYTES // 1024**2} MiB", hint=hint)
    return data, digest


def _codec_of(data: bytes, given: str | None) -> str:
    """Return the codec of a text, by which all of it was decoded once."""
    marked = next((codec for mark, codec in _MARKS.items() if data.startswith(mark)), "utf-8")
    codec = codecs.lookup(given).name if given else marked
    codec = "utf-8-sig" if codec == "utf-8" else codec
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
    lines, number = data.splitlines(), len(data[: at + 1].splitlines())
    what = f"byte {at + 1:,} (0x{data[at]:02x}) is not {codec.removesuffix('-sig').upper()} text"
    odd = [line for line in lines[: number + 1000] if not line.isascii()]
    if sum(_fault(line, "utf-8") is None for line in odd) * 2 >= len(odd):
        hint = "no encoding fits the whole file; correct this line, and others like it"
        return InputError(what, line=number, hint=hint)
    likely = dict.fromkeys((codecs.lookup(locale.getencoding()).name, "cp1252"))
    fitting = [each for each in likely if not _fault(data, each)]
    if not fitting:
        return InputError(what, line=number, hint=_SAVE_AS_UTF8)
    # A line in which they differ, if there is one, shows which is right.
    differing = (line for line in odd if len({line.decode(each) for each in fitting}) > 1)
    line = next(differing, lines[number - 1])
    shown_as = "; ".join(f"{each} reads {line.decode(each).strip()[-60:]!r}" for each in fitting)
    hint = f"name its encoding: {shown_as}; or {_SAVE_AS_UTF8}"
    return InputError(what, line=number, hint=hint, add=("encoding", fitting[0]))


def _lines(data: bytes, codec: str, skipped: int = 0) -> Iterator[str]:
    text = io.TextIOWrapper(io.BytesIO(data), codec, _error_handler(codec), newline="")
    return islice(text, skipped, None)


def _text_table(data: bytes, recipe: RecipeFields) -> Table:
    """Return the rows of a text, cut as its first line or the caller says."""
    codec = _codec_of(data, recipe.encoding)
    sep = _SEP_LINE.fullmatch(next(_lines(data, codec), ""))
    lines = enumerate(_lines(data, codec))
    first = next((at for at, line in lines if line.strip(_NO_TEXT) and (at or not sep)), None)
    if first is None:
        raise InputError("the file is empty", hint="it needs a header and records")
    names, header_row = list(recipe.columns or ()), recipe.header_row
    first = first if header_row is None else header_row - 1
    said = recipe.delimiter or (sep and sep[1])
    cuts, fault = list[tuple[str, list[str], int]](), csv.Error()
    for sign in (said,) if said else DELIMITERS:
        reader = _reader(_lines(data, codec, first), sign, recipe.quoting)
        try:
            cuts.append((sign, next(reader, [""]), reader.line_num))
        except csv.Error as problem:
            fault = problem
    if not cuts:
        what, hint = f"the header cannot be read: {fault}", "look at its quotes"
        raise InputError(what, line=first + 1, hint=hint)
    # The delimiter that gives the first row most cells, or as many as there are names.
    sign, header, taken = max(cuts, key=lambda cut: (len(cut[1]) == len(names), len(cut[1])))
    if names:
        header, taken = names, 0 if header_row is None else 1
    elif any(map(str.strip, header)):
        header_row = first + 1
    else:
        raise InputError(f"no header in line {first + 1}", hint="count from 1")
    header[0] = header[0].removeprefix("\ufeff")
    rows = partial(_rows, data, codec, first + taken, sign, recipe.quoting)
    return Table(tuple(header), rows, header_row, {"encoding": codec, "delimiter": sign})


def _rows(data: bytes, codec: str, skipped: int, delimiter: str, quoting: str) -> Iterator[Row]:
    """Yield the rows below the header with the physical line that each begins on."""
    line, reader = skipped + 1, _reader(_lines(data, codec, skipped), delimiter, quoting)
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
    is_open = "unexpected end" in str(problem)
    what = "opens a quote that is never closed" if is_open else f"cannot be read: {problem}"
    hint = 'double the quotes within a cell ("a ""b"" c"), or read quotes as letters'
    add = ("quoting", "none")
    return InputError(f"the record that begins here {what}", line=line, hint=hint, add=add)


class Input:
    """A file or a frame before its columns are known, and what to call it in a message."""

    def __init__(self, path_or_frame: Any) -> None:
        self.name, self.path = "frame", None
        # Of the bytes that were read: the file may be replaced while its rows are loaded.
        self.digest: str | None = None
        self.kind: SourceKind = "frame"
        if not isinstance(path_or_frame, str | PathLike):
            self._frame = frame_table(path_or_frame)  # which refuses all else
            return
        self.path = Path(fspath(path_or_frame))
        # Neither a journal nor a terminal takes a name that is not text.
        self.name = self.path.name.encode(errors="backslashreplace").decode()
        with self.naming():
            self._data, self.digest = read_whole(self.path)
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
        return _text_table(self._data, recipe)

    def own_table(self, recipe: RecipeFields) -> Table | None:
        """Return the records of one of our own files as they were, whatever saved it."""
        sheet = None
        if self.kind == "workbook":
            sheet = recipe.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv":
            start = self._data[:MAX_CELL].replace(b"\0", b"")  # of UTF-16
            if OWN_PREFIX.encode() not in start:
                return None
        for encoding in dict.fromkeys((None, recipe.encoding)):
            with suppress(InputError):
                if own := restored(self.table(RecipeFields(encoding=encoding, sheet=sheet))):
                    return own
        return None
