"""The part of the dashboard that shows how the store changed: trend, moves, ages, sell-through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.charts.bars import sell_through_figure
from petstore_frame.charts.columns import ageing_figure, moves_figure
from petstore_frame.charts.svg import Figure, element
from petstore_frame.charts.trend import trend_figure
from petstore_frame.counts.tally import short
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, Live, Meant
from petstore_frame.dashboard.model import Selection
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History
from petstore_frame.html import PAGE, Markup
from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff, Flow

BY = {"by status": "status", "by category": "category_id"}
RANGES = {"all days": None, "last 7 days": 7, "last 30 days": 30, "last 90 days": 90}


class HistoryTab:
    """Trend, moves, ages and sell-through of a history; ``picked`` is told what was clicked."""

    def __init__(
        self,
        kit: Kit,
        history: History,
        labels: Mapping[int, str],
        picked: Callable[[Meant], None],
    ) -> None:
        self._history, self._labels, self._picked = history, labels, picked
        self._selection = Selection()
        self._hidden: dict[str, frozenset[str]] = {}
        self._seen: list[Any] = []
        self._counts: pd.DataFrame | None = None
        self._flows: dict[tuple[date | None, date | None], Flow] = {}
        self._figures: dict[str, Figure] = {}
        self._is_drawing = False
        self.by = kit.make(widgets.Dropdown, options=BY, description="Lines")
        self.range = kit.make(widgets.Dropdown, options=[*RANGES], description="Days")
        self.since = kit.make(widgets.DatePicker, description="from")
        self.until = kit.make(widgets.DatePicker, description="to")
        self.view = kit.make(Live)
        self.view.meant = self._meant
        controls = kit.row(self.by, self.range, self.since, self.until)
        self.widget = kit.column(controls, self.view)
        for control in (self.by, self.since, self.until):
            control.observe(lambda _: None if self._is_drawing else self.draw(), "value")
        self.range.observe(self._range_chosen, "value")

    def show(self, selection: Selection) -> None:
        """Draw the history for a selection, read anew where there are other snapshots."""
        self._selection = selection
        snapshots = self._history.snapshots()
        seen = [*zip(snapshots["date"], snapshots["size"], strict=True)]
        if seen != self._seen or not seen:
            self._seen, self._counts = seen, None
            self._flows.clear()
            self.view.markup = parts.progress("Reading the history …")
        self.draw()

    def draw(self) -> None:
        """Draw what is chosen."""
        try:
            self.view.markup = self._drawn()
        except PetstoreError as problem:
            self.view.markup = parts.warning("No history to show yet", [str(problem)])

    def _meant(self, meant: Meant) -> None:
        figure = meant.get("figure", "")
        if "save" in meant:
            parts.send_figure(self.view, self._figures[figure], meant["save"])
        elif "toggle" in meant:
            self._hidden[figure] = self._off(figure) ^ {meant["toggle"]}
            self.draw()
        else:
            self._picked(meant)

    def _range_chosen(self, change: Any) -> None:
        days = RANGES[change.new]
        last = self._seen[-1][0].date() if self._seen else None
        self._is_drawing = True
        self.until.value = None
        self.since.value = None if days is None or last is None else last - timedelta(days=days - 1)
        self._is_drawing = False
        self.draw()

    def _drawn(self) -> Markup:
        flow = self._flow(self.since.value, self.until.value)
        ageing, sold = flow.ageing, flow.sell_through
        chosen = self._selection.categories
        if chosen:
            ageing = ageing[ageing["category_id"].isin(list(chosen))]
            sold = sold[sold["category_id"].isin(list(chosen))]
        figures = (
            trend_figure(self._counted(), self._labels, hidden=self._off("pets-over-time")),
            moves_figure(flow.moves, hidden=self._off("new-sold-gone")),
            ageing_figure(ageing),
            sell_through_figure(sold, self._labels),
        )
        self._figures = {figure.name: figure for figure in figures}
        trend, moves, ages, rates = map(parts.chart, figures)
        beside = parts.two(
            "New, sold and gone, by week", moves,
            "Days that pets have been available", ages,
            "Sold, of the pets on offer in these days", rates,
            "What changed between the last two snapshots", self._last_change(),
        )  # fmt: skip
        return self._note() + parts.titled("Pets over time", trend) + beside

    def _flow(self, since: date | None, until: date | None) -> Flow:
        if (since, until) not in self._flows:
            flow = self._history.flow(period="week", since=since, until=until)
            self._flows[since, until] = flow
        return self._flows[since, until]

    def _counted(self) -> pd.DataFrame:
        """Return counts by day and line, of the statuses and categories that are chosen."""
        import pandas as pd

        if self._counts is None:
            self._counts = self._history.trend(by=["category_id", "status"])
        trend, now = self._counts, self._selection
        if self.since.value is not None:
            trend = trend[trend["date"] >= pd.Timestamp(self.since.value)]
        if self.until.value is not None:
            trend = trend[trend["date"] <= pd.Timestamp(self.until.value)]
        if now.status is not None:
            trend = trend[trend["status"] == now.status]
        if now.categories:
            trend = trend[trend["category_id"].isin(list(now.categories))]
        return added_up(trend, self.by.value)

    def _last_change(self) -> Markup:
        try:
            diff = self._history.diff()
        except PetstoreError as problem:
            return parts.warning("Nothing to compare yet", [str(problem)])
        return element("p", str(diff)) + moves_table(diff)

    def _note(self) -> Markup:
        now = self._selection
        ignored = ["the name"] if now.text else []
        if now.status:
            ignored.append("the status")
        if not now.is_filtered:
            return Markup("")
        words = "Moves and changes are of all pets."
        if ignored:
            words += f" Ages and sell-through follow the category only, not {' or '.join(ignored)}."
        return element("p", words, class_="pf-faint")

    def _off(self, figure: str) -> frozenset[str]:
        return self._hidden.get(figure, frozenset())


def added_up(trend: pd.DataFrame, by: str) -> pd.DataFrame:
    """Add counts of categories and statuses up to one line for each value of ``by``.

    A sum is exact where all of its parts are, and missing where any of them is.
    """
    import pandas as pd

    groups = trend.groupby(["date", by], sort=False, observed=True)
    pets = groups["pets"].agg(lambda counts: counts.sum(skipna=False))
    words = groups["count_is"].agg(lambda all_: all_.iloc[0] if all_.nunique() == 1 else "at least")
    return pd.DataFrame({"pets": pets.astype("Int64"), "count_is": words}).reset_index()


def moves_table(diff: Diff) -> Markup:
    """Draw how many pets came, went or changed their status."""
    moves, caption = diff.moves, f"Pets that came, went or changed: {diff.total}"
    if moves.empty:
        return element("p", caption)
    columns = (moves[name] for name in ("kind", "was", "now", "pets"))
    rows = [
        [
            kind,
            *(each if isinstance(each, str) else None for each in (was, now)),
            short(StatusCount(int(pets), diff.is_exact)),
        ]
        for kind, was, now, pets in zip(*columns, strict=True)
    ]
    return PAGE.table(rows, ("What", "Was", "Is now", "Pets"), numbers={3}, caption=caption)
