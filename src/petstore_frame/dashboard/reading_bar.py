"""The top of the dashboard: the store, what was read of it, and the reading under way."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.html import Markup
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.broken_off import FetchInterrupted, IncompleteInventoryError
from petstore_frame.schema.text import minute_text


class ReadingBar:
    """The name of a store, what was read of it, and Refresh, Cancel and Resume.

    One reading is under way at a time.

    ``read`` gets a function that takes the number of pets read so far, ``take`` gets each new
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
        self._base_url, self._read, self._take = base_url, read, take
        self._lock, self._worker = lock, Worker("petstore-refresh")
        self._go_on: Callable[[], Inventory] | None = None
        self.view, self.notice = kit.live(self._used), kit.html()
        self._draw(is_busy=False)

    def _used(self, used: Used) -> None:
        way = used.get("way")
        if way == "cancel":
            self._worker.cancel()
        else:
            self.start(resume=way == "resume")

    def _draw(self, *, is_busy: bool, may_resume: bool = False) -> None:
        """Show what was read, and what can be done now."""
        steps = [parts.step("refresh", "Refresh", "read the store again", is_off=is_busy)]
        if is_busy:
            steps.append(parts.step("cancel", "Cancel", "stop reading"))
        if may_resume:
            steps.append(parts.step("resume", "Resume", "go on where it broke off"))
        header = parts.header(self.inventory, self._base_url)
        self.view.markup = header + parts.row(*steps)

    def start(self, *, resume: bool = False) -> None:
        """Read the store in a thread, or go on with a reading that broke off."""
        go_on = self._go_on if resume else None
        read = go_on or (lambda: self._read(self._progress))
        with self._lock:
            if not self._worker.is_busy:
                self.say(parts.progress("Reading the store …"))
                self._draw(is_busy=True)
                self._worker.start(lambda: self._run(read))

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
            self._take(inventory)
            self.say("")
            self._draw(is_busy=False)

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
            self._draw(is_busy=False, may_resume=may_resume)

    def _broken_off(self, problem: Exception | None) -> Markup:
        still = "There is nothing to show yet."
        if self.inventory is not None:
            still = f"What is shown is from {minute_text(self.inventory.fetched_at)}."
        if problem is None:
            return parts.warning("Reading was cancelled", [still])
        return parts.failure("The store could not be read", problem, still)
