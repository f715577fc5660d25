"""The last sheet: what the workbook covers, how that is known, and what its words mean."""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame import __version__
from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet
from petstore_frame.html.palette import status_word
from petstore_frame.inventory.completeness_view import evidence_lines
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.lists import ID_RULE
from petstore_frame.schema.models import NO_STATUS

_NAMED_PETS = 50

Line = tuple[str, str]
_VERDICTS: tuple[Line, ...] = (
    ("Complete", "Every pet that was asked for was read, on the evidence and assumptions above."),
    ("Incomplete", "The listing ended before the store did; there are more pets than shown."),
    ("Not known to be complete", "Nothing shows that there are more pets, nor that there are not."),
    ("Unstable", "The store changed, or contradicted itself, while it was read."),
)
_WORDS: tuple[Line, ...] = (
    *_VERDICTS,
    ("≥, at least", "A minimum: so many were read, and there may be more."),
    (
        status_word(NO_STATUS),
        "The store gave no status for the pet. It is counted apart, never as available.",
    ),
    ("none", "Nothing available in a category, where the count of available pets is exact."),
    ("Share", "Part of all pets of the store. Left out while any pet may be missing."),
    ("IDs", ID_RULE),
    ("Category", "The store gives numbers only; names of categories were given with the report."),
)
_DATA_WORDS: tuple[Line, ...] = (
    *_VERDICTS,
    ("id, category_id", ID_RULE),
    ("Empty status", "The store gave no status for the pet."),
)


def write_about(book: Book, content: Content) -> None:
    """Add the sheet; it lists the sheets before it."""
    _write(book, content, _WORDS)


def write_about_data(book: Book, content: Content) -> None:
    """Add the sheet with the words of a workbook of plain data."""
    _write(book, content, _DATA_WORDS)


def _write(book: Book, content: Content, words: Iterable[Line]) -> None:
    contents = list(book.contents)
    line = f"{look.as_of_words(content.as_of)} · Made with petstore-frame {__version__}"
    sheet = look.begin(book, "About", "", line, (2, 26, 104), title="About this workbook")
    row = _section(sheet, 4, "What it covers", coverage(content))
    row = _section(sheet, row, "How that is known", grounds(content))
    row = _section(sheet, row, "Sheets", contents)
    if content.changed_names:
        row = _section(sheet, row, "Names changed to fit", _changes(content.changed_names))
    _section(sheet, row, "Words", words)
    look.finish(sheet, content)


def coverage(content: Content) -> list[Line]:
    """Return what is covered, line by line."""
    known = content.completeness
    lines = [
        ("Store", content.base_url or "not recorded"),
        ("Verdict", look.badge_of(content).word),
        ("In one sentence", content.sentence),
        ("Pets read", f"{len(content.frame):,}"),
    ]
    if content.origin is None:
        return lines
    asked_for = f"pets with status {known.status}" if known.status else "all pets"
    lines.append(("Asked for", asked_for))
    if known.part:
        lines.append(("Shown", f"those with {known.part}"))
    asked = known.counts_asked_for()
    for status, count in known.by_status.items():
        lines.append((status_word(status), str(count) if status in asked else "not asked for"))
    return lines


def grounds(content: Content) -> list[Line]:
    """Return how that is known, line by line."""
    return evidence_lines(content.completeness)


def _changes(changed: dict[int, str]) -> list[Line]:
    lines = [(f"ID {pet_id}", done) for pet_id, done in list(changed.items())[:_NAMED_PETS]]
    more = len(changed) - len(lines)
    return [*lines, ("Others", f"{more:,} more, changed likewise")] if more else lines


def _section(sheet: Sheet, row: int, title: str, lines: Iterable[Line]) -> int:
    """Write a title and its lines, and return the row for the next section."""
    sheet.text(row, 1, title, **styles.SECTION, bottom=2)
    sheet.blank(row, 2, bottom=2)
    sheet.height(row, 24)
    for word, text in lines:
        row += 1
        sheet.text(row, 1, word, **styles.BODY, **styles.QUIET, text_wrap=True)
        sheet.text(row, 2, text, **styles.BODY, text_wrap=True)
        sheet.height(row, 15 * styles.lines(text, 110) + 3)
    return row + 2
