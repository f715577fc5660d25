"""The part of the dashboard that shows pets: figures, bars, matrix and table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from petstore_frame.charts.bars import status_figure
from petstore_frame.charts.pet_list import HEAD, pets_table
from petstore_frame.charts.svg import Figure, element
from petstore_frame.counts.table import CountTable
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.filters import Filters
from petstore_frame.dashboard.kit import Kit, Used
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
        self._lock, self._filters = lock, filters
        self._hidden: frozenset[str] = frozenset()
        self.view = kit.live(self._used)
        self.widget = kit.column("pf-inventory", self.view)

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
        self.view.markup = cards + charts + _table(shown) + _pager(shown)

    def _figure(self, shown: ShownPets) -> Figure:
        return status_figure(shown.counts, top=BARS, hidden=self._hidden)

    def _used(self, used: Used) -> None:
        with self._lock:
            if self.shown is not None and "save" in used:
                parts.send_figure(self.view, self._figure(self.shown), used["save"])
            elif self.shown is not None and "toggle" in used:
                self._hidden ^= {used["toggle"]}
                self._draw(self.shown)
            elif "page" in used:
                page = int(used.get("value") or used["page"] or 1)
                self._filters.choose(replace(self._filters.selection, page=page))
            else:
                self._filters.picked(used)


def _pager(shown: ShownPets) -> Markup:
    """Draw the way to the other pages of pets."""
    page, last = shown.selection.page, shown.pages
    turns = (
        element("button", text, class_="jupyter-button", data_page=to,
                disabled=None if 1 <= to <= last else "")
        for text, to in (("Previous", page - 1), ("Next", page + 1))
    )  # fmt: skip
    written = {"type": "number", "min": 1, "max": last, "data_page": ""}
    words = element("span", f"of {last:,} · {shown.place}")
    return element(
        "div", *turns, parts.box("Page", str(page), "", **written), words, class_="pf-steps"
    )


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
