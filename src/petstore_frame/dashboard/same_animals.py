"""Phrases the duplicate question for the page: are these rows animals that are known?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from petstore_frame.dashboard.widgets import scrollable
from petstore_frame.rendering import PAGE, Markup
from petstore_frame.schema import FIELDS

# What the page asks in each case: the question, and what either answer means.
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
        "{rows} of your {of} have an animal ID that looks like a known one. Are they the same "
        "animals?",
        "Same animals",
        "Different animals",
    ),
    "reused_key": (
        "{rows} of your {of} have a known animal ID, but the name of another animal. Are they the "
        "same animals?",
        "Same animals, renamed",
        "Different animals, the ID was used again",
    ),
    "gone": (
        "{rows} of your {of} were in the store and are not there anymore. What happened to them?",
        "They were removed on purpose",
        "The store lost them – create them again",
    ),
}


def case_text(case: Any) -> str:
    """Return what the page asks in a case."""
    return CASES[case.name][0].format(rows=f"{case.rows:,}", of=f"{case.of:,} rows")


def case_markup(case: Any, categories: Mapping[int, str]) -> Markup:
    """Return the question of a case with its examples, side by side."""
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
    """Return an animal in a few words; of a key, the key.

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
