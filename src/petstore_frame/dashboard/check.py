"""Step 4: what sending would do, and what needs a decision before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.import_plan import (
    ALWAYS_SHOWN,
    NEED_FIXING,
    TO_ADD,
    Conflict,
    Plan,
)
from petstore_frame.dashboard.import_state import ImportState
from petstore_frame.dashboard.invalid_rows import draw_grid, undecided_rows
from petstore_frame.dashboard.same_animals import CASES, case_markup, case_text
from petstore_frame.dashboard.step import Progress, Step
from petstore_frame.dashboard.widgets import (
    WidgetFactory,
    scrollable,
    set_options,
    set_visible,
)
from petstore_frame.loader import State
from petstore_frame.rendering import PAGE, Card, Markup, shorten
from petstore_frame.schema import FIELDS, count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_tab import ImportTab

GRID_ROWS, EXAMPLE_ROWS, LONGEST = 50, 5, 40
# The same file again, a resend, and valid rows among many invalid ones are decisions, too.
DECISIONS = ("as_new", "resend", "send_valid_rows")
CHOOSE, ORDERED = "choose …", "order_by: "
# A birthday says nothing about which row is newer.
_BIRTHDAY = re.compile(
    r"birth|born|\bdob\b|geburt|geboren|naissance|nacimiento|nascita|nascimento|geboorte|född|født",
    re.IGNORECASE,
)
_SUSPICIOUS = {
    "total_row": "Import the totals rows as animals",
    "unlisted_category": "Import the rows whose category is not in the list",
    "low_category_id": "Import the rows whose category number is 0 or below",
    "swallowed_rows": "Import the rows whose cell seems to hold other rows",
    "hidden_row": "Import the hidden rows",
    "large_count": "Import the rows that stand for very many animals",
}


class CheckStep:
    """What sending would do, in numbers, and the decisions that change it.

    Attributes:
        keep: Which of several rows of one animal counts.
        cases: A pair of buttons per case of the duplicate question, by case.
        decisions: A box to tick for each of ``DECISIONS``.
        allow: A box to tick for each kind of suspicious rows.
        grid: The invalid rows; ``edit`` does what typing into a cell does.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._factory, self._tab = factory, tab
        hint = "See what will be added, and decide what needs a decision."
        self.step = Step(factory, 4, "Check", hint, tab.toggle)
        self.area = tab.background.add_area(factory)
        self._cards, self._warnings = factory.html(), factory.html()
        self.keep = factory.dropdown("Several rows for one animal: use", [(CHOOSE, "")], self._keep)
        self._conflicts = factory.html()
        self._keep_row = factory.row(self.keep)
        self._question = factory.html()
        self.cases: dict[str, widgets.ToggleButtons] = {}
        self._case_texts: dict[str, str] = {}
        self._cases = factory.column()
        self.allow: dict[str, widgets.Checkbox] = {}
        self._allow = factory.column()
        self._grid_title, self._grid_note = factory.html(), factory.html()
        self.grid = factory.live_html(self._use_grid)
        self.decisions = {name: factory.checkbox("", self._decide(name)) for name in DECISIONS}
        self._held = factory.html()
        self.step.body.children = [
            self._cards,
            self._warnings,
            self._question,
            self._cases,
            factory.column(self._conflicts, self._keep_row),
            factory.column(self._grid_title, self.grid, self._grid_note, self._allow),
            self._held,
            *self.decisions.values(),
        ]
        self.step.widget.children = [*self.step.widget.children, self.area.widget]

    def forget(self) -> None:
        """Remove the controls of the last file."""
        for control in [*self.cases.values(), *self.allow.values()]:
            control.close()
        self.cases, self.allow = {}, {}

    def render(self, state: ImportState) -> None:
        plan = state.plan
        if not state.has_values or state.preview is None:
            self.step.render(Progress.WAITING)
            return
        is_done = state.result is not None
        note = "" if plan is None else _note(plan, state)
        progress = Progress.DONE if is_done else Progress.CURRENT
        summary = "" if plan is None else _card_summary(plan)
        self.step.render(progress, summary, is_opened=state.opened == 4, note=note)
        has_plan = plan is not None
        self._cards.value = self._drawn_cards(state)
        lines = [] if plan is None else plan.warnings
        self._warnings.value = PAGE.items(lines) if lines else ""
        self._render_question(state)
        self._render_conflicts(state)
        self._render_grid(state)
        self._render_allow(state)
        for name, text in self._decision_texts(state).items():
            box = self.decisions[name]
            box.value = bool(vars(state)[name])
            box.description = text or box.description
            set_visible(box, has_plan and (bool(text) or box.value))
        held = plan is not None and plan.is_held and not state.send_valid_rows
        self._held.value = (
            PAGE.warning(
                "Nothing is sent yet, as most rows have the same problem", [plan.held_reason]
            )
            if held and plan is not None
            else ""
        )

    def _drawn_cards(self, state: ImportState) -> Markup:
        plan = state.plan
        if plan is None or plan.question is not None:
            return Markup("")
        cards = dict(plan.cards)
        corrected = len(state.corrected_lines)
        cards[TO_ADD] += corrected
        cards[NEED_FIXING] -= corrected
        return PAGE.cards(
            Card(name, f"{rows:,}", _under(name, plan, corrected))
            for name, rows in cards.items()
            if rows or name in ALWAYS_SHOWN
        )

    # Which animals the rows are.

    def _render_question(self, state: ImportState) -> None:
        question = None if state.plan is None else state.plan.question
        asked = () if question is None else question.cases
        markup = Markup("")
        open_names = {case.name for case in asked}
        for name in self.cases.keys() - open_names:
            markup += PAGE.quiet([self._case_texts[name]])
        for case in asked:
            if case.name not in self.cases:
                self.cases[case.name] = self._factory.control(
                    widgets.ToggleButtons, "", self._answer(case.name), options=[], value=None
                )
            self._case_texts[case.name] = case_text(case)
            markup += case_markup(case, self._tab.memory.categories)
        self._question.value = markup
        for name, control in self.cases.items():
            if question is not None and name in open_names:
                _, same, different = CASES[name]
                skip = question.if_skip.get(State.PENDING, 0)
                create = question.if_create.get(State.PENDING, 0)
                control.options = [
                    (f"{same}, add {skip:,}", "skip"),
                    (f"{different}, add {create:,}", "create"),
                ]
            control.value = state.answers.get(name)
        self._cases.children = [*self.cases.values()]

    def _answer(self, case: str) -> Any:
        def answer(word: str | None) -> None:
            answers = {name: said for name, said in self._tab.state.answers.items() if name != case}
            if word is not None:
                answers[case] = word
            self._tab.state.answers = answers
            self._tab.check_again()

        return answer

    # Several rows for one animal.

    def _render_conflicts(self, state: ImportState) -> None:
        plan, preview = state.plan, state.preview
        conflicts = [] if plan is None else plan.conflicts
        markup = Markup("")
        for conflict in conflicts:
            markup += self._conflict_markup(conflict, state)
        self._conflicts.value = markup
        needs_rule = any(conflict.needs_rule for conflict in conflicts)
        set_visible(self._keep_row, needs_rule or state.recipe.keep is not None)
        if preview is None:
            return
        dates = [column for column in preview.dates if column.strip() and not is_birthday(column)]
        options = [
            (CHOOSE, ""),
            *(
                (f"the last by {shorten(column, LONGEST)}", f"{ORDERED}{column}")
                for column in dates
            ),
            ("the last in the file", "last"),
            ("the first in the file", "first"),
        ]
        value: str = state.recipe.keep or ""
        if state.recipe.order_by is not None:
            value = f"{ORDERED}{state.recipe.order_by}"
        set_options(self.keep, options, value)

    def _conflict_markup(self, conflict: Conflict, state: ImportState) -> Markup:
        animals, rows = count_text(conflict.animals, "animal"), count_text(conflict.rows, "row")
        verb = "has" if conflict.animals == 1 else "have"
        title = element("h4", f"{animals} {verb} several rows that disagree ({rows})")
        columns = _example_columns(conflict, state)
        table = [
            [
                str(row.line),
                *(
                    _marked(row.cells.get(column, ""), column in conflict.columns)
                    for column in columns
                ),
            ]
            for row in conflict.example[:EXAMPLE_ROWS]
        ]
        markup = title + scrollable(PAGE.table(table, ["Line", *columns], caption="For example"))
        if not conflict.needs_rule:
            markup += PAGE.quiet(
                [
                    conflict.hint,
                    "These rows are not sent; correct the file, or fix.csv after sending.",
                ]
            )
        return markup

    def _keep(self, value: str) -> None:
        recipe = self._tab.state.recipe
        order_by = value.removeprefix(ORDERED) if value.startswith(ORDERED) else None
        keep = "last" if order_by is not None else value or None
        self._tab.change_recipe(recipe.replace(keep=keep, order_by=order_by))

    # Invalid rows.

    def _render_grid(self, state: ImportState) -> None:
        plan = state.plan
        rows = [] if plan is None or plan.question is not None else undecided_rows(plan, state)
        title = f"{count_text(len(rows), 'row')} with a problem"
        self._grid_title.value = element("h4", title) if rows else ""
        self.grid.markup = scrollable(draw_grid(rows[:GRID_ROWS], state)) if rows else ""
        note = ""
        if rows:
            note = "Correct the marked cells here; rows that you leave as they are go to fix.csv."
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
        """Type into a cell of an invalid row; its own text takes the edit back."""
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
                text = f"{_SUSPICIOUS.get(kind, kind)} ({rows:,})"
                self.allow[kind] = self._factory.checkbox(text, self._allow_kinds)
        for kind, box in self.allow.items():
            box.value = kind in state.recipe.allow
        self._allow.children = [*self.allow.values()]

    def _allow_kinds(self, _: bool) -> None:
        kinds = [kind for kind, box in self.allow.items() if box.value]
        self._tab.change_recipe(self._tab.state.recipe.replace(allow=kinds))

    # Other decisions.

    def _decision_texts(self, state: ImportState) -> dict[str, str]:
        """Return the text of each decision that there is to make, empty for the others."""
        texts = dict.fromkeys(DECISIONS, "")
        plan = state.plan
        if plan is None or plan.question is not None:
            return texts
        if plan.loaded_rows and not state.rows_to_send:
            rows = f"{plan.loaded_rows:,}"
            texts["as_new"] = (
                f"Import this whole file again as new animals (adds {rows} duplicates)"
            )
        missing = plan.cards.get("Did not arrive", 0)
        if missing:
            texts["resend"] = f"Send the {count_text(missing, 'missing animal')} again"
        if plan.is_held:
            texts["send_valid_rows"] = "Send the rows without problems anyway"
        return texts

    def _decide(self, name: str) -> Any:
        def decide(is_ticked: bool) -> None:
            setattr(self._tab.state, name, is_ticked)
            self._tab.check_again()

        return decide


def is_birthday(column: str) -> bool:
    """Return whether a column is of birthdays, which do not say which row is newer.

    Example:
        >>> is_birthday("Date of Birth"), is_birthday("Geburtsdatum"), is_birthday("Outcome Date")
        (True, True, False)
    """
    return _BIRTHDAY.search(column.replace("_", " ")) is not None


def _note(plan: Plan, state: ImportState) -> str:
    rows = count_text(sum(plan.cards.values()), "row")
    undecided = sum(conflict.rows for conflict in plan.conflicts)
    undecided += len(undecided_rows(plan, state))
    if plan.question is not None:
        return f"{rows}. One question needs your answer."
    if undecided:
        return f"{rows}. {undecided:,} need a decision, or are left to fix."
    return f"{rows}. Nothing needs a decision."


def _card_summary(plan: Plan) -> str:
    return " · ".join(f"{name}: {rows:,}" for name, rows in plan.cards.items() if rows)


def _under(name: str, plan: Plan, corrected: int) -> str:
    if name == "Already loaded" and plan.changed:
        return f"{plan.changed:,} changed since"
    if name == TO_ADD and corrected:
        return f"{corrected:,} corrected here"
    return ""


def _example_columns(conflict: Conflict, state: ImportState) -> list[str]:
    """Return the columns that show an animal: the key, what is sent, and where its rows differ."""
    preview = state.preview
    mapping = {} if preview is None else preview.mapping
    mapped = [mapping[field.name] for field in FIELDS.sent if field.name in mapping]
    differing = [column for column in conflict.example[0].cells if column in conflict.columns]
    return [*dict.fromkeys([*(state.recipe.key or ()), *mapped, *differing])][:8]


def _marked(text: str, is_marked: bool) -> Any:
    shown = shorten(text, LONGEST)
    if not is_marked:
        return shown
    return element("mark", shown or "(empty)")
