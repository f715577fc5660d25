"""One listing of a store: ``fetch``, ``report``, ``snapshot``, ``compare``; and ``trend``."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import INTERRUPTED, PARTLY, end, finish
from petstore_frame.cli.options import (
    PLAIN,
    AsJson,
    CategoriesFile,
    Delimiter,
    HowRead,
    JournalFolder,
    WhichStore,
    switch,
    to_write,
)

if TYPE_CHECKING:
    import pandas as pd

By = StrEnum("By", {"STATUS": "status", "CATEGORY": "category_id"})
_COLUMNS_SHOWN = 8
_MARKS = {"exact": "{:,}", "at least": "≥ {:,}", "no snapshot": "-", "unreadable": "?"}


@dataclass(frozen=True)
class HowShown:
    """What a listing is to cover, and how that is shown."""

    PANEL: ClassVar[str] = PLAIN
    require_complete: Annotated[
        bool, switch("require-complete", "Write nothing unless all pets were read.")
    ] = False
    evidence: Annotated[
        bool, switch("evidence", "Show how it is known that the listing is complete.")
    ] = False
    as_json: AsJson = False


class Listing(NamedTuple):
    """What was read for a file, and the exit code of a command that goes on with it."""

    inventory: pf.Inventory
    code: int
    written: Path
    shown: HowShown

    def tell(self, more: str = "", **facts: Any) -> None:
        """Print what the file covers, and how that is known where asked; end the command."""
        inventory, known = self.inventory, self.inventory.completeness
        lines = [f"{self.written}: {known}"]
        if self.shown.evidence:
            lines += [f"  {word}: {each}" for word, said in known.reasons() for each in said]
            total = known.advertised_total
            stated = "none" if total is None else f"{total:,}"
            lines.append(f"  Requests sent: {known.requests:,}")
            lines.append(f"  Total stated by the store: {stated}")
        elif not known.is_complete:
            lines.append(f"  {known.basis}")
        told = {
            "output": str(self.written),
            "rows": len(inventory),
            "base_url": inventory.base_url,
            "fetched_at": inventory.fetched_at.isoformat(),
            "completeness": known.to_dict(),
        }
        text = "\n".join([*lines, more] if more else lines)
        finish(told | facts, text, as_json=self.shown.as_json, code=self.code)


@contextmanager
def listed(
    store: WhichStore,
    written: Path,
    shown: HowShown = HowShown(),
    *,
    keep_partial: bool | None = None,
    **options: Any,
) -> Iterator[Listing]:
    """Read a store; end the command where what was read is not to be written, or by Ctrl-C.

    Args:
        store: Which store.
        written: What is written of it in the block; where the command ends, it is as it was.
        shown: What the listing has to cover, and how that is shown.
        keep_partial: Whether to go on with the pets read when the reading broke off; None goes on
            where the store broke it off, and not after Ctrl-C.
        options: Further arguments of ``fetch_inventory``.
    """
    untouched = f"{written} {'is as it was' if written.exists() else 'was not written'}"
    code = 0
    try:
        with store.client() as client:
            try:
                inventory = pf.fetch_inventory(client, **options)
            except (pf.FetchInterrupted, pf.IncompleteInventoryError) as problem:
                inventory = problem.partial
                is_interrupted = isinstance(problem, pf.FetchInterrupted)
                code = INTERRUPTED if is_interrupted else PARTLY
                why = "interrupted" if is_interrupted else str(problem.cause or problem)
                partly = f"{why}; {inventory.completeness}"
                if not keep_partial and (is_interrupted or keep_partial is False):
                    way = " (--keep-partial writes a part)" if keep_partial is False else ""
                    end(f"{partly}; {untouched}{way}", code)
                typer.echo(f"error: {partly}", err=True)
        known = inventory.completeness
        if shown.require_complete and not known.is_complete:
            end(f"--require-complete: {known}; {untouched}", code or PARTLY)
        yield Listing(inventory, code or (0 if known.is_complete else PARTLY), written, shown)
    except KeyboardInterrupt:
        end(f"interrupted; {untouched}", INTERRUPTED)


def fetch(
    output: Annotated[Path, to_write("File to write: .csv, .parquet or .xlsx.")],
    status: Annotated[
        Literal["available", "pending", "sold"] | None,
        Option(help="Only pets with this status.", case_sensitive=False),
    ] = None,
    max_pets: Annotated[
        int | None,
        Option(help="Keep at most so many; where that cuts, the listing is incomplete.", min=1),
    ] = None,
    documented: Annotated[
        bool, switch("documented", "Use and trust only what the interface states.")
    ] = False,
    keep_partial: Annotated[
        bool,
        switch("keep-partial", "Write what was read when the reading broke off, or by Ctrl-C."),
    ] = False,
    delimiter: Delimiter = None,
    *,
    shown: HowShown,
    store: WhichStore,
) -> None:
    """Read the whole inventory into a data file, raw: names and ids exactly as the store has them.

    A data file cannot show that it is only a part, so a reading that breaks off writes none unless
    --keep-partial asks for it. A spreadsheet may take a name such as =1+1 in the CSV for a formula;
    for people, use report.

    Example: petstore-frame fetch --output pets.csv
    """
    from petstore_frame.report import check_data_target, write_data

    check_data_target(output, delimiter)  # before minutes are spent on reading
    asked = {"status": status, "max_pets": max_pets}
    strategy = "documented" if documented else "auto"
    with listed(
        store, output, shown, keep_partial=keep_partial, strategy=strategy, **asked
    ) as listing:
        write_data(listing.inventory, output, delimiter)
    counts = listing.inventory.completeness.counts_asked_for()
    listing.tell("\n".join(f"  {name:<12} {n}" for name, n in counts.items()))


def report(
    output: Annotated[Path, to_write("File to write: .xlsx, .csv, .parquet or .html.")],
    categories: CategoriesFile = None,
    history: Annotated[
        Path | None,
        Option(
            help="Folder of snapshots: adds to a workbook what changed between the last two.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    delimiter: Delimiter = None,
    *,
    shown: HowShown,
    store: WhichStore,
) -> None:
    """Read the inventory and write the Monday workbook.

    A listing that broke off is reported too, and the report states at its top that it is only a
    part.

    Example: petstore-frame report --output stock.xlsx --categories categories.csv
    """
    from petstore_frame.report import check_target

    delimiter = delimiter or ","
    ending = check_target(output, delimiter)  # before minutes are spent on reading
    if history is not None and ending != ".xlsx":
        raise typer.BadParameter(f"--history is for a workbook (.xlsx), which {output} is not")
    with listed(store, output, shown) as listing:
        more: dict[str, Any] = {"categories": categories, "history": history}
        pf.write_report(listing.inventory, output, delimiter=delimiter, **more)
    listing.tell()


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[
        bool, switch("replace", "Replace the day's snapshot even by a weaker one.")
    ] = False,
    timezone: Annotated[
        str | None, Option(help="Whose days they are, such as Europe/Zurich; else the machine's.")
    ] = None,
    *,
    shown: HowShown,
    store: WhichStore,
) -> None:
    """Read the inventory and keep it under today's date, for cron.

    A listing that broke off is kept as a part only, so that no pet is taken
    for gone; it replaces nothing better.

    Example: petstore-frame snapshot --history history
    """
    kept = pf.History(history, timezone=timezone)
    with listed(store, history, shown) as listing:
        added = kept.add(listing.inventory, replace=replace)
    has_earlier = (kept.snapshots()["date"].dt.date < added.date).any()
    changes = kept.diff(new=added.date) if has_earlier else None
    alone = "the only day so far; a snapshot of another day is compared"
    facts = {
        "date": added.date.isoformat(),
        "compared_with": None if changes is None else changes.since.isoformat(),
        "changes": None if changes is None else changes.counts,
    }
    kept_as = listing._replace(written=added.path)
    kept_as.tell(alone if changes is None else str(changes), **facts)


def compare(
    file: Annotated[Path, typer.Argument(metavar="LIST", help="A CSV or .xlsx file.")],
    *,
    reading: HowRead,
    output: Annotated[Path | None, to_write("Workbook to write: .xlsx.")] = None,
    on: Annotated[
        list[str] | None,
        Option(help="Field that makes a record and a pet equal; repeat it for several."),
    ] = None,
    journal: JournalFolder = None,
    as_json: AsJson = False,
    store: WhichStore,
) -> None:
    """Tell where a list and the store disagree, and write it as a workbook.

    With --key, the journal of the imports tells which pet each record is. With --on, records and
    pets that are equal in these fields belong together; where that leaves a choice, they are
    ambiguous. Exit code 0: they agree in all; 1: they differ, or the listing is not complete.

    Example: petstore-frame compare list.csv --key animal_id --output differences.xlsx
    """
    recipe = reading.of(file)
    with listed(store, output or file) as listing:
        found = pf.compare(file, listing.inventory, on=on or (), recipe=recipe, journal=journal)
        if output is not None:
            found.write(output, categories=recipe.categories)
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
