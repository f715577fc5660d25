"""The table of counts as cells, its sums live formulas, and where each part of it lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import CategoryCounts
from petstore_frame.files.book import Sheet, cell_name
from petstore_frame.html.palette import INK, status_word, tint, verdict_badge
from petstore_frame.report import look
from petstore_frame.report.facts import Facts

_BAR = tint(INK, 0.16)


@dataclass(frozen=True)
class CountCells:
    """A CountTable on a sheet, with shares at its right where every pet was read.

    Counts are numbers and not COUNTIFS over the inventory: COUNTIFS reads text ids as numbers,
    and does not distinguish ids that differ past the 15th digit.

    Attributes:
        sheet: Where it is written.
        facts: What it shows.
        head: Row of its header.
        name: Column of the categories' names.
        top: Show so many categories and the others as one row; None shows all.
        has_ids: Put the ids left of the names.
    """

    sheet: Sheet
    facts: Facts
    head: int
    name: int = 1
    top: int | None = None
    has_ids: bool = False

    @cached_property
    def table(self) -> CountTable:
        """What is shown."""
        return CountTable(self.facts.counts, self.top)

    @property
    def first(self) -> int:
        """The row of the largest category."""
        return self.head + 1

    @property
    def last(self) -> int:
        """The last row of a single category."""
        return self.head + len(self.table.lines) - self.table.has_rest

    @property
    def total(self) -> int:
        """The row of the sums."""
        return self.head + len(self.table.lines) + 1

    @property
    def first_status(self) -> int:
        """The column of the first status."""
        return self.name + 1

    @property
    def all_pets(self) -> int:
        """The column of the categories' totals."""
        return self.first_status + len(self.facts.statuses)

    @property
    def last_column(self) -> int:
        """The last column: the shares where they are known."""
        return self.all_pets + self.facts.covers_all

    def write(self) -> None:
        """Put the cells and the marks on the sheet."""
        self._write_head()
        for row, line in enumerate(self.table.lines, start=self.first):
            self._write_row(row, line)
        self._write_total()
        self._mark_rows()

    def _write_head(self) -> None:
        sheet, right = self.sheet, {**look.HEAD, **look.RIGHT}
        sheet.height(self.head, 20)
        if self.has_ids:
            sheet.text(self.head, self.name - 1, "Category ID", **look.HEAD)
        sheet.text(self.head, self.name, "Category", **look.HEAD)
        shades = self.facts.colours
        for col, status in enumerate(self.facts.statuses, start=self.first_status):
            sheet.text(
                self.head, col, status_word(status), **{**right, "bottom_color": shades[status]}
            )
        sheet.text(self.head, self.all_pets, "All pets", **right)
        if self.facts.covers_all:
            sheet.text(self.head, self.last_column, "Share", **right)

    def _write_row(self, row: int, line: CategoryCounts) -> None:
        sheet = self.sheet
        style = {**look.BODY, "italic": True} if line.is_rest else look.BODY
        if self.has_ids and line.category_id is not None:
            sheet.whole(row, self.name - 1, line.category_id, **style)
        elif self.has_ids:
            sheet.text(row, self.name - 1, "–", **style)
        sheet.text(row, self.name, line.label, **style)
        cells = zip(self.facts.statuses, line.counts, strict=True)
        for col, (status, count) in enumerate(cells, start=self.first_status):
            zero = "none" if status == "available" else "–"
            number = look.count_format(is_exact=count.is_exact, zero=zero)
            sheet.number(row, col, count.count, **style, num_format=number)
        across = self._sum((row, self.first_status), (row, self.all_pets - 1))
        number = look.count_format(is_exact=line.total.is_exact)
        sheet.formula(row, self.all_pets, across, line.total.count, **style, num_format=number)
        if self.facts.covers_all:
            whole = cell_name(self.total, self.all_pets, is_fixed=True)
            formula = f"={cell_name(row, self.all_pets)}/{whole}"
            share = line.total.count / len(self.facts.frame)
            sheet.formula(row, self.last_column, formula, share, **style, num_format=look.SHARE)

    def _write_total(self) -> None:
        sheet = self.sheet
        sheet.height(self.total, 20)
        if self.has_ids:
            sheet.blank(self.total, self.name - 1, **look.TOTAL)
        sheet.text(self.total, self.name, "All categories", **look.TOTAL)
        for col, count in enumerate(self.table.sums.cells, start=self.first_status):
            formula = self._sum((self.first, col), (self.total - 1, col))
            number = look.count_format(is_exact=count.is_exact)
            sheet.formula(self.total, col, formula, count.count, **look.TOTAL, num_format=number)
        if self.facts.covers_all:
            col = self.last_column
            formula = self._sum((self.first, col), (self.total - 1, col))
            sheet.formula(self.total, col, formula, 1, **look.TOTAL, num_format=look.SHARE)

    def _mark_rows(self) -> None:
        """Bars behind the totals, and a mark on each category with nothing available."""
        self.sheet.do(
            "conditional_format",
            self.first, self.all_pets, self.last, self.all_pets,
            {
                "type": "data_bar", "bar_color": _BAR, "bar_border_color": _BAR,
                "bar_solid": True, "min_type": "num", "min_value": 0,
            },
        )  # fmt: skip
        if not self.facts.counts.by_status["available"].is_exact:
            return
        badge = verdict_badge("incomplete")
        mark = self.sheet.book.workbook.add_format(
            {"bg_color": badge.fill, "font_color": badge.ink}
        )
        self.sheet.do(
            "conditional_format",
            self.first, self.first_status, self.last, self.first_status,
            {"type": "cell", "criteria": "==", "value": 0, "format": mark},
        )  # fmt: skip

    @staticmethod
    def _sum(first: tuple[int, int], last: tuple[int, int]) -> str:
        return f"=SUM({cell_name(*first)}:{cell_name(*last)})"
