"""The part of the dashboard that shows pets: figures, filters, bars, matrix and table.

In: a StoreModel, and what its user clicks. Out: widgets, made once, whose values change. Every
question goes to the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.charts.drawing import bars, legend, pets_table
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.buttons import ButtonGroup
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.matrix import MatrixCell, matrix
from petstore_frame.dashboard.model import SORT_COLUMNS, Selection, Shown, StoreModel
from petstore_frame.schema.palette import status_colours, status_word

if TYPE_CHECKING:
    from threading import RLock

ALL_STATUSES = "All statuses"
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id
BARS = 15


class InventoryTab:
    """Figures, filters, bars, matrix and table of one store.

    Args:
        kit: Makes the widgets.
        lock: Held while the state changes, for events arrive on several threads.
        say: Shows a line of markup above the tabs.
    """

    def __init__(self, kit: Kit, lock: RLock, say: Callable[[str], None]) -> None:
        self.model: StoreModel | None = None
        self.selection = Selection()
        self.shown: Shown | None = None
        self._kit, self._lock, self._say = kit, lock, say
        self._before: list[Selection] = []
        self._is_drawing = False
        self._make_filters()
        self._make_pictures()
        self._make_table()
        self.widget = kit.column(
            self.cards, self._filters, self._active, self._two, self._table_part
        )

    def _make_filters(self) -> None:
        self.cards = self._kit.html()
        self.status = widgets.Dropdown(options=[(ALL_STATUSES, "")], description="Status")
        self.category = widgets.Combobox(
            placeholder="type to search", description="Category", continuous_update=False
        )
        self.text = widgets.Text(
            placeholder="name or id, then Enter", description="Name", continuous_update=False
        )
        self.back = self._kit.button("← Back", "to the view before", self.go_back, may_hide=True)
        self.chips = ButtonGroup(self._drop_filter, "pf-chips")
        self.words = self._kit.html()
        self._filters = self._kit.row(self.status, self.category, self.text)
        self._active = self._kit.row(self.words, self.back, self.chips.widget)
        self.status.observe(self._status_chosen, "value")
        self.category.observe(self._category_chosen, "value")
        self.text.observe(self._text_typed, "value")

    def _make_pictures(self) -> None:
        self.bars = self._kit.html()
        self.matrix = ButtonGroup(self._drill, "pf-matrix")
        self.matrix_style = self._kit.html()
        self._targets: list[MatrixCell] = []
        left = self._kit.column(self._kit.html("<h3>Pets by category</h3>"), self.bars)
        left.add_class("pf-tight")
        title = "<h3>Category by status <small>(choose a number to see its pets)</small></h3>"
        right = self._kit.column(self._kit.html(title), self.matrix_style, self.matrix.widget)
        right.add_class("pf-tight")
        self._two = self._kit.row(left, right, may_hide=True).add_class("pf-two")

    def _make_table(self) -> None:
        self.sort = ButtonGroup(self._sort, "pf-sort")
        self.sort.show(["ID", "Name", "Category", "Status"], ["sort by this column"] * 4)
        self.sort_style = self._kit.html()
        self.table = self._kit.html()
        self.previous = self._kit.button("Previous", "the page before", lambda: self._turn(-1))
        self.next = self._kit.button("Next", "the page after", lambda: self._turn(1))
        self.page = widgets.BoundedIntText(value=1, min=1, max=1, description="Page")
        self.page.add_class("pf-page").observe(self._page_typed, "value")
        self.place = self._kit.html()
        self._pager = self._kit.row(self.previous, self.next, self.page, self.place, may_hide=True)
        self._table_part = self._kit.column(
            self._kit.html("<h3>Pets</h3>"),
            self.sort_style,
            self.sort.widget,
            self.table,
            self._pager,
        ).add_class("pf-tight")

    def take(self, model: StoreModel) -> None:
        """Show another reading of the store under the filters that are set."""
        with self._lock:
            self.model = model
            self._is_drawing = True
            statuses = model.pets.statuses
            if self.selection.status not in statuses:
                self.selection = replace(self.selection, status=None)
            self.status.options = [(ALL_STATUSES, ""), *((status_word(s), s) for s in statuses)]
            self.category.options = tuple(model.category_options())[:SUGGESTIONS]
            self._is_drawing = False
            self.show(self.selection)

    def show(self, selection: Selection) -> None:
        """Draw a selection; every figure on the screen is of the same one."""
        with self._lock:
            if self.model is None:
                return
            self.shown = shown = self.model.show(selection)
            self.selection = shown.selection
            self._is_drawing = True
            try:
                self._draw_filters(shown, self.model)
                self._draw_pictures(shown)
                self._draw_table(shown)
            finally:
                self._is_drawing = False

    def drill(self, selection: Selection) -> None:
        """Go to a selection with a way back."""
        with self._lock:
            self._before.append(self.selection)
            self.show(selection)
            self.back.focus()  # the button that was pressed is no longer there

    def go_back(self) -> None:
        """Return to the selection before the last drill-down."""
        with self._lock:
            self.show(self._before.pop() if self._before else self.selection.cleared())

    def _draw_filters(self, shown: Shown, model: StoreModel) -> None:
        now = shown.selection
        self.status.value = now.status or ""
        self.category.value = ""
        self.text.value = now.text
        self.words.value = f'<span role="status">{parts.selection_words(shown)}</span>'
        filters = [f"{words} ✕" for words, _ in model.describe(now)]
        self.chips.show([*filters, "Clear all filters"] if filters else [])
        show(self.back, bool(self._before))
        self.cards.value = parts.cards(shown, model.pets.everything)

    def _draw_pictures(self, shown: Shown) -> None:
        is_empty = not shown.matches
        show(self._two, not is_empty)
        if is_empty:
            return
        self.bars.value = legend(shown.counts) + bars(shown.counts, top=BARS)
        grid = matrix(shown)
        self._targets = grid.cells
        self.matrix_style.value = grid.style(self.matrix.scope)
        self.matrix.show([cell.text for cell in grid.cells], [cell.tip for cell in grid.cells])

    def _draw_table(self, shown: Shown) -> None:
        now = shown.selection
        if shown.matches:
            shades = status_colours(shown.counts.statuses)
            self.table.value = pets_table(
                shown.rows, shades, caption=f"Pets {shown.place}", is_headed=False
            )
        else:
            self.table.value = parts.nothing_to_show(shown)
        for part in (self.sort.widget, self._pager):
            show(part, bool(shown.matches))
        column, arrow = SORT_COLUMNS.index(now.sort_by) + 1, "▼" if now.is_descending else "▲"
        self.sort_style.value = (
            f"<style>.pf-dash .{self.sort.scope} button:nth-child({column})::after"
            f'{{content:" {arrow}"}}</style>'
        )
        self.previous.disabled = now.page <= 1
        self.next.disabled = now.page >= shown.pages
        self.page.max = shown.pages
        self.page.value = now.page
        self.place.value = f"<span>of {shown.pages:,} · {shown.place}</span>"

    def _status_chosen(self, change: Any) -> None:
        if not self._is_drawing:
            self.show(replace(self.selection, status=change.new or None, page=1))

    def _text_typed(self, change: Any) -> None:
        if not self._is_drawing:
            self.show(replace(self.selection, text=change.new.strip(), page=1))

    def _category_chosen(self, change: Any) -> None:
        if self._is_drawing or not change.new or self.model is None:
            return
        found = self.model.find_categories(change.new)
        if not found:
            self._say(
                parts.warning("No such category", [f"Nothing here is called {change.new!r}."])
            )
            return
        chosen = self.selection.categories | frozenset(found)
        self.show(replace(self.selection, categories=chosen, page=1))

    def _drop_filter(self, index: int) -> None:
        if self.model is None:
            return
        filters = self.model.describe(self.selection)
        is_last = index >= len(filters)
        self.show(self.selection.cleared() if is_last else filters[index][1])

    def _drill(self, index: int) -> None:
        target = self._targets[index].target if index < len(self._targets) else None
        if target is not None:
            self.drill(target)

    def _sort(self, index: int) -> None:
        self.show(self.selection.sorted_by(SORT_COLUMNS[index]))

    def _page_typed(self, change: Any) -> None:
        if not self._is_drawing:
            self.show(replace(self.selection, page=change.new))

    def _turn(self, pages: int) -> None:
        self.show(replace(self.selection, page=self.selection.page + pages))
