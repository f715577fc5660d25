"""Taking what is shown out of the notebook: workbook, CSV, page."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.dashboard.worker import Worker
from petstore_frame.html import Markup
from petstore_frame.report import write_report

# A larger file would fill the memory of the page, and notebook servers cut such messages.
LARGEST_DOWNLOAD = 8 * 1024 * 1024
_MEDIA = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv",
    ".html": "text/html",
}


class Exporter:
    """Three buttons, each of which puts a file into the browser's downloads.

    Args:
        kit: Makes the widgets.
        what: Returns the model and the selection on the screen, or None before there is one.
        send: Has the browser save a file: its content, its name, its kind.
        say: Shows a line of markup below the buttons.
        folder: Where files too large for a download are kept; None is the working directory.
        now: Gives the time that a file is named after.
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
            kit.button("Excel", "all pets as a workbook", self.workbook),
            kit.button("CSV", "the pets that the filters leave", self.selection),
            kit.button("Web page", "all figures as one page", self.page),
        ]
        self.widget = kit.row(*self.buttons)

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
            self._say(parts.warning("There is nothing to export yet"))
            return
        model, selection = found
        name = f"{stem}-{self._now():%Y%m%d-%H%M%S}{ending}"

        def job() -> None:
            try:
                words = self._made(pets(model, selection), name, model.labels)
            except Exception as problem:  # noqa: BLE001 # shown to the user
                words = parts.failure("The file could not be written", problem)
            self._worker.done()  # first, so that who sees the words may ask for the next file
            self._say(words)

        if not self._worker.is_busy:
            self._say(parts.progress(f"Writing {name} …"))
            self._worker.start(job)

    def _made(self, pets: Any, name: str, labels: Mapping[int, str]) -> Markup:
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder) / name, categories=labels, progress=False)
            content = path.read_bytes()
        if len(content) > LARGEST_DOWNLOAD:
            return keep(content, name, self._folder or Path.cwd())
        self._send(content, name, media_of(name))
        size = f"{len(content) / 1024:,.0f} kB"
        return element("div", f"{name} ({size}) is in your browser's downloads.", role="status")


def selected_frame(model: StoreModel, selection: Selection) -> Any:
    """Return the pets selected, in the order shown; with no filter the Inventory and its claim."""
    if not selection.is_filtered:
        return model.inventory
    return model.pets.frame.iloc[model.selected(selection)]


def media_of(name: str) -> str:
    """Return what kind of file a browser takes a name for."""
    return _MEDIA.get(Path(name).suffix, "application/octet-stream")


def keep(content: bytes, name: str, folder: Path) -> Markup:
    """Write a file into a folder, and return where it is."""
    kept = folder / name
    kept.write_bytes(content)
    size = f"{len(content) / 1024**2:,.0f} MiB, too large for a download"
    return parts.success(f"Written to {kept}", [size])


def offer(content: bytes, name: str, folder: Path, *, largest: int = LARGEST_DOWNLOAD) -> Markup:
    """Return a link that downloads a file, or write it into a folder and name its path."""
    if len(content) > largest:
        return keep(content, name, folder)
    link = element(
        "a",
        f"Download {name} ({len(content) / 1024:,.0f} kB)",
        class_="pf-download",
        download=name,
        href=f"data:{media_of(name)};base64,{b64encode(content).decode()}",
    )
    return element("span", link, role="status")
