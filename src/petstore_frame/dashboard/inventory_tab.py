"""The tab that shows pets: filters, figures, matrix, table and files; and the static copy."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import ipywidgets as widgets

from petstore_frame.charts import Figure, element, status_figure
from petstore_frame.counts import Summary, short
from petstore_frame.dashboard.kit import Kit, set_options, show, titled
from petstore_frame.dashboard.live import LARGEST_MESSAGE, Used, with_saves
from petstore_frame.dashboard.pet_list import HEAD, pets_table
from petstore_frame.dashboard.selection import Selection, ShownPets, StoreModel
from petstore_frame.dashboard.worker import Worker
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.inventory.completeness_view import completeness_line
from petstore_frame.markup import PAGE, Card, Cell, Markup, in_notebook
from petstore_frame.markup.palette import status_colours, status_word
from petstore_frame.schema.models import PET_COLUMNS, PET_STATUSES
from petstore_frame.schema.text import minute_text

BARS = 15
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id
PICTURE_WIDTH = 720
ORDERS = [
    (f"{name}{words}", f"{sign}{column}")
    for name, column in zip(HEAD, PET_COLUMNS, strict=True)
    for words, sign in (("", ""), (", last first", "-"))
]


class InventoryTab:
    """The pets of a store under filters; ``tab.status.value = "sold"`` does what a click does.

    Attributes:
        widget: The whole tab.
        status, category, name, order, page: What is shown; ``""`` of a filter is all.
        what: Which pets the files hold: ``"shown"`` or ``"all"``.
        excel, csv, web_page: Buttons that make a file.
        pets: The Inventory that was read, or None.
    """

    def __init__(self, kit: Kit, folder: Path | None) -> None:
        self._kit, self._folder = kit, folder
        self.model: StoreModel | None = None
        self._drawn: ShownPets | None = None
        self._before: list[Selection] = []
        self._hidden: frozenset[str] = frozenset()
        self._is_held = False
        statuses = [("All statuses", ""), *((status_word(each), each) for each in PET_STATUSES)]
        self.status = kit.choice("Status", statuses, self._filtered)
        self.category = kit.text("Category", "type to search", self._filtered, proposes=True)
        self.name = kit.text("Name", "name or id", self._filtered)
        self.order = kit.choice("Order", ORDERS, self._filtered)
        self.back = kit.button("← Back", self._go_back, "to the view before")
        self.clear = kit.button("Clear filters", lambda: self.select(Selection()))
        self.what = kit.choice("Export", [("pets shown", "shown"), ("all pets", "all")], int)
        self.excel = kit.button("Excel", lambda: self._export(".xlsx"), "as a workbook")
        self.csv = kit.button("CSV", lambda: self._export(".csv"), "as a table")
        self.web_page = kit.button("Web page", lambda: self._export(".html"), "as one page")
        self.page = kit.make(widgets.BoundedIntText, "", 1, min=1, max=1, description="Page")
        kit.on_change(self.page, self.draw)
        self.previous = kit.button("Previous", lambda: self._turn(-1))
        self.next = kit.button("Next", lambda: self._turn(1))
        self.notice, self.words, self.cards = kit.html(), kit.html(), kit.html()
        self.figures, self.table = kit.live(self._used), kit.live(self._used)
        self._place = kit.html()
        self.worker = Worker("petstore-export", self._say)
        self._pager = kit.row(self.previous, self.next, self.page, self._place)
        self._whole = kit.column(
            kit.row(
                kit.row(self.status, self.category, self.name),
                kit.row(self.what, self.excel, self.csv, self.web_page),
                css="pf-ends",
            ),
            kit.row(kit.row(self.words, self.back, self.clear), self.order, css="pf-ends"),
            self.notice, self.cards, self.figures, self.table, self._pager,
        )  # fmt: skip
        self.widget = kit.column(self._whole)
        show(self._whole, False)

    @property
    def pets(self) -> Inventory | None:
        return None if self.model is None else self.model.inventory

    @property
    def shown(self) -> Inventory | None:
        """The pets under the filters, with what is known of that part."""
        return None if self.model is None else self.model.part(self.selection)

    @property
    def numbers(self) -> set[int]:
        """The categories of the pets that were read."""
        held = [] if self.model is None else self.model.counts.category_ids
        return {number for number in held if number is not None}

    @property
    def selection(self) -> Selection:
        """What is chosen now."""
        chosen = self.status.value, self.category.value.strip(), self.name.value.strip()
        return Selection(*chosen, self.order.value, self.page.value)

    def take(self, inventory: Inventory, labels: Mapping[int, str]) -> None:
        """Show another reading of the store; filters that are set stay."""
        with self._kit.lock:
            self.model = model = StoreModel(inventory, labels)
            with self._held():
                statuses = [(status_word(each), each) for each in model.counts.statuses]
                set_options(self.status, [("All statuses", ""), *statuses], self.status.value)
                self.category.options = tuple(model.counts.labels[:SUGGESTIONS])
            show(self._whole, True)
            self.draw()

    def select(self, selection: Selection, *, is_step: bool = True) -> None:
        """Set all filters at once; the step before is kept for *Back*."""
        with self._kit.lock, self._held():
            if is_step:
                self._before.append(self.selection)
            self.status.value = selection.status
            self.category.value, self.name.value = selection.category, selection.text
            self.order.value = selection.order
            self.page.value = min(selection.page, self.page.max)
        self.draw()

    def picked(self, used: Used) -> None:
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
        with self._kit.lock:
            if self.model is None or self._is_held:
                return
            self._drawn = shown = self.model.show(self.selection)
            with self._held():
                self.page.max, self.page.value = shown.pages, shown.selection.page
            chosen = shown.selection
            self.words.value = element("span", shown.words, role="status")
            show(self.back, bool(self._before))
            show(self.clear, chosen.is_filtered)
            for part in (self.figures, self.table, self._pager):
                show(part, bool(shown.matches))
            self.cards.value = _cards(shown, self.model.counts)
            if not shown.matches:
                self.cards.value = PAGE.empty(
                    "No pet matches these filters: change one, or clear them."
                    if shown.of
                    else "The store holds no pets that could be read; add some under Import."
                )
                return
            matrix = shown.counts.to_html(top=BARS, is_picked=True)
            figures = [titled("Pets by category", with_saves(self._figure(shown)))]
            title = "Category by status (choose a number to see its pets)"
            figures.append(titled(title, element("div", matrix, class_="pf-grid")))
            self.figures.markup = element("div", *figures, class_="pf-two")
            self.table.markup = element("div", _table(shown), class_="pf-grid")
            self._place.value = f"of {shown.pages:,} · {shown.place}"
            self.previous.disabled = chosen.page == 1
            self.next.disabled = chosen.page == shown.pages

    def _figure(self, shown: ShownPets) -> Figure:
        return status_figure(shown.counts, top=BARS, hidden=self._hidden)

    def _filtered(self) -> None:
        if not self._is_held:
            with self._held():
                self.page.value = 1
            self.draw()

    def _turn(self, pages: int) -> None:
        self.page.value += pages

    def _go_back(self) -> None:
        self.select(self._before.pop() if self._before else Selection(), is_step=False)

    @contextmanager
    def _held(self) -> Iterator[None]:
        before, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = before

    def _used(self, used: Used) -> None:
        with self._kit.lock:
            if self._drawn is None:
                return
            if "save" in used:
                self.figures.download_figure(self._figure(self._drawn), used["save"])
            elif "toggle" in used:
                self._hidden ^= {used["toggle"]}
                self.draw()
            elif "sort" in used:
                now, column = self.order.value, used["sort"]
                self.order.value = f"-{column}" if now == column else column
            else:
                self.picked(used)

    def _say(self, markup: str) -> None:
        self.notice.value = markup

    def _export(self, ending: str) -> None:
        model, selection = self.model, self.selection
        if model is None:
            return
        if self.what.value == "all":
            selection = Selection(order=selection.order)
        stem = "selection" if selection.is_filtered else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock
        self.worker.start(f"Writing {name} …", lambda: self._write(model, selection, name))

    def _write(self, model: StoreModel, selection: Selection, name: str) -> None:
        from petstore_frame.report import write_report  # its writers are slow to import

        pets = model.part(selection)
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(pets, Path(folder, name), categories=model.labels, progress=False)
            content = path.read_bytes()
        if len(content) > LARGEST_MESSAGE:
            kept = (self._folder or Path.cwd()) / name
            kept.write_bytes(content)
            size = f"{len(content) / 1024**2:,.0f} MiB, too large for a download"
            self._say(PAGE.success(f"Written to {kept}", [size]))
        else:
            self.table.download(content, name)
            size = f"{len(content) / 1024:,.0f} kB"
            self._say(PAGE.progress(f"{name} ({size}) is in your browser's downloads."))


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


def _table(shown: ShownPets) -> Markup:
    order, head = shown.selection.order, list[Cell]()
    for name, column in zip(HEAD, PET_COLUMNS, strict=True):
        arrow = {column: " ▲", f"-{column}": " ▼"}.get(order, "")
        head.append(Cell(element("span", name + arrow, class_="pf-mark"), {"sort": column}))
    return pets_table(
        shown.rows,
        status_colours(shown.counts.statuses),
        caption=f"Pets {shown.place}",
        head=[*head, *shown.further],
        numbers=shown.numbers,
    )


def static_copy(model: StoreModel | None) -> str:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    if model is None:
        return in_notebook(PAGE.render("dashboard/copy.html.j2", inventory=None))
    shown, inventory = model.show(Selection()), model.inventory
    drawing = status_figure(shown.counts).file(PICTURE_WIDTH).encode()
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
