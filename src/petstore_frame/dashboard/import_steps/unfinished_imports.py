"""Shows interrupted imports, with a button for each possible next step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from petstore_frame.dashboard.import_steps.check_step import cards_text
from petstore_frame.dashboard.page.local_time import time_element
from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.loader import (
    ImportSummary,
    LoadResult,
    RowGroup,
    State,
    latest_results,
    place_of,
    view_of,
)
from petstore_frame.rendering import PAGE, Markup
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.tabs.import_tab import ImportTab

MAX_IMPORTS = 20
CHECKING = (
    "Checking only reads. A row counts as arrived if exactly one new pet matches it; the rest are "
    "listed for you."
)
_MAY_HAVE_ARRIVED = (State.IN_FLIGHT, State.UNCONFIRMED)


class UnfinishedImports:
    """The imports with rows that were not sent, are not confirmed, or did not arrive.

    Attributes:
        widget: The box with everything; hidden if there is nothing to do.
        send_rest, check, resend: The buttons for these three.
        results: The results of these imports.
        animals_to_send: The number of animals that were not sent; several rows may stand for one.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._tab = tab
        self.results: list[LoadResult] = []
        self.animals_to_send = 0
        self._facts: list[ImportSummary] = []
        self._list = factory.html()
        self.area = area = tab.background.add_area(factory)
        rest, missing = "Sending the remaining animals …", "Sending the missing animals …"
        looking = "Looking for them in the store …"
        start_checking = partial(tab.start, looking, tab.check_unconfirmed, area, is_sending=False)
        self.send_rest = factory.button("", partial(tab.start, rest, tab.send_rest, area))
        self.check = factory.button("", start_checking)
        self.resend = factory.button("", partial(tab.start, missing, tab.send_missing, area))
        for button in (self.send_rest, self.resend):
            button.button_style = "primary"
        buttons = factory.row(self.send_rest, self.check, self.resend)
        self._box = factory.column(self._list, buttons)
        self.widget = factory.column(self._box, factory.message, self.area.widget)
        set_visible(self._box, False)

    def read(self) -> None:
        """Read the unfinished imports from the journal."""
        self.results = read_unfinished(self._tab.store)
        self._facts = [view_of(result).facts for result in self.results]
        self.animals_to_send = sum(facts.pending for facts in self._facts)

    def render(self, *, is_busy: bool) -> None:
        waiting = self.animals_to_send
        missing = sum(facts.counts[State.NOT_FOUND] for facts in self._facts)
        unconfirmed = sum(facts.groups[RowGroup.UNCONFIRMED] for facts in self._facts)
        lines: list[str] = [_line(facts) for facts in self._facts]
        if unconfirmed:
            lines.append(CHECKING)
        title = "Import interrupted" if waiting or unconfirmed else "Some animals did not arrive"
        self._list.value = PAGE.warning(title, lines) if lines else Markup("")
        self.send_rest.description = f"Send the remaining {count_text(waiting, 'animal')}"
        self.check.description = f"Check whether {count_text(unconfirmed, 'row')} arrived"
        self.resend.description = f"Send the {count_text(missing, 'missing row')} again"
        set_visible(self.send_rest, waiting > 0)
        set_visible(self.check, unconfirmed > 0)
        set_visible(self.resend, missing > 0)
        set_visible(self._box, bool(self.results))
        self.send_rest.disabled = self.resend.disabled = is_busy
        self.check.disabled = is_busy


def read_unfinished(store: StoreState) -> list[LoadResult]:
    """Return the latest imports into a store that are unfinished."""
    path = place_of(store.journal, store.client.base_url)
    latest = latest_results(path, MAX_IMPORTS)
    return [result for result in latest if is_unfinished(result)]


def is_unfinished(result: LoadResult) -> bool:
    """Return whether rows of an import are left to send, not confirmed, or did not arrive."""
    counts = result.counts
    states = (State.PENDING, State.NOT_FOUND, *_MAY_HAVE_ARRIVED)
    return any(counts[state] > 0 for state in states)


def is_done(result: LoadResult) -> bool:
    """Return whether no row of an import needs anything."""
    needs_user = (State.INVALID, State.REJECTED, State.POSSIBLE_DUPLICATE)
    return not is_unfinished(result) and not any(result.counts[state] for state in needs_user)


def _line(facts: ImportSummary) -> Markup:
    """Return an import in one line, with the numbers of its cards."""
    staged_at = time_element(facts.run.staged_at)
    return Markup("{}, {}: {}").format(facts.run.source, staged_at, cards_text(facts.groups))
