"""Opens the journal database of a store and checks that nothing is missing from it.

A small file next to the database holds the number of its commits. It is written after each commit,
before any request that depends on the commit is sent. If the database has fewer commits than this
file says, some were lost: its log was removed or truncated, or an older copy was put back. The
small file is not synced at each commit. After a power cut it may be behind the database, which is
harmless, but it is never ahead of it. It also holds the state of the database file at its last
close. If that is unchanged, nobody has written to the database, so the integrity check is skipped:
it takes longer with each load.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from petstore_frame.errors import (
    ConfigurationError,
    JournalError,
    JournalLockedError,
    PetstoreError,
    is_disk_full,
)
from petstore_frame.loader.journal.schema import FORMAT, TABLES
from petstore_frame.loader.journal.stored_values import DamagedValueError
from petstore_frame.storage import LockedError, locked, replacing
from petstore_frame.transport import same_store_address
from petstore_frame.validation import checked_path

SUFFIX, LOCK, COUNT, LOG = ".sqlite3", ".lock", ".commits", "-wal"
NOTHING_SENT, STOPPED = "; nothing was sent", "; sending has stopped"
OF_DISK = (sqlite3.Error, OSError)
_COUNT_BYTES = 21  # size of the number of commits and its line end
# What damaged text, values and JSON raise.
_DAMAGES = (UnicodeDecodeError, DamagedValueError, json.JSONDecodeError)
# A missing table, a file that is not a database, or a truncated one: rows were lost.
_LOST = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# A disk with less free space counts as full: SQLite may report another error for it.
_MIN_FREE_BYTES = 64 * 1024
_ASKS_AGAIN = (
    "run the same import again: it compares the file with the pets of the store, and asks before "
    "it sends any that is there already"
)


def unusual_folder(journal: Path) -> str | None:
    """Return the folder of a journal as a user types it; None for the usual folder."""
    if journal.parent == place_of(None, "").parent:
        return None
    relative = os.path.relpath(journal.parent)
    return fspath(journal.parent) if relative.startswith("..") else relative


def place_of(
    journal: str | PathLike[str] | None, base_url: str, store_id: str | None = None
) -> Path:
    """Return the absolute path of the journal for a store; the file may not exist yet.

    ``store_id`` is needed only if another store was at this address before.
    """
    folder = _default_folder() if journal is None else checked_path("journal", journal).absolute()
    address = same_store_address(base_url)
    parts = urlsplit(address)
    readable = re.sub(r"[^a-z0-9.]+", "-", f"{parts.netloc}{parts.path}".lower()).strip("-.")
    stores = [address] if store_id is None else [address, store_id]
    digests = [hashlib.sha256(text.encode()).hexdigest()[:8] for text in stores]
    return folder / f"{'-'.join([readable[:60], *digests])}{SUFFIX}"


def _default_folder() -> Path:
    from platformdirs import user_state_path

    try:
        return user_state_path("petstore-frame") / "journals"
    except RuntimeError as problem:  # neither HOME nor an entry for this user
        raise ConfigurationError(
            "there is no home directory for the journal: set HOME or XDG_STATE_HOME, or name "
            "its folder, in a shell with --journal"
        ) from problem


def find_journal(
    journal: str | PathLike[str] | None, base_url: str, ask_id: Callable[[], str | None]
) -> Path:
    """Return the path of the journal for a store; several stores at one address have one each.

    ``ask_id`` requests the id of the store. It is called only if a journal with an id exists.

    Raises:
        JournalError: The path is invalid on this system, or the journal is damaged.
    """
    path = place_of(journal, base_url)
    with sql_errors(path, NOTHING_SENT, (OSError, ValueError)):
        if not _exists(path):
            return path
    with reading(path, NOTHING_SENT) as sql:
        ((journal_id,),) = sql.execute("SELECT store_id FROM journal").fetchall()
    store_id = None if journal_id is None else ask_id()
    if store_id in (None, journal_id):
        return path
    return place_of(journal, base_url, store_id)


def _exists(path: Path) -> bool:
    """Return whether a file exists; unlike ``Path.exists``, raise if the path is unusable.

    Raises:
        OSError: The name is too long, or a parent folder is a file or cannot be read.
        ValueError: The path contains a NUL character.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def count_file(path: Path) -> Path:
    """Return the path of the file that holds the number of commits of a journal."""
    return path.with_name(path.name + COUNT)


def _read_count(path: Path, done: str) -> int | None:
    """Return the minimum number of commits of a journal; None if the count file is missing."""
    try:
        content = count_file(path).read_bytes()
        # The disk was full before the journal was created: nothing was lost.
        if not content and not path.exists():
            return None
        return int(content[:_COUNT_BYTES])
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        reason = f"cannot be trusted: {count_file(path).name} is damaged"
        raise _incomplete(path, reason, done) from problem


def write_count(path: Path, commits: int) -> None:
    """Write the number of commits of a closed journal."""
    # Replace the file atomically: a full disk leaves no empty file, and links are not followed.
    with replacing(count_file(path)) as draft:
        draft.touch(0o600)
        draft.write_bytes(b"%020d\n" % commits)


def _state_of_file(path: Path) -> bytes | None:
    """Return a fingerprint of the database file; None if its log still has entries."""
    log = path.with_name(path.name + LOG)
    if log.exists() and log.stat().st_size > 0:
        return None
    state = path.stat()
    return b"closed %d %d %d\n" % (state.st_ino, state.st_size, state.st_mtime_ns)


def is_as_closed(path: Path) -> bool:
    """Return whether a journal is unchanged since a load closed it."""
    with sql_errors(path, NOTHING_SENT, OF_DISK):
        state = _state_of_file(path)
        return state is not None and count_file(path).read_bytes()[_COUNT_BYTES:] == state


@contextmanager
def sql_errors(
    path: Path, done: str = "", kinds: tuple[type[Exception], ...] = (sqlite3.Error,)
) -> Iterator[None]:
    """Convert the given kinds of errors to JournalError; ``done`` says what was sent.

    A message of SQLite about damaged text may not be UTF-8: Python then raises UnicodeDecodeError.
    Keys and bodies are stored as JSON, and everything else that is JSON is read elsewhere.
    """
    converted: tuple[type[Exception], ...] = (*kinds, *_DAMAGES)
    try:
        yield
    except converted as problem:
        raise _journal_error(path, problem, done) from problem


@contextmanager
def _value_errors(path: Path, done: str) -> Iterator[None]:
    """Convert the error for a value that no import writes, such as an unknown state."""
    try:
        yield
    except PetstoreError:
        raise
    except (ValueError, TypeError, LookupError) as problem:
        reason = f"is damaged: it has a value that no import writes ({str(problem)[:80]})"
        raise _incomplete(path, reason, done) from problem


def _journal_error(path: Path, problem: Exception, done: str) -> JournalError:
    is_damaged = isinstance(problem, _DAMAGES)
    code = sqlite3.SQLITE_CORRUPT if is_damaged else None
    if isinstance(problem, sqlite3.Error):
        # Errors that Python itself raises, for text that is not UTF-8, have no code.
        code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if _is_disk_full(path, problem, code):
        reason = f"the disk of {path} is full{done}; free some space"
    elif isinstance(problem, ValueError) and code is None:
        return JournalError(f"{str(path)!r}: {problem}{done}; use another path")
    elif isinstance(problem, NotADirectoryError):
        return _unusable_folder(path.parent, f"cannot be created ({problem.strerror})")
    elif isinstance(problem, OSError) and not isinstance(problem, FileNotFoundError):
        reason = f"{problem.filename or path}: {problem.strerror}{done}; correct that"
    elif not Path(path).is_file():
        return JournalError(
            f"{path} is gone{done}. Put the folder back as it was. If it is lost, {_ASKS_AGAIN}"
        )
    elif code in _LOST:
        return _incomplete(path, f"is damaged or not a journal ({problem})", done)
    else:
        reason = f"{path}: {problem}{done}; check the disk"
    return JournalError(f"{reason}, then run the same import again")


def _is_disk_full(path: Path, problem: Exception, code: int | None) -> bool:
    """Return whether an error means a full disk; SQLite reports some of these as "I/O error"."""
    if code == sqlite3.SQLITE_FULL or is_disk_full(problem):
        return True
    if code not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return False
    try:
        return shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES
    except OSError:
        return False


def _incomplete(path: Path, reason: str, done: str) -> JournalError:
    """Return the error for a journal with missing entries."""
    return JournalError(
        f"{path} {reason}{done}. Put back the latest copies of {path.name}, {path.name}{LOG} and "
        f"{count_file(path).name}, all made at the same time: an older copy does not know what was "
        f"sent since. If there are none, move these files away and {_ASKS_AGAIN}"
    )


def _make_folder(folder: Path) -> None:
    """Create the folder of a journal, or say which folder to use instead."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        problem = "" if os.access(folder, os.W_OK) else "cannot be written to"
    except OSError as error:
        if is_disk_full(error):
            raise
        problem = f"cannot be created ({error.strerror})"
    if problem:
        raise _unusable_folder(folder, problem)


def _unusable_folder(folder: Path, problem: str) -> JournalError:
    """Return the error for the folder of a journal, with where it is from and what to do."""
    origin, way_out = "", "name another one"
    variable = next((name for name in ("XDG_STATE_HOME", "HOME") if os.environ.get(name)), None)
    if variable is not None and unusual_folder(folder / COUNT) is None:
        origin = f", which is from {variable},"
        way_out = f"set {variable} to another folder, or name one"
    return JournalError(
        f"the folder of the journal {folder}{origin} {problem}{NOTHING_SENT}; {way_out}, in a "
        "shell with --journal"
    )


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Lock a journal against other writers; create its folder if it is missing."""
    with ExitStack() as stack:
        try:
            with sql_errors(path, NOTHING_SENT, (OSError, ValueError)):
                # Readable by its owner only: a journal contains the cells of the loaded files.
                _make_folder(path.parent)
                stack.enter_context(locked(path.with_name(path.name + LOCK)))
        except LockedError:
            raise JournalLockedError(
                f"{path}: another import is running with this journal; wait for it to end, or stop "
                "it: it can be resumed"
            ) from None
        yield


def connect(path: Path, *, mode: str = "ro") -> sqlite3.Connection:
    """Open a database; mode ``ro`` writes nothing, not even on close."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK):
        address += "&immutable=1"
    return sqlite3.connect(
        address, uri=True, timeout=10.0, isolation_level=None, check_same_thread=False
    )


@contextmanager
def reading(path: Path, done: str = "") -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection to a journal.

    Raises:
        JournalError: The journal has missing entries, or another version wrote it.
    """
    min_commits = _read_count(path, done)  # read first, because an import may be writing now
    with sql_errors(path, done), _value_errors(path, done), closing(connect(path)) as sql:
        rows = sql.execute("SELECT format, commits FROM journal").fetchall()
        if len(rows) != 1:
            raise _incomplete(path, "is not as it was written", done)
        ((version, commits),) = rows
        if version != FORMAT:
            raise JournalError(
                f"{path} has the format {version}, and this program reads {FORMAT}{done}. "
                f"Use the version that wrote it, or move it away: then {_ASKS_AGAIN}"
            )
        if min_commits is None:
            raise _incomplete(path, f"was moved or copied without {count_file(path).name}", done)
        if commits < min_commits:
            reason = (
                f"has lost its last {min_commits - commits:,} entries: its log {path.name}{LOG} is "
                "missing or cut, or an older copy was put back"
            )
            raise _incomplete(path, reason, done)
        try:
            yield sql
        except PetstoreError:
            raise
        except (ValueError, KeyError, TypeError) as problem:  # a cell has an unexpected value
            reason = f"is damaged ({type(problem).__name__}: {problem})"
            raise _incomplete(path, reason, done) from problem


def copy_journal(path: Path, copy: Path) -> None:
    """Copy the current state of a journal, even while an import writes to it."""
    with reading(path) as sql, closing(connect(copy, mode="rwc")) as target:
        sql.backup(target)
        target.execute("PRAGMA journal_mode = WAL")
    write_count(copy, 0)


def _make_journal(path: Path, base_url: str) -> None:
    """Create a journal, completely or not at all."""
    try:
        # Write the count first: a count of 0 without a journal means that nothing is missing.
        write_count(path, 0)
        path.with_name(path.name + LOG).unlink(missing_ok=True)
        with replacing(path) as draft, _removing_logs(draft):
            draft.touch(0o600)
            with closing(connect(draft, mode="rw")) as sql:
                # Set WAL last: closing would hide a failure to move the log into the database.
                sql.execute("PRAGMA journal_mode = MEMORY")
                sql.executescript(f"BEGIN; {TABLES} COMMIT;")
                sql.execute("INSERT INTO journal VALUES (?, ?, NULL, 0)", [FORMAT, base_url])
                sql.execute("PRAGMA journal_mode = WAL")
    except OF_DISK as problem:
        # The journal did not exist yet, so the errors for missing or damaged ones do not apply.
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        if _is_disk_full(path, problem, code) or isinstance(problem, OSError):
            raise _journal_error(path, problem, NOTHING_SENT) from problem
        raise JournalError(
            f"{path} cannot be made: {problem}{NOTHING_SENT}; correct that, then run the same "
            "import again"
        ) from problem


@contextmanager
def _removing_logs(draft: Path) -> Iterator[None]:
    """Remove the log files that SQLite leaves behind if the disk is full on close."""
    try:
        yield
    finally:
        for suffix in (LOG, "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


class Writer:
    """The only writer of the journal for a store, which is created if it is missing.

    The caller must hold the lock and make every change in a ``transaction``. ``commits`` is the
    number of commits so far; ``has_sent`` says whether a request may have been sent since opening.
    """

    def __init__(self, path: Path, base_url: str) -> None:
        self.path, self.has_sent = path, False
        if path.exists():
            with reading(path, NOTHING_SENT) as sql:
                is_intact = is_as_closed(path) or sql.execute(
                    "PRAGMA quick_check(1)"
                ).fetchone() == ("ok",)
                if not is_intact:
                    raise _incomplete(path, "is not as it was written", NOTHING_SENT)
        elif _read_count(path, NOTHING_SENT):
            raise _incomplete(path, "is missing", NOTHING_SENT)
        else:
            _make_journal(path, base_url)
        with sql_errors(path, NOTHING_SENT, OF_DISK), ExitStack() as resources:
            self._count = os.open(count_file(path), os.O_RDWR)
            resources.callback(os.close, self._count)
            os.ftruncate(self._count, _COUNT_BYTES)  # discard the closing state: writes may follow
            resources.callback(self._note_closed)  # after the connection is closed
            self._file = path.stat()
            self.sql = resources.enter_context(closing(connect(path, mode="rw")))
            # With NORMAL, a power loss may undo commits: a sent row would be pending again.
            self.sql.execute("PRAGMA synchronous = FULL")
            self.sql.execute("PRAGMA fullfsync = 1")
            self.sql.execute(
                "PRAGMA cache_size = -32768"
            )  # 32 MB, because a large file is staged in one transaction
            ((self.commits,),) = self.sql.execute("SELECT commits FROM journal").fetchall()
            self._resources = resources.pop_all()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for one transaction; after the block it is on disk and counted."""
        done = STOPPED if self.has_sent else NOTHING_SENT
        with sql_errors(self.path, done, OF_DISK):
            is_same_file = os.path.samestat(self.path.stat(), self._file)
        if not is_same_file:  # later imports could not read what is written here
            raise _incomplete(self.path, "was replaced during the import", done)
        with sql_errors(self.path, done):
            try:
                self.sql.execute("BEGIN IMMEDIATE")
                yield self.sql
                self.sql.execute("UPDATE journal SET commits = commits + 1")
                self.sql.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.sql.execute("ROLLBACK")
                raise
        self.commits += 1
        with sql_errors(self.path, done, OF_DISK):
            os.lseek(self._count, 0, os.SEEK_SET)
            os.write(self._count, b"%020d\n" % self.commits)

    def _note_closed(self) -> None:
        """Write the state of the closed file, so that the next load skips the integrity check."""
        with suppress(OSError):
            state = _state_of_file(self.path)
            if state is not None:
                os.lseek(self._count, _COUNT_BYTES, os.SEEK_SET)
                os.write(self._count, state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self._resources.close()
