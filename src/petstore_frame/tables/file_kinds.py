"""Reads a file into memory, and recognizes its kind by its bytes."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import Literal

from petstore_frame.errors import InputError
from petstore_frame.limits import LINE_BYTES, ROWS, UNPACKED_BYTES

FileKind = Literal["csv", "workbook", "jsonl", "parquet"]
JSON_LINES_HINT = 'save it as JSON lines: one object per line, such as {"name": "Rex"}'

_ZIP, _GZIP, _PARQUET, _OLE = b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"\xd0\xcf\x11\xe0"
AS_TABLE = "save it as CSV (UTF-8) or .xlsx"
# Files that cannot be read: their first bytes, their kind, and what to save them as.
_OTHER_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF", "a PDF document", "export the list behind it as CSV or .xlsx"),
    (b"\xfd7zXZ", "a file packed by xz", "unpack it, or pack it with gzip"),
    (b"BZh", "a file packed by bzip2", "unpack it, or pack it with gzip"),
    (b"(\xb5/\xfd", "a file packed by zstd", "unpack it, or pack it with gzip"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"{\\rtf", "a Rich Text document", AS_TABLE),
    (b"SQLite format 3", "an SQLite database", "export the table of the animals as CSV"),
    (b"\x89PNG", "an image", "type the list into a spreadsheet"),
    (b"\xff\xd8\xff", "an image", "type the list into a spreadsheet"),
)
# Texts that are not tables: what they begin with, their kind, and what to save them as.
_OTHER_TEXTS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (
        re.compile(rb"version https://git-lfs"),
        "a Git LFS pointer, which stands for the file",
        "get the file with: git lfs pull",
    ),
    (
        re.compile(rb"\s*<(!doctype\s+html|html|head|body|table|meta|div)\b", re.IGNORECASE),
        "a web page (HTML), despite its name",
        AS_TABLE,
    ),
    (re.compile(rb"\s*<(\?xml|[A-Za-z][\w.:-]*[\s/>])"), "an XML document", AS_TABLE),
    (
        re.compile(
            rb"\s*((--|#|/\*)[^\n]*\n\s*)*(INSERT\s+INTO|(CREATE|DROP)\s+TABLE|BEGIN;)\s",
            re.IGNORECASE,
        ),
        "an SQL script",
        "export the table of the animals as CSV (UTF-8)",
    ),
)
_JSON_DOCUMENT = re.compile(rb"\s*(\[\s*[\[{\]]|\{\s*[\"}])")
_STRICT = b"http://purl.oclc.org/ooxml/"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE, _CHUNK = 4096, 1024 * 1024
_WHEN_LOCKED = (
    "if it is open in Excel, close it there, otherwise check your right to read it; then run the "
    "same call again"
)
_SPLIT = "split it, with the header in each part; with a key, no animal is sent twice"
# A NUL in one of ten pairs of bytes, and nearly always at the same place of its pair: UTF-16.
_LEAST_SHARE, _LEAST_RATIO = 0.1, 8


def read_file(path: Path, noun: str = "file") -> bytes:
    """Return the bytes of a file; ``noun`` is what a message calls it.

    Raises:
        InputError: The path is not a file, or the file changes while it is read.
    """
    try:
        mode = path.stat().st_mode  # before opening, which would block on a pipe
        file = path.open("rb") if stat.S_ISREG(mode) else None
    except PermissionError as problem:
        message = f"cannot open the {noun}: {problem.strerror}"
        raise InputError(message, hint=_WHEN_LOCKED) from None
    except (OSError, ValueError) as problem:  # a ValueError if the name has a NUL
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot open the {noun}: {reason}", hint="check its path") from None
    if file is None:
        raise InputError("this is a folder, a pipe or a device", hint="name a file")
    with file:
        before = os.fstat(file.fileno())
        UNPACKED_BYTES.check(before.st_size, hint=_SPLIT)
        data = file.read(before.st_size + 1)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        hint = "load it again when it is complete"
        raise InputError("the file changed while it was being read", hint=hint)
    return data


def unpack(data: bytes) -> bytes:
    """Return the content of a gzip file; any other file is returned unchanged.

    Raises:
        InputError: The gzip file is damaged, or the file is too large.
    """
    if not data.startswith(_GZIP):
        UNPACKED_BYTES.check(len(data), hint=_SPLIT)
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            size = 0
            while chunk := packed.read(_CHUNK):  # counted before anything is kept
                size += len(chunk)
                UNPACKED_BYTES.check(size, is_exact=False, hint=_SPLIT)
        return gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    except (OSError, EOFError, zlib.error) as problem:
        hint = "get it again from the person or program that packed it"
        raise InputError(f"the gzip file is damaged: {problem}", hint=hint) from None


def check_lines(data: bytes) -> None:
    """Refuse a text with too many lines, or with a very long one.

    A line of twice the limit has a block of the limit's length without a line break.

    Raises:
        InputError: The text exceeds a limit.
    """
    ROWS.check(max(data.count(b"\n"), data.count(b"\r")), hint=_SPLIT)
    length = LINE_BYTES.most
    for start in range(0, len(data) - length, length):
        end = start + length
        if data.find(b"\n", start, end) < 0 and data.find(b"\r", start, end) < 0:
            line = data.count(b"\n", 0, start) + 1
            LINE_BYTES.check(length + 1, is_exact=False, line=line)


def kind_of(data: bytes, *, json_hint: str = JSON_LINES_HINT) -> FileKind:
    """Return the kind of a file, by its first bytes.

    ``json_hint`` is the next step for a JSON document.

    Raises:
        InputError: Files of this kind cannot be read; the hint suggests another format.
    """
    if data.startswith(_ZIP):
        return "workbook"
    if data.startswith(_PARQUET):
        return "parquet"
    if data.startswith(_OLE):
        raise _old_workbook(data)
    for start, name, hint in _OTHER_KINDS:
        if data.startswith(start):
            raise InputError(f"this is {name}", hint=hint)
    text = data[:_SAMPLE].replace(b"\0", b"").removeprefix(codecs.BOM_UTF8).lstrip(b"\xff\xfe")
    for beginning, name, hint in _OTHER_TEXTS:
        if beginning.match(text):
            raise InputError(f"this is {name}", hint=hint)
    if _is_json_lines(data):
        return "jsonl"
    if _JSON_DOCUMENT.match(text):
        raise InputError("this is a JSON document", hint=json_hint)
    return "csv"


def reject_other_archive(packed: zipfile.ZipFile) -> None:
    """Reject a zip file that is not a workbook of the kind ``.xlsx``.

    Raises:
        InputError: It is another kind of workbook, or no workbook; the message names the kind.
    """
    parts = packed.namelist()
    if "xl/workbook.xml" in parts:
        with packed.open("xl/workbook.xml") as part:
            is_strict = _STRICT in part.read(_SAMPLE)
        if is_strict:
            hint = "save it as .xlsx (Excel Workbook, not Strict Open XML)"
            raise InputError("this is a workbook in the format Strict Open XML", hint=hint)
        return
    if "mimetype" in parts and b"opendocument" in packed.read("mimetype")[:100]:
        raise InputError("this is an OpenDocument file", hint="save it as .xlsx or as CSV")
    if "xl/workbook.bin" in parts:
        hint = "save it as .xlsx (Excel Workbook)"
        raise InputError("this is a binary workbook (.xlsb)", hint=hint)
    if any(name.endswith(".iwa") for name in parts):
        hint = "export it: File > Export To > Excel, or CSV with the encoding Unicode (UTF-8)"
        raise InputError("this is a Numbers document", hint=hint)
    if "word/document.xml" in parts:
        raise InputError("this is a Word document (.docx)", hint=f"copy its table, and {AS_TABLE}")
    raise InputError("this is a zip file, not a workbook", hint="unpack it, or save it as .xlsx")


def marked_encoding(data: bytes) -> str | None:
    """Return the encoding that a byte order mark states, or None."""
    return next((codec for mark, codec in _MARKS.items() if data.startswith(mark)), None)


def utf16_orders(data: bytes) -> tuple[str, ...]:
    """Return both UTF-16 encodings, the more likely one first, for UTF-16 without a mark.

    The letters and signs of ASCII have a NUL in UTF-16, always at the same place of their pair of
    bytes. For any other file the result is empty.

    Example:
        >>> utf16_orders("name,id".encode("utf-16-be")), utf16_orders(b"name,id")
        (('utf-16-be', 'utf-16-le'), ())
    """
    sample = data[: 16 * _SAMPLE]
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    most, least = max(first, second), min(first, second)
    is_utf16 = most >= _LEAST_SHARE * len(sample) / 2 and most > _LEAST_RATIO * least
    if not sample or not is_utf16:
        return ()
    return ("utf-16-le", "utf-16-be") if second > first else ("utf-16-be", "utf-16-le")


def _is_json_lines(data: bytes) -> bool:
    """Return True if the first line of a file is a complete JSON object."""
    first_line = data.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")[0]
    if not first_line.startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first_line), dict)
    except (ValueError, RecursionError):
        return False


def _old_workbook(data: bytes) -> InputError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        hint = "open it with its password and save it without one"
        return InputError("the workbook is protected by a password", hint=hint)
    return InputError("this is an old Office file (.xls)", hint="save it as .xlsx")
