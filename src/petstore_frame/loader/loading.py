"""Loads files into a store, and finishes loads that stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack
from weakref import finalize

from petstore_frame.errors import (
    ArgumentError,
    LoadStoppedError,
    result_of,
)
from petstore_frame.loader.journal.database import Writer, copy_journal, holding
from petstore_frame.loader.journal.outcomes import Outcomes
from petstore_frame.loader.journal.rows import Import, read_imports
from petstore_frame.loader.load_options import AsNew, LoadOptions, ProgressOption
from petstore_frame.loader.load_steps import Load, journal_path, journal_text, path_of
from petstore_frame.loader.matching.values import Answer
from petstore_frame.loader.results.import_facts import COMMON_CAUSE
from petstore_frame.loader.results.load_result import ImportView, LoadResult, view_of
from petstore_frame.loader.results.result_text import headline, stopped_text
from petstore_frame.loader.row_state import Ending
from petstore_frame.loader.sending.pool import REAL_TIME, SessionClocks
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.loader.source import Recipe, RecipeOptions, as_recipe
from petstore_frame.schema import AnyFrame
from petstore_frame.validation import suggest

log = logging.getLogger("petstore_frame.loader")
_STOPPED = (Ending.STOPPED, Ending.OUTAGE, Ending.JOURNAL, Ending.BUDGET)
_UNFINISHED = """
ending IS NOT 'done' AND EXISTS (SELECT 1 FROM animals
  WHERE animals.import = imports.import AND state IN ('pending', 'in_flight'))
"""
# Whether a later file has the same columns.
_LATER = "header = (SELECT header FROM imports WHERE import = ?) AND import > ? AND NOT copy"


def load(
    source: str | PathLike[str] | bytes | AnyFrame,
    client: PostingClient,
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    duplicates: Answer | None = None,
    as_new: AsNew = False,
    exclude_lines: Collection[int] = (),
    rename_categories: Collection[int] = (),
    max_rows: int | None = None,
    dry_run: bool = False,
    check_store: bool = True,
    max_errors: int | None = None,
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int | None = None,
    **options: Unpack[RecipeOptions],
) -> LoadResult:
    """Load the animals of a file or a DataFrame into a store, none twice and none lost.

    If a load was interrupted, the same call continues it; otherwise, it sends only new rows. With
    ``key=``, an animal is recognized in any later file. A row that may be a loaded animal is not
    sent: ``result.possible_duplicates`` has it. All other valid rows are sent.

    Args:
        source: Path or bytes of a CSV, TSV, ``.xlsx``, JSON lines or Parquet file, also compressed
            with gzip; or a DataFrame from any library.
        client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        recipe: How this kind of file is read: a Recipe, a dict, or the path of a TOML file.
        duplicates: What to do with possible duplicates: None does not send them, ``skip`` treats
            them as the same animals, ``create`` as different ones. Without a key, ``create``
            applies only to rows that an earlier call listed.
        as_new: True if the whole file stands for different animals, 2 for a second copy of them;
            or the lines of new animals among the possible duplicates, the skipped rows, and those
            that are no longer in the store.
        exclude_lines: Lines that are not sent.
        rename_categories: Numbers of categories whose names in your list are right, although
            earlier files for this store gave them other names.
        max_rows: Maximum number of rows to send, for a trial; None sends all. The same call without
            it sends the rest.
        dry_run: Read and check everything, but send nothing.
        check_store: Read the store before sending, and ask about equal pets created by others.
        max_errors: Stop if more than this many rows are invalid or rejected; None is no limit.
        progress: True shows a progress bar, False does not, None does in a terminal or notebook; or
            a function that gets the number of rows in each state.
        journal: Folder of the journal; None is the user's state folder.
        workers: Maximum number of parallel requests, 1 to 32; None is about 16.
        options: Recipe options, which override ``recipe``: ``key="Tag"``,
            ``categories="labels.csv"``, ``mapping={"name": "Pet"}``. See ``help(pf.Recipe)``.

    Returns:
        A LoadResult: ``.frame`` has each row and its state, ``.fix`` the rows that need fixing, and
        ``.write(folder)`` writes them to files.

    Raises:
        InputError: The source cannot be read as animals. Nothing was sent.
        ArgumentError: An argument is invalid. Nothing was sent.
        QuestionError: A question must be answered first: which column is the key, or whether a list
            of categories is right that contradicts earlier ones for this store. Nothing was sent.
        LoadStoppedError: The store, an outage or a limit ended the load; the same call continues.
        KeyboardInterrupt: Ctrl-C ended the load, after the requests in flight had finished;
            ``.result`` is the LoadResult so far, unless nothing was sent.
        JournalError: The journal cannot be used, or another load uses it (JournalLockedError).

    Example:
        >>> import pandas as pd
        >>> import petstore_frame as pf
        >>> pets = pd.DataFrame({"name": ["Luna", "Max"], "category_id": ["3", "three"]})
        >>> with pf.serve() as server, server.client() as client:
        ...     pf.load(pets, client).frame["state"].tolist()
        ['created', 'invalid']

    Interface: Endpoints, Add an animal.
    """
    option_names = [*RecipeOptions.__annotations__, "recipe", *LoadOptions.__annotations__]
    for name in options.keys() - RecipeOptions.__annotations__.keys():
        suggestion = suggest(name, option_names)
        raise ArgumentError(f"load has no option {name!r}{suggestion}; nothing was sent")
    return run_import(
        source,
        client,
        as_recipe(recipe, options),
        workers=workers,
        max_errors=max_errors,
        max_rows=max_rows,
        dry_run=dry_run,
        duplicates=duplicates,
        as_new=as_new,
        exclude_lines=exclude_lines,
        rename_categories=rename_categories,
        check_store=check_store,
        progress=progress,
        journal=journal,
    )


def run_import(
    source: Any,
    client: PostingClient,
    recipe: Recipe,
    *,
    corrections: Mapping[tuple[int, str], str] | None = None,
    on_read: Callable[[int, int], None] | None = None,
    timing: SessionClocks = REAL_TIME,
    step: Callable[[str], None] | None = None,
    **arguments: Any,
) -> LoadResult:
    """Run one import, as ``load`` describes it.

    Args:
        source, client, recipe: As in ``load``.
        corrections: Cells to correct, by row and column.
        on_read: Called with the number of rows of the file and of pets of the store that were read.
            An error that it raises ends the import.
        timing: The clocks of the session.
        step: Called with the name of each step, so that a test can end the process there.
        arguments: The fields of ``LoadOptions``.
    """
    options = LoadOptions(**arguments)
    options.check(client)
    load = Load(
        source,
        client,
        recipe,
        options,
        corrections=corrections,
        on_read=on_read,
        timing=timing,
        step=step,
    )
    load.open()
    if options.dry_run:
        return _rehearse(load, options)
    with _keeping_result() as running, holding(load.path):
        with Writer(load.path, client.base_url) as writer:
            load.prepare(writer)
            view = _view_of_load(load, options)
            view.fix_file = path_of(source) if load.fix is not None else None
            running.writer, running.view = writer, view
            view.sent_now = load.send(writer)
        result = LoadResult(view)
        _report_ending(result)
    return result


@dataclass
class _RunningLoad:
    """The journal and the result of a load, once it may send."""

    writer: Writer | None = None
    view: ImportView | None = None


@contextmanager
def _keeping_result() -> Iterator[_RunningLoad]:
    """Give an interrupt the result of a load, unless nothing was sent."""
    running = _RunningLoad()
    try:
        yield running
    except KeyboardInterrupt as interrupt:
        has_sent = running.writer is not None and running.writer.has_sent
        if has_sent and running.view is not None and result_of(interrupt) is None:
            interrupt.result = LoadResult(running.view)  # type: ignore[attr-defined]
        raise


def _view_of_load(load: Load, options: LoadOptions, copy: Path | None = None) -> ImportView:
    return ImportView(
        load.path,
        load.run.id,
        copy=copy,
        question=load.question,
        journal_folder=journal_text(options.journal),
        max_rows=options.max_rows,
    )


def resume_loads(
    client: PostingClient,
    *,
    journal: str | PathLike[str] | None = None,
    duplicates: Answer | None = None,
    check_store: bool = True,
    progress: ProgressOption = None,
) -> list[LoadResult]:
    """Finish all loads that stopped early. Their files are not needed: the journal has the rows.

    The remaining rows are compared with everything that was sent since. Without a key, only the
    last file of each header is continued, because an earlier one may have been edited and loaded
    again. A load with ``max_rows`` was limited on purpose. The results of the others have the call
    that loads them.

    Args:
        client: A client of the store.
        journal, duplicates, check_store, progress: As in ``load``.

    Returns:
        The results of the loads that had rows left to send, oldest first.

    Raises:
        JournalError: The journal cannot be used, or another load uses it. Nothing was sent.
        LoadStoppedError: The store, an outage or a limit ended a load again.

    Interface: Endpoints, Add an animal.
    """
    options = LoadOptions(
        journal=journal, progress=progress, check_store=check_store, duplicates=duplicates
    )
    options.check(client)
    path, results = journal_path(options, client), list[LoadResult]()
    if not path.exists():
        return results
    with holding(path), Writer(path, client.base_url) as writer:
        for run in read_imports(writer.sql, _UNFINISHED):
            if not _is_continued(writer, run):
                view = ImportView(path, run.id, journal_folder=journal_text(journal))
                view.sent_now = False  # the user must continue it
                results.append(LoadResult(view))
                continue
            load = Load(None, client, Recipe(**(run.recipe or {})), options, run=run)
            with _keeping_result() as running:
                load.prepare(writer)
                view = _view_of_load(load, options)
                running.writer, running.view = writer, view
                view.sent_now = load.send(writer)
                results.append(LoadResult(view))
                _report_ending(results[-1])
    return results


def _is_continued(writer: Writer, run: Import) -> bool:
    """Return whether the rows of an unfinished import can be sent without its file."""
    if run.ending is Ending.MAX_ROWS or COMMON_CAUSE in run.facts:
        return False
    return bool(run.key) or not read_imports(writer.sql, _LATER, [run.number, run.number])


def _report_ending(result: LoadResult) -> None:
    """Log the result of an import; raise an error if this call stopped early."""
    view = view_of(result)
    facts = view.facts
    title, sentence = headline(facts)
    log.info("%s: %s", title, sentence)
    ending = facts.run.ending
    if ending is Ending.INTERRUPTED and view.sent_now:
        interrupt = KeyboardInterrupt("interrupted; run the same import again to continue")
        interrupt.result = result  # type: ignore[attr-defined]
        raise interrupt
    if ending in _STOPPED and view.sent_now:
        raise LoadStoppedError(stopped_text(facts), result, ending)


def _rehearse(load: Load, options: LoadOptions) -> LoadResult:
    """Do everything except sending, in a copy of the journal that is deleted with the result."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="petstore-frame-"))
        copy = Path(folder, load.path.name)
        if load.path.exists():
            copy_journal(load.path, copy)
        with Writer(copy, load.client.base_url) as writer:
            load.prepare(writer)
            Outcomes(writer, load.run).recover()
        result = LoadResult(_view_of_load(load, options, copy))
        finalize(result, stack.pop_all().close)
    return result
