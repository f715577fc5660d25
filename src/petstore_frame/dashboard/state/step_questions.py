"""The questions of the first three steps, and what an answer does: pure functions of a state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from petstore_frame.dashboard.state.category_numbers import CategoryNumbers
from petstore_frame.dashboard.state.file_state import PLACEHOLDER, FileState
from petstore_frame.dashboard.state.file_values import (
    EXCLUDE,
    FIX_LATER,
    LABELS,
    NO_STATUS,
    FileValue,
)
from petstore_frame.loader import Recipe
from petstore_frame.questions import Name, Question, Step
from petstore_frame.schema import FIELDS, PET_STATUSES, count_text

StateT = TypeVar("StateT", bound=FileState)
NOT_IN_FILE, NO_KEY = "(not in the file)", "(no column identifies an animal)"
EVERYTHING_ELSE = "Everything else"
HEADER_ROWS, FEWEST_FOR_REST = 40, 2
LAYOUT_LABELS = {
    "encoding": "Encoding",
    "delimiter": "Delimiter",
    "header_row": "Column names in row",
    "sheet": "Sheet",
    "quoting": "Quotes",
}
LAYOUT_NOTES = {
    "encoding": "Do names with accents look right below?",
    "delimiter": "Are the cells split in the right places below?",
    "header_row": "Are these the column names below?",
}
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a signature",
    "cp1252": "Windows-1252 (Western)",
    "cp1250": "Windows-1250 (Central European)",
    "mac_roman": "Mac Roman",
    "utf-16": "UTF-16",
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe ( | )"}


def questions(state: FileState) -> list[Question]:
    """Return the questions of the first three steps, with their present answers."""
    return [*layout_questions(state), *column_questions(state), *value_questions(state)]


def answer(state: StateT, name: Name, text: str) -> StateT:
    """Return the state after an answer; an empty text removes the answer.

    Raises:
        ArgumentError: The answer is not possible.
    """
    kind, *subject = (name,) if isinstance(name, str) else name
    recipe = state.recipe
    if kind in LAYOUT_LABELS:
        value = layout_value(kind, text) if text else None
        layout = recipe.replace(**{kind: value}, mapping=None, key=None)
        return replace(state, recipe=layout, absent=frozenset())
    if kind == "key":
        key = {"": None, NO_KEY: ""}.get(text, text)
        return replace(state, recipe=recipe.replace(key=key))
    field = str(subject[0])
    if kind == "mapping":
        return _with_column(state, field, text)
    if kind == "for_all_rows":
        return _with_default(state, field, text)
    if kind == "fallback":
        return _with_fallback(state, field, text)
    value = next(value for value in state.values if value.name == (field, subject[1]))
    return _with_meaning(state, [value], text)


# Step 1: the layout of the file.


def layout_questions(state: FileState) -> list[Question]:
    """Return the questions about the layout that apply to this kind of file."""
    preview = state.preview
    if preview is None or state.source is None:
        return []
    options = ["header_row"]
    if preview.kind == "csv":
        options = ["encoding", "delimiter", "header_row"]
    if len(preview.sheets) > 1:
        options.insert(0, "sheet")
    likely = state.likely_layout
    options += [option for option in likely if option not in options and option in LAYOUT_LABELS]
    return [_layout_question(state, option, likely.get(option)) for option in options]


def _layout_question(state: FileState, option: str, likely: Any) -> Question:
    preview = state.preview
    current = None if preview is None else preview.facts.get(option, "")
    if option == "header_row":
        current = 1 if preview is None else preview.header_row or 1
    value = current if likely is None else likely
    texts = dict.fromkeys(layout_text(option, at) for at in (value, *_layout_values(state, option)))
    return Question(
        option,
        LAYOUT_LABELS[option],
        answers=tuple(Step(text) for text in texts if text),
        note="" if likely is None else LAYOUT_NOTES.get(option, ""),
        likely=None if likely is None else layout_text(option, likely),
        value=None if likely is not None else layout_text(option, value),
    )


def _layout_values(state: FileState, option: str) -> Iterator[Any]:
    if option == "encoding":
        yield from ENCODINGS
    elif option == "delimiter":
        yield from DELIMITERS
    elif option == "header_row":
        yield from range(1, HEADER_ROWS + 1)
    elif option == "sheet" and state.preview is not None:
        yield from state.preview.sheets


def layout_text(option: str, value: Any) -> str:
    """Return the text of a layout option in the form."""
    return str({**ENCODINGS, **DELIMITERS}.get(value, value))


def layout_value(option: str, text: str) -> Any:
    """Return the value of a layout option for the text in the form."""
    names = ENCODINGS if option == "encoding" else DELIMITERS if option == "delimiter" else {}
    values = {name: value for value, name in names.items()}
    return int(text) if option == "header_row" else values.get(text, text)


# Step 2: the columns.


def column_questions(state: FileState) -> list[Question]:
    """Return the question about each field and about the animal ID.

    A question stays open until it is answered. A column that is certain is an answer, and so is
    that the file has no column left.
    """
    preview = state.preview
    if preview is None or not state.has_layout:
        return []
    asked, likely = [], preview.likely
    for field in FIELDS.sent:
        value = _column_value(state, field.name)
        asked.append(
            Question(
                ("mapping", field.name),
                LABELS[field.name],
                answers=tuple(map(Step, [*filter(str.strip, preview.columns), NOT_IN_FILE])),
                likely=None
                if value
                else state.open_fields.get(field.name) or likely.get(field.name),
                value=value,
            )
        )
        has_column = field.name in preview.mapping
        if field.name in state.absent or (field.name in state.recipe.defaults and not has_column):
            asked.append(_for_all_rows(state, field.name))
    return [*asked, _key_question(state)]


def _column_value(state: FileState, field: str) -> str | None:
    stated = state.recipe.mapping.get(field)
    if stated:
        return stated
    if stated == "" or field in state.absent or field in state.recipe.defaults:
        return NOT_IN_FILE
    preview = state.preview
    mapping = {} if preview is None else preview.mapping
    if field in mapping and field not in state.open_fields:
        return mapping[field]
    may_be_in_file = field in state.open_fields or bool(state.free_columns)
    return None if may_be_in_file else NOT_IN_FILE


def _for_all_rows(state: FileState, field: str) -> Question:
    categories, value = state.categories, state.recipe.defaults.get(field)
    is_category = field == "category_id"
    choices = tuple(map(categories.text, categories.names)) if is_category else ("Unnamed",)
    if isinstance(value, int) and is_category:
        value = categories.text(value)
    text = f"{LABELS[field]} of all rows"
    return Question(("for_all_rows", field), text, choices=choices, value=value)


def _key_question(state: FileState) -> Question:
    preview, key = state.preview, state.recipe.key
    likely = None
    if preview is not None and key is None:
        of_animals = [
            column for column in preview.keys if column.is_of_animals and column.is_likely
        ]
        likely = preview.proposed_key or next(iter(of_animals), None)
    columns = [] if preview is None else [*filter(str.strip, preview.columns)]
    value = None if key is None else " + ".join(key) or NO_KEY
    if key is None and not state.free_columns:
        value = NO_KEY
    note = "a chip or tag number" if value is None else ""
    if likely is not None:
        note = f"different in {count_text(likely.different, 'row')}"
        if likely.empty:
            note += f", empty in {likely.empty:,}"
    return Question(
        "key",
        "Which column identifies the animal?",
        answers=tuple(map(Step, dict.fromkeys([*columns, NO_KEY, *([value] if value else [])]))),
        note=note,
        likely=None if likely is None else likely.column,
        value=value,
    )


def has_columns(state: FileState) -> bool:
    """Return whether step 2 is done: each question of it has an answer."""
    asked = column_questions(state)
    return bool(asked) and all(question.value is not None for question in asked)


def _with_column(state: StateT, field: str, text: str) -> StateT:
    mapping = {name: at for name, at in state.recipe.mapping.items() if name != field}
    defaults = {name: at for name, at in state.recipe.defaults.items() if name != field}
    absent = state.absent - {field}
    if text == NOT_IN_FILE and FIELDS.named(field).is_required:
        absent |= {field}
    elif text == NOT_IN_FILE:
        mapping[field] = ""
    elif text:
        mapping[field] = text
    recipe = state.recipe.replace(mapping=mapping, defaults=defaults)
    return replace(state, recipe=recipe, absent=absent)


def _with_default(state: StateT, field: str, text: str) -> StateT:
    defaults = {name: value for name, value in state.recipe.defaults.items() if name != field}
    if text:
        state, defaults[field] = _field_value(state, field, text)
    return replace(state, recipe=state.recipe.replace(defaults=defaults))


# Step 3: the values.


def value_questions(state: FileState) -> list[Question]:
    """Return the question what each value means, the most frequent first, by field."""
    if not has_columns(state):
        return []
    asked = []
    for field in FIELDS.sent:
        values = [value for value in state.values if value.field == field.name]
        if field.name in state.absent:
            values = [value for value in values if not value.is_empty]
        asked += [_value_question(state, value) for value in values]
        open_values = [value for value in state.open_values if value.field == field.name]
        fallback = state.recipe.fallback.get(field.name)
        if len(open_values) >= FEWEST_FOR_REST or fallback is not None:
            asked.append(_fallback_question(state, field.name, fallback))
    return asked


def _value_question(state: FileState, value: FileValue) -> Question:
    empty = f"(empty {LABELS[value.field].lower()})"
    meaning: Any = value.meaning(state.recipe)
    answer_text = meaning_text(meaning, state.categories)
    if value.name in state.postponed:
        answer_text = FIX_LATER
    likely = value.suggestion
    if likely is not None and value.field == "category_id":
        likely = state.categories.text_of_name(likely)
    return Question(
        ("value", *value.name),
        ", ".join(value.spellings) or empty,
        answers=_fixed_answers(value.field),
        choices=_choices(state, value.field, has_column=bool(value.column)),
        note=count_text(value.rows, "row") if value.rows else "not imported",
        likely=likely,
        value=answer_text,
    )


def _fallback_question(state: FileState, field: str, fallback: Any) -> Question:
    return Question(
        ("fallback", field),
        EVERYTHING_ELSE,
        answers=_fixed_answers(field),
        choices=_choices(state, field, has_column=True),
        note="also applies to new values in later files",
        value=meaning_text(fallback, state.categories),
    )


def _fixed_answers(field: str) -> tuple[Step, ...]:
    if not FIELDS.named(field).values:
        return ()
    return tuple(map(Step, (*PET_STATUSES, NO_STATUS, EXCLUDE, FIX_LATER)))


def _choices(state: FileState, field: str, *, has_column: bool) -> tuple[str, ...]:
    if field == "name":
        key = state.recipe.key or ()
        return (*(f"Unnamed {{{column}}}" for column in key[:1]), "Unnamed")
    categories = tuple(map(state.categories.text, state.categories.names))
    return (*categories, EXCLUDE, FIX_LATER) if has_column else categories


def meaning_text(meaning: Any, categories: CategoryNumbers) -> str | None:
    """Return the text of a meaning in the form; None if there is none."""
    if meaning is None or meaning == PLACEHOLDER:
        return None
    if meaning == "":
        return NO_STATUS
    return categories.text(meaning) if isinstance(meaning, int) else str(meaning)


def _field_value(state: StateT, field: str, text: str) -> tuple[StateT, Any]:
    """Return the value of a field for a text, and the state with its name if that is new."""
    if field != "category_id":
        return state, "" if text == NO_STATUS else text
    number, name = state.categories.read(text)
    if name is None:
        return state, number
    categories = state.categories._replace(names={**state.categories.names, number: name})
    recipe = state.recipe.replace(categories=dict(categories.names))
    return replace(state, categories=categories, recipe=recipe), number


def _with_fallback(state: StateT, field: str, text: str) -> StateT:
    if text in (EXCLUDE, FIX_LATER):  # these apply to the values of this file only
        values = [value for value in state.open_values if value.field == field]
        return _with_meaning(state, values, text)
    fallback: dict[str, Any] = {**state.recipe.fallback}
    fallback.pop(field, None)
    if text:
        state, fallback[field] = _field_value(state, field, text)
    return replace(state, recipe=state.recipe.replace(fallback=fallback or None))


def _with_meaning(state: StateT, values: list[FileValue], text: str) -> StateT:
    """Return the state in which some values of one field mean a text."""
    names = {value.name for value in values}
    if not values:
        return state
    meaning: Any = None
    if text and text not in (EXCLUDE, FIX_LATER):
        state, meaning = _field_value(state, values[0].field, text)
    elif text == EXCLUDE:
        meaning = EXCLUDE
    recipe: Recipe = state.recipe
    for value in values:
        recipe = value.with_meaning(recipe, meaning)
    postponed = state.postponed - names
    if text == FIX_LATER:
        postponed |= names
    return replace(state, recipe=recipe, postponed=postponed)


def has_values(state: FileState) -> bool:
    """Return whether step 3 is done."""
    return has_columns(state) and not state.missing_fields and not state.open_values
