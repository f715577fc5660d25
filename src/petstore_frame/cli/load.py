"""``petstore-frame load``: a file of animals into the store, from a shell.

In: a file and a store. Out: the result files, a table of what became of the records, and an
exit code for the worst of it. The same command again goes on where the last one stopped.
"""

from __future__ import annotations

import math
import os
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame._internal.voice import ShellVoice
from petstore_frame.cli.options import (
    AllowInsecure,
    ApiKey,
    AsJson,
    BaseUrl,
    CategoriesFile,
    Timeout,
    print_json,
)
from petstore_frame.loader.limits import DEFAULT_WORKERS, GRACE_S, MOST_WORKERS
from petstore_frame.loader.reading.kinds import is_workbook

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult


class Quoting(StrEnum):
    """How quotes in a text file are read."""

    STRICT = "strict"
    NONE = "none"


def load(
    path: Annotated[Path, typer.Argument(help="CSV, TSV, gzip of these, or .xlsx.")],
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = None,
    allow_insecure: AllowInsecure = False,
    journal: Annotated[
        Path | None, typer.Option(help="Folder of the journals; else the user's state directory.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for results, fix, unknown and summary."),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Column names of a file without a header: name,category_id.")
    ] = None,
    header_row: Annotated[
        int | None, typer.Option(help="Row of the header, below a title; 1 is the first.", min=1)
    ] = None,
    quoting: Annotated[
        Quoting | None, typer.Option(help="none reads quotes as letters; else strict.")
    ] = None,
    thousands: Annotated[
        str | None, typer.Option(help="Separator of thousands in category ids: , or .")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook.")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of a text file, if not UTF-8.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help=r"Character between cells, \t for a tab; else it is found.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="field=column, such as name='Pet name'; may be repeated."),
    ] = None,
    categories: CategoriesFile = None,
    keep_spaces: Annotated[
        bool, typer.Option("--keep-spaces", help="Leave the outer spaces of names.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read, check and plan; send nothing.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Load the same file a second time, on purpose.")
    ] = False,
    ignore_earlier: Annotated[
        bool,
        typer.Option(
            "--ignore-earlier",
            help="Compare with no earlier file: what was skipped as loaded before is sent.",
        ),
    ] = False,
    max_errors: Annotated[
        int | None, typer.Option(help="Stop above so many invalid or rejected records.", min=0)
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Requests in flight at most.", min=1, max=MOST_WORKERS)
    ] = DEFAULT_WORKERS,
    idempotency_lifetime: Annotated[
        float | None,
        typer.Option(
            help="The store is known to remember Idempotency-Keys for so many seconds.", min=1
        ),
    ] = None,
    reconcile: Annotated[
        bool,
        typer.Option("--reconcile", help="Settle records in doubt by reading the store back."),
    ] = False,
    grace: Annotated[
        float | None,
        typer.Option(
            help="With --reconcile: seconds after which the store can no longer act on a request; "
            f"else {GRACE_S:.0f}.",
            min=0,
        ),
    ] = None,
    resend_absent: Annotated[
        bool,
        typer.Option("--resend-absent", help="With --reconcile: send what was not found again."),
    ] = False,
    resolve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROW=PET_ID",
            help="A record in doubt is this pet; ROW=none: it was not created. May be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Load a file of animals, none twice and none lost; the same command again resumes.

    The exit code is that of the worst outcome among the records.

    Example: petstore-frame load arrivals.csv --output results
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import LoadInterrupted
    from petstore_frame.http.settings import IdempotencyKey
    from petstore_frame.loader.load import load_csv, load_excel

    _check_output(output)
    _check_reconcile(reconcile, dry_run=dry_run, grace=grace, resends=resend_absent)
    resolved = _resolutions(resolve, dry_run=dry_run)
    for_text = {
        "encoding": encoding,
        "delimiter": "\t" if delimiter == r"\t" else delimiter,
        "quoting": None if quoting is None else str(quoting),
    }
    options: dict[str, Any] = {
        "mapping": _mapping(column),
        "categories": categories,
        "columns": None if columns is None else columns.split(","),
        "header_row": header_row,
        "keep_spaces": keep_spaces,
        "thousands": thousands,
        "dry_run": dry_run,
        "again": again,
        "ignore_earlier": ignore_earlier,
        "max_errors": max_errors,
        "workers": workers,
        "journal": journal,
        **_options_of_kind(path, for_text, {"sheet": sheet}),
    }
    keys = None if idempotency_lifetime is None else IdempotencyKey(idempotency_lifetime)
    load_file = load_excel if is_workbook(path) else load_csv
    try:
        with Client(
            base_url,
            api_key,
            timeout_s=timeout,
            idempotency=keys,
            allow_insecure=allow_insecure,
        ) as client:
            result = load_file(path, client, **options)
            seconds = GRACE_S if grace is None else grace
            try:
                for row, pet_id in resolved.items():
                    result.resolve(row, pet_id=pet_id, not_created=pet_id is None)
                if reconcile:
                    result.reconcile(
                        client,
                        grace_s=seconds,
                        resend_absent=resend_absent,
                        sleep=partial(_wait_announced, grace_s=seconds),
                    )
            except BaseException:  # raised again, after what the import has done was shown
                _tell(result, output, as_json=as_json)
                raise
    except LoadInterrupted as interrupted:
        result = interrupted.result
    _tell(result, output, as_json=as_json)
    raise typer.Exit(result.exit_code)


def _wait_announced(seconds: float, *, grace_s: float) -> None:
    """Say until when nothing happens, and why."""
    from petstore_frame.loader.sending.waiting import announcement

    if words := announcement(seconds):
        typer.echo(f"{words} (--grace {grace_s:.0f})", err=True)
    sleep(seconds)


def _check_reconcile(reconcile: bool, *, dry_run: bool, grace: float | None, resends: bool) -> None:
    """Refuse options that would have no effect."""
    if reconcile and dry_run:
        raise typer.BadParameter("--dry-run and --reconcile exclude each other")
    if grace is not None and not reconcile:
        raise typer.BadParameter("--grace needs --reconcile")
    if grace is not None and not math.isfinite(grace):
        raise typer.BadParameter("--grace is a finite number of seconds")
    if resends and not reconcile:
        raise typer.BadParameter("--resend-absent needs --reconcile")


def _check_output(folder: Path | None) -> None:
    """Refuse a folder that is a file, or that cannot be made, before anything is sent."""
    if folder is None:
        return
    there = next(
        place for place in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(place)
    )
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        what = "cannot be written to" if there.is_dir() else "is not a folder"
        raise typer.BadParameter(f"--output {folder}: {there} {what}; nothing was sent")


def _resolutions(pairs: list[str] | None, *, dry_run: bool) -> dict[int, int | None]:
    """Read ``ROW=PET_ID`` and ``ROW=none``: the pet by record, None where it was not created."""
    if pairs and dry_run:
        raise typer.BadParameter("--dry-run and --resolve exclude each other")
    try:
        split = (pair.split("=") for pair in pairs or ())
        return {int(row): None if pet == "none" else int(pet) for row, pet in split}
    except ValueError:
        raise typer.BadParameter("--resolve is ROW=PET_ID, or ROW=none") from None


def _options_of_kind(
    path: Path, for_text: dict[str, str | None], for_workbook: dict[str, str | None]
) -> dict[str, str]:
    """Return the options given for the file's kind; refuse those of the other kind."""
    used, useless, kind = (
        (for_workbook, for_text, "a text file")
        if is_workbook(path)
        else (for_text, for_workbook, "a workbook")
    )
    for name, value in useless.items():
        if value is not None:
            raise typer.BadParameter(f"--{name} is for {kind}, which {path} is not")
    return {name: value for name, value in used.items() if value is not None}


def _mapping(columns: list[str] | None) -> dict[str, str] | None:
    """Read ``field=column`` pairs."""
    pairs = dict(pair.split("=", 1) for pair in columns or () if "=" in pair)
    if len(pairs) != len(columns or ()):
        raise typer.BadParameter("--column is field=column, each field once")
    return pairs or None


def write_files(result: LoadResult, folder: Path) -> list[Path]:
    """Write the files of a result, and say so where they cannot go to the folder asked for."""
    from petstore_frame.loader.results.folders import find_place

    place = find_place(folder, result.run)
    if place.note:
        typer.echo(f"note: {place.note}", err=True)
    return result.write(place.folder)


def _tell(result: LoadResult, output: Path | None, *, as_json: bool) -> None:
    """Write the files, then print what became of the records, also where no file could be written.

    Raises:
        OSError: The files could not be written.
    """
    files, problem = list[Path](), None
    try:
        files = [] if output is None else write_files(result, output)
    except OSError as unwritten:
        problem = unwritten
    folder = str(files[0].parent) if files else None
    result.voice = ShellVoice(folder)
    if as_json:
        print_json(result.summary | {"output": folder, "files": [str(file) for file in files]})
    else:
        typer.echo(str(result))
        for file in files:
            typer.echo(f"wrote {file}")
    if problem is not None:
        raise problem
