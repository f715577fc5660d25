"""Status by category as a table on a sheet, its sums live formulas.

In: Facts and a place. Out: cells, bars and marks; and where each part of the table lies, for the
charts and figures that stand on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from petstore_frame.counts.tally import CategoryCounts
from petstore_frame.files.book import Sheet, cell_name
from petstore_frame.report import look
from petstore_frame.report.facts import Facts
from petstore_frame.schema.palette import INK, status_word, tint, verdict_badge

_BAR = tint(INK, 0.16)


@dataclass(frozen=True)
class CountTable:
    """A table of counts: one row per category, one column per status, sums at both edges.

    Counts are numbers and not COUNTIFS over the inventory: COUNTIFS reads text ids as numbers,
    and does not distinguish ids that differ past the 15th digit.

    Attributes:
        sheet: Where it is written.
        facts: What it shows.
        head: Row of its header.
        name: Column of the categories' names.
        most: Show so many categories and the others as one row; None shows all.
        has_ids: Put the ids, as text, left of the names.
    """

    sheet: Sheet
    facts: Facts
    head: int
    name: int = 1
    most: int | None = None
    has_ids: bool = False

    @cached_property
    def lines(self) -> list[CategoryCounts]:
        """The categories with a row of their own, largest first, then the others as one."""
        return self.facts.counts.largest(self.most)

    @property
    def has_others(self) -> bool:
        """Whether some categories share the last row."""
        return bool(self.lines) and self.lines[-1].is_rest

    @property
    def shown(self) -> int:
        """How many categories have a row of their own."""
        return len(self.lines) - self.has_others

    @property
    def first(self) -> int:
        return self.head + 1

    @property
    def last(self) -> int:
        """The last row of a single category."""
        return self.head + self.shown

    @property
    def total(self) -> int:
        return self.head + len(self.lines) + 1

    @property
    def all_pets(self) -> int:
        return self.name + 1

    @property
    def first_status(self) -> int:
        return self.name + 2

    @property
    def share(self) -> int:
        return self.first_status + len(self.facts.statuses)

    def write(self) -> None:
        """Put the cells and the marks on the sheet."""
        self._write_head()
        for row, line in enumerate(self.lines, start=self.first):
            self._write_row(row, line)
        self._write_total()
        self._mark_rows()

    def _write_head(self) -> None:
        sheet, right = self.sheet, {**look.HEAD, "align": "right"}
        sheet.height(self.head, 20)
        if self.has_ids:
            sheet.text(self.head, self.name - 1, "Category ID", **look.HEAD)
        sheet.text(self.head, self.name, "Category", **look.HEAD)
        sheet.text(self.head, self.all_pets, "All pets", **right)
        shades = self.facts.colours
        for offset, status in enumerate(self.facts.statuses):
            style = {**right, "bottom_color": shades[status]}
            sheet.text(self.head, self.first_status + offset, status_word(status), **style)
        if self.facts.covers_all:
            sheet.text(self.head, self.share, "Share", **right)

    def _write_row(self, row: int, line: CategoryCounts) -> None:
        sheet = self.sheet
        style = {**look.BODY, "italic": True} if line.is_rest else look.BODY
        if self.has_ids:
            category_id = "–" if line.category_id is None else str(line.category_id)
            sheet.text(row, self.name - 1, category_id, **style, num_format="@")
        sheet.text(row, self.name, line.label, **style)
        across = self._sum((row, self.first_status), (row, self.share - 1))
        number = look.count_format(is_exact=line.total.is_exact)
        sheet.formula(row, self.all_pets, across, line.total.count, **style, num_format=number)
        cells = enumerate(zip(self.facts.statuses, line.counts, strict=True), self.first_status)
        for col, (status, count) in cells:
            zero = "none" if status == "available" else "–"
            number = look.count_format(is_exact=count.is_exact, zero=zero)
            sheet.number(row, col, count.count, **style, num_format=number)
        if self.facts.covers_all:
            whole = cell_name(self.total, self.all_pets, is_fixed=True)
            formula = f"={cell_name(row, self.all_pets)}/{whole}"
            share = line.total.count / len(self.facts.frame)
            sheet.formula(row, self.share, formula, share, **style, num_format=look.SHARE)

    def _write_total(self) -> None:
        sheet, counts = self.sheet, self.facts.counts
        sheet.height(self.total, 20)
        if self.has_ids:
            sheet.blank(self.total, self.name - 1, **look.TOTAL)
        sheet.text(self.total, self.name, "All categories", **look.TOTAL)
        sums = (counts.total, *counts.by_status.values())
        for col, count in enumerate(sums, start=self.all_pets):
            formula = self._sum((self.first, col), (self.total - 1, col))
            number = look.count_format(is_exact=count.is_exact)
            sheet.formula(self.total, col, formula, count.count, **look.TOTAL, num_format=number)
        if self.facts.covers_all:
            formula = self._sum((self.first, self.share), (self.total - 1, self.share))
            sheet.formula(self.total, self.share, formula, 1, **look.TOTAL, num_format=look.SHARE)

    def _mark_rows(self) -> None:
        """Bars behind the sums, and a mark on each category with nothing available."""
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

    def nothing_available(self) -> str | None:
        """Return how many categories have nothing available, or None when that is not known."""
        if not self.facts.counts.by_status["available"].is_exact:
            return None
        counts = self.facts.counts
        column = counts.cells[:, counts.statuses.index("available")]
        without = counts.count_categories(column == 0, is_exact=counts.is_exact)
        if not without.count:
            return None
        return f"none: nothing available, in {without} of {counts.categories} categories"

    @staticmethod
    def _sum(first: tuple[int, int], last: tuple[int, int]) -> str:
        return f"=SUM({cell_name(*first)}:{cell_name(*last)})"
