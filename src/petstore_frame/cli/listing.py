"""One listing of a store: ``fetch``, ``report``, ``snapshot``, ``compare``; and ``trend``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import INTERRUPTED, PARTLY, end, finish
from petstore_frame.cli.options import (
    ApiKey,
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

By = StrEnum("By", {"STATUS": "status", "CATEGORY": "category_id"})
_COLUMNS_SHOWN = 8
_MARKS = {"exact": "{:,}", "at least": "≥ {:,}", "no snapshot": "-", "unreadable": "?"}

RequireComplete = Annotated[
    bool, Option("--require-complete", help="Write nothing unless all pets were read.")
]


class Listing(NamedTuple):
    """What was read for a file, and the exit code of a command that goes on with it."""

    inventory: pf.Inventory
    code: int

    def tell(self, written: Path, *, as_json: bool, more: str = "", **facts: Any) -> None:
        """Print what the file covers, and end the command."""
        inventory, known = self.inventory, self.inventory.completeness
        lines = [f"{written}: {known}"]
        if not known.is_complete:
            lines.append(f"  {known.basis}")
        told = {
            "output": str(written),
            "rows": len(inventory),
            "base_url": inventory.base_url,
            "fetched_at": inventory.fetched_at.isoformat(),
            "completeness": known.to_dict(),
        }
        text = "\n".join([*lines, more] if more else lines)
        finish(told | facts, text, as_json=as_json, code=self.code)


@contextmanager
def listed(
    client: pf.Client,
    written: Path,
    *,
    require_complete: bool = False,
    keep_partial: bool | None = None,
    **options: Any,
) -> Iterator[Listing]:
    """Read a store; end the command where what was read is not to be written, or by Ctrl-C.

    Args:
        client: A client of the store, which is closed at the end.
        written: What is written of it in the block; where the command ends, it is as it was.
        require_complete: Whether only a complete listing will do.
        keep_partial: Whether to go on with the pets read when the reading broke off; None goes on
            where the store broke it off, and not after Ctrl-C.
        options: Further arguments of ``fetch_inventory``.
    """
    untouched = f"{written} {'is as it was' if written.exists() else 'was not written'}"
    code = 0
    try:
        with client:
            try:
                inventory = pf.fetch_inventory(client, **options)
            except (pf.FetchInterrupted, pf.IncompleteInventoryError) as problem:
                inventory = problem.partial
                is_interrupted = isinstance(problem, pf.FetchInterrupted)
                code = INTERRUPTED if is_interrupted else PARTLY
                why = "interrupted" if is_interrupted else str(problem.__cause__ or problem)
                partly = f"{why}; {inventory.completeness}"
                if not keep_partial and (is_interrupted or keep_partial is False):
                    step = " (--keep-partial writes a part)" if keep_partial is False else ""
                    end(f"{partly}; {untouched}{step}", code)
                typer.echo(f"error: {partly}", err=True)
        known = inventory.completeness
        if require_complete and not known.is_complete:
            end(f"--require-complete: {known}; {untouched}", code or PARTLY)
        yield Listing(inventory, code or (0 if known.is_complete else PARTLY))
    except KeyboardInterrupt:
        end(f"interrupted; {untouched}", INTERRUPTED)


def fetch(
    output: Annotated[
        Path, Option("--output", "-o", help="File to write: .csv, .parquet or .xlsx.")
    ],
    status: Annotated[
        Literal["available", "pending", "sold"] | None,
        Option(help="Only pets with this status.", case_sensitive=False),
    ] = None,
    max_pets: Annotated[
        int | None,
        Option(help="Keep at most so many; where that cuts, the listing is incomplete.", min=1),
    ] = None,
    keep_partial: Annotated[
        bool,
        Option("--keep-partial", help="Write what was read when the reading broke off."),
    ] = False,
    require_complete: RequireComplete = False,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A data file cannot show that it is only a part, so a reading that breaks off writes none unless
    --keep-partial asks for it. A spreadsheet may take a name such as =1+1 in the CSV for a formula;
    for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_target, write_data

    check_target(output, is_data=True)  # before minutes are spent on reading
    with listed(
        pf.Client(base_url, api_key, timeout=timeout),
        output,
        require_complete=require_complete,
        keep_partial=keep_partial,
        status=status,
        max_pets=max_pets,
    ) as listing:
        write_data(listing.inventory, output)
    counts = listing.inventory.completeness.counts_asked_for()
    more = "\n".join(f"  {name:<12} {n}" for name, n in counts.items())
    listing.tell(output, as_json=as_json, more=more)


def report(
    output: Annotated[
        Path, Option("--output", "-o", help="File to write: .xlsx, .csv, .parquet or .html.")
    ],
    categories: CategoriesFile = None,
    require_complete: RequireComplete = False,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
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
    client = pf.Client(base_url, api_key, timeout=timeout)
    with listed(client, output, require_complete=require_complete) as listing:
        pf.write_report(listing.inventory, output, categories=categories)
    listing.tell(output, as_json=as_json)


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[
        bool, Option("--replace", help="Replace the day's snapshot even by a weaker one.")
    ] = False,
    timezone: Annotated[
        str | None, Option(help="Whose days they are, such as Europe/Zurich; else the machine's.")
    ] = None,
    require_complete: RequireComplete = False,
    base_url: BaseUrl = None,
    api_key: ApiKey = None,
    timeout: Timeout = 30.0,
    as_json: AsJson = False,
) -> None:
    """Read the inventory and keep it under today's date, for cron.

    A listing that broke off is kept as a part only, so that no pet is taken
    for gone; it replaces nothing better.

    Example: petstore-frame snapshot --history history
    """
    kept = pf.History(history, timezone=timezone)
    client = pf.Client(base_url, api_key, timeout=timeout)
    with listed(client, history, require_complete=require_complete) as listing:
        added = kept.add(listing.inventory, replace=replace)
    has_earlier = (kept.snapshots()["date"].dt.date < added.date).any()
    changes = kept.diff(new=added.date) if has_earlier else None
    alone = "the only day so far; a snapshot of another day is compared"
    facts: dict[str, Any] = {
        "date": added.date.isoformat(),
        "compared_with": None if changes is None else changes.since.isoformat(),
        "changes": None if changes is None else changes.counts,
    }
    more = alone if changes is None else str(changes)
    listing.tell(added.path, as_json=as_json, more=more, **facts)


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
    api_key: ApiKey = None,
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
    with listed(pf.Client(base_url, api_key, timeout=timeout), output or file) as listing:
        found = pf.compare(file, listing.inventory, on=on or (), recipe=reading, journal=journal)
        if output is not None:
            found.write(output, categories=reading.categories)
    facts = {
        "output": None if output is None else str(output),
        "kinds": {str(kind): row for kind, row in found.summary.to_dict(orient="index").items()},
        "is_equal": found.is_equal,
        "completeness": found.completeness.to_dict(),
    }
    text = f"{output}: {found}" if output else str(found)
    code = listing.code or (0 if found.is_equal else PARTLY)
    finish(facts, text, as_json=as_json, code=code)


def trend(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    by: Annotated[list[By] | None, Option(help="Count by this; give it twice for both.")] = None,
    since: Annotated[str | None, Option(help="First day, like 2026-11-01.")] = None,
    until: Annotated[str | None, Option(help="Last day.")] = None,
    every_days: Annotated[
        int, Option(min=1, help="In how many days a snapshot is due; gaps are marked.")
    ] = 1,
    engine: Annotated[str, Option(help="duckdb, pandas, polars, dask or spark.")] = "duckdb",
    as_json: AsJson = False,
) -> None:
    """Show the counts of each day; a day without a snapshot shows a dash.

    A day whose file cannot be read is named on stderr and left out.

    Example: petstore-frame trend --history history --since 2026-11-01
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.errors.HistoryWarning)  # reported below, once
        kept = pf.History(history, engine=engine)
        counted = kept.trend(by or "status", since=since, until=until, every_days=every_days)
    left_out = kept.problems()
    for entry in left_out:
        typer.echo(f"left out: {entry}", err=True)
    lost = [entry for entry in left_out if entry.date is not None]
    plain = counted.assign(date=counted["date"].dt.date.astype("str"))
    plain["pets"] = plain["pets"].astype("object").where(plain["pets"].notna(), None)
    facts = {"trend": plain.to_dict("records"), "left_out": [str(entry.path) for entry in lost]}
    finish(facts, _as_text(counted), as_json=as_json, code=PARTLY if lost else 0)


def _as_text(counted: pd.DataFrame) -> str:
    """Lay the days under each other and the largest groups side by side."""
    groups = [name for name in counted.columns if name not in ("date", "pets", "count_is")]
    names = counted[groups].astype("str").agg(" ".join, axis=1)
    words = [
        _MARKS[exactness].format(pets)
        for pets, exactness in zip(counted["pets"], counted["count_is"], strict=True)
    ]
    largest = counted.groupby(names, sort=False)["pets"].max().nlargest(_COLUMNS_SHOWN).index
    shown = [name for name in dict.fromkeys(names) if name in set(largest)]
    table = counted.assign(group=names, words=words, day=counted["date"].dt.date)
    wide = table.pivot(index="day", columns="group", values="words")[shown]
    wide.index.name = wide.columns.name = None
    more = len(set(names)) - len(shown)
    note = f"\n… and {more} more groups: --json shows all" if more else ""
    return wide.to_string() + note
