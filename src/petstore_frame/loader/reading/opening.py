"""What a path leads to, by its bytes: a workbook, or a text file and the rows in it.

The encoding is proven or given, never guessed. A byte order mark proves it, and so does a text that
is UTF-8 throughout. Otherwise the refusal shows how each likely encoding reads the line in
question, and a person chooses.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice, tee
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.tables import Row, Table
from petstore_frame.loader.reading.words import RecipeFields

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
DELIMITERS = (",", ";", "\t", "|")
# A line without end would fill the memory; no list of animals has one of this length.
MAX_LINE, MAX_HEADER = 16 * 1024 * 1024, 1024 * 1024
DAMAGED = (OSError, EOFError, zlib.error)
_CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "mac_roman", "cp850", "shift_jis", "gb18030",
    "big5", "euc_kr",
)  # fmt: skip
_CHUNK, _EXAMINED = 256 * 1024, 4 * 1024 * 1024
_FREE_SIZE, _MAX_RATIO = 32 * 1024 * 1024, 200
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for bytes; it must be one that ends: no folder, pipe or device."""
    try:
        mode = path.stat().st_mode  # before opening, which would wait at a pipe
        if stat.S_ISREG(mode):
            return path.open("rb")
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}") from None
    except ValueError as problem:  # such as a NUL in its name
        raise InputError(f"cannot open the file: {problem}", path=repr(str(path))) from None
    if stat.S_ISDIR(mode):
        raise InputError("this is a folder", hint="name a file in it")
    what = "this is a pipe or a device, not a file"
    raise InputError(what, hint="save its content as a file first")


def stamp_of(file: BinaryIO) -> tuple[int, int]:
    """Return what changes when an open file is written to: its size, and when."""
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns


def changed() -> InputError:
    """Return the refusal of a file that somebody writes to."""
    hint = "load it again when it is complete"
    return InputError("the file changed while it was being read", hint=hint)


def is_workbook(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a workbook, of today's format or of the old one.

    Where a file cannot be opened, or is empty, the ending of its name says it.
    """
    start = _first_bytes(path)
    return start in (ZIP, OLE) if start else fspath(path).lower().endswith((".xlsx", ".xlsm"))


def is_archive(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a zip file but not a workbook, such as a packed CSV file."""
    if _first_bytes(path) == ZIP:
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as packed:
            return not any(name.startswith("xl/") for name in packed.namelist())
    return False


def _first_bytes(path: str | PathLike[str]) -> bytes:
    with suppress(InputError), open_regular(Path(fspath(path))) as file:
        return file.read(len(ZIP))
    return b""


@dataclass(eq=False, repr=False)
class EncodingError(InputError):
    """The encoding of a file is not known; ``likely`` are some, the likeliest first."""

    likely: tuple[str, ...] = ()


def bytes_of(file: BinaryIO) -> BinaryIO:
    """Return the file's bytes from its start, unpacked where it is gzip."""
    file.seek(0)
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_gzip else file


@contextmanager
def _text_of(file: BinaryIO, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Give the text of a file from its start; somebody else closes the file."""
    stream = cast("IO[bytes]", bytes_of(file))
    text = io.TextIOWrapper(stream, encoding, _error_handler(encoding), newline="")
    try:
        yield text
    finally:
        with suppress(ValueError):  # the file was closed before
            text.detach()


def _error_handler(encoding: str) -> str:
    # Half a character is accepted where the codec can: it then spoils one record, not all.
    return "surrogatepass" if encoding.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def _proven_encoding(file: BinaryIO, given: str | None) -> str:
    """Return the codec of a text file, by which all of it was decoded once.

    Raises:
        EncodingError: It is not the one given, or not known.
        InputError: It is damaged, has a line without end, or is being written to.
    """
    try:
        codec = _codec_of(bytes_of(file).read(4096), given)
        try:
            _decode_all(file, codec)
        except UnicodeError:
            raise _misread(file, codec, is_given=given is not None) from None
    except DAMAGED as problem:
        raise InputError(f"the gzip file is damaged: {problem}") from None
    return codec


def _codec_of(start: bytes, given: str | None) -> str:
    if given is not None:
        name = codecs.lookup(given).name
        return "utf-8-sig" if name == "utf-8" else name
    # In UTF-16 every other byte of Latin text is 0; in the block that a crash leaves, each is.
    even, odd = start[::2].count(0), start[1::2].count(0)
    marked = next((name for mark, name in _BOMS if start.startswith(mark)), None)
    if marked or abs(odd - even) * 4 <= len(start):
        return marked or "utf-8"
    likely = "utf-16-le" if odd > even else "utf-16-be"
    what = "the file looks like UTF-16 without a byte order mark"
    raise EncodingError(what, hint="name it", add=("encoding", likely), likely=(likely,))


def _decode_all(file: BinaryIO, codec: str) -> None:
    """Decode the whole file once; refuse one that does not end or would fill the memory."""
    size, lines, length = stamp_of(file)[0], 1, 0
    with _text_of(file, codec) as text:
        unpacked = cast("BinaryIO", text.buffer)
        while chunk := text.read(_CHUNK):
            if file.tell() > size:
                raise changed()
            # Refused before it fills a disk.
            if unpacked.tell() > max(_FREE_SIZE, _MAX_RATIO * size):
                what = f"it unpacks to more than {_MAX_RATIO} times its size"
                hint = "unpack it yourself and look at it"
                raise InputError(f"{what}, which no list of animals needs", hint=hint)
            lines += chunk.count("\n")
            at = max(chunk.rfind("\n"), chunk.rfind("\r"))
            length = length + len(chunk) if at < 0 else len(chunk) - at
            if length > MAX_LINE:
                what = f"this line is longer than {MAX_LINE // 1024**2} MiB"
                raise InputError(what, line=lines, hint="is this a CSV file?")


def _first_fault(file: BinaryIO, codec: str) -> tuple[int | None, bytes, str]:
    """Return the number of the first line that is not text, its bytes, and which byte is wrong."""
    stream, offset = bytes_of(file), 0
    for number, line in enumerate(iter(partial(stream.readline, MAX_LINE), b""), 1):
        try:
            line.decode(codec, _error_handler(codec))
        except UnicodeDecodeError as fault:
            if codec.startswith(("utf-16", "utf-32")):  # where a line of bytes cuts characters
                break
            place = f"byte {offset + fault.start + 1:,} (0x{line[fault.start]:02x})"
            return number, line.splitlines()[0][:4096], place
        except UnicodeError:  # punycode says no more than this
            break
        offset += len(line)
    return None, b"", ""


def _misread(file: BinaryIO, codec: str, *, is_given: bool) -> EncodingError:
    """Name the place where the bytes are not text, and what encodings would make of the line."""
    wanted = codec.removesuffix("-sig").upper() if is_given else "UTF-8"
    number, line, place = _first_fault(file, codec)
    if number is None:
        return EncodingError(f"the file is not {wanted} text", hint=_SAVE_AS_UTF8)
    what = f"{place} is not {wanted} text"
    odd = [each for each in bytes_of(file).read(_EXAMINED).splitlines() if not each.isascii()]
    if sum(_reads(each, "utf-8") for each in odd) * 2 >= len(odd):
        hint = (
            "other lines are UTF-8, so no encoding fits the whole file; correct this line, which "
            f"reads {line.decode('utf-8', 'replace')[:60]!r}, and others like it"
        )
        return EncodingError(what, line=number, hint=hint)
    sample = b"\n".join(odd[:1000])
    fitting = [name for name in _CANDIDATES if _reads(sample, name)]
    if not fitting:
        return EncodingError(what, line=number, hint=_SAVE_AS_UTF8)
    # Those first that give words; the sort is stable, so the commoner encoding stays in front.
    fitting.sort(key=lambda name: -round(_plausibility(sample.decode(name)), 1))
    readings = dict[str, str]()
    for name in fitting:
        readings.setdefault(line.decode(name, "replace").strip()[-60:], name)
    shown = list(readings.items())[:3]
    ways = "; ".join(f"{name} reads {text!r}" for text, name in shown)
    hint, add = f"name its encoding: {ways}", ("encoding", fitting[0])
    return EncodingError(what, line=number, hint=hint, add=add, likely=tuple(fitting))


def _reads(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeError:
        return False
    return True


def _plausibility(text: str) -> float:
    """Return the share of letters beyond ASCII that are where a writer would put them, 0 to 1."""
    odd = [sign for sign in text if not sign.isascii()]
    points = sum(unicodedata.category(sign) in ("Pd", "Pi", "Pf") for sign in odd) / 2
    for word in re.findall(r"\w+", text):
        has_ascii = re.search("[A-Za-z]", word) is not None
        for before, sign in zip(" " + word, word, strict=False):
            is_latin = unicodedata.name(sign, "").startswith("LATIN")
            # A letter in a word of its own script, and no capital after a small letter.
            in_place = is_latin == has_ascii and not (before.islower() and sign.isupper())
            points += in_place and not sign.isascii()
    return points / max(1, len(odd))


def text_tables(file: BinaryIO, options: RecipeFields) -> list[Table]:
    """Return a table per possible delimiter, the one with most columns first.

    It is a single one where the caller or the file's first line names the delimiter.

    Raises:
        InputError: The encoding cannot be found out, or the header cannot be read.
    """
    encoding = _proven_encoding(file, options.encoding)
    with _text_of(file, encoding) as text:
        lines = [*io.StringIO(text.read(MAX_HEADER), newline="")]
        is_cut = bool(text.read(1))
    named = _SEP_LINE.fullmatch(lines[0]) if lines else None
    filled = [at for at, line in enumerate(lines) if line.strip() and not (named and at == 0)]
    if not filled:
        raise InputError("the file is empty", hint="it needs a header and records")
    delimiter = options.delimiter or (named[1] if named else None)
    first = filled[0] if options.header_row is None else options.header_row - 1
    header_row: int | None = first + 1
    rows, fault = _first_rows(lines[first:], delimiter, options.quoting)
    if options.columns is None:
        heads = _headers(rows, fault, lines[first:], first + 1, is_cut=is_cut)
    else:
        names, header_row = tuple(options.columns), options.header_row
        fitting = (sign for sign, (cells, _) in rows.items() if len(cells) == len(names))
        sign = delimiter or next(fitting, None)
        if sign is None:
            what = f"no delimiter cuts the first line into the {len(names)} columns given"
            hint = "name the delimiter, or give a name for each column"
            raise InputError(what, line=1, hint=hint)
        heads = {sign: (names, 0 if header_row is None else 1)}
    return [
        Table(
            columns,
            partial(_rows, file, first + length, encoding, sign, options.quoting),
            header_row,
            {"encoding": encoding, "delimiter": sign},
        )
        for sign, (columns, length) in sorted(heads.items(), key=lambda head: -len(head[1][0]))
    ]


# The cells of a first row, and how many physical lines it takes.
_FirstRow = tuple[tuple[str, ...], int]


def _first_rows(
    body: Sequence[str], delimiter: str | None, quoting: str
) -> tuple[dict[str, _FirstRow], csv.Error | None]:
    """Return the first row by each possible delimiter, and why one cannot be read."""
    rows, fault = dict[str, _FirstRow](), None
    for sign in (delimiter,) if delimiter else DELIMITERS:
        reader = _reader(body, sign, quoting)
        try:
            rows[sign] = tuple(next(reader, ())), reader.line_num
        except csv.Error as unread:
            fault = unread
    return rows, fault


def _headers(
    rows: Mapping[str, _FirstRow], fault: object, body: Sequence[str], line: int, *, is_cut: bool
) -> dict[str, _FirstRow]:
    """Return the rows that are headers; where the file ``is_cut`` its last line is not whole."""
    if not body or not body[0].strip():
        raise InputError(f"no header in line {line}", hint="count from 1")
    if not rows:
        what = f"the header cannot be read: {fault}"
        raise InputError(what, line=line, hint="look at its quotes")
    whole = {
        sign: ((cells[0].removeprefix("\ufeff"), *cells[1:]), length)
        for sign, (cells, length) in rows.items()
        if length < len(body) or not is_cut
    }
    if not whole:
        what = f"the header is longer than {MAX_HEADER:,} characters"
        hint = "keep only the columns of the animals, and look at its quotes"
        raise InputError(what, line=line, hint=hint)
    return whole


def cut_plainly(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of lines whose quotes are letters."""
    return list(_reader(lines, delimiter, "none"))


def _rows(
    file: BinaryIO, skipped: int, encoding: str, delimiter: str, quoting: str
) -> Iterator[Row]:
    """Yield the rows below the header with the physical line that each begins on."""
    line, done = skipped + 1, 0
    with _text_of(file, encoding) as text:
        lines, raw = tee(islice(text, skipped, None))
        reader = _reader(lines, delimiter, quoting)
        try:
            for cells in reader:
                count = reader.line_num - done
                first = next(raw)
                yield Row(line, cells, None, (first, *islice(raw, count - 1)) if count > 1 else ())
                done += count
                line += count
        except (csv.Error, UnicodeError) as fault:
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
    hint = 'close it, or double the quotes within a cell ("a ""b"" c"); or read quotes as letters'
    add = ("quoting", "none")
    return InputError(f"the record that begins here {what}", line=line, hint=hint, add=add)
