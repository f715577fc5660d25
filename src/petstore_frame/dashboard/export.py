"""Taking what is shown out of the notebook: workbook, CSV, page."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.worker import Worker
from petstore_frame.html import Markup
from petstore_frame.inventory import Inventory

# A larger file would fill the memory of the page, and notebook servers cut such messages.
LARGEST_DOWNLOAD = 8 * 1024 * 1024
_MEDIA = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv",
    ".html": "text/html",
}


class Exporter:
    """Three buttons, each of which puts a file into the browser's downloads.

    A file too large for that is kept in ``folder``; None is the working directory.
    """

    def __init__(
        self,
        kit: Kit,
        what: Callable[[], tuple[StoreModel, Selection] | None],
        send: Callable[[bytes, str, str], None],
        say: Callable[[str], None],
        *,
        folder: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._what, self._send, self._say = what, send, say
        self._folder, self._now = folder, now
        self._worker = Worker("petstore-export")
        self.buttons = [
            kit.button("Excel", "the pets shown, as a workbook", lambda: self._start(".xlsx")),
            kit.button("CSV", "the pets shown, as a table", lambda: self._start(".csv")),
            kit.button("Web page", "the pets shown, as one page", lambda: self._start(".html")),
        ]
        self.widget = kit.row(*self.buttons)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the file under way."""
        return self._worker.wait(timeout_s)

    def _start(self, ending: str) -> None:
        """Write the pets selected, in the order shown."""
        found = self._what()
        if found is None:
            self._say(parts.warning("There is nothing to export yet"))
            return
        model, selection = found
        stem = "selection" if selection.is_filtered else "inventory"
        name = f"{stem}-{self._now():%Y%m%d-%H%M%S}{ending}"

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
        self._send(content, name, media_of(name))
        size = f"{len(content) / 1024:,.0f} kB"
        return element("div", f"{name} ({size}) is in your browser's downloads.", role="status")


def media_of(name: str) -> str:
    """Return what kind of file a browser takes a name for."""
    return _MEDIA.get(Path(name).suffix, "application/octet-stream")
