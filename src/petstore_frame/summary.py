"""Counts pets by category and status, on any dataframe engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from petstore_frame.inventory import Completeness, Inventory, StatusCount
from petstore_frame.inventory import completeness as completeness_of
from petstore_frame.pet_table import category_ids, open_frame
from petstore_frame.rendering import (
    NO_STATUS,
    PAGE,
    Cell,
    Markup,
    in_notebook,
    palette,
    shorten,
    status_word,
)
from petstore_frame.schema import PET_STATUSES, AnyFrame, Categories, Labels
from petstore_frame.validation import one_of, whole_number

PETS, SUM = "pets", "sum"
LEGENDS = {
    "at_least": "≥ means at least: the store may hold more than was read.",
    "about": "≈ means about: the store changed while it was read.",
}
SHOWN_CATEGORIES = 20
_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read
_SHADE = "{},{},{}".format(*bytes.fromhex(palette.STATUS_COLOURS["available"][1:]))
_NOTHING = "background:{0.fill};color:{0.ink}".format(palette.VERDICT_BADGES["incomplete"])
_GROUPED = ("category_id", "status")
Cells: TypeAlias = NDArray[np.int64]


class Line(NamedTuple):
    """A category as it is shown, or several together (``is_rest``): counts by status, and all."""

    label: str
    category_id: int | None
    counts: tuple[StatusCount, ...]
    total: StatusCount
    is_rest: bool = False

    @property
    def cells(self) -> tuple[StatusCount, ...]:
        """The numbers of the line: by status, then the total."""
        return (*self.counts, self.total)


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, ``≥ 100`` at least, ``≈ 100`` about."""
    return str(count)


def summarize(pets: Inventory | AnyFrame, *, categories: Categories = None) -> Summary:
    """Count pets by category and status.

    The rows are counted in one pass on their own engine; only the counts are brought here.

    Args:
        pets: An Inventory, or a frame with the columns ``category_id`` and ``status``: pandas,
            polars, pyarrow, a DuckDB relation, Dask or PySpark.
        categories: Labels by category id: a dict, a Series, or a CSV path of
            ``category_id,label``. A category without one is ``Category 7``.

    Returns:
        A Summary. Its counts are marked "at least" where it is not known that the rows are all
        pets, as of most frames; there, each id is counted once. ``.frame`` has them as numbers,
        ``.total`` is their sum.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: The frame lacks a column, or a category id is not a whole number.

    Example:
        >>> import pandas as pd
        >>> pets = pd.DataFrame({"category_id": [3, 3, 7], "status": ["sold", None, "sold"]})
        >>> summary = summarize(pets, categories={3: "Cat"})
        >>> print(summary.frame.drop(columns=["available", "pending"]).to_string(index=False))
         category_id   category  sold  no status  pets
                   3        Cat     1          1     2
                   7 Category 7     1          0     1
        >>> summary.total
        <StatusCount: at least 3>

    Interface: Resources, PetStatus; a status is optional, so a missing one has a column.
    """
    known = completeness_of(pets) if isinstance(pets, (Inventory, pd.DataFrame)) else None
    return Summary.of(pets, known, categories)


def count_pets(pets: Any, by: Sequence[str] = _GROUPED, *, is_by_id: bool = False) -> Any:
    """Count pets by columns, lazily where the engine is lazy.

    With ``is_by_id`` each id is counted once, in whichever of its rows, where there are ids.

    Returns:
        A frame of the same kind: the columns of ``by``, then ``pets`` (int64). A status is text,
        and a missing one is the group ``no status``. The order of the rows is not fixed.
    """
    frame = open_frame(pets, by)
    if is_by_id and "id" in frame.collect_schema().names():
        frame = frame.select("id", *by).unique(subset=["id"], keep="any")
    counted = frame.select(*by).group_by(*by).agg(pets=nw.len())
    if "status" in by:  # the few groups are turned into text, and not each row
        counted = counted.with_columns(status_text().alias("status"))
        counted = counted.group_by(*by).agg(nw.col("pets").sum())
    # A cast inside agg() is refused by pyarrow and Dask, and polars counts in UInt32.
    return counted.with_columns(nw.col("pets").cast(nw.Int64)).to_native()


def status_text() -> nw.Expr:
    """Return the status as text, a missing one as ``no status``.

    Engines disagree on whether a null equals a null, and on the type of a category. Text, with
    ``no status`` for a missing one, is the form that all of them compare and group alike.
    """
    status = nw.col("status")
    # Filled in before the cast would fail for a category; pandas 2 casts a missing one to "None".
    return nw.when(status.is_null()).then(nw.lit(NO_STATUS)).otherwise(status.cast(nw.String))


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """How many pets each category has of each status, each count exact or a minimum.

    ``summarize(inventory)`` makes it; ``print`` it, or let a notebook show it. Every table, figure
    and sheet of counts shows one. Of a selection it has only the statuses that occur in it.

    Attributes:
        category_ids: The categories, in the order of the rows of ``cells``; None for the pets that
            have none, last.
        labels: What they are called.
        statuses: The statuses, ``no status`` last, in the order of the columns of ``cells``.
        cells: int64, categories by statuses.
        completeness: What the pets cover.
    """

    category_ids: tuple[int | None, ...]
    labels: tuple[str, ...]
    statuses: tuple[str, ...]
    cells: Cells
    completeness: Completeness

    @classmethod
    def of(
        cls, pets: Any, completeness: Completeness | None, categories: Categories = None
    ) -> Self:
        """Count pets of any engine; ``completeness`` is what they cover, None if not known."""
        # Of rows that are not as they were read, some may stand twice.
        is_by_id = completeness is None or not completeness.requests
        counted = nw.from_native(count_pets(pets, is_by_id=is_by_id)).lazy().collect()
        category = counted["category_id"]
        # pandas makes floats of whole numbers among which one is missing, unless they are objects.
        dtype = "float64" if category.dtype.is_float() else "object"
        numbers = category_ids(pd.Series(category.to_list(), name="category_id", dtype=dtype))
        found, held = Counter[tuple[int | None, str]](), Counter[str]()
        for number, status, pets_held in zip(
            numbers, counted["status"], counted["pets"], strict=True
        ):
            found[number, status] += pets_held
            held[status] += pets_held
        known, labels = completeness, Labels(categories)
        if known is None:
            reason = "Nothing says which pets these are."
            known = Completeness.of_counts(held, reason=reason)
        ids = sorted({*numbers}, key=lambda number: (number is None, number or 0))
        others = sorted(held.keys() - {*PET_STATUSES, NO_STATUS})
        statuses: tuple[str, ...] = (*PET_STATUSES, *others, NO_STATUS)
        if known.part or known.status:  # what the selection leaves out is no count of 0
            statuses = tuple(status for status in statuses if status in held)
        cells = [[found[number, status] for status in statuses] for number in ids]
        return cls(
            tuple(ids),
            tuple(labels[number] for number in ids),
            statuses,
            np.array(cells, dtype=np.int64).reshape(len(ids), len(statuses)),
            known,
        )

    @property
    def frame(self) -> pd.DataFrame:
        """One row per category, without sums; a table of your own each time.

        Columns: ``category_id`` (Int64), ``category`` (str), one int64 count per status, and
        ``pets`` (int64).
        """
        columns = {
            "category_id": pd.array(self.category_ids, dtype="Int64"),
            "category": pd.Series(self.labels, dtype="str"),
        }
        names = map(_column_name, self.statuses)
        columns |= dict(zip(names, self.cells.T, strict=True))
        return pd.DataFrame(columns | {PETS: self.cells.sum(axis=1)})

    @property
    def total(self) -> StatusCount:
        """How many pets there are, of any category and status."""
        return self.sums.total

    @property
    def by_status(self) -> dict[str, StatusCount]:
        """The count of each status, in their order."""
        return dict(zip(self.statuses, self.sums.counts, strict=True))

    @property
    def shares(self) -> dict[str, str]:
        """The share of each status as text."""
        whole = max(self.total.count, 1)
        return {status: f"{count.count / whole:.1%}" for status, count in self.by_status.items()}

    @cached_property
    def categories(self) -> StatusCount:
        """How many categories hold at least one pet; pets without a category make none."""
        return self._categories(self.cells.sum(axis=1) > 0)

    @property
    def categories_in_words(self) -> str:
        """The number of categories as text: ``1 category``, ``at least 5 categories``."""
        return f"{self.categories} {'category' if self.categories.count == 1 else 'categories'}"

    @property
    def is_selection(self) -> bool:
        """Whether the pets are only those that were asked for, by a status or a filter."""
        return bool(self.completeness.part or self.completeness.status)

    @property
    def selection(self) -> str:
        """Which pets of how many were chosen, in words; empty for all."""
        known = self.completeness
        words = ", ".join(filter(None, (known.part, known.status)))
        of = "" if known.read is None else f" of {known.read:,}"
        return f"{self.total}{of} pets: {words}" if words else ""

    def count(self, status: str | None = None, category_id: int | None = None) -> StatusCount:
        """Return one count and whether it is exact; None means any.

        Raises:
            ArgumentError: No pet can have such a status here.
        """
        rows = [category_id is None or held == category_id for held in self.category_ids]
        line = self._line("", rows)
        if status is None:
            return line.total
        one_of("status", status, dict.fromkeys([*self.statuses, *PET_STATUSES, NO_STATUS]))
        counts = dict(zip(self.statuses, line.counts, strict=True))
        return counts.get(status, StatusCount(0, self.completeness.bound_of(status)))

    def nothing_available(self) -> str:
        """Say how many categories have nothing available; nothing where that is not known."""
        if self.is_selection or not self.by_status["available"].is_exact:
            return ""
        without = self._categories(self.cells[:, self.statuses.index("available")] == 0)
        if not without.count:
            return ""
        return f"none: nothing available, in {without} of {self.categories} categories"

    def _categories(self, is_wanted: NDArray[np.bool_]) -> StatusCount:
        """Count those of the wanted rows of ``cells`` that are categories."""
        pairs = zip(self.category_ids, is_wanted, strict=True)
        number = sum(bool(yes) for id_, yes in pairs if id_ is not None)
        return StatusCount(number, self.total.bound)

    def largest(self, top: int | None = None) -> list[Line]:
        """Return the categories with the most pets, then the rest of them in one line.

        Args:
            top: How many categories get a line of their own, None for all; empty ones get none.
        """
        if top is not None:
            top = whole_number("top", top, 1)
        sums = self.cells.sum(axis=1)
        held = [at for at in (-sums).argsort(kind="stable").tolist() if sums[at]]
        if top is None or len(held) == top + 1:
            top = len(held)
        lines = [self._line(self.labels[at], [at], self.category_ids[at]) for at in held[:top]]
        if rest := held[top:]:
            label = f"{StatusCount(len(rest), self.total.bound)} other categories"
            lines.append(self._line(label, rest, is_rest=True))
        return lines

    @cached_property
    def sums(self) -> Line:
        """All categories together."""
        return self._line(SUM, slice(None), is_rest=True)

    def _line(
        self, label: str, rows: Any, category_id: int | None = None, *, is_rest: bool = False
    ) -> Line:
        """Add up some rows of ``cells``, each sum exact or not."""
        known, numbers = self.completeness, self.cells[rows].sum(axis=0).tolist()
        counts = [
            StatusCount(number, known.bound_of(status))
            for status, number in zip(self.statuses, numbers, strict=True)
        ]
        bound = known.total.bound
        if self.is_selection and known.is_complete:  # of the pets asked for, and not of the store
            bound = "exact"
        total = StatusCount(sum(numbers), bound)
        return Line(label, category_id, tuple(counts), total, is_rest)

    @property
    def _legend(self) -> list[str]:
        kinds = {count.bound for count in self.sums.cells}
        legends = (text for kind, text in LEGENDS.items() if kind in kinds)
        return list(filter(None, (self.selection, *legends)))

    def __str__(self) -> str:
        lines = [*self.largest(SHOWN_CATEGORIES), self.sums]
        table = pd.DataFrame(
            [list(map(short, line.cells)) for line in lines],
            index=[line.label for line in lines],
            columns=[*map(_column_name, self.statuses), PETS],
        )
        return "\n".join([str(self.completeness), *self._legend, "", table.to_string()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return in_notebook(self.completeness.to_line() + self.to_html())

    def to_html(self, *, top: int | None = SHOWN_CATEGORIES, caption: str = "") -> Markup:
        """Return the table as markup, each number shaded by its size.

        Its cells are marked for a script with ``data-category`` (empty for pets without one; none
        in the line of the others) and ``data-status`` (none in the last column).
        """
        lines = self.largest(top)
        numbers = [n.count for line in lines if not line.is_rest for n in line.counts]
        deepest = max(numbers, default=0) or 1
        head = [Cell("Category")]
        for status in self.statuses:
            head.append(_cell(shorten(status_word(status), _NAME_LENGTH), {"status": status}))
        rows = []
        for line in lines:
            place = {}
            if not line.is_rest:
                place = {"category": "" if line.category_id is None else str(line.category_id)}
            row = [_cell(shorten(line.label, _NAME_LENGTH), place)]
            for status, count in zip(self.statuses, line.counts, strict=True):
                shown, css = short(count), ""
                if not self.is_selection and status == "available" and shown == "0":
                    shown, css = "none", _NOTHING
                elif count.count and not line.is_rest:
                    css = f"background:rgba({_SHADE},{count.count / deepest * _STRONGEST:.2f})"
                row.append(_cell(Markup(shown), place and {**place, "status": status}, css))
            rows.append([*row, _cell(Markup(short(line.total)), place)])
        table = PAGE.table(
            rows,
            [*head, Cell("Pets")],
            numbers=range(1, len(self.statuses) + 2),
            caption=caption,
            foot=["Sum", *(Markup(short(count)) for count in self.sums.cells)],
            is_named=True,
        )
        return (PAGE.quiet(self._legend) if self._legend else Markup()) + table


def _cell(value: str, data: Mapping[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)


def _column_name(status: str) -> str:
    """Name a status's column; an unknown status must not replace a column of ours."""
    return f"status {status}" if status in ("category_id", "category", PETS) else status
