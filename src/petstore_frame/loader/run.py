"""One import from start to end: read, stage, ask where that must be, send."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from petstore_frame.errors import DuplicatesError, LoadInterrupted
from petstore_frame.loader.journal.database import holding, make_folder, place_of
from petstore_frame.loader.journal.imports import columns_of, find_store, open_import
from petstore_frame.loader.journal.rows import Run, read_run, read_runs
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.options import Limits, check_sending
from petstore_frame.loader.progress import ProgressOption
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.returned import Columns
from petstore_frame.loader.record import Ending
from petstore_frame.loader.results.facts import describe_warnings
from petstore_frame.loader.results.files import refuse_lost_journal
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.view import Question
from petstore_frame.loader.sending.pool import REAL_TIME, Timing
from petstore_frame.loader.sending.send import PostingClient, ignore
from petstore_frame.loader.sending.session import ask_store_id, run_session


def load(
    path_or_frame: Any,
    client: PostingClient,
    recipe: Options,
    limits: Limits,
    *,
    dry_run: bool = False,
    journal: str | PathLike[str] | None = None,
    again: bool = False,
    duplicates: str = "refuse",
    leave_lines: Collection[int] = (),
    progress: ProgressOption = None,
    output: Path | None = None,
    timing: Timing = REAL_TIME,
    step: Callable[[str], None] = ignore,
) -> LoadResult:
    """Run one import: read, stage, ask where that must be, send.

    The options are those of ``load_csv``, sorted by what they are about. Results of the same
    records in the folder ``output`` whose journal is gone stop the import; ``step`` is called with
    the name of each step, where a test ends the process.

    Raises:
        DuplicatesError: The source seems to repeat earlier imports; nothing was sent.
    """
    check_sending(
        client,
        limits,
        journal=journal,
        progress=progress,
        duplicates=duplicates,
        dry_run=dry_run,
        again=again,
    )
    path = place_of(journal, client.base_url)
    with open_source(
        path_or_frame,
        recipe,
        columns_of=partial(_columns_of, path),
        leave_lines=leave_lines,
    ) as source:
        make_folder(path.parent, client.base_url)
        with holding(path), Writer(path, client.base_url) as writer:
            now = timing.now()
            # A rehearsal asks the store nothing.
            ask = partial(ask_store_id, client) if not dry_run else lambda: None
            store, store_id = find_store(writer, ask)
            run = Run(
                run_id=uuid4().hex,
                base_url=client.base_url,
                source_name=source.name,
                source_path=None if source.path is None else str(source.path.resolve()),
                records_sha256="",
                header=tuple(source.columns),
                mapping=dict(source.mapping),
                key=tuple(source.key),
                duplicates=duplicates,
                is_again=again,
                created_at=now,
                store=store,
                store_id=store_id,
            )
            is_checked = not (dry_run or again)
            check = partial(refuse_lost_journal, folder=output) if is_checked else ignore
            opened = open_import(
                writer, run, source.batches(), is_rehearsal=dry_run, now=now, check=check
            )
            if opened.repeats is not None and not dry_run:
                question = Question(opened.run, opened.repeats)
                raise DuplicatesError(question, repeats=opened.repeats)
            run = opened.run
            was_at_work = False
            if not dry_run:
                was_at_work = run_session(
                    writer,
                    run,
                    client,
                    limits,
                    progress=progress,
                    timing=timing,
                    is_new=opened.is_new,
                    notes=partial(describe_warnings, writer.sql, run) if opened.is_new else list,
                    step=step,
                )
    is_earlier = run.started_at is not None if dry_run else not was_at_work
    result = LoadResult(path, run.run_id, is_from_earlier_run=is_earlier)
    if was_at_work and read_run(path, run.run_id).ending is Ending.INTERRUPTED:
        raise LoadInterrupted(result)
    return result


def resume_loads(
    client: PostingClient,
    *,
    journal: str | PathLike[str] | None = None,
    accept_loss: bool = False,
    progress: ProgressOption = None,
) -> list[LoadResult]:
    """Finish the imports into a store that stopped before all their records were sent.

    The files are not needed: what is still to send is in the journal.

    Args:
        client: A client of the store.
        journal: Folder of the journals; None is the user's state directory.
        accept_loss: Go on although the end of the journal's log is lost, as a JournalError says:
            what may have been sent in it is ``unknown`` from then on, and never sent again.
        progress: As in ``load_csv``.

    Returns:
        The results of the imports that had something left, or lost something, the oldest first.

    Raises:
        JournalLockedError: An import is at work on the journal.
        JournalError: The journal has lost something; nothing was sent.

    Interface: Endpoints, Add an animal.
    """
    check_sending(client, Limits(), journal=journal, progress=progress, accept_loss=accept_loss)
    path = place_of(journal, client.base_url)
    if not path.exists():
        return []
    with holding(path), Writer(path, client.base_url, accept_loss=accept_loss) as writer:
        store, _ = find_store(writer, partial(ask_store_id, client))
        results = [LoadResult(path, run_id) for run_id in writer.concerned]
        open_runs = read_runs(
            writer.sql,
            "store = ? AND started_at IS NOT NULL AND ending IS NOT 'done'"
            " AND EXISTS (SELECT 1 FROM records"
            " WHERE records.import = imports.import AND state IN ('pending', 'in_flight'))",
            [store],
        )
        for run in open_runs:
            run_session(writer, run, client, Limits(), progress=progress, timing=REAL_TIME)
            if run.run_id not in writer.concerned:
                results.append(LoadResult(path, run.run_id))
            if read_runs(writer.sql, "import = ?", [run.number])[0].ending is not Ending.DONE:
                break
    return results


def _columns_of(path: Path, run_id: str) -> Columns | None:
    found = columns_of(path, run_id)
    return None if found is None else Columns(*found)
