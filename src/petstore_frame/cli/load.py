"""``petstore-frame load``: a file of animals into the store, from a shell."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from petstore_frame.cli.failures import REFUSED, end
from petstore_frame.cli.load_arguments import (
    check_output,
    check_reconcile,
    options_of_kind,
    read_mapping,
    read_values,
    resolutions,
)
from petstore_frame.cli.load_output import tell, wait_announced
from petstore_frame.cli.load_question import ask, command_with, is_attended
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

if TYPE_CHECKING:
    from petstore_frame.client import Client
    from petstore_frame.loader.limits import Limits
    from petstore_frame.loader.reading.options import Reading
    from petstore_frame.loader.results.question import Question
    from petstore_frame.loader.results.results import LoadResult


class Duplicates(StrEnum):
    """What to do with records that equal earlier ones."""

    REFUSE = "refuse"
    SKIP = "skip"
    SEND = "send"


class Quoting(StrEnum):
    """How quotes in a text file are read."""

    STRICT = "strict"
    NONE = "none"


_READING, _ANIMALS, _SENDING, _DOUBT = (
    "How the file is read",
    "Which animal a record is",
    "How it is sent",
    "What to do with records in doubt",
)


def load(
    path: Annotated[
        Path | None, typer.Argument(help="CSV, TSV, gzip of these, or .xlsx.", show_default=False)
    ] = None,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for results, fix, unknown and summary."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="Column that identifies an animal; several: --key A --key B."),
    ] = None,
    categories: CategoriesFile = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read, check and plan; send nothing.")
    ] = False,
    as_json: AsJson = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="field=column, such as name='Pet name'; may be repeated.",
            rich_help_panel=_READING,
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            help="field:text=value, such as status:reserved=pending; may be repeated.",
            rich_help_panel=_READING,
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            help="A kind of suspicious record to send after all; may be repeated.",
            rich_help_panel=_READING,
        ),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of a workbook.", rich_help_panel=_READING)
    ] = None,
    header_row: Annotated[
        int | None,
        typer.Option(
            help="Row of the header, below a title; 1 is the first.",
            min=1,
            rich_help_panel=_READING,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Column names of a file without a header: name,category_id.",
            rich_help_panel=_READING,
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="Encoding of a text file, if not UTF-8.", rich_help_panel=_READING),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            help=r"Character between cells, \t for a tab; else it is found.",
            rich_help_panel=_READING,
        ),
    ] = None,
    quoting: Annotated[
        Quoting | None,
        typer.Option(help="none reads quotes as letters; else strict.", rich_help_panel=_READING),
    ] = None,
    thousands: Annotated[
        str | None,
        typer.Option(
            help="Separator of thousands in category ids: , or .", rich_help_panel=_READING
        ),
    ] = None,
    keep_spaces: Annotated[
        bool,
        typer.Option(
            "--keep-spaces", help="Leave the outer spaces of names.", rich_help_panel=_READING
        ),
    ] = False,
    duplicates: Annotated[
        Duplicates,
        typer.Option(
            help="Without a key, for records that equal earlier ones in all but the status: refuse "
            "a file that seems to repeat an earlier one, skip them, or send them as other animals.",
            rich_help_panel=_ANIMALS,
        ),
    ] = Duplicates.REFUSE,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Load the same file a second time, on purpose.",
            rich_help_panel=_ANIMALS,
        ),
    ] = False,
    ids: Annotated[
        Path | None,
        typer.Option(
            help="Write which pet each key is to this CSV file.", rich_help_panel=_ANIMALS
        ),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the journals; else the user's state directory.",
            rich_help_panel=_SENDING,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Without a file: finish the imports into this store that stopped.",
            rich_help_panel=_SENDING,
        ),
    ] = False,
    max_errors: Annotated[
        int | None,
        typer.Option(
            help="Stop above so many invalid or rejected records.",
            min=0,
            rich_help_panel=_SENDING,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            help="Requests in flight at most.", min=1, max=MOST_WORKERS, rich_help_panel=_SENDING
        ),
    ] = DEFAULT_WORKERS,
    timeout: Timeout = None,
    allow_insecure: AllowInsecure = False,
    idempotency_lifetime: Annotated[
        float | None,
        typer.Option(
            help="The store is known to remember Idempotency-Keys for so many seconds.",
            min=1,
            rich_help_panel=_SENDING,
        ),
    ] = None,
    reconcile: Annotated[
        bool,
        typer.Option(
            "--reconcile",
            help="Look for records in doubt by reading the store back.",
            rich_help_panel=_DOUBT,
        ),
    ] = False,
    sole_writer: Annotated[
        bool,
        typer.Option(
            "--sole-writer",
            help="With --reconcile: nobody else adds pets, so one that equals a record is its own.",
            rich_help_panel=_DOUBT,
        ),
    ] = False,
    grace: Annotated[
        float | None,
        typer.Option(
            help="With --reconcile: seconds after which the store can no longer act on a request; "
            f"else {GRACE_S:.0f}.",
            min=0,
            rich_help_panel=_DOUBT,
        ),
    ] = None,
    resend_absent: Annotated[
        bool,
        typer.Option(
            "--resend-absent",
            help="With --reconcile: send what was not found again.",
            rich_help_panel=_DOUBT,
        ),
    ] = False,
    resolve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RECORD=PET_ID",
            help="A record in doubt is this pet; RECORD=none: it was not created. May be repeated.",
            rich_help_panel=_DOUBT,
        ),
    ] = None,
) -> None:
    """Load a file of animals, none twice and none lost; the same command again resumes.

    The exit code is that of the worst outcome among the records.

    Example: petstore-frame load arrivals.csv --key animal_id --output results
    """
    from petstore_frame.client import Client
    from petstore_frame.http.settings import IdempotencyKey
    from petstore_frame.loader.limits import Limits
    from petstore_frame.loader.reading.options import Reading

    if (path is None) is not resume:
        raise typer.BadParameter("give a file to load, or --resume without one")
    check_output(output)
    check_reconcile(
        reconcile, dry_run=dry_run, grace=grace, resends=resend_absent, is_sole=sole_writer
    )
    resolved = resolutions(resolve, dry_run=dry_run)
    keys = None if idempotency_lifetime is None else IdempotencyKey(idempotency_lifetime)
    with Client(
        base_url, api_key, timeout_s=timeout, idempotency=keys, allow_insecure=allow_insecure
    ) as client:
        if path is None:
            raise typer.Exit(_resume(client, journal, as_json=as_json))
        for_text = {
            "encoding": encoding,
            "delimiter": "\t" if delimiter == r"\t" else delimiter,
            "quoting": None if quoting is None else str(quoting),
        }
        reading = Reading(
            mapping=read_mapping(column),
            value_map=read_values(value),
            categories=categories,
            key=key or (),
            accept=accept or (),
            columns=None if columns is None else columns.split(","),
            header_row=header_row,
            keep_spaces=keep_spaces,
            thousands=thousands,
            **options_of_kind(path, for_text, {"sheet": sheet}),
        )
        result = _load(
            path,
            client,
            reading,
            Limits(workers=workers, max_errors=max_errors),
            is_asking=not as_json and is_attended(),
            duplicates=str(duplicates),
            dry_run=dry_run,
            again=again,
            journal=journal,
            output=output,
        )
        try:
            for record, pet_id in resolved.items():
                result.resolve(record, pet_id=pet_id, not_created=pet_id is None)
            if reconcile:
                seconds = GRACE_S if grace is None else grace
                result.wait = partial(wait_announced, grace_s=seconds)
                result.reconcile(
                    client,
                    grace_s=seconds,
                    sole_writer=sole_writer,
                    resend_absent=resend_absent,
                )
        except BaseException:  # raised again, after what the import has done was shown
            tell(result, output, as_json=as_json)
            raise
    tell(result, output, as_json=as_json)
    if ids is not None:
        result.ids.to_csv(ids, index=False)
    raise typer.Exit(result.exit_code)


def _load(
    path: Path,
    client: Client,
    reading: Reading,
    limits: Limits,
    *,
    is_asking: bool,
    **options: Any,
) -> LoadResult:
    """Load a file; where it seems to repeat an earlier one, ask, or refuse it with the ways on."""
    from petstore_frame.errors import DuplicatesError, LoadInterrupted
    from petstore_frame.loader.engine import load as load_file

    try:
        return load_file(path, client, reading, limits, **options)
    except LoadInterrupted as interrupted:
        stopped: LoadResult = interrupted.result
        return stopped
    except DuplicatesError as problem:
        question: Question = problem.args[0]
        if not is_asking:
            end(question.text(command_with), REFUSED)
        answer = ask(question)
        if "key" in answer:
            reading = replace(reading, key=(answer["key"],))
            return _load(path, client, reading, limits, is_asking=True, **options)
        return _load(path, client, reading, limits, is_asking=True, **options | answer)


def _resume(client: Client, journal: Path | None, *, as_json: bool) -> int:
    """Finish the imports that stopped, and print what became of each."""
    from petstore_frame.loader.engine import resume_loads

    results = resume_loads(client, journal=journal)
    if as_json:
        print_json({"imports": [result.summary for result in results]})
    elif not results:
        typer.echo("Nothing to resume: no import into this store has records left to send")
    for result in results if not as_json else ():
        tell(result, None, as_json=False)
    return max((result.exit_code for result in results), default=0)
