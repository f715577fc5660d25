"""Taking what is shown out of the notebook: workbook, CSV, page."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.worker import Worker
from petstore_frame.html import Markup
from petstore_frame.inventory import Inventory

# A larger file would fill the memory of the page, and notebook servers cut such messages.
LARGEST_DOWNLOAD = 8 * 1024 * 1024
SHOWN, ALL = "pets shown", "all pets"
_KINDS = {
    ".xlsx": ("Excel", "as a workbook"),
    ".csv": ("CSV", "as a table"),
    ".html": ("Web page", "as one page"),
}


class Exporter:
    """A list of what to take, and three buttons, each of which downloads that as a file.

    ``shown`` returns what is on the screen, and ``send`` puts a file into the downloads; one that
    is too large for them is kept in ``folder``; None is the working directory.
    """

    def __init__(
        self,
        kit: Kit,
        shown: Callable[[], tuple[StoreModel, Selection] | None],
        send: Callable[[bytes, str, str], None],
        say: Callable[[str], None],
        *,
        folder: Path | None = None,
    ) -> None:
        self._shown, self._send, self._say, self._folder = shown, send, say, folder
        self._worker = Worker("petstore-export")
        self._what = SHOWN
        self.view = kit.live(self._used)
        self._draw()

    def _draw(self) -> None:
        words = {each: each for each in (SHOWN, ALL)}
        buttons = (parts.step(way, name, tip) for way, (name, tip) in _KINDS.items())
        drawn = (parts.choice("Export", words, self._what, data_what=""), *buttons)
        self.view.markup = parts.row(*drawn)

    def _used(self, used: Used) -> None:
        if "what" in used:
            self._what = used["value"]
            self._draw()
        else:
            self._start(used["way"])

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the file under way."""
        return self._worker.wait(timeout_s)

    def _start(self, ending: str) -> None:
        """Write the pets chosen, in the order shown."""
        found = self._shown()
        if found is None:
            self._say(parts.warning("There is nothing to export yet"))
            return
        model, selection = found
        if self._what == ALL:
            selection = selection.cleared()
        stem = "selection" if selection.is_filtered else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock

        def job() -> None:
            try:
                words = self._made(model.selected_inventory(selection), name, model.labels)
            except Exception as problem:  # noqa: BLE001 # shown to the user
                words = parts.failure("The file could not be written", problem)
            self._worker.done()  # first, so that who sees the words may ask for the next file
            self._say(words)

        if not self._worker.is_busy:
            self._say(parts.progress(f"Writing {name} …"))
            self._worker.start(job)

    def _made(self, pets: Inventory, name: str, labels: Mapping[int, str]) -> Markup:
        from petstore_frame.report import write_report  # its writers are slow to import

        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder) / name, categories=labels, progress=False)
            content = path.read_bytes()
        if len(content) > LARGEST_DOWNLOAD:
            kept = (self._folder or Path.cwd()) / name
            kept.write_bytes(content)
            size = f"{len(content) / 1024**2:,.0f} MiB, too large for a download"
            return parts.success(f"Written to {kept}", [size])
        self._send(content, name, parts.media_of(name))
        size = f"{len(content) / 1024:,.0f} kB"
        return element("div", f"{name} ({size}) is in your browser's downloads.", role="status")
