"""Builds the dashboard from its tabs, with a static copy for saved notebooks."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakSet

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.page.local_time import utc_text
from petstore_frame.dashboard.page.notebook_cell import current_cell
from petstore_frame.dashboard.page.store_header import StoreHeader
from petstore_frame.dashboard.page.widgets import WidgetFactory
from petstore_frame.dashboard.state.remembered_answers import Memory
from petstore_frame.dashboard.state.store_state import StoreState, all_names
from petstore_frame.dashboard.tabs.tabs import Tabs
from petstore_frame.errors import ArgumentError
from petstore_frame.history import History, HistoryOption, open_history
from petstore_frame.inventory import Inventory
from petstore_frame.loader import known_category_names, place_of
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_client, checked_folder

FIRST_WAIT_S = 10.0  # for the first reading, which then continues in the background
EXIT_WAIT_S = 4.0  # Jupyter kills a kernel that takes longer than 5 s to end
_open_dashboards: WeakSet[Dashboard] = WeakSet()


class Dashboard(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Show a store, import files and compare lists in a notebook.

    To display the dashboard, make it the last line of a cell. Each control is a widget of the
    dashboard or of one of its tabs: ``dashboard.status.value = "sold"`` selects a status, and
    ``dashboard.tabs.imports.send.send.click()`` sends. The dashboard is a widget too, so it can be
    part of your own page.

    Minimum counts are marked "≥", and shares are shown only if the total is exact. A saved
    notebook keeps a static copy of the last numbers, which it shows if no kernel is running.

    Args:
        client: A ``Client`` of the store.
        categories: Labels by category id: a dict, a Series or a CSV path.
        history: A ``History`` or its folder, for the History tab; None asks for a folder.
        inventory: Pets of the same store that were read earlier; None reads the store.
        journal: Folder of the import journal; None is the user's state folder. Your answers for a
            file are saved next to it, for the next file with the same header, and so is the open
            file, for a page that starts again.
        folder: Folder for result files and large exports, and the start of relative paths on the
            page; None is the working directory.

    Attributes:
        tabs: The tabs, each with its controls; ``tabs.selected_index`` is the open one.
        inventory: The latest Inventory, or None.
        history: The History of the History tab, or None.
        status, categories, name: The filters of the Inventory tab.
        refresh, stop: The buttons that read the store again in the background, and stop that.
        api_key, use_key: The field and the button for a new API key, if the store rejects this one.
        notice: The message about the latest reading.
        cell: The notebook cell that shows the dashboard, or None.
        client: The client of the store, with the key that was entered last.

    Raises:
        ArgumentError: ``client`` is not a Client, or the inventory is from another store.
        InputError: The categories file cannot be read.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=20, seed=1) as server, server.client() as client:
        ...     dashboard = pf.Dashboard(client)
        ...     dashboard.status.value = "sold"
        ...     len(dashboard.inventory), len(dashboard.tabs.inventory.selected)
        ...     dashboard.close()
        (20, 8)

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
        journal_folder = None if journal is None else checked_folder("journal", journal)
        path = place_of(journal_folder, client.base_url)
        known_names = known_category_names(client.base_url, journal=journal_folder)
        names = all_names(dict(Labels.ids_and_labels(categories)), known_names)
        memory = Memory(path.parent / "memory" / path.stem, names)
        result_folder = (
            Path.cwd() if folder is None else checked_folder("folder", folder)
        ).absolute()
        self._store = StoreState(client, memory, result_folder, journal_folder)
        self._static_copies = list[Any]()
        self._factory = factory = WidgetFactory()
        self.cell = current_cell()
        _close_previous(self.cell)

        self._header = header = StoreHeader(factory.for_part(), self._store, self._on_read)
        self.tabs = factory.make(Tabs, factory, self._store, header, open_history(history))
        self._update_open_tab = factory.handling(self.tabs.update_open_tab)
        self.tabs.observe(lambda _: self._update_open_tab(), "selected_index")
        children = [factory.stylesheet(), self._header.widget, factory.message, self.tabs]
        super().__init__(children, layout=factory.layout)
        self.add_class("pf-dash")
        _open_dashboards.add(self)
        if inventory is not None:
            self._header.show(inventory)
        else:
            self._header.read()
            self.wait(FIRST_WAIT_S)

    @property
    def client(self) -> Client:
        return self._store.client

    @property
    def inventory(self) -> Inventory | None:
        return self._store.inventory

    @property
    def history(self) -> History | None:
        return self.tabs.history.history

    @property
    def status(self) -> widgets.Dropdown:
        return self.tabs.inventory.status

    @property
    def categories(self) -> Any:
        return self.tabs.inventory.categories

    @property
    def name(self) -> Any:
        return self.tabs.inventory.name

    @property
    def refresh(self) -> widgets.Button:
        return self._header.refresh

    @property
    def stop(self) -> widgets.Button:
        return self._header.stop

    @property
    def api_key(self) -> widgets.Password:
        return self._header.api_key

    @property
    def use_key(self) -> widgets.Button:
        return self._header.use_key

    @property
    def notice(self) -> widgets.HTML:
        return self._header.notice

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is running.

        Args:
            timeout_s: Maximum number of seconds to wait; None has no limit.

        Returns:
            Whether the reading has ended.
        """
        return self._header.background.wait(timeout_s)

    def close(self) -> None:
        """Stop the tasks that are running, and remove the widgets from the screen."""
        if self not in _open_dashboards:
            return
        _open_dashboards.discard(self)
        self.tabs.stop()
        self._header.close()
        self._factory.close()
        super().close()

    def _on_read(self) -> None:
        self.tabs.inventory.show()
        if self.tabs.selected_index:
            self._update_open_tab()
        for copy in self._static_copies:
            copy.update(self._static_copy(), raw=True)

    def __repr__(self) -> str:
        inventory = self.inventory
        if inventory is None:
            return f"<Dashboard of {self.client.base_url}: not read yet>"
        return (
            f"<Dashboard of {self.client.base_url}: {inventory.completeness}; "
            f"as of {utc_text(inventory.fetched_at)}; run the cell again to use it>"
        )

    def _static_copy(self) -> dict[str, str]:
        return {"text/html": self.tabs.inventory.static_copy(), "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        """Show the live widgets, then the static copy as a separate output."""
        import IPython.display

        display: Callable[..., Any] = IPython.display.display
        # Without a kernel, a notebook shows the text of this output, so it has none.
        view = self._repr_mimebundle_() | {"text/plain": ""}
        display(view, raw=True)
        copy = display(self._static_copy(), raw=True, display_id=True)
        if copy is not None:  # None outside IPython
            self._static_copies.append(copy)


@atexit.register
def _stop_sending() -> None:
    """Finish the requests in flight if the page is closed during an import."""
    for dashboard in [*_open_dashboards]:
        if dashboard.tabs.is_sending:
            background = dashboard.tabs.imports.background
            background.press_stop()
            background.wait(EXIT_WAIT_S)


def _close_previous(cell: tuple[str, str] | None) -> None:
    """Close the dashboards that an earlier run of this cell created, except one that is sending."""
    if cell is None:
        return
    cell_id, run_id = cell
    for dashboard in [*_open_dashboards]:
        if dashboard.cell is None:
            continue
        is_earlier_run = dashboard.cell[0] == cell_id and dashboard.cell[1] != run_id
        if is_earlier_run and not dashboard.tabs.is_sending:
            dashboard.close()
