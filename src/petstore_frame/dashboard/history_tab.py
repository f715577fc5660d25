"""The part of the dashboard that shows how the store changed: trend, moves, ages, sell-through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.bars import sell_through_figure
from petstore_frame.charts.columns import ageing_figure, moves_figure
from petstore_frame.charts.svg import Figure, element
from petstore_frame.charts.trend import LINES_SHOWN, trend_figure
from petstore_frame.counts.tally import short
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.model import Selection
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History, open_history
from petstore_frame.html import PAGE, Markup
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.loader.call import FORM
from petstore_frame.schema.text import pets_text

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff, Flow

BY = {"status": "by status", "category_id": "by category"}
RANGES = {"": "all days", "7": "last 7 days", "30": "last 30 days", "90": "last 90 days"}


class HistoryTab:
    """Trend, moves, ages and sell-through of a history; ``picked`` gets what was clicked.

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
        self._hidden: dict[str, frozenset[str]] = {}
        self._seen: list[Any] = []
        self._counts: pd.DataFrame | None = None
        self._flows: dict[tuple[date | None, date | None], Flow] = {}
        self._figures: dict[str, Figure] = {}
        self._rest: int | None = None  # stands for the categories that have no line of their own
        self.top, self.view = kit.live(self._used), kit.live(self._used)
        self.widget = kit.column("pf-tab", self.top, self.view)

    def show(self, selection: Selection) -> None:
        """Draw the history for a selection, read anew where there are other snapshots."""
        self._selection = selection
        self._read()
        self._draw()

    def _read(self) -> None:
        """Find out which snapshots there are; of others, all is counted anew."""
        seen = []
        if self._history is not None:
            snapshots = self._history.snapshots()
            seen = [*zip(snapshots["date"], snapshots["size"], strict=True)]
        if seen != self._seen or not seen:
            self._seen, self._counts = seen, None
            self._flows.clear()

    def _draw(self) -> None:
        """Draw what is chosen."""
        self.top.markup = self._controls()
        try:
            self.view.markup = self._note + self._drawn(self._history)
        except PetstoreError as problem:
            why = [problem.phrased_by(FORM)]
            self.view.markup = self._note + parts.warning("No history to show yet", why)

    def _controls(self) -> Markup:
        folder = "" if self._history is None else str(self._history.folder)
        days = (
            element("label", f"{name} ", element(
                "input", type="date", value=day or "", aria_label=name, data_day=name,
            ))
            for name, day in (("from", self._since), ("to", self._until))
        )  # fmt: skip
        shown = [
            parts.choice("Lines", BY, self._by, data_by=""),
            parts.choice("Days", RANGES, self._range, data_range=""),
            *days,
            parts.box("Snapshots in", folder, "a folder", data_folder=""),
            parts.step("keep", "Keep a snapshot", "of the pets as they were read last"),
        ]
        return parts.row(*shown)

    def _used(self, used: Used) -> None:
        figure, value = used.get("figure", ""), used.get("value", "")
        self._note = Markup("")
        if "save" in used:
            parts.send_figure(self.view, self._figures[figure], used["save"])
        elif "toggle" in used:
            self._hidden[figure] = self._off(figure) ^ {used["toggle"]}
            self._draw()
        elif "by" in used:
            self._by = value
            self._draw()
        elif "range" in used:
            self._choose_range(value)
        elif "day" in used:
            day = date.fromisoformat(value) if value else None
            if used["day"] == "from":
                self._since = day
            else:
                self._until = day
            self._draw()
        elif "folder" in used:
            self._history = open_history(str(Path(value).expanduser()) if value.strip() else None)
            self.show(self._selection)
        elif "way" in used:
            self._keep()
        elif used.get("category") != str(self._rest):
            self._picked(used)

    def _choose_range(self, days: str) -> None:
        last = self._seen[-1][0].date() if self._seen else None
        self._range, self._since, self._until = days, None, None
        if days and last is not None:
            self._since = last - timedelta(days=int(days) - 1)
        self._draw()

    def _keep(self) -> None:
        """Keep what was read of the store last as the snapshot of its day."""
        inventory = self._inventory()
        if self._history is None:
            self._note = parts.warning("Name the folder for the snapshots first")
        elif inventory is None:
            self._note = parts.warning("The store was not read yet; refresh, then try again")
        else:
            try:
                kept = self._history.add(inventory)
            except PetstoreError as problem:
                self._note = parts.failure("The snapshot was not kept", problem)
            else:
                words = f"{pets_text(kept.rows)} of {kept.date}, in {self._history.folder}"
                self._note = parts.success("Kept", [words])
        self.show(self._selection)

    def _drawn(self, history: History | None) -> Markup:
        if history is None:
            return parts.warning("No history yet", ["Name a folder above, and keep a snapshot."])
        flow = self._flow(history, self._since, self._until)
        # How long a pet has been there is asked of all days, whichever are shown.
        ageing, sold = self._flow(history, None, self._until).ageing, flow.sell_through
        chosen = self._selection.categories
        if chosen:
            ageing = ageing[ageing["category_id"].isin(list(chosen))]
            sold = sold[sold["category_id"].isin(list(chosen))]
        figures = (
            trend_figure(*self._counted(history), hidden=self._off("pets-over-time")),
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
            "What changed between the last two snapshots", last_change(history),
        )  # fmt: skip
        return self._scope() + parts.titled("Pets over time", trend) + beside

    def _flow(self, history: History, since: date | None, until: date | None) -> Flow:
        if (since, until) not in self._flows:
            flow = history.flow(period="week", since=since, until=until)
            self._flows[since, until] = flow
        return self._flows[since, until]

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
            trend, self._rest, others = rest_together(trend)
            if self._rest is not None:
                labels = {**labels, self._rest: f"{others} other categories"}
        return added_up(trend, self._by), labels

    def _scope(self) -> Markup:
        """Say which filters the drawings follow."""
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


def rest_together(trend: pd.DataFrame) -> tuple[pd.DataFrame, int | None, int]:
    """Make one of the categories that are not among the largest that a drawing has lines for.

    Returns:
        The trend; the number that stands for the rest, which no category has, or None where all
        are drawn; and how many the rest are.
    """
    sizes = trend.groupby("category_id")["pets"].max().sort_values(ascending=False, kind="stable")
    if len(sizes) <= LINES_SHOWN:
        return trend, None, 0
    largest, rest = sizes.index[: LINES_SHOWN - 1], int(sizes.index.min()) - 1
    together = trend["category_id"].where(trend["category_id"].isin(largest), rest)
    return trend.assign(category_id=together), rest, len(sizes) - len(largest)


def added_up(trend: pd.DataFrame, by: str) -> pd.DataFrame:
    """Add counts of categories and statuses up to one line for each value of ``by``.

    A sum is exact where all of its parts are, and missing where any of them is.
    """
    import pandas as pd

    groups = trend.groupby(["date", by], sort=False, observed=True)
    pets = groups["pets"].agg(lambda counts: counts.sum(skipna=False))
    words = groups["count_is"].agg(lambda all_: all_.iloc[0] if all_.nunique() == 1 else "at least")
    return pd.DataFrame({"pets": pets.astype("Int64"), "count_is": words}).reset_index()


def last_change(history: History) -> Markup:
    """Draw what changed between the last two snapshots."""
    try:
        diff = history.diff()
    except PetstoreError as problem:
        return parts.warning("Nothing to compare yet", [problem.phrased_by(FORM)])
    return element("p", str(diff)) + moves_table(diff)


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
