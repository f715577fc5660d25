"""Which import of a store's journal a source belongs to: one that it goes on with, or a new one."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from petstore_frame.errors import JournalError
from petstore_frame.http.settings import same_store_address
from petstore_frame.loader.journal import earlier, staging
from petstore_frame.loader.journal.database import SUFFIX, connect, reading
from petstore_frame.loader.journal.earlier import Repeats, Staged
from petstore_frame.loader.journal.rows import Run, read_runs
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.record import Record

_RUN_ID = re.compile("[0-9a-f]{32}")


class Opened(NamedTuple):
    """An import in the journal; it has ``repeats`` where the user must be asked first."""

    run: Run
    is_new: bool
    repeats: Repeats | None = None


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


def columns_of(path: Path, run_id: str) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Return the column of each field, and the key, in an import; None where it is not known."""
    if not _RUN_ID.fullmatch(run_id) or not path.exists():
        return None
    with reading(path) as sql:
        found = read_runs(sql, "run_id = ?", [run_id])
    return (found[0].mapping, found[0].key) if found else None


def find_store(writer: Writer, ask: Callable[[], str | None]) -> tuple[int, str | None]:
    """Return the place of a store in its address's journal, and its id.

    A store is known by its address, and by its own id where both sides know it: the id
    distinguishes two stores at one address. It is asked for only where it can matter.
    """
    known = writer.sql.execute("SELECT store, store_id FROM stores ORDER BY store").fetchall()
    store_id = ask() if any(known_id is not None for _, known_id in known) else None
    fitting = [
        (store, known_id)
        for store, known_id in known
        if None in (known_id, store_id) or known_id == store_id
    ]
    if fitting:
        store, known_id = max(fitting, key=lambda found: (found[1] is not None, found[0]))
        return store, known_id or store_id
    with writer.transaction() as sql:
        added = sql.execute("INSERT INTO stores (store_id) VALUES (?)", [store_id])
        return int(added.lastrowid or 0), store_id


def open_import(
    writer: Writer,
    run: Run,
    batches: Iterable[Sequence[Record]],
    *,
    is_rehearsal: bool,
    now: float,
    check: Callable[[sqlite3.Connection, Run], None] = lambda *_: None,
) -> Opened:
    """Find the import that records go on with, or stage a new one.

    Args:
        writer: The journal.
        run: The facts of the import, should it be new.
        batches: Its records, many at once.
        is_rehearsal: Stage it for a look; nothing will be sent.
        now: Seconds since 1970.
        check: Called before a new import is written; what it raises leaves nothing of it.

    Raises:
        InputError: A record names an import that the journal does not know.
    """
    with suppress(_WithdrawnError), writer.transaction() as sql:
        staged = staging.stage(sql, run, batches)
        found = staging.find_same(sql, staged)
        if found is not None and found.started_at is not None:
            opened = Opened(found, is_new=False)
            has_fixed = staging.skip_fixed(sql, found)
            is_read_anew = not is_rehearsal and _go_on(sql, found, staged, writer.path)
            if not (has_fixed or is_read_anew):
                raise _WithdrawnError
            staging.forget(sql, staged.number)
            opened = Opened(read_runs(sql, "import = ?", [found.number])[0], is_new=False)
        else:
            opened = _begin(sql, staged, found, writer.path, is_rehearsal=is_rehearsal, now=now)
            if opened.repeats is not None and not is_rehearsal:
                raise _WithdrawnError
            check(sql, opened.run)
            staging.write_import(sql, opened.run)
    return opened


class _WithdrawnError(Exception):
    """Takes back all that was staged: nothing is new, or the user must be asked first."""


def _begin(
    sql: sqlite3.Connection,
    run: Run,
    rehearsal: Run | None,
    path: Path,
    *,
    is_rehearsal: bool,
    now: float,
) -> Opened:
    """Give each record of a new import its state by the rules of identity."""
    if rehearsal is not None:
        run = staging.replace_rehearsal(sql, rehearsal, run)
    staging.forget_rehearsals(sql, run, now)
    staged = Staged(sql, run, run.number)
    staged.find_roots(path)
    if not run.is_again:
        staged.link_unsent()
    staged.refuse_repeated_keys()
    plan: dict[str, object] = {}
    repeats = None
    if not run.is_again:
        staged.skip_known_keys()
        plan = _other_stores(sql, run)
        if run.duplicates != "send":
            repeats = staged.find_repeats()
            if repeats.equal or repeats.must_ask:
                plan["repeats"] = earlier.as_plan(repeats)
        if run.duplicates == "skip":
            staged.skip_equal()
    is_asking = repeats is not None and repeats.must_ask and run.duplicates == "refuse"
    run = replace(run, plan=plan, started_at=None if is_rehearsal else now)
    return Opened(run, is_new=True, repeats=repeats if is_asking else None)


def _other_stores(sql: sqlite3.Connection, run: Run) -> dict[str, object]:
    """Count the imports of the same file into another store that had this address before."""
    (count,) = sql.execute(
        "SELECT count(*) FROM imports WHERE store <> ? AND started_at IS NOT NULL"
        " AND (records_sha256 = ? OR source_path = ?)",
        [run.store, run.records_sha256, run.source_path],
    ).fetchone()
    return {"other_store": count} if count else {}


def _go_on(sql: sqlite3.Connection, found: Run, run: Run, path: Path) -> bool:
    """Let records that an import could not send be read otherwise now; tell whether any was."""
    mine = replace(run, number=found.number)
    has_changes = staging.keep_changeable(sql, run.number, mine.number)
    if has_changes:
        staged = Staged(sql, mine, run.number)
        staged.find_roots(path)
        staged.refuse_repeated_keys()
        staged.skip_known_keys()
        staging.write_changes(sql, run.number, mine)
    is_released = run.duplicates == "send" and bool(earlier.release_equal(sql, mine))
    return has_changes or is_released
