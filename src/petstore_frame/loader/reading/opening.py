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
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.tables import Row, Table
from petstore_frame.loader.reading.words import RecipeFields

ZIP, OLE, GZIP = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b"
DELIMITERS = (",", ";", "\t", "|")
MOST_BYTES, MAX_HEADER = 256 * 1024 * 1024, 1024 * 1024
_PIECE = 64 * 1024
# Rows in which a header below a title is looked for.
LOOKED_AT = 20
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
# A line of nothing else is an empty row.
_NO_TEXT = ' \t\r\n\ufeff"' + "".join(DELIMITERS)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for bytes; it must be one that ends: no folder, pipe or device."""
    try:
        mode = path.stat().st_mode  # before opening, which would wait at a pipe
        if stat.S_ISREG(mode):
            return path.open("rb")
    except (OSError, ValueError) as problem:  # a ValueError for a NUL in its name
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot open the file: {reason}") from None
    what = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
    raise InputError(f"this is {what}, not a file", hint="name a file")


def read_whole(path: Path) -> bytes:
    """Return the bytes of a file, unpacked where it is gzip.

    Raises:
        InputError: It is no file, too large, damaged, or somebody is writing to it.
    """
    with open_regular(path) as file:
        before = os.fstat(file.fileno())
        data = file.read(min(before.st_size, MOST_BYTES) + 1)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        hint = "load it again when it is complete"
        raise InputError("the file changed while it was being read", hint=hint)
    if data.startswith(GZIP):
        try:
            packed = gzip.GzipFile(fileobj=io.BytesIO(data))
            pieces = iter(partial(packed.read, _PIECE), b"")
            data = b"".join(islice(pieces, MOST_BYTES // _PIECE + 2))
        except (OSError, EOFError, zlib.error) as problem:
            raise InputError(f"the gzip file is damaged: {problem}") from None
    if len(data) > MOST_BYTES:
        hint = "split it, with the header in each part: a known key is never sent twice"
        raise InputError(f"this is more than {MOST_BYTES // 1024**2} MiB", hint=hint)
    return data


def is_archive(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a zip file but not a workbook, such as a packed CSV file."""
    with suppress(InputError, OSError, zipfile.BadZipFile), open_regular(Path(path)) as file:
        names = zipfile.ZipFile(file).namelist() if file.read(len(ZIP)) == ZIP else ["xl/"]
        return not any(name.startswith("xl/") for name in names)
    return False


def _error_handler(codec: str) -> str:
    # Half a character is accepted where the codec can: it then spoils one record, not all.
    return "surrogatepass" if codec.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def _codec_of(data: bytes, given: str | None) -> str:
    """Return the codec of a text, by which all of it was decoded once.

    Raises:
        InputError: It is not the one given, or not known; with the line at fault.
    """
    name = codecs.lookup(given).name if given else None
    marked = next((codec for mark, codec in _BOMS if data.startswith(mark)), None)
    codec = ("utf-8-sig" if name == "utf-8" else name) or marked or "utf-8"
    if codec == "utf-8" and data[:2].count(0) == 1:
        likely = "utf-16-be" if data[0] == 0 else "utf-16-le"
        what = "the file looks like UTF-16 without a byte order mark"
        raise InputError(what, hint="name its encoding", add=("encoding", likely))
    try:
        data.decode(codec, _error_handler(codec))
    except UnicodeDecodeError as fault:
        if not codec.startswith(("utf-16", "utf-32")):
            raise _misread(data, codec, fault.start) from None
    except UnicodeError:
        pass
    else:
        return codec
    raise InputError(f"the file is not {codec.upper()} text", hint=_SAVE_AS_UTF8)


def _misread(data: bytes, codec: str, at: int) -> InputError:
    """Name the place where the bytes are not text, and what another encoding makes of the line."""
    number = len(_LINE_END.findall(data[:at])) + 1
    name = codec.removesuffix("-sig").upper()
    what = f"byte {at + 1:,} (0x{data[at]:02x}) is not {name} text"
    lines = data.splitlines()
    odd = [line for line in lines[: number + 1000] if not line.isascii()]
    if sum(_reads(line, "utf-8") for line in odd) * 2 >= len(odd):
        hint = "no encoding fits the whole file; correct this line, and others like it"
        return InputError(what, line=number, hint=hint)
    of_locale = codecs.lookup(locale.getencoding()).name
    fitting = [each for each in dict.fromkeys((of_locale, "cp1252")) if _reads(data, each)]
    if not fitting:
        return InputError(what, line=number, hint=_SAVE_AS_UTF8)
    # A line in which they differ, if there is one, shows which is right.
    differing = (line for line in odd if len({line.decode(each) for each in fitting}) > 1)
    line = next(differing, lines[number - 1])
    shown_as = "; ".join(f"{each} reads {line.decode(each).strip()[-60:]!r}" for each in fitting)
    hint = f"name its encoding: {shown_as}; or {_SAVE_AS_UTF8}"
    return InputError(what, line=number, hint=hint, add=("encoding", fitting[0]))


def _reads(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeError:
        return False
    return True


def text_table(data: bytes, options: RecipeFields) -> Table:
    """Return the rows of a text, cut as its first line or the caller says.

    Raises:
        InputError: The encoding is not known, or the header cannot be read.
    """
    encoding = _codec_of(data, options.encoding)
    with io.TextIOWrapper(io.BytesIO(data), encoding, _error_handler(encoding), newline="") as text:
        lines = [*io.StringIO(text.read(MAX_HEADER), newline="")]
        is_cut = bool(text.read(1))
    named = _SEP_LINE.fullmatch(lines[0]) if lines else None
    filled = [
        at for at, line in enumerate(lines) if line.strip(_NO_TEXT) and not (named and at == 0)
    ]
    if not filled:
        raise InputError("the file is empty", hint="it needs a header and records")
    delimiter = options.delimiter or (named[1] if named else None)
    first = filled[0] if options.header_row is None else options.header_row - 1
    below, names = lines[first:], options.columns or ()
    if not names and (not below or not below[0].strip(_NO_TEXT)):
        raise InputError(f"no header in line {first + 1}", hint="count from 1")
    try:
        sign, columns, length = _cut(below, delimiter, options.quoting, len(names))
    except csv.Error as fault:
        what = f"the header cannot be read: {fault}"
        raise InputError(what, line=first + 1, hint="look at its quotes") from None
    header_row: int | None = first + 1
    if names:
        if not delimiter and len(columns) != len(names):
            what = f"no delimiter cuts the first line into the {len(names)} columns given"
            hint = "name the delimiter, or give a name for each column"
            raise InputError(what, line=first + 1, hint=hint, add=("delimiter", "?"))
        columns, header_row = names, options.header_row
        length = 0 if header_row is None else 1
    elif is_cut and length >= len(below):
        what = f"the header is longer than {MAX_HEADER:,} characters"
        hint = "keep only the columns of the animals, and look at its quotes"
        raise InputError(what, line=first + 1, hint=hint)
    return Table(
        columns,
        partial(_rows, data, first + length, encoding, sign, options.quoting),
        header_row,
        {"encoding": encoding, "delimiter": sign},
        partial(_first_rows, lines[first + length : filled[0] + LOOKED_AT], first + length),
    )


def _cut(
    below: Sequence[str], delimiter: str | None, quoting: str, width: int = 0
) -> tuple[str, tuple[str, ...], int]:
    """Return the delimiter that gives the first row most cells, or so many; they; its lines."""
    found, fault = list[tuple[str, tuple[str, ...], int]](), csv.Error()
    for sign in (delimiter,) if delimiter else DELIMITERS:
        reader = _reader(below, sign, quoting)
        try:
            first, *more = next(reader, None) or [""]
        except csv.Error as problem:
            fault = problem
            continue
        found.append((sign, (first.removeprefix("\ufeff"), *more), reader.line_num))
    if not found:
        raise fault
    return max(found, key=lambda each: (len(each[1]) == width, len(each[1])))


def _first_rows(lines: Sequence[str], above: int) -> Iterator[Row]:
    """Yield the first rows below a header, each cut by what gives it most cells."""
    for number, line in enumerate(lines, above + 1):
        with suppress(csv.Error):
            yield Row(number, _cut([line.strip("\r\n")], None, "strict")[1])


def _rows(data: bytes, skipped: int, encoding: str, delimiter: str, quoting: str) -> Iterator[Row]:
    """Yield the rows below the header with the physical line that each begins on."""
    line = skipped + 1
    with io.TextIOWrapper(io.BytesIO(data), encoding, _error_handler(encoding), newline="") as text:
        for _ in range(skipped):
            next(text, "")
        reader = _reader(text, delimiter, quoting)
        try:
            for cells in reader:
                following = skipped + reader.line_num + 1
                yield Row(line, cells, None, following - line)
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
