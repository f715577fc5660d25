"""The database of a journal: one for each store, opened only when it is whole.

Beside the database a small file has the number of its commits, written after each commit and before
the first byte that it allows is sent. A database with fewer commits than that file says has lost
some: its log was removed or cut, or an older copy was put back. The small file is not synced at
each commit: a power cut may leave it behind the database, which proves nothing lost, never ahead.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from petstore_frame.errors import JournalError, JournalLockedError, PetstoreError
from petstore_frame.loader.journal.schema import FORMAT, TABLES
from petstore_frame.storage import AtWorkError, locked, replacing, sync
from petstore_frame.transport import same_store_address

SUFFIX, LOCK, COUNT, LOG = ".sqlite3", ".lock", ".commits", "-wal"
NOTHING_SENT, STOPPED = "; nothing was sent", "; sending has stopped"
OF_DISK = (sqlite3.Error, OSError)
# No table, not a database, or a torn file: what it knew is not there.
_LOST = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_ASKS_AGAIN = (
    "run the same import again: it compares the file with the pets of the store, and asks before "
    "it sends any that is there already"
)


def place_of(
    journal: str | PathLike[str] | None, base_url: str, store_id: str | None = None
) -> Path:
    """Return where the journal of a store is, as an absolute path; there may be none yet.

    ``store_id`` is that of a store which is not the first one that had this address.
    """
    if journal is None:
        from platformdirs import user_state_path

        folder = user_state_path("petstore-frame") / "journals"
    else:
        folder = Path(fspath(journal)).absolute()
    address = same_store_address(base_url)
    parts = urlsplit(address)
    readable = re.sub(r"[^a-z0-9.]+", "-", f"{parts.netloc}{parts.path}".lower()).strip("-.")
    stores = [address] if store_id is None else [address, store_id]
    digests = [hashlib.sha256(text.encode()).hexdigest()[:8] for text in stores]
    return folder / f"{'-'.join([readable[:60], *digests])}{SUFFIX}"


def find_journal(
    journal: str | PathLike[str] | None, base_url: str, ask_id: Callable[[], str | None]
) -> Path:
    """Return where the journal of a store is; the first one belongs to the first of its address.

    A store that states another id has a journal of its own; it is asked only where that matters.
    """
    path = place_of(journal, base_url)
    if not path.exists():
        return path
    with reading(path, NOTHING_SENT) as sql:
        ((known,),) = sql.execute("SELECT store_id FROM journal").fetchall()
    stated = None if known is None else ask_id()
    return path if stated in (None, known) else place_of(journal, base_url, stated)


def count_file(path: Path) -> Path:
    """Return the file beside a journal that has the number of its commits."""
    return path.with_name(path.name + COUNT)


def _read_count(path: Path, done: str) -> int | None:
    """Return how many commits a journal has at least; None where there is no such file."""
    try:
        return int(count_file(path).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        what = f"cannot be trusted: {count_file(path).name} is damaged"
        raise _not_whole(path, what, done) from problem


def write_count(path: Path, commits: int) -> None:
    """Write the number of commits of a journal that nobody has open."""
    file = count_file(path)
    file.touch(0o600)
    file.write_bytes(b"%020d\n" % commits)
    sync(file)


@contextmanager
def sql_errors(
    path: Path, done: str = "", kinds: tuple[type[Exception], ...] = (sqlite3.Error,)
) -> Iterator[None]:
    """Turn errors of the database, or of the disk too, into ours; ``done`` says what was sent."""
    try:
        yield
    except kinds as problem:
        raise _journal_error(path, problem, done) from problem


def _journal_error(path: Path, problem: Exception, done: str) -> JournalError:
    code = None
    if isinstance(problem, sqlite3.Error):
        # Python's own errors, of text that is not UTF-8, have no code.
        code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_FULL or getattr(problem, "errno", None) == errno.ENOSPC:
        what = f"the disk of {path} is full{done}; free some room"
    elif isinstance(problem, OSError) and not isinstance(problem, FileNotFoundError):
        what = f"{problem.filename or path}: {problem.strerror}{done}; put that right"
    elif not path.is_file():
        return JournalError(
            f"{path} is gone{done}. Put the folder back as it was. If it is lost, {_ASKS_AGAIN}"
        )
    elif code in _LOST:
        return _not_whole(path, f"is damaged or not a journal ({problem})", done)
    else:
        what = f"{path}: {problem}{done}; free some room or repair the disk"
    return JournalError(f"{what}, then run the same import again")


def _not_whole(path: Path, what: str, done: str) -> JournalError:
    """Return the refusal of a journal that has lost something."""
    return JournalError(
        f"{path} {what}{done}. Put back the latest copy of {path.name}, {path.name}{LOG} and "
        f"{count_file(path).name}, all of one moment: an older copy does not know what was sent "
        f"since. If there is none, move these files away and {_ASKS_AGAIN}"
    )


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Hold a journal, so that nobody else writes to it; its folder is made where it is missing."""
    with ExitStack() as stack:
        try:
            with sql_errors(path, NOTHING_SENT, (OSError,)):
                # For its owner alone: a journal has the cells of the files.
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                stack.enter_context(locked(path.with_name(path.name + LOCK)))
        except AtWorkError:
            raise JournalLockedError(
                f"{path}: another import is at work here; wait for it to end, or stop it: what it "
                "has begun can be resumed"
            ) from None
        yield


def connect(path: Path, *, mode: str = "ro") -> sqlite3.Connection:
    """Open a database; as a reader (``ro``) nothing is changed, not even by closing it."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK):
        address += "&immutable=1"
    return sqlite3.connect(
        address, uri=True, timeout=10.0, isolation_level=None, check_same_thread=False
    )


@contextmanager
def reading(path: Path, done: str = "") -> Iterator[sqlite3.Connection]:
    """Give a connection that reads a journal, which is refused if it has lost something."""
    counted = _read_count(path, done)  # before the commits: an import may be writing now
    with sql_errors(path, done), closing(connect(path)) as sql:
        found = sql.execute("SELECT format, commits FROM journal").fetchall()
        if len(found) != 1:
            raise _not_whole(path, "is not as it was written", done)
        ((version, commits),) = found
        if version != FORMAT:
            raise JournalError(
                f"{path} has the format {version}, and this program reads {FORMAT}{done}. "
                f"Use the version that wrote it, or move it away: then {_ASKS_AGAIN}"
            )
        if counted is None:
            raise _not_whole(path, f"was moved or copied without {count_file(path).name}", done)
        if commits < counted:
            what = (
                f"has lost its last {counted - commits:,} entries: its log {path.name}{LOG} is "
                "missing or cut, or an older copy was put back"
            )
            raise _not_whole(path, what, done)
        try:
            yield sql
        except PetstoreError:
            raise
        except (ValueError, KeyError, TypeError) as problem:  # a cell that is not what we wrote
            what = f"is damaged ({type(problem).__name__}: {problem})"
            raise _not_whole(path, what, done) from problem


def copy_journal(path: Path, copy: Path) -> None:
    """Write a copy of a journal as it is at this moment, also while an import writes to it."""
    with reading(path) as sql, closing(connect(copy, mode="rwc")) as target:
        sql.backup(target)
        target.execute("PRAGMA journal_mode = WAL")
    write_count(copy, 0)


def _make(path: Path, base_url: str) -> None:
    """Make a journal, whole or not at all."""
    with sql_errors(path, NOTHING_SENT, OF_DISK):
        # The count comes first: without a commit it proves nothing missing.
        write_count(path, 0)
        path.with_name(path.name + LOG).unlink(missing_ok=True)
        with replacing(path) as draft, closing(connect(draft, mode="rwc")) as sql:
            draft.chmod(0o600)
            sql.execute("PRAGMA journal_mode = WAL")
            sql.executescript(f"BEGIN; {TABLES} COMMIT;")
            sql.execute("INSERT INTO journal VALUES (?, ?, NULL, 0)", [FORMAT, base_url])


class Writer:
    """The only writer of the journal of one store, made if need be; the caller holds its lock.

    Whatever changes the journal does so in ``transaction``. ``commits`` is how many there were,
    ``has_sent`` whether a request may have been sent since it was opened.
    """

    def __init__(self, path: Path, base_url: str) -> None:
        self.path, self.has_sent = path, False
        if path.exists():
            with reading(path, NOTHING_SENT) as sql:
                if sql.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    raise _not_whole(path, "is not as it was written", NOTHING_SENT)
        elif _read_count(path, NOTHING_SENT):
            raise _not_whole(path, "is missing", NOTHING_SENT)
        else:
            _make(path, base_url)
        with sql_errors(path, NOTHING_SENT, OF_DISK):
            self._count = os.open(count_file(path), os.O_RDWR)
            self._file = path.stat()
            self.sql = connect(path, mode="rw")
            # NORMAL may lose the last commits on power loss: "sent" would read as "pending".
            self.sql.execute("PRAGMA synchronous = FULL")
            self.sql.execute("PRAGMA fullfsync = 1")
            self.sql.execute("PRAGMA cache_size = -32768")  # 32 MB: a large file is staged at once
            ((self.commits,),) = self.sql.execute("SELECT commits FROM journal").fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for one commit, which is on disk and counted when the block ends."""
        done = STOPPED if self.has_sent else NOTHING_SENT
        with sql_errors(self.path, done, OF_DISK):
            is_ours = os.path.samestat(self.path.stat(), self._file)
        if not is_ours:  # no later import would find what is written to it
            raise _not_whole(self.path, "was replaced during the import", done)
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self.sql.close()
        os.close(self._count)
