"""The first sheet: how many pets, of what category and status, and how certain that is.

It fits one screen and one landscape page.
"""

from __future__ import annotations

from petstore_frame.counts.words import categories_in_words, exactness, short
from petstore_frame.files import styles
from petstore_frame.files.book import Book, Sheet, cell_name
from petstore_frame.html.palette import BAND, INK, PAPER, status_word
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.facts import Facts
from petstore_frame.report.sheets.charts import category_chart, share_strip
from petstore_frame.report.sheets.counts import CountCells

SHOWN_CATEGORIES = 20
_VERDICT_ROW, _CARDS_ROW, _TABLE_ROW = 5, 7, 13
_NAME_WIDTH, _COUNT_WIDTH, _SHARE_WIDTH = 27, 13, 9
_CHART_COLUMNS = 8  # of Excel's usual width, 64 pixels
_PLAIN_ROW_PIXELS = 20


def write_summary(book: Book, content: Content) -> None:
    """Add the sheet, and open the workbook on it."""
    facts = content.facts
    holds = "The key figures, and status by category for the largest categories."
    store = facts.base_url or "Store: not recorded"
    widths = [2, _NAME_WIDTH, *[_count_width(facts)] * (len(facts.statuses) + 1), _SHARE_WIDTH, 3]
    sheet = look.begin(book, "Summary", holds, store, widths, title="Store inventory")
    sheet.text(3, 1, look.as_of_words(facts.as_of), **styles.QUIET)
    cells = CountCells(sheet, facts, _TABLE_ROW, top=SHOWN_CATEGORIES)
    _verdict(sheet, cells)
    _cards(sheet, cells)
    if len(facts.frame):
        largest = f", the {cells.last - cells.head} largest (By category has all)"
        title = f"Status by category{largest if cells.table.has_rest else ''}"
        sheet.text(_TABLE_ROW - 1, 1, title, **styles.SECTION)
        sheet.height(_TABLE_ROW - 1, 24)
        cells.write()
        _charts(book, sheet, cells)
        _notes(sheet, cells, content)
    else:
        text = (
            "The store holds no pets: its listing is empty."
            if facts.covers_all
            else "No pets were read, and it is not known whether the store holds any. "
            "About says what was asked."
        )
        sheet.text(_TABLE_ROW - 1, 1, text, **styles.SECTION)
    look.finish(sheet, facts, pages_high=1)
    sheet.raw.activate()


def _count_width(facts: Facts) -> float:
    """Return a width in which the largest key figure fits; Excel shows one that does not as ###."""
    longest = max(len(short(count)) for count in facts.counts.by_status.values())
    return max(_COUNT_WIDTH, 2.5 + 1.85 * longest)


def _verdict(sheet: Sheet, cells: CountCells) -> None:
    badge, text = look.badge_of(cells.facts), look.headline(cells.facts)
    sheet.height(_VERDICT_ROW - 1, 6)
    sheet.band(
        _VERDICT_ROW, cells.name, cells.all_pets + 2 + _CHART_COLUMNS, text,
        font_color=badge.ink, bg_color=badge.fill, bold=True, indent=1,
        left=5, left_color=badge.edge,
    )  # fmt: skip
    sheet.height(_VERDICT_ROW, 15 * styles.lines(text, 150) + 8)
    sheet.height(_VERDICT_ROW + 1, 9)


def _cards(sheet: Sheet, cells: CountCells) -> None:
    """The key figures: those of the statuses stand over their columns, and are their totals."""
    for row, points in zip(range(_CARDS_ROW, _CARDS_ROW + 3), (20, 30, 19), strict=True):
        sheet.height(row, points)
    facts, counts = cells.facts, cells.facts.counts
    # The white line on the left is the gap between two cards.
    card = {"left": 5, "left_color": PAPER, "bg_color": BAND, "indent": 1, "align": "left"}
    shown = [(cells.name, cells.all_pets, "All pets", INK, counts.total)]
    for col, (status, count) in enumerate(counts.by_status.items(), start=cells.first_status):
        shown.append((col, col, status_word(status), facts.colours[status], count))
    for col, source, word, colour, count in shown:
        sheet.text(_CARDS_ROW, col, word, **card, **styles.QUIET, top=5, top_color=colour)
        number = look.count_format(is_exact=count.is_exact, zero="0")
        style = {**card, "font_size": styles.FIGURE_SIZE, "bold": True, "num_format": number}
        total = cell_name(cells.total, source)
        if len(facts.frame):
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
        sheet.text(row, cells.name, text, **styles.QUIET)
