"""What kind of file a path leads to, by its content: programs export text as ``.xlsx``."""

from __future__ import annotations

import os
import stat
import zipfile
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

from petstore_frame.errors import InputError

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
SUFFIXES = (".xlsx", ".xlsm")
Stamp = tuple[int, int]


def open_regular(path: Path) -> BinaryIO:
    """Open a file for bytes; it must be one that ends.

    Raises:
        InputError: It is not there, or is a folder, a pipe or a device.
    """
    try:
        mode = path.stat().st_mode  # before opening, which would wait at a pipe
        file = path.open("rb") if stat.S_ISREG(mode) else None
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}", path=str(path)) from None
    except ValueError as problem:  # such as a NUL in its name
        raise InputError(f"cannot open the file: {problem}", path=repr(str(path))) from None
    if file is not None:
        return file
    if stat.S_ISDIR(mode):
        raise InputError("this is a folder", path=str(path), hint="name a file in it")
    raise InputError(
        "this is a pipe or a device, not a file",
        path=str(path),
        hint="save its content as a file first",
    )


def stamp_of(file: BinaryIO) -> Stamp:
    """Return what changes when an open file is written to: its size, and when."""
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns


def changed() -> InputError:
    """Return the refusal of a file that somebody writes to."""
    what = "the file changed while it was being read"
    return InputError(what, hint="load it again when it is complete")


def is_packed(file: BinaryIO) -> bool:
    """Tell whether an open file is a workbook by its first bytes.

    Raises:
        InputError: It is a workbook of the old kind.
    """
    file.seek(0)
    start = file.read(len(ZIP))
    if start == OLE:
        raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")
    return start == ZIP


def is_workbook(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a workbook, of today's format or of the old one.

    A file that is not there, cannot be opened or is empty is judged by the ending of its name.
    """
    file = Path(fspath(path))
    start = _first_bytes(file)
    return start in (ZIP, OLE) if start else file.suffix.lower() in SUFFIXES


def is_archive(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a zip file but not a workbook, such as a packed CSV file."""
    if _first_bytes(Path(fspath(path))) != ZIP:
        return False
    with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as packed:
        return not any(name.startswith("xl/") for name in packed.namelist())
    return False


def _first_bytes(file: Path) -> bytes:
    try:
        if not file.is_file():  # a pipe would lose what is read from it here
            return b""
        with file.open("rb") as opened:
            return opened.read(len(ZIP))
    except (OSError, ValueError):
        return b""
