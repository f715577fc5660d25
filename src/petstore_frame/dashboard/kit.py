"""Makes the controls of the dashboard: core widgets that share their Layout and Style.

Each model is a message before the first paint, so there are as few as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from string import Template
from threading import RLock
from typing import Any, TypeVar

import ipywidgets as widgets

from petstore_frame.charts import CSS, element
from petstore_frame.dashboard.live import Live, read_text
from petstore_frame.markup import Markup, style
from petstore_frame.markup.palette import ACCENT, FAILED_BADGE

Made = TypeVar("Made", bound=widgets.DOMWidget)
HIDDEN = "pf-hidden"


class Kit:
    """Makes the widgets of one dashboard, and closes them; ``lock`` guards what they show.

    ``failed`` gets what a control's function raises, which would go unseen otherwise.
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self.lock = RLock()
        self._layout = widgets.Layout()
        self._styles: dict[type, widgets.Widget] = {}
        self._made: list[widgets.Widget] = [self._layout]

    def make(self, kind: type[Made], css: str = "", *given: Any, **options: Any) -> Made:
        """Make a widget that shares its Layout and Style with the others; ``css`` is its class."""
        styles = getattr(kind.class_traits().get("style"), "klass", None)
        if styles is not None and issubclass(styles, widgets.Widget):
            if styles not in self._styles:
                self._styles[styles] = styles()
                self._made.append(self._styles[styles])
            options["style"] = self._styles[styles]
        made: Made = kind(*given, layout=self._layout, **options)
        if css:
            made.add_class(css)
        self._made.append(made)
        return made

    def html(self, value: str = "", css: str = "") -> widgets.HTML:
        """Make a piece of markup."""
        return self.make(widgets.HTML, css, value)

    def live(self, *called: Callable[..., None]) -> Live:
        """Make markup that answers; of ``Live`` are the functions that it calls."""
        return self.make(Live, "", *called)

    def row(self, *children: widgets.Widget, css: str = "pf-line") -> widgets.HBox:
        """Put widgets beside each other, as many as there is room for."""
        return self.make(widgets.HBox, css, children)

    def column(self, *children: widgets.Widget, css: str = "pf-column") -> widgets.VBox:
        """Put widgets below each other."""
        return self.make(widgets.VBox, css, children)

    def button(self, text: str, pressed: Callable[[], Any], tip: str = "", **options: Any) -> Any:
        """Make a button."""
        made = self.make(widgets.Button, "", description=text, tooltip=tip or None, **options)
        made.on_click(self._shown(pressed))
        return made

    def choice(
        self, name: str, options: Iterable[Any], changed: Callable[[], Any], **more: Any
    ) -> widgets.Dropdown:
        """Make a list of which one is chosen."""
        made = self.make(widgets.Dropdown, "", options=list(options), description=name, **more)
        return self.on_change(made, changed)

    def text(
        self,
        name: str,
        hint: str,
        changed: Callable[[], Any],
        *,
        value: str = "",
        proposes: bool = False,
    ) -> Any:
        """Make a box to write in, which may propose its ``options``."""
        kind = widgets.Combobox if proposes else widgets.Text
        given = {"description": name, "placeholder": hint, "continuous_update": False}
        return self.on_change(self.make(kind, "", value=value, **given), changed)

    def tick(self, text: str, changed: Callable[[], Any], **options: Any) -> widgets.Checkbox:
        """Make a box to tick."""
        made = self.make(widgets.Checkbox, "", description=text, indent=False, **options)
        return self.on_change(made, changed)

    def on_change(self, made: Made, changed: Callable[[], Any]) -> Made:
        """Call a function after each new value of a control."""
        made.observe(self._shown(changed), "value")
        return made

    def on_value(self, made: Made, taken: Callable[[Any], Any]) -> Made:
        """Call a function with each new value of a control, which may be another by then."""

        def changed(change: Any) -> None:
            self._shown(lambda: taken(change["new"]))(change)

        made.observe(changed, "value")
        return made

    def _shown(self, called: Callable[[], Any]) -> Callable[[Any], None]:
        def run(_: Any) -> None:
            try:
                with self.lock:  # a worker may be drawing
                    called()
            except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
                self._failed(problem)

        return run

    def sheet(self) -> widgets.HTML:
        """Make the styles of everything in a dashboard."""
        looks = vars(style) | {"ACCENT": ACCENT, "EDGE": FAILED_BADGE.edge}
        css = Template(read_text("style.css")).substitute(looks)
        return self.html(f"<style>{CSS}\n{css}</style>", "pf-sheet")

    def forget(self, *made: widgets.Widget) -> None:
        """Close widgets that are no longer shown, with what lies in them."""
        for widget in made:
            self.forget(*getattr(widget, "children", ()))
            if widget in self._made:
                self._made.remove(widget)
            widget.close()

    def close(self) -> None:
        """Take all widgets off the screen."""
        for widget in self._made:
            widget.close()


def show(widget: widgets.DOMWidget, is_shown: bool) -> None:
    """Show or hide a widget."""
    if is_shown:
        widget.remove_class(HIDDEN)
    else:
        widget.add_class(HIDDEN)


def set_options(choice: widgets.Dropdown, options: Iterable[Any], value: Any) -> None:
    """Give a list other options, and the value that is right for them."""
    listed = [each if isinstance(each, tuple) else (str(each), each) for each in options]
    if value not in [each for _, each in listed]:
        value = listed[0][1]
    if [*choice.options] != listed:
        choice.options = listed
    if choice.value != value:
        choice.value = value


def titled(title: str, part: Markup) -> Markup:
    """Put a title above a part of a page."""
    return element("section", element("h3", title, class_="pf-section"), part)
