"""What every tab is made of: widgets of few models, and the markup that several tabs share.

Every model is a message before the first paint, so all share their Layout and Style: one Layout of
what is shown, one of what is hidden.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template
from threading import Event, RLock
from typing import Any, TypeVar

import anywidget
import ipywidgets as widgets
import traitlets

from petstore_frame.charts.svg import CSS, Figure, element
from petstore_frame.dashboard.worker import Cancelled
from petstore_frame.errors import PetstoreError
from petstore_frame.markup import PAGE, Markup, style
from petstore_frame.markup.palette import ACCENT, FAILED_BADGE

BEAT_EVERY_S = 2.0
# A browser's message beyond 10 MiB breaks the websocket without an error.
LARGEST_MESSAGE = 8 * 1024 * 1024
Used = Mapping[str, str]
Kind = TypeVar("Kind", bound=widgets.DOMWidget)


def _read(name: str) -> str:
    """Return a file of this part without the comments and indents that only its reader needs."""
    text = files("petstore_frame.dashboard").joinpath(name).read_text("utf-8")
    bare = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in bare if line and not line.startswith("//"))


class Live(anywidget.AnyWidget):
    """Markup that answers, the one widget with a script of ours.

    Its marks, elements of class ``pf-mark`` that ``charts`` draws, have tooltips, and what is
    clicked is reported. The markup is as escaped as that of any other widget: the script shows no
    other text as markup.

    Attributes:
        used: Called with the data attributes of what was used, such as ``category``; a mark in a
            ``figure`` adds its name, and a list, a box or a tick its ``value``.
        taken: Called with the ``upload`` (its name), the ``size`` and the content of a file that
            was chosen, dropped or pasted; None is the content of one above ``largest``.
    """

    _esm = traitlets.Unicode(_read("live.js")).tag(sync=True)
    largest = traitlets.Int(LARGEST_MESSAGE).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)

    def __init__(self, used: Callable[[Used], None], **options: Any) -> None:
        super().__init__(**options)
        self.used = used
        self.taken: Callable[[Used, bytes | None], None] = lambda *_: None
        self.on_msg(self._told)

    def download(self, content: bytes, name: str, media: str | None = None) -> None:
        """Have the browser save a file; it makes a PNG of an SVG that is called one."""
        kind = media or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.send({"file": name, "media": kind}, [content])

    def download_file(self, path: Path) -> None:
        """Have the browser save a file that is on the disk."""
        self.download(path.read_bytes(), path.name)

    def download_figure(self, figure: Figure, kind: str) -> None:
        """Have the browser save a figure, drawn on paper."""
        self.download(figure.file().encode(), f"{figure.name}.{kind}", "image/svg+xml")

    def beat(self, stopped: Event) -> None:
        """Tell the page, until ``stopped`` is set, that Python is there; in a thread of its own."""
        while not stopped.wait(BEAT_EVERY_S):
            self.send({"beat": True})

    def _told(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        if not isinstance(content, dict):
            return
        used = {name: str(value) for name, value in content.items() if value is not None}
        if "upload" in used:
            self.taken(used, bytes(buffers[0]) if buffers else None)
        elif used:
            self.used(used)


class Kit:
    """Makes the widgets of one dashboard, and closes them; ``lock`` guards what they show."""

    def __init__(self) -> None:
        self.lock = RLock()
        self._shown, self._hidden = widgets.Layout(display=""), widgets.Layout(display="none")
        self._style = widgets.HTML.class_traits()["style"].klass()
        self._made: list[widgets.Widget] = [self._shown, self._hidden, self._style]

    def html(self, value: str = "") -> widgets.HTML:
        """Make a piece of markup that does not answer."""
        return self._kept(widgets.HTML(value, layout=self._shown, style=self._style))

    def live(self, used: Callable[[Used], None]) -> Live:
        """Make a view, empty as yet; ``used`` gets what was used in it."""
        return self._kept(Live(used, layout=self._shown))

    def column(self, css_class: str, *children: widgets.Widget) -> widgets.VBox:
        """Put widgets below each other."""
        return self._kept(widgets.VBox(children, layout=self._shown)).add_class(css_class)

    def sheet(self) -> widgets.HTML:
        """Make the styles of everything in a dashboard."""
        looks = vars(style) | {"ACCENT": ACCENT, "EDGE": FAILED_BADGE.edge}
        return self.html(f"<style>{CSS}\n{Template(_read('style.css')).substitute(looks)}</style>")

    def _kept(self, made: Kind) -> Kind:
        self._made.append(made)
        return made

    def show(self, widget: widgets.VBox, is_shown: bool) -> None:
        """Show or hide a column; a view of its own does not follow its layout."""
        widget.layout = self._shown if is_shown else self._hidden

    def close(self) -> None:
        """Take all widgets off the screen."""
        for widget in self._made:
            widget.close()


def draw(template: str, **values: Any) -> Markup:
    """Fill a template of this part."""
    return PAGE.render(f"dashboard/{template}.html.j2", **values)


def chart(figure: Figure) -> Markup:
    """Show a figure with the buttons that save it."""
    saves = []
    for kind in ("svg", "png"):
        what = f"Save {figure.name} as {kind.upper()}"
        saves.append(element("button", kind.upper(), data_save=kind, aria_label=what))
    return figure.with_tools(element("div", *saves, class_="pf-save"))


def failure(title: str, problem: BaseException, after: str = "") -> Markup:
    """Show what went wrong, phrased for a reader of the dashboard, and what still holds."""
    text = problem.sentence if isinstance(problem, PetstoreError) else str(problem)
    return PAGE.failure(title, [text or "Nothing more is known.", *filter(None, [after])])


@contextmanager
def problems_shown(say: Callable[[str], None]) -> Iterator[None]:
    """Show an error where the user looks, instead of in a log; what ends a program goes on."""
    try:
        yield
    except Cancelled:
        say(PAGE.warning("Stopped", ["Nothing was lost; start it again."]))
    except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
        say(failure("This did not work", problem))
