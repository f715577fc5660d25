"""Puts the tabs of the dashboard together, and keeps a static copy for a saved notebook."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.comparison_tab import StocktakeTab
from petstore_frame.dashboard.history_tab import HistoryTab
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.inventory_tab import InventoryTab
from petstore_frame.dashboard.store_header import Top
from petstore_frame.errors import ArgumentError
from petstore_frame.history import HistoryOption, open_history
from petstore_frame.inventory import Inventory
from petstore_frame.rendering import minute_text
from petstore_frame.schema import Categories, Labels
from petstore_frame.validation import checked_client

TITLES = ("Inventory", "Import", "Stocktake", "History")
FIRST_WAIT_S = 10.0  # for the first reading; a longer one goes on in the background


class Dashboard(Top):
    """Show the store and act on it; the last line of a cell shows the dashboard.

    Each control on the screen is a widget of the dashboard or of one of its tabs:
    ``dashboard.inventory.status.value = "sold"`` does what a click does, and
    ``dashboard.imports.send.click()`` sends.

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

    Attributes:
        widget: The live part, for a page of your own.
        tabs: Which tab is open, as ``tabs.selected_index``.
        inventory, imports, stocktake, history: The tabs, each with its controls by name.
        refresh, stop: Buttons: read the store again, in a thread; the old reading stays until the
            new one is there.
        api_key, use_key: Where the store refuses the key: a field for a new one, kept in the client
            alone, and its button.
        notice: What is said about the reading.
        client: The store, with the key that was entered last.
        pets: The Inventory that was read last, or None.

    Raises:
        ArgumentError: The client is none, or the inventory is of another store.
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
    ) -> None:
        checked_client(client, "ask_page")
        if inventory is not None and inventory.base_url != client.base_url:
            raise ArgumentError(
                f"inventory is of {inventory.base_url}, but client is of {client.base_url}; "
                "pass a client of the same store"
            )
        place = None if journal is None else Path(journal)
        super().__init__(client, categories, place, Path.cwd() if folder is None else Path(folder))
        kit, self._copies = self.kit, list[Any]()
        self.inventory = InventoryTab(kit, self.folder)
        self.imports = ImportTab(self)
        self.stocktake = StocktakeTab(self)
        self.history = HistoryTab(self, open_history(history), self.inventory.pick)
        self._tabs = (self.inventory, self.imports, self.stocktake, self.history)
        shown = [tab.widget for tab in self._tabs]
        self.tabs = kit.make(widgets.Tab, shown, titles=TITLES, selected_index=0)
        self._draw_tab = kit.answering(self._draw_open_tab)
        self.tabs.observe(lambda _: self._draw_tab(), "selected_index")
        self.widget = kit.column(kit.sheet(), self.top, self.tabs, css="pf-dash")
        if inventory is not None:
            self._take(inventory)
        else:
            self._start()
            self.wait(FIRST_WAIT_S)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self.work.wait(timeout_s)

    def close(self) -> None:
        self.imports.close()
        self.stocktake.close()
        super().close()

    def _draw_tabs(self) -> None:
        if self.pets is not None:
            self.inventory.take(self.pets, Labels(self.memory.categories))
        if self.tabs.selected_index:
            self._draw_tab()
        for copy in self._copies:
            copy.update(self._copy(), raw=True)

    def _draw_open_tab(self) -> None:
        """Draw the tab that is open; the others are drawn when they are opened."""
        self._tabs[self.tabs.selected_index or 0].draw()

    def __repr__(self) -> str:
        if self.pets is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        return (
            f"<Dashboard of {self.client.base_url}: {self.pets.completeness}; "
            f"data as of {minute_text(self.pets.fetched_at)}; run the cell again to use it>"
        )

    def _copy(self) -> dict[str, str]:
        return {"text/html": self.inventory.static_copy(), "text/plain": repr(self)}

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
