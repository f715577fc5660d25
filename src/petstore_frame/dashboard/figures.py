"""The one widget with a script: figures that answer, and a place to drop or paste a file."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from petstore_frame.charts import Chart, element
from petstore_frame.markup import Markup

# A browser's message beyond 10 MiB breaks the websocket without an error.
LARGEST_MESSAGE = 8 * 1024 * 1024
Used = Mapping[str, str]


def read_text(name: str) -> str:
    """Return a file of this part without the comments and indents that only its reader needs."""
    text = files("petstore_frame.dashboard").joinpath(name).read_text("utf-8")
    bare = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in bare if line and not line.startswith("//"))


class Figures(anywidget.AnyWidget):
    """Markup that answers: its marks have tooltips, and what is clicked is reported.

    Marks are the elements of class ``pf-mark`` that ``charts`` draws. The markup is as escaped as
    that of any other widget; the script shows no other text as markup.

    Args:
        used: Called with the data attributes of what was clicked, such as ``category``.
        taken: Called with the name, the size and the content of a file that was dropped or pasted;
            None is the content of one above ``largest``.
    """

    _esm = traitlets.Unicode(read_text("live.js")).tag(sync=True)
    largest = traitlets.Int(LARGEST_MESSAGE).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        used: Callable[[Used], None],
        taken: Callable[[str, int, bytes | None], None] = lambda *_: None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._used, self._taken = used, taken
        self._figures: dict[str, Chart] = {}
        self.on_msg(self._told)

    def with_saves(self, figure: Chart) -> Markup:
        """Return a figure with the buttons that save it."""
        self._figures[figure.name] = figure
        saves = []
        for kind in ("svg", "png"):
            what = f"Save {figure.name} as {kind.upper()}"
            saves.append(element("button", kind.upper(), data_save=kind, aria_label=what))
        return figure.markup(element("div", *saves, class_="pf-save"))

    def download(self, content: bytes, name: str, media: str | None = None) -> None:
        """Have the browser save a file; it makes a PNG of an SVG that is called one."""
        kind = media or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.send({"file": name, "media": kind}, [content])

    def download_file(self, path: Path) -> None:
        """Have the browser save a file that is on the disk."""
        self.download(path.read_bytes(), path.name)

    def _told(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        if not isinstance(content, dict):
            return
        used = {name: str(value) for name, value in content.items() if value is not None}
        if "upload" in used:
            self._taken(used["upload"], int(used["size"]), bytes(buffers[0]) if buffers else None)
        elif "save" in used:
            figure = self._figures[used["figure"]]
            name = f"{figure.name}.{used['save']}"
            self.download(figure.file().encode(), name, "image/svg+xml")
        elif used:
            self._used(used)
