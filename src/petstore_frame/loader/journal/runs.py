"""Which run of the journal an import belongs to: the same again, an edited file, or a new one.

In: the records of a file, a folder of journals, a store. Out: one journal, held by its lock, with
every record staged. Nothing is sent from here, and a file is known by its content, not its name.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from petstore_frame.errors import JournalError
from petstore_frame.files.atomic import sync
from petstore_frame.http.settings import same_store_address
from petstore_frame.loader.journal import journal, overlap
from petstore_frame.loader.journal.journal import SUFFIX, Run
from petstore_frame.loader.journal.kin import NO_ANIMAL, NOT_SENT, count_elsewhere
from petstore_frame.loader.journal.lineages import trace_to_root
from petstore_frame.loader.journal.lock import Lock
from petstore_frame.loader.record import Ending, Record

STAGING, REHEARSAL = ".staging", ".rehearsal"
PLANNING_WAIT_S = 60.0
_RUN_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class Opened:
    """A journal that is held until its lock is closed.

    Attributes:
        path: The journal.
        run: Its facts.
        lock: Its lock.
        is_new: It was staged now; False for a resume.
    """

    path: Path
    run: Run
    lock: Lock
    is_new: bool


def identity_of(sha256: str, options: dict[str, Any]) -> str:
    """Return the digest of a content and of the options that change what it means."""
    text = json.dumps([sha256, _with_text_keys(options)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _with_text_keys(value: Any) -> Any:
    """Spell the keys of mappings so that they sort, and 1 stays another key than "1"."""
    if not isinstance(value, Mapping):
        return value
    return {
        key if isinstance(key, str) else f"{type(key).__name__} {key}": _with_text_keys(each)
        for key, each in value.items()
    }


def name_store(folder: Path, run: Run, ask: Callable[[], str | None]) -> Run:
    """Return the run with the id of its store, which is asked for only where it can matter.

    Args:
        folder: Where the journals are.
        run: The facts of the run, should it be new.
        ask: Asks the store for its id; called only if an earlier run at its address knows one.
    """
    there = [found for _, found in find_runs(folder, run.base_url, None) if found.store_id]
    store_id = ask() if there else None
    if store_id is None:
        return run
    elsewhere = [
        found
        for found in there
        if found.store_id != store_id
        and (found.identity == run.identity or found.source_path == run.source_path is not None)
    ]
    found = run.overlap | ({"elsewhere": len(elsewhere)} if elsewhere else {})
    return replace(run, store_id=store_id, overlap=found)


def open_run(
    folder: Path, run: Run, records: Iterable[Record], *, ignores_earlier: bool = False
) -> Opened:
    """Find the run that an import goes on with, or stage a new one.

    Args:
        folder: Where the journals are.
        run: The facts of the run, should it be new.
        records: Its records, read only then.
        ignores_earlier: Compare them with no earlier run.

    Raises:
        JournalLockedError: Another importer is at work on it, or on an earlier version.
        JournalError: The folder cannot be used.
    """
    _make(folder)
    with Lock(folder / "planning", wait_s=PLANNING_WAIT_S):
        earlier = find_runs(folder, run.base_url, run.store_id)
        _finish_plans(earlier)
        found = _same(earlier, run)
        if found is not None and not _is_left_behind(*found, earlier):
            return Opened(*found, Lock(found[0]), is_new=False)
        ignores_earlier = ignores_earlier and found is None
        for leftover in folder.glob(f"*{STAGING}"):
            leftover.unlink()
        path = folder / f"{_name(run)}{SUFFIX}"
        lock = Lock(path)
        try:
            with ExitStack() as holds:
                staged = _stage(
                    path.with_suffix(STAGING), run, records, earlier, holds, ignores_earlier
                )
                _publish(path.with_suffix(STAGING), path)
                overlap.hand_over(path, staged, earlier, held=True)
        except BaseException:
            with suppress(OSError):  # on a full disk it takes the room that is needed
                path.with_suffix(STAGING).unlink(missing_ok=True)
            lock.close()
            raise
        return Opened(path, staged, lock, is_new=True)


def hold(path: Path) -> Lock:
    """Lock a journal whose pending records are to be sent, those of newer runs taken out."""
    with Lock(path.parent / "planning", wait_s=PLANNING_WAIT_S):
        run = journal.read_run(path)
        _finish_plans(find_runs(path.parent, run.base_url, run.store_id))
        return Lock(path)


def _finish_plans(runs: list[tuple[Path, Run]]) -> None:
    """Retire what a newer run took over, where a kill came in between."""
    for path, run in runs:
        overlap.hand_over(path, run, runs)


def rehearse(
    folder: Path, run: Run, records: Iterable[Record], *, ignores_earlier: bool = False
) -> Path:
    """Stage a run as ``open_run`` would, where no import will find it.

    Returns:
        The journal of the run it belongs to already, or of the rehearsal.
    """
    _make(folder)
    with Lock(folder / "planning", wait_s=PLANNING_WAIT_S), ExitStack() as holds:
        earlier = find_runs(folder, run.base_url, run.store_id)
        found = _same(earlier, run)
        if found is not None and not _is_left_behind(*found, earlier):
            return found[0]
        ignores_earlier = ignores_earlier and found is None
        path = folder / f"{run.identity[:16]}{REHEARSAL}"
        path.unlink(missing_ok=True)
        _stage(path, run, records, earlier, holds, ignores_earlier)
        return path


def _make(folder: Path) -> None:
    """Make the folder of journals, for its owner alone: they hold what the files held."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as problem:
        raise JournalError(f"{folder}: {problem.strerror}; nothing was sent") from problem


def find_runs(folder: Path, base_url: str, store_id: str | None) -> list[tuple[Path, Run]]:
    """Return the runs of a store in a folder, the oldest first.

    A store is known by its address, and by its own id where both sides know it: the id
    distinguishes two stores at one address, but never joins two addresses, because a copied
    database has its original's id.

    Raises:
        JournalError: Two journals are of one run: a copy would send what the other has sent.
    """
    runs = [(path, journal.read_run(path)) for path in folder.glob(f"*{SUFFIX}")]
    store = same_store_address(base_url)
    mine = [
        (path, run)
        for path, run in runs
        if same_store_address(run.base_url) == store
        and (None in (run.store_id, store_id) or run.store_id == store_id)
    ]
    by_id: dict[str, Path] = {}
    for path, run in mine:
        twin = by_id.setdefault(run.run_id, path)
        if twin is not path:
            raise JournalError(
                f"{twin} and {path} are copies of one journal, and only one can be right; move "
                f"the copy to another folder (the original is {_name(run)}{SUFFIX})"
            )
    return sorted(mine, key=lambda found: found[1].created_at)


def mapping_of(folder: Path, run_id: str) -> dict[str, str] | None:
    """Return the column of each field in an import or a rehearsal; None where it is not there."""
    if not _RUN_ID.fullmatch(run_id):
        return None
    found = [*folder.glob(f"*-{run_id[:8]}{SUFFIX}"), *folder.glob(f"*{REHEARSAL}")]
    runs = (journal.read_run(path) for path in found)
    return next((run.mapping for run in runs if run.run_id == run_id), None)


def _same(earlier: list[tuple[Path, Run]], run: Run) -> tuple[Path, Run] | None:
    """Return the run of the same content that this import goes on with."""
    same = [found for found in earlier if found[1].identity == run.identity]
    # Of the first copy's imports the newest has taken over what the others had left.
    first = [found for found in same if not found[1].is_again][-1:]
    same = [found for found in same if found[1].is_again or found in first]
    unfinished = [found for found in same if found[1].ending is not Ending.DONE]
    if run.is_again:
        unfinished = [found for found in unfinished if found[1].is_again]
        return unfinished[-1] if unfinished else None
    candidates = unfinished or same
    return candidates[-1] if candidates else None


def _is_left_behind(path: Path, run: Run, earlier: list[tuple[Path, Run]]) -> bool:
    """Tell whether records of a run were left to an edited file, which did not create them.

    The edit may have been undone. So the content is staged again, and takes them back.
    """
    if run.is_again:
        return False
    with journal.opened(path) as sql:
        found = count_elsewhere(sql, run, earlier)
    return any(rank in (NOT_SENT, NO_ANIMAL) for _, rank in found)


def _stage(
    path: Path,
    run: Run,
    records: Iterable[Record],
    earlier: list[tuple[Path, Run]],
    holds: ExitStack,
    ignores_earlier: bool,
) -> Run:
    journal.create(path, run, records)
    trace_to_root(path, earlier)
    if run.is_again or ignores_earlier or not earlier:
        return run
    return replace(run, overlap=run.overlap | overlap.compare(path, earlier, holds))


def _publish(staged: Path, path: Path) -> None:
    """Give a staged journal its name, only once all of it is on disk."""
    try:
        sync(staged)
        staged.rename(path)
        sync(path.parent)
    except OSError as problem:
        raise JournalError(f"{path}: {problem.strerror}; nothing was sent") from problem


def _name(run: Run) -> str:
    day = datetime.fromtimestamp(run.created_at, UTC).strftime("%Y%m%d-%H%M%S")
    return f"{day}-{run.run_id[:8]}"


def new_run_id() -> str:
    """Return a random run id."""
    return uuid.uuid4().hex
