"""What changed since the last time: moves from status to status, and the pets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.lists import ListColumn, write_list
from petstore_frame.schema.text import day_text

if TYPE_CHECKING:
    from petstore_frame.history import Diff

LISTED_PETS = 10_000
_MOVES_ROW = 4
_MOVES = (ListColumn("What"), ListColumn("Was"), ListColumn("Now"), ListColumn("Pets", "count"))
_PETS = (
    ListColumn("ID", "id"), ListColumn("Name"), ListColumn("Category"), ListColumn("What"),
    ListColumn("Was"), ListColumn("Now"), ListColumn("Differs in"),
)  # fmt: skip


def write_changes(book: Book, content: Content) -> None:
    """Add the sheet where something is compared."""
    changes = content.changes
    if changes is None:
        return
    diff = None if isinstance(changes, str) else changes
    holds = "What changed since the last time."
    sheet = look.begin(book, "Changes", holds, str(changes), (2, 22, 34, 22, 14, 14, 14, 20))
    header, printed = None, ""
    if diff is not None:
        if note := _not_of_this_reading(content, diff):
            sheet.text(_MOVES_ROW - 1, 1, note, bold=True)
        row = _moves(sheet, diff) + 3
        if len(diff):
            header, row = row, _pets(sheet, content, diff, row)
            printed = look.print_first(sheet, header, row - header - 1, len(_PETS))
        sheet.do("ignore_errors", {"number_stored_as_text": f"B1:D{row + 1}"})
    look.finish(sheet, content, pages_high=int(diff is None), repeat_row=header, printed=printed)


def _not_of_this_reading(content: Content, diff: Diff) -> str | None:
    """Return what the reader must know when the last snapshot is not of the workbook's day."""
    if content.as_of is None or content.as_of.astimezone(diff.timezone).date() == diff.until:
        return None
    return (
        f"The last snapshot is of {diff.until}. What changed from then to this workbook's data, "
        f"of {day_text(content.as_of)}, is not here."
    )


def _moves(sheet: Sheet, diff: Diff) -> int:
    moves = diff.moves[["kind", "was", "now", "pets"]].itertuples(index=False, name=None)
    rows = [
        (kind, _word(was), _word(now), StatusCount(int(pets), diff.is_exact))
        for kind, was, now, pets in moves
    ]
    if not rows:
        sheet.text(
            _MOVES_ROW, 1, f"Pets that came, went or changed: {diff.total}", **styles.SECTION
        )
        return _MOVES_ROW + 1
    return write_list(sheet, _MOVES_ROW, _MOVES, rows)


def _pets(sheet: Sheet, content: Content, diff: Diff, row: int) -> int:
    """List the pets from a row on, which is the header's, and return the row after the last."""
    more = f"the first {LISTED_PETS:,} of {len(diff):,}; the .frame of the Diff has all"
    title = f"The pets: {more}" if len(diff) > LISTED_PETS else "The pets"
    return write_list(sheet, row, _PETS, _pet_rows(content, diff), title=title, has_filter=True)


def _pet_rows(content: Content, diff: Diff) -> Iterator[tuple[Any, ...]]:
    first = diff.frame.head(LISTED_PETS)
    for pet_id, name, category_id, kind, *rest in first.itertuples(index=False, name=None):
        was, now, difference = rest
        label = content.label(int(category_id))
        yield int(pet_id), name, label, kind, _word(was), _word(now), difference


def _word(status: Any) -> str:
    return status if isinstance(status, str) else "–"
