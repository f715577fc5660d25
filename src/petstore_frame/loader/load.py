"""The three ways in (a CSV file, a workbook, a DataFrame), and one import from start to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack
from uuid import uuid4

from petstore_frame.errors import ArgumentError, DuplicatesError, LoadInterrupted
from petstore_frame.loader.journal.database import holding, make_folder, place_of
from petstore_frame.loader.journal.imports import columns_of, find_store, open_import
from petstore_frame.loader.journal.rows import Run, read_run, read_runs
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.options import (
    READING_NAMES,
    CsvOptions,
    ExcelOptions,
    FrameOptions,
    Limits,
    check_sending,
    takes,
)
from petstore_frame.loader.progress import ProgressOption
from petstore_frame.loader.reading.opening import is_archive, is_workbook
from petstore_frame.loader.reading.options import Reading
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


@takes(CsvOptions)
def load_csv(
    path: str | PathLike[str], client: PostingClient, **options: Unpack[CsvOptions]
) -> LoadResult:
    """Load the animals of a CSV file into the store, none twice and none lost.

    The same file again goes on where it stopped, or does nothing. With ``key=`` each animal is
    known by its key, in whatever file it comes back; without it, a file that seems to repeat an
    earlier one is refused until you say what its equal records are. The intent of each request is
    on disk before its first byte, and a request is repeated only on proof that the first was not
    applied, or under an idempotency key that the client knows the store to honour; what remains in
    doubt is listed as ``unknown``.

    Args:
        path: A CSV or TSV file, plain or gzipped.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        dry_run: Read, check and plan, and send nothing.
        mapping: Column names by field, where the header does not show them:
            ``{"name": "Pet", "category_id": "Cat. no."}``.
        value_map: Values by field and text: ``{"status": {"in stock": "available"}}``.
        categories: Labels by category id (a dict, a Series or a CSV path), so that "Dog" in the
            file is a number.
        key: The column that identifies an animal, or several that do so together: a known key is
            never sent again.
        accept: Which kinds of suspicious records are sent after all, as in ``["total_row"]``.
        max_errors: Stop once more records than this are invalid, or are rejected; None for never.
        again: Load a file a second time, on purpose.
        duplicates: What to do where records without a key equal earlier ones in all but the
            status: ``refuse`` the file if it seems to repeat an earlier one, ``skip`` the equal
            records, or ``send`` them as other animals.
        progress: None shows a bar where a person can see it, True always, False never; or a
            function that is called with the number of records in each state and may raise
            KeyboardInterrupt to stop as Ctrl-C does.
        journal: Folder of the journals; None is the user's state directory.
        workers: The largest number of requests in flight, 1 to 32.
        encoding: The codec of a file without a byte order mark that is not UTF-8.
        delimiter: The character between cells; None finds it.
        quoting: ``strict``, or ``none`` to read quotes as letters.
        columns: The column names of a file without a header.
        header_row: The header's row where a title is above it, 1 for the first of the file.
        keep_spaces: Leave the outer spaces of names.
        thousands: ``,`` or ``.`` where category ids have a separator of thousands.

    Returns:
        A LoadResult: ``.frame`` has one row per record, in whatever state; ``.created``,
        ``.fix`` and ``.unknown`` are parts of it, and ``.write(folder)`` makes files. A session
        that the store or an outage ended is in ``.summary["ending"]``; the same call goes on.

    Raises:
        InputError: The file cannot be read as records; nothing was sent.
        DuplicatesError: The file seems to repeat an earlier one; nothing was sent, and the text
            has the ways on.
        JournalLockedError: Another import into this store is at work.
        JournalError: The journal or its disk failed; sending has stopped.
        LoadInterrupted: Ctrl-C; requests on their way were awaited (a second one does not wait).
        ArgumentError: An argument cannot be used: ``client`` is not a Client, ``workers`` is out
            of bounds, the file is a workbook; nothing was sent.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import petstore_frame as pf
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "arrivals.csv")
        ...     _ = file.write_text("name,category_id\\nLuna,3\\nMax,three\\n")
        ...     with pf.serve() as server, server.client() as client:
        ...         result = pf.load_csv(file, client, journal=folder)
        ...     result.frame["state"].tolist()
        ['created', 'invalid']

    Interface: Endpoints, Add an animal.
    """
    _check_file(path, wants_workbook=False)
    return _sorted_load(path, client, options)


@takes(ExcelOptions)
def load_excel(
    path: str | PathLike[str], client: PostingClient, **options: Unpack[ExcelOptions]
) -> LoadResult:
    """Load the animals of an ``.xlsx`` workbook into the store, none twice and none lost.

    Cells are judged by their type: a date or a number where a name should be is noted, not
    silently turned into text. Everything else is as in ``load_csv``.

    Args:
        path: The workbook.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        options: ``sheet`` names the sheet, where the workbook has several. The others are those
            of ``load_csv``, without ``encoding``, ``delimiter`` and ``quoting``.

    Returns:
        A LoadResult, as of ``load_csv``.

    Raises:
        MissingExtraError: openpyxl is not installed.
        InputError: The sheet cannot be read as records; nothing was sent.
        JournalError: As in ``load_csv``.
        ArgumentError: As in ``load_csv``, or the file is not a workbook.

    Interface: Endpoints, Add an animal.
    """
    _check_file(path, wants_workbook=True)
    return _sorted_load(path, client, options)


@takes(FrameOptions)
def load_frame(frame: Any, client: PostingClient, **options: Unpack[FrameOptions]) -> LoadResult:
    """Load the animals of a DataFrame into the store, none twice and none lost.

    A frame of the same content is the same import, also in another variable: running a cell
    twice loads it once.

    Args:
        frame: A pandas DataFrame with a name, a category id and perhaps a status.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        options: Those of ``load_csv`` that are not about the layout of a file.

    Returns:
        A LoadResult, as of ``load_csv``.

    Raises:
        InputError: The frame cannot be read as records; nothing was sent.
        JournalError: As in ``load_csv``.
        ArgumentError: As in ``load_csv``, or ``frame`` is not a DataFrame.

    Interface: Endpoints, Add an animal.
    """
    return _sorted_load(frame, client, options)


def _sorted_load(source: Any, client: PostingClient, options: Mapping[str, Any]) -> LoadResult:
    """Sort the options by what they are about, and load."""
    rest = dict(options)
    reading = {name: rest.pop(name) for name in options if name in READING_NAMES}
    limits = {name: rest.pop(name) for name in options if name in ("workers", "max_errors")}
    return load(source, client, Reading(**reading), Limits(**limits), **rest)


def _check_file(path: Any, *, wants_workbook: bool) -> None:
    """Name the function to use, where the argument is for another one."""
    if not isinstance(path, str | PathLike):
        raise ArgumentError(
            f"expected the path of a file, got a {type(path).__name__}; load_frame takes a "
            "DataFrame; nothing was sent"
        )
    if is_archive(path):
        raise ArgumentError(
            f"{fspath(path)} is a zip file, but not an .xlsx workbook; unpack it, or save it as "
            ".xlsx; nothing was sent"
        )
    if is_workbook(path) and not wants_workbook:
        raise ArgumentError(f"{fspath(path)} is a workbook; use load_excel; nothing was sent")
    if wants_workbook and not is_workbook(path):
        raise ArgumentError(f"{fspath(path)} is not a workbook; use load_csv; nothing was sent")


def load(
    path_or_frame: Any,
    client: PostingClient,
    reading: Reading,
    limits: Limits,
    *,
    dry_run: bool = False,
    journal: str | PathLike[str] | None = None,
    again: bool = False,
    duplicates: str = "refuse",
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
    with open_source(path_or_frame, reading, columns_of=partial(_columns_of, path)) as source:
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
