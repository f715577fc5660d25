"""``petstore-frame fetch``, ``report`` and ``snapshot``: one listing of a store, kept as a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import typer
from typer import Option

import petstore_frame as pf
from petstore_frame.cli.commands import INTERRUPTED, PARTLY, end
from petstore_frame.cli.options import (
    PLAIN,
    AsJson,
    CategoriesFile,
    Delimiter,
    Timezone,
    WhichStore,
    finish,
    switch,
    to_write,
)


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
    """What was read, and the exit code of a command that goes on with it."""

    inventory: pf.Inventory
    code: int

    def tell(self, written: Path, shown: HowShown, more: str = "", **facts: Any) -> None:
        """Print what the file covers, and how that is known where asked; end the command."""
        from petstore_frame.inventory.completeness_view import evidence_lines

        inventory, known = self.inventory, self.inventory.completeness
        lines = [f"{written}: {known}"]
        if not (known.is_complete or shown.evidence):
            lines.append(f"  {known.basis}")
        if shown.evidence:
            lines += [f"  {word}: {sentence}" for word, sentence in evidence_lines(known)]
        told = {
            "output": str(written),
            "rows": len(inventory),
            "base_url": inventory.base_url,
            "fetched_at": inventory.fetched_at.isoformat(),
            "completeness": known.to_dict(),
        }
        text = "\n".join([*lines, more] if more else lines)
        finish(told | facts, text, as_json=shown.as_json, code=self.code)


@contextmanager
def listed(
    store: WhichStore,
    written: Path,
    *,
    require_complete: bool = False,
    keep_partial: bool | None = None,
    **options: Any,
) -> Iterator[Listing]:
    """Read a store; end the command where what was read is not to be written, or by Ctrl-C.

    Args:
        store: Which store.
        written: What is written of it in the block; where the command ends, it is as it was.
        require_complete: Whether to go on only with all that was asked for.
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
        if require_complete and not known.is_complete:
            end(f"--require-complete: {known}; {untouched}", code or PARTLY)
        yield Listing(inventory, code or (0 if known.is_complete else PARTLY))
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
    with listed(
        store,
        output,
        require_complete=shown.require_complete,
        keep_partial=keep_partial,
        status=status,
        max_pets=max_pets,
        strategy="documented" if documented else "auto",
    ) as listing:
        write_data(listing.inventory, output, delimiter)
    counts = listing.inventory.completeness.counts_asked_for()
    listing.tell(output, shown, "\n".join(f"  {name:<12} {n}" for name, n in counts.items()))


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

    ending = check_target(output, delimiter or ",")  # before minutes are spent on reading
    if history is not None and ending != ".xlsx":
        raise typer.BadParameter(f"--history is for a workbook (.xlsx), which {output} is not")
    with listed(store, output, require_complete=shown.require_complete) as listing:
        pf.write_report(
            listing.inventory,
            output,
            categories=categories,
            history=history,
            delimiter=delimiter or ",",
        )
    listing.tell(output, shown)


def snapshot(
    history: Annotated[Path, Option(help="Folder of the snapshots.")] = Path("history"),
    replace: Annotated[
        bool, switch("replace", "Replace the day's snapshot even by a weaker one.")
    ] = False,
    timezone: Timezone = None,
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
    with listed(store, history, require_complete=shown.require_complete) as listing:
        added = kept.add(listing.inventory, replace=replace)
    has_earlier = (kept.snapshots()["date"].dt.date < added.date).any()
    changes = kept.diff(new=added.date) if has_earlier else None
    alone = "the only day so far; a snapshot of another day is compared"
    listing.tell(
        added.path,
        shown,
        alone if changes is None else str(changes),
        date=added.date.isoformat(),
        compared_with=None if changes is None else changes.since.isoformat(),
        changes=None if changes is None else changes.counts,
    )
