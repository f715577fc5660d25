"""The part of the dashboard that shows how the store changed: trend, moves, ages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.bars import ageing_figure, moves_figure
from petstore_frame.charts.svg import Figure, element
from petstore_frame.charts.trend import LINES_SHOWN, trend_figure
from petstore_frame.counts.tally import short
from petstore_frame.dashboard.kit import Kit, Used, chart, draw, failure
from petstore_frame.dashboard.model import Selection
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History, open_history
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.text import count_text

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff, Flow

BY = {"status": "by status", "category_id": "by category"}
RANGES = {"": "all days", "7": "last 7 days", "30": "last 30 days", "90": "last 90 days"}


class HistoryTab:
    """Trend, moves and ages of a history; ``picked`` gets what was clicked.

    ``inventory`` returns what was read of the store, to be kept as a snapshot.
    """

    def __init__(
        self,
        kit: Kit,
        history: History | None,
        labels: Mapping[int, str],
        picked: Callable[[Used], None],
        inventory: Callable[[], Inventory | None],
    ) -> None:
        self._history, self._labels, self._picked = history, labels, picked
        self._inventory = inventory
        self._selection = Selection()
        self._by, self._range, self._note = "status", "", Markup("")
        self._since: date | None = None
        self._until: date | None = None
        self._hidden: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
        self._seen: list[Any] = []
        self._counts: pd.DataFrame | None = None
        self._flows: dict[tuple[date | None, date | None], Flow] = {}
        self._figures: dict[str, Figure] = {}
        self._rest: int | None = None  # stands for the categories that have no line of their own
        self.top, self.view = kit.live(self._used), kit.live(self._used)
        self.widget = kit.column("pf-tab", self.top, self.view)

    def show(self, selection: Selection) -> None:
        """Draw the history for a selection; where there are other snapshots, all is read anew."""
        self._selection, seen = selection, list[Any]()
        if self._history is not None:
            snapshots = self._history.snapshots()
            seen = [*zip(snapshots["date"], snapshots["size"], strict=True)]
        if seen != self._seen or not seen:
            self._seen, self._counts = seen, None
            self._flows.clear()
        self._draw()

    def _draw(self) -> None:
        self.top.markup = draw(
            "history",
            lines=BY,
            by=self._by,
            ranges=RANGES,
            range=self._range,
            since=self._since,
            until=self._until,
            folder="" if self._history is None else str(self._history.folder),
        )
        try:
            self.view.markup = self._note + self._drawn(self._history)
        except PetstoreError as problem:
            why = [problem.sentence]
            self.view.markup = self._note + PAGE.warning("No history to show yet", why)

    def _used(self, used: Used) -> None:
        figure, value = used.get("figure", ""), used.get("value", "")
        self._note = Markup("")
        if "save" in used:
            self.view.download_figure(self._figures[figure], used["save"])
            return
        if "toggle" in used:
            self._hidden[figure] ^= {used["toggle"]}
        elif "by" in used:
            self._by = value
        elif "range" in used:
            self._range, self._since, self._until = value, None, None
            if value and self._seen:
                self._since = self._seen[-1][0].date() - timedelta(days=int(value) - 1)
        elif "day" in used:
            day = date.fromisoformat(value) if value else None
            if used["day"] == "from":
                self._since = day
            else:
                self._until = day
        elif "folder" in used:
            self._history = open_history(str(Path(value).expanduser()) if value.strip() else None)
        elif "way" in used:
            self._note = self._keep()
        elif used.get("category") != str(self._rest):
            self._picked(used)
            return
        self.show(self._selection)

    def _keep(self) -> Markup:
        inventory = self._inventory()
        if self._history is None:
            return PAGE.warning("Name the folder for the snapshots first")
        if inventory is None:
            return PAGE.warning("The store was not read yet; refresh, then try again")
        try:
            kept = self._history.add(inventory)
        except PetstoreError as problem:
            return failure("The snapshot was not kept", problem)
        words = f"{count_text(kept.rows, 'pet')} of {kept.date}, in {self._history.folder}"
        return PAGE.success("Kept", [words])

    def _drawn(self, history: History | None) -> Markup:
        if history is None:
            return PAGE.warning("No history yet", ["Name a folder above, and keep a snapshot."])
        flow = self._flow(history, self._since)
        # How long a pet has been there is asked of all days, whichever are shown.
        ageing = self._flow(history, None).ageing
        chosen = self._selection.categories
        if chosen:
            ageing = ageing[ageing["category_id"].isin(list(chosen))]
        figures = (
            trend_figure(*self._counted(history), hidden=self._hidden["pets-over-time"]),
            moves_figure(flow.moves, hidden=self._hidden["new-sold-gone"]),
            ageing_figure(ageing),
        )
        self._figures = {figure.name: figure for figure in figures}
        trend, moves, ages = map(chart, figures)
        return draw(
            "history_drawn",
            selection=self._selection,
            trend=trend,
            moves=moves,
            ages=ages,
            change=_last_change(history),
        )

    def _flow(self, history: History, since: date | None) -> Flow:
        days = since, self._until
        if days not in self._flows:
            self._flows[days] = history.flow(period="week", since=since, until=self._until)
        return self._flows[days]

    def _counted(self, history: History) -> tuple[pd.DataFrame, Mapping[int, str]]:
        """Return counts by day and line, of what is chosen, with the names of categories."""
        import pandas as pd

        if self._counts is None:
            self._counts = history.trend(by=["category_id", "status"])
        trend, now, labels = self._counts, self._selection, self._labels
        if self._since is not None:
            trend = trend[trend["date"] >= pd.Timestamp(self._since)]
        if self._until is not None:
            trend = trend[trend["date"] <= pd.Timestamp(self._until)]
        if now.status is not None:
            trend = trend[trend["status"] == now.status]
        if now.categories:
            trend = trend[trend["category_id"].isin(list(now.categories))]
        self._rest = None
        if self._by == "category_id":
            sizes = trend.groupby("category_id")["pets"].max()
            largest = sizes.sort_values(ascending=False, kind="stable").index[: LINES_SHOWN - 1]
            if len(sizes) > LINES_SHOWN:  # the others are one line, of a number that none has
                self._rest = int(sizes.index.min()) - 1
                lines = trend["category_id"].where(trend["category_id"].isin(largest), self._rest)
                trend = trend.assign(category_id=lines)
                others = f"{len(sizes) - len(largest)} other categories"
                labels = {**labels, self._rest: others}
        return _added_up(trend, self._by), labels


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
        return PAGE.warning("Nothing to compare yet", [problem.sentence])
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
