"""Creates the controls of the dashboard, which share their layout and styles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from threading import RLock
from typing import Any, TypeVar

import ipywidgets as widgets
import traitlets

from petstore_frame.charts import CSS
from petstore_frame.dashboard.page.form import Form
from petstore_frame.dashboard.page.live_html import LiveHTML
from petstore_frame.rendering import PAGE, Markup, element, palette
from petstore_frame.rendering import html_style as style

WidgetT = TypeVar("WidgetT", bound=widgets.DOMWidget)
Handler = Callable[..., Any]
HIDDEN = "pf-hidden"


class _Shared:
    """The layout and styles of a dashboard; sharing them saves messages before the first paint."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.is_drawing = False
        self.layout = widgets.Layout()
        self.styles: dict[type, widgets.Widget] = {}
        self.created: list[widgets.Widget] = [self.layout]

    def send_states(self) -> None:
        """Send the state of all widgets, and their ids, for a page that may have lost messages."""
        with self.lock:
            shown = [widget for widget in self.created if widget.comm is not None]
            for widget in shown:
                widget.send_state()
            ids = [widget.model_id for widget in shown]
            for widget in shown:
                if isinstance(widget, LiveHTML):
                    widget.send({"widgets": ids})

    def style_for(self, kind: type[widgets.Widget]) -> widgets.Widget | None:
        """Return the style that all widgets of a kind share; None if the kind has none."""
        trait = kind.class_traits().get("style")
        if not isinstance(trait, traitlets.Instance):
            return None
        style_class: Any = trait.klass
        if not issubclass(style_class, widgets.Widget):
            return None
        if style_class not in self.styles:
            self.styles[style_class] = style_class()
            self.created.append(self.styles[style_class])
        return self.styles[style_class]


class WidgetFactory:
    """Creates and closes the widgets of one part of a dashboard.

    ipywidgets hides the errors of handlers, so they are shown in ``message`` until the next action
    in the same part.

    Args:
        shared: The layout and styles of another part; None for the first part.
    """

    def __init__(self, shared: _Shared | None = None) -> None:
        self._shared = shared or _Shared()
        self.message = self.html()

    def for_part(self) -> WidgetFactory:
        """Return a factory with its own message, for another part of the page."""
        return WidgetFactory(self._shared)

    @property
    def layout(self) -> widgets.Layout:
        return self._shared.layout

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Keep other threads from rendering, and suppress the handlers of controls that are set."""
        shared = self._shared
        with shared.lock:
            before, shared.is_drawing = shared.is_drawing, True
            try:
                yield
            finally:
                shared.is_drawing = before

    def handling(self, handler: Handler) -> Callable[..., None]:
        """Return a handler that waits while another thread renders, and shows its errors."""

        def handle(*args: Any) -> None:
            try:
                with self._shared.lock:
                    if not self._shared.is_drawing:
                        self.message.value = ""
                        handler(*args)
            except Exception as problem:  # noqa: BLE001 # the user must see any error
                self.show_failure(problem)

        return handle

    def show_failure(self, problem: Exception) -> None:
        """Show the error of a handler."""
        text = str(problem) or type(problem).__name__
        self.message.value = PAGE.failure("Something went wrong", text.splitlines())

    def make(self, kind: type[WidgetT], *args: Any, css: str = "", **options: Any) -> WidgetT:
        """Create a widget with the shared layout and style; ``css`` has its classes."""
        shared_style = self._shared.style_for(kind)
        if shared_style is not None:
            options["style"] = shared_style
        if css:
            options["_dom_classes"] = css.split()
        widget: WidgetT = kind(*args, layout=self._shared.layout, **options)
        if isinstance(widget, LiveHTML):
            widget.on_reconnect = self._shared.send_states
        self._shared.created.append(widget)
        return widget

    def html(self, value: str = "", css: str = "") -> widgets.HTML:
        """Create a widget that shows markup."""
        return self.make(widgets.HTML, value, css=css)

    def live_html(
        self, on_use: Handler, on_upload: Handler | None = None, css: str = ""
    ) -> LiveHTML:
        """Create a ``LiveHTML``, which reports clicks and edits."""
        handle_upload = None if on_upload is None else self.handling(on_upload)
        return self.make(LiveHTML, self.handling(on_use), handle_upload, css=css)

    def form(self, on_answer: Handler) -> Form:
        """Create a form of questions."""
        return self.make(Form, on_answer, self.handling)

    def row(self, *children: widgets.Widget, css: str = "pf-line") -> widgets.HBox:
        """Put widgets next to each other; those that do not fit wrap to the next line."""
        return self.make(widgets.HBox, children, css=css)

    def column(self, *children: widgets.Widget, css: str = "pf-column") -> widgets.VBox:
        """Put widgets below each other."""
        return self.make(widgets.VBox, children, css=css)

    def button(
        self, text: str, on_click: Callable[[], Any], tooltip: str = "", **options: Any
    ) -> widgets.Button:
        """Create a button."""
        button = self.make(widgets.Button, description=text, tooltip=tooltip or None, **options)
        handle = self.handling(on_click)
        button.on_click(lambda _: handle())
        return button

    def control(
        self, kind: type[WidgetT], label: str, on_change: Handler, **options: Any
    ) -> WidgetT:
        """Create a control that passes its new values to a function."""
        control = self.make(kind, description=label, **options)
        handle = self.handling(on_change)
        control.observe(lambda change: handle(change["new"]), "value")
        return control

    def dropdown(
        self, label: str, options: Sequence[Any], on_change: Handler, **more: Any
    ) -> widgets.Dropdown:
        """Create a list of options to choose one from."""
        return self.control(widgets.Dropdown, label, on_change, options=options, **more)

    def text(self, label: str, placeholder: str, on_change: Handler, **more: Any) -> Any:
        """Create a text box that reports its value on Enter, with ``options`` as suggestions."""
        kind = widgets.Combobox if "options" in more else widgets.Text
        settings = {"placeholder": placeholder, "continuous_update": False}
        return self.control(kind, label, on_change, **(settings | more))

    def checkbox(self, text: str, on_change: Handler) -> widgets.Checkbox:
        """Create a checkbox."""
        return self.control(widgets.Checkbox, text, on_change, indent=False)

    def upload(
        self, label: str, extensions: str, on_upload: Callable[[str, bytes], None]
    ) -> widgets.FileUpload:
        """Create a button that uploads a file; the function gets its name and its content."""

        def handle(files: Any) -> None:
            for file in files:
                control.value = ()
                on_upload(file["name"], bytes(file["content"]))

        control = self.control(
            widgets.FileUpload, label, handle, css="pf-file", accept=extensions, tooltip=label
        )
        return control

    def stylesheet(self) -> widgets.HTML:
        """Create a widget with the styles of a dashboard."""
        values = vars(style) | {"ACCENT": palette.ACCENT, "EDGE": palette.FAILED_BADGE.edge}
        css = Template(Path(__file__).with_name("style.css").read_text("utf-8")).substitute(values)
        return self.html(f"<style>{CSS}\n{css}</style>", "pf-sheet")

    def remove(self, widget: widgets.Widget) -> None:
        """Remove one widget from the screen, and forget it."""
        widget.close()
        self._shared.created.remove(widget)

    def close(self) -> None:
        """Remove all widgets of the dashboard from the screen."""
        for widget in self._shared.created:
            widget.close()


def set_visible(widget: widgets.DOMWidget, is_visible: bool) -> None:
    """Show or hide a widget."""
    if is_visible:
        widget.remove_class(HIDDEN)
    else:
        widget.add_class(HIDDEN)


def set_options(dropdown: widgets.Dropdown, options: Iterable[Any], value: Any) -> None:
    """Replace the options of a list, and select a value if it is among them."""
    pairs = [option if isinstance(option, tuple) else (str(option), option) for option in options]
    values = [option_value for _, option_value in pairs]
    if [*dropdown.options] != pairs:
        dropdown.options = pairs
    dropdown.value = value if value in values else values[0]


def scrollable(table: str) -> Markup:
    """Return a table in a frame that scrolls if the table is too wide; marks stay clickable."""
    return element("div", table, class_="pf-grid")


def section(title: str, content: str = "") -> Markup:
    """Return a section of a page with its title."""
    return element("section", element("h3", title, class_="pf-section"), content)
