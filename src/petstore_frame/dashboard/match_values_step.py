"""Step 3: matches the values of the file to the values of a pet."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.dashboard.file_state import PLACEHOLDER, FileState
from petstore_frame.dashboard.file_values import EXCLUDE, FIX_LATER, NO_STATUS, FileValue
from petstore_frame.dashboard.step_frame import Progress, Step
from petstore_frame.dashboard.widgets import LABELS, WidgetFactory, set_visible
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import Recipe
from petstore_frame.rendering import element, shorten
from petstore_frame.schema import FIELDS, PET_STATUSES
from petstore_frame.tables import Labels

if TYPE_CHECKING:
    from petstore_frame.dashboard.file_steps import FileSteps

LONGEST, SUMMARY_VALUES, FEWEST_FOR_REST = 40, 3, 2
CHOOSE = "choose …"
FOR_LATER_FILES = "also applies to new values in later files"
_NUMBERED = re.compile(r"(.+?)\s*\((-?\d+)\)")


class MatchValuesStep:
    """A control for each value of the file, grouped by column, the most frequent first.

    Attributes:
        values: The controls by field and folded value; ``""`` are the empty cells:
            ``values["status", "frei"].value = "available"``.
        suggestions: The buttons that accept a suggestion, with the same keys.
        everything_else: A list per field for all unmatched values, in this file and in later ones:
            the recipe's ``fallback``.
        labels: Uploads a category list, a table with the columns id and name.
    """

    def __init__(self, factory: WidgetFactory, steps: FileSteps) -> None:
        self._factory, self._steps = factory, steps
        hint = "Tell us what the words in your file mean."
        self.step = Step(factory, 3, "Match values", hint, steps.toggle)
        self.labels = factory.upload("Category list (CSV: number, name)", ".csv", self._use_labels)
        self.values: dict[tuple[str, str], Any] = {}
        self.suggestions: dict[tuple[str, str], widgets.Button] = {}
        self.everything_else: dict[str, Any] = {}
        self._names: dict[tuple[str, str], widgets.HTML] = {}
        self._rows: dict[tuple[str, str], widgets.HBox] = {}
        self._groups: dict[str, _Group] = {}
        self._value_at: dict[tuple[str, str], FileValue] = {}
        for field in FIELDS.sent:
            rest = self._control(field.name, partial(self._set_fallback, field.name))
            self.everything_else[field.name] = rest
            label = factory.html(element("b", "Everything else →"), "pf-value-name")
            for_later_files = element("span", FOR_LATER_FILES, class_="pf-faint")
            note = factory.html(for_later_files, "pf-value-note")
            rest_row = factory.row(label, rest, note, css="pf-value")
            self._groups[field.name] = _Group(factory, rest_row)
        self._labels_row = factory.row(self.labels)
        self.step.body.children = [
            self._labels_row,
            *(group.widget for group in self._groups.values()),
        ]

    def forget(self) -> None:
        """Remove the controls of the previous file."""
        controls = [*self.values.values(), *self.suggestions.values(), *self._names.values()]
        for widget in [*controls, *self._rows.values()]:
            widget.close()
        self.values, self.suggestions, self._names, self._rows = {}, {}, {}, {}
        for group in self._groups.values():
            group.stay_open.clear()

    def render(self, state: FileState) -> None:
        if not state.has_columns:
            self.step.render(Progress.WAITING)
            return
        values, open_values = state.values, state.open_values
        is_done = not open_values
        progress = Progress.DONE if is_done else Progress.CURRENT
        filled_values = [value for value in values if not value.is_empty]
        open_of_all = f"{len(open_values)} of {len(filled_values)} open"
        note = f"Tell us what the words in your file mean. {open_of_all}."
        summary = _summary(filled_values, state, self._steps.memory.categories)
        self.step.render(progress, summary, is_opened=state.opened == 3, note=note)
        self._value_at = {value.name: value for value in values}
        for value in values:
            self._render_value(value, state)
        for field, group in self._groups.items():
            self._render_group(field, group, state)
        of_category = any(value.field == "category_id" for value in open_values)
        set_visible(self._labels_row, of_category or state.opened == 3)

    def _render_value(self, value: FileValue, state: FileState) -> None:
        name = value.name
        if name not in self.values:
            self._add_row(value)
        control = self.values[name]
        text = shorten(", ".join(value.spellings), LONGEST) or f"(empty {_label(value.field)})"
        rows = f"{value.rows:,}" if value.rows else "not imported"
        self._names[name].value = element("bdi", text) + element(
            "span", rows, class_="pf-value-rows"
        )
        if isinstance(control, widgets.Combobox):
            control.options = self._category_options(value)
        control_text = self._text(value.meaning(state.recipe))
        if name in state.postponed:
            control_text = FIX_LATER
        if control.value != control_text:
            control.value = control_text
        set_visible(self.suggestions[name], bool(value.suggestion) and not control_text)

    def _add_row(self, value: FileValue) -> None:
        factory, name = self._factory, value.name
        self.values[name] = self._control(value.field, partial(self._answer, name), value.text)
        tooltip = "use this suggestion"
        self.suggestions[name] = factory.button(
            f"{value.suggestion}?",
            partial(self._use_suggestion, name),
            tooltip,
            css="pf-suggestion",
        )
        self._names[name] = factory.html("", "pf-value-name")
        parts = (self._names[name], self.values[name], self.suggestions[name])
        self._rows[name] = factory.row(*parts, css="pf-value")

    def _control(self, field: str, on_change: Any, text: str = "everything else") -> Any:
        """Create the control for the meaning of a value."""
        label = f"{LABELS[field]}: {shorten(text, LONGEST) or 'empty'}"
        factory = self._factory
        if FIELDS.named(field).values:
            answers = [(CHOOSE, ""), *((answer, answer) for answer in _status_answers())]
            return factory.dropdown(label, answers, on_change)
        hint = "choose, or type: Name (number)"
        if field == "name":
            hint = "a name; otherwise fix them later"
        return factory.text(label, hint, on_change, options=())

    def _render_group(self, field: str, group: _Group, state: FileState) -> None:
        values = [value for value in state.values if value.field == field]
        open_names = {value.name for value in state.open_values if value.field == field}
        # A value that was just matched keeps its position until the step is done.
        group.stay_open |= open_names
        open_rows = [value for value in values if value.name in group.stay_open or value.is_empty]
        done_rows = [value for value in values if value not in open_rows]
        group.rows.children = [self._rows[value.name] for value in open_rows]
        group.done.children = [self._rows[value.name] for value in done_rows]
        column = "".join(dict.fromkeys(value.column for value in values))
        group.title.value = element(
            "h4", f"{LABELS[field]} (column {column})" if column else LABELS[field]
        )
        matched = _summary(done_rows, state, self._steps.memory.categories)
        group.fold.titles = (f"{len(done_rows):,} matched: {matched}",)
        set_visible(group.fold, bool(done_rows))
        fallback = state.recipe.fallback.get(field)
        set_visible(group.rest_row, len(open_names) >= FEWEST_FOR_REST or fallback is not None)
        set_visible(group.widget, bool(values))
        rest = self.everything_else[field]
        if isinstance(rest, widgets.Combobox) and values:
            rest.options = self._category_options(values[0])
        rest.value = self._text(fallback)

    def _category_options(self, value: FileValue) -> tuple[str, ...]:
        if value.field == "name":
            key = self._steps.state.recipe.key or ()
            return (*(f"Unnamed {{{column}}}" for column in key[:1]), "Unnamed")
        categories = self._steps.memory.categories.items()
        options = [f"{label} ({number})" for number, label in categories]
        if value.column:
            options += [EXCLUDE, FIX_LATER]
        return tuple(options)

    def _text(self, meaning: str | int | float | None) -> str:
        """Return the text of a meaning in its control."""
        if meaning is None or meaning == PLACEHOLDER:
            return ""
        label = self._steps.memory.categories.get(meaning) if isinstance(meaning, int) else None
        if label is not None:
            return f"{label} ({meaning})"
        return NO_STATUS if meaning == "" else str(meaning)

    def _answer(self, name: tuple[str, str], text: str) -> None:
        self._set_meaning(text.strip(), [self._value_at[name]])

    def _set_fallback(self, field: str, text: str) -> None:
        """Set the meaning of all unmatched values of a field."""
        text, recipe = text.strip(), self._steps.state.recipe
        if text in (EXCLUDE, FIX_LATER):  # these apply to the values of this file only
            values = [value for value in self._steps.state.open_values if value.field == field]
            if values:
                self._set_meaning(text, values)
            return
        fallback = {**recipe.fallback}
        fallback.pop(field, None)
        if text:
            fallback[field] = self._meaning(field, text)
        self._steps.answer_values(recipe.replace(fallback=fallback or None))

    def _use_suggestion(self, name: tuple[str, str]) -> None:
        value = self._value_at[name]
        if value.suggestion is not None:
            self._set_meaning(value.suggestion, [value])

    def _set_meaning(self, text: str, values: list[FileValue]) -> None:
        """Set the meaning of some values of one field; an empty text removes the meaning."""
        state, field = self._steps.state, values[0].field
        meaning: str | int | None = text or None
        if text not in ("", EXCLUDE, FIX_LATER):
            meaning = self._meaning(field, text)
        recipe: Recipe = state.recipe
        for value in values:
            if text == FIX_LATER:
                state.postponed.add(value.name)
                recipe = value.with_meaning(recipe, None)
            else:
                state.postponed.discard(value.name)
                recipe = value.with_meaning(recipe, meaning)
        self._steps.answer_values(recipe)

    def _meaning(self, field: str, text: str) -> str | int:
        """Return the value of a field for the text in its control."""
        if text == NO_STATUS:
            return ""
        return self._steps.store.category_number(text, field)

    def _use_labels(self, name: str, content: bytes) -> None:
        path = self._steps.upload_path(name)
        path.write_bytes(content)
        labels = dict(Labels.ids_and_labels(Path(path)))
        if not labels:
            raise ArgumentError(f"{name} has no categories; write id,name in line 1")
        self._steps.memory.name_categories(labels)
        recipe = self._steps.state.recipe
        self._steps.change_recipe(recipe.replace(categories=self._steps.memory.categories))


class _Group:
    """The widgets of one column: open values, matched values, and the answer for the rest."""

    def __init__(self, factory: WidgetFactory, rest_row: widgets.HBox) -> None:
        self.title = factory.html()
        self.rows, self.done = factory.column(css="pf-values"), factory.column(css="pf-values")
        self.rest_row = rest_row
        self.fold = factory.make(widgets.Accordion, (self.done,), titles=("",))
        self.stay_open: set[tuple[str, str]] = set()
        self.widget = factory.column(self.title, self.rows, rest_row, self.fold, css="pf-group")


def _status_answers() -> list[str]:
    return [*PET_STATUSES, NO_STATUS, EXCLUDE, FIX_LATER]


def _label(field: str) -> str:
    return LABELS[field].lower()


def _summary(values: list[FileValue], state: FileState, categories: dict[int, str]) -> str:
    """Describe the meaning of the most frequent values in one line."""
    if not values:
        return "nothing to match"
    recipe, parts = state.recipe, list[str]()
    by_fallback = [value for value in values if value.uses_fallback(recipe)]
    matched = [value for value in values if value not in by_fallback]
    for value in matched[:SUMMARY_VALUES]:
        meaning = FIX_LATER if value.name in state.postponed else value.meaning(recipe)
        text = shorten(value.text, LONGEST) or "empty"
        parts.append(f"{text} → {_meaning_text(meaning, categories)} ({value.rows:,})")
    if len(matched) > SUMMARY_VALUES:
        parts.append(f"and {len(matched) - SUMMARY_VALUES:,} more")
    # These values may be new in this file, so the user has to see them.
    for field, meaning in recipe.fallback.items():
        of_field = [value for value in by_fallback if value.field == field]
        if of_field:
            names = ", ".join(shorten(value.text, LONGEST) for value in of_field[:SUMMARY_VALUES])
            more = ", …" if len(of_field) > SUMMARY_VALUES else ""
            rows = sum(value.rows for value in of_field)
            text = _meaning_text(meaning, categories)
            parts.append(f"everything else ({names}{more}) → {text} ({rows:,})")
    return ", ".join(parts)


def _meaning_text(meaning: str | int | float | None, categories: dict[int, str]) -> str:
    if meaning == "":
        return NO_STATUS
    return categories.get(meaning, str(meaning)) if isinstance(meaning, int) else str(meaning)
