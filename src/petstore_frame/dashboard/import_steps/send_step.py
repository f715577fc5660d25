"""Step 5: sends the file, and shows the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import ipywidgets as widgets

from petstore_frame.dashboard.import_steps.check_step import cards_markup
from petstore_frame.dashboard.page import background as jobs
from petstore_frame.dashboard.page.live_html import LARGEST_MESSAGE
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.time_left import TimeLeft
from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.dashboard.state.check_questions import open_rows, open_texts
from petstore_frame.dashboard.state.import_state import ImportState
from petstore_frame.loader import ImportSummary, State
from petstore_frame.rendering import PAGE, element
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.tabs.import_tab import ImportTab

CAREFUL = "Pets can’t be changed or deleted afterward."
SEND_REST = "Not finished: send the remaining animals with the button above."
UPLOAD_FIX = "Correct fix.csv and upload it here, or import another file."


class SendStep:
    """The button that sends the file, and the results.

    Attributes:
        send, stop: The buttons that send the file, and stop sending.
        files: The buttons that download the result files, by name.
        upload_fix: Uploads a corrected fix file.
        save_settings: The button that downloads the answers of this file as a recipe.
        next_file: The button that clears the tab for another file.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._factory, self._tab = factory, tab
        self.step = Step(factory, 5, "Send", "Add the animals to the store.", tab.toggle)
        self.area = tab.background.add_area(factory)
        self.stop = self.area.stop
        self.send = factory.button(
            "Add pets", partial(tab.start, "Sending …", tab.send_file, self.area)
        )
        self.send.button_style = "primary"
        self._waits_for = factory.html()
        self._send_row = factory.row(
            self.send, factory.html(element("span", CAREFUL, class_="pf-faint"))
        )
        self._result = factory.html()
        self.files: dict[str, widgets.Button] = {}
        self._files = factory.row()
        self.upload_fix = factory.upload(
            "Upload the corrected fix.csv", ".csv,.xlsx", tab.keep_upload
        )
        self.save_settings = factory.button(
            "Save these settings", tab.save_settings, "a recipe for Python, or for a colleague"
        )
        self.next_file = factory.button("Import another file", tab.clear)
        self._after = factory.row(self.upload_fix, self.save_settings, self.next_file)
        self.step.body.children = [
            self._send_row,
            self._waits_for,
            self.area.widget,
            self._result,
            self._files,
            self._after,
        ]

    def render(self, state: ImportState) -> None:
        is_sent = state.result is not None
        is_ready = not state.open_steps and (state.is_checked or state.question is not None)
        is_current = is_ready or is_sent or self._tab.background.is_sending
        note = ""
        if is_sent:
            has_fix = "fix.csv" in self.files
            note = UPLOAD_FIX if has_fix else "Download the results, or import another file."
            if state.dry_run is not None and state.dry_run.facts.pending:
                note = SEND_REST
        self.step.render(Progress.CURRENT if is_current else Progress.WAITING, note=note)
        count = state.pets_to_send
        self.send.description = f"Add {count_text(count, 'pet')}" if count else "Add pets"
        is_busy = self._tab.background.is_busy
        self.send.disabled = is_busy or is_sent or bool(state.open_steps) or not count
        set_visible(self._send_row, not is_sent)
        waits = "" if is_sent else _waits_for(state)
        self._waits_for.value = element("span", waits, class_="pf-faint") if waits else ""
        set_visible(self._files, is_sent)
        set_visible(self._after, is_sent)
        if not is_sent:
            self._result.value = ""

    def show_result(self, facts: ImportSummary, paths: list[Path]) -> None:
        """Show the result of the import, and its files."""
        for button in self.files.values():
            self._factory.remove(button)
        download = self._tab.choose_file.drop.download_file
        self.files = {
            path.name: self._factory.button(
                f"Download {path.name}", partial(download, path), f"saved in {path.parent}"
            )
            for path in paths
            if _is_offered(path, facts)
        }
        self._files.children = [*self.files.values()]
        set_visible(self.upload_fix, "fix.csv" in self.files)
        self.show_cards(facts)

    def show_cards(self, facts: ImportSummary) -> None:
        """Show the number of rows in each state."""
        cards = cards_markup(facts.groups, {}, animals=facts.animals, is_sent=True)
        self._result.value = cards + PAGE.items(open_texts(facts))


def _waits_for(state: ImportState) -> str:
    """Return why nothing can be sent yet; empty if something can."""
    if state.open_steps:
        return f"Waiting for: {', '.join(state.open_steps)}."
    if state.question is not None:
        return "Waiting for: Check."
    dry_run = state.dry_run
    if dry_run is None or not state.is_checked or state.pets_to_send:
        return ""
    is_undecided = dry_run.facts.is_held or open_rows(state)
    return "Waiting for: Check." if is_undecided else "There is nothing to add."


def _is_offered(path: Path, facts: ImportSummary) -> bool:
    """Return whether a result file has rows and is small enough to download."""
    rows_of_file = {
        "fix.csv": facts.to_fix,
        "unconfirmed.csv": facts.unconfirmed,
        "possible_duplicates.csv": facts.counts[State.POSSIBLE_DUPLICATE],
    }
    rows = rows_of_file.get(path.name, len(facts))
    return rows > 0 and path.suffix != ".json" and path.stat().st_size <= LARGEST_MESSAGE


def send_progress(
    background: jobs.Background, total: int, *, clock: Callable[[], float] = time.monotonic
) -> Callable[[Mapping[State, int]], None]:
    """Return a function that shows the progress of sending ``total`` pets, or stops it."""
    changed_at, time_left = clock(), TimeLeft(total, clock)
    last_counts: Mapping[State, int] = {}

    def report(counts: Mapping[State, int]) -> None:
        nonlocal changed_at, last_counts
        now = clock()
        if counts != last_counts:
            changed_at, last_counts = now, dict(counts)
        waiting = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
        done = max(0, total - waiting)
        text, rest = f"{done:,} of {total:,}", time_left.text(done)
        if now - changed_at >= jobs.SILENT_AFTER_S:
            rest = f" · {jobs.silence_text(now - changed_at)}"
        background.report(text + rest, done / max(total, 1))

    return report
