"""A widget for markup that reports clicks and edits, and that downloads and uploads files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from petstore_frame.charts import Chart
from petstore_frame.rendering import Markup, element

# A browser's message above 10 MiB breaks the websocket without an error.
LARGEST_MESSAGE = 8 * 1024 * 1024
Handler = Callable[..., Any]


class LiveHTML(anywidget.AnyWidget):
    """Markup with tooltips and clickable marks, which also saves files and accepts dropped files.

    Marks are the elements of class ``pf-mark``, such as those of ``charts``. The markup must be
    escaped, as for any other widget; the script shows no other text as markup.

    Args:
        on_use: Called with the data attributes of the clicked mark, such as ``category``; for an
            edited input also with its ``value``.
        on_upload: Called with the name, the size and the content of a dropped or pasted file;
            the content is None if the file is larger than ``largest``.

    Attributes:
        on_reconnect: Called when the page was connected again.
    """

    # The text, not the path: anywidget would watch the file and keep all instances alive.
    _esm = Path(__file__).with_name("live_html.js").read_text("utf-8")
    largest = traitlets.Int(LARGEST_MESSAGE).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)
    # Data attributes of the marks to highlight; a mark must match all attributes of an entry.
    selected = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, on_use: Handler, on_upload: Handler | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._on_use, self._on_upload = on_use, on_upload
        self.on_reconnect: Callable[[], None] = self.send_state
        self._charts: dict[str, Chart] = {}
        self.on_msg(self._receive)

    def with_save_buttons(self, chart: Chart) -> Markup:
        """Return a chart with buttons to save it."""
        self._charts[chart.name] = chart
        buttons = []
        for kind in ("svg", "png"):
            label = f"Save {chart.name} as {kind.upper()}"
            buttons.append(element("button", kind.upper(), data_save=kind, aria_label=label))
        return chart.markup(element("div", *buttons, class_="pf-save"))

    def download(self, content: bytes, name: str) -> None:
        """Make the browser save a file; an SVG is converted if the name ends in .png."""
        self.send({"file": name}, [content])

    def download_file(self, path: Path) -> None:
        """Make the browser save a file from the disk."""
        self.download(path.read_bytes(), path.name)

    def _receive(self, _: Any, content: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        if "ping" in content:  # the page checks whether this process is alive
            self.send({"pong": content["ping"]})
        elif "redraw" in content:  # the connection was lost, and messages with it
            self.on_reconnect()
        elif "upload" in content:
            if self._on_upload is not None:
                data = bytes(buffers[0]) if buffers else None
                self._on_upload(content["upload"], content["size"], data)
        elif "save" in content:
            chart = self._charts[content["figure"]]
            self.download(chart.file().encode(), f"{chart.name}.{content['save']}")
        else:
            self._on_use(content)
