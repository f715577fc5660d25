"""What the dashboard shows for what its user has chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.pet_list import further_columns, number_places, pet_rows, place_in_words
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
    """What the user has asked to see."""

    status: str | None = None  # ``no status`` is one, too
    categories: frozenset[int | None] = frozenset()  # None for pets without one; empty for all
    text: str = ""  # part of a name in any case, or a whole id; with # in front that id alone
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
        turned = column == self.sort_by and not self.is_descending
        return replace(self, sort_by=column, is_descending=turned, page=1)


@dataclass(frozen=True)
class ShownPets:
    """What is on the screen: counts of the pets selected, and one page of them as text."""

    selection: Selection  # its page brought within the pages that there are
    counts: StatusCounts
    rows: list[tuple[str, ...]]
    further: list[str]  # names of the columns that a user added
    numbers: Collection[int]  # the columns that hold numbers
    first: int  # place of the first of ``rows`` among the pets selected, from 0
    of: int  # pets read in all, selected or not

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
        mask = self._mask(selection)
        counts = self.pets.count(mask, status=selection.status)
        last_page = max(1, -(-counts.total.count // ROWS_PER_PAGE))
        selection = replace(selection, page=min(max(1, selection.page), last_page))
        first = (selection.page - 1) * ROWS_PER_PAGE
        places = self._places(mask, selection)[first : first + ROWS_PER_PAGE]
        frame = self.pets.frame
        rows = pet_rows(frame.iloc[places], self.labels)
        further, numbers = further_columns(frame), number_places(frame)
        return ShownPets(selection, counts, rows, further, numbers, first, len(self.pets))

    def selected_inventory(self, selection: Selection) -> Inventory:
        """Return the pets selected, in the order asked, with what is known of that part."""
        rows = self.pets.frame.iloc[self._places(self._mask(selection), selection)]
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
        first, filters = replace(selection, page=1), list[tuple[str, Selection]]()
        if first.status:
            filters.append((f"Status: {first.status}", replace(first, status=None)))
        for number in sorted(first.categories, key=lambda id_: (id_ is None, id_ or 0)):
            rest = replace(first, categories=first.categories - {number})
            filters.append((f"Category: {category_name(number, self.labels)}", rest))
        if first.text:
            filters.append((f"Name or id: {first.text}", replace(first, text="")))
        return filters

    def _mask(self, selection: Selection) -> Mask | None:
        import numpy as np

        pets = self.pets
        masks: list[Mask] = []
        if selection.status is not None:
            at = [*pets.statuses, selection.status].index(selection.status)
            masks.append(pets.status_codes == at)
        if selection.categories:
            wanted = [number in selection.categories for number in pets.category_ids]
            masks.append(np.array(wanted, dtype=bool)[pets.category_codes])
        if selection.text:
            masks.append(self._text_mask(selection.text))
        return np.logical_and.reduce(masks) if masks else None

    def _text_mask(self, text: str) -> Mask:
        mask: Mask = self._lower_names.str.contains(text.lower(), regex=False).to_numpy(dtype=bool)
        digits = text.strip().removeprefix("#")
        is_number = digits.removeprefix("-").isdecimal() and len(digits) < 25
        if is_number and INT64_MIN <= int(digits) <= INT64_MAX:
            is_pet = self.pets.frame["id"].to_numpy() == int(digits)
            mask = is_pet if text.strip().startswith("#") else mask | is_pet
        return mask

    @cached_property
    def _lower_names(self) -> pd.Series[str]:
        names: pd.Series[str] = self.pets.frame["name"].astype("str").str.lower()
        return names

    def _places(self, mask: Mask | None, selection: Selection) -> NDArray[np.int64]:
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
