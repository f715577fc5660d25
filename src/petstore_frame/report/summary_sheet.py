"""The first sheet: how many pets, of what category and status, and how certain that is.

In: Facts. Out: a sheet that fits one screen and one landscape page.
"""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.words import categories_in_words, short
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.count_table import CountTable
from petstore_frame.report.facts import Facts
from petstore_frame.report.native_charts import category_chart, share_strip
from petstore_frame.schema.palette import INK, PAPER, status_word

SHOWN_CATEGORIES = 20
_CLAIM_ROW, _CARDS_ROW, _TABLE_ROW = 5, 7, 13
_NAME_WIDTH, _COUNT_WIDTH, _SHARE_WIDTH = 27, 13, 9
_CHART_COLUMNS = 8  # of Excel's usual width, 64 pixels
_PLAIN_ROW_PIXELS = 20


def write_summary(book: Book, facts: Facts, notes: list[str]) -> None:
    """Add the sheet.

    Args:
        book: The workbook.
        facts: What it shows.
        notes: Sentences to put below the table.
    """
    sheet = book.sheet("Summary")
    table = CountTable(sheet, facts, _TABLE_ROW, most=SHOWN_CATEGORIES)
    _columns(sheet, table)
    _heading(sheet, facts)
    _claim(sheet, facts, table)
    _cards(sheet, facts, table)
    if not len(facts.frame):
        _empty_state(sheet, facts)
    else:
        _section(sheet, table)
        table.write()
        _charts(book, sheet, facts, table)
        _notes(sheet, table, notes)
    sheet.finish()
    sheet.raw.hide_gridlines(2)
    look.set_up_print(sheet, facts, pages_high=1)
    sheet.raw.activate()


def _columns(sheet: Sheet, table: CountTable) -> None:
    sheet.do("set_column", 0, 0, 2)
    sheet.do("set_column", table.name, table.name, _NAME_WIDTH)
    sheet.do("set_column", table.all_pets, table.share - 1, _count_width(table.facts))
    sheet.do("set_column", table.share, table.share, _SHARE_WIDTH)
    sheet.do("set_column", table.share + 1, table.share + 1, 3)


def _count_width(facts: Facts) -> float:
    """Return a width in which the largest key figure fits; Excel shows one that does not as ###."""
    longest = max(len(short(count)) for count in facts.counts.by_status.values())
    return max(_COUNT_WIDTH, 2.5 + 1.85 * longest)


def _heading(sheet: Sheet, facts: Facts) -> None:
    sheet.height(0, 9)
    sheet.text(1, 1, "Store inventory", **look.TITLE)
    sheet.height(1, 30)
    sheet.text(2, 1, facts.base_url or "Store: not recorded", **look.QUIET)
    sheet.text(3, 1, look.as_of_words(facts.as_of), **look.QUIET)


def _claim(sheet: Sheet, facts: Facts, table: CountTable) -> None:
    badge, text = look.badge_of(facts), look.claim_words(facts)
    sheet.height(_CLAIM_ROW - 1, 6)
    sheet.band(
        _CLAIM_ROW, table.name, table.share + 1 + _CHART_COLUMNS, text,
        font_color=badge.ink, bg_color=badge.fill, bold=True, indent=1,
        left=5, left_color=badge.edge,
    )  # fmt: skip
    sheet.height(_CLAIM_ROW, 15 * look.lines(text, 150) + 8)
    sheet.height(_CLAIM_ROW + 1, 9)


def _cards(sheet: Sheet, facts: Facts, table: CountTable) -> None:
    """The key figures: each stands over its column of the table, and is its total."""
    for row, points in zip(range(_CARDS_ROW, _CARDS_ROW + 3), (20, 30, 19), strict=True):
        sheet.height(row, points)
    _card(sheet, table.name, "All pets", INK)
    # The card is two columns wide; the second has no edge towards the first.
    for row, style in enumerate(({"top": 5, "top_color": INK}, {}, {})):
        sheet.blank(_CARDS_ROW + row, table.all_pets, **style, bg_color=look.BAND)
    _figure(sheet, table, table.name, table.all_pets, facts.counts.total)
    sheet.text(
        _CARDS_ROW + 2,
        table.name,
        f"in {categories_in_words(facts.counts)}",
        **_card_style(look.QUIET),
    )
    shades = facts.colours
    for col, (status, count) in enumerate(facts.counts.by_status.items(), start=table.first_status):
        _card(sheet, col, status_word(status), shades[status])
        _figure(sheet, table, col, col, count)
        _card_share(sheet, table, col, count)


def _card_style(style: dict[str, Any]) -> dict[str, Any]:
    # The white line on the left is the gap between two cards.
    gap = {"left": 5, "left_color": PAPER}
    return {**style, **gap, "bg_color": look.BAND, "indent": 1, "align": "left"}


def _card(sheet: Sheet, col: int, word: str, colour: str) -> None:
    style = _card_style({**look.QUIET, "top": 5, "top_color": colour})
    sheet.text(_CARDS_ROW, col, word, **style)


def _figure(sheet: Sheet, table: CountTable, col: int, source: int, count: StatusCount) -> None:
    number = look.count_format(is_exact=count.is_exact, zero="0")
    style = _card_style({"font_size": 18, "bold": True, "num_format": number})
    if not len(table.facts.frame):
        sheet.number(_CARDS_ROW + 1, col, count.count, **style)
    else:
        formula = f"={cell_name(table.total, source)}"
        sheet.formula(_CARDS_ROW + 1, col, formula, count.count, **style)


def _card_share(sheet: Sheet, table: CountTable, col: int, count: StatusCount) -> None:
    row, style, total = _CARDS_ROW + 2, _card_style(look.QUIET), table.facts.counts.total
    if total.is_exact and total.count:
        formula = f"={cell_name(table.total, col)}/{cell_name(table.total, table.all_pets)}"
        sheet.formula(row, col, formula, count.count / total.count, **style, num_format=look.SHARE)
    else:
        sheet.text(row, col, look.exactness(count), **style)


def _empty_state(sheet: Sheet, facts: Facts) -> None:
    text = (
        "The store holds no pets: its listing is empty."
        if facts.covers_all
        else "No pets were read, and it is not known whether the store holds any. "
        "About says what was asked."
    )
    sheet.text(_TABLE_ROW - 1, 1, text, **look.SECTION)


def _section(sheet: Sheet, table: CountTable) -> None:
    largest = f", the {table.shown} largest (By category has all)" if table.has_others else ""
    sheet.text(table.head - 1, table.name, f"Status by category{largest}", **look.SECTION)
    sheet.height(table.head - 1, 24)


def _charts(book: Book, sheet: Sheet, facts: Facts, table: CountTable) -> None:
    if facts.covers_all:
        pixels = int(7 * _count_width(facts) + 5) * (1 + len(facts.statuses))
        strip = share_strip(book, table)
        strip.set_size({"width": 7 * _NAME_WIDTH + 5 + pixels, "height": 26})
        look_of = {"description": "Shares of the statuses, as in the figures above.", "y_offset": 3}
        sheet.do("insert_chart", _CARDS_ROW + 3, table.name, strip, look_of)
        sheet.height(_CARDS_ROW + 3, 24)
    chart = category_chart(book, table)
    height = 210 + _PLAIN_ROW_PIXELS * (table.total - table.head)
    chart.set_size({"width": 64 * _CHART_COLUMNS, "height": max(300, height)})
    alt = "Pets by category and status: the numbers of the table beside it."
    sheet.do("insert_chart", _CARDS_ROW, table.share + 2, chart, {"description": alt})


def _notes(sheet: Sheet, table: CountTable, notes: list[str]) -> None:
    sentences = [table.nothing_available(), *notes]
    for row, text in enumerate(filter(None, sentences), start=table.total + 1):
        sheet.text(row, table.name, text, **look.QUIET)
