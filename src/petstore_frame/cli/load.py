"""``petstore-frame load``: a file of animals into the store, from a shell.

In: a file and a store. Out: the result files, a table of what became of the records, and an
exit code that says the worst of it. The same command again goes on where the last one stopped.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.cli.options import (
    ApiKey,
    AsJson,
    BaseUrl,
    CategoriesFile,
    Timeout,
    print_json,
)
from petstore_frame.voice import ShellVoice

if TYPE_CHECKING:
    from petstore_frame.loader.results import LoadResult


def load(
    path: Annotated[Path, typer.Argument(help="CSV, TSV, gzip of these, or .xlsx.")],
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = None,
    journal: Annotated[
        Path | None, typer.Option(help="Folder of the journals; else the user's state directory.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for results, fix, unknown and summary.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Column names of a file without a header: name,category_id.")
    ] = None,
    quoting: Annotated[
        str, typer.Option(help="strict, or none to read quotes as letters.")
    ] = "strict",
    thousands: Annotated[
        str | None, typer.Option(help="Sign that groups the digits of category ids, , or .")
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook.")] = None,
    encoding: Annotated[str | None, typer.Option(help="Codec of the file, if not UTF-8.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Sign between cells.")] = None,
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
    max_errors: Annotated[
        int | None, typer.Option(help="Stop above so many invalid or rejected records.", min=0)
    ] = None,
    workers: Annotated[int, typer.Option(help="Requests in flight at most.", min=1, max=32)] = 16,
    idempotency_lifetime: Annotated[
        float | None,
        typer.Option(help="The store is known to remember Idempotency-Keys for so many seconds."),
    ] = None,
    reconcile: Annotated[
        bool,
        typer.Option("--reconcile", help="Settle records in doubt by reading the store back."),
    ] = False,
    grace: Annotated[
        float,
        typer.Option(help="Seconds after which the store can no longer act on a request.", min=0),
    ] = 240.0,
    resend_absent: Annotated[
        bool,
        typer.Option("--resend-absent", help="With --reconcile: send what was not found again."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load a file of animals, none twice and none lost; the same command again resumes.

    The exit code says the worst of what became of the rows.

    Example: petstore-frame load arrivals.csv --output results
    """
    from petstore_frame.client import Client
    from petstore_frame.errors import LoadInterrupted
    from petstore_frame.loader.load import load_csv, load_excel
    from petstore_frame.settings import IdempotencyKey

    options: dict[str, Any] = {
        "mapping": _mapping(column),
        "categories": categories,
        "columns": columns.split(",") if columns else None,
        "keep_spaces": keep_spaces,
        "dry_run": dry_run,
        "again": again,
        "max_errors": max_errors,
        "workers": workers,
        "journal": journal,
    }
    keys = IdempotencyKey(idempotency_lifetime) if idempotency_lifetime else None
    try:
        with Client(base_url, api_key, timeout_s=timeout, idempotency=keys) as client:
            if path.suffix.lower() in (".xlsx", ".xlsm"):
                result = load_excel(path, client, sheet=sheet, **options)
            elif sheet is not None:
                raise typer.BadParameter("--sheet is for workbooks")
            else:
                reading: dict[str, Any] = {
                    "encoding": encoding,
                    "delimiter": delimiter,
                    "quoting": quoting,
                    "thousands": thousands,
                }
                result = load_csv(path, client, **reading, **options)
            if reconcile and not dry_run:
                result.reconcile(client, grace_s=grace, resend_absent=resend_absent)
    except LoadInterrupted as interrupted:
        result = interrupted.result
    _tell(result, output, as_json=as_json)
    raise typer.Exit(result.exit_code)


def _mapping(columns: list[str] | None) -> dict[str, str] | None:
    """Read ``field=column`` pairs."""
    pairs = dict(pair.split("=", 1) for pair in columns or () if "=" in pair)
    if len(pairs) != len(columns or ()):
        raise typer.BadParameter("--column is field=column, each field once")
    return pairs or None


def _tell(result: LoadResult, output: Path | None, *, as_json: bool) -> None:
    """Write the files, then say what became of the records."""
    result.voice = ShellVoice(None if output is None else str(output))
    files = [str(file) for file in result.write(output)] if output is not None else []
    if as_json:
        written = {"output": None if output is None else str(output), "files": files}
        print_json(result.summary | written)
    else:
        typer.echo(str(result))
        for file in files:
            typer.echo(f"wrote {file}")
