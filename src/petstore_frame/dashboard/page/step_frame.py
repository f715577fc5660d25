"""The frame of a step: its number and hint, and a summary in one line when it is done."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import ipywidgets as widgets

from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.rendering import Markup, element


class Progress(StrEnum):
    """The progress of a step."""

    WAITING = "waiting"
    CURRENT = "current"
    DONE = "done"


class Step:
    """A step of a tab; a finished one is a single line with a button that opens it again.

    Args:
        factory: Makes its widgets.
        number: The number of the step, from 1.
        title: What the user does in the step.
        hint: A sentence that tells the user what to do.
        on_toggle: Called with the number when the user opens or closes the finished step.

    Attributes:
        widget: The whole step.
        body: The content of the open step.
        change: The button that opens or closes the finished step.
    """

    def __init__(
        self,
        factory: WidgetFactory,
        number: int,
        title: str,
        hint: str,
        on_toggle: Callable[[int], None],
    ) -> None:
        self.number, self._title, self._hint = number, title, hint
        self._header = factory.html(css="pf-step-title")
        self.change = factory.button("Change", lambda: on_toggle(number), css="pf-link")
        self.body: widgets.VBox = factory.column()
        head = factory.row(self._header, self.change, css="pf-step-head")
        self.widget = factory.column(head, factory.message, self.body, css="pf-step")
        self.progress = Progress.WAITING

    def render(
        self, progress: Progress, summary: str = "", *, is_opened: bool = False, note: str = ""
    ) -> None:
        """Show the progress of the step; ``summary`` is its result, ``note`` replaces the hint."""
        self.progress = progress
        is_open = progress is Progress.CURRENT or is_opened
        sign = "✓" if progress is Progress.DONE else str(self.number)
        text = summary if progress is Progress.DONE else note or self._hint
        self._header.value = Markup("").join(
            [
                element("span", sign, class_="pf-step-number", aria_hidden="true"),
                element("h3", self._title),
                element("span", text, class_="pf-faint"),
            ]
        )
        for state in Progress:
            if state is progress:
                self.widget.add_class(f"pf-{state}")
            else:
                self.widget.remove_class(f"pf-{state}")
        set_visible(self.body, is_open)
        self.change.description = "Close" if is_opened else "Change"
        set_visible(self.change, progress is Progress.DONE)
