"""Step 4: shows what sending would do, and asks for the decisions that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from petstore_frame.dashboard.check_questions import open_rows, questions
from petstore_frame.dashboard.form import Table
from petstore_frame.dashboard.import_state import ImportState
from petstore_frame.dashboard.row_cards import cards_markup, cards_text
from petstore_frame.dashboard.step_frame import Progress, Step
from petstore_frame.dashboard.widgets import WidgetFactory
from petstore_frame.loader import RowGroup
from petstore_frame.rendering import PAGE
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_tab import ImportTab

MAX_ROWS = 50
TITLES = {
    "duplicate": "Possible duplicates, line by line",
    "cell": "Cells to correct",
}


class CheckStep:
    """The numbers of rows that sending would add or skip, and the decisions that change them.

    Attributes:
        form: The decisions: ``form["duplicates"]``, ``form["keep"]``, ``form["as_new"]``,
            ``form["allow", "total_row"]``, and ``form["cell", 3, "Name"]`` for a cell of row 3.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._tab = tab
        hint = "See what will be added."
        self.step = Step(factory, 4, "Check", hint, tab.toggle)
        self.area = tab.background.add_area(factory)
        self._cards, self._warnings = factory.html(), factory.html()
        self.form = factory.form(tab.answer)
        self._note = factory.html()
        self.step.body.children = [self._cards, self._warnings, self.form, self._note]
        self.step.widget.children = [*self.step.widget.children, self.area.widget]

    def render(self, state: ImportState) -> None:
        if state.open_steps or state.preview is None:
            self.step.render(Progress.WAITING)
            self.form.ask([])
            return
        dry_run = state.dry_run
        is_done = state.result is not None or self._tab.background.is_sending
        progress = Progress.DONE if is_done else Progress.CURRENT
        if dry_run is None:
            self.step.render(progress, is_opened=state.opened == 4, note=_note(state))
            if state.refused is not None:
                self._cards.value = self._warnings.value = self._note.value = ""
                self.form.ask(_tables(state))
            return  # the questions stay until the next dry run has ended
        facts = dry_run.facts
        summary, note = cards_text(facts.groups), _note(state)
        self.step.render(progress, summary, is_opened=state.opened == 4, note=note)
        notes = {}
        if state.corrections:
            notes[RowGroup.TO_SEND] = f"{count_text(len(state.corrections), 'cell')} corrected here"
        self._cards.value = cards_markup(facts.groups, notes, animals=facts.animals)
        warnings = dry_run.result.warnings
        self._warnings.value = PAGE.items(warnings) if warnings else ""
        self.form.ask(_tables(state))
        more = len(dry_run.to_fix) >= MAX_ROWS
        text = f"These are the first {MAX_ROWS}. After sending, fix.csv has all rows."
        self._note.value = PAGE.quiet([text]) if more else ""


def _tables(state: ImportState) -> Iterator[Table]:
    asked = questions(state)
    kinds = [name[0] if isinstance(name := question.name, tuple) else "" for question in asked]
    for kind in dict.fromkeys(kinds):
        of_kind = [q for q, of_question in zip(asked, kinds, strict=True) if of_question == kind]
        yield Table(TITLES.get(str(kind), ""), of_kind, is_folded=kind == "duplicate")


def _note(state: ImportState) -> str:
    if state.question is not None:
        return "One question needs your answer."
    if state.dry_run is None:
        return ""
    rows, waiting = len(state.dry_run.facts), open_rows(state)
    if waiting:
        verb = "needs" if waiting == 1 else "need"
        return f"{count_text(rows, 'row')}; {waiting:,} {verb} a decision or a correction."
    return f"{count_text(rows, 'row')}; nothing needs a decision."
