"""Step 2: matches the columns of the file to the fields of a pet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from petstore_frame.dashboard.choose_file_step import preview_table
from petstore_frame.dashboard.file_state import PLACEHOLDER, FileState
from petstore_frame.dashboard.step_frame import Progress, Step
from petstore_frame.dashboard.widgets import (
    LABELS,
    WidgetFactory,
    scrollable,
    set_options,
    set_visible,
)
from petstore_frame.rendering import PAGE, Markup, element
from petstore_frame.schema import FIELDS, count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.file_steps import FileSteps

CHOOSE, NOT_IN_FILE, NO_KEY = "choose …", "(not in the file)", "(no column identifies an animal)"


class MatchColumnsStep:
    """The column of each field, and the column that identifies an animal.

    Attributes:
        columns: A list per field, by name, and ``key``: ``columns["key"].value = "Tag"``.
        use_key: The button that accepts the suggested key column.
        fill: The value for all rows of a required field that has no column, by field.
        confirm: The button that confirms the suggested columns.
    """

    def __init__(self, factory: WidgetFactory, steps: FileSteps, unused: str) -> None:
        self._steps, self._unused = steps, unused
        hint = "Tell us what each column contains."
        self.step = Step(factory, 2, "Match columns", hint, steps.toggle)
        labels = {field.name: LABELS[field.name] for field in FIELDS.sent}
        labels["key"] = "Animal ID column"
        self.columns = {
            name: factory.dropdown(label, [("", "")], partial(self._choose, name))
            for name, label in labels.items()
        }
        self.use_key = factory.button("", self._use_key, css="pf-suggestion")
        self.fill = {
            field.name: factory.text(
                f"{LABELS[field.name]} for all rows",
                "a number" if field.values is None else "a name",
                partial(self._fill, field.name),
            )
            for field in FIELDS.sent
            if field.is_required
        }
        self._question = factory.html()
        self.confirm = factory.button("Yes, these columns are right", self._confirm)
        self.confirm.button_style = "primary"
        self._preview = factory.html(css="pf-preview")
        self.step.body.children = [
            factory.row(*self.columns.values(), self.use_key),
            factory.row(*self.fill.values()),
            self._question,
            factory.row(self.confirm),
            self._preview,
        ]

    def render(self, state: FileState) -> None:
        preview = state.preview
        if preview is None or not state.has_layout:
            self.step.render(Progress.WAITING)
            return
        suggested = state.suggested_mapping
        progress = Progress.DONE if state.has_columns else Progress.CURRENT
        self.step.render(progress, self._summary(state), is_opened=state.opened == 2)
        for name, value in self._chosen(state).items():
            self._offer(name, value, state)
        key = preview.proposed_key
        set_visible(self.use_key, state.needs_key)
        if key is not None:
            self.use_key.description = f"{key.column}?"
        for field, control in self.fill.items():
            is_needed = field in state.missing_fields and field not in suggested
            set_visible(control, is_needed or field in state.recipe.defaults)
        self._question.value = _question(state)
        is_clear = bool(suggested) and PLACEHOLDER not in suggested.values()
        set_visible(self.confirm, is_clear)
        notes = self._notes(state)
        table = preview_table(preview, lambda column: notes.get(column, self._unused))
        self._preview.value = scrollable(table)

    def _chosen(self, state: FileState) -> dict[str, str]:
        """Return the value of each control: a column, "" for none, or a placeholder."""
        mapping = {} if state.preview is None else state.preview.mapping
        chosen = {
            field.name: state.suggested_mapping.get(field.name, mapping.get(field.name, ""))
            for field in FIELDS.sent
        }
        key = state.recipe.key
        chosen["key"] = PLACEHOLDER if key is None else "".join(key[:1])
        return chosen

    def _offer(self, name: str, value: str, state: FileState) -> None:
        preview = state.preview
        if preview is None:
            return
        columns = [column for column in preview.columns if column.strip()]
        options: list[Any] = [(NO_KEY if name == "key" else NOT_IN_FILE, ""), *columns]
        if value == PLACEHOLDER:
            options.insert(0, (CHOOSE, PLACEHOLDER))
        set_options(self.columns[name], options, value)

    def _notes(self, state: FileState) -> dict[str, str]:
        """Return the text below each column name: the field that it is matched to."""
        notes = {}
        for field, column in ({} if state.preview is None else state.preview.mapping).items():
            notes[column] = f"→ {LABELS[field]}"
        for field, column in state.suggested_mapping.items():
            if column != PLACEHOLDER:
                notes[column] = f"→ {LABELS[field]} (suggested)"
        for column in state.recipe.key or ():
            notes[column] = "→ Animal ID"
        return notes

    def _summary(self, state: FileState) -> str:
        preview = state.preview
        if preview is None:
            return ""
        mapping = preview.mapping
        parts = [
            f"{LABELS[field.name]}: {mapping[field.name]}"
            for field in FIELDS.sent
            if field.name in mapping
        ]
        key = " + ".join(state.recipe.key or ())
        parts.append(f"Animal ID: {key}" if key else "no animal ID")
        used = {*preview.mapping.values(), *(state.recipe.key or ())}
        unused = [column for column in preview.columns if column.strip() and column not in used]
        if unused:
            parts.append(f"{count_text(len(unused), 'other column')} {self._unused}")
        return " · ".join(parts)

    def _choose(self, name: str, column: str) -> None:
        if column == PLACEHOLDER:
            return
        recipe = self._steps.state.recipe
        if name == "key":
            self._steps.change_recipe(recipe.replace(key=column))
            return
        field = FIELDS.named(name)
        mapping = {**recipe.mapping, name: column}
        if not column and field.is_required:
            del mapping[name]
        self._steps.change_recipe(recipe.replace(mapping=mapping))

    def _use_key(self) -> None:
        preview = self._steps.state.preview
        if preview is not None and preview.proposed_key is not None:
            self._choose("key", preview.proposed_key.column)

    def _fill(self, field: str, text: str) -> None:
        recipe = self._steps.state.recipe
        defaults = {name: value for name, value in recipe.defaults.items() if name != field}
        if text.strip():
            defaults[field] = self._steps.store.category_number(text.strip(), field)
        self._steps.change_recipe(recipe.replace(defaults=defaults))

    def _confirm(self) -> None:
        state = self._steps.state
        self._steps.change_recipe(state.recipe.with_options(mapping=state.suggested_mapping))


def _question(state: FileState) -> Markup:
    """Return the questions about the columns."""
    lines = []
    for field, column in state.suggested_mapping.items():
        if column == PLACEHOLDER:
            lines.append(f"Choose the {LABELS[field].lower()} column.")
        else:
            lines.append(f"“{column}” looks like the {LABELS[field].lower()}.")
    for question in state.questions:
        if question.add is not None and question.add[0] not in ("mapping",):
            lines.append(str(question))
    preview = state.preview
    if state.needs_key and preview is not None and preview.proposed_key is not None:
        key = preview.proposed_key
        lines.append(
            f"“{key.column}” looks like your animal number ({key.different:,} different in "
            f"{key.rows:,} rows). Choose it, or choose that no column identifies an animal; "
            "otherwise an animal could be added twice."
        )
    if not lines:
        return Markup("")
    return PAGE.warning("Please check", lines) + element("p", "")
