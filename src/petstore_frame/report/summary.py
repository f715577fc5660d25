"""The sheets of counts: the summary, all categories, all statuses."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts import short
from petstore_frame.files import styles
from petstore_frame.files.book import Book, cell_name
from petstore_frame.markup.palette import BAND, INK, PAPER, status_word, verdict_badge
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.counts import CountCells, category_chart, share_strip, status_chart

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
    longest = max(len(short(count)) for count in counts.by_status.values())
    width = max(_COUNT_WIDTH, 2.5 + 1.85 * longest)
    sheet = look.begin(
        book,
        "Summary",
        "The key figures, and status by category for the largest categories.",
        content.base_url or "Store: not recorded",
        [2, _NAME_WIDTH, *[width] * (len(counts.statuses) + 1), _SHARE_WIDTH, 3],
        title="Store inventory",
    )
    sheet.text(3, 1, look.as_of_words(content.as_of), **styles.QUIET)
    # What follows the key figures: a question, the sheet that says more, the answer.
    answers = [("Is that all?", "About", look.headline(content))]
    if content.changes is not None:
        answers.append(("What changed?", "Changes", str(content.changes)))
    if content.attention is not None:
        needs = content.attention or ["Nothing."]
        answers.append(("What needs a person?", "", needs[0]))
        answers += [("", "", sentence) for sentence in needs[1:]]
    table_row = _ANSWERS_ROW + len(answers) + 2
    cells = CountCells(sheet, content, table_row, top=SHOWN_CATEGORIES)
    _cards(cells)
    _write_answers(cells, answers)
    if len(content.frame):
        largest = f", the {cells.last - cells.head} largest (By category has all)"
        title = f"Status by category{largest if cells.has_rest else ''}"
        sheet.height(table_row - 1, 24)
        cells.write()
        _charts(cells, int(7 * width + 5))
        _notes(cells)
    elif content.covers_all:
        title = "The store holds no pets: its listing is empty."
    else:
        title = (
            "No pets were read, and it is not known whether the store holds any. "
            "About says what was asked."
        )
    sheet.text(table_row - 1, 1, title, **styles.SECTION)
    look.finish(sheet, content, pages_high=1)
    sheet.raw.activate()


def _cards(cells: CountCells) -> None:
    """The key figures: those of the statuses stand over their columns, and are their totals."""
    sheet, content, counts = cells.sheet, cells.content, cells.content.counts
    for row, points in enumerate((20, 30, 19), start=_CARDS_ROW):
        sheet.height(row, points)
    # The white line on the left is the gap between two cards.
    card = {"left": 5, "left_color": PAPER, "bg_color": BAND, "indent": 1, "align": "left"}
    shown = [(cells.name, cells.all_pets, "All pets", INK, counts.total)]
    for col, (status, count) in enumerate(counts.by_status.items(), start=cells.first_status):
        shown.append((col, col, status_word(status), content.colours[status], count))
    for col, source, word, colour, count in shown:
        sheet.text(_CARDS_ROW, col, word, **card, **styles.QUIET, top=5, top_color=colour)
        number = look.count_format(is_exact=count.is_exact)
        style = {**card, "font_size": styles.FIGURE_SIZE, "bold": True, "num_format": number}
        total = cell_name(cells.total, source)
        if len(content.frame):
            sheet.formula(_CARDS_ROW + 1, col, f"={total}", count.count, **style)
        else:
            sheet.number(_CARDS_ROW + 1, col, count.count, **style)
        under, quiet = _CARDS_ROW + 2, {**card, **styles.QUIET}
        if col == cells.name:
            sheet.text(under, col, f"in {counts.categories_in_words}", **quiet)
        elif counts.total.is_exact and counts.total.count:
            formula = f"={total}/{cell_name(cells.total, cells.all_pets)}"
            share = count.count / counts.total.count
            sheet.formula(under, col, formula, share, **quiet, num_format=styles.SHARE)
        else:
            sheet.text(under, col, look.exactness(count), **quiet)


def _write_answers(cells: CountCells, answers: list[tuple[str, str, str]]) -> None:
    sheet, badge = cells.sheet, verdict_badge(cells.content.completeness.verdict)
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


def _charts(cells: CountCells, count_pixels: int) -> None:
    sheet, content = cells.sheet, cells.content
    if content.covers_all:
        strip = share_strip(cells)
        pixels = 7 * _NAME_WIDTH + 5 + count_pixels * len(content.counts.statuses)
        strip.set_size({"width": pixels, "height": 26})
        look_of = {"description": "Shares of the statuses, as in the figures above.", "y_offset": 3}
        sheet.do("insert_chart", _CARDS_ROW + 3, cells.name, strip, look_of)
        sheet.height(_CARDS_ROW + 3, 24)
    chart = category_chart(cells)
    height = 210 + _PLAIN_ROW_PIXELS * (cells.total - cells.head)
    chart.set_size({"width": 64 * _CHART_COLUMNS, "height": max(300, height)})
    alt = "Pets by category and status: the numbers of the table beside it."
    sheet.do("insert_chart", cells.head - 1, cells.all_pets + 3, chart, {"description": alt})


def _notes(cells: CountCells) -> None:
    """Say below the table what a reader of the first sheet must know of the others."""
    parts, changed = cells.content.parts, len(cells.content.changed_names)
    sentences = [cells.content.counts.nothing_available()]
    if len(parts) > 1:
        names = f"{parts[0].name} to {parts[-1].name}"
        sentences.append(f"The pets are on {len(parts)} sheets, {names}.")
    if changed:
        count = "1 name was" if changed == 1 else f"{changed:,} names were"
        sentences.append(f"{count} changed to fit a cell; About has the ids.")
    for row, text in enumerate(filter(None, sentences), start=cells.total + 1):
        cells.sheet.text(row, cells.name, text, **styles.QUIET)


def write_by_category(book: Book, content: Content) -> None:
    """Add the sheet of all categories, one row each, largest first."""
    has_ids, counts = bool(content.labels), content.counts
    longest = max(map(len, counts.labels), default=0)
    names, numbers = min(max(20, longest + 3), 50), [12] * (len(counts.statuses) + 1)
    sheet = look.begin(
        book,
        "By category",
        "Counts by status, and shares, of each category read.",
        f"{counts.categories_in_words}, largest first",
        [2, *[14] * has_ids, names, *numbers, 9],
    )
    cells = CountCells(sheet, content, _HEAD_ROW, top=None, has_ids=has_ids)
    if len(content.frame):
        cells.write()
        sheet.do("ignore_errors", {"number_stored_as_text": f"B1:C{cells.total + 1}"})
        sheet.do("autofilter", cells.head, 1, cells.total - 1, cells.last_column)
        chart = category_chart(cells, is_share=True)
        # Beside the table: a wider chart makes both small in print.
        chart.set_size({"width": 400, "height": 480})
        alt = {"description": "The mix of statuses within each category, from the table beside it."}
        sheet.do("set_column", cells.last_column + 1, cells.last_column + 1, 2)
        sheet.do("insert_chart", _HEAD_ROW, cells.last_column + 2, chart, alt)
    sheet.raw.freeze_panes(_HEAD_ROW + 1, cells.name + 1)
    look.finish(sheet, content, repeat_row=_HEAD_ROW)


def write_by_status(book: Book, content: Content) -> None:
    """Add the sheet of all statuses, one row each."""
    counts = content.counts
    total = _HEAD_ROW + 1 + len(counts.statuses)
    line = "A pet without a status is counted as such, never guessed"
    holds = "Counts, and shares, of each status."
    sheet = look.begin(book, "By status", holds, line, (2, 18, 13, 13, 13, 13, 30))
    sheet.text(_HEAD_ROW, 1, "Status", **styles.HEAD, indent=1)
    for col, header in enumerate(("Pets", "Share", "Categories", "Count is"), start=2):
        sheet.text(_HEAD_ROW, col, header, **styles.HEAD, **styles.RIGHT)
    sheet.text(_HEAD_ROW, 6, "Most in", **styles.HEAD, indent=2)
    rows = []
    for at, (status, count) in enumerate(counts.by_status.items()):
        row, column = _HEAD_ROW + 1 + at, counts.cells[:, at]
        categories = counts.categories_with(status)
        rows.append((row, count, categories, styles.BODY))
        chip = look.chip_of(content.colours[status])
        sheet.text(row, 1, status_word(status), **styles.BODY, **chip, indent=1)
        look.put_count(sheet, row, 2, count, styles.BODY)
        most = counts.labels[int(column.argmax())] if count.count else "–"
        most += look.caveat(is_exact=count.is_exact)
        sheet.text(row, 6, most, **styles.BODY, indent=2)
    rows.append((total, counts.total, counts.categories, styles.TOTAL))
    sheet.text(total, 1, "All statuses", **styles.TOTAL, indent=1)
    formula = f"=SUM({cell_name(_HEAD_ROW + 1, 2)}:{cell_name(total - 1, 2)})"
    number = look.count_format(is_exact=counts.total.is_exact)
    sheet.formula(total, 2, formula, counts.total.count, **styles.TOTAL, num_format=number)
    sheet.blank(total, 6, **styles.TOTAL)
    for row, count, categories, style in rows:
        if content.covers_all and len(content.frame):
            formula = f"={cell_name(row, 2)}/{cell_name(total, 2, is_fixed=True)}"
            share = count.count / len(content.frame)
            sheet.formula(row, 3, formula, share, **style, num_format=styles.SHARE)
        else:
            sheet.text(row, 3, "–" if content.covers_all else "not known", **style, **styles.RIGHT)
        look.put_count(sheet, row, 4, categories, style)
        sheet.text(row, 5, look.exactness(count), **style, **styles.RIGHT)
    if len(content.frame):
        chart = status_chart(sheet, content, _HEAD_ROW + 1)
        chart.set_size({"width": 640, "height": 130 + 36 * len(counts.statuses)})
        alt = {"description": "Pets by status: the numbers of the table above."}
        sheet.do("insert_chart", total + 2, 1, chart, alt)
    look.finish(sheet, content, pages_high=1)
