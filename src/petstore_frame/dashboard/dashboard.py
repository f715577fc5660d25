"""The dashboard as one thing: the store at its top, its tabs, and what a notebook keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.inventory_tab import InventoryTab, static_copy
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.selection import Selection, StoreModel
from petstore_frame.dashboard.work import READING, Work, failure
from petstore_frame.errors import ArgumentError, AuthenticationError, PetstoreError
from petstore_frame.history import HistoryOption, open_history
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.inventory.completeness_view import after_badge, evidence_lines
from petstore_frame.loader.journal.database import place_of
from petstore_frame.markup import PAGE
from petstore_frame.markup.palette import FAILED_BADGE, verdict_badge
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
        wait_s: How long to wait for the first reading; a longer one goes on in the background.

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
        self.client, self.pets = client, inventory
        self.journal = None if journal is None else Path(journal)
        self.folder = Path.cwd() if folder is None else Path(folder)
        self._history = open_history(history)
        place, labels = place_of(self.journal, client.base_url), category_labels(categories)
        self.memory = Memory(place.parent / "memory" / place.stem, labels)
        self._made, self._copies = list[Client](), list[Any]()
        self._old = ""  # why what is shown is old
        self.kit = kit = Kit(self._show_failure, self._ask_for_key)
        self.work = Work(kit, self._draw_top)
        self.notice, self.stop = self.work.notice, self.work.stop
        self.refresh = kit.button("Refresh", self._start, "read the store again", icon="refresh")
        self.api_key = kit.make(widgets.Password, description="API key", placeholder="new key")
        self.use_key = kit.button("Use this key", self._use_key, "for this page alone; not kept")
        self._title, self._key_row = kit.html(), kit.row(self.api_key, self.use_key)
        show(self._key_row, False)
        self.inventory = InventoryTab(kit, self.folder)
        # The other tabs are made when they are first opened.
        self._places = (self.inventory.widget, *(kit.column() for _ in [*TABS][1:]))
        self.tabs = kit.make(widgets.Tab, self._places, titles=[*TABS], selected_index=0)
        self.tabs.observe(lambda _: self._draw_tab(), "selected_index")
        self.widget = kit.column(
            kit.sheet(), kit.row(self._title, kit.row(self.refresh, self.stop), css="pf-ends"),
            self._key_row, self.notice, self.tabs, css="pf-dash",
        )  # fmt: skip
        self._draw_top()
        if inventory is not None:
            self._take(inventory)
        else:
            self._start()
            self.wait(wait_s)

    @cached_property
    def imports(self) -> ImportTab:
        """The tab that adds pets from a file."""
        from petstore_frame.dashboard.import_tab import ImportTab  # not before the first paint

        tab = ImportTab(self)
        self._places[1].children = (tab.widget,)
        return tab

    @cached_property
    def stocktake(self) -> StocktakeTab:
        """The tab that compares a list with the store."""
        from petstore_frame.dashboard.stocktake_tab import StocktakeTab

        tab = StocktakeTab(self)
        self._places[2].children = (tab.widget,)
        return tab

    @cached_property
    def history(self) -> HistoryTab:
        """The tab that shows what changed, and keeps snapshots."""
        from petstore_frame.dashboard.history_tab import HistoryTab

        tab = HistoryTab(self, self._history)
        self._places[3].children = (tab.widget,)
        return tab

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self.work.wait(timeout_s)

    def open_pet(self, pet_id: str) -> None:
        """Show one pet in the Inventory tab."""
        self.tabs.selected_index = 0
        self.inventory.select(Selection(text=f"#{pet_id}"))

    def close(self) -> None:
        """End the threads, take the widgets off the screen, and close the client of a new key."""
        for name in {"imports", "stocktake"} & vars(self).keys():
            getattr(self, name).close()
        self.work.close()
        for client in self._made:
            client.close()
        self.kit.close()

    def _start(self) -> None:
        self.work.start("Reading the store …", self._read, stopping=READING)

    def _read(self) -> None:
        """Read, in a thread; the old reading stays where there is no new one."""
        still = "There is nothing to show yet."
        if self.pets is not None:
            still = f"What is shown is from {minute_text(self.pets.fetched_at)}."

        def report(pets: int) -> None:
            self.work.report(f"Reading the store: {pets:,} pets so far")

        try:
            self._take(fetch_inventory(self.client, progress=report))
        except KeyboardInterrupt:
            self.work.say(PAGE.warning("Reading was stopped", [still]))
        except PetstoreError as problem:
            cause = getattr(problem, "cause", None) or problem
            self._old = "Old: the last reading failed"
            if isinstance(cause, AuthenticationError):
                problem = cause
                self._ask_for_key()
            self.work.say(failure(problem, "The store could not be read", still))

    def _take(self, inventory: Inventory) -> None:
        """Show an Inventory in place of the old one."""
        self.pets, self._old = inventory, ""
        self.inventory.take(StoreModel(inventory, shown_labels(self.memory.categories)))
        if self.tabs.selected_index:
            self._draw_tab()
        for copy in self._copies:
            copy.update(self._copy(), raw=True)
        self.work.say("")
        show(self._key_row, False)
        self._draw_top()

    def _ask_for_key(self) -> None:
        self._old = "Old: the store refuses the key"
        show(self._key_row, True)
        self._draw_top()

    def _use_key(self) -> None:
        key, self.api_key.value = self.api_key.value.strip(), ""
        if key:
            self.client = self.client.with_key(key)
            self._made.append(self.client)  # the one before may be at work as yet
            self._start()

    def _show_failure(self, problem: Exception) -> None:
        self.work.say(failure(problem))

    def _draw_top(self) -> None:
        """Show what is known of the store."""
        pets = self.pets
        known: dict[str, Any] = {"as_of": None, "badge": verdict_badge(None)}
        if pets is not None:
            known = {
                "badge": verdict_badge(pets.completeness.verdict),
                "as_of": minute_text(pets.fetched_at),
                "after": after_badge(pets.completeness),
                "evidence": evidence_lines(pets.completeness),
                "old": self._old,
                "stale": FAILED_BADGE,
            }
        markup = PAGE.render("dashboard/top.html.j2", base_url=self.client.base_url, **known)
        if self._title.value != markup:  # else it would close what the user opened
            self._title.value = markup
        self.refresh.disabled = self.work.is_busy

    def _draw_tab(self) -> None:
        """Draw the tab that is open; the others are drawn when they are opened."""
        getattr(self, [*TABS.values()][self.tabs.selected_index or 0]).draw()

    def __repr__(self) -> str:
        if self.pets is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        return (
            f"<Dashboard of {self.client.base_url}: {self.pets.completeness}; "
            f"data as of {minute_text(self.pets.fetched_at)}; run the cell again to use it>"
        )

    def _copy(self) -> dict[str, str]:
        return {"text/html": static_copy(self.inventory.model), "text/plain": repr(self)}

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
