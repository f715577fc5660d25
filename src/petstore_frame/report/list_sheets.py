"""Writes the sheets Inventory (all pets), Changes, and About (what the workbook covers)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from petstore_frame import __version__
from petstore_frame.inventory import StatusCount, evidence_lines
from petstore_frame.rendering import palette
from petstore_frame.report import sheet_layout as layout
from petstore_frame.report.report_content import ColumnKind, Content, PetColumn
from petstore_frame.report.sheet_layout import write_list
from petstore_frame.schema import NO_STATUS, minute_text, status_label
from petstore_frame.storage import Book, CellWriter, Sheet, TableColumn, styles, write_table

if TYPE_CHECKING:
    from petstore_frame.history import Diff

MAX_CHANGED_PETS = 10_000  # maximum number of pets on the sheet Changes
ID_RULE = (
    "Ids of up to 15 digits are numbers. Longer ones are text, because Excel keeps 15 digits of "
    'a number: look one up as text, =XLOOKUP("9007199254740993", ...).'
)
_FIRST_ROW = 4
_DARK = {"bold": True, "font_color": palette.PAPER, "bg_color": palette.INK}
_IDS = ("id", "category_id")
_MEASURED_ROWS = 1_000  # used to choose the width of a user column
_TERMS: Sequence[tuple[str, str]] = (
    ("≥, at least", "A minimum: this many were read, and the store may have more."),
    (
        "≈, about",
        "The store changed while it was read, so the true number may be higher or lower.",
    ),
    (
        status_label(NO_STATUS),
        "The store gave no status for the pet. It is counted separately, never as available.",
    ),
    ("none", "No pet of the category is available. Shown only if that count is exact."),
    ("Share", "Part of the requested pets. Shown only if all of them were read."),
    ("IDs", ID_RULE),
    ("Category", "The store has only numbers. The names were passed to the report."),
    ("(store)", "Marks a column of the report if a column of yours has the same name."),
)


def write_inventory(book: Book, content: Content) -> None:
    """Add one row per pet, exactly as read, on as many sheets as necessary."""
    columns = [
        TableColumn(
            column.label,
            _width(content, column),
            _cell_writer(book, content, column),
            {**_DARK, **_alignment(column)},
        )
        for column in content.columns
    ]
    write_table(
        book,
        "Inventory",
        columns,
        content.rows(no_status=NO_STATUS),
        finish_sheet=partial(layout.finish, content=content, head=0, has_gridlines=True),
        frozen_columns=1,
    )


def _cell_writer(book: Book, content: Content, column: PetColumn) -> CellWriter:
    """Return a function that writes a value of a column with its format."""
    style = {**styles.LIST, **_alignment(column)}
    text_format = book.style(**style, num_format=styles.TEXT)
    if column.name == "status":
        return _status_writer(book, content)
    if not column.is_own:
        number_format = book.style(**style, num_format=styles.INTEGER)

        def write_field(sheet: Sheet, row: int, col: int, value: Any) -> None:
            sheet.put(row, col, value, number_format, text_format)

        return write_field

    number_format = book.style(**style)
    day_format = book.style(**style, num_format=styles.DAY)
    moment_format = book.style(**style, num_format=styles.MOMENT)

    def write_own(sheet: Sheet, row: int, col: int, value: Any) -> None:
        cell_format = number_format
        if isinstance(value, date):
            cell_format = day_format
            if isinstance(value, datetime):
                cell_format = moment_format
                if column.zone is not None:
                    value = value.astimezone(column.zone).replace(tzinfo=None)
        sheet.put(row, col, value, cell_format, text_format)

    return write_own


def _status_writer(book: Book, content: Content) -> CellWriter:
    chip = {**styles.LIST, "num_format": styles.TEXT, "indent": 1}
    formats = {
        status: book.style(**chip, bg_color=palette.tint(color, 0.22))
        for status, color in content.status_colors.items()
    }

    def write_status(sheet: Sheet, row: int, col: int, value: Any) -> None:
        sheet.put(row, col, value, formats[value])

    return write_status


def _alignment(column: PetColumn) -> dict[str, Any]:
    """Return the alignment of a column: ids and text left, numbers and dates right."""
    if column.kind is not ColumnKind.TEXT:
        return {"align": "left" if column.name in _IDS else "right"}
    return {"indent": int(column.name == "status")}


def _width(content: Content, column: PetColumn) -> float:
    """Return a width that fits nearly all texts of a column, and every id."""
    name, counts = column.name, content.counts
    if name == content.labels_name:
        longest = float(max(map(len, counts.labels), default=0))
    elif name == "status":
        longest = float(max(map(len, counts.statuses), default=0))
    elif not column.is_own and column.kind is ColumnKind.TEXT:
        lengths = content.frame[name].dropna().str.len()
        longest = max(24, float(lengths.quantile(0.995)) if len(lengths) else 0)
    elif column.is_own:
        first_values = content.frame[name].dropna().head(_MEASURED_ROWS)
        longest = float(max((len(str(value)) for value in first_values.tolist()), default=0))
    elif len(content.frame):
        longest = len(str(content.frame[name].abs().max()))
    else:
        longest = 0
    return min(max(longest, len(column.label), 8), 50) + 3


def write_changes(book: Book, content: Content) -> None:
    """Add the sheet of changes since the last snapshot, if the report has changes."""
    changes, provenance = content.changes, content.provenance
    if changes is None:
        return
    sheet = layout.begin(book, "Changes", str(changes), (2, 22, 34, 22, 14, 14, 14, 20))
    if provenance and provenance.fetched_at.astimezone(changes.timezone).date() != changes.until:
        note = (
            f"The last snapshot is from {changes.until}. Changes between then and the data of this "
            f"workbook, {minute_text(provenance.fetched_at)[:10]}, are not listed."
        )
        sheet.cell(_FIRST_ROW - 1, 1, note, bold=True)
    moves = [
        (kind, _status(was), _status(now), StatusCount(int(pets), bound))
        for kind, was, now, pets, bound in changes.moves.itertuples(index=False, name=None)
    ]
    row = _FIRST_ROW + 1
    if moves:
        row = write_list(sheet, _FIRST_ROW, ("Change", "Was", "Now", "Pets"), moves)
    else:
        total = f"Pets added, removed or changed: {changes.total}"
        sheet.cell(_FIRST_ROW, 1, total, **styles.SECTION)
    if count := len(changes):
        more = f": the first {MAX_CHANGED_PETS:,} of {count:,}; the .frame of the Diff has all"
        title = f"The pets{more if count > MAX_CHANGED_PETS else ''}"
        sheet.cell(row + 2, 1, title, **styles.SECTION)
        names = ("ID", "Name", "Category", "Change", "Was", "Now", "Differs in")
        head = row + 3
        row = write_list(sheet, head, names, _changed_pets(content, changes))
        sheet.do("autofilter", head, 1, row - 1, len(names))
    sheet.allow_number_text(row, 7)
    layout.finish(sheet, content)


def _changed_pets(content: Content, diff: Diff) -> Iterator[tuple[Any, ...]]:
    first = diff.frame.head(MAX_CHANGED_PETS).itertuples(index=False, name=None)
    for pet_id, name, category_id, kind, was, now, difference in first:
        label = content.labels[int(category_id)]
        yield int(pet_id), name, label, kind, _status(was), _status(now), difference


def _status(status: Any) -> str:
    return status if isinstance(status, str) else "–"


def write_about(book: Book, content: Content) -> None:
    """Add the last sheet: the coverage, the evidence, and an explanation of terms."""
    sections = {
        "Coverage": content.coverage,
        "How we know": evidence_lines(content.completeness),
        "Terms": _TERMS,
    }
    line = f"{content.as_of} · Made with petstore-frame {__version__}"
    sheet = layout.begin(book, "About", line, (2, 20, 66), title="About this workbook")
    row = _FIRST_ROW
    for title, lines in sections.items():
        sheet.cell(row, 1, title, **styles.SECTION, bottom=2)
        sheet.cell(row, 2, None, bottom=2)
        sheet.height(row, 24)
        for term, text in lines:
            row += 1
            sheet.cell(row, 1, term, **styles.BODY, **styles.QUIET, text_wrap=True)
            sheet.cell(row, 2, text, **styles.BODY, text_wrap=True)
            sheet.height(row, 15 * styles.lines(text, 68) + 3)
        row += 2
    layout.finish(sheet, content)
