"""Makes the controls of the dashboard, and the one widget with a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from threading import RLock
from typing import Any, TypeVar

import anywidget
import ipywidgets as widgets
import traitlets

from petstore_frame.charts import CSS, Chart, element
from petstore_frame.rendering import Markup, palette, style
from petstore_frame.schema import FIELDS

Made = TypeVar("Made", bound=widgets.DOMWidget)
Called = Callable[..., Any]
Used = Mapping[str, str]
# What the fields of a pet are called on screen; categories are shown by name.
LABELS = {field.name: field.label for field in FIELDS} | {"category_id": "Category"}
# A browser's message beyond 10 MiB breaks the websocket without an error.
LARGEST_MESSAGE = 8 * 1024 * 1024


class Figures(anywidget.AnyWidget):
    """Markup whose marks have tooltips and report clicks; it saves a file, and takes a dropped one.

    Marks are the elements of class ``pf-mark`` that ``charts`` draws. The markup is as escaped as
    that of any other widget; the script shows no other text as markup.

    Args:
        used: Called with the data attributes of what was clicked, such as ``category``.
        taken: Called with the name, the size and the content of a file that was dropped or pasted;
            None is the content of one above ``largest``.
    """

    _esm = Path(__file__).with_name("live.js")
    largest = traitlets.Int(LARGEST_MESSAGE).tag(sync=True)
    markup = traitlets.Unicode().tag(sync=True)

    def __init__(self, used: Called, taken: Called = lambda *_: None, **options: Any) -> None:
        super().__init__(**options)
        self._used, self._taken = used, taken
        self._charts: dict[str, Chart] = {}
        self.on_msg(self._told)

    def with_saves(self, chart: Chart) -> Markup:
        """Return a drawing with the buttons that save it."""
        self._charts[chart.name] = chart
        saves = []
        for kind in ("svg", "png"):
            what = f"Save {chart.name} as {kind.upper()}"
            saves.append(element("button", kind.upper(), data_save=kind, aria_label=what))
        return chart.markup(element("div", *saves, class_="pf-save"))

    def download(self, content: bytes, name: str) -> None:
        """Have the browser save a file; it makes a PNG of an SVG that is called one."""
        self.send({"file": name}, [content])

    def download_file(self, path: Path) -> None:
        """Have the browser save a file that is on the disk."""
        self.download(path.read_bytes(), path.name)

    def _told(self, _: Any, content: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        if "upload" in content:
            self._taken(content["upload"], content["size"], bytes(buffers[0]) if buffers else None)
        elif "save" in content:
            chart = self._charts[content["figure"]]
            self.download(chart.file().encode(), f"{chart.name}.{content['save']}")
        else:
            self._used(content)


class Kit:
    """Makes the widgets of one dashboard, and closes them.

    Each model is a message before the first paint, so they share their Layout and Style.

    Args:
        failed: Called with what the function of a control raises, which would go unseen otherwise.
        refused: Called when the store refuses the key.
    """

    def __init__(self, failed: Callable[[Exception], None], refused: Callable[[], None]) -> None:
        self.failed, self.refused = failed, refused
        self._lock, self._is_drawing = RLock(), False
        self._layout = widgets.Layout()
        self._styles: dict[type, widgets.Widget] = {}
        self._made: list[widgets.Widget] = [self._layout]

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Draw alone, also against other threads; a control that is set calls nothing."""
        with self._lock:
            before, self._is_drawing = self._is_drawing, True
            try:
                yield
            finally:
                self._is_drawing = before

    def answering(self, called: Called) -> Callable[..., None]:
        """Return a function for a control: it waits for a drawing, and what it raises is shown."""

        def answer(*given: Any) -> None:
            try:
                with self._lock:
                    if not self._is_drawing:
                        called(*given)
            except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
                self.failed(problem)

        return answer

    def make(self, kind: type[Made], *given: Any, css: str = "", **options: Any) -> Made:
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
        return self.make(widgets.HTML, value, css=css)

    def figures(self, *called: Called) -> Figures:
        """Make markup that answers; the functions are those of ``Figures``."""
        return self.make(Figures, *map(self.answering, called))

    def row(self, *children: widgets.Widget, css: str = "pf-line") -> widgets.HBox:
        """Put widgets beside each other, as many as there is room for."""
        return self.make(widgets.HBox, children, css=css)

    def column(self, *children: widgets.Widget, css: str = "pf-column") -> widgets.VBox:
        """Put widgets below each other."""
        return self.make(widgets.VBox, children, css=css)

    def button(self, text: str, pressed: Callable[[], Any], tip: str = "", **options: Any) -> Any:
        """Make a button."""
        made = self.make(widgets.Button, description=text, tooltip=tip or None, **options)
        press = self.answering(pressed)
        made.on_click(lambda _: press())
        return made

    def control(self, kind: type[Made], name: str, changed: Called, **options: Any) -> Made:
        """Make a control whose new values go to a function."""
        made = self.make(kind, description=name, **options)
        answer = self.answering(changed)
        made.observe(lambda change: answer(change["new"]), "value")
        return made

    def choice(self, name: str, options: Sequence[Any], changed: Called) -> widgets.Dropdown:
        """Make a list of which one is chosen."""
        return self.control(widgets.Dropdown, name, changed, options=options)

    def text(self, name: str, hint: str, changed: Called, **more: Any) -> Any:
        """Make a box to write in; with ``options`` it proposes these."""
        kind = widgets.Combobox if "options" in more else widgets.Text
        given = {"placeholder": hint, "continuous_update": False}
        return self.control(kind, name, changed, **given, **more)

    def tick(self, text: str, changed: Called) -> widgets.Checkbox:
        """Make a box to tick."""
        return self.control(widgets.Checkbox, text, changed, indent=False)

    def sheet(self) -> widgets.HTML:
        """Make the styles of everything in a dashboard."""
        looks = vars(style) | {"ACCENT": palette.ACCENT, "EDGE": palette.FAILED_BADGE.edge}
        css = Template(Path(__file__).with_name("style.css").read_text("utf-8")).substitute(looks)
        return self.html(f"<style>{CSS}\n{css}</style>", "pf-sheet")

    def close(self) -> None:
        """Take all widgets off the screen."""
        for widget in self._made:
            widget.close()


def show(widget: widgets.DOMWidget, is_shown: object) -> None:
    """Show or hide a widget."""
    change = widget.remove_class if is_shown else widget.add_class
    change("pf-hidden")


def set_options(choice: widgets.Dropdown, options: Iterable[Any], value: Any) -> None:
    """Give a list other options, and the value that is right for them."""
    listed = [each if isinstance(each, tuple) else (str(each), each) for each in options]
    if value not in [each for _, each in listed]:
        value = listed[0][1]
    if [*choice.options] != listed:
        choice.options = listed
    choice.value = value


def grid(table: str) -> Markup:
    """Put a table where its marks answer, and where it can be moved if it is too wide."""
    return element("div", table, class_="pf-grid")


def titled(title: str, part: str = "") -> Markup:
    """Put a title above a part of a page."""
    return element("section", element("h3", title, class_="pf-section"), part)
