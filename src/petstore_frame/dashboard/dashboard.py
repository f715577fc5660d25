"""The dashboard as one thing: header, tabs, refresh, and what a notebook keeps of it.

In: a client. Out: widgets on the screen and a static copy beside them.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.arguments import checked_client
from petstore_frame.categories import Categories, category_labels, shown_labels
from petstore_frame.client import Client
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.buttons import ButtonGroup
from petstore_frame.dashboard.export import Exporter
from petstore_frame.dashboard.history_tab import HistoryTab
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.inventory_tab import InventoryTab
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.refresh import Refresher
from petstore_frame.dashboard.static_copy import static_copy
from petstore_frame.dashboard.style import SHEET
from petstore_frame.errors import ArgumentError
from petstore_frame.history import History, HistoryOption, open_history
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.results import LoadResult


class Dashboard:
    """See the store and act on it; the last line of a cell shows it.

    The numbers carry the claim of the listing that they come from: a count that may be short of
    the store's is marked "≥", and shares are left out while the total is.

    Beside the live widgets the cell shows a closed static copy of the last numbers, which is what
    a saved notebook still has when its kernel is gone.

    Args:
        client: The store.
        categories: Labels by category id: a dict, a Series or a CSV path.
        history: A ``History`` or its folder, for the tab that shows what changed.
        inventory: Pets read before, shown in place of a first reading.
        journal: Folder of the journals of imports; None is the user's state directory.
        folder: Where result files and large exports go; None is the working directory.
        wait_s: Seconds that making a dashboard waits for the first reading, which then goes on
            behind it.

    Attributes:
        inventory: The Inventory on the screen, or None before there is one.
        widget: The live part, for a page of your own.

    Raises:
        ArgumentError: The client, the history or the inventory is something else.
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
        self.client = client
        self.inventory: Inventory | None = None
        self._labels = category_labels(categories)
        self._lock = RLock()
        self._copies: list[Any] = []
        self._refresher = Refresher(
            lambda progress: fetch_inventory(client, progress=progress), self
        )
        self._kit = Kit()
        self._make_tabs(kept, _path(journal), _path(folder))
        self._make_widgets()
        if inventory is not None:
            self._take(inventory)
        else:
            self.refresh()
            self._refresher.wait(wait_s)

    def _make_tabs(
        self, history: History | None, journal: Path | None, folder: Path | None
    ) -> None:
        self.inventory_tab = InventoryTab(self._kit, self._lock, self._say)
        job = ImportJob(self.client, self._labels, journal=journal, results=folder)
        self.import_tab = ImportTab(self._kit, job, self.refresh, self._lock)
        self.history_tab = HistoryTab(self._kit, history) if history is not None else None
        self.export = Exporter(self._kit, self._on_screen, folder=folder)
        inventory_part = self._kit.column(
            self.inventory_tab.widget, self.export.widget, may_hide=True
        )
        self._tabs = {"Inventory": inventory_part, "Import": self.import_tab.widget}
        if self.history_tab is not None:
            self._tabs["History"] = self.history_tab.widget

    def _make_widgets(self) -> None:
        kit = self._kit
        self._header, self._notice = kit.html(parts.header(None, self.client.base_url)), kit.html()
        self._refresh = kit.button("Refresh", "read the store again", self.refresh)
        self._cancel = kit.button("Cancel", "stop reading", self._refresher.cancel, may_hide=True)
        self._resume = kit.button("Resume", "go on where it broke off", self._go_on, may_hide=True)
        self._switch = ButtonGroup(self._open_tab, "pf-tabs")
        self._switch.show(list(self._tabs))
        self._switch.widget.index = 0
        actions = kit.row(self._refresh, self._cancel, self._resume)
        top = kit.row(self._header, actions).add_class("pf-top")
        self.widget = widgets.VBox(
            [kit.html(SHEET), top, self._notice, self._switch.widget, *self._tabs.values()]
        ).add_class("pf-dash")
        self._show_actions(is_busy=False, may_resume=False)
        self._open_tab(0)

    def refresh(self, *, resume: bool = False) -> None:
        """Read the store again, in a thread; the old numbers stay until the new ones are whole.

        Args:
            resume: Go on with a reading that broke off half-way.
        """
        with self._lock:
            if self._refresher.start(resume=resume):
                self._say(parts.progress("Reading the store …"))
                self._show_actions(is_busy=True, may_resume=False)

    @property
    def last_import(self) -> LoadResult | None:
        """What became of the last file imported here, or None."""
        return self.import_tab.last

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self._refresher.wait(timeout_s)

    def reading(self, pets: int) -> None:
        """Show how far a reading is; called from its thread."""
        self._say(parts.progress(f"Reading the store: {pets:,} pets so far"))

    def read(self, inventory: Inventory) -> None:
        """Show a new reading in place of the old one; called from its thread."""
        with self._lock:
            self._take(inventory)
            self._say("")
            self._show_actions(is_busy=False, may_resume=False)

    def broken_off(self, problem: BaseException | None, *, may_resume: bool) -> None:
        """Say why there is no new reading, the old one staying; called from its thread."""
        with self._lock:
            if problem is None:
                self._say(parts.warning("Reading was cancelled", [self._still_shown()]))
            else:
                title = "The store could not be read"
                self._say(parts.failure(title, problem, self._still_shown()))
            self._show_actions(is_busy=False, may_resume=may_resume)

    def close(self) -> None:
        """End the dashboard's threads and take its widgets off the screen."""
        self._refresher.cancel()
        self._refresher.wait()
        self.import_tab.close()
        self.export.wait()
        _close(self.widget)

    def _go_on(self) -> None:
        self.refresh(resume=True)

    def _open_tab(self, index: int) -> None:
        for at, (name, part) in enumerate(self._tabs.items()):
            show(part, at == index)
            if at == index and name == "History" and self.history_tab is not None:
                self.history_tab.show()

    def _on_screen(self) -> tuple[StoreModel, Selection] | None:
        model = self.inventory_tab.model
        return None if model is None else (model, self.inventory_tab.selection)

    def _take(self, inventory: Inventory) -> None:
        model = StoreModel(inventory, shown_labels(self._labels))
        self.inventory = inventory
        self._header.value = parts.header(inventory, self.client.base_url)
        self.inventory_tab.take(model)
        for copy in self._copies:
            copy.update(_notebook().HTML(static_copy(model)))

    def _still_shown(self) -> str:
        if self.inventory is None:
            return "There is nothing to show yet."
        return f"What is shown is from {parts.utc_text(self.inventory.fetched_at)}."

    def _say(self, markup: str) -> None:
        self._notice.value = markup

    def _show_actions(self, *, is_busy: bool, may_resume: bool) -> None:
        self._refresh.disabled = is_busy
        show(self._cancel, is_busy)
        show(self._resume, may_resume)

    def __repr__(self) -> str:
        if self.inventory is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        as_of = parts.utc_text(self.inventory.fetched_at)
        return (
            f"<Dashboard of {self.client.base_url}: {self.inventory.claim}; "
            f"data as of {as_of}; run the cell again to use it>"
        )

    def _ipython_display_(self) -> None:
        """Show the live widgets, then the static copy as an output of its own."""
        notebook = _notebook()
        view = self.widget._repr_mimebundle_() | {"text/plain": repr(self)}
        notebook.display(view, raw=True)
        model = self.inventory_tab.model
        words = "<p></p>" if model is None else static_copy(model)
        self._copies.append(notebook.display(notebook.HTML(words), display_id=True))


def _notebook() -> Any:
    """Return what shows things in a notebook; it is there whenever a notebook asks for us."""
    import IPython.display

    return IPython.display


def _path(folder: str | PathLike[str] | None) -> Path | None:
    return None if folder is None else Path(folder)


def _close(widget: widgets.Widget) -> None:
    """Close a widget with all that belongs to it."""
    for child in getattr(widget, "children", ()):
        _close(child)
    for part in ("style", "layout"):
        if widget.has_trait(part):
            getattr(widget, part).close()
    widget.close()
