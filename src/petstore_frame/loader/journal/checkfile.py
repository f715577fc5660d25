"""How a journal that has lost something is noticed: a second, small file that counts along.

After each commit, and before the first byte that it allows is sent, the check file beside the
database is given the number of that commit. A database that has fewer commits than its check file
says has lost some: its log was removed, cut or damaged, or it was restored from an older copy. The
main file is written only when the log is brought into it; the check file then has its size and
checksum, so that a changed main file is noticed too. The check file is not synced at each commit: a
power cut may leave it behind the database, which proves nothing lost, and never ahead of it.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import NamedTuple

SUFFIX = ".check"
# Each state goes to the other half of the file, so that a torn write leaves the last one whole.
_SLOT, _CHUNK = 512, 1 << 20


class Mark(NamedTuple):
    """What a check file says.

    Attributes:
        commits: How many commits the database has at least.
        size: The size of its main file in bytes.
        crc: The CRC-32 of its main file.
        is_moving: The log was being brought into the main file, so that it may be half done.
        turn: Counts the states of the check file itself.
    """

    commits: int
    size: int
    crc: int
    is_moving: bool = False
    turn: int = 0


class CheckFile:
    """The check file of a database; the caller holds the database's lock.

    Args:
        database: The database.
        mark: What the file says now, or None for a new one.
    """

    def __init__(self, database: Path, mark: Mark | None) -> None:
        self._database = database
        self.mark = mark or Mark(0, 0, 0)
        place = path_of(database)
        if mark is None:
            place.touch(0o600)
        self._file = place.open("r+b", buffering=0)

    def count(self, commits: int) -> None:
        """Say that the database has so many commits, before anything of the last one is sent."""
        self._write(self.mark._replace(commits=commits))

    def begin_move(self) -> None:
        """Say that the log is about to be brought into the main file."""
        self._write(self.mark._replace(is_moving=True))
        os.fsync(self._file.fileno())

    def end_move(self, commits: int, *, of: Path | None = None) -> None:
        """Say what the main file, or a draft of it, is now that the log was brought into it."""
        size, crc = measure(of or self._database)
        self._write(Mark(commits, size, crc, False, self.mark.turn))
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, mark: Mark) -> None:
        self.mark = mark._replace(turn=self.mark.turn + 1)
        text = json.dumps(self.mark)
        line = f"{zlib.crc32(text.encode()):08x} {text}".ljust(_SLOT - 1) + "\n"
        self._file.seek(_SLOT * (self.mark.turn % 2))
        self._file.write(line.encode())


def path_of(database: Path) -> Path:
    """Return where the check file of a database is."""
    return database.with_name(database.name + SUFFIX)


def read_mark(database: Path) -> Mark | None:
    """Return what the check file of a database says; None where none can be read."""
    try:
        text = path_of(database).read_bytes()
    except OSError:
        return None
    marks = [_mark(text[:_SLOT]), _mark(text[_SLOT:])]
    return max((mark for mark in marks if mark), key=lambda mark: mark.turn, default=None)


def _mark(slot: bytes) -> Mark | None:
    crc, _, text = slot.rstrip().partition(b" ")
    if crc != b"%08x" % zlib.crc32(text):
        return None
    return Mark(*json.loads(text)) if text else None


def measure(path: Path) -> tuple[int, int]:
    """Return the size and the CRC-32 of a file."""
    size = crc = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
    return size, crc
