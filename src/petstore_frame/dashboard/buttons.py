"""Many real buttons that cost the browser one message.

``ToggleButtons`` draws native buttons from one list; its choice is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets


class ButtonGroup:
    """A group of buttons.

    Args:
        press: Called with the place of the button pressed, from 0.
        css_class: How the group is laid out.

    Attributes:
        widget: The buttons.
    """

    def __init__(self, press: Callable[[int], None], css_class: str) -> None:
        self.widget = widgets.ToggleButtons(options=[], tooltips=[]).add_class(css_class)
        self._press = press
        # The click itself, not a change of choice: the same button may be pressed twice.
        self.widget.on_msg(self._clicked)

    def show(self, texts: Sequence[str], tips: Sequence[str] = ()) -> None:
        """Show other texts; equal ones are left alone, so that the focus stays where it is."""
        options = [(text or " ", place) for place, text in enumerate(texts)]
        if options == list(self.widget.options) and list(tips) == list(self.widget.tooltips):
            return
        with self.widget.hold_sync():
            self.widget.index = None
            self.widget.tooltips = list(tips)
            self.widget.options = options
        self.widget.layout.display = "" if options else "none"

    def _clicked(self, _: Any, content: Any, __: Any) -> None:
        if content.get("event") == "click" and self.widget.index is not None:
            self._press(self.widget.index)
