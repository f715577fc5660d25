"""The charts that Excel draws itself, in the colours of the palette.

In: where the numbers lie on a sheet. Out: charts to place on it.
"""

from __future__ import annotations

from typing import Any

from petstore_frame.palette import INK, MUTED, RULE, status_word
from petstore_frame.report import look
from petstore_frame.report.book import FONT, Book, Sheet
from petstore_frame.report.facts import Facts

_TEXT = {"name": FONT, "size": 10, "color": INK}
_NO_LINE = {"none": True}
_GAP = {"color": "#FFFFFF", "width": 0.75}


def category_chart(
    book: Book, sheet: Sheet, facts: Facts, *, rows: tuple[int, int], name_col: int, first_col: int
) -> Any:
    """Return bars of the categories, split by status, the first row on top."""
    chart = book.chart(type="bar", subtype="stacked")
    colours = look.colours(facts.statuses)
    for offset, status in enumerate(facts.statuses):
        col = first_col + offset
        chart.add_series(
            {
                "name": status_word(status),
                "categories": [sheet.name, rows[0], name_col, rows[1], name_col],
                "values": [sheet.name, rows[0], col, rows[1], col],
                "fill": {"color": colours[status]},
                "border": _GAP,
                "gap": 35,
            }
        )
    _frameless(chart)
    shown = rows[1] - rows[0] + 1
    largest = f", the {shown} largest" if shown < len(facts.counts) else ""
    title = {"name": f"Pets by category{largest}", "name_font": {**_TEXT, "size": 12}}
    chart.set_title(title)
    chart.set_legend({"position": "top", "font": _TEXT})
    chart.set_y_axis(
        {"reverse": True, "num_font": _TEXT, "line": {"color": RULE}, "major_tick_mark": "none"}
    )
    chart.set_x_axis(
        {
            "num_font": {**_TEXT, "color": MUTED, "size": 9},
            "num_format": "#,##0",
            "major_gridlines": {"visible": True, "line": {"color": RULE, "width": 0.5}},
            "line": _NO_LINE,
            "label_position": "high",
            "major_tick_mark": "none",
        }
    )
    return chart


def share_strip(book: Book, sheet: Sheet, facts: Facts, row: int, first_col: int) -> Any:
    """Return one bar of the statuses' shares; the cards above it are its legend."""
    chart = book.chart(type="bar", subtype="percent_stacked")
    colours = look.colours(facts.statuses)
    for offset, status in enumerate(facts.statuses):
        col = first_col + offset
        chart.add_series(
            {
                "name": status_word(status),
                "values": [sheet.name, row, col, row, col],
                "fill": {"color": colours[status]},
                "border": _GAP,
                "gap": 0,
            }
        )
    _frameless(chart)
    chart.set_legend({"none": True})
    chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    chart.set_y_axis({"visible": False, "major_gridlines": {"visible": False}})
    chart.set_plotarea({"layout": {"x": 0.0, "y": 0.05, "width": 1.0, "height": 0.9}})
    return chart


def _frameless(chart: Any) -> None:
    chart.set_chartarea({"border": _NO_LINE, "fill": {"none": True}})
    chart.set_plotarea({"fill": {"none": True}})
