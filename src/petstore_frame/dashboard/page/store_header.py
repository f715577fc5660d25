"""Shows the store and the completeness of its reading, and asks for a new API key."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets

from petstore_frame.dashboard.page.background import (
    Background,
    Job,
    StoppableClient,
    failure_markup,
    is_key_rejected,
)
from petstore_frame.dashboard.page.local_time import time_element, utc_text
from petstore_frame.dashboard.page.time_left import TimeLeft
from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.errors import PetstoreError
from petstore_frame.inventory import Inventory, evidence_lines, fetch_inventory
from petstore_frame.rendering import PAGE, palette


class StoreHeader:
    """The top of the page.

    Args:
        factory: Makes its widgets.
        store: The store to show.
        on_read: Called after each reading.

    Attributes:
        widget: The whole header.
        refresh, stop: The buttons that read the store again, and stop the reading.
        api_key, use_key: The field for a new API key, which only the client keeps, and its button.
        notice: The message about the reading.
    """

    def __init__(
        self, factory: WidgetFactory, store: StoreState, on_read: Callable[[], None]
    ) -> None:
        self._factory, self._store, self._on_read = factory, store, on_read
        self.background = Background(factory, self._on_job, self.ask_for_key)
        area = self.background.add_area()
        self.area, self.notice, self.stop = area, area.notice, area.stop
        self.refresh = factory.button("Refresh", self.read, "read the store again", icon="refresh")
        self.api_key = factory.make(widgets.Password, description="API key", placeholder="new key")
        self.use_key = factory.button("Use this key", self._use_key, "for this page; not saved")
        self._title = factory.html()
        self._key_row = factory.row(self.api_key, self.use_key)
        set_visible(self._key_row, False)
        head = factory.row(self._title, self.refresh, css="pf-ends")
        self.widget = factory.column(head, self._key_row, factory.message, area.widget)
        self.render()

    def read(self) -> None:
        """Read the store in a thread; the last reading stays visible until the new one is done."""
        job = Job("Reading the store …", self._read, self.area, can_stop=True)
        self.background.start(job)

    def show(self, inventory: Inventory) -> None:
        """Show a new Inventory."""
        self._store.inventory, self._store.outdated = inventory, ""
        self.area.show("")
        self._on_read()
        set_visible(self._key_row, False)
        self.render()

    def ask_for_key(self) -> None:
        """Ask for a new API key, because the store rejected the current one."""
        self._store.outdated = "Out of date – the store rejected the API key"
        set_visible(self._key_row, True)
        self.render()

    def render(self) -> None:
        """Show the completeness of the last reading."""
        inventory = self._store.inventory
        completeness = None if inventory is None else inventory.completeness
        verdict = None if completeness is None else completeness.verdict
        markup = PAGE.render(
            "dashboard/page/store_header.html.j2",
            base_url=self._store.client.base_url,
            completeness=completeness,
            badge=palette.verdict_badge(verdict),
            evidence=[] if completeness is None else evidence_lines(completeness),
            as_of="" if inventory is None else time_element(inventory.fetched_at),
            outdated=self._store.outdated,
            outdated_badge=palette.FAILED_BADGE,
        )
        if self._title.value != markup:  # an update would close the details that the user opened
            self._title.value = markup

    def _on_job(self) -> None:
        self.refresh.disabled = self.background.is_busy

    def _read(self) -> None:
        inventory = self._store.inventory
        remaining = "There is nothing to show yet."
        if inventory is not None:
            remaining = f"The page still shows the reading of {utc_text(inventory.fetched_at)}."
        client = StoppableClient(self._store.client, self.background)

        time_left = TimeLeft(self._store.pets_read)

        def report(pets: int) -> None:
            text = f"Reading the store: {pets:,} pets so far"
            self.background.report(text + time_left.text(pets))

        try:
            self.show(fetch_inventory(client, progress=report))
        except KeyboardInterrupt:
            self.area.show(PAGE.warning("Reading was stopped", [remaining]))
        except PetstoreError as problem:
            self._store.outdated = "Out of date – the last refresh failed"
            if is_key_rejected(problem):
                self.ask_for_key()
            markup = failure_markup(problem, "The store could not be read", remaining)
            self.area.show(markup)
            self.render()

    def _use_key(self) -> None:
        key, self.api_key.value = self.api_key.value.strip(), ""
        if not key:
            return
        self._store.client = self._store.client.with_key(key)
        # Closed with the page, because the previous client may still be in use.
        self._store.own_clients.append(self._store.client)
        self.read()

    def close(self) -> None:
        """Stop the reading, and close the clients of the keys that were entered here."""
        self.background.close()
        for client in self._store.own_clients:
            client.close()
