"""The sheets of counts: the summary, and all categories."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts import short
from petstore_frame.files import Book, Sheet, styles
from petstore_frame.markup import palette, status_word
from petstore_frame.report import layout
from petstore_frame.report.content import Content
from petstore_frame.report.counts import CountCells, category_chart

SHOWN_CATEGORIES = 20
_HEAD_ROW, _CARDS_ROW, _ANSWERS_ROW = 4, 5, 10
_NAME_WIDTH, _COUNT_WIDTH, _SHARE_WIDTH = 27, 13, 9
_CHART_COLUMNS = 8  # of Excel's usual width, 64 pixels
_PLAIN_ROW_PIXELS = 20


def write_summary(book: Book, content: Content) -> None:
    """Add the first sheet: how many pets, is that all, what changed, and what needs a person.

    It fits one screen and one landscape page, and the workbook opens on it.
    """
    counts = content.counts
    # A key figure that does not fit its column is shown as ###.
    longest = max(len(short(count)) for count in (counts.total, *counts.by_status.values()))
    width = max(_COUNT_WIDTH, 2.5 + 1.85 * longest)
    sheet = layout.begin(
        book,
        "Summary",
        content.base_url or "Store: not recorded",
        [2, _NAME_WIDTH, *[width] * (len(counts.statuses) + 1), _SHARE_WIDTH, 3],
        title=content.title,
    )
    sheet.cell(3, 1, layout.as_of_words(content.as_of), **styles.QUIET)
    answers = _answers(content)
    table_row = _ANSWERS_ROW + len(answers) + 2
    cells = CountCells(sheet, content, table_row, top=SHOWN_CATEGORIES)
    _cards(cells)
    _write_answers(cells, answers)
    title = _nothing_to_count(content)
    if len(content.frame):
        largest = f", the {cells.last - cells.head} largest (By category has all)"
        title = f"Status by category{largest if cells.has_rest else ''}"
        sheet.height(table_row - 1, 24)
        cells.write()
        chart = category_chart(cells)
        height = 210 + _PLAIN_ROW_PIXELS * (cells.total - cells.head)
        chart.set_size({"width": 64 * _CHART_COLUMNS, "height": max(300, height)})
        alt = {"description": "Pets by category and status: the numbers of the table beside it."}
        sheet.do("insert_chart", cells.head - 1, cells.pets + 3, chart, alt)
        _notes(cells)
    sheet.cell(table_row - 1, 1, title, **styles.SECTION)
    layout.finish(sheet, content, pages_high=1)
    sheet.raw.activate()


def _nothing_to_count(content: Content) -> str:
    if content.counts.is_selection:
        return "No pet that was read is of this selection."
    if content.completeness.covers_all:
        return "The store holds no pets: its listing is empty."
    return (
        "No pets were read, and it is not known whether the store holds any. "
        "About says what was asked."
    )


def _answers(content: Content) -> list[tuple[str, str, str]]:
    """Return what follows the key figures: a question, the sheet that says more, the answer."""
    answers = []
    if content.counts.is_selection:
        answers.append(("Which pets?", "About", content.counts.selection))
    answers.append(("Is that all?", "About", layout.headline(content)))
    if content.changes is not None:
        answers.append(("What changed?", "Changes", str(content.changes)))
    if content.attention is not None:
        needs = content.attention or ["Nothing."]
        answers.append(("What needs a person?", "", needs[0]))
        answers += [("", "", sentence) for sentence in needs[1:]]
    return answers


def _cards(cells: CountCells) -> None:
    """The key figures: those of the statuses stand over their columns, and are their totals."""
    sheet, content, counts = cells.sheet, cells.content, cells.content.counts
    for row, points in enumerate((20, 30, 19), start=_CARDS_ROW):
        sheet.height(row, points)
    # The white line on the left is the gap between two cards.
    card = {
        "left": 5,
        "left_color": palette.PAPER,
        "bg_color": palette.BAND,
        "indent": 1,
        "align": "left",
    }
    quiet = {**card, **styles.QUIET}
    under = f"in {counts.categories_in_words}"
    shown = [(cells.name, cells.pets, "Pets", palette.INK, counts.total, under)]
    for col, (status, count) in enumerate(counts.by_status.items(), start=cells.first_status):
        under = counts.shares[status] if content.has_shares else count.kind
        shown.append((col, col, status_word(status), content.colours[status], count, under))
    for col, source, word, colour, count, under in shown:
        sheet.cell(_CARDS_ROW, col, word, **quiet, top=5, top_color=colour)
        number = layout.count_format(count)
        style = {**card, "font_size": styles.FIGURE_SIZE, "bold": True, "num_format": number}
        if len(content.frame):
            total = Sheet.cell_name(cells.total, source)
            sheet.formula(_CARDS_ROW + 1, col, f"={total}", count.count, **style)
        else:
            sheet.cell(_CARDS_ROW + 1, col, count.count, **style)
        sheet.cell(_CARDS_ROW + 2, col, under, **quiet)


def _write_answers(cells: CountCells, answers: list[tuple[str, str, str]]) -> None:
    sheet, badge = cells.sheet, palette.verdict_badge(cells.content.completeness.verdict)
    edge = {"left": 5, "left_color": badge.edge, "indent": 1}
    last_col = cells.pets + 2 + _CHART_COLUMNS
    sheet.height(_ANSWERS_ROW - 1, 9)
    for row, (question, more, text) in enumerate(answers, start=_ANSWERS_ROW):
        style: dict[str, Any] = {"bg_color": palette.BAND}
        if question == "Is that all?":
            style = {"font_color": badge.ink, "bg_color": badge.fill, "bold": True}
        if more:
            sheet.link(row, cells.name, more, question, **style, **edge)
        else:
            sheet.cell(row, cells.name, question, **style, **edge)
        sheet.band(row, cells.name + 1, last_col, text, **style)
        sheet.height(row, 15 * styles.lines(text, 120) + 8)


def _notes(cells: CountCells) -> None:
    """Say below the table what a reader of the first sheet must know of the others."""
    parts = cells.content.parts
    sentences = [cells.content.counts.nothing_available()]
    if len(parts) > 1:
        names = f"{parts[0].name} to {parts[-1].name}"
        sentences.append(f"The pets are on {len(parts)} sheets, {names}.")
    for row, text in enumerate(filter(None, sentences), start=cells.total + 1):
        cells.sheet.cell(row, cells.name, text, **styles.QUIET)


def write_by_category(book: Book, content: Content) -> None:
    """Add the sheet of all categories, one row each, largest first."""
    has_ids, counts = bool(content.labels), content.counts
    longest = max(map(len, counts.labels), default=0)
    names, numbers = min(max(20, longest + 3), 50), [12] * (len(counts.statuses) + 1)
    sheet = layout.begin(
        book,
        "By category",
        f"{counts.categories_in_words}, largest first",
        [2, *[14] * has_ids, names, *numbers, 9],
    )
    cells = CountCells(sheet, content, _HEAD_ROW, top=None, has_ids=has_ids)
    if len(content.frame):
        cells.write()
        sheet.do("ignore_errors", {"number_stored_as_text": f"B1:C{cells.total + 1}"})
        sheet.do("autofilter", cells.head, 1, cells.total - 1, cells.last_column)
    sheet.raw.freeze_panes(_HEAD_ROW + 1, cells.name + 1)
    layout.finish(sheet, content, head=_HEAD_ROW)
