"""Which pets of an Inventory are shown, counted and put in order for what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.counts import Summary, summarize
from petstore_frame.inventory import Inventory
from petstore_frame.schema.models import INT64_MAX, INT64_MIN, NO_STATUS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

ROWS_PER_PAGE = 50


@dataclass(frozen=True)
class Selection:
    """What was chosen: a status, a category by name or id, part of a name, and the order."""

    status: str = ""  # ``no status`` is one, too
    category: str = ""
    text: str = ""  # part of a name in any case, or a whole id; with # in front that id alone
    order: str = "id"  # a column; with a - in front from its other end
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        """Whether it leaves pets out."""
        return bool(self.status or self.category or self.text)

    @property
    def words(self) -> str:
        """The filters as people say them: ``Dog, pending``."""
        name = self.text and f"name or id {self.text!r}"
        return ", ".join(filter(None, (self.category, self.status, name)))


class ShownPets(NamedTuple):
    """What is on the screen: counts of the pets selected, and one page of them."""

    selection: Selection  # its page brought within the pages that there are
    counts: Summary
    rows: pd.DataFrame

    @property
    def pages(self) -> int:
        """How many pages they fill."""
        return _pages(self.counts)

    @property
    def place(self) -> str:
        """Which of them are on the page: ``1-50 of 312``."""
        first = (self.selection.page - 1) * ROWS_PER_PAGE
        return f"{first + 1:,}–{first + len(self.rows):,} of {self.counts.total}"

    @property
    def words(self) -> str:
        """What is shown: ``Showing 28 of 610 pets: Dog, pending``."""
        rest = "" if self.counts.total.is_exact else " that could be read"
        return f"Showing {self.counts.selection or f'all pets{rest}.'}"


class StoreModel:
    """An Inventory made ready to be asked for selections; ``labels`` name categories by id."""

    def __init__(self, inventory: Inventory, labels: Mapping[int, str] | None = None) -> None:
        self.inventory, self.labels = inventory, dict(labels or {})
        self.counts = summarize(inventory, categories=self.labels)
        self._orders: dict[str, NDArray[np.int64]] = {}

    def show(self, selection: Selection) -> ShownPets:
        """Answer a selection; a page beyond the last is brought back to the last."""
        frame, mask = self.inventory.frame, self._mask(selection)
        counts = self.counts
        if mask is not None:
            counts = summarize(self._part(frame[mask], selection), categories=self.labels)
        selection = replace(selection, page=min(max(1, selection.page), _pages(counts)))
        first = (selection.page - 1) * ROWS_PER_PAGE
        places = self._places(mask, selection.order)[first : first + ROWS_PER_PAGE]
        return ShownPets(selection, counts, frame.iloc[places])

    def part(self, selection: Selection) -> Inventory:
        """Return the pets selected, in the order chosen, with what is known of that part."""
        rows = self.inventory.frame.iloc[self._places(self._mask(selection), selection.order)]
        if not selection.is_filtered:
            return replace(self.inventory, frame=rows)
        return self._part(rows, selection)

    def _part(self, rows: pd.DataFrame, selection: Selection) -> Inventory:
        statuses = [selection.status] if selection.status else None
        return self.inventory.part(rows, selection.words, statuses)

    def _mask(self, selection: Selection) -> NDArray[np.bool_] | None:
        import numpy as np

        if not selection.is_filtered:
            return None
        frame = self.inventory.frame
        mask: NDArray[np.bool_] = np.ones(len(frame), dtype=bool)
        if selection.status:
            passes = frame["status"].eq(selection.status).to_numpy(dtype=bool)
            is_none = selection.status == NO_STATUS
            mask = passes | (frame["status"].isna().to_numpy() & is_none)
        if selection.category:
            found = self._categories(selection.category)
            held = frame["category_id"]
            passes = held.isin(found - {None}).to_numpy(dtype=bool)
            mask = mask & (passes | (held.isna().to_numpy() & (None in found)))
        if selection.text:
            mask = mask & self._has_text(selection.text).to_numpy(dtype=bool)
        return mask

    def _categories(self, text: str) -> set[int | None]:
        """Return the ids of the categories with this name or id, or else with it in their name."""
        pairs = [*zip(self.counts.labels, self.counts.category_ids, strict=True)]
        exact = {number for label, number in pairs if text in (label, str(number))}
        wanted = text.casefold()
        return exact or {number for label, number in pairs if wanted in label.casefold()}

    def _has_text(self, text: str) -> pd.Series[bool]:
        mask: pd.Series[bool] = self._lower_names.str.contains(text.lower(), regex=False)
        digits = text.removeprefix("#")
        is_number = digits.removeprefix("-").isdecimal() and len(digits) < 25
        if is_number and INT64_MIN <= int(digits) <= INT64_MAX:
            is_pet = self.inventory.frame["id"].eq(int(digits))
            mask = is_pet if digits != text else mask | is_pet
        return mask

    @cached_property
    def _lower_names(self) -> pd.Series[str]:
        names: pd.Series[str] = self.inventory.frame["name"].astype("str").str.lower()
        return names

    def _places(self, mask: NDArray[np.bool_] | None, order: str) -> NDArray[np.int64]:
        column = order.removeprefix("-")
        if column not in self._orders:
            self._orders[column] = self._sort_keys(column).argsort(kind="stable")
        places = self._orders[column]
        if mask is not None:
            places = places[mask[places]]
        return places[::-1] if order.startswith("-") else places

    def _sort_keys(self, column: str) -> NDArray[Any]:
        """Return what a column is ordered by: names in lower case, categories by their label."""
        frame = self.inventory.frame
        if column == "name":
            return self._lower_names.to_numpy()
        if column == "status":
            return frame["status"].cat.codes.to_numpy()
        if column != "category_id":
            return frame[column].to_numpy()
        labels = zip(self.counts.category_ids, self.counts.labels, strict=True)
        ordered = sorted(labels, key=lambda pair: (pair[0] is None, pair[1].casefold()))
        ranks = {number: rank for rank, (number, _) in enumerate(ordered)}
        return frame["category_id"].map(ranks).fillna(len(ranks)).to_numpy()


def _pages(counts: Summary) -> int:
    return max(1, -(-counts.total.count // ROWS_PER_PAGE))
