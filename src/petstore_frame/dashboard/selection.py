"""Which pets of an Inventory are shown, counted and put in order for what was chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.pet_list import further_columns, number_places, pet_rows, place_in_words
from petstore_frame.counts.tally import CodedPets, StatusCounts
from petstore_frame.inventory import Inventory
from petstore_frame.schema.models import INT64_MAX, INT64_MIN

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from petstore_frame.counts.tally import Mask

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
    def selected_counts(self) -> StatusCounts:
        """The counts of the status chosen alone: no pet of another is shown, so none is counted."""
        if not self.selection.status:
            return self.counts
        at = self.counts.statuses.index(self.selection.status)
        one = slice(at, at + 1)
        return replace(
            self.counts,
            statuses=self.counts.statuses[one],
            exact=self.counts.exact[one],
            cells=self.counts.cells[:, one],
        )

    @property
    def matches(self) -> int:
        return self.counts.total.count

    @property
    def pages(self) -> int:
        return max(1, -(-self.matches // ROWS_PER_PAGE))

    @property
    def place(self) -> str:
        return place_in_words(self.first, len(self.rows), self.counts.total)

    @property
    def words(self) -> str:
        """What is shown: ``28 of 610 pets: Dog, pending``."""
        if not self.selection.is_filtered:
            is_whole = self.counts.total.is_exact
            return "Showing all pets." if is_whole else "Showing all pets that could be read."
        total = self.counts.total
        return f"Showing {total} of the {self.of:,} pets read: {self.selection.words}"


class StoreModel:
    """An Inventory made ready to be asked for selections; ``labels`` name categories by id."""

    def __init__(self, inventory: Inventory, labels: Mapping[int, str]) -> None:
        self.inventory, self.labels = inventory, dict(labels)
        self.pets = CodedPets.of(inventory, self.labels)
        self._orders: dict[str, NDArray[np.int64]] = {}

    def show(self, selection: Selection) -> ShownPets:
        """Answer a selection; a page beyond the last is brought back to the last."""
        mask = self._mask(selection)
        counts = self.pets.count(mask, status=selection.status or None)
        last_page = max(1, -(-counts.total.count // ROWS_PER_PAGE))
        selection = replace(selection, page=min(max(1, selection.page), last_page))
        first = (selection.page - 1) * ROWS_PER_PAGE
        places = self._places(mask, selection.order)[first : first + ROWS_PER_PAGE]
        frame = self.pets.frame
        rows = pet_rows(frame.iloc[places], self.labels)
        further, numbers = further_columns(frame), number_places(frame)
        return ShownPets(selection, counts, rows, further, numbers, first, len(self.pets))

    def part(self, selection: Selection) -> Inventory:
        """Return the pets selected, in the order chosen, with what is known of that part."""
        rows = self.pets.frame.iloc[self._places(self._mask(selection), selection.order)]
        if not selection.is_filtered:
            return replace(self.inventory, frame=rows)
        statuses = [selection.status] if selection.status else None
        return self.inventory.part(rows, selection.words, statuses)

    def categories(self, text: str) -> set[int | None]:
        """Return the ids of the categories with this name or id, or else with it in their name."""
        pairs = [*zip(self.pets.labels, self.pets.category_ids, strict=True)]
        exact = {number for label, number in pairs if text in (label, str(number))}
        wanted = text.casefold().strip()
        return exact or {number for label, number in pairs if wanted in label.casefold()}

    def _mask(self, selection: Selection) -> Mask | None:
        import numpy as np

        pets, masks = self.pets, list[Any]()
        if selection.status:
            at = [*pets.statuses, selection.status].index(selection.status)
            masks.append(pets.status_codes == at)
        if selection.category:
            found = self.categories(selection.category)
            wanted = [number in found for number in pets.category_ids]
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

    def _places(self, mask: Mask | None, order: str) -> NDArray[np.int64]:
        column = order.removeprefix("-")
        if column not in self._orders:
            self._orders[column] = self._sort_keys(column).argsort(kind="stable")
        places = self._orders[column]
        if mask is not None:
            places = places[mask[places]]
        return places[::-1] if order.startswith("-") else places

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
