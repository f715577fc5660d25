"""The sheets of words and lists: what changed, and what all of it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from petstore_frame import __version__
from petstore_frame.files import Book, styles
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import NO_STATUS, minute_text, palette, status_word
from petstore_frame.report import layout
from petstore_frame.report.content import Content
from petstore_frame.report.layout import write_list

if TYPE_CHECKING:
    from petstore_frame.history import Diff

LISTED_ROWS = 10_000  # of pets that changed, and of records to fix
_FIRST_ROW = 4
_MOVES = {"What": "text", "Was": "text", "Now": "text", "Pets": "count"}
_PETS = {
    "ID": "id", "Name": "text", "Category": "text", "What": "text", "Was": "text", "Now": "text",
    "Differs in": "text",
}  # fmt: skip
Line = tuple[str, str]
_WORDS: tuple[Line, ...] = (
    ("≥, at least", "A minimum: so many were read, and there may be more."),
    ("≈, about", "So many were read, and pets left the store meanwhile."),
    (
        status_word(NO_STATUS),
        "The store gave no status for the pet. It is counted apart, never as available.",
    ),
    ("none", "Nothing available in a category, where the count of available pets is exact."),
    ("Share", "Part of the pets that were asked for. Left out while any of them may be missing."),
    ("IDs", layout.ID_RULE),
    ("Category", "The store gives numbers only; names of categories were given with the report."),
)


def write_changes(book: Book, content: Content) -> None:
    """Add the sheet of what changed since the last time, where something is compared."""
    changes = content.changes
    if changes is None:
        return
    sheet = layout.begin(book, "Changes", str(changes), (2, 22, 34, 22, 14, 14, 14, 20))
    as_of, header = content.as_of, None
    if as_of is not None and as_of.astimezone(changes.timezone).date() != changes.until:
        note = (
            f"The last snapshot is of {changes.until}. What changed from then to this workbook's "
            f"data, of {minute_text(as_of)[:10]}, is not here."
        )
        sheet.cell(_FIRST_ROW - 1, 1, note, bold=True)
    moves = [
        (kind, _status(was), _status(now), StatusCount(int(pets), changes.is_exact))
        for kind, was, now, pets in changes.moves[["kind", "was", "now", "pets"]].to_numpy()
    ]
    row = _FIRST_ROW + 4
    if moves:
        row = write_list(sheet, _FIRST_ROW, _MOVES, moves) + 3
    else:
        total = f"Pets that came, went or changed: {changes.total}"
        sheet.cell(_FIRST_ROW, 1, total, **styles.SECTION)
    if count := len(changes):
        more = f": the first {LISTED_ROWS:,} of {count:,}; the .frame of the Diff has all"
        title = f"The pets{more if count > LISTED_ROWS else ''}"
        header, pets = row, _changed_pets(content, changes)
        row = write_list(sheet, header, _PETS, pets, title=title, has_filter=True)
    sheet.do("ignore_errors", {"number_stored_as_text": f"B1:D{row + 1}"})
    layout.finish(sheet, content, head=header, listed=(min(count, LISTED_ROWS), len(_PETS)))


def _changed_pets(content: Content, diff: Diff) -> Iterator[tuple[Any, ...]]:
    first = diff.frame.head(LISTED_ROWS).itertuples(index=False, name=None)
    for pet_id, name, category_id, kind, was, now, difference in first:
        label = content.labels[int(category_id)]
        yield int(pet_id), name, label, kind, _status(was), _status(now), difference


def _status(status: Any) -> str:
    return status if isinstance(status, str) else "–"


def write_about(book: Book, content: Content) -> None:
    """Add the last sheet: what is covered, how that is known, and the words."""
    sections: dict[str, Sequence[Line]] = {
        "What it covers": coverage(content),
        "How that is known": content.completeness.evidence_lines(),
        "Words": _WORDS,
    }
    line = f"{layout.as_of_words(content.as_of)} · Made with petstore-frame {__version__}"
    sheet = layout.begin(book, "About", line, (2, 26, 104), title="About this workbook")
    row = _FIRST_ROW
    for title, lines in sections.items():
        sheet.cell(row, 1, title, **styles.SECTION, bottom=2)
        sheet.cell(row, 2, None, bottom=2)
        sheet.height(row, 24)
        for word, text in lines:
            row += 1
            sheet.cell(row, 1, word, **styles.BODY, **styles.QUIET, text_wrap=True)
            sheet.cell(row, 2, text, **styles.BODY, text_wrap=True)
            sheet.height(row, 15 * styles.lines(text, 110) + 3)
        row += 2
    layout.finish(sheet, content)


def coverage(content: Content) -> list[Line]:
    """Return what is covered, line by line."""
    known = content.completeness
    lines = [
        ("Store", content.base_url or "not recorded"),
        ("Verdict", palette.verdict_badge(known.verdict).word),
        ("In one sentence", content.sentence),
        ("Pets read", f"{len(content.frame):,}"),
    ]
    if content.provenance is None:
        return lines
    asked_for = f"pets with status {known.status}" if known.status else "all pets"
    lines.append(("Asked for", asked_for))
    if known.part:
        lines.append(("Shown", f"those with {known.part}"))
    counts = content.counts.by_status.items()  # of a selection without what it leaves out
    return [*lines, *((status_word(status), str(count)) for status, count in counts)]
