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
    base_url: str | None, timeout: float, *, status: Status | None = None, is_data: bool = False
) -> pf.Inventory:
    """Return what could be read of a store; after Ctrl-C, say how far it came, and end.

    Where the store breaks the reading off, that is said, and the pets read so far are what there
    is. A data file cannot show that it is only a part, so for one that is an error.
    """
    with pf.Client(base_url, timeout=timeout) as client:
        try:
            return pf.fetch_inventory(client, status=status)
        except pf.FetchInterrupted as problem:
            warn(f"interrupted; {problem.partial.completeness}")
            raise typer.Exit(INTERRUPTED) from problem
        except pf.IncompleteInventoryError as problem:
            if is_data:
                raise
            warn(explain(problem))
            return problem.partial


def tell(
    inventory: pf.Inventory, written: Path, *, as_json: bool, more: str = "", **facts: Any
) -> NoReturn:
    """Print what a file covers, and end the command."""
    completeness = inventory.completeness
    lines = [
        f"{written}: {completeness}",
        more if completeness.is_complete else f"  {completeness.reason}\n{more}",
    ]
    told = {
        "output": str(written),
        "rows": len(inventory),
        "base_url": inventory.base_url,
        "fetched_at": inventory.fetched_at.isoformat(),
        "completeness": completeness.to_dict(),
    }
    code = DONE if completeness.is_complete else NOT_COMPLETE
    finish(told | facts, "\n".join(lines).rstrip(), as_json=as_json, code=code)


def fetch(
    output: Annotated[Path, Option("--output", "-o", help="A .csv, .parquet or .xlsx file.")],
    status: Annotated[
        Status | None, Option(help="Only pets with this status.", case_sensitive=False)
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A data file cannot show that it is only a part, so a reading that breaks off writes none. A
    spreadsheet may take a name such as =1+1 in the CSV for a formula; for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_target, write_data

    check_target(output, is_data=True, overwrite=overwrite)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout, status=status, is_data=True)
    write_data(inventory, output, overwrite=overwrite)
    counts = inventory.completeness.counts_asked_for().items()
    more = "\n".join(f"  {name:<12} {n}" for name, n in counts)
    tell(inventory, output, as_json=as_json, more=more)


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
