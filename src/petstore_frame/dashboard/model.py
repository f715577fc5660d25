"""What the dashboard shows for what its user has chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.pet_list import (
    further_columns,
    number_places,
    pet_rows,
    place_in_words,
)
from petstore_frame.counts.tally import CodedPets, StatusCounts
from petstore_frame.inventory import Inventory
from petstore_frame.schema.categories import category_name
from petstore_frame.schema.models import INT64_MAX, INT64_MIN, PET_COLUMNS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from petstore_frame.counts.tally import Mask

ROWS_PER_PAGE = 50
SORT_COLUMNS = PET_COLUMNS


@dataclass(frozen=True)
class Selection:
    """What the user has asked to see.

    Attributes:
        status: A status, ``no status``, or None for all.
        categories: Category ids, None for pets without one; empty for all.
        text: Part of a name in any case, or a whole id, with # in front that id alone; empty for
            all.
        sort_by: A column of the pets' table.
        is_descending: Whether the table starts at the other end.
        page: 1 for the first.
    """

    status: str | None = None
    categories: frozenset[int | None] = frozenset()
    text: str = ""
    sort_by: str = "id"
    is_descending: bool = False
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        return bool(self.status or self.categories or self.text)

    def cleared(self) -> Selection:
        """Return the same order with no filter."""
        return Selection(sort_by=self.sort_by, is_descending=self.is_descending)

    def sorted_by(self, column: str) -> Selection:
        """Return the selection in the order of a column; asked again, from its other end."""
        turned = not self.is_descending if column == self.sort_by else False
        return replace(self, sort_by=column, is_descending=turned, page=1)


@dataclass(frozen=True)
class ShownPets:
    """What is on the screen.

    Attributes:
        selection: What was asked, its page brought within the pages that there are.
        counts: By category and status, of the pets selected.
        rows: One page of pets as text, column by column.
        further: The names of the columns that a user added.
        numbers: Which columns hold numbers.
        first: Place of the first of ``rows`` among the pets selected, from 0.
        of: Pets read in all, selected or not.
    """

    selection: Selection
    counts: StatusCounts
    rows: list[tuple[str, ...]]
    further: list[str]
    numbers: Collection[int]
    first: int
    of: int

    @property
    def matches(self) -> int:
        return self.counts.total.count

    @property
    def pages(self) -> int:
        return max(1, -(-self.matches // ROWS_PER_PAGE))

    @property
    def place(self) -> str:
        return place_in_words(self.first, len(self.rows), self.counts.total)


class StoreModel:
    """An Inventory made ready to be asked for selections; ``labels`` name categories by id."""

    def __init__(self, inventory: Inventory, labels: Mapping[int, str] | None = None) -> None:
        self.inventory = inventory
        self.labels = dict(labels or {})
        self.pets = CodedPets.of(inventory, self.labels)
        self._orders: dict[str, NDArray[np.int64]] = {}

    def show(self, selection: Selection) -> ShownPets:
        """Answer a selection.

        A page beyond the last is brought back to the last, for rows vanish under a filter.
        """
        mask = self.mask(selection)
        counts = self.pets.count(mask, status=selection.status)
        last_page = max(1, -(-counts.total.count // ROWS_PER_PAGE))
        selection = replace(selection, page=min(max(1, selection.page), last_page))
        first = (selection.page - 1) * ROWS_PER_PAGE
        places = self._places(mask, selection)[first : first + ROWS_PER_PAGE]
        frame = self.pets.frame
        rows = pet_rows(frame.iloc[places], self.labels)
        further, numbers = further_columns(frame), number_places(frame)
        return ShownPets(selection, counts, rows, further, numbers, first, len(self.pets))

    def mask(self, selection: Selection) -> Mask | None:
        """Return which pets are selected, or None for all of them."""
        mask: Mask | None = None
        for part in self._parts(selection):
            mask = part if mask is None else mask & part
        return mask

    def selected(self, selection: Selection) -> NDArray[np.int64]:
        """Return the places in the frame of all selected pets, in the order asked."""
        return self._places(self.mask(selection), selection)

    def selected_inventory(self, selection: Selection) -> Inventory:
        """Return the pets selected, in the order asked, with what is known of that part."""
        rows = self.pets.frame.iloc[self.selected(selection)]
        if not selection.is_filtered:
            return replace(self.inventory, frame=rows)
        words = [text.replace(": ", " ", 1) for text, _ in self.describe(selection)]
        statuses = None if selection.status is None else [selection.status]
        return self.inventory.part(rows, ", ".join(words), statuses)

    def category_options(self) -> dict[str, int | None]:
        """Return what a category may be called when it is searched for."""
        held = self.pets.category_ids
        numbers = {str(number): number for number in held if number is not None}
        return dict(zip(self.pets.labels, held, strict=True)) | numbers

    def find_categories(self, text: str) -> list[int | None]:
        """Return the ids of the categories with this name or id, or else with it in their name."""
        options = self.category_options()
        if text in options:
            return [options[text]]
        wanted = text.casefold().strip()
        by_name = zip(self.pets.labels, self.pets.category_ids, strict=True)
        return [number for label, number in by_name if wanted and wanted in label.casefold()]

    def describe(self, selection: Selection) -> list[tuple[str, Selection]]:
        """Return each active filter as text, with the selection that is left without it."""
        filters: list[tuple[str, Selection]] = []
        if selection.status:
            filters.append((f"Status: {selection.status}", replace(selection, status=None, page=1)))
        for number in sorted(selection.categories, key=lambda id_: (id_ is None, id_ or 0)):
            rest = replace(selection, categories=selection.categories - {number}, page=1)
            filters.append((f"Category: {category_name(number, self.labels)}", rest))
        if selection.text:
            filters.append((f"Name or id: {selection.text}", replace(selection, text="", page=1)))
        return filters

    def _parts(self, selection: Selection) -> Iterator[Mask]:
        """Yield one mask for each active filter."""
        import numpy as np

        if selection.status is not None:
            statuses = self.pets.statuses
            at = statuses.index(selection.status) if selection.status in statuses else -1
            yield self.pets.status_codes == at
        if selection.categories:
            wanted = [number in selection.categories for number in self.pets.category_ids]
            yield np.array(wanted, dtype=bool)[self.pets.category_codes]
        if selection.text:
            yield self._text_mask(selection.text)

    def _text_mask(self, text: str) -> Mask:
        mask: Mask = self._lower_names.str.contains(text.lower(), regex=False).to_numpy(dtype=bool)
        digits = text.strip().removeprefix("#")
        if (
            digits.removeprefix("-").isdecimal()
            and len(digits) < 25
            and INT64_MIN <= int(digits) <= INT64_MAX
        ):
            is_pet = self.pets.frame["id"].to_numpy() == int(digits)
            mask = is_pet if text.strip().startswith("#") else mask | is_pet
        return mask

    @cached_property
    def _lower_names(self) -> pd.Series[str]:
        names: pd.Series[str] = self.pets.frame["name"].astype("str").str.lower()
        return names

    def _places(self, mask: Mask | None, selection: Selection) -> NDArray[np.int64]:
        """Return the places of the selected pets in the frame, in the order asked."""
        order = self._orders.get(selection.sort_by)
        if order is None:
            order = self._sort_keys(selection.sort_by).argsort(kind="stable")
            self._orders[selection.sort_by] = order
        places = order if mask is None else order[mask[order]]
        return places[::-1] if selection.is_descending else places

    def _sort_keys(self, column: str) -> NDArray[Any]:
        """Return what a column is ordered by: names in lower case, categories by their label."""
        import numpy as np

        if column == "name":
            return self._lower_names.to_numpy()
        if column == "status":
            return self.pets.status_codes
        if column != "category_id":
            return self.pets.frame[column].to_numpy()
        keys = [(not label, label.casefold()) for label in self.pets.labels]
        ranks = np.empty(len(keys), dtype=np.int64)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return ranks[self.pets.category_codes]
