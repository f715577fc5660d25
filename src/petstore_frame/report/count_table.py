"""Status by category as a table on a sheet, its sums live formulas.

In: Facts and a place. Out: cells, bars and marks; and where each part of the table lies, for the
charts and figures that stand on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petstore_frame.palette import INK, status_word, tint, verdict_badge
from petstore_frame.report import look
from petstore_frame.report.book import Sheet, cell_name
from petstore_frame.report.facts import Facts

_BAR = tint(INK, 0.16)


@dataclass(frozen=True)
class CountTable:
    """A table of counts: a category a row, a status a column, sums at both edges.

    Counts are numbers and not COUNTIFS over the inventory: COUNTIFS reads text ids as numbers,
    and takes two ids for one where they differ past the 15th digit.

    Attributes:
        sheet: Where it stands.
        facts: What it says.
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

    @property
    def shown(self) -> int:
        """How many categories have a row of their own."""
        everything = len(self.facts.counts)
        return everything if self.most is None else min(everything, self.most)

    @property
    def others(self) -> int:
        """How many categories share the last row."""
        return len(self.facts.counts) - self.shown

    @property
    def first(self) -> int:
        return self.head + 1

    @property
    def last(self) -> int:
        """The last row of a single category."""
        return self.head + self.shown

    @property
    def total(self) -> int:
        return self.last + (1 if self.others else 0) + 1

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
        for offset, (category_id, counts) in enumerate(self._single_categories()):
            row = self.first + offset
            if self.has_ids:
                self.sheet.text(row, self.name - 1, str(category_id), **look.BODY, num_format="@")
            self._write_row(row, self.facts.label(category_id), counts)
        if self.others:
            counts = [int(n) for n in self.facts.counts.iloc[self.shown :].sum()]
            name = f"{self.others:,} other categories"
            self._write_row(self.total - 1, name, counts, italic=True)
        self._write_total()
        self._mark_rows()

    def _single_categories(self) -> list[tuple[int, list[int]]]:
        rows = self.facts.counts.head(self.shown).itertuples(name=None)
        return [(int(row[0]), [int(count) for count in row[1:]]) for row in rows]

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

    def _write_row(self, row: int, name: str, counts: list[int], **extra: Any) -> None:
        sheet, style = self.sheet, {**look.BODY, **extra}
        sheet.text(row, self.name, name, **style)
        across = self._sum((row, self.first_status), (row, self.share - 1))
        number = look.count_format(is_exact=self.facts.covers_all)
        sheet.formula(row, self.all_pets, across, sum(counts), **style, num_format=number)
        for offset, (status, count) in enumerate(zip(self.facts.statuses, counts, strict=True)):
            zero = "none" if status == "available" else "–"
            number = look.count_format(is_exact=self.facts.is_exact(status), zero=zero)
            sheet.number(row, self.first_status + offset, count, **style, num_format=number)
        if self.facts.covers_all:
            whole = cell_name(self.total, self.all_pets, is_fixed=True)
            formula = f"={cell_name(row, self.all_pets)}/{whole}"
            share = sum(counts) / len(self.facts.frame)
            sheet.formula(row, self.share, formula, share, **style, num_format=look.SHARE)

    def _write_total(self) -> None:
        sheet, facts = self.sheet, self.facts
        sheet.height(self.total, 20)
        if self.has_ids:
            sheet.blank(self.total, self.name - 1, **look.TOTAL)
        sheet.text(self.total, self.name, "All categories", **look.TOTAL)
        for col, count in enumerate((facts.total, *facts.totals.values()), start=self.all_pets):
            formula = self._sum((self.first, col), (self.total - 1, col))
            number = look.count_format(is_exact=count.is_exact)
            sheet.formula(self.total, col, formula, count.count, **look.TOTAL, num_format=number)
        if facts.covers_all:
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
        if not self.facts.is_exact("available"):
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
        """Say how many categories have nothing available, or None when that is not known."""
        if not self.facts.is_exact("available"):
            return None
        without = int((self.facts.counts["available"] == 0).sum())
        if not without:
            return None
        return f"none: nothing available, in {without:,} of {len(self.facts.counts):,} categories"

    @staticmethod
    def _sum(first: tuple[int, int], last: tuple[int, int]) -> str:
        return f"=SUM({cell_name(*first)}:{cell_name(*last)})"
