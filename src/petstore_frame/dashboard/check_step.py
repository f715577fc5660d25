"""Step 4: shows what sending would do, and asks for the decisions that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.dashboard.conflicting_rows import ConflictingRows
from petstore_frame.dashboard.duplicate_cases import DuplicateCases
from petstore_frame.dashboard.import_plan import Plan
from petstore_frame.dashboard.import_state import ImportState
from petstore_frame.dashboard.invalid_rows import grid_markup, undecided_rows
from petstore_frame.dashboard.row_cards import cards_markup, cards_text
from petstore_frame.dashboard.step_frame import Progress, Step
from petstore_frame.dashboard.widgets import (
    WidgetFactory,
    scrollable,
    set_visible,
)
from petstore_frame.loader import RowGroup, Suspicion
from petstore_frame.rendering import PAGE, Markup, element
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_tab import ImportTab

GRID_ROWS = 50
# Other decisions: load the same file again, resend, or send the valid rows among many invalid ones.
DECISIONS = ("as_new", "resend", "send_valid_rows")
_SUSPICIOUS = {
    Suspicion.TOTAL_ROW: "Import the totals rows as animals",
    Suspicion.UNLISTED_CATEGORY: "Import the rows whose category is not in the list",
    Suspicion.SWALLOWED_ROWS: "Import the rows with a cell that seems to contain other rows",
    Suspicion.HIDDEN_ROW: "Import the hidden rows",
    Suspicion.LARGE_QUANTITY: "Import the rows with a very large number of animals",
    Suspicion.WRAPPED_NAMES: "Import the names with their quotes and HTML entities",
}


class CheckStep:
    """The numbers of rows that sending would add or skip, and the decisions that change them.

    Attributes:
        keep: A list to choose which of several rows of an animal to use.
        cases: The two buttons of each case of the duplicate question, by case.
        decisions: A checkbox for each of ``DECISIONS``.
        allow: A checkbox for each kind of suspicious row.
        grid: The invalid rows; ``edit`` has the same effect as typing into a cell.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._factory, self._tab = factory, tab
        hint = "See what will be added, and make the decisions that are needed."
        self.step = Step(factory, 4, "Check", hint, tab.toggle)
        self.area = tab.background.add_area(factory)
        self._cards, self._warnings = factory.html(), factory.html()
        self._conflicts = ConflictingRows(factory, tab)
        self.keep = self._conflicts.keep
        self.question = DuplicateCases(factory, self._answer)
        self.allow: dict[str, widgets.Checkbox] = {}
        self._allow = factory.column()
        self._grid_title, self._grid_note = factory.html(), factory.html()
        self.grid = factory.live_html(self._use_grid)
        self.decisions = {name: factory.checkbox("", self._decide(name)) for name in DECISIONS}
        self._common_cause = factory.html()
        self.step.body.children = [
            self._cards,
            self._warnings,
            self.question.widget,
            self._conflicts.widget,
            factory.column(self._grid_title, self.grid, self._grid_note, self._allow),
            self._common_cause,
            *self.decisions.values(),
        ]
        self.step.widget.children = [*self.step.widget.children, self.area.widget]

    @property
    def cases(self) -> dict[str, widgets.ToggleButtons]:
        return self.question.controls

    def forget(self) -> None:
        """Remove the controls of the previous file."""
        self.question.forget()
        for box in self.allow.values():
            box.close()
        self.allow = {}

    def render(self, state: ImportState) -> None:
        plan = state.plan
        if not state.has_values or state.preview is None:
            self.step.render(Progress.WAITING)
            return
        is_done = state.result is not None or self._tab.background.is_sending
        note = "" if plan is None else _note(plan, state)
        progress = Progress.DONE if is_done else Progress.CURRENT
        summary = "" if plan is None else cards_text(plan.groups)
        self.step.render(progress, summary, is_opened=state.opened == 4, note=note)
        has_plan = plan is not None
        self._cards.value = self._cards_markup(state)
        lines = [] if plan is None else plan.warnings
        self._warnings.value = PAGE.items(lines) if lines else ""
        question = None if plan is None else plan.question
        self.question.render(question, state.answers, self._tab.memory.categories)
        self._conflicts.render(state)
        self._render_grid(state)
        self._render_allow(state)
        for name, text in self._decision_texts(state).items():
            box = self.decisions[name]
            box.value = bool(vars(state)[name])
            box.description = text or box.description
            set_visible(box, has_plan and (bool(text) or box.value))
        self._common_cause.value = ""
        if plan is not None and plan.is_blocked and not state.send_valid_rows:
            title = "Nothing is sent yet, because most rows have the same problem"
            self._common_cause.value = PAGE.warning(title, [plan.blocking_reason])

    def _cards_markup(self, state: ImportState) -> Markup:
        plan = state.plan
        if plan is None or plan.question is not None:
            return Markup("")
        corrected = len(state.corrected_lines)
        groups = dict(plan.groups)
        groups[RowGroup.TO_SEND] += corrected
        groups[RowGroup.NEED_FIXING] -= corrected
        return cards_markup(groups, _card_notes(plan, corrected), animals=plan.animals)

    def _answer(self, case: str, value: str | None) -> None:
        """Answer one case of the duplicate question; None removes the answer."""
        answers = {**self._tab.state.answers}
        answers.pop(case, None)
        if value is not None:
            answers[case] = value
        self._tab.state.answers = answers
        self._tab.check_again()

    # Invalid rows.

    def _render_grid(self, state: ImportState) -> None:
        plan = state.plan
        rows = [] if plan is None or plan.question is not None else undecided_rows(plan, state)
        title = f"{count_text(len(rows), 'row')} with a problem"
        self._grid_title.value = element("h4", title) if rows else ""
        self.grid.markup = scrollable(grid_markup(rows[:GRID_ROWS], state)) if rows else ""
        note = ""
        if rows:
            note = "Correct the marked cells here; rows that you do not correct go to fix.csv."
        if len(rows) > GRID_ROWS:
            note = (
                f"These are the first {GRID_ROWS}. All {len(rows):,} rows go to fix.csv, which you "
                "can download after sending, correct in a spreadsheet, and upload here."
            )
        self._grid_note.value = element("p", note, class_="pf-faint") if note else ""

    def _use_grid(self, used: Mapping[str, str]) -> None:
        if "edit" in used:
            self.edit(int(used["line"]), used["edit"], used.get("value", ""))

    def edit(self, line: int, column: str, text: str) -> None:
        """Change a cell of an invalid row; its original text removes the edit."""
        state = self._tab.state
        if state.plan is None:
            return
        row = next(row for row in state.plan.invalid if row.line == line)
        edits = {**state.edits.get(line, {}), column: text}
        state.edits[line] = {
            name: value for name, value in edits.items() if value != row.cells.get(name, "")
        }
        if not state.edits[line]:
            del state.edits[line]
        self._tab.check_edits()

    def _render_allow(self, state: ImportState) -> None:
        preview = state.preview
        suspicious = {} if preview is None or state.plan is None else preview.suspicious
        for kind, rows in suspicious.items():
            if kind not in self.allow:
                text = f"{_SUSPICIOUS[Suspicion(kind)]} ({rows:,})"
                self.allow[kind] = self._factory.checkbox(text, self._allow_kinds)
        for kind, box in self.allow.items():
            box.value = kind in state.recipe.allow
        self._allow.children = [*self.allow.values()]

    def _allow_kinds(self, _: bool) -> None:
        kinds = [kind for kind, box in self.allow.items() if box.value]
        self._tab.change_recipe(self._tab.state.recipe.replace(allow=kinds))

    # Other decisions.

    def _decision_texts(self, state: ImportState) -> dict[str, str]:
        """Return the text of each open decision, and an empty text for the others."""
        texts = dict.fromkeys(DECISIONS, "")
        plan = state.plan
        if plan is None or plan.question is not None:
            return texts
        if plan.loaded_rows and not state.pets_to_send:
            rows = f"{plan.loaded_rows:,}"
            texts["as_new"] = (
                f"Import this whole file again as new animals (adds {rows} duplicates)"
            )
        if plan.missing_pets:
            texts["resend"] = f"Send the {count_text(plan.missing_pets, 'missing animal')} again"
        if plan.is_blocked:
            texts["send_valid_rows"] = "Send the rows without problems anyway"
        return texts

    def _decide(self, name: str) -> Any:
        def decide(is_ticked: bool) -> None:
            setattr(self._tab.state, name, is_ticked)
            self._tab.check_again()

        return decide


def _note(plan: Plan, state: ImportState) -> str:
    rows = count_text(sum(plan.groups.values()), "row")
    undecided = sum(conflict.rows for conflict in plan.conflicts)
    undecided += len(undecided_rows(plan, state))
    if plan.question is not None:
        return f"{rows}. One question needs your answer."
    if undecided:
        return f"{rows}. {undecided:,} need a decision or a correction."
    return f"{rows}. Nothing needs a decision."


def _card_notes(plan: Plan, corrected: int) -> dict[RowGroup, str]:
    """Return the text under the number of each card."""
    notes = {}
    if plan.changed:
        notes[RowGroup.ALREADY_LOADED] = f"{plan.changed:,} changed since"
    if corrected:
        notes[RowGroup.TO_SEND] = f"{corrected:,} corrected here"
    if plan.missing_pets:
        notes[RowGroup.TO_SEND] = f"{plan.missing_pets:,} did not arrive before"
    return notes
