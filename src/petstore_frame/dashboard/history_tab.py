"""The part of the dashboard that shows what changed between dates.

In: a History. Out: its trend as lines and its last difference as a table. It reads snapshots only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from petstore_frame.charts.timelines import trend_chart
from petstore_frame.counts.words import short
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History
from petstore_frame.html.markup import escape, isolated, page_table
from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    from petstore_frame.history import Diff


class HistoryTab:
    """The trend of the statuses, and the flow between the last two snapshots.

    Args:
        kit: Makes the widgets.
        history: A ``History``.
    """

    def __init__(self, kit: Kit, history: History) -> None:
        self._history = history
        self.trend, self.flow = kit.html(), kit.html()
        self.widget = kit.column(
            kit.html("<h3>Pets by status over time</h3>"),
            self.trend,
            kit.html("<h3>What changed between the last two snapshots</h3>"),
            self.flow,
            may_hide=True,
        )

    def show(self) -> None:
        """Read the history and draw it."""
        try:
            self.trend.value = trend_chart(self._history.trend()).html
        except PetstoreError as problem:
            self.trend.value = parts.warning("No trend yet", [str(problem)])
        try:
            diff = self._history.diff()
            self.flow.value = f"<p>{escape(diff)}</p>{moves_table(diff)}"
        except PetstoreError as problem:
            self.flow.value = parts.warning("Nothing to compare yet", [str(problem)])


def moves_table(diff: Diff) -> str:
    """Draw how many pets came, went or changed their status."""
    moves, caption = diff.moves, f"Pets that came, went or changed: {diff.total}"
    if moves.empty:
        return f"<p>{caption}</p>"
    columns = (moves[name] for name in ("kind", "was", "now", "pets"))
    rows = (
        (escape(kind), _word(was), _word(now), short(StatusCount(int(pets), diff.is_exact)))
        for kind, was, now, pets in zip(*columns, strict=True)
    )
    head = ("What", "Was", "Is now", "Pets")
    return page_table(rows, head, caption=caption, css_class="pf-narrow", numbers={3})


def _word(status: Any) -> str:
    return f"{isolated(status)}" if isinstance(status, str) else "–"
