"""The part of the dashboard that shows pets: figures, bars, matrix and table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.charts.bars import status_figure
from petstore_frame.charts.pet_list import HEAD, pets_table
from petstore_frame.charts.svg import Figure, element
from petstore_frame.counts.table import CountTable
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.filters import Filters
from petstore_frame.dashboard.kit import Kit, Live, Meant
from petstore_frame.dashboard.model import SORT_COLUMNS, Selection, ShownPets, StoreModel
from petstore_frame.html import PAGE, Cell, Markup
from petstore_frame.html.palette import status_colours

if TYPE_CHECKING:
    from threading import RLock

BARS = 15


class InventoryTab:
    """Figures, bars, matrix and table of one store, under the filters."""

    def __init__(self, kit: Kit, lock: RLock, filters: Filters) -> None:
        self.model: StoreModel | None = None
        self.shown: ShownPets | None = None
        self._kit, self._lock, self._filters = kit, lock, filters
        self._hidden: frozenset[str] = frozenset()
        self._is_drawing = False
        self.view = kit.make(Live)
        self.view.meant = self._meant
        self.previous = kit.button("Previous", "the page before", lambda: self._turn(-1))
        self.next = kit.button("Next", "the page after", lambda: self._turn(1))
        self.page = kit.make(widgets.BoundedIntText, value=1, min=1, max=1, description="Page")
        self.page.observe(self._page_typed, "value")
        self.place = kit.html()
        self._pager = kit.row(self.previous, self.next, self.page, self.place)
        self.widget = kit.column(self.view, self._pager, is_hidden=True)

    def take(self, model: StoreModel) -> None:
        """Show another reading of the store under the filters that are set."""
        with self._lock:
            self.model = model
            self._filters.take(model)

    def show(self, selection: Selection, *, is_seen: bool = True) -> None:
        """Draw a selection, where it is seen; every figure on the screen is of the same one."""
        with self._lock:
            if self.model is None:
                return
            self.shown = shown = self.model.show(selection)
            self._filters.shown(shown)
            if is_seen:
                self._draw(shown)
                self._show_pager(shown)

    def _draw(self, shown: ShownPets) -> None:
        if self.model is None:
            return
        cards = parts.cards(shown, self.model.pets.everything)
        if not shown.matches:
            self.view.markup = cards + parts.nothing_to_show(shown)
            return
        matrix = CountTable(shown.counts, BARS).to_html(PAGE, is_picked=True)
        charts = parts.two(
            "Pets by category",
            parts.chart(self._figure(shown)),
            "Category by status (choose a number to see its pets)",
            element("div", matrix, class_="pf-grid"),
        )
        self.view.markup = cards + charts + _table(shown)

    def _figure(self, shown: ShownPets) -> Figure:
        return status_figure(shown.counts, top=BARS, hidden=self._hidden)

    def _show_pager(self, shown: ShownPets) -> None:
        now = shown.selection
        self._kit.show(self._pager, bool(shown.matches))
        self.previous.disabled = now.page <= 1
        self.next.disabled = now.page >= shown.pages
        self._is_drawing = True
        self.page.max = shown.pages
        self.page.value = now.page
        self._is_drawing = False
        self.place.value = f"<span>of {shown.pages:,} · {shown.place}</span>"

    def _meant(self, meant: Meant) -> None:
        with self._lock:
            if self.shown is not None and "save" in meant:
                parts.send_figure(self.view, self._figure(self.shown), meant["save"])
            elif self.shown is not None and "toggle" in meant:
                self._hidden ^= {meant["toggle"]}
                self._draw(self.shown)
            else:
                self._filters.picked(meant)

    def _page_typed(self, change: Any) -> None:
        if not self._is_drawing:
            self._filters.choose(replace(self._filters.selection, page=change.new))

    def _turn(self, pages: int) -> None:
        now = self._filters.selection
        self._filters.choose(replace(now, page=now.page + pages))


def _table(shown: ShownPets) -> Markup:
    """One page of pets below heads that sort."""
    now = shown.selection
    arrow = " ▼" if now.is_descending else " ▲"
    head = [
        Cell(
            element("span", name + arrow * (column == now.sort_by), class_="pf-mark"),
            {"sort": column},
        )
        for name, column in zip(HEAD, SORT_COLUMNS, strict=True)
    ]
    shades = status_colours(shown.counts.statuses)
    table = pets_table(
        shown.rows,
        shades,
        caption=f"Pets {shown.place}",
        head=[*head, *shown.further],
        numbers=shown.numbers,
    )
    return element("div", table, class_="pf-grid")
