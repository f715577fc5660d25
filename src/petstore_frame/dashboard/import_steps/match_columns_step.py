"""Step 2: matches the columns of the file to the fields of a pet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petstore_frame.dashboard.import_steps.choose_file_step import preview_table
from petstore_frame.dashboard.page.form import Table
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.widgets import WidgetFactory, scrollable
from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.file_values import LABELS
from petstore_frame.dashboard.state.step_questions import column_questions, has_columns
from petstore_frame.schema import FIELDS, count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_steps.file_steps import FileSteps


class MatchColumnsStep:
    """The column of each field, and the column that identifies an animal.

    Attributes:
        form: The questions: ``form["key"].value = "Tag"``, ``form["mapping", "status"]``.
    """

    def __init__(self, factory: WidgetFactory, steps: FileSteps, unused: str) -> None:
        self._unused = unused
        hint = "Say which column holds what."
        self.step = Step(factory, 2, "Match columns", hint, steps.toggle)
        self.form = factory.form(steps.answer)
        self._preview = factory.html(css="pf-preview")
        self.step.body.children = [self.form, self._preview]

    def render(self, state: FileState) -> None:
        preview = state.preview
        if preview is None or not state.has_layout:
            self.step.render(Progress.WAITING)
            self.form.ask([])
            return
        progress = Progress.DONE if has_columns(state) else Progress.CURRENT
        self.step.render(progress, self._summary(state), is_opened=state.opened == 2)
        questions = column_questions(state)
        self.form.ask([Table("", questions)])
        notes = {column: f"→ {LABELS[field]}" for field, column in preview.mapping.items()}
        for question in questions:
            if question.value is None and question.likely is not None:
                is_key = question.name == "key"
                label = "Animal ID" if is_key else LABELS[str(question.name[1])]
                notes.setdefault(str(question.likely), f"→ {label} (suggested)")
        notes |= dict.fromkeys(state.recipe.key or (), "→ Animal ID")
        is_open = progress is Progress.CURRENT or state.opened == 2
        table = preview_table(preview, lambda column: notes.get(column, self._unused))
        self._preview.value = scrollable(table) if is_open else ""

    def _summary(self, state: FileState) -> str:
        preview = state.preview
        if preview is None or state.is_finished:
            return ""
        mapping = preview.mapping
        parts = [
            f"{LABELS[field.name]}: {mapping[field.name]}"
            for field in FIELDS.sent
            if field.name in mapping
        ]
        key = " + ".join(state.recipe.key or ())
        parts.append(f"Animal ID: {key}" if key else "no animal ID")
        used = {*mapping.values(), *(state.recipe.key or ())}
        unused = [column for column in preview.columns if column.strip() and column not in used]
        if unused:
            parts.append(f"{count_text(len(unused), 'other column')} {self._unused}")
        return " · ".join(parts)
