"""The tab that shows pets: filters, figures, matrix, table and files; and the static copy."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import ipywidgets as widgets

from petstore_frame.charts import element, status_chart
from petstore_frame.counts import Summary, short
from petstore_frame.dashboard.figures import LARGEST_MESSAGE, Used
from petstore_frame.dashboard.kit import LABELS, Kit, grid, set_options, show, titled
from petstore_frame.dashboard.selection import Selection, ShownPets, StoreModel
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.markup import (
    NO_STATUS,
    PAGE,
    Card,
    Cell,
    Markup,
    in_notebook,
    minute_text,
    palette,
    status_word,
)
from petstore_frame.schema import FIELDS

if TYPE_CHECKING:
    import pandas as pd

BARS, ROWS_PER_PAGE = 15, 50
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id
PICTURE_WIDTH = 720
ALL = ("All statuses", "")
ORDERS = [
    (f"{name}{words}", f"{sign}{column}")
    for column, name in LABELS.items()
    for words, sign in (("", ""), (", last first", "-"))
]


class InventoryTab:
    """The pets of a store under filters; ``tab.status.value = "sold"`` does what a click does.

    Attributes:
        widget: The whole tab.
        status, category, name, order, page: What is shown; ``""`` of a filter is all.
        clear: A button that takes the filters away.
        excel, csv, web_page: Buttons that make a file of the pets shown.
    """

    def __init__(self, kit: Kit, folder: Path) -> None:
        self._kit, self._folder = kit, folder
        self.model: StoreModel | None = None
        self.status = kit.choice("Status", [ALL], self._filter)
        self.category = kit.text("Category", "type to search", self._filter, options=())
        self.name = kit.text("Name", "name or id", self._filter)
        self.order = kit.choice("Order", ORDERS, self._filter)
        self.clear = kit.button("Clear filters", lambda: self.select(Selection()))
        self.excel = kit.button("Excel", lambda: self._export(".xlsx"), "the pets shown")
        self.csv = kit.button("CSV", lambda: self._export(".csv"), "the pets shown")
        self.web_page = kit.button("Web page", lambda: self._export(".html"), "the pets shown")
        self.page = kit.control(
            widgets.BoundedIntText, "Page", lambda _: self.draw(), value=1, min=1, max=1
        )
        self.words, self.cards, self.notice, self._place = (kit.html() for _ in range(4))
        self.figures = kit.figures(self.pick)
        self.table = kit.figures(self._sort)
        self._pets = kit.column(self.figures, self.table, kit.row(self.page, self._place))
        filters = kit.row(self.status, self.category, self.name)
        files = kit.row(kit.html("Download"), self.excel, self.csv, self.web_page)
        self.widget = kit.column(
            kit.row(filters, files, css="pf-ends"),
            kit.row(kit.row(self.words, self.clear), self.order, css="pf-ends"),
            self.notice, self.cards, self._pets,
        )  # fmt: skip
        show(self.widget, False)

    @property
    def shown(self) -> Inventory | None:
        """The pets under the filters, with what is known of that part."""
        return None if self.model is None else self.model.show(self.selection).pets

    @property
    def selection(self) -> Selection:
        """What is chosen now."""
        chosen = self.status.value, self.category.value.strip(), self.name.value.strip()
        return Selection(*chosen, self.order.value)

    def take(self, model: StoreModel) -> None:
        """Show another reading of the store; filters that are set stay."""
        with self._kit.drawing():
            self.model = model
            statuses = [(status_word(each), each) for each in model.counts.statuses]
            set_options(self.status, [ALL, *statuses], self.status.value)
            self.category.options = tuple(model.counts.labels[:SUGGESTIONS])
            show(self.widget, True)
            self.draw()

    def select(self, selection: Selection) -> None:
        """Set all filters at once."""
        with self._kit.drawing():
            self.status.value, self.category.value = selection.status, selection.category
            self.name.value, self.order.value = selection.text, selection.order
            self._filter()

    def pick(self, used: Used) -> None:
        """Follow a click on a mark: to its pets."""
        now, model = self.selection, self.model
        if model is None:
            return
        status, category = used.get("status", now.status), now.category
        if "category" in used:
            number = int(used["category"]) if used["category"] else None
            category = model.names.get(number, used["category"])
        if status in ("", *model.counts.statuses):
            self.select(Selection(status, category, now.text, now.order))

    def draw(self) -> None:
        """Draw what is chosen; every figure on the screen is of the same selection."""
        if self.model is None:
            return
        with self._kit.drawing():
            shown = self.model.show(self.selection)
            counts, pets, everything = shown.counts, len(shown.pets), self.model.counts
            self.page.max = max(1, -(-pets // ROWS_PER_PAGE))  # which brings the page within it
            rest = "" if everything.total.is_exact else " that could be read"
            words = f"Showing {counts.selection or f'all pets{rest}.'}"
            self.words.value = element("span", words, role="status")
            show(self.clear, shown.selection.words)
            show(self._pets, pets)
            self.cards.value = _cards(shown, everything)
            if not pets:
                self.cards.value = PAGE.empty(
                    "No pet matches these filters: change one, or clear them."
                    if everything.total.count
                    else "The store holds no pets that could be read; add some under Import."
                )
                return
            bars = self.figures.with_saves(status_chart(counts, top=BARS))
            matrix = grid(counts.to_html(top=BARS, is_picked=True))
            title = "Category by status (choose a number to see its pets)"
            both = titled("Pets by category", bars) + titled(title, matrix)
            self.figures.markup = element("div", both, class_="pf-two")
            first = (self.page.value - 1) * ROWS_PER_PAGE
            rows = shown.pets.frame.iloc[first : first + ROWS_PER_PAGE]
            place = f"{first + 1:,}–{first + len(rows):,} of {counts.total}"
            self.table.markup = grid(_table(rows, self.model, f"Pets {place}", self.order.value))
            self._place.value = f"of {self.page.max:,} · {place}"

    def _filter(self, _: str = "") -> None:
        with self._kit.drawing():
            self.page.value = 1
        self.draw()

    def _sort(self, used: Used) -> None:
        if column := used.get("sort"):
            self.order.value = f"-{column}" if self.order.value == column else column

    def _export(self, ending: str) -> None:
        from petstore_frame.report import write_report  # its writers are slow to import

        pets, model = self.shown, self.model
        if pets is None or model is None:
            return
        stem = "selection" if self.selection.words else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock
        self.notice.value = PAGE.progress(f"Writing {name} …")
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder, name), categories=model.labels)
            content = path.read_bytes()
        size = f"{len(content) / 1024:,.0f} kB"
        if len(content) > LARGEST_MESSAGE:
            kept = self._folder / name
            kept.write_bytes(content)
            said = PAGE.success(f"Written to {kept}", [f"{size}: too large a download"])
        else:
            self.table.download(content, name)
            said = PAGE.progress(f"{name} ({size}) is in your browser's downloads.")
        self.notice.value = said


def _cards(shown: ShownPets, everything: Summary) -> Markup:
    """Draw the key figures: all pets, then each status; one that is filtered out has no number."""
    counts, chosen = shown.counts, shown.selection
    under = f"of {short(everything.total)}" if chosen.words else counts.categories_in_words
    name = "Pets selected" if chosen.words else "Pets"
    drawn = [Card(name, short(counts.total), under, None, counts.total.is_exact)]
    for status, colour in palette.status_colours(everything.statuses).items():
        count = counts.by_status.get(status, StatusCount(0, counts.total.is_exact))
        number = short(count)
        if chosen.status not in ("", status):
            number, under = "–", "not selected"
        elif chosen.words:
            under = f"of {short(everything.by_status[status])}"
        elif not counts.total.is_exact:
            under = count.kind
        else:
            under = counts.shares[status]
        drawn.append(Card(status_word(status), number, under, colour, count.is_exact))
    return PAGE.cards(drawn)


def _table(pets: pd.DataFrame, model: StoreModel, title: str, order: str) -> Markup:
    """Draw a page of pets; columns that a user added follow those of the pets."""
    import pandas as pd

    columns, head, numbers = list[list[str | Markup]](), list[Cell](), set[int]()
    shades = palette.status_colours(model.counts.statuses)
    for at, name in enumerate(dict.fromkeys([*FIELDS.names, *pets.columns])):
        values = pets.get(name, pd.Series("", pets.index))
        texts = values.astype("object").where(values.notna(), "").map(str)
        if name == "category_id":
            texts = values.map(model.names)
        elif pd.api.types.is_numeric_dtype(values.dtype) and name != "id":
            numbers.add(at)
        # A long text is cut by the styles, so the tooltip has it whole.
        columns.append([
            PAGE.status(text or NO_STATUS, shades[text or NO_STATUS]) if name == "status"
            else element("bdi", text, title=text)
            for text in texts
        ])  # fmt: skip
        arrow = {name: " ▲", f"-{name}": " ▼"}.get(order, "")
        mark = element("span", LABELS.get(name, str(name)) + arrow, class_="pf-mark")
        head.append(Cell(mark, {"sort": name}) if name in LABELS else Cell(str(name)))
    rows = zip(*columns, strict=True)
    table = PAGE.table(rows, head, caption=title, numbers=numbers, is_named=True)
    return element("div", table, class_="pf-pets")


def static_copy(model: StoreModel | None) -> str:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    if model is None:
        return in_notebook(PAGE.render("dashboard/copy.html.j2", inventory=None))
    counts, inventory = model.counts, model.inventory
    drawing = status_chart(counts).file(PICTURE_WIDTH).encode()
    copy = PAGE.render(
        "dashboard/copy.html.j2",
        inventory=inventory,
        as_of=minute_text(inventory.fetched_at),
        headline=inventory.completeness.to_line(),
        cards=_cards(ShownPets(Selection(), inventory, counts), counts),
        total=short(counts.total),
        drawing=b64encode(drawing).decode(),
        matrix=counts.to_html(top=BARS),
    )
    return in_notebook(copy)
