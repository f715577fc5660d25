"""The commands that read a store once: fetch, report, snapshot, compare; and trend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.exit_codes import (
    DONE,
    INTERRUPTED,
    NOT_COMPLETE,
    WITH_FINDINGS,
    explain,
    finish,
    refuse,
    warn,
)
from petstore_frame.cli.options import (
    AsJson,
    BaseUrl,
    CategoriesFile,
    JournalFolder,
    Key,
    RecipeFile,
    RecipeSettings,
    Timeout,
    recipe_of,
)

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["available", "pending", "sold"]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace a file that was changed since it was written.")
]
_MARKS = {
    "exact": "{:,}",
    "at_least": "≥ {:,}",
    "about": "≈ {:,}",
    "no_snapshot": "-",
    "unreadable": "?",
}


def read_store(
    base_url: str | None, timeout: float, *, status: Status | None = None
) -> pf.Inventory:
    """Return what could be read from a store; after Ctrl-C, say how far it came, and end.

    If the store fails on the way, the error is printed, and the pets read so far are returned.
    """
    with pf.Client(base_url, timeout=timeout) as client:
        try:
            return pf.fetch_inventory(client, status=status)
        except pf.FetchInterrupted as problem:
            warn(f"interrupted; {problem.partial.completeness}")
            raise typer.Exit(INTERRUPTED) from problem
        except pf.IncompleteInventoryError as problem:
            warn(explain(problem))
            return problem.partial


def tell(
    inventory: pf.Inventory, written: Path, *, as_json: bool, more: str = "", **facts: Any
) -> NoReturn:
    """Print what a file covers, and end the command."""
    completeness = inventory.completeness
    text = "\n".join(coverage_lines(completeness, written, more)).rstrip()
    told = {
        "output": str(written),
        "rows": len(inventory),
        "base_url": inventory.base_url,
        "fetched_at": inventory.fetched_at.isoformat(),
        "completeness": completeness.to_dict(),
    }
    code = DONE if completeness.is_complete else NOT_COMPLETE
    finish(told | facts, text, as_json=as_json, code=code)


def coverage_lines(completeness: pf.Completeness, written: Path, more: str = "") -> list[str]:
    """Return what a file covers, and if that may not be everything, why and what to do."""
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
        Status | None, Option(help="Only pets with this status.", case_sensitive=False)
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Download the whole inventory to a data file, unchanged: names and ids as the store has them.

    If the store fails on the way, the pets read so far are written, and the exit code is 8. What a
    CSV or JSON lines file covers is in FILE.coverage.json next to it. A spreadsheet may take a name
    such as =1+1 in the CSV for a formula; for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_target, write_data
    from petstore_frame.schema.text import clean_text

    if str(output) == "-":
        _fetch_to_stdout(base_url, timeout, status, as_json=as_json)
    check_target(output, is_data=True, overwrite=overwrite)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout, status=status)
    write_data(inventory, output, overwrite=overwrite)
    counts = inventory.completeness.counts_asked_for().items()
    more = "\n".join(f"  {clean_text(name, 40):<12} {count}" for name, count in counts)
    tell(inventory, output, as_json=as_json, more=more)


def _fetch_to_stdout(
    base_url: str | None, timeout: float, status: Status | None, *, as_json: bool
) -> NoReturn:
    """Write the pets as JSON lines to stdout, and what they cover to stderr."""
    from petstore_frame.inventory import json_lines

    if as_json:
        refuse("--output - writes the pets to stdout, so it cannot be combined with --json")
    inventory = read_store(base_url, timeout, status=status)
    for line in json_lines(inventory.frame):
        typer.echo(line)
    completeness = inventory.completeness
    typer.echo("\n".join(coverage_lines(completeness, Path("stdout"))).rstrip(), err=True)
    raise typer.Exit(DONE if completeness.is_complete else NOT_COMPLETE)


def report(
    output: Annotated[Path, Option("--output", "-o", help="An .xlsx, .csv, .parquet or .html.")],
    categories: CategoriesFile = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and write a report, which says at its top if it is only a part.

    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.report import check_target

    check_target(output, overwrite=overwrite)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout)
    pf.write_report(inventory, output, categories=categories, overwrite=overwrite)
    tell(inventory, output, as_json=as_json)


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[bool, Option("--replace", help="Even by one that proves less.")] = False,
    timezone: Annotated[str | None, Option(help="Of the days, such as Europe/Zurich.")] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and keep it under today's date, for cron.

    One that broke off is kept as a part, so that no pet is taken for gone.

    Example: petstore-frame snapshot --history history
    """
    kept = pf.History(history, timezone=timezone)
    inventory = read_store(base_url, timeout)
    added = kept.add(inventory, replace=replace)
    has_earlier = (kept.snapshots()["date"].dt.date < added.date).any()
    changes = kept.diff(new=added.date) if has_earlier else None
    more: dict[str, Any] = {"more": "the only day so far", "compared_with": None, "changes": None}
    if changes is not None:
        since = changes.since.isoformat()
        more = {"more": str(changes), "compared_with": since, "changes": changes.counts}
    tell(inventory, added.path, as_json=as_json, date=added.date.isoformat(), **more)


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    key: Key = None,
    categories: CategoriesFile = None,
    recipe: RecipeFile = None,
    words: RecipeSettings = None,
    output: Annotated[Path | None, Option("--output", "-o", help="Workbook to write.")] = None,
    on: Annotated[
        list[str] | None,
        Option(help="Field that makes a row and a pet equal; repeat it for several."),
    ] = None,
    journal: JournalFolder = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Show where a list and the store disagree, and write it as a workbook.

    With --key, the import journal says which pet each row is. With --on, rows and pets that are
    equal in these fields belong together; if that leaves a choice, they are ambiguous. Exit code
    0: they agree in every animal; 1: they differ; 8: the listing is not known to be complete.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    from petstore_frame.storage import refuse_changed_workbook

    reading = recipe_of(recipe, key, categories, words)
    if bool(reading.key) == bool(on):
        refuse("pass exactly one of --key and --on")
    if output is not None and not overwrite:
        refuse_changed_workbook(output)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout)
    comparison = pf.compare(file, inventory, on=on or (), recipe=reading, journal=journal)
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
    code = DONE if comparison.is_equal else WITH_FINDINGS
    if not comparison.completeness.is_complete:
        code = NOT_COMPLETE
    finish(facts, text, as_json=as_json, code=code)


def trend(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    by: Annotated[Literal["status", "category_id"], Option(help="Count by this.")] = "status",
    since: Annotated[str | None, Option(help="First day, like 2026-11-01.")] = None,
    until: Annotated[str | None, Option(help="Last day.")] = None,
    every_days: Annotated[int, Option(min=1, help="In how many days one is due.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Show the counts of each day; a day on which a snapshot was due and is not there has a dash.

    Example: petstore-frame trend --history history --since 2026-11-01
    """
    kept = pf.History(history)  # which warns of each day that cannot be read
    counted = kept.trend(by, since=since, until=until, every_days=every_days)
    lost = [entry for entry in kept.problems() if entry.date is not None]
    plain = counted.assign(date=counted["date"].dt.date.astype("str"))
    plain["pets"] = plain["pets"].astype("object").where(plain["pets"].notna(), None)
    facts = {"trend": plain.to_dict("records"), "left_out": [str(entry.path) for entry in lost]}
    finish(facts, _as_text(counted, by), as_json=as_json, code=WITH_FINDINGS if lost else 0)


def _as_text(counted: pd.DataFrame, by: str) -> str:
    """Lay the days under each other and the groups side by side, some of them if there are many."""
    cells = zip(counted["pets"], counted["bound"], strict=True)
    texts = [_MARKS[bound].format(pets) for pets, bound in cells]
    table = counted.assign(text=texts, day=counted["date"].dt.date)
    wide = table.pivot(index="day", columns=by, values="text")[counted[by].unique()]
    return wide.rename_axis(index=None, columns=None).to_string(max_cols=12)
