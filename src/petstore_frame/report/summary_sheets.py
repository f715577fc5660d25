"""Writes the sheets of counts: the summary with key figures and a chart, and all categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petstore_frame.rendering import palette
from petstore_frame.report import sheet_layout as layout
from petstore_frame.report.report_content import Content
from petstore_frame.schema import status_label
from petstore_frame.storage import Book, Sheet, styles
from petstore_frame.summary import Line

MAX_CATEGORIES = 20
_NAME, _FIRST_STATUS = 1, 2  # positions of these columns in each table of counts
_CARDS_ROW, _ANSWERS_ROW = 5, 10
_NAME_WIDTH, _SHARE_WIDTH = 27, 9  # characters
_PLAIN_ROW_PIXELS = 20
_NO_LINE = {"none": True}


def write_summary(book: Book, content: Content) -> None:
    """Add the first sheet: the number of pets, the completeness, and what needs attention.

    It fits one portrait page, and the workbook opens on it.
    """
    widths = _summary_widths(content)
    sheet = layout.begin(book, "Summary", content.store, widths, title=content.title)
    sheet.cell(3, _NAME, content.as_of, **styles.QUIET)
    _write_cards(sheet, content)
    head = _write_answers(sheet, content) + 2
    title = _nothing_to_count(content)
    if len(content.frame):
        title = _write_table(sheet, content, head)
        sheet.height(head - 1, 24)
    sheet.cell(head - 1, _NAME, title, **styles.SECTION)
    layout.finish(sheet, content, is_single_page=True)
    sheet.raw.activate()


def _summary_widths(content: Content) -> list[float]:
    """Return the widths of the columns: a margin, the name, the counts and the share."""
    counts = content.counts
    # Excel shows a number as ### if it does not fit its column.
    longest = max(len(str(count)) for count in counts.sums.cells)
    width = max(12, 2.5 + 1.85 * longest)
    return [1, _NAME_WIDTH, *[width] * len(counts.sums.cells), _SHARE_WIDTH]


def write_by_category(book: Book, content: Content) -> None:
    """Add the sheet of all categories, one row each, largest first."""
    counts, head = content.counts, 4
    widths = [2, min(max([20, *(len(label) + 3 for label in counts.labels)]), 50)]
    line = f"{counts.categories_in_words}, largest first"
    sheet = layout.begin(book, "By category", line, [*widths, *[12] * len(counts.sums.cells), 9])
    if len(content.frame):
        lines = counts.largest()
        _write_counts(sheet, content, head, lines)
        last = len(counts.sums.cells) + content.counts.has_shares + 1
        sheet.do("autofilter", head, _NAME, head + len(lines), last)
    sheet.raw.freeze_panes(head + 1, _FIRST_STATUS)
    layout.finish(sheet, content, head=head)


def _write_counts(sheet: Sheet, content: Content, head: int, lines: Sequence[Line]) -> None:
    """Write lines of counts below their headings, the sums, and shares if all pets were read."""
    headings: list[tuple[str, dict[str, Any]]] = [
        (status_label(status), {"bottom_color": color})
        for status, color in content.status_colors.items()
    ]
    headings.append(("Pets", {}))
    if content.counts.has_shares:
        headings.append(("Share", {}))
    sheet.height(head, 20)
    sheet.cell(head, _NAME, "Category", **styles.HEAD)
    for col, (heading, color) in enumerate(headings, _FIRST_STATUS):
        sheet.cell(head, col, heading, **{**styles.HEAD, **styles.RIGHT, **color})
    for row, line in enumerate(lines, head + 1):
        style = {**styles.BODY, "italic": True} if line.is_rest else styles.BODY
        _write_line(sheet, content, row, line, style)
    total = head + len(lines) + 1
    sheet.height(total, 20)
    sums = content.counts.sums._replace(label="Sum")
    _write_line(sheet, content, total, sums, styles.TOTAL)


def _write_line(
    sheet: Sheet, content: Content, row: int, line: Line, style: Mapping[str, Any]
) -> None:
    """Write one line of counts; a category with nothing available is marked if that is exact.

    Counts are numbers instead of COUNTIFS formulas: COUNTIFS reads text ids as numbers, and does
    not distinguish ids that differ after the 15th digit.
    """
    badge = palette.verdict_badge("incomplete")
    sheet.cell(row, _NAME, line.label, **style)
    columns = [*content.counts.statuses, None]
    for col, (status, count) in enumerate(zip(columns, line.cells, strict=True), _FIRST_STATUS):
        is_empty = status == "available" and count.count == 0
        is_none = is_empty and content.counts.is_available_exact
        mark = {"bg_color": badge.fill, "font_color": badge.ink} if is_none else {}
        number_format = layout.count_format(count, zero="none" if is_none else "–")
        sheet.cell(row, col, count.count, **{**style, **mark, "num_format": number_format})
    if content.counts.has_shares:
        share = line.total.count / content.counts.total.count
        sheet.cell(row, _FIRST_STATUS + len(columns), share, **style, num_format=styles.SHARE)


def _write_table(sheet: Sheet, content: Content, head: int) -> str:
    """Write the largest categories, notes and a chart; return the title of the table."""
    counts = content.counts
    lines = counts.largest(MAX_CATEGORIES)
    category_count = len(lines) - lines[-1].is_rest
    _write_counts(sheet, content, head, lines)
    row = head + len(lines) + 2
    notes = [counts.nothing_available()]
    if len(content.frame) > styles.SHEET_ROWS:
        notes.append("The pets are on several sheets, because one sheet cannot hold all.")
    for text in filter(None, notes):
        sheet.cell(row, _NAME, text, **styles.QUIET)
        row += 1
    chart = _chart(sheet, content, head, category_count)
    alt = {"description": "Pets by category and status: the numbers of the table above it."}
    sheet.do("insert_chart", row + 1, _NAME, chart, alt)
    largest = (
        f", the {category_count} largest (By category has all)"
        if category_count < len(lines)
        else ""
    )
    return f"Status by category{largest}"


def _chart(sheet: Sheet, content: Content, head: int, rows: int) -> Any:
    """Return bars of the categories in the rows below ``head``, split by status."""
    last = head + rows
    chart = sheet.book.workbook.add_chart({"type": "bar", "subtype": "stacked"})
    for col, shade in enumerate(content.status_colors.values(), _FIRST_STATUS):
        chart.add_series(
            {
                # A cell reference, because a status that starts with = would become a formula.
                "name": [sheet.name, head, col],
                "categories": [sheet.name, head + 1, _NAME, last, _NAME],
                "values": [sheet.name, head + 1, col, last, col],
                "fill": {"color": shade},
                "border": _NO_LINE,  # a gap between the parts would hide the smallest ones
                "gap": 35,
            }
        )
    counts = content.counts
    scope = "" if counts.total.is_exact else " (of the pets read)"
    largest = f", the {rows} largest" if rows < counts.categories.count else ""
    title_font = {"size": 12, "color": palette.INK}
    chart.set_title({"name": f"Pets by category{scope}{largest}", "name_font": title_font})
    chart.set_chartarea({"border": _NO_LINE, "fill": _NO_LINE})
    chart.set_legend({"position": "top"})
    # The first row is on top, so the far end of the value axis is at the bottom.
    chart.set_y_axis({"reverse": True, "line": {"color": palette.RULE}, "major_tick_mark": "none"})
    grid = {"visible": True, "line": {"color": palette.RULE, "width": 0.5}}
    far = {"num_format": styles.COUNT, "label_position": "high", "major_gridlines": grid}
    chart.set_x_axis({**far, "line": _NO_LINE, "major_tick_mark": "none"})
    height = max(220, 120 + _PLAIN_ROW_PIXELS * (rows + 1))
    width = sum(7 * characters + 5 for characters in _summary_widths(content)[_NAME:])
    chart.set_size({"width": width, "height": height})
    return chart


def _nothing_to_count(content: Content) -> str:
    if content.counts.is_selection:
        return "No pets match this filter."
    if content.completeness.covers_all:
        return "The store is empty: its listing has no pets."
    return "No pets were read, and the store may have some. See About for the request."


def _write_cards(sheet: Sheet, content: Content) -> None:
    """Write the key figures; those of the statuses are above their columns."""
    for row, points in enumerate((20, 30, 19), start=_CARDS_ROW):
        sheet.height(row, points)
    # The white left border is the gap between two cards.
    card = {"left": 5, "left_color": palette.PAPER, "bg_color": palette.BAND, "indent": 1}
    quiet = {**card, **styles.QUIET}
    for col, figure in enumerate(content.counts.figures(), _NAME):
        color = content.status_colors.get(figure.status, palette.INK)
        sheet.cell(_CARDS_ROW, col, figure.label, **quiet, top=5, top_color=color)
        large = {"font_size": styles.FIGURE_SIZE, "bold": True, "align": "left"}
        large["num_format"] = layout.count_format(figure.pets)
        sheet.cell(_CARDS_ROW + 1, col, figure.pets.count, **card, **large)
        sheet.cell(_CARDS_ROW + 2, col, figure.note, **quiet)


def _write_answers(sheet: Sheet, content: Content) -> int:
    """Write questions with answers and links to details; return the next free row."""
    answers = [("Is this complete?", "About", content.headline)]
    if content.counts.is_selection:
        answers.insert(0, ("Filter", "About", content.counts.selection))
    if content.changes is not None:
        answers.append(("What changed?", "Changes", str(content.changes)))
    if content.attention is not None:
        first, *more_sentences = content.attention or ["Nothing."]
        answers.append(("Needs attention", "", first))
        answers += [("", "", sentence) for sentence in more_sentences]
    badge = palette.verdict_badge(content.completeness.verdict)
    edge = {"left": 5, "left_color": badge.edge, "indent": 1}
    widths = _summary_widths(content)
    last_col = len(widths) - 1
    text_width = int(sum(widths[_FIRST_STATUS:]))
    sheet.height(_ANSWERS_ROW - 1, 9)
    for row, (question, more, text) in enumerate(answers, _ANSWERS_ROW):
        style: dict[str, Any] = {"bg_color": palette.BAND}
        if question == "Is this complete?":
            style = {"font_color": badge.ink, "bg_color": badge.fill, "bold": True}
        if more:
            sheet.link(row, _NAME, more, question, **style, **edge)
        else:
            sheet.cell(row, _NAME, question, **style, **edge)
        sheet.band(row, _NAME + 1, last_col, text, **style)
        sheet.height(row, 15 * styles.lines(text, text_width) + 8)
    return _ANSWERS_ROW + len(answers)
