"""The tab that shows pets: filters, figures, matrix, table and files; and the static copy."""

from __future__ import annotations

import tempfile
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.charts import element, status_chart
from petstore_frame.dashboard.widgets import (
    LABELS,
    LARGEST_MESSAGE,
    Kit,
    Used,
    grid,
    set_options,
    show,
    titled,
)
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.rendering import (
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
from petstore_frame.summary import Summary, short, summarize

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
Names = Mapping[int | None, str]  # what each category of the pets is called, and none at all


class Selection(NamedTuple):
    """What was chosen: a status, a category by name or id, part of a name, and the order."""

    status: str = ""  # ``no status`` is one, too
    category: str = ""
    text: str = ""  # part of a name in any case, or a whole id
    order: str = "id"  # a column; with a - in front from its other end

    @property
    def words(self) -> str:
        """The filters as people say them, ``Dog, pending``; empty where all pets are shown."""
        name = self.text and f"name or id {self.text!r}"
        return ", ".join(filter(None, (self.category, self.status, name)))

    def of(self, pets: Inventory, names: Names) -> Inventory:
        """Return the pets chosen, in their order, with what is known of that part."""
        rows = pets.frame
        if self.status:
            status = rows["status"]
            is_none = status.isna() & (self.status == NO_STATUS)
            rows = rows[status.eq(self.status).astype("bool") | is_none]
        if self.category:
            found, category = self._categories(names), rows["category_id"]
            rows = rows[category.isin(found - {None}) | (category.isna() & (None in found))]
        if self.text:
            mask = rows["name"].astype("str").str.contains(self.text, case=False, regex=False)
            rows = rows[mask | rows["id"].astype("str").eq(self.text)]
        rows = self._sorted(rows, names)
        if not self.words:
            return replace(pets, frame=rows)
        return pets.part(rows, self.words, [self.status] if self.status else None)

    def _categories(self, names: Names) -> set[int | None]:
        """Return the ids of the categories with this name or id, or else with it in their name."""
        exact = {each for each, name in names.items() if self.category in (name, str(each))}
        wanted = self.category.casefold()
        return exact or {each for each, name in names.items() if wanted in name.casefold()}

    def _sorted(self, rows: pd.DataFrame, names: Names) -> pd.DataFrame:
        """Put pets in order: names in any case, categories by their name."""
        column = self.order.removeprefix("-")

        def keys(values: pd.Series[Any]) -> pd.Series[Any]:
            texts = values.map(names) if column == "category_id" else values
            return texts.str.lower() if column in ("name", "category_id") else values

        is_rising = column == self.order
        return rows.sort_values(column, ascending=is_rising, kind="stable", key=keys)


class InventoryTab:
    """The pets of a store under filters; ``tab.status.value = "sold"`` does what a click does.

    Attributes:
        widget: The whole tab.
        status, category, name, order, page: What is shown; ``""`` of a filter is all.
        clear: A button that takes the filters away.
        excel, csv, web_page: Buttons that make a file of the pets shown.
        shown: The pets under the filters, with what is known of that part; None before a reading.
    """

    def __init__(self, kit: Kit, folder: Path) -> None:
        self._kit, self._folder = kit, folder
        self._pets: Inventory | None = None
        self.shown: Inventory | None = None
        self.status = kit.choice("Status", [ALL], self._filter)
        self.category = kit.text("Category", "type to search", self._filter, options=())
        self.name = kit.text("Name", "name or id", self._filter)
        self.order = kit.choice("Order", ORDERS, self._filter)
        self.clear = kit.button("Clear filters", lambda: self.select(Selection()))
        self.excel = kit.button("Excel", lambda: self._export(".xlsx"), "the pets shown")
        self.csv = kit.button("CSV", lambda: self._export(".csv"), "the pets shown")
        self.web_page = kit.button("Web page", lambda: self._export(".html"), "the pets shown")
        self.page = kit.control(
            widgets.BoundedIntText, "Page", lambda _: self._draw_table(), value=1, min=1, max=1
        )
        self.words, self.cards, self.notice, self._place = (kit.html() for _ in range(4))
        self.figures = kit.figures(self.pick)
        self.table = kit.figures(self._sort)
        self._parts = kit.column(self.figures, self.table, kit.row(self.page, self._place))
        filters = kit.row(self.status, self.category, self.name)
        files = kit.row(kit.html("Download"), self.excel, self.csv, self.web_page)
        self.widget = kit.column(
            kit.row(filters, files, css="pf-ends"),
            kit.row(kit.row(self.words, self.clear), self.order, css="pf-ends"),
            self.notice, self.cards, self._parts,
        )  # fmt: skip
        show(self.widget, False)

    @property
    def selection(self) -> Selection:
        """What is chosen now."""
        chosen = self.status.value, self.category.value.strip(), self.name.value.strip()
        return Selection(*chosen, self.order.value)

    def take(self, pets: Inventory, labels: Mapping[int, str]) -> None:
        """Show another reading of the store; filters that are set stay."""
        with self._kit.drawing():
            self._pets, self._labels = pets, labels
            self._all = summarize(pets, categories=labels)
            self._names = dict(zip(self._all.category_ids, self._all.labels, strict=True))
            statuses = [(status_word(each), each) for each in self._all.statuses]
            set_options(self.status, [ALL, *statuses], self.status.value)
            self.category.options = self._all.labels[:SUGGESTIONS]
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
        if self._pets is None:
            return
        now, category = self.selection, self.category.value
        status = used.get("status", now.status)
        if "category" in used:
            number = int(used["category"]) if used["category"] else None
            category = self._names.get(number, used["category"])
        if status in ("", *self._all.statuses):
            self.select(now._replace(status=status, category=category))

    def draw(self) -> None:
        """Draw what is chosen; every figure on the screen is of the same selection."""
        if self._pets is None:
            return
        with self._kit.drawing():
            chosen, counts = self.selection, self._all
            self.shown = chosen.of(self._pets, self._names)
            if chosen.words:
                counts = summarize(self.shown, categories=self._labels)
            rest = "" if self._all.total.is_exact else " that could be read"
            words = f"Showing {counts.selection or f'all pets{rest}.'}"
            self.words.value = element("span", words, role="status")
            show(self.clear, chosen.words)
            show(self._parts, len(self.shown))
            self.cards.value = _cards(counts, self._all, chosen)
            if not len(self.shown):
                self.cards.value = PAGE.empty(
                    "No pet matches these filters: change one, or clear them."
                    if self._all.total.count
                    else "The store holds no pets that could be read; add some under Import."
                )
                return
            bars = self.figures.with_saves(status_chart(counts, top=BARS))
            title = "Category by status (choose a number to see its pets)"
            both = titled("Pets by category", bars)
            both += titled(title, grid(counts.to_html(top=BARS)))
            self.figures.markup = element("div", both, class_="pf-two")
            self._total = counts.total
            self._draw_table()

    def _draw_table(self) -> None:
        """Draw one page of the pets shown."""
        if self.shown is None:
            return
        with self._kit.drawing():
            self.page.max = max(1, -(-len(self.shown) // ROWS_PER_PAGE))  # it stays within it
            first = (self.page.value - 1) * ROWS_PER_PAGE
            rows = self.shown.frame.iloc[first : first + ROWS_PER_PAGE]
            place = f"{first + 1:,}–{first + len(rows):,} of {self._total}"
            self.table.markup = grid(self._table(rows, f"Pets {place}"))
            self._place.value = f"of {self.page.max:,} · {place}"

    def _filter(self, _: str = "") -> None:
        with self._kit.drawing():
            self.page.value = 1
            self.draw()

    def _sort(self, used: Used) -> None:
        if column := used.get("sort"):
            self.order.value = f"-{column}" if self.order.value == column else column

    def _table(self, pets: pd.DataFrame, title: str) -> Markup:
        """Return a page of pets as markup; columns that a user added follow those of the pets."""
        import pandas as pd

        columns, head, numbers = list[list[str | Markup]](), list[Cell](), set[int]()
        shades, order = palette.status_colours(self._all.statuses), self.order.value
        for at, name in enumerate(dict.fromkeys([*FIELDS.names, *pets.columns])):
            values = pets.get(name, pd.Series("", pets.index))
            texts = values.astype("object").where(values.notna(), "").map(str)
            if name == "category_id":
                texts = values.map(self._names)
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

    def _export(self, ending: str) -> None:
        from petstore_frame.report import write_report  # its writers are slow to import

        if self.shown is None:
            return
        stem = "selection" if self.selection.words else "inventory"
        name = f"{stem}-{datetime.now():%Y%m%d-%H%M%S}{ending}"  # their own clock
        self.notice.value = PAGE.progress(f"Writing {name} …")
        with tempfile.TemporaryDirectory(prefix="petstore-export-") as folder:
            path = write_report(self.shown, Path(folder, name), categories=dict(self._labels))
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

    def static_copy(self) -> str:
        """Return the last numbers as markup that needs no kernel, no network and no trust."""
        pets = self._pets
        if pets is None:
            return in_notebook(PAGE.render("dashboard/static_copy.html.j2", inventory=None))
        counts = self._all
        drawing = status_chart(counts).file(PICTURE_WIDTH).encode()
        copy = PAGE.render(
            "dashboard/static_copy.html.j2",
            inventory=pets,
            as_of=minute_text(pets.fetched_at),
            headline=pets.completeness.to_line(),
            cards=_cards(counts, counts, Selection()),
            total=short(counts.total),
            drawing=b64encode(drawing).decode(),
            matrix=counts.to_html(top=BARS),
        )
        return in_notebook(copy)


def _cards(counts: Summary, everything: Summary, chosen: Selection) -> Markup:
    """Draw the key figures: all pets, then each status; one that is filtered out has no number."""
    under = f"of {short(everything.total)}" if chosen.words else counts.categories_in_words
    name = "Pets selected" if chosen.words else "Pets"
    drawn = [Card(name, short(counts.total), under, None, counts.total.is_exact)]
    for status, colour in palette.status_colours(everything.statuses).items():
        count = counts.by_status.get(status, StatusCount(0, counts.total.bound))
        number = short(count)
        if chosen.status not in ("", status):
            number, under = "–", "not selected"
        elif chosen.words:
            under = f"of {short(everything.by_status[status])}"
        elif not counts.total.is_exact:
            under = count.bound.replace("_", " ")
        else:
            under = counts.shares[status]
        drawn.append(Card(status_word(status), number, under, colour, count.is_exact))
    return PAGE.cards(drawn)
