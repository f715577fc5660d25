"""The dashboard as one thing: header, tabs, refresh, and what a notebook keeps of it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame._internal.arguments import checked_client
from petstore_frame.client import Client
from petstore_frame.dashboard.buttons import ButtonGroup
from petstore_frame.dashboard.export import Exporter
from petstore_frame.dashboard.filters import Filters
from petstore_frame.dashboard.history_tab import HistoryTab
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.inventory_tab import InventoryTab
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.reading_bar import ReadingBar
from petstore_frame.dashboard.static_copy import static_copy
from petstore_frame.dashboard.style import SHEET
from petstore_frame.errors import ArgumentError
from petstore_frame.history import History, HistoryOption, open_history
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.schema.categories import Categories, category_labels, shown_labels
from petstore_frame.schema.text import minute_text


class Dashboard:
    """Show the store and act on it; the last line of a cell shows the dashboard.

    The numbers carry the claim of their listing: a count that is a minimum is marked "≥", and
    shares are shown only where the total is exact.

    Drawings answer: a mark has its exact number as a tooltip, and a click on it shows its pets.
    With the live widgets the notebook keeps a static copy of the last numbers, which is what it
    shows when its kernel is gone.

    Args:
        client: The store.
        categories: Labels by category id: a dict, a Series or a CSV path.
        history: A ``History`` or its folder, for the tab that shows what changed.
        inventory: Pets read before from the same store, shown in place of a first reading.
        journal: Folder of the journals of imports; None is the user's state directory.
        folder: Where result files and large exports go; None is the working directory.
        wait_s: How long to wait for the first reading, in seconds; a longer one goes on in the
            background.

    Attributes:
        widget: The live part, for a page of your own.

    Raises:
        ArgumentError: An argument is something else than described.
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
        kept = open_history(history)
        if not (inventory is None or isinstance(inventory, Inventory)):
            raise ArgumentError(f"inventory is an Inventory, got {type(inventory).__name__}")
        if inventory is not None and inventory.base_url != client.base_url:
            raise ArgumentError(
                f"inventory is of {inventory.base_url}, but client is of {client.base_url}; "
                "pass a client of the same store"
            )
        places = _path("journal", journal), _path("folder", folder)
        if not isinstance(wait_s, (int, float)) or not wait_s >= 0:
            raise ArgumentError(f"wait_s is a number of seconds, 0 or more, got {wait_s!r}")
        self.client = client
        self._labels = category_labels(categories)
        self._lock = RLock()
        self._copies: list[Any] = []
        self._kit = Kit()
        self.reading_bar = ReadingBar(
            self._kit,
            client.base_url,
            lambda progress: fetch_inventory(client, progress=progress),
            self._take,
            self._lock,
        )
        self._make_tabs(kept, *places)
        self._make_widgets()
        if inventory is not None:
            self.reading_bar.take(inventory)
        else:
            self.refresh()
            self.wait(wait_s)

    def _make_tabs(
        self, history: History | None, journal: Path | None, folder: Path | None
    ) -> None:
        kit, say = self._kit, self.reading_bar.say
        self.filters = Filters(kit, self._lock, self._chosen, say)
        self.inventory_tab = InventoryTab(kit, self._lock, self.filters)
        job = ImportJob(self.client, self._labels, journal=journal, results=folder)
        self.import_tab = ImportTab(kit, job, self.refresh, self._lock)
        self.history_tab = (
            None
            if history is None
            else HistoryTab(kit, history, shown_labels(self._labels), self.filters.picked)
        )
        send = self.inventory_tab.view.download
        self.export = Exporter(kit, self._on_screen, send, say, folder=folder)
        self._tabs = {"Inventory": self.inventory_tab.widget, "Import": self.import_tab.widget}
        if self.history_tab is not None:
            self._tabs["History"] = self.history_tab.widget

    def _make_widgets(self) -> None:
        bar = self.reading_bar
        self.tabs = ButtonGroup(self._open_tab, "pf-tabs")
        self.tabs.show(list(self._tabs))
        self.tabs.widget.index = 0
        sheet = self._kit.html(SHEET)
        top = self._kit.row(bar.header, self._kit.row(bar.actions, self.export.widget))
        top.add_class("pf-top")
        self.widget = widgets.VBox(
            [sheet, top, bar.notice, self.tabs.widget, self.filters.widget, *self._tabs.values()]
        ).add_class("pf-dash")
        self._open_tab(0)

    def refresh(self, *, resume: bool = False) -> None:
        """Read the store again, in a thread; the old numbers stay until the new ones are whole.

        Args:
            resume: Go on with a reading that broke off half-way.
        """
        self.reading_bar.start(resume=resume)

    @property
    def inventory(self) -> Inventory | None:
        """The Inventory on the screen, or None before there is one."""
        return self.reading_bar.inventory

    @property
    def last_import(self) -> LoadResult | None:
        """What became of the last file imported here, or None."""
        return self.import_tab.last

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self.reading_bar.wait(timeout_s)

    def close(self) -> None:
        """End the dashboard's threads and take its widgets off the screen."""
        self.reading_bar.close()
        self.import_tab.close()
        self.export.wait()
        _close(self.widget)

    def _open_tab(self, index: int) -> None:
        self._opened = [*self._tabs][index]
        for name, part in self._tabs.items():
            show(part, name == self._opened)
        has_pets = self.inventory_tab.model is not None
        show(self.filters.widget, has_pets and self._opened != "Import")
        show(self.inventory_tab.widget, has_pets and self._opened == "Inventory")
        self._show_history()

    def _show_history(self) -> None:
        if self.history_tab is not None and self._opened == "History":
            self.history_tab.show(self.filters.selection)

    def _chosen(self, selection: Selection) -> None:
        self.inventory_tab.show(selection)
        self._show_history()

    def _on_screen(self) -> tuple[StoreModel, Selection] | None:
        model = self.inventory_tab.model
        return None if model is None else (model, self.filters.selection)

    def _take(self, inventory: Inventory) -> None:
        model = StoreModel(inventory, shown_labels(self._labels))
        self.inventory_tab.take(model)
        self._open_tab([*self._tabs].index(self._opened))
        for copy in self._copies:
            kept = {"text/html": static_copy(model), "text/plain": repr(self)}
            copy.update(kept, raw=True)

    def __repr__(self) -> str:
        if self.inventory is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        as_of = minute_text(self.inventory.fetched_at)
        return (
            f"<Dashboard of {self.client.base_url}: {self.inventory.claim}; "
            f"data as of {as_of}; run the cell again to use it>"
        )

    def _ipython_display_(self) -> None:
        """Show the live widgets, then the static copy as an output of its own."""
        notebook = _notebook()
        # A notebook without a kernel shows only the text of this output: there is none.
        view = self.widget._repr_mimebundle_() | {"text/plain": ""}
        notebook.display(view, raw=True)
        copy = {"text/html": static_copy(self.inventory_tab.model), "text/plain": repr(self)}
        self._copies.append(notebook.display(copy, raw=True, display_id=True))


def _notebook() -> Any:
    """Return IPython's display module, which is installed wherever a notebook runs."""
    import IPython.display

    return IPython.display


def _path(name: str, folder: str | PathLike[str] | None) -> Path | None:
    if not (folder is None or isinstance(folder, (str, PathLike))):
        raise ArgumentError(f"{name} is a folder, got {folder!r}")
    return None if folder is None else Path(folder)


def _close(widget: widgets.Widget) -> None:
    """Close a widget with all that belongs to it."""
    for child in getattr(widget, "children", ()):
        _close(child)
    for part in ("style", "layout"):
        if widget.has_trait(part):
            getattr(widget, part).close()
    widget.close()
