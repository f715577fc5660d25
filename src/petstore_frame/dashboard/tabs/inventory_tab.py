"""The Inventory tab: filters, key figures, a table of pets, and downloads."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from petstore_frame.charts import status_chart
from petstore_frame.dashboard.page.form import Answers, Table
from petstore_frame.dashboard.page.live_html import LARGEST_MESSAGE
from petstore_frame.dashboard.page.local_time import utc_text
from petstore_frame.dashboard.page.pager import Pager
from petstore_frame.dashboard.page.widgets import (
    WidgetFactory,
    scrollable,
    section,
    set_options,
    set_visible,
)
from petstore_frame.dashboard.state.file_values import LABELS
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.dashboard.tabs.category_menu import CategoryMenu
from petstore_frame.dashboard.tabs.pet_grid import pets_markup
from petstore_frame.dashboard.tabs.selection import Selection
from petstore_frame.inventory import Inventory, headline_html
from petstore_frame.rendering import PAGE, Markup, element, in_notebook, palette
from petstore_frame.schema import status_label
from petstore_frame.summary import Summary, summarize
from petstore_frame.tables import Labels

BARS, PICTURE_WIDTH = 15, 720
ALL_STATUSES = ("All statuses", "")
ORDERS = [
    ("ID", "id"),
    ("ID (newest first)", "-id"),
    ("Name (A–Z)", "name"),
    ("Name (Z–A)", "-name"),
    ("Category (A–Z)", "category_id"),
    ("Category (Z–A)", "-category_id"),
    (LABELS["status"], "status"),
    (f"{LABELS['status']} (reversed)", "-status"),
]
MATRIX_TITLE = "Category by status – click a number to list those pets"


class _Reading(NamedTuple):
    """A reading of the store with its counts; the tab shows the last one that was counted."""

    inventory: Inventory
    labels: Labels
    counts: Summary
    names: dict[int | None, str]


class InventoryTab:
    """The pets of a store under filters; ``tab.status.value = "sold"`` selects a status.

    Attributes:
        widget: The whole tab.
        status, categories, name, order: The filters and the order; empty means all.
        pager: The current page of pets: ``pager.page.value = 2``.
        clear: The button that clears the filters.
        names: The question about ``categories=`` that contradicts the names of earlier files.
        excel, csv, web_page: The buttons that download the selected pets.
        selected: An Inventory of the pets that pass the filters; None before the first reading.
    """

    def __init__(self, factory: WidgetFactory, store: StoreState) -> None:
        self._factory, self._store = factory, store
        self.selected: Inventory | None = None
        self._reading: _Reading | None = None
        self.status = factory.dropdown("Status", [ALL_STATUSES], self._filter)
        self.categories = factory.make(CategoryMenu, "Category")
        on_categories = factory.handling(self._filter)
        self.categories.observe(lambda change: on_categories(change["new"]), "value")
        self.name = factory.text(
            "Name", "type a name or an ID", self._filter, continuous_update=True
        )
        self.order = factory.dropdown("Sort by", ORDERS, self._filter)
        self.names = factory.form(self._answer_names)
        self.clear = factory.button("Clear filters", lambda: self.select(Selection()))
        tooltip = "the selected pets"
        self.excel = factory.button("Excel", lambda: self._export(".xlsx"), tooltip)
        self.csv = factory.button("CSV", lambda: self._export(".csv"), tooltip)
        self.web_page = factory.button("Web page", lambda: self._export(".html"), tooltip)
        self.pager = Pager(factory, self._render_table)
        self.summary, self.cards, self.notice = (factory.html() for _ in range(3))
        self.figures = factory.live_html(self.pick)
        self.table = factory.live_html(self._sort)
        self._parts = factory.column(self.figures, self.table, self.pager.widget)
        filters = factory.row(self.status, self.categories, self.name)
        files = factory.row(factory.html("Download"), self.excel, self.csv, self.web_page)
        self._empty = factory.html(PAGE.empty("Reading the store …"))
        self._content = factory.column(
            factory.row(filters, files, css="pf-ends"),
            factory.row(factory.row(self.summary, self.clear), self.order, css="pf-ends"),
            factory.message,
            self.notice,
            self.names,
            self.cards,
            self._parts,
        )
        self.widget = factory.column(self._empty, self._content)
        set_visible(self._content, False)

    @property
    def selection(self) -> Selection:
        """The current filters and order."""
        return Selection(
            self.status.value, self.categories.value, self.name.value.strip(), self.order.value
        )

    def show(self) -> None:
        """Show the last reading of the store; the filters are unchanged."""
        inventory = self._store.inventory
        if inventory is None:
            return
        with self._factory.drawing():
            question = self._store.category_question()
            self.names.ask([Table("", [] if question is None else [question])])
            labels = Labels(self._store.category_names())
            counts = summarize(inventory, categories=labels)
            names = dict(zip(counts.category_ids, counts.labels, strict=True))
            self._reading = _Reading(inventory, labels, counts, names)
            statuses = [(status_label(status), status) for status in counts.statuses]
            set_options(self.status, [ALL_STATUSES, *statuses], self.status.value)
            self.categories.options = tuple(counts.labels)
            set_visible(self._content, True)
            set_visible(self._empty, False)
            self.update_view()

    def select(self, selection: Selection) -> None:
        """Set all filters at once."""
        with self._factory.drawing():
            self.status.value, self.categories.value = selection.status, selection.categories
            self.name.value, self.order.value = selection.text, selection.order
            self._filter()

    def _answer_names(self, answers: Answers) -> None:
        for text in answers.values():
            self._store.answer_category_question(text)
        self.show()

    def pick(self, used: Mapping[str, str]) -> None:
        """Select the pets that a clicked mark represents."""
        reading = self._reading
        if reading is None:
            return
        selection = self.selection
        status, categories = used.get("status", selection.status), selection.categories
        if "category" in used:
            number = int(used["category"]) if used["category"] else None
            categories = (reading.names.get(number, used["category"]),)
            if "status" not in used:  # a category name selects its pets of any status
                status = ""
        if status in ("", *reading.counts.statuses):
            self.select(selection._replace(status=status, categories=categories))

    def update_view(self) -> None:
        """Show the selected pets and their key figures."""
        reading = self._reading
        if reading is None:
            return
        with self._factory.drawing():
            selection, everything = self.selection, reading.counts
            self.selected = selection.of(reading.inventory, reading.names)
            counts = everything
            if selection.description:
                counts = summarize(self.selected, categories=reading.labels)
            scope = "" if everything.total.is_exact else " that could be read"
            text = f"Showing {counts.selection or f'all pets{scope}.'}"
            self.summary.value = element("span", text, role="status")
            set_visible(self.clear, bool(selection.description))
            set_visible(self._parts, len(self.selected) > 0)
            self.cards.value = cards_markup(counts, everything, selection)
            if not len(self.selected):
                is_empty_store = not everything.total.count
                self.cards.value = PAGE.empty(
                    "The store is empty. Add animals on the Import tab."
                    if is_empty_store
                    else "No pets match. Change or clear the filters."
                )
                return
            self._render_figures(reading, selection, counts)
            self._total = counts.total
            self._render_table()

    def _render_figures(self, reading: _Reading, selection: Selection, counts: Summary) -> None:
        """Show the chart of the selected status, and the table of all categories and statuses.

        The table keeps its other rows when a number is clicked.
        """
        bars = cells = counts
        if selection.categories:
            bars = cells = _count(reading, selection._replace(categories=()))
        if selection.status:
            cells = _count(reading, selection._replace(categories=(), status=""))
        drawing = self.figures.with_save_buttons(status_chart(bars, top=BARS))
        markup = section("Pets by category", drawing)
        markup += section(MATRIX_TITLE, scrollable(cells.to_html(top=BARS)))
        self.figures.selected = _marks(reading, selection)
        self.figures.markup = element("div", markup, class_="pf-two")

    def _render_table(self) -> None:
        """Show one page of the selected pets."""
        reading = self._reading
        if reading is None or self.selected is None:
            return
        with self._factory.drawing():
            shown = self.pager.rows_of(len(self.selected))
            rows = self.selected.frame.iloc[shown.start : shown.stop]
            range_text = f"{shown.start + 1:,}–{shown.stop:,} of {self._total}"
            colors = palette.status_colors(reading.counts.statuses)
            caption = f"Pets {range_text}"
            table = pets_markup(rows, caption, reading.names, colors, self.order.value)
            self.table.markup = scrollable(table)

    def _filter(self, _: object = "") -> None:
        with self._factory.drawing():
            self.notice.value = ""
            self.pager.page.value = 1
            self.update_view()

    def _sort(self, used: Mapping[str, str]) -> None:
        column = used.get("sort")
        if column is not None:
            self.order.value = f"-{column}" if self.order.value == column else column

    def _export(self, extension: str) -> None:
        from petstore_frame.report import write_report  # slow to import

        reading = self._reading
        if reading is None or self.selected is None:
            return
        stem = "selection" if self.selection.description else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{extension}"
        self.notice.value = PAGE.progress(f"Writing {name} …")
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            labels = dict(reading.labels)
            path = write_report(
                self.selected,
                Path(folder, name),
                categories=labels,
                journal=self._store.journal,
            )
            content = path.read_bytes()
        size = f"{len(content) / 1024:,.0f} kB"
        if len(content) > LARGEST_MESSAGE:
            path = (self._store.folder / name).absolute()
            path.write_bytes(content)
            self.notice.value = PAGE.success(f"Saved in {path}", [f"{size}: too large a download"])
            return
        self.table.download(content, name)
        self.notice.value = PAGE.progress(f"Downloaded {name} ({size})")

    def static_copy(self) -> str:
        """Return the last numbers as markup that needs no kernel, network or trusted notebook."""
        reading = self._reading
        if reading is None:
            return in_notebook(PAGE.render("dashboard/tabs/static_copy.html.j2", inventory=None))
        inventory, counts = reading.inventory, reading.counts
        drawing = status_chart(counts).file(PICTURE_WIDTH).encode()
        copy = PAGE.render(
            "dashboard/tabs/static_copy.html.j2",
            inventory=inventory,
            as_of=utc_text(inventory.fetched_at),
            headline=headline_html(inventory.completeness),
            cards=cards_markup(counts, counts, Selection()),
            total=str(counts.total),
            drawing=b64encode(drawing).decode(),
            matrix=counts.to_html(top=BARS),
        )
        return in_notebook(copy)


def _count(reading: _Reading, selection: Selection) -> Summary:
    if not selection.description:
        return reading.counts
    return summarize(selection.of(reading.inventory, reading.names), categories=reading.labels)


def _marks(reading: _Reading, selection: Selection) -> list[dict[str, str]]:
    """Return the data attributes of the selected numbers in the table."""
    numbers = {name: number for number, name in reading.names.items()}
    status = {"status": selection.status} if selection.status else {}
    if not selection.categories:
        return [status] if status else []
    marks = []
    for name in selection.categories:
        number = numbers.get(name)
        marks.append({"category": "" if number is None else str(number), **status})
    return marks


def cards_markup(counts: Summary, everything: Summary, selection: Selection) -> Markup:
    """Return the key figures: all pets, then each status; a deselected status has no number."""
    colors = palette.status_colors(everything.statuses)
    cards = []
    for figure in counts.figures(of=everything if selection.description else None):
        card = figure.card(colors.get(figure.status))
        if figure.status and selection.status not in ("", figure.status):
            card = card._replace(number="–", under="not selected")
        cards.append(card)
    return PAGE.cards(cards)
