"""The Monday workbook: which sheets, in which order.

In: Facts. Out: an .xlsx file at a path. Each sheet has a file of its own beside this one.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from petstore_frame import __version__
from petstore_frame.files.book import Book, open_book
from petstore_frame.report.about_sheet import write_about
from petstore_frame.report.breakdown_sheets import write_by_category, write_by_status
from petstore_frame.report.changes_sheet import write_changes
from petstore_frame.report.facts import Facts
from petstore_frame.report.import_sheet import write_import
from petstore_frame.report.inventory_sheet import (
    SHEET_ROWS,
    TABLE_ROWS,
    Part,
    changed_names,
    split,
    write_inventory,
)
from petstore_frame.report.summary_sheet import write_summary

if TYPE_CHECKING:
    from petstore_frame.history import History
    from petstore_frame.loader.results.results import LoadResult


def write_workbook(
    facts: Facts,
    path: Path,
    *,
    advance: Callable[[int], None],
    history: History | None = None,
    results: LoadResult | None = None,
    sheet_rows: int = SHEET_ROWS,
    table_rows: int = TABLE_ROWS,
) -> None:
    """Write the workbook.

    Args:
        facts: What it shows.
        path: Where to.
        advance: Called with the number of pets written since the last call.
        history: Adds the sheet Changes.
        results: Adds the sheet Import.
        sheet_rows: Most data rows of a sheet.
        table_rows: Up to so many pets the inventory is an Excel table; above, memory stays
            constant and the inventory has a plain filter.
    """
    parts = split(len(facts.frame), sheet_rows)
    changed = changed_names(facts)
    is_large = len(facts.frame) > table_rows
    at_rest = nullcontext() if is_large else _collector_at_rest()
    with at_rest, open_book(path, is_constant_memory=is_large) as book:
        _describe(book, facts)
        write_summary(book, facts, _notes(parts, changed))
        write_by_category(book, facts)
        write_by_status(book, facts)
        write_inventory(book, facts, parts, advance)
        extra = []
        if history is not None:
            write_changes(book, facts, history)
            extra.append(("Changes", "What changed between the last two snapshots."))
        if results is not None:
            write_import(book, facts, results)
            extra.append(("Import", "What became of the records of the import."))
        write_about(book, facts, [*_contents(facts, parts), *extra], changed)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause the garbage collector: the cells of a table form no reference cycles.

    Each cell is a small tuple that lives until the file is closed; scanning them repeatedly took
    a fifth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _notes(parts: list[Part], changed: dict[int, str]) -> list[str]:
    """What a reader of the first sheet must know of the others."""
    notes = []
    if len(parts) > 1:
        notes.append(f"The pets are on {len(parts)} sheets, {parts[0].name} to {parts[-1].name}.")
    if changed:
        count = "1 name was" if len(changed) == 1 else f"{len(changed):,} names were"
        notes.append(f"{count} changed to fit a cell; About has the ids.")
    return notes


def _contents(facts: Facts, parts: list[Part]) -> list[tuple[str, str]]:
    return [
        ("Summary", "The key figures, and status by category for the largest categories."),
        ("By category", "Counts by status, and shares, of each category read."),
        ("By status", "Counts, and shares, of each status."),
        *((part.name, part.words(facts.counts.total)) for part in parts),
    ]


def _describe(book: Book, facts: Facts) -> None:
    book.workbook.set_properties(
        {
            "title": "Store inventory",
            "subject": facts.base_url or "",
            "comments": f"{facts.claim_sentence}. Made with petstore-frame {__version__}.",
            # Of the data, not of the clock: the same inventory gives the same bytes.
            "created": facts.as_of or datetime(2000, 1, 1, tzinfo=UTC),
        }
    )
