"""The table of counts as cells, its sums live formulas, and where each part of it lies."""

from __future__ import annotations

from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import CategoryCounts
from petstore_frame.files import styles
from petstore_frame.files.book import Sheet, cell_name
from petstore_frame.html.palette import INK, status_word, tint, verdict_badge
from petstore_frame.report import look
from petstore_frame.report.content import Content

_BAR = tint(INK, 0.16)


class CountCells:
    """A CountTable on a sheet, with shares at its right where every pet was read.

    Counts are numbers and not COUNTIFS over the inventory: COUNTIFS reads text ids as numbers,
    and does not distinguish ids that differ past the 15th digit.

    ``head``, ``first``, ``last`` and ``total`` are the rows of its header, of the largest and the
    smallest category shown by itself, and of the sums; ``name``, ``first_status``, ``all_pets``
    and ``last_column`` are columns. The ids stand left of the names.
    """

    def __init__(
        self,
        sheet: Sheet,
        content: Content,
        head: int,
        *,
        name: int = 1,
        top: int | None = None,
        has_ids: bool = False,
    ) -> None:
        self.sheet, self.content, self.head, self.name = sheet, content, head, name
        self._has_ids = has_ids
        self.table = CountTable(content.counts, top)
        self.first = head + 1
        self.last = head + len(self.table.lines) - self.table.has_rest
        self.total = head + len(self.table.lines) + 1
        self.first_status = name + 1
        self.all_pets = self.first_status + len(content.statuses)
        self.last_column = self.all_pets + content.covers_all

    def write(self) -> None:
        """Put the cells and the marks on the sheet."""
        self._write_head()
        for row, line in enumerate(self.table.lines, start=self.first):
            self._write_row(row, line)
        self._write_total()
        self._mark_rows()

    def _write_head(self) -> None:
        sheet, right = self.sheet, {**styles.HEAD, **styles.RIGHT}
        sheet.height(self.head, 20)
        if self._has_ids:
            sheet.text(self.head, self.name - 1, "Category ID", **styles.HEAD)
        sheet.text(self.head, self.name, "Category", **styles.HEAD)
        colours = self.content.colours.items()
        for col, (status, shade) in enumerate(colours, start=self.first_status):
            sheet.text(self.head, col, status_word(status), **{**right, "bottom_color": shade})
        sheet.text(self.head, self.all_pets, "All pets", **right)
        if self.content.covers_all:
            sheet.text(self.head, self.last_column, "Share", **right)

    def _write_row(self, row: int, line: CategoryCounts) -> None:
        sheet = self.sheet
        style = {**styles.BODY, "italic": True} if line.is_rest else styles.BODY
        if self._has_ids and line.category_id is not None:
            sheet.whole(row, self.name - 1, line.category_id, **style)
        elif self._has_ids:
            sheet.text(row, self.name - 1, "–", **style)
        sheet.text(row, self.name, line.label, **style)
        cells = zip(self.content.statuses, line.counts, strict=True)
        for col, (status, count) in enumerate(cells, start=self.first_status):
            zero = "none" if status == "available" else "–"
            number = look.count_format(is_exact=count.is_exact, zero=zero)
            sheet.number(row, col, count.count, **style, num_format=number)
        across = _sum((row, self.first_status), (row, self.all_pets - 1))
        number = look.count_format(is_exact=line.total.is_exact)
        sheet.formula(row, self.all_pets, across, line.total.count, **style, num_format=number)
        if self.content.covers_all:
            whole = cell_name(self.total, self.all_pets, is_fixed=True)
            formula = f"={cell_name(row, self.all_pets)}/{whole}"
            share = line.total.count / len(self.content.frame)
            sheet.formula(row, self.last_column, formula, share, **style, num_format=styles.SHARE)

    def _write_total(self) -> None:
        sheet = self.sheet
        sheet.height(self.total, 20)
        if self._has_ids:
            sheet.blank(self.total, self.name - 1, **styles.TOTAL)
        sheet.text(self.total, self.name, "All categories", **styles.TOTAL)
        sums = [
            (count.count, look.count_format(is_exact=count.is_exact))
            for count in self.table.sums.cells
        ]
        if self.content.covers_all:
            sums.append((1, styles.SHARE))
        for col, (value, number) in enumerate(sums, start=self.first_status):
            formula = _sum((self.first, col), (self.total - 1, col))
            sheet.formula(self.total, col, formula, value, **styles.TOTAL, num_format=number)

    def _mark_rows(self) -> None:
        """Bars behind the totals, and a mark on each category with nothing available."""
        bars = {
            "type": "data_bar", "bar_color": _BAR, "bar_border_color": _BAR, "bar_solid": True,
            "min_type": "num", "min_value": 0,
        }  # fmt: skip
        self._mark(self.all_pets, bars)
        if self.content.counts.by_status["available"].is_exact:
            badge = verdict_badge("incomplete")
            colours = {"bg_color": badge.fill, "font_color": badge.ink}
            mark = self.sheet.book.workbook.add_format(colours)
            self._mark(
                self.first_status, {"type": "cell", "criteria": "==", "value": 0, "format": mark}
            )

    def _mark(self, col: int, options: dict[str, object]) -> None:
        self.sheet.do("conditional_format", self.first, col, self.last, col, options)


def _sum(first: tuple[int, int], last: tuple[int, int]) -> str:
    return f"=SUM({cell_name(*first)}:{cell_name(*last)})"
