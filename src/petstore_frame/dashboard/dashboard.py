"""The dashboard as one thing: header, tabs, refresh, and what a notebook keeps of it.

In: a client. Out: widgets on the screen and a static copy beside them.
"""

from __future__ import annotations

from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.categories import Categories, category_labels
from petstore_frame.client import Client
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.inventory_tab import InventoryTab
from petstore_frame.dashboard.model import StoreModel
from petstore_frame.dashboard.refresh import Refresher
from petstore_frame.dashboard.style import SHEET
from petstore_frame.inventory import Inventory, fetch_inventory


class Dashboard:
    """See the store and act on it; the last line of a cell shows it.

    The numbers carry the claim of the listing that they come from: a count that may be short of
    the store's is marked "≥", and shares are left out while any count is.

    Args:
        client: The store.
        categories: Labels by category id: a dict, a Series or a CSV path.
        history: A ``History``, for the tab that shows what changed.
        inventory: Pets read before, shown in place of a first reading.
        wait_s: Seconds that making a dashboard waits for the first reading, which then goes on
            behind it.

    Raises:
        InputError: The categories file cannot be read.

    Interface: Endpoints, List all animals; Add an animal.
    """

    def __init__(
        self,
        client: Client,
        *,
        categories: Categories = None,
        history: Any = None,
        inventory: Inventory | None = None,
        wait_s: float = 10.0,
    ) -> None:
        self.client = client
        self.inventory: Inventory | None = None
        self._labels = category_labels(categories)
        self._lock = RLock()
        self._refresher = Refresher(
            lambda progress: fetch_inventory(client, progress=progress), self
        )
        self._make_widgets()
        if inventory is not None:
            self._take(inventory)
        else:
            self.refresh()
            self._refresher.wait(wait_s)

    def _make_widgets(self) -> None:
        self._header = widgets.HTML(parts.header(None, self.client.base_url))
        self._notice = widgets.HTML()
        self._refresh = widgets.Button(description="Refresh", tooltip="read the store again")
        self._cancel = widgets.Button(description="Cancel", tooltip="stop reading")
        self._resume = widgets.Button(description="Resume", tooltip="go on where it broke off")
        self._refresh.on_click(lambda _: self.refresh())
        self._cancel.on_click(lambda _: self._refresher.cancel())
        self._resume.on_click(lambda _: self.refresh(resume=True))
        self.tab = InventoryTab(self._lock, self._say)
        actions = widgets.Box([self._refresh, self._cancel, self._resume]).add_class("pf-row")
        self.widget = widgets.VBox(
            [widgets.HTML(SHEET), self._header, actions, self._notice, self.tab.widget]
        ).add_class("pf-dash")
        self._show_actions(is_busy=False, may_resume=False)

    def refresh(self, *, resume: bool = False) -> None:
        """Read the store again, in a thread; the old numbers stay until the new ones are whole.

        Args:
            resume: Go on with a reading that broke off half-way.
        """
        with self._lock:
            if self._refresher.start(resume=resume):
                self._show_actions(is_busy=True, may_resume=False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self._refresher.wait(timeout_s)

    def reading(self, pets: int) -> None:
        """Show how far a reading is."""
        self._say(parts.progress(f"Reading the store: {pets:,} pets so far"))

    def read(self, inventory: Inventory) -> None:
        """Show a new reading in place of the old one."""
        with self._lock:
            self._take(inventory)
            self._say("")
            self._show_actions(is_busy=False, may_resume=False)

    def broken_off(self, problem: BaseException | None, *, may_resume: bool) -> None:
        """Say why there is no new reading; the old one stays."""
        with self._lock:
            if problem is None:
                self._say(parts.warning("Reading was cancelled", [self._still_shown()]))
            else:
                title = "The store could not be read"
                self._say(parts.failure(title, problem, self._still_shown()))
            self._show_actions(is_busy=False, may_resume=may_resume)

    def _still_shown(self) -> str:
        if self.inventory is None:
            return "There is nothing to show yet."
        return f"What is shown is from {parts.utc_text(self.inventory.fetched_at)}."

    def _take(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._header.value = parts.header(inventory, self.client.base_url)
        self.tab.take(StoreModel(inventory, self._labels))

    def _say(self, markup: str) -> None:
        self._notice.value = markup

    def _show_actions(self, *, is_busy: bool, may_resume: bool) -> None:
        self._refresh.disabled = is_busy
        self._cancel.layout.display = "" if is_busy else "none"
        self._resume.layout.display = "" if may_resume else "none"

    def close(self) -> None:
        """End the dashboard's threads and take its widgets off the screen."""
        self._refresher.cancel()
        self._refresher.wait()
        _close(self.widget)

    def __repr__(self) -> str:
        if self.inventory is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        as_of = parts.utc_text(self.inventory.fetched_at)
        return (
            f"<Dashboard of {self.client.base_url}: {self.inventory.completeness}; "
            f"data as of {as_of}; run the cell again to use it>"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        view: dict[str, Any] = self.widget._repr_mimebundle_()
        return view | {"text/plain": repr(self)}


def _close(widget: widgets.Widget) -> None:
    for child in getattr(widget, "children", ()):
        _close(child)
    widget.close()
