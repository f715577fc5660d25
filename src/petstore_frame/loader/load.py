"""The three ways in: a CSV file, a workbook, a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, Unpack

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.options import (
    READING_NAMES,
    CsvOptions,
    ExcelOptions,
    FrameOptions,
    Limits,
    takes,
)
from petstore_frame.loader.reading.opening import is_archive, is_workbook
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.sending.send import PostingClient


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
