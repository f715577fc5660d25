"""Step 3: matches the values of the file to the values of a pet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from petstore_frame.dashboard.page.form import Table
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.file_values import FIX_LATER, LABELS, FileValue
from petstore_frame.dashboard.state.step_questions import has_columns, meaning_text, value_questions
from petstore_frame.errors import ArgumentError
from petstore_frame.questions import Name
from petstore_frame.rendering import shorten
from petstore_frame.schema import FIELDS
from petstore_frame.tables import Labels

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_steps.file_steps import FileSteps

LONGEST, SUMMARY_VALUES = 40, 3


class MatchValuesStep:
    """The meaning of each value of the file, by column, the most frequent first.

    Attributes:
        form: The questions, by field and folded value; ``""`` are the empty cells:
            ``form["value", "status", "frei"].value = "available"``. ``form["fallback", "status"]``
            is the meaning of all unmatched values, in this file and in later ones.
        labels: Uploads a list of categories with a number and a name per row.
    """

    def __init__(self, factory: WidgetFactory, steps: FileSteps) -> None:
        self._steps = steps
        hint = "Say what the words in your file mean."
        self.step = Step(factory, 3, "Match values", hint, steps.toggle)
        self.labels = factory.upload("Category list (CSV: number, name)", ".csv", self._use_labels)
        self.form = factory.form(steps.answer)
        self._labels_row = factory.row(self.labels)
        self.step.body.children = [self._labels_row, self.form]
        # A value that was just matched keeps its position until the step is done.
        self._stay_open: set[Name] = set()

    def render(self, state: FileState) -> None:
        if not has_columns(state):
            self.step.render(Progress.WAITING)
            self.form.ask([])
            return
        filled_values = [value for value in state.values if not value.is_empty]
        open_values = state.open_values
        is_done = not open_values and not state.missing_fields
        progress = Progress.DONE if is_done else Progress.CURRENT
        note = f"Say what the words in your file mean: {len(open_values):,} open."
        summary = "" if state.is_finished else _summary(filled_values, state)
        self.step.render(progress, summary, is_opened=state.opened == 3, note=note)
        self.form.ask(self._tables(state))
        of_category = any(value.field == "category_id" for value in open_values)
        set_visible(self._labels_row, of_category or state.opened == 3)

    def _tables(self, state: FileState) -> Iterator[Table]:
        asked = value_questions(state)
        open_names = {question.name for question in asked if question.value is None}
        self._stay_open = (self._stay_open | open_names) if open_names else set()
        for field in FIELDS.sent:
            of_field = [question for question in asked if question.name[1] == field.name]
            mapping = {} if state.preview is None else state.preview.mapping
            column = mapping.get(field.name)
            title = f"{LABELS[field.name]} (column {column})" if column else LABELS[field.name]
            is_open = [question.name in self._stay_open for question in of_field]
            first = [question for question, stays in zip(of_field, is_open, strict=True) if stays]
            rest = [question for question in of_field if question not in first]
            yield Table(title, first)
            yield Table(f"{title}: {len(rest):,} matched", rest, is_folded=bool(first))

    def _use_labels(self, name: str, content: bytes) -> None:
        path = self._steps.scratch_path(name)
        path.write_bytes(content)
        labels = dict(Labels.ids_and_labels(Path(path)))
        if not labels:
            raise ArgumentError(f"{name} has no categories; write category_id,label in line 1")
        self._steps.name_categories(labels)


def _summary(values: list[FileValue], state: FileState) -> str:
    """Describe the meaning of the most frequent values in one line."""
    if not values:
        return "nothing to match"
    recipe, parts = state.recipe, list[str]()
    by_fallback = [value for value in values if value.uses_fallback(recipe)]
    matched = [value for value in values if value not in by_fallback]
    for value in matched[:SUMMARY_VALUES]:
        answer = meaning_text(value.meaning(recipe), state.categories)
        if value.name in state.postponed:
            answer = FIX_LATER
        text = shorten(value.text, LONGEST) or "empty"
        parts.append(f"{text} → {answer} ({value.rows:,})")
    if len(matched) > SUMMARY_VALUES:
        parts.append(f"and {len(matched) - SUMMARY_VALUES:,} more")
    # These values may be new in this file, so the user has to see them.
    for field, meaning in recipe.fallback.items():
        of_field = [value for value in by_fallback if value.field == field]
        if of_field:
            names = ", ".join(shorten(value.text, LONGEST) for value in of_field[:SUMMARY_VALUES])
            more = ", …" if len(of_field) > SUMMARY_VALUES else ""
            rows = sum(value.rows for value in of_field)
            answer = meaning_text(meaning, state.categories)
            parts.append(f"everything else ({names}{more}) → {answer} ({rows:,})")
    return ", ".join(parts)
