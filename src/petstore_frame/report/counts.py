"""The table of counts as cells, its sums live formulas, and the chart that Excel draws of it."""

from __future__ import annotations

from typing import Any

from petstore_frame.counts import Line
from petstore_frame.files import Sheet, styles
from petstore_frame.markup import palette, status_word
from petstore_frame.report import layout
from petstore_frame.report.content import Content

CHARTED_CATEGORIES = 20
_TEXT = {"name": styles.FONT, "size": styles.QUIET_SIZE, "color": palette.INK}
_QUIET = {**_TEXT, "size": 9, "color": palette.MUTED}
_NO_LINE = {"none": True}
_GRID = {"visible": True, "line": {"color": palette.RULE, "width": 0.5}}
_NAMES = {
    "reverse": True,
    "num_font": _TEXT,
    "line": {"color": palette.RULE},
    "major_tick_mark": "none",
}


class CountCells:
    """A Summary on a sheet, with shares at its right where every pet was read.

    Counts are numbers and not COUNTIFS over the inventory: COUNTIFS reads text ids as numbers,
    and does not distinguish ids that differ past the 15th digit.

    ``head``, ``first``, ``last`` and ``total`` are the rows of its header, of the largest and the
    smallest category shown by itself, and of the sums; ``name``, ``first_status``, ``pets``
    and ``last_column`` are columns. The ids, if wanted, stand left of the names.
    """

    def __init__(
        self, sheet: Sheet, content: Content, head: int, *, top: int | None, has_ids: bool = False
    ) -> None:
        self.sheet, self.content, self.head, self._has_ids = sheet, content, head, has_ids
        self.lines = content.counts.largest(top)
        self._may_alarm = bool(content.counts.nothing_available())
        self.has_rest = bool(self.lines) and self.lines[-1].is_rest
        self.first = head + 1
        self.last = head + len(self.lines) - self.has_rest
        self.total = head + len(self.lines) + 1
        self.name = 1 + has_ids
        self.first_status = self.name + 1
        self.pets = self.first_status + len(content.counts.statuses)
        self.last_column = self.pets + content.has_shares

    def write(self) -> None:
        """Put the cells and the marks on the sheet."""
        sheet, right = self.sheet, {**styles.HEAD, **styles.RIGHT}
        sheet.height(self.head, 20)
        if self._has_ids:
            sheet.cell(self.head, self.name - 1, "Category ID", **styles.HEAD)
        sheet.cell(self.head, self.name, "Category", **styles.HEAD)
        colours = self.content.colours.items()
        for col, (status, shade) in enumerate(colours, start=self.first_status):
            sheet.cell(self.head, col, status_word(status), **{**right, "bottom_color": shade})
        sheet.cell(self.head, self.pets, "Pets", **right)
        if self.content.has_shares:
            sheet.cell(self.head, self.last_column, "Share", **right)
        for row, line in enumerate(self.lines, start=self.first):
            self._write_row(row, line)
        self._write_total()
        self._mark_rows()

    def _write_row(self, row: int, line: Line) -> None:
        sheet = self.sheet
        style = {**styles.BODY, "italic": True} if line.is_rest else styles.BODY
        if self._has_ids and line.category_id is not None:
            sheet.cell(row, self.name - 1, line.category_id, **style, **styles.ID)
        elif self._has_ids:
            sheet.cell(row, self.name - 1, "–", **style)
        sheet.cell(row, self.name, line.label, **style)
        cells = zip(self.content.counts.statuses, line.counts, strict=True)
        for col, (status, count) in enumerate(cells, start=self.first_status):
            zero = "none" if status == "available" and self._may_alarm else "–"
            number = layout.count_format(count, zero=zero)
            sheet.cell(row, col, count.count, **style, num_format=number)
        across = (
            f"=SUM({Sheet.cell_name(row, self.first_status)}:{Sheet.cell_name(row, self.pets - 1)})"
        )
        number = layout.count_format(line.total, zero="–")
        sheet.formula(row, self.pets, across, line.total.count, **style, num_format=number)
        if self.content.has_shares:
            share = line.total.count / self.content.counts.total.count
            sheet.cell(row, self.last_column, share, **style, num_format=styles.SHARE)

    def _write_total(self) -> None:
        sheet, cells = self.sheet, self.content.counts.sums.cells
        sheet.height(self.total, 20)
        if self._has_ids:
            sheet.cell(self.total, self.name - 1, None, **styles.TOTAL)
        sheet.cell(self.total, self.name, "Sum", **styles.TOTAL)
        sums: list[tuple[float, str]] = [
            (each.count, layout.count_format(each, zero="–")) for each in cells
        ]
        if self.content.has_shares:
            sums.append((1, styles.SHARE))
        for col, (value, number) in enumerate(sums, start=self.first_status):
            formula = (
                f"=SUM({Sheet.cell_name(self.first, col)}:{Sheet.cell_name(self.total - 1, col)})"
            )
            sheet.formula(self.total, col, formula, value, **styles.TOTAL, num_format=number)

    def _mark_rows(self) -> None:
        """Mark each category with nothing available."""
        if self._may_alarm:
            badge = palette.verdict_badge("incomplete")
            colours = {"bg_color": badge.fill, "font_color": badge.ink}
            mark = self.sheet.book.workbook.add_format(colours)
            zero = {"type": "cell", "criteria": "==", "value": 0, "format": mark}
            place = (self.first, self.first_status, self.last, self.first_status)
            self.sheet.do("conditional_format", *place, zero)


def category_chart(cells: CountCells) -> Any:
    """Return bars of the first 20 categories, split by status, the first row on top."""
    sheet = cells.sheet
    last = min(cells.last, cells.head + CHARTED_CATEGORIES)
    colours = enumerate(cells.content.colours.values(), start=cells.first_status)
    series = [
        {
            # By its cell: a status that begins with = would be taken for a formula.
            "name": [sheet.name, cells.head, col],
            "categories": [sheet.name, cells.first, cells.name, last, cells.name],
            "values": [sheet.name, cells.first, col, last, col],
            "fill": {"color": shade},
            "border": _NO_LINE,  # a gap between the parts would swallow the smallest
            "gap": 35,
        }
        for col, shade in colours
    ]
    chart = sheet.book.workbook.add_chart({"type": "bar", "subtype": "stacked"})
    for each in series:
        chart.add_series(each)
    drawn = last - cells.head
    largest = f", the {drawn} largest" if drawn < cells.content.counts.categories.count else ""
    title = f"Pets by category{layout.caveat(cells.content)}{largest}"
    chart.set_title({"name": title, "name_font": {**_TEXT, "size": 12}})
    chart.set_chartarea({"border": _NO_LINE, "fill": {"none": True}})
    chart.set_plotarea({"fill": {"none": True}})
    chart.set_y_axis(_NAMES)
    chart.set_legend({"position": "top", "font": _TEXT})
    # The first row is on top, so the far end of the value axis is at the bottom.
    values = {"num_format": styles.COUNT, "label_position": "high"}
    plain = {"num_font": _QUIET, "line": _NO_LINE, "major_tick_mark": "none"}
    chart.set_x_axis({**values, **plain, "major_gridlines": _GRID})
    return chart
