"""Asks on the page which rows are animals that the store may already have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard.widgets import WidgetFactory, scrollable
from petstore_frame.loader import State
from petstore_frame.rendering import PAGE, Markup
from petstore_frame.schema import FIELDS

# For each case, the question and the labels of its two answers.
CASES = {
    "in_store": (
        "{rows} of your {of} look like pets already in the store. Are they the same animals?",
        "Same animals – link them",
        "Different animals",
    ),
    "same_content": (
        "{rows} of your {of} look like animals of earlier files (same name and category). Are they "
        "the same animals?",
        "Same animals",
        "Different animals",
    ),
    "similar_key": (
        "{rows} of your {of} have an animal ID that looks like the ID of an animal loaded before. "
        "Are they the same animals?",
        "Same animals",
        "Different animals",
    ),
    "reused_key": (
        "{rows} of your {of} have the animal ID of an animal loaded before, but a different name. "
        "Are they the same animals?",
        "Same animals, renamed",
        "Different animals, the ID was reused",
    ),
    "gone": (
        "{rows} of your {of} were in the store but are no longer there. What happened to them?",
        "They were removed on purpose",
        "The store lost them – create them again",
    ),
    "unsent": (
        "{rows} of the {of} in this file were not sent, and a later file has the same columns. "
        "Should they still be added?",
        "No, the later file replaces them",
        "Yes, these are different animals",
    ),
}


class DuplicateCases:
    """The cases of the duplicate question, each with examples and two answer buttons.

    Args:
        factory: Makes the widgets.
        on_answer: Called with the name of a case and ``skip``, ``create`` or None.

    Attributes:
        widget: The box with all cases.
        controls: The answer buttons by case; an answered case keeps its buttons.
    """

    def __init__(
        self, factory: WidgetFactory, on_answer: Callable[[str, str | None], None]
    ) -> None:
        self._factory, self._on_answer = factory, on_answer
        self._examples = factory.html()
        self._buttons = factory.column()
        self.controls: dict[str, widgets.ToggleButtons] = {}
        self._texts: dict[str, str] = {}
        self.widget = factory.column(self._examples, self._buttons)

    def forget(self) -> None:
        """Remove the buttons of the previous file."""
        for control in self.controls.values():
            control.close()
        self.controls, self._texts = {}, {}
        self._buttons.children = ()

    def render(
        self, question: Any, answers: Mapping[str, str], categories: Mapping[int, str]
    ) -> None:
        """Show the open cases of a question and the answers so far; None is no question."""
        open_cases = () if question is None else question.cases
        open_names = {case.name for case in open_cases}
        markup = Markup("")
        for name in self.controls.keys() - open_names:
            markup += PAGE.quiet([self._texts[name]])
        for case in open_cases:
            self._texts[case.name] = case_text(case)
            markup += case_markup(case, categories)
            self._control(case.name).options = _options(case.name, question)
        self._examples.value = markup
        for name, control in self.controls.items():
            control.value = answers.get(name)
        self._buttons.children = [*self.controls.values()]

    def _control(self, name: str) -> widgets.ToggleButtons:
        if name not in self.controls:
            on_change = partial(self._on_answer, name)
            self.controls[name] = self._factory.control(
                widgets.ToggleButtons, "", on_change, options=[], value=None
            )
        return self.controls[name]


def _options(name: str, question: Any) -> list[tuple[str, str]]:
    """Return the button labels of a case, with the number of pets that each answer adds."""
    _, same, different = CASES[name]
    if_skip = question.if_skip.get(State.PENDING, 0)
    if_create = question.if_create.get(State.PENDING, 0)
    return [
        (f"{same}, add {if_skip:,}", "skip"),
        (f"{different}, add {if_create:,}", "create"),
    ]


def case_text(case: Any) -> str:
    """Return the question text of a case."""
    return CASES[case.name][0].format(rows=f"{case.rows:,}", of=f"{case.of:,} rows")


def case_markup(case: Any, categories: Mapping[int, str]) -> Markup:
    """Return the question of a case, with a table of example rows and pets."""
    markup = PAGE.warning(case_text(case))
    rows = [
        [
            str(example.line),
            pet_text(example.ours, categories),
            pet_text(example.theirs, categories),
            _origin(example),
        ]
        for example in case.examples
    ]
    if rows:
        markup += scrollable(PAGE.table(rows, ["Line", "In your file", "Looks like", "Where"]))
    return markup


def pet_text(body: str, categories: Mapping[int, str]) -> str:
    """Describe a pet in JSON in a few words; a text that is a key is returned unchanged.

    Example:
        >>> pet_text('{"name":"Luna","categoryId":3,"status":"sold"}', {3: "Cat"})
        'Luna, Cat, sold'
    """
    try:
        values = json.loads(body)
    except ValueError:
        return body
    if not isinstance(values, dict):
        return body
    parts = []
    for field in FIELDS.sent:
        value = values.get(field.wire_name)
        if value is not None and field.name == "category_id":
            value = categories.get(value, f"category {value}")
        if value is not None:
            parts.append(str(value))
    return ", ".join(parts)


def _origin(example: Any) -> str:
    if example.pet_id is not None:
        return f"pet {example.pet_id}"
    return str(example.source or "")
