"""The top of the dashboard: the store, the reading under way, and the files to take out of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.inventory_tab import Filters
from petstore_frame.dashboard.kit import LARGEST_MESSAGE, Kit, Used, draw, failure
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.completeness_view import after_badge, evidence_lines
from petstore_frame.inventory.result import FetchInterrupted, IncompleteInventoryError
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import verdict_badge
from petstore_frame.schema.text import minute_text


class ReadingBar:
    """The name of a store, what was read of it, and Refresh, Cancel and Resume.

    One reading is under way at a time, on a thread of its own. ``read`` gets a function that takes
    the number of pets read so far, ``take`` gets each new Inventory.
    """

    def __init__(
        self,
        kit: Kit,
        base_url: str,
        read: Callable[[Callable[[int], None]], Inventory],
        take: Callable[[Inventory], None],
    ) -> None:
        self.inventory: Inventory | None = None
        self._base_url, self._read, self._take = base_url, read, take
        self._lock, self._worker = kit.lock, Worker("petstore-refresh")
        self._go_on: Callable[[], Inventory] | None = None
        self.view, self.notice = kit.live(self._used), kit.html()
        self._draw()

    def _used(self, used: Used) -> None:
        way = used.get("way")
        if way == "cancel":
            self._worker.cancel()
        else:
            self.start(resume=way == "resume")

    def _draw(self, *, is_busy: bool = False, may_resume: bool = False) -> None:
        values: dict[str, Any] = {"badge": verdict_badge(None)}
        if self.inventory is not None:
            known = self.inventory.completeness
            values = {
                "badge": verdict_badge(known.verdict),
                "as_of": minute_text(self.inventory.fetched_at),
                "after": after_badge(known),
                "evidence": evidence_lines(known),
            }
        self.view.markup = draw(
            "top",
            base_url=self._base_url,
            inventory=self.inventory,
            is_busy=is_busy,
            may_resume=may_resume,
            **values,
        )

    def start(self, *, resume: bool = False) -> None:
        """Read the store in a thread, or go on with a reading that broke off."""
        go_on = self._go_on if resume else None
        read = go_on or (lambda: self._read(self._progress))
        with self._lock:
            if not self._worker.is_busy:
                self.say(PAGE.progress("Reading the store …"))
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
            self._draw()

    def _progress(self, pets: int) -> None:
        self._worker.check()
        if self._worker.may_report():
            self.say(PAGE.progress(f"Reading the store: {pets:,} pets so far"))

    def _run(self, read: Callable[[], Inventory]) -> None:
        """Read, on the worker's thread; the old reading stays where there is no new one."""
        before, self._go_on = self._go_on, None
        try:
            inventory = read()
        except FetchInterrupted as stopped:
            self._go_on = stopped.resume
            self._end(None)
        except IncompleteInventoryError as problem:
            self._go_on = problem.resume
            self._end(problem)
        except Cancelled:
            self._go_on = before
            self._end(None)
        except Exception as problem:  # noqa: BLE001 # shown to the user, who is not in this thread
            self._go_on = before
            self._end(problem)
        else:
            self._worker.done()
            self.take(inventory)

    def _end(self, problem: Exception | None) -> None:
        still = "There is nothing to show yet."
        if self.inventory is not None:
            still = f"What is shown is from {minute_text(self.inventory.fetched_at)}."
        words = PAGE.warning("Reading was cancelled", [still])
        if problem is not None:
            words = failure("The store could not be read", problem, still)
        self._worker.done()
        with self._lock:
            self.say(words)
            self._draw(may_resume=self._go_on is not None)


class Exporter:
    """A list of what to take, and three buttons, each of which downloads that as a file.

    ``send`` puts a file into the downloads; one that is too large for them is kept in ``folder``;
    None is the working directory.
    """

    def __init__(
        self,
        kit: Kit,
        model: Callable[[], StoreModel | None],
        filters: Filters,
        send: Callable[[bytes, str], None],
        say: Callable[[str], None],
        folder: Path | None,
    ) -> None:
        self._model, self._filters, self._folder = model, filters, folder
        self._send, self._say = send, say
        self._worker = Worker("petstore-export")
        self.wait = self._worker.wait
        self._what = "pets shown"
        self.view = kit.live(self._used)
        self.view.markup = draw("export", chosen=self._what)

    def _used(self, used: Used) -> None:
        if "what" in used:
            self._what = used["value"]
            self.view.markup = draw("export", chosen=self._what)
        elif not self._worker.is_busy:
            self._start(used["way"])

    def _start(self, ending: str) -> None:
        model, selection = self._model(), self._filters.selection
        if model is None:
            self._say(PAGE.warning("There is nothing to export yet"))
            return
        if self._what == "all pets":
            selection = selection.cleared()
        stem = "selection" if selection.is_filtered else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock

        def job() -> None:
            try:
                words = self._made(model, selection, name)
            except Exception as problem:  # noqa: BLE001 # shown to the user
                words = failure("The file could not be written", problem)
            self._worker.done()  # first, so that who sees the words may ask for the next file
            self._say(words)

        self._say(PAGE.progress(f"Writing {name} …"))
        self._worker.start(job)

    def _made(self, model: StoreModel, selection: Selection, name: str) -> Markup:
        from petstore_frame.report import write_report  # its writers are slow to import

        pets = model.selected_inventory(selection)
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder) / name, categories=model.labels, progress=False)
            content = path.read_bytes()
        if len(content) > LARGEST_MESSAGE:
            kept = (self._folder or Path.cwd()) / name
            kept.write_bytes(content)
            size = f"{len(content) / 1024**2:,.0f} MiB, too large for a download"
            return PAGE.success(f"Written to {kept}", [size])
        self._send(content, name)
        size = f"{len(content) / 1024:,.0f} kB"
        return PAGE.progress(f"{name} ({size}) is in your browser's downloads.")
