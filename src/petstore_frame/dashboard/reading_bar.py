"""The top of the dashboard: the store, the claim about it, and the reading under way."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.refresh import Refresher
from petstore_frame.inventory import Inventory
from petstore_frame.schema.text import minute_text


class ReadingBar:
    """The name and the claim of a store, with Refresh, Cancel and Resume.

    Args:
        kit: Makes the widgets.
        base_url: The store's address.
        read: Reads the store; calls its argument with the number of pets held so far.
        take: Called with each new Inventory.
        lock: Held while the state changes, for readings end on a thread of their own.

    Attributes:
        inventory: The last Inventory, or None.
        header: The store and the claim.
        actions: The buttons.
        notice: What goes on, or went wrong, in one line.
    """

    def __init__(
        self,
        kit: Kit,
        base_url: str,
        read: Callable[[Callable[[int], None]], Inventory],
        take: Callable[[Inventory], None],
        lock: RLock,
    ) -> None:
        self.inventory: Inventory | None = None
        self._base_url, self._take, self._lock = base_url, take, lock
        self._refresher = Refresher(read, self)
        self.header, self.notice = kit.html(parts.header(None, base_url)), kit.html()
        self.refresh = kit.button("Refresh", "read the store again", self.start)
        self.cancel = kit.button("Cancel", "stop reading", self._refresher.cancel, may_hide=True)
        self.resume = kit.button(
            "Resume", "go on where it broke off", lambda: self.start(resume=True), may_hide=True
        )
        self.actions = kit.row(self.refresh, self.cancel, self.resume)
        self._show_actions(is_busy=False, may_resume=False)

    def start(self, *, resume: bool = False) -> None:
        """Read the store in a thread, or go on with a reading that broke off."""
        with self._lock:
            if self._refresher.start(resume=resume):
                self.say(parts.progress("Reading the store …"))
                self._show_actions(is_busy=True, may_resume=False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self._refresher.wait(timeout_s)

    def close(self) -> None:
        """Stop the reading under way and wait for its end."""
        self._refresher.cancel()
        self._refresher.wait()

    def say(self, markup: str) -> None:
        """Show a line of markup as the notice."""
        self.notice.value = markup

    def take(self, inventory: Inventory) -> None:
        """Show the claim of an Inventory and pass it on."""
        self.inventory = inventory
        self.header.value = parts.header(inventory, self._base_url)
        self._take(inventory)

    def reading(self, pets: int) -> None:
        """Show how far a reading is."""
        self.say(parts.progress(f"Reading the store: {pets:,} pets so far"))

    def read(self, inventory: Inventory) -> None:
        """Show a new reading in place of the old one."""
        with self._lock:
            self.take(inventory)
            self.say("")
            self._show_actions(is_busy=False, may_resume=False)

    def broken_off(self, problem: BaseException | None, *, may_resume: bool) -> None:
        """Show why there is no new reading; the old one stays."""
        with self._lock:
            if problem is None:
                self.say(parts.warning("Reading was cancelled", [self._still_shown()]))
            else:
                title = "The store could not be read"
                self.say(parts.failure(title, problem, self._still_shown()))
            self._show_actions(is_busy=False, may_resume=may_resume)

    def _still_shown(self) -> str:
        if self.inventory is None:
            return "There is nothing to show yet."
        return f"What is shown is from {minute_text(self.inventory.fetched_at)}."

    def _show_actions(self, *, is_busy: bool, may_resume: bool) -> None:
        self.refresh.disabled = is_busy
        show(self.cancel, is_busy)
        show(self.resume, may_resume)
