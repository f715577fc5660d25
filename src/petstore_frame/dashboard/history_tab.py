"""The tab that shows how the store changed: pets over time, moves by week, ages, last change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from petstore_frame.charts import ageing_chart, element, moves_chart, trend_chart
from petstore_frame.counts import short
from petstore_frame.dashboard.figures import Used
from petstore_frame.dashboard.kit import titled
from petstore_frame.dashboard.top import Top
from petstore_frame.errors import PetstoreError
from petstore_frame.history import Diff, History, open_history
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.categories import shown_labels
from petstore_frame.schema.text import count_text

BY = [("by status", "status"), ("by category", "category_id")]
RANGES = [("all days", 0), ("last 7 days", 7), ("last 30 days", 30), ("last 90 days", 90)]


class HistoryTab:
    """Charts of the snapshots in a folder; ``pick`` gets what was clicked.

    Attributes:
        widget: The whole tab.
        by, days, folder: What is shown, and of which snapshots.
        keep: A button that keeps what was read last as a snapshot.
    """

    def __init__(self, top: Top, history: History | None, pick: Callable[[Used], None]) -> None:
        self._top, self._history, self._kit = top, history, top.kit
        kit, where = top.kit, "" if history is None else str(history.folder)
        self.by = kit.choice("Lines", BY, lambda _: self.draw())
        self.days = kit.choice("Days", RANGES, lambda _: self.draw())
        self.folder = kit.text("Snapshots in", "a folder", self._open, css="pf-wide", value=where)
        self.keep = kit.button("Keep a snapshot", self._keep, "of the pets as they were read last")
        self.notice, self.change = kit.html(), kit.html()
        self.figures = kit.figures(pick, self.draw)
        self.widget = kit.column(
            kit.row(self.by, self.days), kit.row(self.folder, self.keep), self.notice,
            self.figures, self.change,
        )  # fmt: skip

    def draw(self) -> None:
        """Draw what is chosen."""
        with self._kit.drawing():
            why = "Name a folder above, and keep a snapshot."
            try:
                if self._history is not None:
                    self.figures.markup = self._drawn(self._history)
                    changed = _last_change(self._history)
                    self.change.value = titled("The last two snapshots", changed)
                    return
            except PetstoreError as problem:
                why = str(problem)
            self.figures.markup = PAGE.warning("No history to show yet", [why])
            self.change.value = ""

    def _open(self, folder: str) -> None:
        named = folder.strip()
        self._history = open_history(str(Path(named).expanduser()) if named else None)
        self.draw()

    def _keep(self) -> None:
        inventory = self._top.inventory
        if self._history is None:
            raise PetstoreError("name the folder for the snapshots first")
        if inventory is None:
            raise PetstoreError("the store was not read yet; refresh, then try again")
        kept = self._history.add(inventory)
        words = f"{count_text(kept.rows, 'pet')} of {kept.date}, in {self._history.folder}"
        self.notice.value = PAGE.success("Kept", [words])
        self.draw()

    def _drawn(self, history: History) -> Markup:
        since, dates = None, history.snapshots()["date"]
        if self.days.value and len(dates):
            since = dates.iloc[-1].date() - timedelta(days=self.days.value - 1)
        labels, hidden = shown_labels(self._top.memory.categories), self.figures.hidden
        trend = history.trend(by=self.by.value, since=since)
        moves = history.flow(period="week", since=since).moves
        # How long a pet has been there is asked of all days, whichever are shown.
        ageing = history.flow().ageing
        over_time = trend_chart(trend, categories=labels, hidden=hidden["pets-over-time"])
        moved = moves_chart(moves, hidden=hidden["new-sold-gone"])
        saved = self.figures.with_saves
        two = titled("New, sold and gone, by week", saved(moved))
        two += titled("Days that pets have been available", saved(ageing_chart(ageing)))
        drawn = titled("Pets over time", saved(over_time))
        return drawn + element("div", two, class_="pf-two")


def _last_change(history: History) -> Markup:
    try:
        diff = history.diff()
    except PetstoreError as problem:
        return PAGE.warning("Nothing to compare yet", [str(problem)])
    return element("p", str(diff)) + moves_table(diff)


def moves_table(diff: Diff) -> Markup:
    """Draw how many pets came, went or changed their status."""
    moves, caption = diff.moves, f"Pets that came, went or changed: {diff.total}"
    if moves.empty:
        return element("p", caption)
    rows = []
    for kind, was, now, pets in moves[["kind", "was", "now", "pets"]].itertuples(index=False):
        states = (each if isinstance(each, str) else None for each in (was, now))
        rows.append([kind, *states, short(StatusCount(int(pets), diff.is_exact))])
    return PAGE.table(rows, ("What", "Was", "Is now", "Pets"), numbers={3}, caption=caption)
