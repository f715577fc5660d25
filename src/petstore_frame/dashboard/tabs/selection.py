"""Selects and sorts the pets for the Inventory tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.inventory import Inventory, select_part
from petstore_frame.schema import NO_STATUS

if TYPE_CHECKING:
    import pandas as pd

Names = Mapping[int | None, str]  # category names by id; the id None is for pets without a category


class Selection(NamedTuple):
    """The filters and the order of the Inventory tab."""

    status: str = ""  # also ``no status``; empty for all
    categories: tuple[str, ...] = ()  # names or ids; empty for all
    text: str = ""  # part of a name, ignoring case, or a complete id
    order: str = "id"  # a column; a leading - means descending

    @property
    def description(self) -> str:
        """What the pets have, as in "61 pets with status sold"; empty if all are shown."""
        parts = []
        if self.categories:
            names = " or ".join(self.categories)  # some are "Category 7" or "no category"
            parts.append(names if "category" in names.casefold() else f"category {names}")
        if self.status:
            parts.append(self.status if self.status == NO_STATUS else f"status {self.status}")
        if self.text:
            parts.append(f"“{self.text}” in the name")
        return ", ".join(parts)

    def of(self, inventory: Inventory, names: Names) -> Inventory:
        """Return the selected pets in order, with the completeness of the selection."""
        rows = inventory.frame
        if self.status:
            rows = rows[_has_status(rows, self.status)]
        if self.categories:
            numbers = self._numbers(names)
            is_in = rows["category_id"].isin(numbers - {None})
            is_without = rows["category_id"].isna() & (None in numbers)
            rows = rows[is_in | is_without]
        if self.text:
            is_named = rows["name"].astype("str").str.contains(self.text, case=False, regex=False)
            rows = rows[is_named | rows["id"].astype("str").eq(self.text)]
        rows = self._sorted(rows, names)
        if not self.description:
            return replace(inventory, frame=rows)
        statuses = [self.status] if self.status else None
        return select_part(inventory, rows, self.description, statuses)

    def _numbers(self, names: Names) -> set[int | None]:
        """Return the ids of the categories that were selected by name or id."""
        return {
            number
            for number, name in names.items()
            if name in self.categories or str(number) in self.categories
        }

    def _sorted(self, rows: pd.DataFrame, names: Names) -> pd.DataFrame:
        """Sort pets: names without regard to case, categories by their name."""
        column = self.order.removeprefix("-")

        def sort_keys(values: pd.Series[Any]) -> pd.Series[Any]:
            texts = values.map(names) if column == "category_id" else values
            return texts.str.lower() if column in ("name", "category_id") else values

        is_ascending = column == self.order
        return rows.sort_values(column, ascending=is_ascending, kind="stable", key=sort_keys)


def _has_status(rows: pd.DataFrame, status: str) -> Any:
    values = rows["status"]
    if status == NO_STATUS:
        return values.isna() | values.eq(status).astype("bool")
    return values.eq(status).astype("bool")
