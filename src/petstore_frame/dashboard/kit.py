"""The widgets that the dashboard is made of, few models each.

Every model is a message before the first paint, so all share their Layout and Style: one Layout of
what is shown, one of what is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from threading import Event
from typing import Any, TypeVar

import anywidget
import ipywidgets as widgets
import traitlets

BEAT_EVERY_S = 2.0
# A browser's message beyond 10 MiB breaks the websocket without an error.
LARGEST_UPLOAD = 8 * 1024 * 1024
Used = Mapping[str, str]
Kind = TypeVar("Kind", bound=widgets.DOMWidget)


def _script() -> str:
    """Return the script without the comments and indents that only its reader needs."""
    lines = files("petstore_frame.dashboard").joinpath("live.js").read_text("utf-8").splitlines()
    bare = (line.strip() for line in lines)
    return "\n".join(line for line in bare if line and not line.startswith("//"))


class Live(anywidget.AnyWidget):
    """Markup that answers, the one widget with a script of ours.

    Its marks, elements of class ``pf-mark`` that ``charts`` draws, have tooltips, and what is
    clicked is reported. The markup is as escaped as that of any other widget: the script shows no
    other text as markup.

    Attributes:
        used: Called with the data attributes of what was used: ``category``, ``status``, ``sort``;
            or ``toggle`` or ``save`` with the name of the ``figure``. A list, a box or a tick adds
            its ``value``.
        taken: Called with the ``upload`` (its name), the ``size`` and the content of a file that
            was chosen, dropped or pasted; None is the content of one above ``LARGEST_UPLOAD``.
    """

    _esm = traitlets.Unicode(_script()).tag(sync=True)
    largest = traitlets.Int(LARGEST_UPLOAD).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.used: Callable[[Used], None] = lambda _: None
        self.taken: Callable[[Used, bytes | None], None] = lambda *_: None
        self.on_msg(self._told)

    def download(self, content: bytes, name: str, media: str) -> None:
        """Have the browser save a file; it makes a PNG of an SVG that is called one."""
        self.send({"file": name, "media": media}, [content])

    def focus(self, selector: str) -> None:
        """Put the focus on an element, as the markup is now."""
        self.send({"focus": selector})

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
    """Makes the widgets of one dashboard, and closes them."""

    def __init__(self) -> None:
        self._shown, self._hidden = widgets.Layout(display=""), widgets.Layout(display="none")
        self._style = widgets.HTML.class_traits()["style"].klass()
        self._made: list[widgets.Widget] = [self._shown, self._hidden, self._style]

    def html(self, value: str = "") -> widgets.HTML:
        """Make a piece of markup that does not answer."""
        return self._kept(widgets.HTML(value, layout=self._shown, style=self._style))

    def live(self, used: Callable[[Used], None] = lambda _: None) -> Live:
        """Make a view, empty as yet; ``used`` gets what was used in it."""
        made = self._kept(Live(layout=self._shown))
        made.used = used
        return made

    def column(self, css_class: str, *children: widgets.Widget) -> widgets.VBox:
        """Put widgets below each other."""
        return self._kept(widgets.VBox(children, layout=self._shown)).add_class(css_class)

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
