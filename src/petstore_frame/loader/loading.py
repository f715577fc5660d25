"""Runs a load: reads the rows, stores them in the journal, finds duplicates, and sends the rest."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack
from weakref import finalize

from petstore_frame.errors import (
    APIConnectionError,
    ArgumentError,
    AuthenticationError,
    DuplicatesError,
    IncompleteInventoryError,
    JournalError,
    LoadInterrupted,
    LoadStoppedError,
    PetstoreError,
)
from petstore_frame.inventory import Provenance, exported_from
from petstore_frame.loader.category_names import (
    category_question,
    names_of_store,
    note_unknown_names,
    raise_question,
    read_category_names,
    remember_category_names,
)
from petstore_frame.loader.common_cause import common_cause
from petstore_frame.loader.duplicate_question import BY_NAME, Question
from petstore_frame.loader.identity import identify
from petstore_frame.loader.journal.database import (
    NOTHING_SENT,
    Writer,
    copy_journal,
    find_journal,
    holding,
    reading,
)
from petstore_frame.loader.journal.header_keys import (
    remember_key,
    remember_values,
    remembered_key,
    repeats_earlier,
)
from petstore_frame.loader.journal.outcomes import Outcomes
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import FILE_PATH, Import, note_facts, read_imports
from petstore_frame.loader.journal.staging import (
    Staged,
    find_import,
    remove_staged,
    stage_rows,
    staged_again,
)
from petstore_frame.loader.journal.store_check import StorePets
from petstore_frame.loader.load_options import AsNew, Duplicates, LoadOptions, ProgressOption
from petstore_frame.loader.matching.folding import fold
from petstore_frame.loader.named_lines import with_named_lines
from petstore_frame.loader.reconcile import ask_store_id, read_store
from petstore_frame.loader.replaced_imports import drop_replaced
from petstore_frame.loader.results.import_facts import (
    COMMON_CAUSE,
    FILE_WARNINGS,
    LIKELY_KEYS,
    MAX_ERRORS,
)
from petstore_frame.loader.results.import_view import ImportView
from petstore_frame.loader.results.load_result import LoadResult, view_of
from petstore_frame.loader.results.result_text import headline, stopped_text
from petstore_frame.loader.row_state import Ending, SourceRow, State
from petstore_frame.loader.sending.pool import REAL_TIME, SessionClocks
from petstore_frame.loader.sending.session import PostingClient, ignore, run_session
from petstore_frame.loader.source import (
    LikelyKey,
    Recipe,
    RecipeOptions,
    Source,
    as_recipe,
    open_source,
)
from petstore_frame.schema import AnyFrame
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.transport import Interrupts
from petstore_frame.validation import suggest

log = logging.getLogger("petstore_frame.loader")
# Before a load, at most this many pages are read, or one per row to send if that is more.
LEAST_PAGES = 1000
# The reason of a connection error of a store that is there: its response took too long.
_CONNECTED_REASON = "read_timeout"
_STOPPED = (Ending.STOPPED, Ending.OUTAGE, Ending.JOURNAL, Ending.BUDGET)
_UNFINISHED = """
ending IS NOT 'done' AND EXISTS (SELECT 1 FROM animals
  WHERE animals.import = imports.import AND state IN ('pending', 'in_flight'))
"""


def load(
    source: str | PathLike[str] | bytes | AnyFrame,
    client: PostingClient,
    *,
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None = None,
    duplicates: Duplicates | None = None,
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
    ``key=``, an animal is recognized in any later file; without it, you are asked about rows that
    equal earlier ones. Valid rows are sent even if other rows need fixing.

    Args:
        source: Path or bytes of a CSV, TSV, ``.xlsx``, JSON lines or Parquet file, also compressed
            with gzip; or a DataFrame from any library.
        client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        recipe: How this kind of file is read: a Recipe, a dict, or the path of a TOML file.
        duplicates: What to do with rows that may be loaded already: ``raise`` asks, ``skip``
            treats them as the same animals, ``create`` as different ones; or a dict with an answer
            for each case.
        as_new: True if the whole file stands for different animals, 2 for a second copy of them;
            or the lines of new animals, even if they look like loaded ones.
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
        QuestionError: The list of categories contradicts the names that earlier files for this
            store gave to its numbers. Nothing was sent.
        DuplicatesError: Rows may be loaded already; the message says what to add. Nothing was sent.
        LoadStoppedError: The store, an outage or a limit ended the load; the same call continues.
        LoadInterrupted: Ctrl-C ended the load, after the requests in flight had finished.
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
    rows_read: Callable[[int], None] = ignore,
    timing: SessionClocks = REAL_TIME,
    step: Callable[[str], None] = ignore,
    **arguments: Any,
) -> LoadResult:
    """Run one import, as ``load`` describes it.

    Args:
        source, client, recipe: As in ``load``.
        rows_read: Called with the number of rows read so far, and again while the store is read. An
            error that it raises ends the import.
        timing: The clocks of the session.
        step: Called with the name of each step, so that a test can end the process there.
        arguments: The fields of ``LoadOptions``.
    """
    options = LoadOptions(**arguments)
    options.check(client)
    path = find_journal(options.journal, client.base_url, partial(ask_store_id, client))
    import_options, lines = partial(_options_of_import, path), options.exclude_lines
    opened = open_source(source, recipe, import_options=import_options, exclude_lines=lines)
    key = None if opened.is_returned or recipe.key is not None else _remembered_key(path, opened)
    if key is not None:
        recipe = recipe.replace(key=key)
        opened = open_source(source, recipe, import_options=import_options, exclude_lines=lines)
    run = _import_of(opened, client, recipe, options, timing.now())
    stage = partial(_stage, opened, run, client, options, rows_read, _exported_from(source, opened))
    stage_source = partial(_stage_named, stage, _path_of(source), recipe)
    if options.dry_run:
        return _rehearse(path, client.base_url, stage_source, options)
    with _keeping_result() as running:
        with holding(path), Writer(path, client.base_url) as writer:
            staged, _ = stage_source(writer)
            view = ImportView(path, staged.run.id, journal_folder=_text_of(options.journal))
            view.fix_file = _path_of(source) if opened.is_returned else None
            running.writer, running.view = writer, view
            if COMMON_CAUSE in staged.run.facts:
                Outcomes(writer, staged.run).end(timing.now(), Ending.BUDGET)
            else:
                view.session = run_session(
                    writer,
                    staged.run,
                    client,
                    options,
                    timing=timing,
                    is_new=staged.is_new,
                    step=step,
                )
                view.sent_now = view.session is not None
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
    except LoadInterrupted:
        raise
    except KeyboardInterrupt as interrupt:
        if running.view is not None and running.writer is not None and running.writer.has_sent:
            raise LoadInterrupted(LoadResult(running.view)) from interrupt
        raise


def _text_of(folder: str | PathLike[str] | None) -> str | None:
    """Return the path of a folder as the user passed it."""
    return None if folder is None else fspath(folder)


def _path_of(source: Any) -> str | None:
    """Return the path that the user passed; None for a frame or bytes."""
    return fspath(source) if isinstance(source, (str, PathLike)) else None


def _exported_from(source: Any, opened: Source) -> Provenance | None:
    """Return the store that a file or frame with ids was exported from, if it states that."""
    if not any(fold(column) == "id" for column in opened.columns):
        return None
    return exported_from(source)


def _stage_named(
    stage_rows: Callable[[Writer], tuple[Staged, Question | None]],
    path: str | None,
    recipe: Recipe,
    writer: Writer,
) -> tuple[Staged, Question | None]:
    """Stage rows; add the path and the options of the file to the question, if there is one."""
    try:
        staged, question = stage_rows(writer)
    except DuplicatesError as error:
        raise DuplicatesError(error.question.with_source(path, recipe)) from None
    if question is not None:
        question = question.with_source(path, recipe)
    return staged, question


def resume_loads(
    client: PostingClient,
    *,
    journal: str | PathLike[str] | None = None,
    duplicates: Duplicates | None = None,
    check_store: bool = True,
    progress: ProgressOption = None,
) -> list[LoadResult]:
    """Finish all loads that stopped early. Their files are not needed: the journal has the rows.

    A load with ``max_rows`` was limited on purpose, so its other rows are not sent, and its result
    says how to send them. If a later file with the same columns may replace it, you are asked.

    Args:
        client: A client of the store.
        journal, check_store, progress: As in ``load``.
        duplicates: As in ``load``. ``{"unsent": "create"}`` sends the remaining rows of a file
            although a later file has the same columns; ``{"unsent": "skip"}`` drops these rows.

    Returns:
        The results of the loads that had rows left to send, oldest first.

    Raises:
        DuplicatesError: Rows may be pets in the store already, or later files may replace files
            that were not sent to their end. Nothing was sent.
        JournalError: The journal cannot be used, or another load uses it. Nothing was sent.
        LoadStoppedError: The store, an outage or a limit ended a load again.

    Interface: Endpoints, Add an animal.
    """
    options = LoadOptions(
        journal=journal, progress=progress, check_store=check_store, duplicates=duplicates
    )
    options.check(client)
    path, results = find_journal(journal, client.base_url, partial(ask_store_id, client)), []
    if not path.exists():
        return []
    with holding(path), Writer(path, client.base_url) as writer:
        runs = read_imports(writer.sql, _UNFINISHED)
        with writer.transaction() as sql:
            replaced = drop_replaced(sql, runs, options.answers)
        for run in runs:
            view = ImportView(path, run.id, journal_folder=_text_of(journal))
            is_trial = run.ending is Ending.MAX_ROWS
            if run.number not in replaced and (is_trial or COMMON_CAUSE in run.facts):
                view.sent_now = not is_trial  # the user must continue it
                results.append(LoadResult(view))
                continue
            # An answer by name was about the store at that time, so it no longer applies.
            earlier = LoadOptions(duplicates=run.duplicates).answers.items()
            still_valid = {case: answer for case, answer in earlier if case not in BY_NAME}
            answers = still_valid | options.answers
            store = _read_store(client, options, 0, ignore)
            with Interrupts() as interrupts, writer.transaction() as sql:
                staged = staged_again(sql, run)
                question = identify(
                    sql,
                    staged,
                    answers,
                    store,
                    named_answers=options.named_answers,
                    pause=interrupts.deliver,
                )
                _raise_question(question)
            with _keeping_result() as running:
                running.writer, running.view = writer, view
                view.session = run_session(writer, run, client, options, timing=REAL_TIME)
                results.append(LoadResult(view))
                _report_ending(results[-1])
    return results


def _report_ending(result: LoadResult) -> None:
    """Log the result of an import; raise an error if this call stopped early."""
    view = view_of(result)
    facts = view.facts
    title, sentence = headline(facts)
    log.info("%s: %s", title, sentence)
    ending = facts.run.ending
    if ending is Ending.INTERRUPTED and view.sent_now:
        raise LoadInterrupted(result)
    if ending in _STOPPED and view.sent_now:
        raise LoadStoppedError(stopped_text(facts), result, ending)


def _remembered_key(path: Path, opened: Source) -> tuple[str, ...] | None:
    """Return the key that an earlier load of a file with this header had, or None."""
    if not path.exists():
        return None
    with reading(path, NOTHING_SENT) as sql:
        return remembered_key(sql, tuple(opened.columns))


def _options_of_import(path: Path, import_id: str) -> dict[str, Any] | None:
    """Return the recipe options and the header of an import, by the start of its id, or None."""
    if not path.exists():
        return None
    with reading(path) as sql:
        imports = read_imports(sql, "id GLOB ? || '*'", [import_id])
    if len(imports) != 1:
        return None
    run = imports[0]
    options = run.recipe or {}
    mapping = {**options.get("mapping", {}), **run.mapping}  # with the fields that have no column
    return {**options, "mapping": mapping, "key": run.key or None, "header": run.header}


def _import_of(
    opened: Source, client: PostingClient, recipe: Recipe, options: LoadOptions, now: float
) -> Import:
    """Return the import, before its rows are read."""
    duplicates = options.duplicates
    return Import(
        id="",
        base_url=client.base_url,
        source=opened.name,
        place=opened.location,
        header=tuple(opened.columns),
        mapping=dict(opened.mapping),
        key=tuple(opened.key),
        duplicates=dict(duplicates) if isinstance(duplicates, Mapping) else duplicates,
        keep=recipe.keep,
        bytes_id=opened.bytes_id,
        recipe=recipe.to_dict(),
        staged_at=now,
    )


def _stage(
    opened: Source,
    run: Import,
    client: PostingClient,
    options: LoadOptions,
    rows_read: Callable[[int], None],
    exported: Provenance | None,
    writer: Writer,
) -> tuple[Staged, Question | None]:
    """Stage the rows, read the store, and write the animal of each row, in this order.

    Other processes do not see staged rows. The store is read outside of a transaction, so that
    Ctrl-C ends the reading after the current page. Both transactions are short; Ctrl-C waits for
    the next pause in them.
    """
    rows = 0

    def batches() -> Iterator[Sequence[SourceRow]]:
        nonlocal rows
        lines = {"as_new": options.new_lines, "exclude_lines": options.exclude_lines}
        for batch in with_named_lines(opened.batches(), lines):
            rows += len(batch)
            rows_read(rows)
            yield batch

    with Interrupts() as interrupts, writer.transaction() as sql:
        staged_rows = stage_rows(
            sql,
            run,
            batches(),
            exclude_lines=options.exclude_lines,
            pause=interrupts.deliver,
        )
    try:
        store = _read_store(client, options, staged_rows.to_send, lambda: rows_read(rows))
        _check_categories(writer.sql, opened, options, store)
        with Interrupts() as interrupts, writer.transaction() as sql:
            staged = find_import(
                sql,
                staged_rows,
                run,
                copy=options.copy,
                new_lines=options.new_lines,
                named_answers=options.named_answers,
            )
            if opened.recipe.key is not None and not opened.is_returned:
                remember_key(sql, staged.run)
            question = identify(
                sql,
                staged,
                options.answers,
                store,
                named_answers=options.named_answers,
                is_rehearsal=options.dry_run,
                exported=exported,
                pause=interrupts.deliver,
            )
            question = _with_key(sql, staged, question, opened)
            question = _raise_question(question, is_rehearsal=options.dry_run)
            remember_values(sql, staged.run, [key.column for key in opened.likely_keys()])
            run = _note_file(sql, staged, opened, options)
            if options.dry_run:
                note_unknown_names(sql, run, opened.recipe.categories, names_of_store(store))
            remember_category_names(sql, opened.recipe.categories, run.staged_at)
        interrupts.deliver()
    except BaseException:
        with suppress(JournalError), writer.transaction() as sql:
            remove_staged(sql)
        raise
    return replace(staged, run=run), question


def _check_categories(
    sql: sqlite3.Connection, opened: Source, options: LoadOptions, store: StorePets | None
) -> None:
    """Ask about a list of categories that contradicts the names of earlier files."""
    question = category_question(
        opened.recipe.categories,
        read_category_names(sql),
        pets=names_of_store(store),
        renamed=options.rename_categories,
    )
    raise_question(question)


def _with_key(
    sql: sqlite3.Connection,
    staged: Staged,
    question: Question | None,
    opened: Source,
) -> Question | None:
    """Ask about the key as well, if a column clearly is one and several rows share a value."""
    run = staged.run
    key = _repeated_key(sql, run, opened)
    if question is not None:
        likely = opened.likely_columns() if key is None else (key,)
        return replace(question, likely=next(iter(likely), None), needs_key=key is not None)
    if key is None:
        return None
    counts = count_states(sql, run.number)
    if not counts[State.PENDING]:
        return None
    rows = sum(counts.values())
    return Question(run.source, rows, (), run.base_url, counts, counts, likely=key, needs_key=True)


def _repeated_key(sql: sqlite3.Connection, run: Import, opened: Source) -> LikelyKey | None:
    """Return the column that certainly identifies animals, if some of its values repeat."""
    if opened.is_returned or opened.recipe.key is not None:
        return None
    proposed = opened.proposed_key()
    if proposed is not None and proposed.repeated:
        return proposed
    for key in opened.likely_keys():
        if key.is_certain_if_repeated and repeats_earlier(sql, run, key.column):
            return key
    return None


def _raise_question(question: Question | None, *, is_rehearsal: bool = False) -> Question | None:
    """Raise the question, if there is one; a rehearsal returns it for its result."""
    if question is None:
        return None
    if not is_rehearsal:
        raise DuplicatesError(question)
    return question


def _note_file(
    sql: sqlite3.Connection,
    staged: Staged,
    opened: Source,
    options: LoadOptions,
) -> Import:
    """Store the facts of the file, and the common cause if most rows are invalid for one reason."""
    (run,) = read_imports(sql, "id = ?", [staged.run.id])
    if opened.path is not None:
        run.facts[FILE_PATH] = str(opened.path.absolute())
    if likely := opened.likely_columns():
        run.facts[LIKELY_KEYS] = [asdict(key) for key in likely]
    if warnings := opened.warnings():
        run.facts[FILE_WARNINGS] = warnings
    if options.max_errors is not None:
        run.facts[MAX_ERRORS] = options.max_errors
    stops_on_common_cause = options.max_errors is None and not opened.is_returned
    if stops_on_common_cause and (cause := common_cause(sql, run)):
        problem = cause.problem
        run.facts[COMMON_CAUSE] = {"code": problem.code, "column": problem.column}
    note_facts(sql, run, run.facts)
    return run


def _read_store(
    client: PostingClient, options: LoadOptions, to_send: int, watch: Callable[[], object]
) -> StorePets | None:
    """Read the store before a load; return None if the caller does not want that.

    If it takes more than a second, a progress bar shows the number of pets. A progress function is
    not called yet, because it expects the states of rows.
    """
    if not options.check_store:
        return None
    option = False if callable(options.progress) else options.progress
    display: ProgressBar[int] = ProgressBar(option, "Reading the store", delay_s=1.0)

    def show(pets: int) -> None:
        watch()
        display.show(pets, pets)

    try:
        with display:
            return read_store(client, show, max(LEAST_PAGES, to_send), display.note_wait)
    except PetstoreError as error:
        if _answers_otherwise(error):  # if not, a load would fail in the same way
            error.add = ("check_store", False)
        raise


def _answers_otherwise(error: PetstoreError) -> bool:
    """Return whether the store may accept pets although it could not be read."""
    cause = error.__cause__ if isinstance(error, IncompleteInventoryError) else error
    if isinstance(cause, APIConnectionError):
        return cause.reason == _CONNECTED_REASON
    return not isinstance(cause, AuthenticationError)


def _rehearse(
    path: Path,
    base_url: str,
    stage_source: Callable[[Writer], tuple[Staged, Question | None]],
    options: LoadOptions,
) -> LoadResult:
    """Do everything except sending, in a copy of the journal that is deleted with the result."""
    with ExitStack() as stack:
        copy = Path(stack.enter_context(TemporaryDirectory(prefix="petstore-frame-")), path.name)
        if path.exists():
            copy_journal(path, copy)
        with Writer(copy, base_url) as writer:
            staged, question = stage_source(writer)
            Outcomes(writer, staged.run).recover()
        view = ImportView(
            path,
            staged.run.id,
            copy=copy,
            question=question,
            journal_folder=_text_of(options.journal),
            max_rows=options.max_rows,
        )
        result = LoadResult(view)
        finalize(result, stack.pop_all().close)
    return result
