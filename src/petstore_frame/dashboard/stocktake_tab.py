"""The tab that compares a list of ours with the store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from petstore_frame.charts import element
from petstore_frame.dashboard.file_steps import FileTab
from petstore_frame.dashboard.kit import Kit, set_options, show
from petstore_frame.dashboard.live import Used
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.words_step import LABELS
from petstore_frame.dashboard.worker import Worker
from petstore_frame.errors import ArgumentError
from petstore_frame.inventory import Inventory
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import minute_text
from petstore_frame.stocktake import Comparison, Kind, compare
from petstore_frame.stocktake.matching import IN_STORE

ROWS, LONGEST = 50, 60
BY_FIELDS = "name and category"


class StocktakeTab(FileTab):
    """A list, what differs from the store, and the workbook of it.

    Attributes:
        widget: The whole tab.
        kind: Which differences are shown.
        workbook: A button that downloads all of them.
        found: The Comparison, or None.
    """

    def __init__(
        self,
        kit: Kit,
        memory: Memory,
        numbers: Callable[[], Collection[int]],
        journal: Path | None,
        inventory: Callable[[], Inventory | None],
        open_pet: Callable[[str], None],
    ) -> None:
        super().__init__(kit, memory, numbers, "Choose a list")
        self._journal, self._inventory, self._open_pet = journal, inventory, open_pet
        self.found: Comparison | None = None
        self._is_stale = False
        self.notice, self._facts = kit.html(), kit.html()
        self.worker = Worker("petstore-stocktake", self._say, self._busy_changed)
        self.kind = kit.choice("Show", [("all that differs", "")], self.draw_found)
        self.workbook = kit.button("Workbook", self._write, "all differences, a sheet per kind")
        self.table = kit.live(self._used)
        self._found_box = kit.column(self._facts, kit.row(self.kind, self.workbook), self.table)
        self.widget = kit.column(self.steps, self.notice, self._found_box)
        self.widget.add_class("pf-tab")
        self.show_keep(False)
        show(self._found_box, False)

    def _say(self, markup: str) -> None:
        self.notice.value = self.as_known(markup)

    def changed(self) -> None:
        self._is_stale = True
        self.worker.start("Comparing …", self._compare)

    def _busy_changed(self) -> None:
        if self._is_stale and not self.worker.is_busy:
            self.changed()

    def _compare(self) -> None:
        while self._is_stale:
            self._is_stale, self.found = False, None
            show(self._found_box, False)
            inventory = self._inventory()
            if inventory is None or self.source is None:
                raise ArgumentError("The store was not read yet; refresh, then try again")
            self._say(PAGE.progress("Comparing …"))
            if self.look():
                self.keep_in_memory()
                on = () if self.recipe.key else ("name", "category_id")
                self.found = compare(
                    self.source, inventory, on=on, recipe=self.recipe, journal=self._journal
                )
            self._say("")
        if self.found is not None:
            kinds = self.found.frame["kind"].value_counts()
            differ = len(self.found.frame) - int(kinds.get(Kind.SAME, 0))
            counted = [(f"{each} ({int(kinds[each]):,})", str(each))
                       for each in Kind if kinds.get(each, 0)]  # fmt: skip
            set_options(self.kind, [(f"all that differs ({differ:,})", ""), *counted], "")
            self.draw_found()

    def draw_found(self) -> None:
        """Show the differences of the kind chosen."""
        found = self.found
        show(self._found_box, found is not None)
        if found is None:
            return
        by = ", ".join(found.key) or BY_FIELDS
        as_of = minute_text(found.inventory.fetched_at)
        lines = [f"Compared by {by}, with the store as it was read {as_of}."]
        if not found.completeness.covers_all:
            lines.append("The store was not read whole: what was not seen may be in it.")
        unreadable = int(found.frame["kind"].eq(str(Kind.INVALID)).sum())
        drawn = Markup("").join(Markup("<p>{}</p>").format(line) for line in lines)
        if unreadable:
            causes = found.frame["problem"].value_counts().head(5)
            said = [f"{rows:,}: {problem}" for problem, rows in causes.items()]
            title = f"{unreadable:,} rows could not be read; say above what their words mean"
            drawn += PAGE.warning(title, said)
        self._facts.value = drawn
        self.table.markup = element(
            "div", _table(found, self.kind.value, self.memory.categories), class_="pf-grid"
        )

    def _used(self, used: Used) -> None:
        if "pet" in used:
            self._open_pet(used["pet"])

    def _write(self) -> None:
        if self.found is not None:
            path = Path(self._uploads.name, f"stocktake-{Path(self.found.name).stem}.xlsx")
            self.found.write(path, categories=self.memory.categories or None)
            self.table.download_file(path)

    def close(self) -> None:
        self.worker.wait()
        super().close()


def _table(found: Comparison, kind: str, labels: Mapping[int, str]) -> Markup:
    frame = found.frame
    rows = frame[frame["kind"].eq(kind)] if kind else frame[frame["kind"].ne(str(Kind.SAME))]
    if not len(rows):
        return PAGE.success("The list and the store agree in all that was compared")
    drawn = []
    for row in rows.head(ROWS).to_dict("records"):
        pet, differs = _text(row["id"]), _text(row["difference"]).split(", ")
        mark = element("span", pet, class_="pf-mark", data_pet=pet) if pet else ""
        drawn.append([row["kind"], _text(row["line"]), _text(row["key"]), mark])
        for field in SENT_FIELDS:
            for column in (field.name, field.name + IN_STORE):
                value = row[column]
                if field.name == "category_id":
                    value = labels.get(value, value)
                text = shorten(_text(value), LONGEST)
                drawn[-1].append(element("strong", text) if field.name in differs else text)
    fields = (f"{LABELS[field.name]}, {side}" for field in SENT_FIELDS
              for side in ("list", "store"))  # fmt: skip
    head = ("Kind", "Line", "Key", "Pet", *fields)
    more = f"the first {ROWS} of {len(rows):,}" if len(rows) > ROWS else f"{len(rows):,}"
    return PAGE.table(drawn, head, caption=f"{kind or 'All that differs'}: {more}", is_named=True)


def _text(value: Any) -> str:
    import pandas as pd

    return "" if pd.isna(value) else str(value)
