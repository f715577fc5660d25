"""Counts pets by category and status, on any dataframe engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from petstore_frame.inventory import (
    Completeness,
    Fact,
    Inventory,
    StatusCount,
    completeness_of_counts,
    headline_html,
)
from petstore_frame.inventory import completeness as completeness_of
from petstore_frame.pet_table import category_ids, open_frame
from petstore_frame.rendering import (
    PAGE,
    Card,
    CountCell,
    CountRow,
    Markup,
    count_table,
    in_notebook,
)
from petstore_frame.schema import NO_STATUS, PET_STATUSES, AnyFrame, status_label
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_choice, checked_integer

MAX_CATEGORIES = 20
_COUNTED_BY = ("category_id", "status")
_PETS = "pets"
_OWN_COLUMNS = ("category_id", "category", _PETS)
Cells: TypeAlias = NDArray[np.int64]


class Line(NamedTuple):
    """The counts of one category, or of several categories together (``is_rest``).

    Attributes:
        label: The name of the category.
        category_id: Its id; None for pets without a category, and for several categories.
        counts: The number of pets of each status, in the order of ``Summary.statuses``.
        total: The number of pets of any status.
        is_rest: Whether the line represents several categories.
    """

    label: str
    category_id: int | None
    counts: tuple[StatusCount, ...]
    total: StatusCount
    is_rest: bool = False

    @property
    def cells(self) -> tuple[StatusCount, ...]:
        """The numbers of the line: by status, then the total."""
        return (*self.counts, self.total)


class Figure(NamedTuple):
    """A key figure: a number of pets, its name, and a few words about it.

    Attributes:
        label: What is counted: all pets, or the pets of a status.
        pets: The number, which is exact, a minimum, or approximate.
        note: The number of categories, a share, or how exact the number is.
        status: The status; empty for all pets.
    """

    label: str
    pets: StatusCount
    note: str
    status: str = ""

    def card(self, color: str | None = None) -> Card:
        """Return the card that shows the figure on a page."""
        return Card(self.label, str(self.pets), self.note, color, self.pets.is_exact)


def summarize(pets: Inventory | AnyFrame, *, categories: Categories = None) -> Summary:
    """Count pets by category and status.

    The rows are counted in one pass by the library of the frame; only the counts are collected.

    Args:
        pets: An Inventory, or a frame with the columns ``category_id`` and ``status``: pandas,
            polars, pyarrow, a DuckDB relation, Dask or PySpark.
        categories: Labels by category id: a dict, a Series, or the path of a table
            with the columns ``id`` and ``name``. A category without a label is ``Category 7``.

    Returns:
        A Summary. Unless the rows are known to be all pets of the store, its counts are minimums
        ("at least"), and each id counts once. ``.frame`` has the counts as numbers, and ``.total``
        their sum.

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
        <StatusCount: ≥ 3>

    Interface: Resources, PetStatus; a status is optional, so pets without one have a column.
    """
    if isinstance(pets, (Inventory, pd.DataFrame)):
        return Summary.of(pets, completeness_of(pets), categories)
    return Summary.of(pets, None, categories)


def count_pets(pets: Any, *, is_by_id: bool = False) -> Any:
    """Count pets by category and status, lazily if the engine is lazy.

    Args:
        pets: An Inventory or a frame of any engine.
        is_by_id: Whether to count each id once, if there is a column ``id``.

    Returns:
        A frame of the same kind: ``category_id``, ``status`` as text, ``pets`` (int64). A missing
        status is the group ``no status``. The order of the rows is not fixed.
    """
    frame = open_frame(pets, _COUNTED_BY)
    if is_by_id and "id" in frame.collect_schema().names():
        frame = frame.select("id", *_COUNTED_BY).unique(subset=["id"], keep="any")
    groups = frame.select(*_COUNTED_BY).group_by(*_COUNTED_BY).agg(pets=nw.len())
    # Only the few groups are converted to text. Engines disagree on whether null equals null.
    status = nw.col("status")
    # Casting a category after filling it fails, and pandas 2 casts a missing value to "None".
    text = nw.when(status.is_null()).then(nw.lit(NO_STATUS)).otherwise(status.cast(nw.String))
    groups = groups.with_columns(text.alias("status"))
    groups = groups.group_by(*_COUNTED_BY).agg(nw.col(_PETS).sum())
    # pyarrow and Dask do not support a cast inside agg(), and polars counts in UInt32.
    return groups.with_columns(nw.col(_PETS).cast(nw.Int64)).to_native()


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """The number of pets by category and status; each count is exact, a minimum, or approximate.

    ``summarize(inventory)`` returns it. ``print`` and notebooks show it as a table. All tables,
    charts and sheets of counts are made from a Summary. If the pets are a selection, only the
    statuses that occur in it are shown.

    Attributes:
        category_ids: Ids of the categories, in the order of the rows of ``cells``; None, at the
            end, is for pets without a category.
        labels: Labels of the categories.
        statuses: The statuses, in the order of the columns of ``cells``; ``no status`` is last.
        cells: Counts (int64), categories by statuses.
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
        """Count the pets of a frame from any library; ``completeness`` None means unknown."""
        # If the rows were changed after they were read, some may appear twice.
        is_by_id = completeness is None or not completeness.requests
        counts = _collect_counts(count_pets(pets, is_by_id=is_by_id))
        pets_by_status = Counter[str]()
        for (_, status), number in counts.items():
            pets_by_status[status] += number
        if completeness is None:
            completeness = completeness_of_counts(
                pets_by_status, reason="It is not known how these pets were read."
            )
        ids = sorted({category_id for category_id, _ in counts}, key=_missing_last)
        statuses = _statuses_in_order(pets_by_status, completeness)
        cells = [[counts[category_id, status] for status in statuses] for category_id in ids]
        labels = Labels(categories)
        return cls(
            category_ids=tuple(ids),
            labels=tuple(labels[category_id] for category_id in ids),
            statuses=statuses,
            cells=np.array(cells, dtype=np.int64).reshape(len(ids), len(statuses)),
            completeness=completeness,
        )

    @property
    def frame(self) -> pd.DataFrame:
        """One row per category, without totals; each access returns a new frame.

        Columns: ``category_id`` (Int64), ``category`` (str), one int64 count per status, and
        ``pets`` (int64).
        """
        columns: dict[str, Any] = {
            "category_id": pd.array(self.category_ids, dtype="Int64"),
            "category": pd.Series(self.labels, dtype="str"),
        }
        for status, numbers in zip(self.statuses, self.cells.T, strict=True):
            columns[_column_name(status)] = numbers
        columns[_PETS] = self._pets_by_category
        return pd.DataFrame(columns)

    @property
    def total(self) -> StatusCount:
        """The number of pets."""
        return self.sums.total

    @property
    def by_status(self) -> dict[str, StatusCount]:
        """The count of each status, in order."""
        return dict(zip(self.statuses, self.sums.counts, strict=True))

    @property
    def has_shares(self) -> bool:
        """Whether all requested pets were read, and there are some, so that shares make sense."""
        return self.total.is_exact and self.total.count > 0

    def figures(self, *, of: Summary | None = None) -> list[Figure]:
        """Return the key figures: all pets, then each status.

        Args:
            of: The counts of the pets that these were selected from; None if nothing was selected.
        """
        if of is not None:
            figures = [Figure("Pets selected", self.total, f"of {of.total}")]
            for status, whole in of.by_status.items():
                count = self.by_status.get(status, StatusCount(0, self.total.bound))
                figures.append(Figure(status_label(status), count, f"of {whole}", status))
            return figures
        figures = [Figure("Pets", self.total, f"in {self.categories_in_words}")]
        for status, count in self.by_status.items():
            note = count.bound.replace("_", " ")
            if self.has_shares:
                note = f"{count.count / self.total.count:.1%}"
            figures.append(Figure(status_label(status), count, note, status))
        return figures

    @cached_property
    def categories(self) -> StatusCount:
        """The number of categories that have at least one pet."""
        return self._count_categories(self._pets_by_category > 0)

    @property
    def categories_in_words(self) -> str:
        """The number of categories as text: ``1 category``, ``at least 5 categories``."""
        noun = "category" if self.categories.count == 1 else "categories"
        return f"{self.categories.in_words} {noun}"

    @property
    def is_selection(self) -> bool:
        """Whether the pets are a selection, by a status or a filter."""
        return bool(self.completeness.part) or self.completeness.status is not None

    @property
    def selection(self) -> str:
        """The selection as text: its size, the pets read, and the filters; empty for all pets."""
        if not self.is_selection:
            return ""
        completeness = self.completeness
        filters = [text for text in (completeness.part, completeness.status) if text]
        pets_read = "" if completeness.read is None else f" of {completeness.read:,}"
        return f"{self.total.in_words}{pets_read} pets: {', '.join(filters)}"

    def count(self, status: str | None = None, category_id: int | None = None) -> StatusCount:
        """Return one count, and whether it is exact.

        Args:
            status: A status of the interface or of these pets, or ``no status``; None for any.
            category_id: The id of a category; None for any, including pets without a category.

        Raises:
            ArgumentError: No pet can have such a status or category.
        """
        statuses = dict.fromkeys([*self.statuses, *PET_STATUSES, NO_STATUS])
        if status is not None:
            checked_choice("status", status, statuses)
        if category_id is None:
            rows = list(range(len(self.category_ids)))
        else:
            wanted_id = checked_integer("category_id", category_id)
            rows = [row for row, id_ in enumerate(self.category_ids) if id_ == wanted_id]
        line = self._line("", rows)
        if status is None:
            return line.total
        if status in self.statuses:
            return line.counts[self.statuses.index(status)]
        return StatusCount(0, self.completeness.bound_of(status))

    @property
    def is_available_exact(self) -> bool:
        """Whether the number of available pets is exact, so that a 0 is highlighted."""
        return not self.is_selection and self.by_status["available"].is_exact

    def nothing_available(self) -> str:
        """Describe how many categories have nothing available; empty if none or unknown."""
        if not self.is_available_exact:
            return ""
        available = self.cells[:, self.statuses.index("available")]
        without = self._count_categories(available == 0)
        if without.count == 0:
            return ""
        return (
            f"none: nothing available, in {without.in_words} of {self.categories.in_words} "
            "categories"
        )

    @cached_property
    def _pets_by_category(self) -> NDArray[np.int64]:
        sums: NDArray[np.int64] = self.cells.sum(axis=1)
        return sums

    def _count_categories(self, is_wanted: NDArray[np.bool_]) -> StatusCount:
        """Count the wanted rows of ``cells`` that are categories."""
        is_category = np.array([id_ is not None for id_ in self.category_ids], dtype=bool)
        return StatusCount(int((is_wanted & is_category).sum()), self.total.bound)

    def largest(self, top: int | None = None) -> list[Line]:
        """Return the categories with the most pets, and one line for all others.

        Args:
            top: Number of categories with their own line; None for all that have pets.
        """
        if top is not None:
            top = checked_integer("top", top, 1)
        pets = self._pets_by_category
        rows = [row for row in (-pets).argsort(kind="stable").tolist() if pets[row] > 0]
        # A line for the rest takes as much space as the single category that it would replace.
        if top is None or len(rows) == top + 1:
            top = len(rows)
        lines = [self._line(self.labels[row], [row], self.category_ids[row]) for row in rows[:top]]
        remaining_rows = rows[top:]
        if remaining_rows:
            number = StatusCount(len(remaining_rows), self.total.bound)
            lines.append(self._line(f"{number} other categories", remaining_rows, is_rest=True))
        return lines

    @cached_property
    def sums(self) -> Line:
        """The totals of all categories."""
        return self._line("total", list(range(len(self.category_ids))), is_rest=True)

    def _line(
        self,
        label: str,
        rows: Sequence[int],
        category_id: int | None = None,
        *,
        is_rest: bool = False,
    ) -> Line:
        """Add up some rows of ``cells``."""
        numbers = self.cells[list(rows)].sum(axis=0).tolist()
        counts = tuple(
            StatusCount(number, self.completeness.bound_of(status))
            for status, number in zip(self.statuses, numbers, strict=True)
        )
        bound = self.completeness.total.bound
        if self.is_selection and self.completeness.is_complete:
            bound = "exact"  # exact for the requested pets, not for the store
        return Line(label, category_id, counts, StatusCount(sum(numbers), bound), is_rest)

    @property
    def legend(self) -> list[str]:
        """The selection, if any, and the meaning of the signs before the numbers."""
        bounds = {count.bound for count in self.sums.cells}
        lines = [self.selection] if self.is_selection else []
        if "at_least" in bounds:
            lines.append("≥ means at least: the store may have more pets than were read.")
        if "about" in bounds:
            facts = {evidence.fact for evidence in self.completeness.evidence}
            change = "pets left the store" if Fact.PETS_LEFT in facts else "the store changed"
            lines.append(f"≈ means about: {change} while it was read.")
        return lines

    def __str__(self) -> str:
        lines = [*self.largest(MAX_CATEGORIES), self.sums]
        table = pd.DataFrame(
            [[str(count) for count in line.cells] for line in lines],
            index=[line.label for line in lines],
            columns=[*(_column_name(status) for status in self.statuses), _PETS],
        )
        return "\n".join([str(self.completeness), *self.legend, "", table.to_string()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return in_notebook(headline_html(self.completeness) + self.to_html())

    def to_html(self, *, top: int | None = MAX_CATEGORIES, caption: str = "") -> Markup:
        """Return the table as HTML, with each number shaded by its size.

        Args:
            top: Number of categories with their own row; None for all.
            caption: Text above the table.
        """
        lines = self.largest(top)
        largest_count = max(
            (count.count for line in lines if not line.is_rest for count in line.counts), default=0
        )
        rows = [self._count_row(line, largest_count) for line in lines]
        table = count_table(self.statuses, rows, [str(count) for count in self.sums.cells], caption)
        legend = self.legend
        return PAGE.quiet(legend) + table if legend else table

    def _count_row(self, line: Line, largest_count: int) -> CountRow:
        cells = []
        for status, count in zip(self.statuses, line.counts, strict=True):
            if status == "available" and count.count == 0 and self.is_available_exact:
                cells.append(CountCell("none", is_warning=True))
            elif line.is_rest or count.count == 0:
                cells.append(CountCell(str(count)))
            else:
                cells.append(CountCell(str(count), shade=count.count / largest_count))
        category = None
        if not line.is_rest:
            category = "" if line.category_id is None else str(line.category_id)
        return CountRow(line.label, cells, str(line.total), category)


def _collect_counts(groups: Any) -> Counter[tuple[int | None, str]]:
    """Collect a frame of counts: pets by category id, None if it is missing, and status."""
    table = nw.from_native(groups).lazy().collect()
    column = table["category_id"]
    # pandas converts integers with a missing value to floats, unless they are objects.
    dtype = "float64" if column.dtype.is_float() else "object"
    ids = category_ids(pd.Series(column.to_list(), name="category_id", dtype=dtype))
    counts = Counter[tuple[int | None, str]]()
    for category_id, status, number in zip(ids, table["status"], table[_PETS], strict=True):
        counts[category_id, status] += number
    return counts


def _statuses_in_order(pets_by_status: Counter[str], completeness: Completeness) -> tuple[str, ...]:
    others = sorted(pets_by_status.keys() - {*PET_STATUSES, NO_STATUS})
    statuses = (*PET_STATUSES, *others, NO_STATUS)
    if completeness.part or completeness.status is not None:
        # A status outside of the selection has no count, not a count of 0.
        return tuple(status for status in statuses if status in pets_by_status)
    return statuses


def _missing_last(category_id: int | None) -> tuple[bool, int]:
    return (category_id is None, category_id or 0)


def _column_name(status: str) -> str:
    """Name the column of a status; a status must not replace a column of the table."""
    return f"status {status}" if status in _OWN_COLUMNS else status
