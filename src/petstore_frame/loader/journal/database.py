"""The database of a journal: one for each store, opened only when it is whole."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from os import PathLike, fspath
from pathlib import Path
from urllib.parse import urlsplit

from petstore_frame.errors import JournalError, JournalLockedError, PetstoreError
from petstore_frame.loader.advice import Advice
from petstore_frame.files.lock import AtWorkError, held
from petstore_frame.files.whole import sync
from petstore_frame.http.settings import same_store_address
from petstore_frame.loader.journal.checkfile import (
    PAGE,
    CheckFile,
    Mark,
    is_as_noted,
    log_of,
    path_of,
    read_mark,
)

FORMAT = 4
SUFFIX, LOCK = ".sqlite3", ".lock"
# A reader that makes sure of a journal holds its lock for a moment.
LOCK_WAIT_S = 2.0

_TABLES = """
CREATE TABLE journal (format INTEGER, base_url TEXT, commits INTEGER);
CREATE TABLE stores (store INTEGER PRIMARY KEY, store_id TEXT);
CREATE TABLE imports (
  import INTEGER PRIMARY KEY, store INTEGER, run_id TEXT UNIQUE,
  source_name TEXT, source_path TEXT, records_sha256 TEXT, meaning TEXT,
  header TEXT, mapping TEXT, key TEXT, duplicates TEXT, is_again INTEGER, plan TEXT,
  created_at REAL, started_at REAL, ended_at REAL, ending TEXT, ending_detail TEXT,
  is_compared INTEGER DEFAULT 0
);
CREATE INDEX imports_by_records ON imports(store, records_sha256);
-- What was read of each record.
CREATE TABLE contents (
  import INTEGER, record INTEGER, line INTEGER, cells, payload BLOB, key TEXT, warnings TEXT,
  PRIMARY KEY (import, record)
) WITHOUT ROWID;
-- What came of it; a record without a row here is pending, and was never sent.
CREATE TABLE fates (
  import INTEGER, record INTEGER, store INTEGER, state TEXT, problem TEXT,
  same_import INTEGER, same_record INTEGER, same_by TEXT, reason TEXT,
  attempts INTEGER DEFAULT 0, is_in_doubt INTEGER DEFAULT 0, generation INTEGER DEFAULT 0,
  pet_id INTEGER, id_source TEXT, http_status INTEGER,
  error_code TEXT, error_message TEXT, error_field TEXT, request_id TEXT,
  idempotency_key TEXT, first_sent_at REAL, last_sent_at REAL, settled_at REAL, elapsed_ms REAL,
  PRIMARY KEY (import, record)
) WITHOUT ROWID;
CREATE UNIQUE INDEX fates_by_pet ON fates(store, pet_id) WHERE pet_id IS NOT NULL;
-- The record of an earlier import that a row of a fix file is.
CREATE TABLE roots (
  import INTEGER, record INTEGER, root_import INTEGER, root_record INTEGER,
  PRIMARY KEY (import, record)
) WITHOUT ROWID;
CREATE INDEX roots_of ON roots(root_import, root_record);
CREATE VIEW records AS
SELECT import, record, line, cells, payload, key, warnings, coalesce(state, 'pending') AS state,
  problem, same_import, same_record, same_by, reason, coalesce(attempts, 0) AS attempts,
  coalesce(is_in_doubt, 0) AS is_in_doubt, coalesce(generation, 0) AS generation, pet_id, id_source,
  http_status, error_code, error_message, error_field, request_id, idempotency_key, first_sent_at,
  last_sent_at, settled_at, elapsed_ms, root_import, root_record
FROM contents LEFT JOIN fates USING (import, record) LEFT JOIN roots USING (import, record);
-- Of the imports that were compared with others.
CREATE TABLE likenesses (
  store INTEGER, likeness BLOB, import INTEGER, record INTEGER,
  PRIMARY KEY (store, likeness, import, record)
) WITHOUT ROWID;
CREATE TABLE keys (
  store INTEGER, key TEXT, import INTEGER, record INTEGER, PRIMARY KEY (store, key)
) WITHOUT ROWID;
CREATE TABLE attempts (
  import INTEGER, record INTEGER, attempt INTEGER, started_at REAL, ended_at REAL, verdict TEXT,
  reason TEXT, http_status INTEGER, request_id TEXT, pet_id INTEGER, elapsed_ms REAL
);
CREATE INDEX attempts_of ON attempts(import, record, attempt);
CREATE TABLE events (import INTEGER, at REAL, kind TEXT, detail TEXT);
"""
# No table, not a database, or a torn file: what it knew is not there.
_LOST = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# Journals that were found whole, and what their files looked like then.
_whole: dict[Path, tuple[object, ...]] = {}


def default_folder() -> Path:
    """Return the folder of journals in the user's state directory."""
    from platformdirs import user_state_path

    return user_state_path("petstore-frame") / "journals"


def place_of(journal: str | PathLike[str] | None, base_url: str) -> Path:
    """Return where the journal of a store is, whether or not there is one yet.

    Absolute, as a result outlives the working directory.
    """
    folder = Path(fspath(journal)).absolute() if journal is not None else default_folder()
    address = same_store_address(base_url)
    parts = urlsplit(address)
    readable = re.sub(r"[^a-z0-9.]+", "-", f"{parts.netloc}{parts.path}".lower()).strip("-.")
    digest = hashlib.sha256(address.encode()).hexdigest()
    return folder / f"{readable[:60]}-{digest[:8]}{SUFFIX}"


def make_folder(folder: Path, base_url: str) -> None:
    """Make the folder of journals, for its owner alone: they hold what the files held.

    Raises:
        JournalError: It cannot be made, or holds a journal of version 0.1 of this store, which
            knows what it has sent and cannot be asked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        old = [path for path in sorted(folder.glob("*.journal")) if _is_of(path, base_url)]
    except OSError as problem:
        raise JournalError(f"{folder}: {problem.strerror}; nothing was sent") from problem
    if old:
        more = f" and {len(old) - 1:,} more" if len(old) > 1 else ""
        raise JournalError(
            f"{old[0]}{more} is of version 0.1 and of this store: it alone knows what it has sent, "
            "and this version cannot read it; nothing was sent. Finish with version 0.1 what is "
            f"unfinished, then move the file out of {folder}, to any other place; its animals are "
            "not known here after that, so do not load its files again"
        )


def _is_of(path: Path, base_url: str) -> bool:
    """Tell whether a journal of version 0.1 is of a store, or cannot be read."""
    try:
        with closing(connect(path)) as sql:
            ((theirs,),) = sql.execute("SELECT base_url FROM run").fetchall()
        return same_store_address(theirs) == same_store_address(base_url)
    except (sqlite3.Error, ValueError):
        return True


@contextmanager
def sql_errors(path: Path) -> Iterator[None]:
    """Turn the database's errors into ours, with the place and the next step."""
    try:
        yield
    except sqlite3.Error as problem:
        if error_code(problem) in _LOST or not path.is_file():
            raise _damaged(path, str(problem)) from problem
        raise JournalError(
            f"{path}: {problem}; free some room or repair the disk, then run the same import again"
        ) from problem


def error_code(problem: sqlite3.Error) -> int:
    """Return the primary code of an error; Python's own, of text that is not UTF-8, have none."""
    return getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _damaged(path: Path, what: str) -> JournalError:
    return _not_whole(path, f"is damaged or not a journal ({what})")


def _not_whole(path: Path, what: str) -> JournalError:
    text = (
        "{} {}; nothing was sent: put back {} as they were at one moment: only they know which "
        "records are in the store, so nothing is sent without them. If they are lost, compare each "
        "file with the store ({}), and load what is only in the list with a new folder, {}"
    )
    files = f"{path.name}, {log_of(path).name} and {path_of(path).name}"
    return JournalError(
        Advice(text, str(path), what, files, lambda voice: voice.compare(), ("journal",))
    )


@contextmanager
def holding(path: Path, *, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
    """Hold a journal, so that nobody else writes to it.

    Raises:
        JournalLockedError: Another import is at work in it.
        JournalError: The place cannot be written.
    """
    try:
        with held(path.with_name(path.name + LOCK), wait_s=wait_s):
            yield
    except AtWorkError:
        raise JournalLockedError(
            f"{path}: another import is at work here; wait for it to end, or stop it: what it has "
            "begun can be resumed"
        ) from None
    except OSError as problem:
        if problem.filename is None or not str(problem.filename).endswith(LOCK):
            raise
        raise JournalError(f"{problem.filename}: {problem.strerror}; nothing was sent") from None


def check_whole(path: Path, *, accept_loss: bool = False) -> Mark | None:
    """Refuse a journal that has lost anything that it once held; its lock is held.

    Args:
        path: The journal.
        accept_loss: Take one that has lost nothing but the end of its log.

    Returns:
        What its check file says; None where there is no journal.

    Raises:
        JournalError: It is not whole; the text says what is missing, and the ways on.
    """
    mark = read_mark(path)
    if not path.exists():
        if mark is None or not mark.commits:
            return None
        raise _not_whole(path, "is missing")
    if mark is None:
        raise _not_whole(path, f"was moved or copied without {path_of(path).name}")
    stamp = _stamp(path)
    if _whole.get(path) == (*stamp, mark):
        return mark
    if not mark.is_moving and not is_as_noted(path, mark):
        raise _not_whole(
            path,
            "is not as its last import left it: it was damaged, restored from an older copy, or "
            "changed by another program",
        )
    with sql_errors(path), closing(connect(path)) as sql:
        ((version, commits),) = sql.execute("SELECT format, commits FROM journal").fetchall()
        if version != FORMAT:
            raise JournalError(
                f"{path} is of another version of this program; nothing was sent. Finish with that "
                "version what is unfinished, then move it to another folder; its animals are not "
                "known here after that, so do not load its files again"
            )
        lost = max(0, mark.commits - commits)
        # A log that goes back behind the main file is an older one, and spoils it.
        is_readable = not mark.is_moving and commits >= mark.moved
        if lost and not (accept_loss and is_readable):
            raise _log_lost(path, sql, lost, is_readable=is_readable)
        if mark.is_moving and sql.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise _damaged(path, "its pages do not agree")
    if not lost:
        _whole[path] = (*stamp, mark)
    return mark


def _stamp(path: Path) -> tuple[object, ...]:
    found: list[object] = []
    for file in (path, log_of(path)):
        with suppress(OSError):
            facts = file.stat()
            found += [facts.st_ino, facts.st_size, facts.st_mtime_ns]
    return tuple(found)


# Imports that were at work when the log began: all before it is in the main file.
AT_WORK = "started_at IS NOT NULL AND ended_at IS NULL"
_CONCERNED = f"""
SELECT source_name, sum(state = 'created'), sum(state IN ('pending', 'in_flight'))
FROM imports JOIN records USING (import) WHERE {AT_WORK} GROUP BY import ORDER BY import DESC
"""


def _log_lost(
    path: Path, sql: sqlite3.Connection, commits: int, *, is_readable: bool
) -> JournalError:
    """Name the imports whose last requests the journal no longer knows, and the ways on."""
    what = (
        f"has lost the last {commits:,} entries of its log, {log_of(path).name}, which is missing, "
        "cut, damaged or an older one"
    )
    if not is_readable:
        return _not_whole(path, what)
    about = "".join(
        f" Of {name}, {created:,} records are known to be created, and of {left:,} it is not known "
        "whether they were sent."
        for name, created, left in sql.execute(_CONCERNED)
    )
    text = (
        "{} {}.{} Nothing was sent. If the files of one moment are at hand, put them back. If not, "
        "{}, with the {} of the import, lists these records as in doubt, never sends them again, "
        "and goes on"
    )
    go_on = (lambda voice: voice.resume(accepts_loss=True), ("journal",))
    return JournalError(Advice(text, str(path), what, about, *go_on))


def connect(path: Path, *, mode: str = "ro") -> sqlite3.Connection:
    """Open a database; as a reader (``ro``) nothing is changed, not even by closing it."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    if mode == "ro" and not os.access(path.parent, os.W_OK):
        address += "&immutable=1"
    return sqlite3.connect(
        address, uri=True, timeout=10.0, isolation_level=None, check_same_thread=False
    )


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that reads a journal, at one moment of it for each statement.

    Raises:
        JournalError: It is missing, or has lost something.
    """
    if _whole.get(path) != (*_stamp(path), read_mark(path)):
        # An import at work has made sure of it, and is writing to it now.
        with suppress(AtWorkError, PermissionError), held(path.with_name(path.name + LOCK)):
            if check_whole(path) is None:
                raise _not_whole(path, "is missing")
    with sql_errors(path), closing(connect(path)) as sql:
        try:
            yield sql
        except PetstoreError:
            raise
        except (ValueError, KeyError, TypeError) as problem:  # a cell that is not what we wrote
            raise _damaged(path, f"{type(problem).__name__}: {problem}") from problem


def create(path: Path, base_url: str) -> Mark:
    """Make an empty journal; its lock is held."""
    draft = path.with_name(path.name + ".new")
    with suppress(OSError):
        draft.unlink()
    with sql_errors(path), closing(connect(draft, mode="rwc")) as sql:
        draft.chmod(0o600)
        sql.execute(f"PRAGMA page_size = {PAGE}")
        sql.execute("PRAGMA journal_mode = WAL")
        sql.executescript(f"BEGIN; {_TABLES} COMMIT;")
        sql.execute("INSERT INTO journal VALUES (?, ?, 0)", [FORMAT, base_url])
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        sync(draft)
        # The check file comes first: without a commit it proves nothing missing.
        with closing(CheckFile(path, None)) as check:
            check.note_new(draft)
        draft.rename(path)
        sync(path.parent)
    except OSError as problem:
        raise JournalError(f"{path}: {problem.strerror}; nothing was sent") from problem
    return check.mark
