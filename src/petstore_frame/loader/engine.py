"""One import from start to end: read, stage, send.

In: what holds the records, a client and all options. Out: a LoadResult. What a file holds is
read.py's business, which run it belongs to runs.py's, what is sent send.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.errors import LoadInterrupted
from petstore_frame.loader.journal import journal as journals
from petstore_frame.loader.journal.journal import Run
from petstore_frame.loader.journal.runs import (
    identity_of,
    mapping_of,
    name_store,
    new_run_id,
    open_run,
    rehearse,
)
from petstore_frame.loader.limits import Limits
from petstore_frame.loader.options import check_sending
from petstore_frame.loader.progress import ProgressOption
from petstore_frame.loader.reading.comeback import Columns
from petstore_frame.loader.reading.options import LAYOUT, Reading
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.sources import Source
from petstore_frame.loader.record import Ending
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.skipped import send_despite_earlier
from petstore_frame.loader.sending.clients import PostingClient
from petstore_frame.loader.sending.send import ignore
from petstore_frame.loader.sending.session import ask_store_id, run_session
from petstore_frame.loader.sending.timing import REAL_TIME, Timing


def load(
    path_or_frame: Any,
    client: PostingClient,
    reading: Reading,
    limits: Limits,
    *,
    dry_run: bool = False,
    journal: str | PathLike[str] | None = None,
    again: bool = False,
    ignore_earlier: bool = False,
    progress: ProgressOption = None,
    timing: Timing = REAL_TIME,
    step: Callable[[str], None] = ignore,
) -> LoadResult:
    """Run one import: read, stage, send.

    Args:
        path_or_frame: What holds the records.
        client: The store.
        reading: How they are read; a part of what an import is.
        limits: How far to go.
        dry_run: Send nothing.
        journal: Folder of the journals; None is the user's state directory.
        again: A second copy on purpose.
        ignore_earlier: Compare with no earlier run.
        progress: As in ``load_csv``.
        timing: The clocks.
        step: Called with the name of each step, where a test ends the process.
    """
    check_sending(
        client,
        limits,
        journal=journal,
        progress=progress,
        dry_run=dry_run,
        again=again,
        ignore_earlier=ignore_earlier,
    )
    # Absolute, because a result outlives the working directory.
    place = Path(fspath(journal)).absolute() if journal is not None else default_folder()
    with open_source(path_or_frame, reading, columns_of=partial(_columns_of, place)) as source:
        run = _run(source, client, reading, again=again, now=timing.now())
        if dry_run:
            return _rehearsed(rehearse(place, run, source, ignores_earlier=ignore_earlier))
        run = name_store(place, run, partial(ask_store_id, client))
        opened = open_run(place, run, source, ignores_earlier=ignore_earlier)
    with opened.lock:
        if ignore_earlier and not opened.is_new:
            send_despite_earlier(opened.path, opened.run, timing.now())
        was_at_work = run_session(
            opened.path,
            client,
            limits,
            progress=progress,
            timing=timing,
            step=step,
            is_new=opened.is_new,
        )
    result = LoadResult(opened.path, is_from_earlier_run=not was_at_work)
    if journals.read_run(opened.path).ending is Ending.INTERRUPTED:
        raise LoadInterrupted(result)
    return result


def _rehearsed(path: Path) -> LoadResult:
    """Return the result of a rehearsal, or of the run that was sent before."""
    return LoadResult(path, is_from_earlier_run=journals.read_run(path).started_at is not None)


def _columns_of(place: Path, import_id: str) -> Columns | None:
    mapping = mapping_of(place, import_id)
    return None if mapping is None else Columns(mapping)


def default_folder() -> Path:
    """Return the folder of journals in the user's state directory."""
    from platformdirs import user_state_path

    return user_state_path("petstore-frame") / "journals"


def _run(
    source: Source, client: PostingClient, reading: Reading, *, again: bool, now: float
) -> Run:
    meaning = reading.meaning() | {"mapping": source.mapping, "key": source.key}
    if not source.is_returned:
        meaning |= {name: value for name in LAYOUT if (value := getattr(reading, name))}
    return Run(
        new_run_id(),
        client.base_url,
        source.name,
        None if source.path is None else str(source.path.resolve()),
        source.sha256,
        identity_of(source.sha256, meaning),
        source.columns,
        source.mapping,
        is_again=again,
        created_at=now,
    )
