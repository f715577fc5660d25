"""The commands that read a store once: fetch, report, snapshot, compare; and trend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.endings import CommandInterrupted, explain, finish, refuse, warn
from petstore_frame.cli.options import (
    AsJson,
    BaseUrl,
    CategoriesFile,
    JournalFolder,
    Key,
    Overwrite,
    RecipeFile,
    RecipeSettings,
    RenameCategories,
    Timeout,
    numbers_of,
    recipe_of,
    source_of,
)
from petstore_frame.exit_codes import ExitCode

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["available", "pending", "sold"]
_NO_NUMBER = {"no_snapshot": "-", "unreadable": "?"}


@contextmanager
def read_store(
    base_url: str | None, timeout: float, target: Path, *, status: Status | None = None
) -> Iterator[pf.Inventory]:
    """Give the pets that could be read, and keep them if the command cannot finish.

    If the store fails during reading, print the error and give the pets read so far.

    Args:
        base_url: Address of the store, or None.
        timeout: Read timeout in seconds.
        target: See ``keeping_pets``.
        status: The requested status, or None.
    """
    with keeping_pets(target), pf.Client(base_url, timeout=timeout) as client:
        try:
            inventory = pf.fetch_inventory(client, status=status)
        except pf.IncompleteInventoryError as problem:
            warn(explain(problem))
            inventory = problem.partial
        with pf.errors.keeping(inventory):
            yield inventory


@contextmanager
def keeping_pets(
    target: Path, done_until: Callable[[KeyboardInterrupt], list[str]] | None = None
) -> Iterator[None]:
    """Write the pets that were read before Ctrl-C; after a fault of the disk, say how many.

    Args:
        target: What the command writes, which stays as it is. The pets are in a CSV next to it, in
            ``stock.partial.csv`` for ``stock.xlsx``.
        done_until: Returns what else the command did until Ctrl-C.
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        done = [] if done_until is None else done_until(interrupt)
        partial = pf.errors.partial_of(interrupt)
        if partial is not None:
            done += [f"{partial.completeness} read", f"they are in {_keep(partial, target)}"]
        elif done_until is None:
            done += ["nothing was written"]
        raise CommandInterrupted(*done) from interrupt
    except (pf.PetstoreError, OSError) as error:
        partial = pf.errors.partial_of(error)
        if partial is None or pf.errors.exit_code_of(error) is not ExitCode.DISK:
            raise
        cause = error if isinstance(error, OSError) else error.__cause__
        remedy = "write to another disk"
        if pf.errors.is_disk_full(cause):
            remedy = f"free some space, or {remedy}"
        raise pf.errors.ReportError(
            f"{explain(error)}; {partial.completeness} read, and not written: {remedy}, and run "
            "the command again"
        ) from cause


def _keep(partial: pf.Inventory, target: Path) -> Path:
    """Write pets to a new file next to a target."""
    from petstore_frame.report import write_data

    with pf.errors.keeping(partial):
        path, number = target.with_name(f"{target.stem}.partial.csv"), 1
        while path.exists():
            number += 1
            path = target.with_name(f"{target.stem}.partial-{number}.csv")
        return write_data(partial, path)


def finish_export(
    inventory: pf.Inventory, written: Path, *, as_json: bool, more: str = "", **facts: Any
) -> NoReturn:
    """Print the completeness of a written file, and exit."""
    completeness = inventory.completeness
    text = "\n".join(coverage_lines(completeness, written, more)).rstrip()
    export_facts = {
        "output": str(written),
        "rows": len(inventory),
        "base_url": inventory.base_url,
        "fetched_at": inventory.fetched_at.isoformat(),
        "completeness": completeness.to_dict(),
    }
    code = ExitCode.DONE if completeness.is_complete else ExitCode.NOT_COMPLETE
    finish(export_facts | facts, text, as_json=as_json, code=code)


def coverage_lines(completeness: pf.Completeness, written: Path, more: str = "") -> list[str]:
    """Return the completeness of a file; if it is not complete, also the reason and next step."""
    lines = [f"{written}: {completeness}"]
    if not completeness.is_complete:
        lines += [f"  {line}" for line in (completeness.reason, completeness.next_step) if line]
    return [*lines, more]


def fetch(
    output: Annotated[
        Path,
        Option(
            "--output",
            "-o",
            help="File to write: .csv, .jsonl, .parquet or .xlsx; - writes JSON lines to stdout.",
        ),
    ],
    status: Annotated[
        Status | None,
        Option(
            help="Fetch only pets with this status.", show_default="all pets", case_sensitive=False
        ),
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write all pets to a data file, exactly as the store has them.

    If the reading fails, the pets read so far are written, and the exit code is 8. After Ctrl-C,
    they are in a file of their own, such as pets.partial.csv. What a CSV, JSON lines or Parquet
    file covers is in FILE.coverage.json next to it. A spreadsheet may treat a name such as =1+1 in
    the CSV as a formula; if people will open the file, use report instead.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.inventory import requested_counts
    from petstore_frame.report import check_target, write_data
    from petstore_frame.schema.text import clean_text

    if str(output) == "-":
        _fetch_to_stdout(base_url, timeout, status, as_json=as_json)
    check_target(output, is_data=True, overwrite=overwrite)  # before minutes are spent on reading
    with read_store(base_url, timeout, output, status=status) as inventory:
        write_data(inventory, output, overwrite=overwrite)
    counts = requested_counts(inventory.completeness).items()
    more = "\n".join(f"  {clean_text(name, 40):<12} {count}" for name, count in counts)
    finish_export(inventory, output, as_json=as_json, more=more)


def _fetch_to_stdout(
    base_url: str | None, timeout: float, status: Status | None, *, as_json: bool
) -> NoReturn:
    """Write the pets as JSON lines to stdout, and their completeness to stderr."""
    from petstore_frame.inventory import json_lines

    if as_json:
        refuse("--output - writes the pets to stdout, so it cannot be combined with --json")

    with read_store(base_url, timeout, Path("pets.csv"), status=status) as inventory:
        for line in json_lines(inventory.frame):
            typer.echo(line)
    completeness = inventory.completeness
    typer.echo("\n".join(coverage_lines(completeness, Path("stdout"))).rstrip(), err=True)
    raise typer.Exit(ExitCode.DONE if completeness.is_complete else ExitCode.NOT_COMPLETE)


def report(
    output: Annotated[
        Path, Option("--output", "-o", help="File to write: .xlsx, .csv, .parquet or .html.")
    ],
    categories: CategoriesFile = None,
    rename_categories: RenameCategories = None,
    journal: JournalFolder = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a report that people can open, as a workbook or a page.

    If the listing is not complete, the report says so at the top. After Ctrl-C, the pets read so
    far are in a file for programs, such as stock.partial.csv.

    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.report import check_target

    # before minutes are spent on reading
    check_target(output, overwrite=overwrite, inputs=[categories])
    renamed = numbers_of("--rename-categories", rename_categories)

    with read_store(base_url, timeout, output) as inventory:
        pf.write_report(
            inventory,
            output,
            categories=categories,
            rename_categories=renamed,
            journal=journal,
            overwrite=overwrite,
        )
    finish_export(inventory, output, as_json=as_json)


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[
        bool,
        Option(
            "--replace", help="Replace the snapshot of today even if this one is less complete."
        ),
    ] = False,
    timezone: Annotated[
        str | None,
        Option(help="Time zone of the dates, such as Europe/Zurich.", show_default="the machine's"),
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Add today's inventory to the history, for example from cron.

    If the reading fails, the snapshot is saved as partial, so missing pets are not reported as
    gone. After Ctrl-C, no snapshot is saved; the pets read so far are in pets.partial.csv next to
    the history.

    Example: petstore-frame snapshot --history history
    """
    store_history = pf.History(history, timezone=timezone)
    # In the folder itself, a partial listing would be in the way of the snapshots.
    folder = history.absolute().parent if history == Path() else history.parent
    with read_store(base_url, timeout, folder / "pets.csv") as inventory:
        added = store_history.add(inventory, replace=replace)
    has_earlier = (store_history.snapshots()["date"].dt.date < added.date).any()
    changes = store_history.diff(new=added.date) if has_earlier else None
    more: dict[str, Any] = {"more": "the only day so far", "compared_with": None, "changes": None}
    if changes is not None:
        since = changes.since.isoformat()
        more = {"more": str(changes), "compared_with": since, "changes": changes.counts}
    finish_export(inventory, added.path, as_json=as_json, date=added.date.isoformat(), **more)


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="LIST",
            help="List to compare: CSV, .xlsx, JSON lines or Parquet; - for standard input.",
        ),
    ],
    key: Key = None,
    categories: CategoriesFile = None,
    recipe: RecipeFile = None,
    settings: RecipeSettings = None,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Workbook to write the differences to.", show_default="none"),
    ] = None,
    on: Annotated[
        list[str] | None,
        Option(
            metavar="FIELD",
            help="Field by which rows and pets are matched. Repeatable.",
            show_default="none",
        ),
    ] = None,
    journal: JournalFolder = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Show where a list and the store disagree.

    With --key, the import journal says which pet each row is. With --on, a row and a pet match if
    these fields are equal; several matches are ambiguous. The exit code is 0 if all animals agree,
    1 if some differ, and 8 if the listing is not known to be complete. After Ctrl-C, the pets read
    so far are in pets.partial.csv.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    from petstore_frame.loader import ways_to_match
    from petstore_frame.storage import refuse_overwriting

    reading = recipe_of(recipe, key, categories, settings)
    if bool(reading.key) == bool(on):
        is_readable = not reading.key and str(file) != "-"
        refuse(
            "pass --key COLUMN if the list was loaded with this key, so that the journal knows the "
            "pet of each row, or --on FIELD to match rows and pets that are equal in it, and not "
            f"both{ways_to_match(file, reading, 'shell') if is_readable else ''}"
        )
    if output is not None:  # before minutes are spent on reading
        inputs = [file, recipe, reading.categories]
        refuse_overwriting(output, overwrite=overwrite, inputs=inputs)
    folder = Path() if output is None else output.parent
    with read_store(base_url, timeout, folder / "pets.csv") as inventory:
        comparison = pf.compare(source_of(file), inventory, on=on, recipe=reading, journal=journal)
        if output is not None:
            comparison.write(output, categories=reading.categories, overwrite=overwrite)
    facts = {
        "output": None if output is None else str(output),
        "kinds": {
            str(kind): row for kind, row in comparison.summary.to_dict(orient="index").items()
        },
        "is_equal": comparison.is_equal,
        "completeness": comparison.completeness.to_dict(),
    }
    text = comparison.text("shell")
    if output is not None:
        text = f"{output}: {text}"
    code = ExitCode.DONE if comparison.is_equal else ExitCode.WITH_FINDINGS
    if not comparison.completeness.is_complete:
        code = ExitCode.NOT_COMPLETE
    finish(facts, text, as_json=as_json, code=code)


def trend(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    by: Annotated[Literal["status", "category_id"], Option(help="Column to count by.")] = "status",
    since: Annotated[
        str | None, Option(help="First day, such as 2026-11-01.", show_default="the first snapshot")
    ] = None,
    until: Annotated[str | None, Option(help="Last day.", show_default="the last snapshot")] = None,
    every_days: Annotated[int, Option(min=1, help="Days between two snapshots.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Show the number of pets per day from a history.

    A missing snapshot is shown as a dash.

    Example: petstore-frame trend --history history --since 2026-11-01
    """
    store_history = pf.History(history)  # this warns about each day that cannot be read
    counted = store_history.trend(by, since=since, until=until, every_days=every_days)
    unreadable_days = [entry for entry in store_history.problems() if entry.date is not None]
    plain = counted.assign(date=counted["date"].dt.date.astype("str"))
    plain["pets"] = plain["pets"].astype("object").where(plain["pets"].notna(), None)
    facts = {
        "trend": plain.to_dict("records"),
        "left_out": [str(entry.path) for entry in unreadable_days],
    }
    finish(
        facts,
        _as_text(counted, by),
        as_json=as_json,
        code=ExitCode.WITH_FINDINGS if unreadable_days else 0,
    )


def _as_text(counted: pd.DataFrame, by: str) -> str:
    """Return a table with a row per day and a column per group; many are abbreviated."""
    from petstore_frame.inventory import StatusCount

    cells = zip(counted["pets"], counted["bound"], strict=True)
    texts = [_NO_NUMBER.get(bound) or str(StatusCount(pets, bound)) for pets, bound in cells]
    table = counted.assign(text=texts, day=counted["date"].dt.date)
    wide = table.pivot(index="day", columns=by, values="text")[counted[by].unique()]
    return wide.rename_axis(index=None, columns=None).to_string(max_cols=12)
