"""The store of a dashboard and its last reading, which all tabs share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from petstore_frame.client import Client
from petstore_frame.dashboard.remembered_answers import Memory
from petstore_frame.errors import ArgumentError
from petstore_frame.inventory import Inventory

_NUMBERED = re.compile(r"(.+?)\s*\((-?\d+)\)")


@dataclass
class StoreState:
    """A store, its folders, and its last reading.

    Attributes:
        client: The store, with the key that was entered last.
        memory: The saved answers for files of this store.
        folder: Folder for result files, and the start of relative paths.
        journal: Folder of the import journals; None is the user's state directory.
        inventory: The last reading, or None.
        outdated: Why the last reading is out of date; empty if it is not.
        own_clients: Clients for keys that were entered on the page.
    """

    client: Client
    memory: Memory
    folder: Path
    journal: Path | None = None
    inventory: Inventory | None = None
    outdated: str = ""
    own_clients: list[Client] = field(default_factory=list)

    @property
    def used_numbers(self) -> set[int]:
        """The category numbers of the pets that were read."""
        if self.inventory is None:
            return set()
        return {*self.inventory.frame["category_id"].dropna().unique().tolist()}

    @property
    def free_number(self) -> int:
        """A category number that neither the store nor the saved settings use."""
        return max([0, *self.memory.categories, *self.used_numbers]) + 1

    def category_number(self, text: str, field_name: str = "category_id") -> str | int:
        """Return the number of the category that a user chose or typed; for other fields, the text.

        ``Ferret (9)`` is a new category if neither its name nor its number is in use; it is saved.

        Raises:
            ArgumentError: It is not a category, or its name or number is in use.
        """
        if field_name != "category_id":
            return text
        numbered = _NUMBERED.fullmatch(text)
        if numbered is not None:
            return self._new_or_same(numbered[1], int(numbered[2]))
        if text.removeprefix("-").isdecimal():
            return self._existing_number(int(text))
        number = self._number_of(text)
        if number is None:
            raise ArgumentError(
                f"no category is called {text!r}; choose one from the list, or type a new one with "
                f"its number: {text} ({self.free_number})"
            )
        return number

    def _number_of(self, label: str) -> int | None:
        for number, name in self.memory.categories.items():
            if name.casefold() == label.casefold():
                return number
        return None

    def _existing_number(self, number: int) -> int:
        if number not in self.memory.categories and number not in self.used_numbers:
            raise ArgumentError(
                f"category {number} is new, so it needs a name: type Name ({number})"
            )
        return number

    def _new_or_same(self, label: str, number: int) -> int:
        name, same_label = self.memory.categories.get(number), self._number_of(label)
        if name is not None and name.casefold() == label.casefold():
            return number
        if name is not None:
            raise ArgumentError(
                f"category {number} is already called {name}; choose "
                f"{name} ({number}), or type {label} ({self.free_number})"
            )
        if same_label is not None:
            raise ArgumentError(
                f"{label} is already category {same_label}; choose {label} ({same_label})"
            )
        if number in self.used_numbers:
            raise ArgumentError(
                f"the store already has pets in category {number}, which has no name yet; type "
                f"{number} if they are the same category, or {label} ({self.free_number})"
            )
        self.memory.name_categories({number: label})
        return number
