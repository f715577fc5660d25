"""The one table of counts by category and status: as text, as markup, as lines of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from petstore_frame.counts.tally import CategoryCounts, StatusCounts, short
from petstore_frame.html import NOTEBOOK, Cell, Markup, Renderer
from petstore_frame.html.palette import STATUS_COLOURS, shorten, status_word, verdict_badge
from petstore_frame.inventory import StatusCount

ALL_PETS = "all pets"
ALL_CATEGORIES = "all categories"
LEGEND = "≥ means at least: the store may hold more than was read."
_TOP = 20
_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read


def column_name(status: str) -> str:
    """Name a status's column; an unknown status must not replace a column of ours."""
    return f"status {status}" if status in ("category_id", "category", ALL_PETS) else status


@dataclass(frozen=True)
class CountTable:
    """Counts as they are shown: the largest categories, the rest of them in one line, the sums.

    Columns: the category, a count per status, all pets.

    Attributes:
        counts: What is shown.
        top: How many categories get a line of their own; None for all.
    """

    counts: StatusCounts
    top: int | None = _TOP

    @cached_property
    def lines(self) -> list[CategoryCounts]:
        """The categories, largest first, then the others together."""
        return self.counts.largest(self.top)

    @property
    def has_rest(self) -> bool:
        """Whether some categories share the last line."""
        return bool(self.lines) and self.lines[-1].is_rest

    @property
    def sums(self) -> CategoryCounts:
        """The last line of all."""
        counts = tuple(self.counts.by_status.values())
        return CategoryCounts(ALL_CATEGORIES, None, counts, self.counts.total, is_rest=True)

    @property
    def is_exact(self) -> bool:
        """Whether no count is a minimum."""
        return self.counts.is_exact and all(self.counts.exact)

    def to_text(self, above: Sequence[str] = ()) -> str:
        """Return the table for a terminal, below these lines."""
        head = ["category", *map(column_name, self.counts.statuses), ALL_PETS]
        lines = [*self.lines, self.sums]
        rows = [head, *([line.label, *map(short, line.cells)] for line in lines)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        names, *numbers = (
            "  ".join(
                text.rjust(width) if at else text.ljust(width)
                for at, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )
        legend = [] if self.is_exact else [LEGEND]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([*above, *legend, "", names, rule, *numbers])

    def to_html(
        self, place: Renderer = NOTEBOOK, *, caption: str = "", is_picked: bool = False
    ) -> Markup:
        """Return the table as markup.

        With ``is_picked`` each number is shaded by its size, and marked for a script with
        ``data-category`` (empty for pets without one; none in the line of the others) and
        ``data-status`` (none in the last column).
        """
        statuses = (*self.counts.statuses, None)
        head = [Cell("Category"), *(_head(status, is_picked=is_picked) for status in statuses)]
        single = [line for line in self.lines if not line.is_rest]
        deepest = max((count.count for line in single for count in line.counts), default=0)
        rows = (
            _row(line, statuses, deepest if is_picked and not line.is_rest else 0)
            for line in self.lines
        )
        foot = [Cell("All categories"), *map(_number, self.sums.cells)]
        table = place.table(
            rows, head, numbers=range(1, len(head)), caption=caption, foot=foot, is_named=True
        )
        legend = Markup() if self.is_exact else place.quiet([LEGEND])
        return legend + table

    def nothing_available(self) -> str | None:
        """Return how many categories have nothing available, or None where none is known to."""
        counts = self.counts
        if not counts.by_status["available"].is_exact:
            return None
        column = counts.cells[:, counts.statuses.index("available")]
        without = counts.count_categories(column == 0, is_exact=counts.is_exact)
        if not without.count:
            return None
        return f"none: nothing available, in {without} of {counts.categories} categories"


def is_sold_out(status: str | None, count: StatusCount) -> bool:
    """Return whether a category has nothing available for certain, which every table marks."""
    return status == "available" and count.is_exact and not count.count


def _head(status: str | None, *, is_picked: bool) -> Cell:
    if status is None:
        return Cell("All pets")
    word = shorten(status_word(status), _NAME_LENGTH)
    return _picked(word, {"status": status}) if is_picked else Cell(word)


def _row(line: CategoryCounts, statuses: Sequence[str | None], deepest: int) -> list[Cell]:
    """Return the cells of a category; with ``deepest`` they are shaded and marked."""
    here = {} if not deepest else {"category": _id_text(line.category_id)}
    cells = [_picked(shorten(line.label, _NAME_LENGTH), here)]
    for status, count in zip(statuses, line.cells, strict=True):
        data = {**here, "status": status} if here and status else here
        shade = count.count / deepest if here and status else 0
        cells.append(_number(count, status, data, shade))
    return cells


def _number(
    count: StatusCount,
    status: str | None = None,
    data: dict[str, str] | None = None,
    shade: float = 0,
) -> Cell:
    """Return the cell of a count; a category with nothing available is marked as such."""
    if is_sold_out(status, count):
        mark = verdict_badge("incomplete")
        return _picked(Markup("none"), data or {}, f"background:{mark.fill};color:{mark.ink}")
    red, green, blue = bytes.fromhex(STATUS_COLOURS["available"][1:])
    css = f"background:rgba({red},{green},{blue},{shade * _STRONGEST:.2f})" if shade else ""
    return _picked(Markup(short(count)), data or {}, css)  # a number


def _picked(value: str, data: dict[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)


def _id_text(category_id: int | None) -> str:
    return "" if category_id is None else str(category_id)
