"""The first sheet: how many pets, is that all, what changed, and what needs a person.

It fits one screen and one landscape page.
"""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.tally import categories_in_words, exactness, short
from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.html.palette import BAND, INK, PAPER, status_word
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.charts import category_chart, share_strip
from petstore_frame.report.sheets.counts import CountCells

SHOWN_CATEGORIES = 20
_CARDS_ROW, _ANSWERS_ROW = 5, 10
_NAME_WIDTH, _COUNT_WIDTH, _SHARE_WIDTH = 27, 13, 9
_CHART_COLUMNS = 8  # of Excel's usual width, 64 pixels
_PLAIN_ROW_PIXELS = 20


def write_summary(book: Book, content: Content) -> None:
    """Add the sheet, and open the workbook on it."""
    holds = "The key figures, and status by category for the largest categories."
    store = content.base_url or "Store: not recorded"
    counts = [_count_width(content)] * (len(content.statuses) + 1)
    widths = [2, _NAME_WIDTH, *counts, _SHARE_WIDTH, 3]
    sheet = look.begin(book, "Summary", holds, store, widths, title="Store inventory")
    sheet.text(3, 1, look.as_of_words(content.as_of), **styles.QUIET)
    answers = _answers(content)
    table_row = _ANSWERS_ROW + len(answers) + 2
    cells = CountCells(sheet, content, table_row, top=SHOWN_CATEGORIES)
    _cards(sheet, cells)
    _write_answers(sheet, cells, answers)
    if len(content.frame):
        largest = f", the {cells.last - cells.head} largest (By category has all)"
        title = f"Status by category{largest if cells.table.has_rest else ''}"
        sheet.text(table_row - 1, 1, title, **styles.SECTION)
        sheet.height(table_row - 1, 24)
        cells.write()
        _charts(book, sheet, cells)
        _notes(sheet, cells, content)
    else:
        text = (
            "The store holds no pets: its listing is empty."
            if content.covers_all
            else "No pets were read, and it is not known whether the store holds any. "
            "About says what was asked."
        )
        sheet.text(table_row - 1, 1, text, **styles.SECTION)
    look.finish(sheet, content, pages_high=1)
    sheet.raw.activate()


def _count_width(content: Content) -> float:
    """Return a width in which the largest key figure fits; Excel shows one that does not as ###."""
    longest = max(len(short(count)) for count in content.counts.by_status.values())
    return max(_COUNT_WIDTH, 2.5 + 1.85 * longest)


def _answers(content: Content) -> list[tuple[str, str, str]]:
    """Return what follows the key figures: a question, the sheet that says more, the answer."""
    answers = [("Is that all?", "About", look.headline(content))]
    if content.changes is not None:
        answers.append(("What changed?", "Changes", str(content.changes)))
    if content.attention is not None:
        question = "What needs a person?"
        for sentence in content.attention or ["Nothing."]:
            answers.append((question, "", sentence))
            question = ""
    return answers


def _write_answers(sheet: Sheet, cells: CountCells, answers: list[tuple[str, str, str]]) -> None:
    badge = look.badge_of(cells.content)
    edge = {"left": 5, "left_color": badge.edge, "indent": 1}
    last_col = cells.all_pets + 2 + _CHART_COLUMNS
    sheet.height(_ANSWERS_ROW - 1, 9)
    for row, (question, more, text) in enumerate(answers, start=_ANSWERS_ROW):
        style: dict[str, Any] = {"bg_color": BAND}
        if row == _ANSWERS_ROW:
            style = {"font_color": badge.ink, "bg_color": badge.fill, "bold": True}
        if more:
            sheet.link(row, cells.name, more, question, **style, **edge)
        else:
            sheet.text(row, cells.name, question, **style, **edge)
        sheet.band(row, cells.name + 1, last_col, text, **style)
        sheet.height(row, 15 * styles.lines(text, 120) + 8)


def _cards(sheet: Sheet, cells: CountCells) -> None:
    """The key figures: those of the statuses stand over their columns, and are their totals."""
    for row, points in zip(range(_CARDS_ROW, _CARDS_ROW + 3), (20, 30, 19), strict=True):
        sheet.height(row, points)
    content, counts = cells.content, cells.content.counts
    # The white line on the left is the gap between two cards.
    card = {"left": 5, "left_color": PAPER, "bg_color": BAND, "indent": 1, "align": "left"}
    shown = [(cells.name, cells.all_pets, "All pets", INK, counts.total)]
    for col, (status, count) in enumerate(counts.by_status.items(), start=cells.first_status):
        shown.append((col, col, status_word(status), content.colours[status], count))
    for col, source, word, colour, count in shown:
        sheet.text(_CARDS_ROW, col, word, **card, **styles.QUIET, top=5, top_color=colour)
        number = look.count_format(is_exact=count.is_exact, zero="0")
        style = {**card, "font_size": styles.FIGURE_SIZE, "bold": True, "num_format": number}
        total = cell_name(cells.total, source)
        if len(content.frame):
            sheet.formula(_CARDS_ROW + 1, col, f"={total}", count.count, **style)
        else:
            sheet.number(_CARDS_ROW + 1, col, count.count, **style)
        under, quiet = _CARDS_ROW + 2, {**card, **styles.QUIET}
        if col == cells.name:
            sheet.text(under, col, f"in {categories_in_words(counts)}", **quiet)
        elif counts.total.is_exact and counts.total.count:
            formula = f"={total}/{cell_name(cells.total, cells.all_pets)}"
            share = count.count / counts.total.count
            sheet.formula(under, col, formula, share, **quiet, num_format=styles.SHARE)
        else:
            sheet.text(under, col, exactness(count), **quiet)


def _charts(book: Book, sheet: Sheet, cells: CountCells) -> None:
    content = cells.content
    if content.covers_all:
        pixels = int(7 * _count_width(content) + 5) * len(content.statuses)
        strip = share_strip(book, cells)
        strip.set_size({"width": 7 * _NAME_WIDTH + 5 + pixels, "height": 26})
        look_of = {"description": "Shares of the statuses, as in the figures above.", "y_offset": 3}
        sheet.do("insert_chart", _CARDS_ROW + 3, cells.name, strip, look_of)
        sheet.height(_CARDS_ROW + 3, 24)
    chart = category_chart(book, cells)
    height = 210 + _PLAIN_ROW_PIXELS * (cells.total - cells.head)
    chart.set_size({"width": 64 * _CHART_COLUMNS, "height": max(300, height)})
    alt = "Pets by category and status: the numbers of the table beside it."
    sheet.do("insert_chart", cells.head - 1, cells.all_pets + 3, chart, {"description": alt})


def _notes(sheet: Sheet, cells: CountCells, content: Content) -> None:
    """Say below the table what a reader of the first sheet must know of the others."""
    parts, changed = content.parts, len(content.changed_names)
    sentences = [cells.table.nothing_available()]
    if len(parts) > 1:
        names = f"{parts[0].name} to {parts[-1].name}"
        sentences.append(f"The pets are on {len(parts)} sheets, {names}.")
    if changed:
        count = "1 name was" if changed == 1 else f"{changed:,} names were"
        sentences.append(f"{count} changed to fit a cell; About has the ids.")
    for row, text in enumerate(filter(None, sentences), start=cells.total + 1):
        sheet.text(row, cells.name, text, **styles.QUIET)
