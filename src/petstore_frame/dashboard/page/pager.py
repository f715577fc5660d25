"""Turns the pages of a table."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets

from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible

ROWS_PER_PAGE = 50


class Pager:
    """The number of the page of a table, and buttons to turn it; hidden if there is one page.

    Args:
        factory: Makes its widgets.
        on_turn: Shows the table again.

    Attributes:
        widget: The row of controls.
        page, previous, next: The number of the page, from 1, and the buttons.
    """

    def __init__(self, factory: WidgetFactory, on_turn: Callable[[], None]) -> None:
        self.page = factory.control(
            widgets.BoundedIntText, "Page", lambda _: on_turn(), value=1, min=1, max=1
        )
        self.previous = factory.button("‹ Previous", lambda: self._turn(-1))
        self.next = factory.button("Next ›", lambda: self._turn(1))
        self._pages = factory.html()
        self.widget = factory.row(self.previous, self.page, self._pages, self.next)

    def _turn(self, pages: int) -> None:
        self.page.value += pages

    def rows_of(self, rows: int) -> range:
        """Return the positions of the rows on the present page of a table with so many rows."""
        pages = max(1, -(-rows // ROWS_PER_PAGE))
        self.page.max = pages  # the widget limits the page number to it
        number = self.page.value
        self._pages.value = f"of {pages:,}"
        self.previous.disabled, self.next.disabled = number <= 1, number >= pages
        set_visible(self.widget, pages > 1)
        first = (number - 1) * ROWS_PER_PAGE
        return range(first, min(first + ROWS_PER_PAGE, rows))
