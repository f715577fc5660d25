"""The top of the dashboard: the store, what was read of it, and the reading under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.worker import Stopped, Worker, failure
from petstore_frame.errors import (
    AuthenticationError,
    FetchInterrupted,
    IncompleteInventoryError,
    PetstoreError,
)
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.inventory.completeness_view import after_badge, evidence_lines
from petstore_frame.markup import PAGE
from petstore_frame.markup.palette import FAILED_BADGE, verdict_badge
from petstore_frame.schema.text import minute_text


class Top:
    """The name of a store, what was read of it, and Refresh, Stop and Resume.

    One reading is under way at a time, in a thread of its own; ``taken`` gets each new Inventory.
    Where the store refuses the key, a new one can be entered; it is kept in the client alone.

    Attributes:
        client: The store, with the key that was entered last.
        refresh, stop, resume: Buttons.
        api_key, use_key: A field for a new key, and its button.
        inventory: What was read last, or None.
    """

    def __init__(self, kit: Kit, client: Client, taken: Callable[[Inventory], None]) -> None:
        self.client, self._taken, self._kit = client, taken, kit
        self._made: list[Client] = []
        self.inventory: Inventory | None = None
        self._go_on: Callable[[], Inventory] | None = None
        self._is_old = self._is_refused = False
        self._title, self.notice = kit.html(), kit.html()
        self.refresh = kit.button("Refresh", self.read, "read the store again", icon="refresh")
        self.stop = kit.button("Stop", self._stop, "stop reading")
        self.resume = kit.button("Resume", self._resume, "go on where it broke off")
        self.api_key = kit.make(widgets.Password, "", description="API key", placeholder="new key")
        self.use_key = kit.button("Use this key", self._use_key, "for this page alone; not kept")
        self._key_row = kit.row(self.api_key, self.use_key)
        self.worker = Worker("petstore-refresh", self._say, self.draw)
        steps = kit.row(self.refresh, self.stop, self.resume)
        self.widget = kit.column(
            kit.row(self._title, steps, css="pf-ends"), self._key_row, self.notice
        )
        self.draw()

    def read(self) -> None:
        """Read the store in a thread; the old reading stays until the new one is there."""
        self._start(lambda: fetch_inventory(self.client, progress=self._progress))

    def take(self, inventory: Inventory) -> None:
        """Show an Inventory in place of the old one, and pass it on."""
        with self._kit.lock:
            self.inventory, self._is_old, self._is_refused = inventory, False, False
            self._taken(inventory)
            self._say("")
            self.draw()

    def ask_for_key(self) -> None:
        """Show the field for a new key."""
        self._is_refused = True
        self.draw()

    def close(self) -> None:
        """End the reading under way, and the client of a new key; the one given stays open."""
        self.worker.stop()
        self.worker.wait()
        for client in self._made:
            client.close()

    def draw(self) -> None:
        """Show how things stand."""
        inventory, is_busy = self.inventory, self.worker.is_busy
        known: dict[str, Any] = {"as_of": None, "badge": verdict_badge(None)}
        if inventory is not None:
            known = {
                "badge": verdict_badge(inventory.completeness.verdict),
                "as_of": minute_text(inventory.fetched_at),
                "after": after_badge(inventory.completeness),
                "evidence": evidence_lines(inventory.completeness),
                "old": self._old_words(),
                "stale": FAILED_BADGE,
            }
        markup = PAGE.render("dashboard/top.html.j2", base_url=self.client.base_url, **known)
        if self._title.value != markup:  # else it would close what the user opened
            self._title.value = markup
        show(self.stop, is_busy)
        show(self.resume, self._go_on is not None and not is_busy)
        show(self._key_row, self._is_refused)
        self.refresh.disabled = is_busy

    def _old_words(self) -> str:
        if self._is_refused:
            return "Old: the store refuses the key"
        return "Old: the last reading failed" if self._is_old else ""

    def _say(self, markup: str) -> None:
        self.notice.value = markup

    def _progress(self, pets: int) -> None:
        self.worker.check()
        self.worker.report(f"Reading the store: {pets:,} pets so far")

    def _stop(self) -> None:
        self.worker.stop()
        self._say(PAGE.progress("Stopping after the page that is on its way …"))

    def _resume(self) -> None:
        if self._go_on is not None:
            self._start(self._go_on)

    def _start(self, read: Callable[[], Inventory]) -> None:
        self.worker.start("Reading the store …", lambda: self._read(read))

    def _read(self, read: Callable[[], Inventory]) -> None:
        """Read, in the worker's thread; the old reading stays where there is no new one."""
        before, self._go_on = self._go_on, None
        still = "There is nothing to show yet."
        if self.inventory is not None:
            still = f"What is shown is from {minute_text(self.inventory.fetched_at)}."
        try:
            inventory = read()
        except (FetchInterrupted, Stopped) as stopped:
            self._go_on = getattr(stopped, "resume", before)
            self._say(PAGE.warning("Reading was stopped", [still]))
        except PetstoreError as problem:
            self._is_old, self._go_on = True, before
            if isinstance(problem, IncompleteInventoryError):
                self._go_on = problem.resume
            cause = getattr(problem, "cause", None) or problem
            self._is_refused = isinstance(cause, AuthenticationError)
            shown = cause if self._is_refused and isinstance(cause, Exception) else problem
            self._say(failure(shown, "The store could not be read", still))
        else:
            self.take(inventory)

    def _use_key(self) -> None:
        key, self.api_key.value = self.api_key.value.strip(), ""
        if key:
            self.client = self.client.with_key(key)
            self._made.append(self.client)  # the one before may be at work as yet
            self.read()
