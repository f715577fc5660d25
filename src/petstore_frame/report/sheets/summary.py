"""The first sheet: how many pets, of what category and status, and how certain that is.

It fits one screen and one landscape page.
"""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.words import categories_in_words, exactness, short
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.html.palette import BAND, INK, PAPER, status_word
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.facts import Facts
from petstore_frame.report.sheets.charts import category_chart, share_strip
from petstore_frame.report.sheets.counts import CountCells

SHOWN_CATEGORIES = 20
_CLAIM_ROW, _CARDS_ROW, _TABLE_ROW = 5, 7, 13
_NAME_WIDTH, _COUNT_WIDTH, _SHARE_WIDTH = 27, 13, 9
_CHART_COLUMNS = 8  # of Excel's usual width, 64 pixels
_PLAIN_ROW_PIXELS = 20


def write_summary(book: Book, content: Content) -> None:
    """Add the sheet, and open the workbook on it."""
    words = "The key figures, and status by category for the largest categories."
    sheet, facts = book.sheet("Summary", words), content.facts
    cells = CountCells(sheet, facts, _TABLE_ROW, top=SHOWN_CATEGORIES)
    _columns(sheet, cells)
    _heading(sheet, facts)
    _claim(sheet, cells)
    _cards(sheet, cells)
    if len(facts.frame):
        _section(sheet, cells)
        cells.write()
        _charts(book, sheet, cells)
        _notes(sheet, cells, content)
    else:
        _empty_state(sheet, facts)
    look.finish(sheet, facts, pages_high=1)
    sheet.raw.activate()


def _columns(sheet: Sheet, cells: CountCells) -> None:
    sheet.do("set_column", 0, 0, 2)
    sheet.do("set_column", cells.name, cells.name, _NAME_WIDTH)
    sheet.do("set_column", cells.first_status, cells.all_pets, _count_width(cells.facts))
    sheet.do("set_column", cells.all_pets + 1, cells.all_pets + 1, _SHARE_WIDTH)
    sheet.do("set_column", cells.all_pets + 2, cells.all_pets + 2, 3)


def _count_width(facts: Facts) -> float:
    """Return a width in which the largest key figure fits; Excel shows one that does not as ###."""
    longest = max(len(short(count)) for count in facts.counts.by_status.values())
    return max(_COUNT_WIDTH, 2.5 + 1.85 * longest)


def _heading(sheet: Sheet, facts: Facts) -> None:
    look.put_title(sheet, "Store inventory", facts.base_url or "Store: not recorded")
    sheet.text(3, 1, look.as_of_words(facts.as_of), **look.QUIET)


def _claim(sheet: Sheet, cells: CountCells) -> None:
    badge, text = look.badge_of(cells.facts), look.claim_words(cells.facts)
    sheet.height(_CLAIM_ROW - 1, 6)
    sheet.band(
        _CLAIM_ROW, cells.name, cells.all_pets + 2 + _CHART_COLUMNS, text,
        font_color=badge.ink, bg_color=badge.fill, bold=True, indent=1,
        left=5, left_color=badge.edge,
    )  # fmt: skip
    sheet.height(_CLAIM_ROW, 15 * look.lines(text, 150) + 8)
    sheet.height(_CLAIM_ROW + 1, 9)


def _cards(sheet: Sheet, cells: CountCells) -> None:
    """The key figures: those of the statuses stand over their columns, and are their totals."""
    for row, points in zip(range(_CARDS_ROW, _CARDS_ROW + 3), (20, 30, 19), strict=True):
        sheet.height(row, points)
    facts, counts = cells.facts, cells.facts.counts
    _card(sheet, cells.name, "All pets", INK)
    _figure(sheet, cells, cells.name, cells.all_pets, counts.total)
    under = f"in {categories_in_words(counts)}"
    sheet.text(_CARDS_ROW + 2, cells.name, under, **_card_style(look.QUIET))
    shades = facts.colours
    for col, (status, count) in enumerate(counts.by_status.items(), start=cells.first_status):
        _card(sheet, col, status_word(status), shades[status])
        _figure(sheet, cells, col, col, count)
        _card_share(sheet, cells, col, count)


def _card_style(style: dict[str, Any]) -> dict[str, Any]:
    # The white line on the left is the gap between two cards.
    gap = {"left": 5, "left_color": PAPER}
    return {**style, **gap, "bg_color": BAND, "indent": 1, "align": "left"}


def _card(sheet: Sheet, col: int, word: str, colour: str) -> None:
    style = _card_style({**look.QUIET, "top": 5, "top_color": colour})
    sheet.text(_CARDS_ROW, col, word, **style)


def _figure(sheet: Sheet, cells: CountCells, col: int, source: int, count: StatusCount) -> None:
    number = look.count_format(is_exact=count.is_exact, zero="0")
    style = _card_style({"font_size": 18, "bold": True, "num_format": number})
    if len(cells.facts.frame):
        formula = f"={cell_name(cells.total, source)}"
        sheet.formula(_CARDS_ROW + 1, col, formula, count.count, **style)
    else:
        sheet.number(_CARDS_ROW + 1, col, count.count, **style)


def _card_share(sheet: Sheet, cells: CountCells, col: int, count: StatusCount) -> None:
    row, style, total = _CARDS_ROW + 2, _card_style(look.QUIET), cells.facts.counts.total
    if total.is_exact and total.count:
        formula = f"={cell_name(cells.total, col)}/{cell_name(cells.total, cells.all_pets)}"
        sheet.formula(row, col, formula, count.count / total.count, **style, num_format=look.SHARE)
    else:
        sheet.text(row, col, exactness(count), **style)


def _empty_state(sheet: Sheet, facts: Facts) -> None:
    text = (
        "The store holds no pets: its listing is empty."
        if facts.covers_all
        else "No pets were read, and it is not known whether the store holds any. "
        "About says what was asked."
    )
    sheet.text(_TABLE_ROW - 1, 1, text, **look.SECTION)


def _section(sheet: Sheet, cells: CountCells) -> None:
    shown = cells.last - cells.head
    largest = f", the {shown} largest (By category has all)" if cells.table.has_rest else ""
    sheet.text(cells.head - 1, cells.name, f"Status by category{largest}", **look.SECTION)
    sheet.height(cells.head - 1, 24)


def _charts(book: Book, sheet: Sheet, cells: CountCells) -> None:
    facts = cells.facts
    if facts.covers_all:
        pixels = int(7 * _count_width(facts) + 5) * len(facts.statuses)
        strip = share_strip(book, cells)
        strip.set_size({"width": 7 * _NAME_WIDTH + 5 + pixels, "height": 26})
        look_of = {"description": "Shares of the statuses, as in the figures above.", "y_offset": 3}
        sheet.do("insert_chart", _CARDS_ROW + 3, cells.name, strip, look_of)
        sheet.height(_CARDS_ROW + 3, 24)
    chart = category_chart(book, cells)
    height = 210 + _PLAIN_ROW_PIXELS * (cells.total - cells.head)
    chart.set_size({"width": 64 * _CHART_COLUMNS, "height": max(300, height)})
    alt = "Pets by category and status: the numbers of the table beside it."
    sheet.do("insert_chart", _CARDS_ROW, cells.all_pets + 3, chart, {"description": alt})


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
        sheet.text(row, cells.name, text, **look.QUIET)
