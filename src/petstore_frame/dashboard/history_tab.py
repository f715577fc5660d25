"""The tab that shows how the store changed: pets over time, moves by week, ages, last change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import ipywidgets as widgets

from petstore_frame.charts.bars import ageing_figure, moves_figure
from petstore_frame.charts.svg import Figure, element
from petstore_frame.charts.trend import LINES_SHOWN, trend_figure
from petstore_frame.counts.tally import short
from petstore_frame.dashboard.kit import Kit, titled
from petstore_frame.dashboard.live import Used, with_saves
from petstore_frame.dashboard.selection import Selection
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History, open_history
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.text import count_text

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff, Flow

BY = [("by status", "status"), ("by category", "category_id")]
RANGES = [("all days", 0), ("last 7 days", 7), ("last 30 days", 30), ("last 90 days", 90)]


class HistoryTab:
    """Charts of the snapshots in a folder, under the filters of the Inventory tab.

    ``picked`` gets what was clicked, ``inventory`` returns what was read of the store last.

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
    ) -> None:
        self._kit, self._history, self._picked = kit, history, picked
        self._inventory = inventory
        self._labels: Mapping[int, str] = {}
        self._chosen: tuple[Selection, frozenset[int | None]] = Selection(), frozenset()
        self._hidden: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
        self._seen, self._counts = list[object](), None  # type: ignore[var-annotated]
        self._flows: dict[tuple[date | None, date | None], Flow] = {}
        self._figures: dict[str, Figure] = {}
        self._rest: int | None = None  # stands for the categories that have no line of their own
        self.by = kit.choice("Lines", BY, self.draw)
        self.days = kit.choice("Days", RANGES, self._set_days)
        self.since, self.until = (
            kit.make(widgets.DatePicker, "", description=name) for name in ("from", "to")
        )
        for day in (self.since, self.until):
            kit.on_change(day, self.draw)
        where = "" if history is None else str(history.folder)
        self.folder = kit.text("Snapshots in", "a folder", self._open, value=where)
        self.keep = kit.button("Keep a snapshot", self._keep, "of the pets as they were read last")
        self.notice, self.words, self.change = kit.html(), kit.html(), kit.html()
        self.figures = kit.live(self._used)
        self.figures.markup = PAGE.progress("Reading the snapshots …")
        self.widget = kit.column(
            kit.row(self.by, self.days, self.since, self.until, self.folder, self.keep),
            self.notice, self.words, self.figures, self.change,
        )  # fmt: skip

    def show(
        self, selection: Selection, found: frozenset[int | None], labels: Mapping[int, str]
    ) -> None:
        """Draw the history for a selection, whose categories were ``found``."""
        self._chosen, self._labels = (selection, found), labels
        self.draw()

    def draw(self) -> None:
        """Draw what is chosen; where there are other snapshots, all is read anew."""
        with self._kit.lock:
            history, selection = self._history, self._chosen[0]
            words = "Moves and changes are of all pets." if selection.is_filtered else ""
            if words:
                words = f"Pets over time: {selection.words}, as chosen under Inventory. {words}"
            self.words.value = element("p", words, class_="pf-faint") if words else ""
            try:
                if history is None:
                    self._show_none("Name a folder above, and keep a snapshot.")
                else:
                    self._look_for_snapshots(history)
                    self.figures.markup = self._drawn(history)
                    self.change.value = titled("The last two snapshots", _last_change(history))
            except PetstoreError as problem:
                self._show_none(str(problem))

    def _show_none(self, why: str) -> None:
        self.figures.markup = PAGE.warning("No history to show yet", [why])
        self.change.value = ""

    def _look_for_snapshots(self, history: History) -> None:
        snapshots = history.snapshots()
        seen = [*zip(snapshots["date"], snapshots["size"], strict=True)]
        if seen != self._seen:
            self._seen, self._counts = seen, None
            self._flows.clear()

    def _set_days(self) -> None:
        since = None
        if self.days.value and self._seen:
            since = self._seen[-1][0].date() - timedelta(days=self.days.value - 1)
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
        elif used.get("category") != str(self._rest):
            self._picked(used)

    def _keep(self) -> None:
        inventory = self._inventory()
        if self._history is None:
            self.notice.value = PAGE.warning("Name the folder for the snapshots first")
        elif inventory is None:
            self.notice.value = PAGE.warning("The store was not read yet; refresh, then try again")
        else:
            try:
                kept = self._history.add(inventory)
            except PetstoreError as problem:
                self.notice.value = PAGE.failure("The snapshot was not kept", [str(problem)])
                return
            words = f"{count_text(kept.rows, 'pet')} of {kept.date}, in {self._history.folder}"
            self.notice.value = PAGE.success("Kept", [words])
            self.draw()

    def _drawn(self, history: History) -> Markup:
        # How long a pet has been there is asked of all days, whichever are shown.
        ageing = self._flow(history, None, None).ageing
        categories = self._chosen[1]
        if categories:
            ageing = ageing[ageing["category_id"].isin(list(categories))]
        moves = self._flow(history, self.since.value, self.until.value).moves
        figures = (
            trend_figure(*self._counted(history), hidden=self._hidden["pets-over-time"]),
            moves_figure(moves, hidden=self._hidden["new-sold-gone"]),
            ageing_figure(ageing),
        )
        self._figures = {figure.name: figure for figure in figures}
        trend, moved, ages = map(with_saves, figures)
        two = titled("New, sold and gone, by week", moved)
        two += titled("Days that pets have been available", ages)
        return titled("Pets over time", trend) + element("div", two, class_="pf-two")

    def _flow(self, history: History, since: date | None, until: date | None) -> Flow:
        if (since, until) not in self._flows:
            self._flows[since, until] = history.flow(period="week", since=since, until=until)
        return self._flows[since, until]

    def _counted(self, history: History) -> tuple[pd.DataFrame, Mapping[int, str]]:
        """Return counts by day and line, of what is chosen, with the names of categories."""
        import pandas as pd

        if self._counts is None:
            self._counts = history.trend(by=["category_id", "status"])
        trend, (now, categories), labels = self._counts, self._chosen, self._labels
        if self.since.value is not None:
            trend = trend[trend["date"] >= pd.Timestamp(self.since.value)]
        if self.until.value is not None:
            trend = trend[trend["date"] <= pd.Timestamp(self.until.value)]
        if now.status:
            trend = trend[trend["status"] == now.status]
        if categories:
            trend = trend[trend["category_id"].isin(list(categories))]
        self._rest = None
        if self.by.value == "category_id":
            sizes = trend.groupby("category_id")["pets"].max()
            largest = sizes.sort_values(ascending=False, kind="stable").index[: LINES_SHOWN - 1]
            if len(sizes) > LINES_SHOWN:  # the others are one line, of a number that none has
                self._rest = int(sizes.index.min()) - 1
                lines = trend["category_id"].where(trend["category_id"].isin(largest), self._rest)
                trend = trend.assign(category_id=lines)
                others = f"{len(sizes) - len(largest)} other categories"
                labels = {**labels, self._rest: others}
        return _added_up(trend, self.by.value), labels


def _added_up(trend: pd.DataFrame, by: str) -> pd.DataFrame:
    """Add counts of categories and statuses up to one line for each value of ``by``.

    A sum is exact where all of its parts are, and missing where any of them is.
    """
    import pandas as pd

    groups = trend.groupby(["date", by], sort=False, observed=True)
    pets = groups["pets"].agg(lambda counts: counts.sum(skipna=False))
    words = groups["count_is"].agg(lambda all_: all_.iloc[0] if all_.nunique() == 1 else "at least")
    return pd.DataFrame({"pets": pets.astype("Int64"), "count_is": words}).reset_index()


def _last_change(history: History) -> Markup:
    try:
        diff = history.diff()
    except PetstoreError as problem:
        return PAGE.warning("Nothing to compare yet", [str(problem)])
    return element("p", str(diff)) + _moves_table(diff)


def _moves_table(diff: Diff) -> Markup:
    """Draw how many pets came, went or changed their status."""
    moves, caption = diff.moves, f"Pets that came, went or changed: {diff.total}"
    if moves.empty:
        return element("p", caption)
    rows = []
    for kind, was, now, pets in moves[["kind", "was", "now", "pets"]].itertuples(index=False):
        states = (each if isinstance(each, str) else None for each in (was, now))
        rows.append([kind, *states, short(StatusCount(int(pets), diff.is_exact))])
    return PAGE.table(rows, ("What", "Was", "Is now", "Pets"), numbers={3}, caption=caption)
