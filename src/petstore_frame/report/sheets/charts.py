"""The charts that Excel draws itself, in the colours of the palette."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts.tally import short
from petstore_frame.files import styles
from petstore_frame.files.book import FONT, Book
from petstore_frame.html.palette import INK, MUTED, PAPER, RULE
from petstore_frame.report import look
from petstore_frame.report.content import Content
from petstore_frame.report.sheets.counts import CountCells

CHARTED_CATEGORIES = 20
_TEXT = {"name": FONT, "size": styles.QUIET_SIZE, "color": INK}
_QUIET = {**_TEXT, "size": 9, "color": MUTED}
_NO_LINE = {"none": True}
_GAP = {"color": PAPER, "width": 0.5}
_GRID = {"visible": True, "line": {"color": RULE, "width": 0.5}}
_NAMES = {"reverse": True, "num_font": _TEXT, "line": {"color": RULE}, "major_tick_mark": "none"}
_HIDDEN = {"visible": False, "major_gridlines": {"visible": False}}


def category_chart(book: Book, cells: CountCells, *, is_share: bool = False) -> Any:
    """Return bars of the first 20 categories, split by status, the first row on top.

    With ``is_share`` each category is drawn as a whole, to compare the mixes.
    """
    chart = book.chart(type="bar", subtype="percent_stacked" if is_share else "stacked")
    last = min(cells.last, cells.head + CHARTED_CATEGORIES)
    names = [cells.sheet.name, cells.first, cells.name, last, cells.name]
    # A gap between the parts would swallow the smallest, so only whole bars have one.
    border = {"border": _GAP if is_share else _NO_LINE}
    _add_statuses(chart, cells, (cells.first, last), {"categories": names, "gap": 35, **border})
    drawn = last - cells.head
    largest = f", the {drawn} largest" if drawn < cells.content.counts.categories.count else ""
    read = look.reserve(is_exact=cells.content.covers_all)
    title = "Statuses within category" if is_share else "Pets by category"
    _name(chart, title + read + largest)
    chart.set_legend({"position": "top", "font": _TEXT})
    chart.set_y_axis(_NAMES)
    # The first row is on top, so the far end of the value axis is at the bottom.
    values = {"num_format": "0%" if is_share else styles.COUNT, "label_position": "high"}
    plain = {"num_font": _QUIET, "line": _NO_LINE, "major_tick_mark": "none"}
    chart.set_x_axis({**values, **plain, "major_gridlines": _GRID})
    return chart


def share_strip(book: Book, cells: CountCells) -> Any:
    """Return one bar of the statuses' shares; the figures above it are its legend."""
    chart = book.chart(type="bar", subtype="percent_stacked")
    _add_statuses(chart, cells, (cells.total, cells.total), {"gap": 0, "border": _GAP})
    chart.set_legend({"none": True})
    chart.set_x_axis(_HIDDEN)
    chart.set_y_axis(_HIDDEN)
    inside = {"x": 0.0, "y": 0.05, "width": 1.0, "height": 0.9}
    chart.set_plotarea({"layout": inside, "fill": {"none": True}})
    return chart


def status_chart(book: Book, sheet_name: str, content: Content, first_row: int) -> Any:
    """Return a bar for each status, from rows of name and count."""
    chart, last = book.chart(type="bar"), first_row + len(content.statuses) - 1
    counts = [{"value": short(count), "font": _TEXT} for count in content.counts.by_status.values()]
    chart.add_series(
        {
            "name": "Pets",
            "categories": [sheet_name, first_row, 1, last, 1],
            "values": [sheet_name, first_row, 2, last, 2],
            "points": [{"fill": {"color": shade}} for shade in content.colours.values()],
            # As the cells show them: a minimum as one.
            "data_labels": {"value": True, "custom": counts, "font": _TEXT},
            "gap": 45,
        }
    )
    _frameless(chart)
    _name(chart, f"Pets by status{look.reserve(is_exact=content.covers_all)}")
    chart.set_legend({"none": True})
    chart.set_y_axis(_NAMES)
    chart.set_x_axis(_HIDDEN)
    return chart


def _add_statuses(
    chart: Any, cells: CountCells, rows: tuple[int, int], options: dict[str, Any]
) -> None:
    for col, shade in enumerate(cells.content.colours.values(), start=cells.first_status):
        chart.add_series(
            {
                # By its cell: a status that begins with = would be taken for a formula.
                "name": [cells.sheet.name, cells.head, col],
                "values": [cells.sheet.name, rows[0], col, rows[1], col],
                "fill": {"color": shade},
                **options,
            }
        )
    _frameless(chart)


def _frameless(chart: Any) -> None:
    chart.set_chartarea({"border": _NO_LINE, "fill": {"none": True}})
    chart.set_plotarea({"fill": {"none": True}})


def _name(chart: Any, title: str) -> None:
    chart.set_title({"name": title, "name_font": {**_TEXT, "size": 12}})
