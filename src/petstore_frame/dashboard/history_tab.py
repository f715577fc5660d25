"""The tab that shows how the store changed: pets over time, moves by week, ages, last change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import ipywidgets as widgets

from petstore_frame.charts import Figure, ageing_figure, element, moves_figure, trend_figure
from petstore_frame.counts import short
from petstore_frame.dashboard.kit import Kit, titled
from petstore_frame.dashboard.live import Used, with_saves
from petstore_frame.errors import PetstoreError
from petstore_frame.history import Diff, History, open_history
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.text import count_text

BY = [("by status", "status"), ("by category", "category_id")]
RANGES = [("all days", 0), ("last 7 days", 7), ("last 30 days", 30), ("last 90 days", 90)]


class HistoryTab:
    """Charts of the snapshots in a folder.

    ``picked`` gets what was clicked, ``inventory`` returns what was read of the store last, and
    ``labels`` the names of categories.

    Attributes:
        widget: The whole tab.
        by, days, since, until, folder: What is shown, and of which snapshots.
        keep: A button that keeps what was read last as a snapshot.
    """

    def __init__(
        self,
        kit: Kit,
        history: History | None,
        picked: Callable[[Used], None],
        inventory: Callable[[], Inventory | None],
        labels: Callable[[], Mapping[int, str]],
    ) -> None:
        self._kit, self._history, self._picked = kit, history, picked
        self._inventory, self._labels = inventory, labels
        self._hidden: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
        self._figures: dict[str, Figure] = {}
        self.by = kit.choice("Lines", BY, self.draw)
        self.days = kit.choice("Days", RANGES, self._set_days)
        self.since, self.until = (
            kit.on_change(kit.make(widgets.DatePicker, "", description=name), self.draw)
            for name in ("from", "to")
        )
        where = "" if history is None else str(history.folder)
        self.folder = kit.text("Snapshots in", "a folder", self._open, value=where)
        self.keep = kit.button("Keep a snapshot", self._keep, "of the pets as they were read last")
        self.notice, self.change = kit.html(), kit.html()
        self.figures = kit.live(self._used)
        self.figures.markup = PAGE.progress("Reading the snapshots …")
        self.widget = kit.column(
            kit.row(self.by, self.days, self.since, self.until, self.folder, self.keep),
            self.notice, self.figures, self.change,
        )  # fmt: skip

    def draw(self) -> None:
        """Draw what is chosen."""
        with self._kit.lock:
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

    def _set_days(self) -> None:
        since = None
        if self.days.value and self._history is not None:
            last = self._history.snapshots()["date"].iloc[-1].date()
            since = last - timedelta(days=self.days.value - 1)
        self.until.value, self.since.value = None, since

    def _open(self) -> None:
        named = self.folder.value.strip()
        self._history = open_history(str(Path(named).expanduser()) if named else None)
        self.draw()

    def _used(self, used: Used) -> None:
        figure = used.get("figure", "")
        if "save" in used:
            self.figures.download_figure(self._figures[figure], used["save"])
        elif "toggle" in used:
            self._hidden[figure] ^= {used["toggle"]}
            self.draw()
        else:
            self._picked(used)

    def _keep(self) -> None:
        inventory = self._inventory()
        if self._history is None:
            raise PetstoreError("name the folder for the snapshots first")
        if inventory is None:
            raise PetstoreError("the store was not read yet; refresh, then try again")
        kept = self._history.add(inventory)
        words = f"{count_text(kept.rows, 'pet')} of {kept.date}, in {self._history.folder}"
        self.notice.value = PAGE.success("Kept", [words])
        self.draw()

    def _drawn(self, history: History) -> Markup:
        days = {"since": self.since.value, "until": self.until.value}
        flow = history.flow(period="week", **days)
        trend = history.trend(by=self.by.value, **days)
        figures = (
            trend_figure(trend, self._labels(), hidden=self._hidden["pets-over-time"]),
            moves_figure(flow.moves, hidden=self._hidden["new-sold-gone"]),
            # How long a pet has been there is asked of all days, whichever are shown.
            ageing_figure(history.flow().ageing),
        )
        self._figures = {figure.name: figure for figure in figures}
        over_time, moved, ages = map(with_saves, figures)
        two = titled("New, sold and gone, by week", moved)
        two += titled("Days that pets have been available", ages)
        return titled("Pets over time", over_time) + element("div", two, class_="pf-two")


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
