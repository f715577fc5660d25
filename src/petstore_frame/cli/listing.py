"""One listing of a store: ``fetch``, ``report``, ``snapshot``, ``compare``; and ``trend``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import INTERRUPTED, PARTLY, explain, finish, warn
from petstore_frame.cli.options import (
    AsJson,
    BaseUrl,
    CategoriesFile,
    JournalFolder,
    Key,
    RecipeFile,
    Timeout,
    Words,
    recipe_of,
)

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["available", "pending", "sold"]
_COLUMNS_SHOWN = 8
_MARKS = {"exact": "{:,}", "at least": "≥ {:,}", "no snapshot": "-", "unreadable": "?"}


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
    known = inventory.completeness
    lines = [f"{written}: {known}", more if known.is_complete else f"  {known.basis}\n{more}"]
    told = {
        "output": str(written),
        "rows": len(inventory),
        "base_url": inventory.base_url,
        "fetched_at": inventory.fetched_at.isoformat(),
        "completeness": known.to_dict(),
    }
    code = 0 if known.is_complete else PARTLY
    finish(told | facts, "\n".join(lines).rstrip(), as_json=as_json, code=code)


def fetch(
    output: Annotated[
        Path, Option("--output", "-o", help="File to write: .csv, .parquet or .xlsx.")
    ],
    status: Annotated[
        Status | None,
        Option(help="Only pets with this status.", case_sensitive=False),
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A data file cannot show that it is only a part, so a reading that breaks off writes none. A
    spreadsheet may take a name such as =1+1 in the CSV for a formula; for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_target, write_data

    check_target(output, is_data=True)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout, status=status, is_data=True)
    write_data(inventory, output)
    counts = inventory.completeness.counts_asked_for()
    more = "\n".join(f"  {name:<12} {n}" for name, n in counts.items())
    tell(inventory, output, as_json=as_json, more=more)


def report(
    output: Annotated[
        Path, Option("--output", "-o", help="File to write: .xlsx, .csv, .parquet or .html.")
    ],
    categories: CategoriesFile = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and write the Monday workbook.

    A listing that broke off is reported too, and the report states at its top that it is only a
    part.

    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.report import check_target

    check_target(output)  # before minutes are spent on reading
    inventory = read_store(base_url, timeout)
    pf.write_report(inventory, output, categories=categories)
    tell(inventory, output, as_json=as_json)


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[
        bool, Option("--replace", help="Replace the day's snapshot even by a weaker one.")
    ] = False,
    timezone: Annotated[
        str | None, Option(help="Whose days they are, such as Europe/Zurich; else the machine's.")
    ] = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and keep it under today's date, for cron.

    A listing that broke off is kept as a part only, so that no pet is taken
    for gone; it replaces nothing better.

    Example: petstore-frame snapshot --history history
    """
    kept = pf.History(history, timezone=timezone)
    inventory = read_store(base_url, timeout)
    added = kept.add(inventory, replace=replace)
    has_earlier = (kept.snapshots()["date"].dt.date < added.date).any()
    changes = kept.diff(new=added.date) if has_earlier else None
    facts: dict[str, Any] = {
        "date": added.date.isoformat(),
        "compared_with": None if changes is None else changes.since.isoformat(),
        "changes": None if changes is None else changes.counts,
    }
    alone = "the only day so far; a snapshot of another day is compared"
    more = alone if changes is None else str(changes)  # a Diff without a row is false
    tell(inventory, added.path, as_json=as_json, more=more, **facts)


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    key: Key = None,
    categories: CategoriesFile = None,
    recipe: RecipeFile = None,
    words: Words = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Workbook to write: .xlsx.")
    ] = None,
    on: Annotated[
        list[str] | None,
        Option(help="Field that makes a record and a pet equal; repeat it for several."),
    ] = None,
    journal: JournalFolder = None,
    base_url: BaseUrl = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Tell where a list and the store disagree, and write it as a workbook.

    With --key, the journal of the imports tells which pet each record is. With --on, records and
    pets that are equal in these fields belong together; where that leaves a choice, they are
    ambiguous. Exit code 0: they agree in all; 1: they differ, or the listing is not complete.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    reading = recipe_of(recipe, key, categories, words)
    inventory = read_store(base_url, timeout)
    found = pf.compare(file, inventory, on=on or (), recipe=reading, journal=journal)
    if output is not None:
        found.write(output, categories=reading.categories)
    facts = {
        "output": None if output is None else str(output),
        "kinds": {str(kind): row for kind, row in found.summary.to_dict(orient="index").items()},
        "is_equal": found.is_equal,
        "completeness": found.completeness.to_dict(),
    }
    text = f"{output}: {found}" if output else str(found)
    is_done = found.is_equal and inventory.completeness.is_complete
    finish(facts, text, as_json=as_json, code=0 if is_done else PARTLY)


def trend(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    by: Annotated[Literal["status", "category_id"], Option(help="Count by this.")] = "status",
    since: Annotated[str | None, Option(help="First day, like 2026-11-01.")] = None,
    until: Annotated[str | None, Option(help="Last day.")] = None,
    every_days: Annotated[
        int, Option(min=1, help="In how many days a snapshot is due; gaps are marked.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Show the counts of each day; a day without a snapshot shows a dash.

    A day whose file cannot be read is named on stderr and left out.

    Example: petstore-frame trend --history history --since 2026-11-01
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)  # reported below, once
        kept = pf.History(history)
        counted = kept.trend(by, since=since, until=until, every_days=every_days)
    left_out = kept.problems()
    for entry in left_out:
        warn(f"left out: {entry}")
    lost = [entry for entry in left_out if entry.date is not None]
    plain = counted.assign(date=counted["date"].dt.date.astype("str"))
    plain["pets"] = plain["pets"].astype("object").where(plain["pets"].notna(), None)
    facts = {"trend": plain.to_dict("records"), "left_out": [str(entry.path) for entry in lost]}
    finish(facts, _as_text(counted, by), as_json=as_json, code=PARTLY if lost else 0)


def _as_text(counted: pd.DataFrame, by: str) -> str:
    """Lay the days under each other and the largest groups side by side."""
    largest = counted.groupby(by, sort=False)["pets"].max().nlargest(_COLUMNS_SHOWN).index
    shown = [group for group in counted[by].unique() if group in largest]
    texts = [
        _MARKS[exactness].format(pets)
        for pets, exactness in zip(counted["pets"], counted["count_is"], strict=True)
    ]
    table = counted.assign(text=texts, day=counted["date"].dt.date)
    wide = table.pivot(index="day", columns=by, values="text")[shown]
    wide.index.name = wide.columns.name = None
    more = counted[by].nunique() - len(shown)
    note = f"\n… and {more} more groups: --json shows all" if more else ""
    return wide.to_string() + note
