"""The three ways in: a CSV file, a workbook, a DataFrame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from typing import Any

from petstore_frame.loader.call import Call
from petstore_frame.loader.options import (
    Duplicates,
    LoadOptions,
    OnInvalid,
    ProgressOption,
    with_other_words,
)
from petstore_frame.loader.reading.mapping import Mapped
from petstore_frame.loader.reading.opening import is_archive, is_workbook
from petstore_frame.loader.reading.options import ByColumn, ByField, ValueMap
from petstore_frame.loader.reading.recipe import Recipe, as_recipe, said
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.schema.arguments import before_sending, refuse
from petstore_frame.schema.categories import Categories
from petstore_frame.schema.frame import AnyFrame
from petstore_frame.schema.text import kind_text


def load_csv(
    path: str | PathLike[str],
    client: PostingClient,
    *,
    recipe: Recipe | str | PathLike[str] | None = None,
    key: str | Sequence[str] | None = None,
    mapping: Mapped | None = None,
    categories: Categories = None,
    value_map: ValueMap | None = None,
    otherwise: ByField | None = None,
    defaults: ByField | None = None,
    keep: str | None = None,
    leave_out: ByColumn | None = None,
    only: ByColumn | None = None,
    leave_lines: Collection[int] = (),
    count: str | None = None,
    accept: str | Collection[str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str | None = None,
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
    thousands: str | None = None,
    keep_spaces: bool | None = None,
    dry_run: bool = False,
    duplicates: Duplicates | None = None,
    send_lines: Collection[int] = (),
    check_store: bool = True,
    again: bool = False,
    on_invalid: OnInvalid = "keep",
    max_errors: int | None = None,
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int | None = None,
    **other: Any,
) -> LoadResult:
    """Load the animals of a CSV file into the store, none twice and none lost.

    The same file again goes on where it stopped, or does nothing. With ``key=`` each animal is
    known by its key, in whatever file it comes back; without it, a file that seems to repeat an
    earlier one is refused until you say what its equal records are. The loader writes
    each request to disk before it sends it. It repeats one only on proof that the first was not
    applied, or under an idempotency key if the client knows that the store honours it. What
    remains in doubt is listed as ``unknown``.

    Args:
        path: A CSV or TSV file, plain or gzipped.
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()``.
        recipe: How this kind of file is read: a Recipe, or the path of its file. An option given
            beside it wins.
        key: The column that identifies an animal, or several that do so together: a known key is
            never sent again. Of several, some cells may be empty where the rest still names one
            row. The name of a frame's index will do.
        mapping: Column names by field, where the header does not show them:
            ``{"name": "Pet", "category_id": "Cat. no."}``.
        categories: Labels by category id (a dict, a Series or a CSV path), so that "Dog" in the
            file is a number.
        value_map: Values by field and text: ``{"status": {"in stock": "available"}}``; an empty
            value makes the cell empty, as in ``{"name": {"Unknown": ""}}``.
        otherwise: By field, what all other words become: ``{"status": ""}``.
        defaults: By field, what stands in the place of an empty cell, or of a column that the file
            has not; braces name a column: ``{"name": "Unnamed {Tag no}"}``.
        keep: Which of several rows of one key stands: ``first``, ``last``, or ``newest: COLUMN``.
        leave_out: Rows that are not sent, by column and texts: ``{"Outcome": ["DIED"]}``.
        only: The rows that are sent, in the same way.
        leave_lines: Lines of rows that are not sent.
        count: The column that says how many animals a row stands for.
        accept: Which kinds of suspicious records are sent after all, as in ``["total_row"]``.
        encoding: The codec of a file without a byte order mark that is not UTF-8.
        delimiter: The character between cells; None finds it.
        quoting: ``strict``, or ``none`` to read quotes as letters.
        columns: The column names of a file without a header.
        header_row: The header's row where a title is above it, 1 for the first of the file.
        thousands: ``,`` or ``.`` where category ids have a separator of thousands.
        keep_spaces: Leave the outer spaces of names.
        dry_run: Read, check and plan, and send nothing.
        duplicates: What to do with records that may be animals which are known already:
            ``refuse`` asks, ``skip`` takes them for the same animals (pets of the store are adopted
            with their ids), ``send`` for others. A dict answers each case, as in
            ``{"alias": "skip", "reused": "send"}``.
        send_lines: Lines of rows that are other animals, whatever they equal.
        check_store: Read the store before sending, and ask where it has pets that this journal did
            not make and the records equal.
        again: Load a file a second time, on purpose.
        on_invalid: ``raise`` a LoadFailedError where not every record is in the store at the end;
            ``keep`` leaves such records in the result.
        max_errors: Stop once more records than this are invalid, or are rejected. None sends
            nothing where most records fail for one cause, and else goes on to the end.
        progress: None shows a bar where a person can see it, True always, False never; or a
            function that is called with the number of records in each state and may raise
            KeyboardInterrupt to stop as Ctrl-C does.
        journal: Folder of the journals; None is the user's state directory.
        workers: The largest number of requests in flight, 1 to 32; None for 16, and more as far as
            these wait for the journal's disk.
        other: Words of other libraries, such as ``sep=``, are taken or answered.

    Returns:
        A LoadResult: ``.frame`` has one row per record, in whatever state; ``.created``,
        ``.fix`` and ``.unknown`` are parts of it, and ``.write(folder)`` makes files. A session
        that the store or an outage ended is in ``.summary["ending"]``; the same call goes on.

    Raises:
        InputError: The file cannot be read as records; nothing was sent.
        DuplicatesError: Some records may be animals that are known already; nothing was sent, and
            the text has what each answer would do.
        LoadStopped: The store, an outage or a limit ended it; the same call again goes on, and
            ``.result`` has what became of each record.
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
    given = dict(locals())  # each parameter by its name: nothing else is local yet
    _check_file(path, wants_workbook=False)
    return _load("load_csv", path, client, given)


def load_excel(
    path: str | PathLike[str],
    client: PostingClient,
    *,
    recipe: Recipe | str | PathLike[str] | None = None,
    key: str | Sequence[str] | None = None,
    mapping: Mapped | None = None,
    categories: Categories = None,
    value_map: ValueMap | None = None,
    otherwise: ByField | None = None,
    defaults: ByField | None = None,
    keep: str | None = None,
    leave_out: ByColumn | None = None,
    only: ByColumn | None = None,
    leave_lines: Collection[int] = (),
    count: str | None = None,
    accept: str | Collection[str] | None = None,
    sheet: str | None = None,
    columns: Sequence[str] | None = None,
    header_row: int | None = None,
    thousands: str | None = None,
    keep_spaces: bool | None = None,
    dry_run: bool = False,
    duplicates: Duplicates | None = None,
    send_lines: Collection[int] = (),
    check_store: bool = True,
    again: bool = False,
    on_invalid: OnInvalid = "keep",
    max_errors: int | None = None,
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int | None = None,
    **other: Any,
) -> LoadResult:
    """Load the animals of an ``.xlsx`` workbook into the store, none twice and none lost.

    Each cell is read by its type: a date or a number in the place of a name gives a note and is
    never turned into text in silence. Everything else is as in ``load_csv``.

    Args:
        path: The workbook.
        client: As of ``load_csv``, and so are all others but ``sheet``.
        sheet: The name of the sheet, where the workbook has several.

    Returns:
        A LoadResult, as of ``load_csv``.

    Raises:
        MissingExtraError: openpyxl is not installed.
        InputError: The sheet cannot be read as records; nothing was sent.
        JournalError: As in ``load_csv``.
        ArgumentError: As in ``load_csv``, or the file is not a workbook.

    Interface: Endpoints, Add an animal.
    """
    given = dict(locals())  # each parameter by its name: nothing else is local yet
    _check_file(path, wants_workbook=True)
    return _load("load_excel", path, client, given)


def load_frame(
    frame: AnyFrame,
    client: PostingClient,
    *,
    recipe: Recipe | str | PathLike[str] | None = None,
    key: str | Sequence[str] | None = None,
    mapping: Mapped | None = None,
    categories: Categories = None,
    value_map: ValueMap | None = None,
    otherwise: ByField | None = None,
    defaults: ByField | None = None,
    keep: str | None = None,
    leave_out: ByColumn | None = None,
    only: ByColumn | None = None,
    leave_lines: Collection[int] = (),
    count: str | None = None,
    accept: str | Collection[str] | None = None,
    thousands: str | None = None,
    keep_spaces: bool | None = None,
    dry_run: bool = False,
    duplicates: Duplicates | None = None,
    send_lines: Collection[int] = (),
    check_store: bool = True,
    again: bool = False,
    on_invalid: OnInvalid = "keep",
    max_errors: int | None = None,
    progress: ProgressOption = None,
    journal: str | PathLike[str] | None = None,
    workers: int | None = None,
    **other: Any,
) -> LoadResult:
    """Load the animals of a DataFrame into the store, none twice and none lost.

    A frame of the same content is the same import, also in another variable: running a cell
    twice loads it once.

    Most used: ``key="tag"`` names the column that identifies an animal, so that a known one is
    never sent again; ``mapping={"name": "Pet"}`` names columns; ``categories="categories.csv"``
    has the id of each label, and ``value_map={"status": {"in care": "available"}}`` the meaning of
    a word; ``dry_run=True`` sends nothing; ``duplicates="skip"`` takes records for animals that
    are known, ``"send"`` for others; ``on_invalid="raise"`` raises where a row is wrong.

    Args:
        frame: A pandas DataFrame with a name, a category id and perhaps a status.
        client: As of ``load_csv``, and so are all others.

    Returns:
        A LoadResult, as of ``load_csv``.

    Raises:
        InputError: The frame cannot be read as records; nothing was sent.
        JournalError: As in ``load_csv``.
        ArgumentError: As in ``load_csv``, or ``frame`` is not a DataFrame.

    Interface: Endpoints, Add an animal.
    """
    given = dict(locals())  # each parameter by its name: nothing else is local yet
    return _load("load_frame", frame, client, given)


def _load(caller: str, source: Any, client: PostingClient, given: Mapping[str, Any]) -> LoadResult:
    """Sort the options by their subject, and load."""
    options = {name: given[name] for name in given if name not in _NO_OPTIONS}
    options = with_other_words(caller, options, given["other"])
    recipe = options.pop("recipe")
    of_load = {name: value for name, value in options.items() if name in _UNSAID}
    of_recipe = {name: value for name, value in options.items() if name in _OF_RECIPES}
    how = as_recipe(recipe, of_recipe)
    spoken = {
        name: value
        for name, value in options.items()
        if value is not None and value is not _UNSAID.get(name)
    }
    return load(
        _with_key(source, how.key) if caller == "load_frame" else source,
        client,
        how,
        LoadOptions(**of_load),
        call=Call.of(caller, source, said(recipe, spoken)),
    )


def _with_key(frame: Any, key: Sequence[str]) -> Any:
    """Return a frame in which each level of its index that identifies an animal is a column too."""
    names = getattr(getattr(frame, "index", None), "names", ())
    levels = [name for name in key if name in names and name not in frame.columns]
    if not levels:
        return frame
    return frame.assign(**{name: frame.index.get_level_values(name) for name in levels})


_NO_OPTIONS = ("path", "frame", "client", "other")
# The options of a load, and what they are where nobody says anything.
_UNSAID = {field.name: field.default for field in fields(LoadOptions)}
# An answer about one load is no habit of a kind of file.
_OF_RECIPES = {field.name for field in fields(Recipe)} - {"duplicates"}


@before_sending()
def _check_file(path: Any, *, wants_workbook: bool) -> None:
    """Name the function to use, where the argument is for another one."""
    if not isinstance(path, str | PathLike):
        what = f"expected the path of a file, got {kind_text(path)}"
        refuse(f"{what}; load_frame takes a DataFrame")
    name = fspath(path)
    if is_archive(path):
        refuse(f"{name} is a zip file, but not an .xlsx workbook; unpack it, or save it as .xlsx")
    if is_workbook(path) and not wants_workbook:
        refuse(f"{name} is a workbook; use load_excel")
    if wants_workbook and not is_workbook(path):
        refuse(f"{name} is not a workbook; use load_csv")
