"""The History tab: pets over time, weekly arrivals and departures, ages, and the last change."""

from __future__ import annotations

from pathlib import Path

from petstore_frame.charts import ageing_chart, moves_chart, trend_chart
from petstore_frame.dashboard.page.live_html import Handler
from petstore_frame.dashboard.page.widgets import WidgetFactory, section
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.errors import PetstoreError
from petstore_frame.history import History, open_history
from petstore_frame.rendering import PAGE, Markup, element
from petstore_frame.schema import count_text
from petstore_frame.tables import Labels

BY = [("status", "status"), ("category", "category_id")]
EMPTY = "There are no snapshots in this folder yet. Press “Keep a snapshot” to save the first one."
NO_FOLDER = "Choose a folder for snapshots first, then press “Keep a snapshot”."


class HistoryTab:
    """Charts of the snapshots in a folder.

    Attributes:
        widget: The whole tab.
        by, folder: The field to group the lines by, and the folder of snapshots.
        keep: The button that saves the last reading as a snapshot.
        history: The History of the folder, or None.
    """

    def __init__(
        self,
        factory: WidgetFactory,
        store: StoreState,
        history: History | None,
        on_use: Handler,
    ) -> None:
        self._store, self.history = store, history
        path = "" if history is None else str(Path(history.folder).absolute())
        self.by = factory.dropdown("Show by", BY, lambda _: self.update_view())
        self.folder = factory.text(
            "Folder for snapshots", "for example: history", self._open, css="pf-wide", value=path
        )
        self.keep = factory.button("Keep a snapshot", self._keep, "saves the last reading")
        self.notice, self.figures = factory.html(), factory.live_html(on_use)
        self.widget = factory.column(
            factory.row(self.folder, self.keep),
            factory.message,
            self.notice,
            factory.row(self.by),
            self.figures,
        )

    def update_view(self) -> None:
        """Show the charts."""
        text = NO_FOLDER
        try:
            if self.history is not None and len(self.history.snapshots()):
                self.figures.markup = self._charts(self.history)
                return
            if self.history is not None:
                text = EMPTY
        except PetstoreError as problem:
            text = str(problem)
        self.figures.markup = PAGE.empty(text)

    def _open(self, folder: str) -> None:
        """Open a folder; a relative path starts at the working directory of the command."""
        self.notice.value = ""
        text = folder.strip()
        self.history = None
        if text:
            path = (self._store.folder / Path(text).expanduser()).absolute()
            self.history = open_history(str(path))
            self.folder.value = str(path)
        self.update_view()

    def _keep(self) -> None:
        inventory = self._store.inventory
        if self.history is None:
            raise PetstoreError(NO_FOLDER)
        if inventory is None:
            raise PetstoreError("the store has not been read yet; press Refresh")
        snapshot = self.history.add(inventory)
        folder = Path(self.history.folder).absolute()
        text = f"{count_text(snapshot.rows, 'pet')} of {snapshot.date} in {folder}"
        self.notice.value = PAGE.success("Snapshot saved", [text])
        self.update_view()

    def _charts(self, history: History) -> Markup:
        labels, figures = Labels(self._store.category_names()), self.figures
        trend, flow = history.trend(by=self.by.value), history.flow()
        moves = section(
            "New, sold and gone, by week", figures.with_save_buttons(moves_chart(flow.moves))
        )
        ages = section(
            "Days that pets have been available",
            figures.with_save_buttons(ageing_chart(flow.ageing)),
        )
        trend_drawing = figures.with_save_buttons(trend_chart(trend, categories=labels))
        markup = section("Pets over time", trend_drawing)
        markup += element("div", moves + ages, class_="pf-two")
        if len(history.snapshots()) > 1:
            markup += section("The last two snapshots", element("p", str(history.diff())))
        return markup
