"""What kind of file a path leads to.

In: a path. Out: whether it is a workbook, or another zip file. Content beats name: programs export
text as ``.xlsx``, and people rename workbooks to ``.csv``.
"""

from __future__ import annotations

import zipfile
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
SUFFIXES = (".xlsx", ".xlsm")


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
