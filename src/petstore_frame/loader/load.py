"""The three ways in: a CSV file, a workbook, a DataFrame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.engine import load
from petstore_frame.loader.limits import DEFAULT_WORKERS, Limits
from petstore_frame.loader.progress import ProgressOption
from petstore_frame.loader.reading.habits import takes_habits
from petstore_frame.loader.reading.kinds import is_archive, is_workbook
from petstore_frame.loader.reading.options import Reading, ValueMap
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.sending.clients import PostingClient
from petstore_frame.schema.categories import Categories


@takes_habits
def load_csv(
    path: str | PathLike[str],
    client: PostingClient,
    *,
    dry_run: bool = False,
    mapping: Mapping[str, str | None] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    key: str | Sequence[str] = (),
    accept: Collection[str] = (),
    max_errors: int | None = None,
    again: bool = False,
    duplicates: Literal["refuse", "skip", "send"] = "refuse",
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int = DEFAULT_WORKERS,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str = "strict",
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
    keep_spaces: bool = False,
    thousands: str | None = None,
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
    reading = Reading(
        mapping=mapping,
        value_map=value_map,
        categories=categories,
        encoding=encoding,
        delimiter=delimiter,
        quoting=quoting,
        columns=columns,
        header_row=header_row,
        keep_spaces=keep_spaces,
        thousands=thousands,
        key=key,
        accept=accept,
    )
    sending = Limits(workers=workers, max_errors=max_errors)
    return load(
        path,
        client,
        reading,
        sending,
        dry_run=dry_run,
        journal=journal,
        again=again,
        duplicates=duplicates,
        progress=progress,
    )


@takes_habits
def load_excel(
    path: str | PathLike[str],
    client: PostingClient,
    *,
    sheet: str | None = None,
    dry_run: bool = False,
    mapping: Mapping[str, str | None] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    key: str | Sequence[str] = (),
    accept: Collection[str] = (),
    max_errors: int | None = None,
    again: bool = False,
    duplicates: Literal["refuse", "skip", "send"] = "refuse",
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int = DEFAULT_WORKERS,
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
    keep_spaces: bool = False,
    thousands: str | None = None,
) -> LoadResult:
    """Load the animals of an ``.xlsx`` workbook into the store, none twice and none lost.

    Cells are judged by their type: a date or a number where a name should be is noted, not
    silently turned into text. Everything else is as in ``load_csv``.

    Args:
        path: The workbook.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        sheet: The sheet, where the workbook has several.
        dry_run: Read, check and plan, and send nothing.
        mapping: Column names by field; this and all that follow are as in ``load_csv``.
        value_map: Values by field and text.
        categories: Labels by category id.
        key: The column, or columns, that identify an animal.
        accept: Which kinds of suspicious records are sent after all.
        max_errors: Stop once more records than this are invalid, or are rejected.
        again: Load a file a second time, on purpose.
        duplicates: As in ``load_csv``.
        progress: None, True, False or a function.
        journal: Folder of the journals.
        workers: The largest number of requests in flight.
        columns: The column names of a sheet without a header.
        header_row: The header's row where a title is above it.
        keep_spaces: Leave the outer spaces of names.
        thousands: ``,`` or ``.`` where category ids are texts with a separator of thousands.

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
    reading = Reading(
        sheet=sheet,
        columns=columns,
        header_row=header_row,
        mapping=mapping,
        value_map=value_map,
        categories=categories,
        keep_spaces=keep_spaces,
        thousands=thousands,
        key=key,
        accept=accept,
    )
    sending = Limits(workers=workers, max_errors=max_errors)
    return load(
        path,
        client,
        reading,
        sending,
        dry_run=dry_run,
        journal=journal,
        again=again,
        duplicates=duplicates,
        progress=progress,
    )


@takes_habits
def load_frame(
    frame: Any,
    client: PostingClient,
    *,
    dry_run: bool = False,
    mapping: Mapping[str, str | None] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    key: str | Sequence[str] = (),
    accept: Collection[str] = (),
    max_errors: int | None = None,
    again: bool = False,
    duplicates: Literal["refuse", "skip", "send"] = "refuse",
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int = DEFAULT_WORKERS,
    keep_spaces: bool = False,
    thousands: str | None = None,
) -> LoadResult:
    """Load the animals of a DataFrame into the store, none twice and none lost.

    A frame of the same content is the same import, also in another variable: running a cell
    twice loads it once.

    Args:
        frame: A pandas DataFrame with a name, a category id and perhaps a status.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        dry_run: Check and plan, and send nothing.
        mapping: Column names by field; this and all that follow are as in ``load_csv``.
        value_map: Values by field and text.
        categories: Labels by category id.
        key: The column, or columns, that identify an animal.
        accept: Which kinds of suspicious records are sent after all.
        max_errors: Stop once more records than this are invalid, or are rejected.
        again: Load a frame a second time, on purpose.
        duplicates: As in ``load_csv``.
        progress: None, True, False or a function.
        journal: Folder of the journals.
        workers: The largest number of requests in flight.
        keep_spaces: Leave the outer spaces of names.
        thousands: ``,`` or ``.`` where category ids are texts with a separator of thousands.

    Returns:
        A LoadResult, as of ``load_csv``.

    Raises:
        InputError: The frame cannot be read as records; nothing was sent.
        JournalError: As in ``load_csv``.
        ArgumentError: As in ``load_csv``, or ``frame`` is not a DataFrame.

    Interface: Endpoints, Add an animal.
    """
    reading = Reading(
        mapping=mapping,
        value_map=value_map,
        categories=categories,
        keep_spaces=keep_spaces,
        thousands=thousands,
        key=key,
        accept=accept,
    )
    sending = Limits(workers=workers, max_errors=max_errors)
    return load(
        frame,
        client,
        reading,
        sending,
        dry_run=dry_run,
        journal=journal,
        again=again,
        duplicates=duplicates,
        progress=progress,
    )


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
