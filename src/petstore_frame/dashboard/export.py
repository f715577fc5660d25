"""Taking what is shown out of the notebook: workbook, CSV, page.

In: an Inventory and a selection. Out: a file, and a link that downloads it where files are small
enough to travel inside the page; a larger one stays on disk, and its path is shown.
"""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.worker import Worker
from petstore_frame.html.markup import escape
from petstore_frame.report import write_report

# A link carries the file in the page; beyond this the websocket to the browser would break.
LARGEST_LINK = 8 * 1024 * 1024
_MEDIA = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv",
    ".html": "text/html",
}


class Exporter:
    """Three buttons and the link that they make.

    Args:
        kit: Makes the widgets.
        what: Returns the model and the selection on the screen, or None before there is one.
        folder: Where files too large for a link are kept; None is the working directory.
        now: Gives the time that a file is named after.
    """

    def __init__(
        self,
        kit: Kit,
        what: Callable[[], tuple[StoreModel, Selection] | None],
        *,
        folder: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._what, self._folder, self._now = what, folder, now
        self._worker = Worker("petstore-export")
        self.link = kit.html()
        self.buttons = [
            kit.button("Workbook", "all pets as an Excel workbook", self.workbook),
            kit.button("Selection as CSV", "the pets that the filters leave", self.selection),
            kit.button("Web page", "all figures as one page without scripts", self.page),
        ]
        self.widget = kit.row(kit.html("<span>Export</span>"), *self.buttons, self.link)

    def workbook(self) -> None:
        """Write all pets as a workbook."""
        self._start("inventory", ".xlsx", lambda model, _: model.inventory)

    def page(self) -> None:
        """Write the report as one web page."""
        self._start("inventory", ".html", lambda model, _: model.inventory)

    def selection(self) -> None:
        """Write the pets selected, in the order shown, as a CSV."""
        self._start("selection", ".csv", selected_frame)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the file under way."""
        return self._worker.wait(timeout_s)

    def _start(self, stem: str, ending: str, pets: Callable[[StoreModel, Selection], Any]) -> None:
        found = self._what()
        if found is None:
            self.link.value = parts.warning("There is nothing to export yet")
            return
        model, selection = found
        name = f"{stem}-{self._now():%Y%m%d-%H%M%S}{ending}"

        def job() -> None:
            try:
                words = self._made(pets(model, selection), name, model.labels)
            except Exception as problem:  # noqa: BLE001 # shown to the user
                words = parts.failure("The file could not be written", problem)
            self._worker.done()  # first, so that who sees the link may ask for the next file
            self.link.value = words

        if not self._worker.is_busy:
            self.link.value = parts.progress(f"Writing {name} …")
            self._worker.start(job)

    def _made(self, pets: Any, name: str, labels: Mapping[int, str]) -> str:
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder) / name, categories=labels, progress=False)
            content = path.read_bytes()
        return offer(content, name, self._folder or Path.cwd())


def selected_frame(model: StoreModel, selection: Selection) -> Any:
    """Return the pets selected, in the order shown; with no filter the Inventory and its claim."""
    if not selection.is_filtered:
        return model.inventory
    return model.pets.frame.iloc[model.selected(selection)]


def offer(content: bytes, name: str, folder: Path, *, largest: int = LARGEST_LINK) -> str:
    """Return a link that downloads a file, or write it into a folder and name its path."""
    if len(content) > largest:
        kept = folder / name
        kept.write_bytes(content)
        size = f"{len(content) / 1024**2:,.0f} MiB, too large for a link"
        return parts.success(f"Written to {kept}", [size])
    media = _MEDIA.get(Path(name).suffix, "application/octet-stream")
    data = b64encode(content).decode()
    return (
        f'<span role="status"><a class="pf-download" download="{escape(name)}" '
        f'href="data:{media};base64,{data}">Download {escape(name)} '
        f"({len(content) / 1024:,.0f} kB)</a></span>"
    )
