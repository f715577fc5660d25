"""The first sheet: how much is there, of what, and how sure is that.

In: Facts. Out: a sheet that fits one screen and one landscape page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petstore_frame.palette import INK, status_word, tint, verdict_badge
from petstore_frame.report import look
from petstore_frame.report.book import Book, Sheet, cell_name
from petstore_frame.report.facts import Facts
from petstore_frame.report.native_charts import category_chart, share_strip

SHOWN_CATEGORIES = 20
NAME, ALL, FIRST_STATUS = 1, 2, 3
CLAIM_ROW = 5
CARDS_ROW = 7
TABLE_ROW = 13
BAR = tint(INK, 0.16)


@dataclass(frozen=True)
class Place:
    """Where the table of the sheet lies.

    Attributes:
        first: First row of categories.
        last: Last row of single categories; before ``first`` when there are none.
        total: Row of the totals.
        share: Column of the shares.
    """

    first: int
    last: int
    total: int
    share: int


def write_summary(book: Book, facts: Facts) -> None:
    """Add the sheet."""
    sheet = book.sheet("Summary")
    place = _place(facts)
    _columns(sheet, place)
    _heading(sheet, facts, place)
    _claim(sheet, facts, place)
    _cards(sheet, facts, place)
    if facts.counts.empty:
        _empty_state(sheet, facts)
    else:
        _table(sheet, facts, place)
        _marks(sheet, facts, place)
        _charts(book, sheet, facts, place)
    sheet.finish()
    sheet.raw.hide_gridlines(2)
    look.set_up_print(sheet, facts, pages_high=1)
    sheet.raw.activate()


def _place(facts: Facts) -> Place:
    shown = min(len(facts.counts), SHOWN_CATEGORIES)
    first = TABLE_ROW + 1
    has_rest = len(facts.counts) > shown
    return Place(
        first=first,
        last=first + shown - 1,
        total=first + shown + has_rest,
        share=FIRST_STATUS + len(facts.statuses),
    )


def _columns(sheet: Sheet, place: Place) -> None:
    sheet.raw.set_column(0, 0, 2)
    sheet.raw.set_column(NAME, NAME, 27)
    sheet.raw.set_column(ALL, place.share - 1, 13)
    sheet.raw.set_column(place.share, place.share, 9)
    sheet.raw.set_column(place.share + 1, place.share + 1, 3)


def _heading(sheet: Sheet, facts: Facts, place: Place) -> None:
    sheet.height(0, 9)
    sheet.text(1, NAME, "Store inventory", **look.TITLE)
    sheet.height(1, 30)
    sheet.text(2, NAME, facts.base_url or "Store: not recorded", **look.QUIET)
    sheet.text(3, NAME, look.as_of_words(facts.as_of), **look.QUIET)


def _claim(sheet: Sheet, facts: Facts, place: Place) -> None:
    badge = look.badge_of(facts)
    sentence = facts.claim_sentence
    text = sentence[:1].upper() + sentence[1:] + "."
    if not facts.covers_all:
        text += " Counts marked ≥ are minimums: the store may hold more."
    sheet.height(CLAIM_ROW - 1, 6)
    sheet.band(
        CLAIM_ROW, NAME, place.share + 9, text,
        font_color=badge.ink, bg_color=badge.fill, bold=True, indent=1,
        left=5, left_color=badge.edge,
    )  # fmt: skip
    sheet.height(CLAIM_ROW, 15 * max(1, -(-len(text) // 150)) + 8)
    sheet.height(CLAIM_ROW + 1, 9)


def _cards(sheet: Sheet, facts: Facts, place: Place) -> None:
    """The key figures; each stands over its column of the table, and is its total."""
    totals = facts.counts.sum()
    categories = len(facts.counts)
    _card(sheet, NAME, "All pets", INK)
    _figure(sheet, facts, place, NAME, ALL, int(totals.sum()), is_exact=facts.covers_all)
    words = "1 category" if categories == 1 else f"{categories:,} categories"
    sheet.text(CARDS_ROW + 2, NAME, f"in {words}", **_card_cell(look.QUIET))
    _card(sheet, ALL, "", INK)
    colours = look.colours(facts.statuses)
    for offset, status in enumerate(facts.statuses):
        col, count = FIRST_STATUS + offset, int(totals[status])
        is_exact = facts.is_exact(status)
        _card(sheet, col, status_word(status), colours[status])
        _figure(sheet, facts, place, col, col, count, is_exact=is_exact)
        share = count / len(facts.frame) if len(facts.frame) else None
        _card_share(sheet, facts, place, col, share, is_exact=is_exact)


def _card_cell(style: dict[str, Any]) -> dict[str, Any]:
    # The white line on the left is the gap between two cards.
    return {**style, "bg_color": look.BAND, "left": 5, "left_color": "#FFFFFF", "indent": 1}


def _card(sheet: Sheet, col: int, word: str, colour: str) -> None:
    style = {**look.QUIET, "top": 5, "top_color": colour}
    is_left = col != ALL
    plain = {"bg_color": look.BAND}
    sheet.text(CARDS_ROW, col, word, **(_card_cell(style) if is_left else {**style, **plain}))
    for row in (CARDS_ROW + 1, CARDS_ROW + 2):
        sheet.blank(row, col, **(_card_cell({}) if is_left else plain))
    for row, points in zip(range(CARDS_ROW, CARDS_ROW + 3), (20, 30, 19), strict=True):
        sheet.height(row, points)


def _figure(
    sheet: Sheet, facts: Facts, place: Place, col: int, source: int, count: int, *, is_exact: bool
) -> None:
    style = _card_cell(
        {
            "font_size": 18,
            "bold": True,
            "align": "left",
            "num_format": "#,##0" if is_exact else look.AT_LEAST,
        }
    )
    if facts.counts.empty:
        sheet.number(CARDS_ROW + 1, col, count, **style)
    else:
        formula = f"={cell_name(place.total, source)}"
        sheet.formula(CARDS_ROW + 1, col, formula, count, **style)


def _card_share(
    sheet: Sheet, facts: Facts, place: Place, col: int, share: float | None, *, is_exact: bool
) -> None:
    row, style = CARDS_ROW + 2, _card_cell({**look.QUIET, "align": "left"})
    if facts.covers_all and share is not None:
        formula = f"={cell_name(place.total, col)}/{cell_name(place.total, ALL)}"
        sheet.formula(row, col, formula, share, **{**style, "num_format": look.SHARE})
    else:
        sheet.text(row, col, "exact" if is_exact else "at least", **style)


def _empty_state(sheet: Sheet, facts: Facts) -> None:
    text = (
        "The store holds no pets: its listing is empty."
        if facts.covers_all
        else "No pets were read, and whether the store holds any is not known. "
        "See About for what was asked."
    )
    sheet.text(TABLE_ROW, NAME, text, **look.SECTION)


def _table(sheet: Sheet, facts: Facts, place: Place) -> None:
    rest = len(facts.counts) - SHOWN_CATEGORIES
    title = "Status by category" + (f", the {SHOWN_CATEGORIES} largest" if rest > 0 else "")
    sheet.text(TABLE_ROW - 1, NAME, title, **look.SECTION)
    sheet.height(TABLE_ROW - 1, 24)
    _table_head(sheet, facts, place)
    shown = facts.counts.head(SHOWN_CATEGORIES)
    for offset, (category_id, row) in enumerate(shown.iterrows()):
        label = facts.label(int(str(category_id)))
        _table_row(sheet, facts, place, place.first + offset, label, [int(n) for n in row])
    if rest > 0:
        others = [int(n) for n in facts.counts.iloc[SHOWN_CATEGORIES:].sum()]
        name = f"{rest:,} other categories (see By category)"
        _table_row(sheet, facts, place, place.last + 1, name, others, font_color="#5F6B7A")
    _table_total(sheet, facts, place)


def _table_head(sheet: Sheet, facts: Facts, place: Place) -> None:
    sheet.height(TABLE_ROW, 20)
    sheet.text(TABLE_ROW, NAME, "Category", **look.HEAD)
    sheet.text(TABLE_ROW, ALL, "All pets", **look.HEAD, align="right")
    colours = look.colours(facts.statuses)
    for offset, status in enumerate(facts.statuses):
        style = look.head_of(colours[status])
        sheet.text(TABLE_ROW, FIRST_STATUS + offset, status_word(status), **style)
    if facts.covers_all:
        sheet.text(TABLE_ROW, place.share, "Share", **look.HEAD, align="right")


def _table_row(
    sheet: Sheet, facts: Facts, place: Place, row: int, label: str, counts: list[int], **style: Any
) -> None:
    look_of = {**look.BODY, **style}
    sheet.text(row, NAME, label, **look_of)
    everything = f"=SUM({cell_name(row, FIRST_STATUS)}:{cell_name(row, place.share - 1)})"
    number = look.count_format(is_exact=facts.covers_all)
    sheet.formula(row, ALL, everything, sum(counts), **look_of, num_format=number)
    for offset, (status, count) in enumerate(zip(facts.statuses, counts, strict=True)):
        zero = "none" if status == "available" else "–"
        number = look.count_format(is_exact=facts.is_exact(status), zero=zero)
        sheet.number(row, FIRST_STATUS + offset, count, **look_of, num_format=number)
    if facts.covers_all:
        share = f"={cell_name(row, ALL)}/{cell_name(place.total, ALL, is_fixed=True)}"
        value = sum(counts) / len(facts.frame)
        sheet.formula(row, place.share, share, value, **look_of, num_format=look.SHARE)


def _marks(sheet: Sheet, facts: Facts, place: Place) -> None:
    """Bars behind the sums, and a mark on each category with nothing available."""
    body = (place.first, place.total - 1)
    sheet.raw.conditional_format(
        body[0], ALL, body[1], ALL,
        {
            "type": "data_bar", "bar_color": BAR, "bar_solid": True, "min_type": "num",
            "min_value": 0, "bar_border_color": BAR,
        },
    )  # fmt: skip
    if not facts.is_exact("available"):
        return
    badge = verdict_badge("incomplete")
    mark = sheet.book.workbook.add_format({"bg_color": badge.fill, "font_color": badge.ink})
    sheet.raw.conditional_format(
        body[0], FIRST_STATUS, body[1], FIRST_STATUS,
        {"type": "cell", "criteria": "==", "value": 0, "format": mark},
    )  # fmt: skip
    without = int((facts.counts["available"] == 0).sum())
    if without:
        of = f"{without:,} of {len(facts.counts):,} categories"
        sheet.text(place.total + 1, NAME, f"none: nothing available, in {of}", **look.QUIET)


def _charts(book: Book, sheet: Sheet, facts: Facts, place: Place) -> None:
    strip = share_strip(book, sheet, facts, place.total, FIRST_STATUS)
    strip.set_size({"width": 194 + 96 * (1 + len(facts.statuses)), "height": 26})
    alt = "Shares of the statuses, as in the figures above."
    sheet.height(CARDS_ROW + 3, 24)
    sheet.raw.insert_chart(CARDS_ROW + 3, NAME, strip, {"description": alt, "y_offset": 3})
    chart = category_chart(
        book, sheet, facts, rows=(place.first, place.last), name_col=NAME, first_col=FIRST_STATUS
    )
    rows = place.total - TABLE_ROW
    chart.set_size({"width": 512, "height": max(330, 190 + 20 * rows)})
    alt = "Pets by category and status, the same numbers as in the table beside it."
    sheet.raw.insert_chart(CARDS_ROW, place.share + 2, chart, {"description": alt})


def _table_total(sheet: Sheet, facts: Facts, place: Place) -> None:
    totals = facts.counts.sum()
    sheet.height(place.total, 20)
    sheet.text(place.total, NAME, "All categories", **look.TOTAL)
    values = [(ALL, int(totals.sum()), facts.covers_all)]
    for offset, status in enumerate(facts.statuses):
        values.append((FIRST_STATUS + offset, int(totals[status]), facts.is_exact(status)))
    for col, value, is_exact in values:
        total = f"=SUM({cell_name(place.first, col)}:{cell_name(place.total - 1, col)})"
        number = look.count_format(is_exact=is_exact)
        sheet.formula(place.total, col, total, value, **look.TOTAL, num_format=number)
    if facts.covers_all:
        style = {**look.TOTAL, "num_format": look.SHARE}
        first, last = cell_name(place.first, place.share), cell_name(place.total - 1, place.share)
        sheet.formula(place.total, place.share, f"=SUM({first}:{last})", 1, **style)
