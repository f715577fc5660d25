"""What a path leads to: a workbook or a text file, by its bytes; and a text file's encoding.

The encoding is proven or given, never guessed. A byte order mark proves it, and so does a text that
is UTF-8 throughout. Otherwise the refusal shows how each likely encoding reads the line in
question, and a person chooses.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Advice

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
SUFFIXES = (".xlsx", ".xlsm")
# A line without end would fill the memory; no list of animals has one of this length.
MAX_LINE = 16 * 1024 * 1024
DAMAGED = (OSError, EOFError, zlib.error)
CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "mac_roman", "cp850", "shift_jis", "gb18030",
    "big5", "euc_kr",
)  # fmt: skip
_CHUNK = 256 * 1024
_EXAMINED = 4 * 1024 * 1024
_FREE_SIZE, _MAX_RATIO = 32 * 1024 * 1024, 200
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAVE_AS_UTF8 = "save it with the encoding UTF-8"


def open_regular(path: Path) -> BinaryIO:
    """Open a file for bytes; it must be one that ends: no folder, pipe or device."""
    try:
        mode = path.stat().st_mode  # before opening, which would wait at a pipe
        file = path.open("rb") if stat.S_ISREG(mode) else None
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}") from None
    except ValueError as problem:  # such as a NUL in its name
        raise InputError(f"cannot open the file: {problem}", path=repr(str(path))) from None
    if file is not None:
        return file
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
    what = "the file changed while it was being read"
    return InputError(what, hint="load it again when it is complete")


def is_packed(file: BinaryIO) -> bool:
    """Tell whether an open file is a workbook by its first bytes; an old one is refused."""
    file.seek(0)
    start = file.read(len(ZIP))
    if start == OLE:
        raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")
    return start == ZIP


def is_workbook(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a workbook, of today's format or of the old one.

    Where a file cannot be opened, or is empty, the ending of its name says it.
    """
    start = _first_bytes(path)
    return start in (ZIP, OLE) if start else fspath(path).lower().endswith(SUFFIXES)


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


class Decoded(NamedTuple):
    """How an encoding reads a line that is not UTF-8."""

    encoding: str
    line: str


@dataclass(eq=False, repr=False)
class EncodingError(InputError):
    """The encoding of a file is not known; ``candidates`` are likely ones, the likeliest first."""

    candidates: tuple[Decoded, ...] = ()


def bytes_of(file: BinaryIO) -> BinaryIO:
    """Return the file's bytes from its start, unpacked where it is gzip."""
    file.seek(0)
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_gzip else file


@contextmanager
def text_of(file: BinaryIO, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Give the text of a file from its start; somebody else closes the file."""
    stream = cast("IO[bytes]", bytes_of(file))
    text = io.TextIOWrapper(stream, encoding, _error_handler(encoding), newline="")
    try:
        yield text
    finally:
        with suppress(ValueError):  # the file was closed before
            text.detach()


def _error_handler(encoding: str) -> str:
    """Accept half a character where the codec can: it then spoils one record, not all."""
    return "surrogatepass" if encoding.startswith(("utf-8", "utf-16", "utf-32")) else "strict"


def proven_encoding(file: BinaryIO, given: str | None) -> str:
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
    hint = Advice("name it: {}", ("encoding", likely), by_hand=_SAVE_AS_UTF8)
    first = Decoded(likely, start.decode(likely, "replace").partition("\n")[0].strip()[:60])
    raise EncodingError(what, hint=hint, answer={"encoding": likely}, candidates=(first,))


def _decode_all(file: BinaryIO, codec: str) -> None:
    """Decode the whole file once; refuse one that does not end or would fill the memory."""
    size, lines, length = stamp_of(file)[0], 1, 0
    with text_of(file, codec) as text:
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
    what, start = f"{place} is not {wanted} text", bytes_of(file).read(_EXAMINED)
    if _is_mostly_utf8(start):
        hint = (
            "other lines are UTF-8, so no encoding fits the whole file; correct this line, which "
            f"reads {line.decode('utf-8', 'replace')[:60]!r}, and others like it"
        )
        return EncodingError(what, line=number, hint=hint)
    found = tuple(_candidates(start, line))
    if not found:
        return EncodingError(what, line=number, hint=_SAVE_AS_UTF8)
    readings = {each.line: each.encoding for each in reversed(found)}
    shown = list(reversed(readings.items()))[:3]
    parts = [part for text, name in shown for part in (("encoding", name), repr(text))]
    ways = "name its encoding: " + "; ".join(["{} reads {}"] * len(shown))
    return EncodingError(
        what,
        line=number,
        hint=Advice(ways, *parts, by_hand=_SAVE_AS_UTF8),
        answer={"encoding": found[0].encoding},
        candidates=found,
    )


def _is_mostly_utf8(start: bytes) -> bool:
    """Tell whether at least half of the lines with letters beyond ASCII are UTF-8."""
    odd = [line for line in start.splitlines() if not line.isascii()]
    return sum(_reads(line, "utf-8") for line in odd) * 2 >= len(odd)


def _reads(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeError:
        return False
    return True


def _candidates(start: bytes, line: bytes) -> list[Decoded]:
    """Return the encodings that can read the sample, those first that give words."""
    odd = b"\n".join([each for each in start.splitlines() if not each.isascii()][:1000])
    found = [name for name in CANDIDATES if _reads(odd, name)]
    # The sort is stable, so the commoner encoding stays in front.
    found.sort(key=lambda name: -round(_plausibility(odd.decode(name)), 1))
    return [Decoded(name, line.decode(name, "replace").strip()[-60:]) for name in found]


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
