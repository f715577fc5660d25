"""The top of the dashboard: the store, what was read of it, and the reading under way."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.html import Markup
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.broken_off import FetchInterrupted, IncompleteInventoryError
from petstore_frame.schema.text import minute_text


class ReadingBar:
    """The name of a store, what was read of it, and Refresh, Cancel and Resume.

    One reading is under way at a time.

    ``read`` is called with what tells the number of pets held so far, ``take`` with each new
    Inventory. Readings end on a thread of their own, so the state changes under ``lock``.
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
        self._kit, self._base_url, self._read, self._take = kit, base_url, read, take
        self._lock, self._worker = lock, Worker("petstore-refresh")
        self._go_on: Callable[[], Inventory] | None = None
        self.header, self.notice = kit.html(parts.header(None, base_url)), kit.html()
        self.refresh = kit.button("Refresh", "read the store again", self.start)
        self.cancel = kit.button("Cancel", "stop reading", self._worker.cancel, is_hidden=True)
        self.resume = kit.button(
            "Resume", "go on where it broke off", lambda: self.start(resume=True), is_hidden=True
        )
        self.actions = kit.row(self.refresh, self.cancel, self.resume)

    def start(self, *, resume: bool = False) -> None:
        """Read the store in a thread, or go on with a reading that broke off."""
        go_on = self._go_on if resume else None
        read = go_on or (lambda: self._read(self._progress))
        with self._lock:
            if self._worker.start(lambda: self._run(read)):
                self.say(parts.progress("Reading the store …"))
                self._offer(is_busy=True, may_resume=False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until no reading is under way; False when the time was not enough."""
        return self._worker.wait(timeout_s)

    def close(self) -> None:
        """Stop the reading under way and wait for its end."""
        self._worker.cancel()
        self._worker.wait()

    def say(self, markup: str) -> None:
        """Show a line of markup as the notice."""
        self.notice.value = markup

    def take(self, inventory: Inventory) -> None:
        """Show an Inventory in place of the old one, and pass it on."""
        with self._lock:
            self.inventory = inventory
            self.header.value = parts.header(inventory, self._base_url)
            self._take(inventory)
            self.say("")
            self._offer(is_busy=False, may_resume=False)

    def _progress(self, pets: int) -> None:
        self._worker.check()
        if self._worker.may_report():
            self.say(parts.progress(f"Reading the store: {pets:,} pets so far"))

    def _run(self, read: Callable[[], Inventory]) -> None:
        """Read, on the worker's thread; the old reading stays where there is no new one."""
        try:
            inventory = read()
        except FetchInterrupted as stopped:
            self._go_on = stopped.resume
            self._end(None, may_resume=True)
        except IncompleteInventoryError as problem:
            self._go_on = problem.resume
            self._end(problem, may_resume=True)
        except Cancelled:
            self._end(None, may_resume=False)
        except Exception as problem:  # noqa: BLE001 # shown to the user, who is not in this thread
            self._end(problem, may_resume=False)
        else:
            self._go_on = None
            self._worker.done()
            self.take(inventory)

    def _end(self, problem: Exception | None, *, may_resume: bool) -> None:
        self._worker.done()
        with self._lock:
            self.say(self._broken_off(problem))
            self._offer(is_busy=False, may_resume=may_resume)

    def _broken_off(self, problem: Exception | None) -> Markup:
        still = "There is nothing to show yet."
        if self.inventory is not None:
            still = f"What is shown is from {minute_text(self.inventory.fetched_at)}."
        if problem is None:
            return parts.warning("Reading was cancelled", [still])
        return parts.failure("The store could not be read", problem, still)

    def _offer(self, *, is_busy: bool, may_resume: bool) -> None:
        self.refresh.disabled = is_busy
        self._kit.show(self.cancel, is_busy)
        self._kit.show(self.resume, may_resume)
