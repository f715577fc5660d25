"""Which pets of an Inventory are shown, counted and put in order for what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.counts import Summary, summarize
from petstore_frame.errors import INT64
from petstore_frame.inventory import Inventory
from petstore_frame.markup import NO_STATUS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Selection:
    """What was chosen: a status, a category by name or id, part of a name, and the order."""

    status: str = ""  # ``no status`` is one, too
    category: str = ""
    text: str = ""  # part of a name in any case, or a whole id; with # in front that id alone
    order: str = "id"  # a column; with a - in front from its other end

    @property
    def words(self) -> str:
        """The filters as people say them, ``Dog, pending``; empty where all pets are shown."""
        name = self.text and f"name or id {self.text!r}"
        return ", ".join(filter(None, (self.category, self.status, name)))


class ShownPets(NamedTuple):
    """The pets of a selection in its order, with what is known of that part, and their counts."""

    selection: Selection
    pets: Inventory
    counts: Summary


class StoreModel:
    """An Inventory made ready to be asked for selections; ``labels`` name categories by id."""

    def __init__(self, inventory: Inventory, labels: Mapping[int, str] | None = None) -> None:
        self.inventory, self.labels = inventory, dict(labels or {})
        self.counts = counts = summarize(inventory, categories=self.labels)
        # What each category of the pets is called, also one without a label, and none at all.
        self.names = dict(zip(counts.category_ids, counts.labels, strict=True))
        self._shown = ShownPets(Selection(order=""), inventory, self.counts)

    def show(self, selection: Selection) -> ShownPets:
        """Answer a selection; the last answer is kept, as it has many pages."""
        if selection != self._shown.selection:
            rows, counts = self._sorted(self._chosen(selection), selection.order), self.counts
            pets = replace(self.inventory, frame=rows)
            if selection.words:
                statuses = [selection.status] if selection.status else None
                pets = self.inventory.part(rows, selection.words, statuses)
                counts = summarize(pets, categories=self.labels)
            self._shown = ShownPets(selection, pets, counts)
        return self._shown

    def _chosen(self, selection: Selection) -> pd.DataFrame:
        rows = self.inventory.frame
        if selection.status:
            status = rows["status"]
            is_none = status.isna() & (selection.status == NO_STATUS)
            rows = rows[status.eq(selection.status).astype("bool") | is_none]
        if selection.category:
            found, category = self._categories(selection.category), rows["category_id"]
            rows = rows[category.isin(found - {None}) | (category.isna() & (None in found))]
        if text := selection.text:
            mask = rows["name"].astype("str").str.contains(text, case=False, regex=False)
            digits = text.removeprefix("#")
            if digits.removeprefix("-").isdecimal() and int(digits) in INT64:
                is_pet = rows["id"].eq(int(digits))
                mask = is_pet if digits != text else mask | is_pet
            rows = rows[mask]
        return rows

    def _categories(self, text: str) -> set[int | None]:
        """Return the ids of the categories with this name or id, or else with it in their name."""
        exact = {each for each, label in self.names.items() if text in (label, str(each))}
        wanted = text.casefold()
        return exact or {each for each, label in self.names.items() if wanted in label.casefold()}

    def _sorted(self, rows: pd.DataFrame, order: str) -> pd.DataFrame:
        """Put pets in order: names in any case, categories by their label."""
        column = order.removeprefix("-")

        def keys(values: pd.Series[Any]) -> pd.Series[Any]:
            texts = values.map(self.names) if column == "category_id" else values
            return texts.str.lower() if column in ("name", "category_id") else values

        is_rising = not order.startswith("-")
        return rows.sort_values(column, ascending=is_rising, kind="stable", key=keys)
