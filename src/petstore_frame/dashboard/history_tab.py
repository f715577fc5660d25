"""The tab that shows how the store changed: pets over time, moves by week, ages, last change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from petstore_frame.charts import ageing_chart, element, moves_chart, trend_chart
from petstore_frame.dashboard.store_header import Top
from petstore_frame.dashboard.widgets import Used, titled
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History, open_history
from petstore_frame.rendering import PAGE, Markup, count_text
from petstore_frame.schema import Labels

BY = [("by status", "status"), ("by category", "category_id")]


class HistoryTab:
    """Charts of the snapshots in a folder.

    Attributes:
        widget: The whole tab.
        by, folder: What is shown, and of which snapshots.
        keep: A button that keeps what was read last as a snapshot.
    """

    def __init__(self, top: Top, history: History | None, pick: Callable[[Used], None]) -> None:
        self._top, self._history = top, history
        kit, where = top.kit, "" if history is None else str(history.folder)
        self.by = kit.choice("Lines", BY, lambda _: self.draw())
        self.folder = kit.text("Snapshots in", "a folder", self._open, css="pf-wide", value=where)
        self.keep = kit.button("Keep a snapshot", self._keep, "of the pets as they were read last")
        self.notice, self.figures = kit.html(), kit.figures(pick)
        self.widget = kit.column(
            kit.row(self.by, self.folder, self.keep), self.notice, self.figures
        )

    def draw(self) -> None:
        """Draw what is chosen."""
        why = "Name a folder above, and keep a snapshot."
        try:
            if self._history is not None:
                self.figures.markup = self._drawn(self._history)
                return
        except PetstoreError as problem:
            why = str(problem)
        self.figures.markup = PAGE.warning("No history to show yet", [why])

    def _open(self, folder: str) -> None:
        named = folder.strip()
        self._history = open_history(str(Path(named).expanduser()) if named else None)
        self.draw()

    def _keep(self) -> None:
        inventory = self._top.pets
        if self._history is None or inventory is None:
            raise PetstoreError("name a folder, and read the store: Refresh")
        kept = self._history.add(inventory)
        words = f"{count_text(kept.rows, 'pet')} of {kept.date}, in {self._history.folder}"
        self.notice.value = PAGE.success("Kept", [words])
        self.draw()

    def _drawn(self, history: History) -> Markup:
        labels, saved = Labels(self._top.memory.categories), self.figures.with_saves
        trend, flow = history.trend(by=self.by.value), history.flow()
        two = titled("New, sold and gone, by week", saved(moves_chart(flow.moves)))
        two += titled("Days that pets have been available", saved(ageing_chart(flow.ageing)))
        drawn = titled("Pets over time", saved(trend_chart(trend, categories=labels)))
        drawn += element("div", two, class_="pf-two")
        if len(history.snapshots()) > 1:
            drawn += titled("The last two snapshots", element("p", str(history.diff())))
        return drawn
