"""The dashboard as one thing: header, tabs, refresh, and what a notebook keeps of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from os import PathLike
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar

import ipywidgets as widgets

from petstore_frame.charts.svg import element
from petstore_frame.dashboard.history_tab import HistoryTab
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.inventory_tab import Filters, InventoryTab, static_copy
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.stocktake_tab import StocktakeTab
from petstore_frame.dashboard.top import Exporter, ReadingBar
from petstore_frame.errors import ArgumentError, ConfigurationError
from petstore_frame.history import HistoryOption, open_history
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.settling.readback import SettlingClient
from petstore_frame.schema.arguments import checked_client
from petstore_frame.schema.categories import Categories, category_labels, shown_labels
from petstore_frame.schema.text import minute_text

Tab = TypeVar("Tab", ImportTab, HistoryTab, StocktakeTab)
TABS = ("Inventory", "Import", "Stocktake", "History")


class Dashboard:
    """Show the store and act on it; the last line of a cell shows the dashboard.

    The numbers say what their listing covers: a count that is a minimum is marked "≥", and
    shares are shown only where the total is exact.

    Drawings answer: a mark has its exact number as a tooltip, and a click on it shows its pets.
    With the live widgets the notebook keeps a static copy of the last numbers, which is what it
    shows when its kernel is gone.

    Args:
        client: The store, as a ``Client``.
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
        ConfigurationError: The widgets would stay blank here; the text says what works.
        InputError: The categories file cannot be read.

    Interface: Endpoints, List all animals; Add an animal.
    """

    def __init__(
        self,
        client: SettlingClient,
        *,
        categories: Categories = None,
        history: HistoryOption = None,
        inventory: Inventory | None = None,
        journal: str | PathLike[str] | None = None,
        folder: str | PathLike[str] | None = None,
        wait_s: float = 10.0,
    ) -> None:
        _check_place()
        checked_client(client, "ask_page")
        if not (inventory is None or isinstance(inventory, Inventory)):
            raise ArgumentError(f"inventory is an Inventory, got {type(inventory).__name__}")
        if inventory is not None and inventory.base_url != client.base_url:
            raise ArgumentError(
                f"inventory is of {inventory.base_url}, but client is of {client.base_url}; "
                "pass a client of the same store"
            )
        if not isinstance(wait_s, (int, float)) or not wait_s >= 0:
            raise ArgumentError(f"wait_s is a number of seconds, 0 or more, got {wait_s!r}")
        self.client, self._labels = client, category_labels(categories)
        self._history = open_history(history)
        for name, path in {"journal": journal, "folder": folder}.items():
            if not (path is None or isinstance(path, (str, PathLike))):
                raise ArgumentError(f"{name} is a folder, got {path!r}")
        self._journal = None if journal is None else Path(journal)
        self._folder = None if folder is None else Path(folder)
        self._kit, self._opened = Kit(), "Inventory"
        self._copies: list[Any] = []
        self._make_parts()
        self._open_tab(self._opened)
        self._closed = Event()
        beat, until = self.inventory_tab.view.beat, (self._closed,)
        self._beat = Thread(target=beat, args=until, name="petstore-beat", daemon=True)
        self._beat.start()
        if inventory is not None:
            self.reading_bar.take(inventory)
        else:
            self.refresh()
            self.wait(wait_s)

    def _make_parts(self) -> None:
        kit, client = self._kit, self.client
        self.reading_bar = bar = ReadingBar(
            kit,
            client.base_url,
            lambda progress: fetch_inventory(client, progress=progress),
            self._take,
        )
        self.filters = Filters(kit, self._show_open, bar.say)
        self.inventory_tab = InventoryTab(kit, self.filters)
        send = self.inventory_tab.view.download
        self.export = Exporter(
            kit, lambda: self.inventory_tab.model, self.filters, send, bar.say, self._folder
        )
        self.tabs = kit.live(lambda used: self._open_tab(used["tab"]))
        top = kit.column("pf-top", bar.view, self.export.view)
        parts = [kit.sheet(), top, bar.notice, self.tabs]
        self.widget = kit.column("pf-dash", *parts, self.filters.widget, self.inventory_tab.widget)

    @cached_property
    def import_tab(self) -> ImportTab:
        """The tab that adds pets from a file; made when it is first needed, as the next two."""
        return self._added(ImportTab(self._kit, self._job, self.refresh))

    @cached_property
    def _job(self) -> ImportJob:
        return ImportJob(self.client, self._labels, journal=self._journal, results=self._folder)

    @cached_property
    def stocktake_tab(self) -> StocktakeTab:
        """The tab that compares a list with the store."""

        def open_pet(pet_id: str) -> None:
            self._open_tab("Inventory")
            self.filters.drill(Selection(text=f"#{pet_id}"))

        return self._added(StocktakeTab(self._kit, self._job, lambda: self.inventory, open_pet))

    @cached_property
    def history_tab(self) -> HistoryTab:
        """The tab that shows what changed, and keeps snapshots."""
        labels, picked = shown_labels(self._labels), self.filters.picked
        return self._added(
            HistoryTab(self._kit, self._history, labels, picked, lambda: self.inventory)
        )

    def _added(self, tab: Tab) -> Tab:
        self._kit.show(tab.widget, False)
        self.widget.children = (*self.widget.children, tab.widget)
        return tab

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
        self._closed.set()
        self.reading_bar.close()
        if "import_tab" in vars(self):
            self.import_tab.close()
        if "stocktake_tab" in vars(self):
            self.stocktake_tab.wait()
        if "_job" in vars(self):
            self._job.close()
        self.export.wait()
        self._beat.join()
        self._kit.close()

    def _open_tab(self, name: str) -> None:
        """Show one tab; those that are not the first are made when they are first opened."""
        self._opened = name
        buttons = (
            element("button", each, class_="jupyter-button", data_tab=each,
                    aria_pressed="true" if each == name else "false")
            for each in TABS
        )  # fmt: skip
        self.tabs.markup = element("div", *buttons, class_="pf-tabs")
        show, has_pets = self._kit.show, self.inventory_tab.model is not None
        show(self.filters.widget, has_pets and name in ("Inventory", "History"))
        show(self.inventory_tab.widget, has_pets and name == "Inventory")
        for other in TABS[1:]:
            attribute = f"{other.lower()}_tab"
            if name == other or attribute in vars(self):
                show(getattr(self, attribute).widget, name == other)
        self._show_open()

    def _show_open(self) -> None:
        """Draw the selection where it is seen; other tabs draw it when they are opened."""
        selection = self.filters.selection
        if self._opened == "History":
            self.history_tab.show(selection)
        self.inventory_tab.show(selection, is_seen=self._opened == "Inventory")

    def _take(self, inventory: Inventory) -> None:
        self.inventory_tab.take(StoreModel(inventory, shown_labels(self._labels)))
        self._open_tab(self._opened)
        for copy in self._copies:
            copy.update(self._copy(), raw=True)

    def _copy(self) -> dict[str, str]:
        return {"text/html": static_copy(self.inventory_tab.model), "text/plain": repr(self)}

    def __repr__(self) -> str:
        if self.inventory is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        as_of = minute_text(self.inventory.fetched_at)
        return (
            f"<Dashboard of {self.client.base_url}: {self.inventory.completeness}; "
            f"data as of {as_of}; run the cell again to use it>"
        )

    def _ipython_display_(self) -> None:
        """Show the live widgets, then the static copy as an output of its own."""
        import IPython.display

        show: Callable[..., Any] = IPython.display.display
        # A notebook without a kernel shows only the text of this output: there is none.
        view = self.widget._repr_mimebundle_() | {"text/plain": ""}
        show(view, raw=True)
        copy = show(self._copy(), raw=True, display_id=True)
        if copy is not None:  # there is none outside of IPython
            self._copies.append(copy)


def _check_place() -> None:
    old = int(widgets.__version__.partition(".")[0]) < 8
    marimo = sys.modules.get("marimo")
    if old or (marimo is not None and marimo.running_in_notebook()):
        here = f"ipywidgets {widgets.__version__}" if old else "marimo"
        raise ConfigurationError(
            f"the dashboard needs ipywidgets 8 in Jupyter, and this is {here}; all else works "
            "here: pf.summarize(inventory), pf.charts, pf.write_report(inventory, 'stock.html'); "
            "`petstore-frame dashboard` in a terminal opens it in a browser"
        )
