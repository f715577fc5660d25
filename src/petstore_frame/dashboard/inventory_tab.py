"""The tab that shows pets: filters, figures, matrix, table and files; and the static copy."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from datetime import datetime
from pathlib import Path

import ipywidgets as widgets

from petstore_frame.charts import element, status_chart
from petstore_frame.counts import Summary, short
from petstore_frame.dashboard.figures import LARGEST_MESSAGE, Used
from petstore_frame.dashboard.kit import Kit, grid, set_options, show, titled
from petstore_frame.dashboard.pet_list import LABELS, pets_table
from petstore_frame.dashboard.selection import Selection, ShownPets, StoreModel
from petstore_frame.dashboard.work import Work
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.inventory.completeness_view import completeness_line
from petstore_frame.markup import PAGE, Card, Markup, in_notebook
from petstore_frame.markup.palette import status_colours, status_word
from petstore_frame.schema.models import PET_STATUSES
from petstore_frame.schema.text import minute_text

BARS = 15
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
        back, clear: Buttons that set filters.
        excel, csv, web_page: Buttons that make a file of the pets shown.
    """

    def __init__(self, kit: Kit, folder: Path) -> None:
        self._kit, self._folder = kit, folder
        self.model: StoreModel | None = None
        self._before: list[Selection] = []
        statuses = [ALL, *((status_word(each), each) for each in PET_STATUSES)]
        self.status = kit.choice("Status", statuses, self._filter)
        self.category = kit.text("Category", "type to search", self._filter, widgets.Combobox)
        self.name = kit.text("Name", "name or id", self._filter)
        self.order = kit.choice("Order", ORDERS, self._filter)
        self.back = kit.button("← Back", self._go_back, "to the view before")
        self.clear = kit.button("Clear filters", lambda: self.select(Selection()))
        self.excel = kit.button("Excel", lambda: self._export(".xlsx"), "the pets shown")
        self.csv = kit.button("CSV", lambda: self._export(".csv"), "the pets shown")
        self.web_page = kit.button("Web page", lambda: self._export(".html"), "the pets shown")
        self.page = kit.control(
            widgets.BoundedIntText, "Page", lambda _: self.draw(), value=1, min=1, max=1
        )
        self.previous = kit.button("Previous", lambda: self._turn(-1))
        self.next = kit.button("Next", lambda: self._turn(1))
        self.words, self.cards, self._place = kit.html(), kit.html(), kit.html()
        self.figures = kit.figures(self.pick, self.draw)
        self.table = kit.figures(self._sort)
        self.work = Work(kit)
        self.notice = self.work.notice
        pager = kit.row(self.previous, self.next, self.page, self._place)
        self._pets = kit.column(self.figures, self.table, pager)
        filters = kit.row(self.status, self.category, self.name)
        files = kit.row(kit.html("Download"), self.excel, self.csv, self.web_page)
        self._whole = kit.column(
            kit.row(filters, files, css="pf-ends"),
            kit.row(kit.row(self.words, self.back, self.clear), self.order, css="pf-ends"),
            self.notice, self.cards, self._pets,
        )  # fmt: skip
        self.widget = kit.column(self._whole)
        show(self._whole, False)

    @property
    def pets(self) -> Inventory | None:
        """The Inventory that was read, or None."""
        return None if self.model is None else self.model.inventory

    @property
    def shown(self) -> Inventory | None:
        """The pets under the filters, with what is known of that part."""
        return None if self.model is None else self.model.part(self.selection)

    @property
    def selection(self) -> Selection:
        """What is chosen now."""
        chosen = self.status.value, self.category.value.strip(), self.name.value.strip()
        return Selection(*chosen, self.order.value, self.page.value)

    def take(self, model: StoreModel) -> None:
        """Show another reading of the store; filters that are set stay."""
        with self._kit.drawing():
            self.model = model
            statuses = [(status_word(each), each) for each in model.counts.statuses]
            set_options(self.status, [ALL, *statuses], self.status.value)
            self.category.options = tuple(model.counts.labels[:SUGGESTIONS])
            show(self._whole, True)
            self.draw()

    def select(self, selection: Selection, *, is_step: bool = True) -> None:
        """Set all filters at once; the step before is kept for *Back*."""
        with self._kit.drawing():
            if is_step:
                self._before.append(self.selection)
            self.status.value = selection.status
            self.category.value, self.name.value = selection.category, selection.text
            self.order.value = selection.order
            self.page.value = min(selection.page, self.page.max)
            self.draw()

    def pick(self, used: Used) -> None:
        """Follow a click on a mark: to its pets."""
        now, model = self.selection, self.model
        if model is None:
            return
        status, category = used.get("status", now.status), now.category
        if "category" in used:
            number = int(used["category"]) if used["category"] else None
            names = dict(zip(model.counts.category_ids, model.counts.labels, strict=True))
            category = names.get(number, used["category"])
        is_known = not status or status in model.counts.statuses
        if is_known and (status, category) != (now.status, now.category):
            self.select(Selection(status, category, now.text, now.order))

    def draw(self) -> None:
        """Draw what is chosen; every figure on the screen is of the same selection."""
        if self.model is None:
            return
        with self._kit.drawing():
            shown = self.model.show(self.selection)
            chosen, everything = shown.selection, self.model.counts
            self.page.max, self.page.value = shown.pages, chosen.page
            self.words.value = element("span", shown.words, role="status")
            show(self.back, self._before)
            show(self.clear, chosen.is_filtered)
            show(self._pets, len(shown.rows))
            self.cards.value = _cards(shown, everything)
            if not len(shown.rows):
                self.cards.value = PAGE.empty(
                    "No pet matches these filters: change one, or clear them."
                    if everything.total.count
                    else "The store holds no pets that could be read; add some under Import."
                )
                return
            hidden = self.figures.hidden["pets-by-category"]
            bars = self.figures.with_saves(status_chart(shown.counts, top=BARS, hidden=hidden))
            matrix = grid(shown.counts.to_html(top=BARS, is_picked=True))
            title = "Category by status (choose a number to see its pets)"
            both = titled("Pets by category", bars) + titled(title, matrix)
            self.figures.markup = element("div", both, class_="pf-two")
            shades = status_colours(shown.counts.statuses)
            caption, labels = f"Pets {shown.place}", self.model.labels
            self.table.markup = grid(
                pets_table(shown.rows, labels, shades, caption=caption, order=chosen.order)
            )
            self._place.value = f"of {shown.pages:,} · {shown.place}"
            self.previous.disabled = chosen.page == 1
            self.next.disabled = chosen.page == shown.pages

    def _filter(self, _: str) -> None:
        with self._kit.drawing():
            self.page.value = 1
        self.draw()

    def _turn(self, pages: int) -> None:
        self.page.value += pages

    def _go_back(self) -> None:
        self.select(self._before.pop() if self._before else Selection(), is_step=False)

    def _sort(self, used: Used) -> None:
        if column := used.get("sort"):
            self.order.value = f"-{column}" if self.order.value == column else column

    def _export(self, ending: str) -> None:
        if self.model is not None:
            stem = "selection" if self.selection.is_filtered else "inventory"
            name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock
            self.work.start(f"Writing {name} …", lambda: self._write(name))

    def _write(self, name: str) -> None:
        from petstore_frame.report import write_report  # its writers are slow to import

        pets, model = self.shown, self.model
        if pets is None or model is None:
            return
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder, name), categories=model.labels)
            content = path.read_bytes()
        size = f"{len(content) / 1024:,.0f} kB"
        if len(content) > LARGEST_MESSAGE:
            kept = self._folder / name
            kept.write_bytes(content)
            self.work.say(PAGE.success(f"Written to {kept}", [f"{size}: too large a download"]))
        else:
            self.table.download(content, name)
            self.work.say(PAGE.progress(f"{name} ({size}) is in your browser's downloads."))


def _cards(shown: ShownPets, everything: Summary) -> Markup:
    """Draw the key figures: all pets, then each status; one that is filtered out has no number."""
    counts, chosen = shown.counts, shown.selection
    under = f"of {short(everything.total)}" if chosen.is_filtered else counts.categories_in_words
    name = "Pets selected" if chosen.is_filtered else "Pets"
    drawn = [Card(name, short(counts.total), under, None, counts.total.is_exact)]
    for status, colour in status_colours(everything.statuses).items():
        count = counts.by_status.get(status, StatusCount(0, counts.total.is_exact))
        number = short(count)
        if chosen.status not in ("", status):
            number, under = "–", "not selected"
        elif chosen.is_filtered:
            under = f"of {short(everything.by_status[status])}"
        elif not counts.total.is_exact:
            under = count.kind
        else:
            under = counts.shares[status]
        drawn.append(Card(status_word(status), number, under, colour, count.is_exact))
    return PAGE.cards(drawn)


def static_copy(model: StoreModel | None) -> str:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    if model is None:
        return in_notebook(PAGE.render("dashboard/copy.html.j2", inventory=None))
    shown, inventory = model.show(Selection()), model.inventory
    drawing = status_chart(shown.counts).file(PICTURE_WIDTH).encode()
    copy = PAGE.render(
        "dashboard/copy.html.j2",
        inventory=inventory,
        as_of=minute_text(inventory.fetched_at),
        headline=completeness_line(inventory.completeness),
        cards=_cards(shown, shown.counts),
        total=short(shown.counts.total),
        drawing=b64encode(drawing).decode(),
        matrix=shown.counts.to_html(top=BARS),
    )
    return in_notebook(copy)
