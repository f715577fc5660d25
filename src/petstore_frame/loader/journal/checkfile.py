"""How a journal that has lost something is noticed: a second, small file that counts along.

After each commit, and before the first byte that it allows is sent, the check file beside the
database is given the number of that commit. A database that has fewer commits than its check file
says has lost some: its log was removed, cut or damaged, or it was restored from an older copy. The
main file is written only when the log is brought into it; the check file then has its size and a
checksum over its pages, so that a changed main file is noticed too. It is not synced at each
commit: a power cut may leave it behind the database, which proves nothing lost, and never ahead.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

SUFFIX, LOG_SUFFIX = ".check", "-wal"
# Each state goes to the other half of the file, so that a torn write leaves the last one whole.
_SLOT = 512
PAGE, _LOG_HEAD, _FRAME_HEAD = 4096, 32, 24
# The time of the main file is set back by so much, so that any later write changes it.
_SET_BACK_NS = 10_000_000_000


class Mark(NamedTuple):
    """What a check file says.

    Attributes:
        commits: How many commits the database has at least.
        moved: How many of them are in its main file.
        size: The size of its main file in bytes.
        total: The sum of the checksums of that file's pages.
        time_ns: When the main file was changed, in nanoseconds since 1970.
        is_moving: The log was being brought into the main file, so that it may be half done.
        turn: Counts the states of the check file itself.
    """

    commits: int = 0
    moved: int = 0
    size: int = 0
    total: int = 0
    time_ns: int = 0
    is_moving: bool = False
    turn: int = 0


class CheckFile:
    """The check file of a database; the caller holds the database's lock."""

    def __init__(self, database: Path, mark: Mark | None) -> None:
        self._database = database
        self.mark = mark or Mark()
        place = path_of(database)
        if mark is None:
            place.touch(0o600)
        self._file = place.open("r+b", buffering=0)

    def count(self, commits: int) -> None:
        """Say that the database has so many commits, before anything of the last one is sent."""
        self._write(self.mark._replace(commits=commits))

    def note_new(self, draft: Path) -> None:
        """Say what a new database is, from its draft."""
        self._note(draft, measure(draft), 0)

    def note_move(self, move: Callable[[], None], commits: int) -> None:
        """Bring the log into the main file, and say what that one is then.

        Only the pages that the log holds are measured again, however large the file is.
        """
        pages = None if self.mark.is_moving else _pages_in(self._database)
        before = 0 if pages is None else measure(self._database, pages)
        self._write(self.mark._replace(is_moving=True))
        os.fsync(self._file.fileno())
        move()
        rest = 0 if pages is None else self.mark.total - before
        self._note(self._database, rest + measure(self._database, pages), commits)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _note(self, file: Path, total: int, commits: int) -> None:
        found = file.stat()
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns - _SET_BACK_NS))
        found = file.stat()
        size, time_ns = found.st_size, found.st_mtime_ns
        self._write(Mark(commits, commits, size, total, time_ns, False, self.mark.turn))
        os.fsync(self._file.fileno())

    def _write(self, mark: Mark) -> None:
        self.mark = mark._replace(turn=self.mark.turn + 1)
        text = json.dumps(self.mark)
        line = f"{zlib.crc32(text.encode()):08x} {text}".ljust(_SLOT - 1) + "\n"
        self._file.seek(_SLOT * (self.mark.turn % 2))
        self._file.write(line.encode())


def path_of(database: Path) -> Path:
    """Return where the check file of a database is."""
    return database.with_name(database.name + SUFFIX)


def log_of(database: Path) -> Path:
    """Return where the log of a database is."""
    return database.with_name(database.name + LOG_SUFFIX)


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


def is_as_noted(database: Path, mark: Mark) -> bool:
    """Tell whether a main file is what the check file says; one not written since is not read."""
    found = database.stat()
    if found.st_size != mark.size:
        return False
    return found.st_mtime_ns == mark.time_ns or measure(database) == mark.total


def measure(database: Path, pages: Iterable[int] | None = None) -> int:
    """Return the sum of the checksums of some pages of a file, or of all; a page's is its own."""
    total = 0
    with database.open("rb") as file:
        if pages is None:
            pages = range(1, -(-database.stat().st_size // PAGE) + 1)
        for page in pages:
            if file.tell() != (page - 1) * PAGE:
                file.seek((page - 1) * PAGE)
            content = file.read(PAGE)
            total += zlib.crc32(content, page) if content else 0
    return total


def _pages_in(database: Path) -> list[int]:
    """Return the pages of the main file that its log may change."""
    found: set[int] = set()
    try:
        with log_of(database).open("rb") as log:
            log.seek(_LOG_HEAD)
            while len(frame := log.read(_FRAME_HEAD + PAGE)) > _FRAME_HEAD:
                found.add(int.from_bytes(frame[:4], "big"))
    except FileNotFoundError:
        pass
    return sorted(page for page in found if page)
