"""The tab that compares a list of ours with the store."""

from __future__ import annotations

from pathlib import Path

from petstore_frame.charts import element
from petstore_frame.comparison import Comparison, Kind, compare
from petstore_frame.dashboard.file_tab import FileTab
from petstore_frame.dashboard.store_header import Top
from petstore_frame.dashboard.widgets import grid, set_options, show
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import read_ids
from petstore_frame.rendering import PAGE, Markup, minute_text, shorten

ROWS, LONGEST = 50, 60


class StocktakeTab(FileTab):
    """A list, what differs from the store, and the workbook of it.

    Attributes:
        kind: Which differences are shown.
        workbook: A button that downloads all of them.
        found: The Comparison, or None.
    """

    def __init__(self, top: Top) -> None:
        super().__init__(top, "Choose a list")
        kit = self.kit
        self.found: Comparison | None = None
        self.kind = kit.choice("Show", [("all that differs", "")], lambda _: self.draw())
        self.workbook = kit.button("Workbook", self._write, "all differences, a sheet per kind")
        self.facts, self.table = kit.html(), kit.html()
        self._result = kit.column(self.facts, kit.row(self.kind, self.workbook), self.table)
        self.widget.children = [*self.widget.children, self.notice, self._result]
        show(self.reading["keep"], False)
        self.draw()

    def changed(self) -> None:
        self.work.start("Comparing …", self._compare)

    def _compare(self) -> None:
        self.found = None
        self.draw()
        inventory = self.top.pets
        if inventory is None or self.source is None:
            raise ArgumentError("The store was not read yet; refresh, then try again")
        if self.look():
            how, on = self.recipe, list[str]()
            if not how.key or not len(read_ids(self.top.client, journal=self.top.journal)):
                how, on = how.replace(key=()), ["name", "category_id"]  # as no key is known
            self.found = found = compare(
                self.source, inventory, on=on, recipe=how, journal=self.top.journal
            )
            counts = found.frame["kind"].value_counts()
            kinds = [(f"{kind} ({counts[kind]:,})", str(kind)) for kind in Kind if kind in counts]
            set_options(self.kind, [("all that differs", ""), *kinds], "")
        self.work.say("")
        self.draw()

    def draw(self) -> None:
        """Show the differences of the kind chosen."""
        with self.kit.drawing():
            show(self._result, self.found is not None)
            if self.found is not None:
                self.facts.value = _facts(self.found)
                self.table.value = grid(self._table(self.found))

    def _table(self, found: Comparison) -> Markup:
        frame, kind = found.frame, self.kind.value
        rows = frame[frame["kind"].eq(kind)] if kind else frame[frame["kind"].ne(Kind.SAME)]
        if not len(rows):
            return PAGE.success("The list and the store agree in all that was compared")
        labels, shown = self.memory.categories, rows.head(ROWS).copy()
        for column in [each for each in map(str, shown) if each.startswith("category_id")]:
            shown[column] = shown[column].map(lambda each: labels.get(each, each), "ignore")
        drawn = [
            [None if value is None else shorten(str(value), LONGEST) for value in row]
            for row in found.shown_rows(shown)
        ]
        more = f"the first {ROWS} of {len(rows):,}" if len(rows) > ROWS else f"{len(rows):,}"
        return PAGE.table(drawn, found.headings(), caption=f"{kind or 'All that differs'}: {more}")

    def _write(self) -> None:
        if self.found is not None:
            path = Path(self._uploads.name, f"stocktake-{Path(self.found.name).stem}.xlsx")
            self.found.write(path, categories=self.memory.categories or None)
            self.drop.download_file(path)


def _facts(found: Comparison) -> Markup:
    """Say what was compared, and what could not be read."""
    by, as_of = ", ".join(found.key or found.on), minute_text(found.inventory.fetched_at)
    facts = element("p", f"Compared by {by}, with the store as it was read {as_of}.")
    if not found.completeness.covers_all:
        facts += element("p", "The store was not read whole: what was not seen may be in it.")
    causes = found.frame.loc[found.frame["kind"].eq(Kind.INVALID), "problem"].value_counts()
    if len(causes):
        said = [f"{rows:,}: {problem}" for problem, rows in causes.head(5).items()]
        title = f"{causes.sum():,} rows could not be read; say above what their words mean"
        facts += PAGE.warning(title, said)
    return facts
