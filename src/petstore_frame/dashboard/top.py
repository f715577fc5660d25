"""The top of the dashboard: the store, what was read of it, and the reading under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.work import Work, failure
from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.inventory.completeness_view import evidence_lines
from petstore_frame.markup import PAGE
from petstore_frame.markup.palette import FAILED_BADGE, verdict_badge
from petstore_frame.schema.text import minute_text

STOPPING = "It waits for the page that is on its way."


class Top:
    """A store, what was read of it, and Refresh and Stop; the tabs share it.

    ``taken`` gets each new Inventory. Where the store refuses the key, a new one can be entered; it
    is kept in the client alone.

    Attributes:
        client: The store, with the key that was entered last.
        memory: What was answered for files of this store.
        inventory: What was read last, or None.
        refresh, stop: Buttons.
        api_key, use_key: A field for a new key, and its button.
        notice: What is said about the reading.
    """

    def __init__(
        self, kit: Kit, client: Client, memory: Memory, taken: Callable[[Inventory], None]
    ) -> None:
        self.kit, self.client, self.memory, self._taken = kit, client, memory, taken
        self._made: list[Client] = []
        self.inventory: Inventory | None = None
        self._old = ""  # why what is shown is old
        self._title = kit.html()
        self.work = Work(kit, self.draw)
        self.notice, self.stop = self.work.notice, self.work.stop
        self.refresh = kit.button("Refresh", self.read, "read the store again", icon="refresh")
        self.api_key = kit.make(widgets.Password, description="API key", placeholder="new key")
        self.use_key = kit.button("Use this key", self._use_key, "for this page alone; not kept")
        self._key_row = kit.row(self.api_key, self.use_key)
        steps = kit.row(self.refresh, self.stop)
        show(self._key_row, False)
        self.widget = kit.column(
            kit.row(self._title, steps, css="pf-ends"), self._key_row, self.notice
        )
        kit.refused = self.ask_for_key
        self.draw()

    @property
    def numbers(self) -> set[int]:
        """The categories of the pets that were read."""
        pets = self.inventory
        return set() if pets is None else {*pets.frame["category_id"].dropna().unique().tolist()}

    def read(self) -> None:
        """Read the store in a thread; the old reading stays until the new one is there."""
        self.work.start("Reading the store …", self._read, stopping=STOPPING)

    def take(self, inventory: Inventory) -> None:
        """Show an Inventory in place of the old one, and pass it on."""
        self.inventory, self._old = inventory, ""
        self._taken(inventory)
        self.work.say("")
        show(self._key_row, False)
        self.draw()

    def ask_for_key(self) -> None:
        """Show the field for a new key."""
        self._old = "Old: the store refuses the key"
        show(self._key_row, True)
        self.draw()

    def close(self) -> None:
        """End the reading under way, and the client of a new key; the one given stays open."""
        self.work.close()
        for client in self._made:
            client.close()

    def draw(self) -> None:
        """Show how things stand."""
        inventory = self.inventory
        known: dict[str, Any] = {"as_of": None, "badge": verdict_badge(None)}
        if inventory is not None:
            known = {
                "badge": verdict_badge(inventory.completeness.verdict),
                "as_of": minute_text(inventory.fetched_at),
                "after": inventory.completeness.headline,
                "evidence": evidence_lines(inventory.completeness),
                "old": self._old,
                "stale": FAILED_BADGE,
            }
        markup = PAGE.render("dashboard/top.html.j2", base_url=self.client.base_url, **known)
        if self._title.value != markup:  # else it would close what the user opened
            self._title.value = markup
        self.refresh.disabled = self.work.is_busy

    def _report(self, pets: int) -> None:
        self.work.report(f"Reading the store: {pets:,} pets so far")

    def _read(self) -> None:
        """Read, in a thread; the old reading stays where there is no new one."""
        still = "There is nothing to show yet."
        if self.inventory is not None:
            still = f"What is shown is from {minute_text(self.inventory.fetched_at)}."
        try:
            self.take(fetch_inventory(self.client, progress=self._report))
        except KeyboardInterrupt:
            self.work.say(PAGE.warning("Reading was stopped", [still]))
        except PetstoreError as problem:
            cause = getattr(problem, "cause", None) or problem
            self._old = "Old: the last reading failed"
            if isinstance(cause, AuthenticationError):
                problem = cause
                self.ask_for_key()
            self.work.say(failure(problem, "The store could not be read", still))

    def _use_key(self) -> None:
        key, self.api_key.value = self.api_key.value.strip(), ""
        if key:
            self.client = self.client.with_key(key)
            self._made.append(self.client)  # the one before may be at work as yet
            self.read()
