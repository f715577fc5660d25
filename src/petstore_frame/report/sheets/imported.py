"""What became of the records of an import: counts by state, the next steps, and those to fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet
from petstore_frame.loader.call import FILE
from petstore_frame.loader.results.next_steps import next_steps
from petstore_frame.loader.results.result_text import headline
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.lists import ListColumn, write_list

if TYPE_CHECKING:
    import pandas as pd

LISTED_RECORDS = 10_000
NAMED_CAUSES = 5
_COUNTS_ROW = 4
_COUNTS = (ListColumn("State"), ListColumn("Records", "number"))
_CAUSES = (ListColumn("Records", "number"), ListColumn("What is wrong"))
_FIX = (
    ListColumn("Line", "number"), ListColumn("Column"), ListColumn("Value"),
    ListColumn("What is wrong"), ListColumn("Hint"),
)  # fmt: skip


def write_imported(book: Book, content: Content) -> None:
    """Add the sheet where results are given."""
    imported = content.results
    if imported is None:
        return
    line = ": ".join(headline(imported.facts))
    holds = "What became of the records of the import."
    sheet = look.begin(book, "Import", holds, line, (2, 12, 16, 26, 52, 52))
    held = [(str(state), count) for state, count in imported.counts.items() if count]
    held.append(("all records", len(imported)))
    row = write_list(sheet, _COUNTS_ROW, _COUNTS, held)
    row = _steps(sheet, imported, row + 1)
    header, printed = None, ""
    if len(fix := imported.fix):
        named = [(cause.records, str(cause)) for cause in imported.causes[:NAMED_CAUSES]]
        often = "What was wrong most often"
        header = write_list(sheet, row + 1, _CAUSES, named, title=often) + 2
        listed = f"the first {LISTED_RECORDS:,} of {len(fix):,}; fix.csv has all"
        title = f"Records to fix: {listed if len(fix) > LISTED_RECORDS else f'{len(fix):,}'}"
        row = write_list(sheet, header, _FIX, _records(fix), title=title, has_filter=True)
        printed = look.print_first(sheet, header, row - header - 1, len(_FIX))
    sheet.do("ignore_errors", {"number_stored_as_text": f"B1:F{row + 1}"})
    look.finish(sheet, content, repeat_row=header, printed=printed)


def _steps(sheet: Sheet, imported: LoadResult, row: int) -> int:
    steps = next_steps(replace(imported.facts, call=FILE))
    if not steps:
        return row
    sheet.text(row, 1, "What to do next", **styles.SECTION)
    for step in steps:
        row += 1
        sheet.text(row, 1, step.text[:1].upper() + step.text[1:])
    return row + 2


def _records(fix: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    columns = ["line", "error_column", "error_value", "error_message", "hint"]
    first = fix[columns].head(LISTED_RECORDS)
    for line, *texts in first.itertuples(index=False, name=None):
        yield int(line), *(text if isinstance(text, str) else "" for text in texts)
