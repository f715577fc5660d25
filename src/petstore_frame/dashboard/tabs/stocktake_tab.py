"""The Stocktake tab: compares the user's list with the store; nothing is sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from petstore_frame.comparison import Comparison, Kind, compare, table_columns
from petstore_frame.dashboard.import_steps.file_steps import FileSteps
from petstore_frame.dashboard.page.background import Background
from petstore_frame.dashboard.page.local_time import time_element
from petstore_frame.dashboard.page.pager import Pager
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.store_header import StoreHeader
from petstore_frame.dashboard.page.widgets import (
    WidgetFactory,
    scrollable,
    set_options,
    set_visible,
)
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import read_ids
from petstore_frame.rendering import PAGE, Markup, element, shorten
from petstore_frame.schema import FIELDS, count_text

LONGEST, MAX_CAUSES = 60, 5
CHOOSE = ("Choose a list", "CSV or Excel.")
INTRODUCTION = "Compare your list with the store. Nothing is sent."
ALL_DIFFERENCES = ("all differences", "")


class StocktakeTab(FileSteps):
    """A list, its differences from the store, and a workbook of the differences.

    Attributes:
        widget: The whole tab.
        use_imported: The button that compares the file of the Import tab.
        kind, pager: The kind of differences to show, and the page of them.
        workbook: The button that downloads all differences.
        comparison: The Comparison, or None.
    """

    def __init__(
        self,
        factory: WidgetFactory,
        store: StoreState,
        header: StoreHeader,
        imported_file: Callable[[], Path | None],
    ) -> None:
        self.comparison: Comparison | None = None
        self._imported_file = imported_file
        background = Background(factory, self.render, header.ask_for_key)
        super().__init__(
            factory, store, background, name="stocktake", choose=CHOOSE, unused="not compared"
        )
        part = factory.for_part()
        self._step = Step(part, 4, "Differences", "See what differs.", self.toggle)
        self.kind = part.dropdown("Show", [ALL_DIFFERENCES], lambda _: self._show_kind())
        self.pager = Pager(part, self.render)
        self.workbook = part.button("Download Excel", self._write, "all differences")
        self._facts, self._table = part.html(), part.html()
        self._step.body.children = [
            self._facts,
            part.row(self.kind, self.workbook),
            self._table,
            self.pager.widget,
        ]
        self.use_imported = factory.button("", self._use_imported, css="pf-suggestion")
        self._introduction = factory.html(element("span", INTRODUCTION))
        self.choose_file.extra.children = [*self.choose_file.extra.children, self.use_imported]
        steps = (self.choose_file, self.match_columns, self.match_values)
        self.widget = factory.column(
            self._introduction, *(step.step.widget for step in steps), self._step.widget
        )
        self.widget.add_class("pf-tab")
        self.render()

    def choose(self, path: Path) -> None:
        self.comparison = None
        super().choose(path)

    def update(self) -> None:
        self.comparison = None
        super().update()

    def process(self) -> None:
        """Compare the list with the last reading of the store."""
        state, inventory = self.state, self.store.inventory
        if state.source is None:
            return
        if inventory is None:
            raise ArgumentError("the store has not been read yet; press Refresh, then try again")
        recipe, on = state.recipe, list[str]()
        ids = read_ids(self.store.client, journal=self.store.journal)
        if not recipe.key or not len(ids):  # no key can be matched to a pet
            recipe, on = recipe.replace(key=()), ["name", "category_id"]
        comparison = compare(
            state.source, inventory, on=on, recipe=recipe, journal=self.store.journal
        )
        if state is self.state:
            self.comparison = comparison

    def update_view(self) -> None:
        """Update the tab when it is opened."""
        self.render()

    def render_rest(self) -> None:
        imported = self._imported_file()
        is_offered = imported is not None and self.state.source is None
        set_visible(self.use_imported, is_offered)
        if imported is not None:
            self.use_imported.description = f"Use {imported.name}"
        comparison = self.comparison
        if comparison is None:
            self._step.render(Progress.WAITING)
            return
        counts = comparison.frame["kind"].value_counts()
        counts = counts[counts > 0]  # a kind without rows is not mentioned
        parts = [f"{counts[kind]:,} {kind}" for kind in Kind if kind in counts]
        self._step.render(Progress.CURRENT, note=f"{', '.join(parts)}.")
        kinds = [(f"{kind} ({counts[kind]:,})", str(kind)) for kind in Kind if kind in counts]
        set_options(self.kind, [ALL_DIFFERENCES, *kinds], self.kind.value)
        self._facts.value = _facts(comparison)
        self._table.value = scrollable(self._differences(comparison))

    def _use_imported(self) -> None:
        imported = self._imported_file()
        if imported is not None:
            self.choose(imported)

    def _show_kind(self) -> None:
        with self._factory.drawing():
            self.pager.page.value = 1
        self.render()

    def _differences(self, comparison: Comparison) -> Markup:
        frame, kind = comparison.frame, self.kind.value
        rows = frame[frame["kind"].eq(kind)] if kind else frame[frame["kind"].ne(Kind.SAME)]
        shown = self.pager.rows_of(len(rows))
        if not len(rows):
            return PAGE.success("Your list and the store agree in everything that was compared")
        categories = self.store.category_names()
        columns = table_columns(comparison, rows, categories, has_kind=not kind)
        cells = [
            [None if value is None else shorten(str(value), LONGEST) for value in values]
            for values in zip(
                *(column.values[shown.start : shown.stop] for column in columns), strict=True
            )
        ]
        count = f"{len(rows):,}"
        if len(shown) < len(rows):
            count = f"{shown.start + 1:,}–{shown.stop:,} of {len(rows):,}"
        title = kind.capitalize() if kind else "All differences"
        headings = [column.heading for column in columns]
        return PAGE.table(cells, headings, caption=f"{title}: {count}")

    def _write(self) -> None:
        comparison = self.comparison
        if comparison is not None:
            path = self.scratch_path(f"stocktake-{Path(comparison.name).stem}.xlsx")
            comparison.write(path, categories=self.store.category_names() or None)
            self.choose_file.drop.download_file(path)


def _facts(comparison: Comparison) -> Markup:
    """Describe what was compared, and list the rows that could not be read."""
    labels = {field.name: field.label for field in FIELDS}
    by = ", ".join(comparison.key or [labels[name] for name in comparison.on])
    as_of = time_element(comparison.inventory.fetched_at)
    facts = element("p", f"Compared by {by} with the store as of ", as_of)
    if not comparison.completeness.covers_all:
        facts += element(
            "p", "The store was not read completely, so animals listed as missing may be in it."
        )
    is_invalid = comparison.frame["kind"].eq(Kind.INVALID)
    causes = comparison.frame.loc[is_invalid, "problem"].value_counts()
    if len(causes):
        lines = [
            f"{count_text(rows, 'row')}: {problem}"
            for problem, rows in causes.head(MAX_CAUSES).items()
        ]
        if len(causes) > MAX_CAUSES:
            lines.append(f"and {len(causes) - MAX_CAUSES:,} more reasons: see the table below")
        title = f"{count_text(int(causes.sum()), 'row')} could not be read"
        facts += PAGE.warning(title, lines)
    return facts
