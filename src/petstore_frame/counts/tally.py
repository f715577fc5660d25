"""How many pets of each status are in each category, quickly enough to ask again at every click."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from petstore_frame.counts.pet_table import pandas_frame, status_texts, whole_categories
from petstore_frame.errors import InputError
from petstore_frame.inventory import Completeness, Inventory, StatusCount
from petstore_frame.inventory.result import completeness as completeness_of
from petstore_frame.schema.arguments import whole_number
from petstore_frame.schema.categories import category_name
from petstore_frame.schema.frame import status_categories
from petstore_frame.schema.models import NO_STATUS

Cells: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, or ``≥ 100`` when it is a minimum."""
    return f"{count.count:,}" if count.is_exact else f"≥ {count.count:,}"


def counted(count: StatusCount) -> str:
    """Say a count and whether it is exact: ``95 pets (exact)``, ``at least 95 pets``."""
    pets = f"{count} {'pet' if count.count == 1 else 'pets'}"
    return f"{pets} (exact)" if count.is_exact else pets


def exactness(count: StatusCount) -> str:
    """Return whether a count is exact or a minimum, as text."""
    return "exact" if count.is_exact else "at least"


def per_cent(part: int, whole: int) -> str:
    """Write a part as a percentage of a whole, or a dash where there is nothing to write.

    Example:
        >>> per_cent(1, 3), per_cent(1, 5000), per_cent(0, 0)
        ('33.3%', '< 0.1%', '–')
    """
    share = part / whole if whole else 0
    if not share:
        return "–"
    return "< 0.1%" if share < 0.0005 else f"{share:.1%}"


def added(counts: Sequence[StatusCount]) -> StatusCount:
    """Return the sum of counts, which is exact where each of them is."""
    return StatusCount(sum(each.count for each in counts), all(each.is_exact for each in counts))


def dated_counts(trend: pd.DataFrame) -> list[tuple[date, StatusCount | None]]:
    """Return the day and the count of each row of a trend; None where no snapshot was kept.

    Raises:
        InputError: A date or a number cannot be read.
    """
    try:
        days = pd.to_datetime(trend["date"]).dt.date
        counts = trend["pets"].astype("Int64")
    except (AttributeError, TypeError, ValueError) as problem:
        what = f"a date or a number of pets cannot be read: {problem}"
        raise InputError(what, hint="pass what history.trend() returns") from None
    return [
        (day, None if pd.isna(pets) else StatusCount(int(pets), count_is == "exact"))
        for day, pets, count_is in zip(days, counts, trend["count_is"], strict=True)
    ]


@dataclass(frozen=True)
class CategoryCounts:
    """One line of the table of counts: a category, or the rest of them together (``is_rest``).

    ``category_id`` is None for pets without a category, and for the rest; ``counts`` are the pets
    by status, in the order of ``StatusCounts.statuses``.
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


@dataclass(frozen=True)
class StatusCounts:
    """Counts of pets by category and status.

    Attributes:
        category_ids: The categories, in the order of the rows of ``cells``; None for the pets that
            have none.
        labels: What they are called, in the same order.
        statuses: The statuses, ``no status`` last, in the order of the columns.
        exact: For each status, whether its counts are exact.
        is_exact: Whether the total, and so each category's total, is exact.
        cells: int64, categories by statuses.
    """

    category_ids: Sequence[int | None]
    labels: Sequence[str]
    statuses: tuple[str, ...]
    exact: tuple[bool, ...]
    is_exact: bool
    cells: Cells

    @classmethod
    def of(
        cls,
        groups: Iterable[tuple[int | None, str, int]],
        labels: Mapping[int, str] | None = None,
        completeness: Completeness | None = None,
    ) -> Self:
        """Lay out how many pets each category id, None where it is missing, and status have.

        Without ``completeness`` the pets are counted for themselves, so each count is exact.
        """
        found: Counter[tuple[int | None, str]] = Counter()
        for category_id, status, pets in groups:
            found[category_id, status] += pets
        ids = sorted({id_ for id_, _ in found}, key=lambda id_: (id_ is None, id_ or 0))
        known = status_categories(status for _, status in found if status != NO_STATUS)
        statuses = (*known, NO_STATUS)
        cells = [[found[id_, status] for status in statuses] for id_ in ids]
        return cls(
            ids,
            [category_name(id_, labels) for id_ in ids],
            statuses,
            tuple(completeness is None or completeness.count(each).is_exact for each in statuses),
            completeness is None or completeness.total.is_exact,
            np.array(cells, dtype=np.int64).reshape(len(ids), len(statuses)),
        )

    @cached_property
    def total(self) -> StatusCount:
        return StatusCount(int(self.cells.sum()), self.is_exact)

    @cached_property
    def by_status(self) -> dict[str, StatusCount]:
        numbers = map(StatusCount, self.cells.sum(axis=0).tolist(), self.exact)
        return dict(zip(self.statuses, numbers, strict=True))

    @cached_property
    def categories(self) -> StatusCount:
        """How many categories hold at least one pet; pets without a category make none."""
        return self.count_categories(self.cells.sum(axis=1) > 0, is_exact=self.is_exact)

    def count_categories(self, wanted: Mask, *, is_exact: bool) -> StatusCount:
        """Return how many of the wanted rows of ``cells`` are categories."""
        is_category = np.array([one is not None for one in self.category_ids], dtype=bool)
        return StatusCount(int((wanted & is_category).sum()), is_exact)

    def largest(self, top: int | None = None) -> list[CategoryCounts]:
        """Return the categories with the most pets, then the rest of them in one line.

        Args:
            top: How many categories get a line of their own, None for all; empty ones get none.
        """
        if top is not None:
            top = whole_number("top", top, 1)
        sums = self.cells.sum(axis=1)
        held = [at for at in (-sums).argsort(kind="stable").tolist() if sums[at]]
        shown, rest = (held, []) if top is None else (held[:top], held[top:])
        if len(rest) == 1:
            shown, rest = held, []
        lines = [self._line(self.labels[at], self.category_ids[at], self.cells[at]) for at in shown]
        if rest:
            label = f"{short(StatusCount(len(rest), self.is_exact))} other categories"
            lines.append(self._line(label, None, self.cells[rest].sum(axis=0), is_rest=True))
        return lines

    def _line(
        self, label: str, category_id: int | None, cells: Cells, *, is_rest: bool = False
    ) -> CategoryCounts:
        counts = tuple(map(StatusCount, cells.tolist(), self.exact))
        total = StatusCount(int(cells.sum()), self.is_exact)
        return CategoryCounts(label, category_id, counts, total, is_rest)


def categories_in_words(counts: StatusCounts) -> str:
    """Return the number of categories as text: ``1 category``, ``at least 5 categories``."""
    found = counts.categories
    return f"{found} {'category' if found.count == 1 else 'categories'}"


class CodedPets:
    """A pets' table with its categories and statuses turned into small whole numbers, once.

    ``category_ids`` are ascending, None last if any pet has none, and ``labels`` are their names;
    ``statuses`` are those that occur or that the interface states, ``no status`` last.
    """

    def __init__(
        self, frame: pd.DataFrame, labels: Mapping[int, str] | None, completeness: Completeness
    ) -> None:
        self.frame, self._total = frame, completeness.total
        status = status_texts(frame["status"]).cat.remove_unused_categories()
        # A status spelled as our word for a missing one is left out here: it counts as missing.
        known = (text for text in status.cat.categories if text != NO_STATUS)
        status = status.cat.set_categories(status_categories(known))
        self.statuses = (*status.cat.categories, NO_STATUS)
        # For each status, whether the store can hold no more pets of it than the table.
        self._exact = tuple(completeness.count(each).is_exact for each in self.statuses)
        width = len(self.statuses)
        # A missing status has code -1, which is made the last column.
        self.status_codes = np.mod(status.cat.codes.to_numpy(), width).astype(np.int64)
        whole = whole_categories(frame["category_id"])
        codes, ids = pd.factorize(whole, sort=True, use_na_sentinel=False)
        self.category_ids = [None if pd.isna(each) else int(each) for each in ids]
        self.category_codes: NDArray[np.int64] = codes.astype(np.int64)
        self.labels = [category_name(number, labels) for number in self.category_ids]
        self._cell_codes = self.category_codes * width + self.status_codes

    @classmethod
    def of(
        cls, pets: Inventory | pd.DataFrame, labels: Mapping[int, str] | None = None
    ) -> CodedPets:
        """Code an Inventory or a frame."""
        frame = pandas_frame(pets, ("category_id", "status"))
        return cls(frame, labels, completeness_of(frame))

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def everything(self) -> StatusCounts:
        """The counts of the whole table."""
        return self.count()

    def count(self, mask: Mask | None = None, *, status: str | None = None) -> StatusCounts:
        """Count the pets, or only those where ``mask`` is true.

        Args:
            mask: Which pets of the frame.
            status: The one status that the mask leaves, so that its total may be exact
                although that of the store is not.
        """
        codes = self._cell_codes if mask is None else self._cell_codes[mask]
        shape = (len(self.category_ids), len(self.statuses))
        cells = np.bincount(codes, minlength=shape[0] * shape[1]).reshape(shape)
        is_exact = self._total.is_exact
        if status in self.statuses:
            is_exact = self._exact[self.statuses.index(status)]
        return StatusCounts(
            self.category_ids, self.labels, self.statuses, self._exact, is_exact, cells
        )
