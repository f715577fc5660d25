"""The tabs of a dashboard; Import and Stocktake are created when they are first used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard.import_steps.unfinished_imports import read_unfinished
from petstore_frame.dashboard.page.store_header import StoreHeader
from petstore_frame.dashboard.page.widgets import WidgetFactory
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.dashboard.tabs.history_tab import HistoryTab
from petstore_frame.dashboard.tabs.import_tab import ImportTab
from petstore_frame.dashboard.tabs.inventory_tab import InventoryTab
from petstore_frame.dashboard.tabs.stocktake_tab import StocktakeTab
from petstore_frame.history import History

TITLES = ("Inventory", "Import", "Stocktake", "History")


class Tabs(widgets.Tab):  # type: ignore[misc]  # ipywidgets has no types
    """The tabs of a dashboard, which have its controls.

    Import and Stocktake have most of the controls, and few visitors need them, so they are created
    when they are first opened or used. The first numbers then appear sooner.

    Args:
        factory: Makes the widgets.
        store: The store that all tabs share.
        header: Reads the store again, and asks for a new key.
        history: What the History tab shows, or None.
        options: The layout and style that the widgets share.

    Attributes:
        inventory, imports, stocktake, history: The tabs.
    """

    def __init__(
        self,
        factory: WidgetFactory,
        store: StoreState,
        header: StoreHeader,
        history: History | None,
        **options: Any,
    ) -> None:
        self._factory, self._store, self._header = factory, store, header
        self.inventory = InventoryTab(factory.for_part(), store)
        self.history = HistoryTab(factory.for_part(), store, history, self.inventory.pick)
        self._imports: ImportTab | None = None
        self._stocktake: StocktakeTab | None = None
        self._imports_box, self._stocktake_box = factory.column(), factory.column()
        parts = (
            self.inventory.widget,
            self._imports_box,
            self._stocktake_box,
            self.history.widget,
        )
        super().__init__(parts, titles=TITLES, selected_index=0, **options)
        self.show_badge(len(read_unfinished(store)))

    @property
    def imports(self) -> ImportTab:
        if self._imports is None:
            part = self._factory.for_part()
            self._imports = ImportTab(part, self._store, self._header, self.show_badge)
            self._imports_box.children = [self._imports.widget]
        return self._imports

    @property
    def stocktake(self) -> StocktakeTab:
        if self._stocktake is None:
            part = self._factory.for_part()
            self._stocktake = StocktakeTab(part, self._store, self._header, self._imported_file)
            self._stocktake_box.children = [self._stocktake.widget]
        return self._stocktake

    @property
    def is_sending(self) -> bool:
        """Whether an import is sending pets."""
        return self._imports is not None and self._imports.background.is_sending

    def update_open_tab(self) -> None:
        """Update the open tab; the others are updated when they are opened."""
        title = TITLES[self.selected_index or 0]
        if title == "Inventory":
            self.inventory.update_view()
        elif title == "Import":
            self.imports.update_view()
        elif title == "Stocktake":
            self.stocktake.update_view()
        else:
            self.history.update_view()

    def show_badge(self, unfinished: int) -> None:
        """Show the number of unfinished imports in the title of the Import tab."""
        badge = f"Import ({unfinished})" if unfinished else "Import"
        self.titles = tuple(badge if title == "Import" else title for title in TITLES)

    def stop(self) -> None:
        """Stop the jobs of all tabs, and wait until they have ended."""
        if self._imports is not None:
            self._imports.close()
        if self._stocktake is not None:
            self._stocktake.close()

    def _imported_file(self) -> Path | None:
        """Return the file of the Import tab, or None."""
        return None if self._imports is None else self._imports.state.source
