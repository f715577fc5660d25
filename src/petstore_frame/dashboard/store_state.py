"""The store of a dashboard and its last reading, which all tabs share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from petstore_frame.client import Client
from petstore_frame.dashboard.category_numbers import CategoryNumbers
from petstore_frame.dashboard.remembered_answers import Memory
from petstore_frame.inventory import Inventory


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
    def categories(self) -> CategoryNumbers:
        """The names of the categories, and the numbers that the pets use."""
        return CategoryNumbers(self.memory.categories, self.used_numbers)
