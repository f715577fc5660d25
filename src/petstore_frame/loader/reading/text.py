"""How the bytes of a CSV file become rows of text, or why they cannot.

In: a file (plain or gzip). Out: its header, and a strict ``csv.reader`` that stands before the
first record. Nothing is guessed that could change a name: an encoding is proven (a byte order
mark, or UTF-8 without a fault) or given, and a delimiter counts only if its header has the needed
columns. What a cell means is judged elsewhere.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, BinaryIO, cast

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import MAX_CELL
from petstore_frame.loader.reading.giants import shorten_giants

DELIMITERS = (",", ";", "\t", "|")
_CHUNK = 256 * 1024
SAMPLE = 1024 * 1024
_FREE_SIZE, _MAX_RATIO = 32 * 1024 * 1024, 200
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEP_LINE = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)

# csv's own limit of 131,072 characters would abort the file at one long cell; ours makes that
# cell invalid. The limit belongs to the process, so it is only ever raised.
_FIELD_LIMIT = 2 * MAX_CELL
# By delimiter, the names of the columns and how many physical lines they take.
_Headers = dict[str, tuple[tuple[str, ...], int]]
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"
DAMAGED = (OSError, EOFError, zlib.error)


@dataclass(frozen=True)
class Dialect:
    """How the text of one file is laid out.

    Attributes:
        encoding: Name of the codec.
        delimiter: The character between two cells.
        quoting: ``strict`` for quoted cells, ``none`` to read quotes as letters.
        header: The column names.
        first_line: Physical line of the first record.
        has_giants: Some line is so long that it must be read piecewise.
    """

    encoding: str
    delimiter: str
    quoting: str
    header: tuple[str, ...]
    first_line: int
    has_giants: bool


def find_dialects(
    file: BinaryIO,
    path: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str = "strict",
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
) -> list[Dialect]:
    """Find out how a file can be read, its encoding proven.

    Args:
        file: The file, open for bytes; read from its start.
        path: Its path, for messages.
        encoding: The codec, where the caller knows it.
        delimiter: The delimiter, where the caller knows it.
        quoting: ``strict`` or ``none``.
        columns: The column names of a file without a header.
        header_row: Physical line of the header; None is the first that is not blank.

    Returns:
        One dialect per delimiter that may be meant, the one with most columns first; a single one
        where the caller or the file's first line names the delimiter.

    Raises:
        InputError: The encoding cannot be found out, or the first line cannot be read.
    """
    codec = _find_encoding(file, path, encoding)
    has_giants = _prove_encoding(file, path, codec, is_given=encoding is not None)
    with text_of(file, codec) as text:
        sample = text.read(SAMPLE)
        goes_on = bool(text.read(1))
    if not sample.strip():
        raise InputError("the file is empty", path=path, hint="it needs a header and records")
    skipped, delimiter = _leading_lines(sample, delimiter)
    if header_row is not None:
        skipped = header_row - 1
    body = "".join(islice(io.StringIO(sample, newline=""), skipped, None))
    if columns is not None:
        delimiter = delimiter or _delimiter_by_width(body, quoting, len(columns), path)
        return [Dialect(codec, delimiter, quoting, tuple(columns), skipped + 1, has_giants)]
    if not next(iter(io.StringIO(body, newline="")), "").strip():
        raise InputError(f"no header in line {skipped + 1}", path=path, hint="count from 1")
    headers, problems = _headers(body, [delimiter] if delimiter else DELIMITERS, quoting)
    if goes_on:
        headers = _whole(headers, body, path, skipped + 1)
    if not headers:
        raise InputError(
            f"the header cannot be read: {problems[-1]}",
            path=path,
            line=skipped + 1,
            hint="look at its quotes",
        )
    return [
        Dialect(codec, sign, quoting, header, skipped + length + 1, has_giants)
        for sign, (header, length) in sorted(headers.items(), key=lambda found: -len(found[1][0]))
    ]


def _headers(
    body: str, delimiters: Sequence[str], quoting: str
) -> tuple[_Headers, list[csv.Error]]:
    """Return the header by delimiter, with how many physical lines it takes, and the failures."""
    headers, problems = _Headers(), list[csv.Error]()
    for delimiter in delimiters:
        try:
            header, length = _first_row(body, delimiter, quoting)
        except csv.Error as problem:
            problems.append(problem)
        else:
            headers[delimiter] = ((header[0].removeprefix("\ufeff"), *header[1:]), length)
    return headers, problems


def _whole(headers: _Headers, body: str, path: str, line: int) -> _Headers:
    """Return the headers that end within the sample.

    Raises:
        InputError: There are some, and none of them does.
    """
    lines = sum(1 for _ in io.StringIO(body, newline=""))
    whole = {sign: found for sign, found in headers.items() if found[1] < lines}
    if headers and not whole:
        raise InputError(
            f"the header is longer than {SAMPLE:,} characters",
            path=path,
            line=line,
            hint="keep only the columns of the animals, and look at its quotes",
        )
    return whole


def text_of(file: BinaryIO, encoding: str) -> _Text:
    """Return the file's text from its start, line ends untouched; the file stays open."""
    return _Text(file, encoding)


class _Text(io.TextIOWrapper):
    """Text of a file that somebody else closes: leaving it does not close the file."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        super().__init__(
            cast("IO[bytes]", bytes_of(file)), encoding, _error_handler(encoding), newline=""
        )

    def __exit__(self, *exc: object) -> None:
        self.detach()


def bytes_of(file: BinaryIO) -> BinaryIO:
    """Return the file's bytes from its start, unpacked where it is gzip."""
    file.seek(0)
    is_packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_packed else file


def _error_handler(encoding: str) -> str:
    """Accept a lone surrogate where the codec can, so that it costs one record, not all."""
    return "surrogatepass" if encoding.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def read_rows(text: IO[str], dialect: Dialect) -> Any:
    """Return a strict CSV reader that stands before the first record of the text."""
    lines: Iterator[str] = iter(text)
    for _ in range(dialect.first_line - 1):
        next(lines, None)
    if dialect.has_giants:
        lines = shorten_giants(text, dialect.delimiter, has_quotes=dialect.quoting == "strict")
    return _reader(lines, dialect.delimiter, dialect.quoting)


def _reader(lines: Iterator[str], delimiter: str, quoting: str) -> Any:
    csv.field_size_limit(max(csv.field_size_limit(), _FIELD_LIMIT))
    if quoting == "none":
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _find_encoding(file: BinaryIO, path: str, encoding: str | None) -> str:
    try:
        start = bytes_of(file).read(4096)
    except DAMAGED as problem:
        raise InputError(f"the gzip file is damaged: {problem}", path=path) from None
    marked = next((name for mark, name in _BOMS if start.startswith(mark)), None)
    if encoding is not None:
        name = codecs.lookup(encoding).name
        return "utf-8-sig" if name == "utf-8" else name
    if marked:
        return marked
    # In UTF-16 every other byte of Latin text is 0; in the block that a crash leaves, each is.
    even, odd = start[::2].count(0), start[1::2].count(0)
    if abs(odd - even) * 4 > len(start):
        likely = "utf-16-le" if odd > even else "utf-16-be"
        raise InputError(
            "the file looks like UTF-16 without a byte order mark",
            path=path,
            hint=Advice("name it: {}", ("encoding", likely), by_hand=_SAVE_AS_UTF8),
        )
    return "utf-8"


def _prove_encoding(file: BinaryIO, path: str, codec: str, *, is_given: bool) -> bool:
    """Decode the whole file once; return whether it has lines of more than a chunk."""
    decoder = codecs.getincrementaldecoder(codec)(_error_handler(codec))
    packed = file.seek(0, io.SEEK_END)
    stream, read, lines, has_giants = bytes_of(file), 0, 1, False
    try:
        while chunk := stream.read(_CHUNK):
            _refuse_bomb(stream.tell(), packed, path)
            waiting = decoder.getstate()[0]
            decoder.decode(chunk)
            read += len(chunk)
            lines += chunk.count(b"\n")
            has_giants |= len(chunk) == _CHUNK and b"\n" not in chunk and b"\r" not in chunk
        waiting, chunk = decoder.getstate()[0], b""
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        whole = waiting + chunk
        raise _misread(path, codec, is_given, read - len(waiting), whole, problem, lines) from None
    except UnicodeError as problem:  # punycode says no more than this
        raise InputError(f"the file is not {codec} text: {problem}", path=path) from None
    except DAMAGED as problem:
        raise InputError(f"the gzip file is damaged: {problem}", path=path) from None
    return has_giants


def _refuse_bomb(unpacked: int, packed: int, path: str) -> None:
    """Refuse a packed file that unpacks to far more, before it fills a disk."""
    if unpacked > _FREE_SIZE and unpacked > _MAX_RATIO * packed:
        raise InputError(
            f"it unpacks to more than {_MAX_RATIO} times its size, which no list of animals needs",
            path=path,
            hint="unpack it yourself and look at it",
        )


def _misread(
    path: str,
    codec: str,
    is_given: bool,
    offset: int,
    chunk: bytes,
    problem: UnicodeDecodeError,
    lines: int,
) -> InputError:
    """Name the place where the bytes are not text, and how other codecs would read it."""
    at = problem.start + len(chunk) - len(problem.object)
    line = chunk[chunk.rfind(b"\n", 0, at) + 1 : at + 20].split(b"\n")[0][-60:]
    parts = list[Any]()
    for name in ("cp1252", "cp1250", "mac_roman"):
        parts += [("encoding", name), repr(line.decode(name, "replace").strip())]
    wanted = codec.removesuffix("-sig").upper() if is_given else "UTF-8"
    return InputError(
        f"byte {offset + at + 1:,} (0x{chunk[at]:02x}) is not {wanted} text",
        path=path,
        line=lines + chunk.count(b"\n", 0, at),
        hint=Advice(
            "name its encoding: {} reads {}; {} reads {}; {} reads {}",
            *parts,
            by_hand=_SAVE_AS_UTF8,
        ),
    )


def _leading_lines(sample: str, delimiter: str | None) -> tuple[int, str | None]:
    """Return how many lines to skip before the header, and the delimiter if a line names it."""
    for at, line in enumerate(io.StringIO(sample, newline="")):
        named = _SEP_LINE.fullmatch(line) if at == 0 else None
        if named:
            delimiter = delimiter or named[1]
        elif line.strip():
            return at, delimiter
    return 0, delimiter


def _delimiter_by_width(body: str, quoting: str, width: int, path: str) -> str:
    for delimiter in DELIMITERS:
        try:
            if len(_first_row(body, delimiter, quoting)[0]) == width:
                return delimiter
        except csv.Error:
            continue
    raise InputError(
        f"no delimiter cuts the first line into the {width} columns given",
        path=path,
        line=1,
        hint=Advice("name it with {}, or give a name for each column", ("delimiter",)),
    )


def _first_row(body: str, delimiter: str, quoting: str) -> tuple[tuple[str, ...], int]:
    """Return the first row and how many physical lines it takes."""
    reader = _reader(iter(io.StringIO(body, newline="")), delimiter, quoting)
    return tuple(next(reader)), reader.line_num
