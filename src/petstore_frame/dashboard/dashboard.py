"""The dashboard as one thing: its top, its tabs, and what a notebook keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.inventory_tab import InventoryTab, static_copy
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.selection import Selection, StoreModel
from petstore_frame.dashboard.top import Top
from petstore_frame.dashboard.work import failure
from petstore_frame.errors import ArgumentError
from petstore_frame.history import HistoryOption, open_history
from petstore_frame.inventory import Inventory
from petstore_frame.loader.journal.database import place_of
from petstore_frame.schema.arguments import checked_client
from petstore_frame.schema.categories import Categories, category_labels, shown_labels
from petstore_frame.schema.text import minute_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.history_tab import HistoryTab
    from petstore_frame.dashboard.import_tab import ImportTab
    from petstore_frame.dashboard.stocktake_tab import StocktakeTab

TABS = {"Inventory": "inventory", "Import": "imports", "Stocktake": "stocktake",
        "History": "history"}  # fmt: skip


class Dashboard:
    """Show the store and act on it; the last line of a cell shows the dashboard.

    Each control on the screen is a widget of one of its tabs: ``dashboard.inventory.status.value =
    "sold"`` does what a click does, and ``dashboard.imports.send.click()`` sends.

    The numbers say what their listing covers: a count that is a minimum is marked "≥", and
    shares are shown only where the total is exact. With the live widgets the notebook keeps a
    static copy of the last numbers, which is what it shows when its kernel is gone.

    Args:
        client: The store, as a ``Client``.
        categories: Labels by category id: a dict, a Series or a CSV path.
        history: A ``History`` or its folder, for the tab that shows what changed.
        inventory: Pets read before from the same store, shown in place of a first reading.
        journal: Folder of the journals of imports; None is the user's state directory. Beside
            the journal of the store is its memory: what was answered for a file holds for the next
            one with the same header.
        folder: Where result files and large exports go; None is the working directory.
        wait_s: How long to wait for the first reading; a longer one goes on in the background.

    Attributes:
        widget: The live part, for a page of your own.
        inventory, imports, stocktake, history: The tabs, each with its controls by name.
        tabs: Which of them is open, as ``tabs.selected_index``.
        top: Refresh, Stop, and the field for a new key.

    Raises:
        ArgumentError: The client or the inventory is none, or they are of two stores.
        InputError: The categories file cannot be read.

    Interface: Endpoints, List all animals; Add an animal.
    """

    def __init__(
        self,
        client: Client,
        *,
        categories: Categories = None,
        history: HistoryOption = None,
        inventory: Inventory | None = None,
        journal: str | PathLike[str] | None = None,
        folder: str | PathLike[str] | None = None,
        wait_s: float = 10.0,
    ) -> None:
        checked_client(client, "ask_page")
        if not (inventory is None or isinstance(inventory, Inventory)):
            raise ArgumentError(f"inventory is an Inventory, got {type(inventory).__name__}")
        if inventory is not None and inventory.base_url != client.base_url:
            raise ArgumentError(
                f"inventory is of {inventory.base_url}, but client is of {client.base_url}; "
                "pass a client of the same store"
            )
        self._history = open_history(history)
        self._journal = None if journal is None else Path(journal)
        self._folder = Path.cwd() if folder is None else Path(folder)
        self._copies: list[Any] = []
        place, labels = place_of(self._journal, client.base_url), category_labels(categories)
        memory = Memory(place.parent / "memory" / place.stem, labels)
        self._kit = kit = Kit(self._show_failure)
        self.top = Top(kit, client, memory, self._take)
        self.inventory = InventoryTab(kit, self._folder)
        # The other tabs are made when they are first opened.
        self._places = (self.inventory.widget, *(kit.column() for _ in [*TABS][1:]))
        self.tabs = kit.make(widgets.Tab, self._places, titles=[*TABS], selected_index=0)
        self.tabs.observe(lambda _: self._draw_open(), "selected_index")
        self.widget = kit.column(kit.sheet(), self.top.widget, self.tabs, css="pf-dash")
        if inventory is not None:
            self.top.take(inventory)
        else:
            self.refresh()
            self.wait(wait_s)

    @cached_property
    def imports(self) -> ImportTab:
        """The tab that adds pets from a file."""
        from petstore_frame.dashboard.import_tab import ImportTab  # not before the first paint

        tab = ImportTab(self.top, self._journal, self._folder)
        self._places[1].children = (tab.widget,)
        return tab

    @cached_property
    def stocktake(self) -> StocktakeTab:
        """The tab that compares a list with the store."""
        from petstore_frame.dashboard.stocktake_tab import StocktakeTab

        tab = StocktakeTab(self.top, self._journal, self._open_pet)
        self._places[2].children = (tab.widget,)
        return tab

    @cached_property
    def history(self) -> HistoryTab:
        """The tab that shows what changed, and keeps snapshots."""
        from petstore_frame.dashboard.history_tab import HistoryTab

        tab = HistoryTab(self.top, self._history, self.inventory.pick)
        self._places[3].children = (tab.widget,)
        return tab

    @property
    def client(self) -> Client:
        """The store, with the key that was entered last."""
        return self.top.client

    def refresh(self) -> None:
        """Read the store again, in a thread; the old numbers stay until the new ones are whole."""
        self.top.read()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self.top.work.wait(timeout_s)

    def close(self) -> None:
        """End the dashboard's threads and take its widgets off the screen."""
        for name in {"imports", "stocktake"} & vars(self).keys():
            getattr(self, name).close()
        self.top.close()
        self.inventory.work.close()
        self._kit.close()

    def _show_failure(self, problem: Exception) -> None:
        self.top.work.say(failure(problem))

    def _open_pet(self, pet_id: str) -> None:
        self.tabs.selected_index = 0
        self.inventory.select(Selection(text=f"#{pet_id}"))

    def _draw_open(self) -> None:
        """Draw the tab that is open; the others are drawn when they are opened."""
        tab = getattr(self, [*TABS.values()][self.tabs.selected_index or 0])
        tab.draw()

    def _take(self, inventory: Inventory) -> None:
        labels = shown_labels(self.top.memory.categories)
        self.inventory.take(StoreModel(inventory, labels))
        if self.tabs.selected_index:
            self._draw_open()
        for copy in self._copies:
            copy.update(self._copy(), raw=True)

    def _copy(self) -> dict[str, str]:
        copy = static_copy(self.inventory.model)
        return {"text/html": copy, "text/plain": repr(self)}

    def __repr__(self) -> str:
        pets = self.top.inventory
        if pets is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        return (
            f"<Dashboard of {self.client.base_url}: {pets.completeness}; "
            f"data as of {minute_text(pets.fetched_at)}; run the cell again to use it>"
        )

    def _ipython_display_(self) -> None:
        """Show the live widgets, then the static copy as an output of its own."""
        import IPython.display

        display: Callable[..., Any] = IPython.display.display
        # A notebook without a kernel shows only the text of this output: there is none.
        view = self.widget._repr_mimebundle_() | {"text/plain": ""}
        display(view, raw=True)
        copy = display(self._copy(), raw=True, display_id=True)
        if copy is not None:  # there is none outside of IPython
            self._copies.append(copy)
