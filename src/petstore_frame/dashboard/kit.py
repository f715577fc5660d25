"""The widgets that the dashboard is made of.

They share Layout and Style models; otherwise about a hundred redundant messages are sent.
"""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets
from ipywidgets.widgets.widget_string import HTMLStyle


class Kit:
    """Makes the widgets of one dashboard."""

    def __init__(self) -> None:
        self._layout = widgets.Layout()
        self._words, self._button = HTMLStyle(), widgets.ButtonStyle()

    def html(self, value: str = "") -> widgets.HTML:
        """Make a piece of markup."""
        return widgets.HTML(value, layout=self._layout, style=self._words)

    def button(
        self, text: str, tip: str, press: Callable[[], None], *, may_hide: bool = False
    ) -> widgets.Button:
        """Make a button; one that may hide has a Layout of its own."""
        layout = widgets.Layout() if may_hide else self._layout
        button = widgets.Button(description=text, tooltip=tip, layout=layout, style=self._button)
        button.on_click(lambda _: press())
        return button

    def row(self, *children: widgets.Widget, may_hide: bool = False) -> widgets.Box:
        """Put widgets side by side; they wrap where it is narrow."""
        return self._box(widgets.Box, children, may_hide=may_hide).add_class("pf-line")

    def column(self, *children: widgets.Widget, may_hide: bool = False) -> widgets.VBox:
        """Put widgets below each other."""
        return self._box(widgets.VBox, children, may_hide=may_hide).add_class("pf-part")

    def _box(
        self, kind: type[widgets.Box], children: tuple[widgets.Widget, ...], *, may_hide: bool
    ) -> widgets.Box:
        return kind(list(children), layout=widgets.Layout() if may_hide else self._layout)


def show(widget: widgets.Widget, is_shown: bool) -> None:
    """Show or hide a widget that may hide."""
    widget.layout.display = "" if is_shown else "none"
