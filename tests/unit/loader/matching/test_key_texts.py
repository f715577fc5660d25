"""A key has one stored text, and a person names it as the file or the result shows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.loader.matching.key_texts import (
    is_key_named,
    key_text,
    key_texts,
    order_of,
    shown_key,
)

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1)


@given(TEXTS)
def test_a_stored_key_keeps_its_texts(texts: list[str]) -> None:
    """In any script, and in ASCII, so that a journal can store any text of a file."""
    stored = key_text(texts)
    assert stored.isascii() and list(key_texts(stored)) == texts


@pytest.mark.parametrize("text", ["Ж-17", "日本", "مفتاح", "Zoë", "Zoe\u0308", " A-17 "])
def test_a_key_is_named_in_any_script(text: str) -> None:
    """A letter with its accent as one character or as two is the same letter."""
    stored = key_text(["Zoë" if text.startswith("Zo") else text.strip()])
    assert is_key_named(stored, text, ["tag"]) and is_key_named(stored, (text,), ["tag"])
    assert not is_key_named(stored, "A-18", ["tag"])


def test_several_columns_are_named_in_any_order() -> None:
    """In the order of the recipe, in alphabetical order, or as the result shows the key."""
    columns = ("name", "id")
    texts = ("Zoë", "A-17")
    stored = key_text([texts[at] for at in order_of(columns) or ()])
    for name in (texts, texts[::-1], shown_key(stored) or ""):
        assert is_key_named(stored, name, columns)
    assert not is_key_named(stored, ("Zoë", "A-18"), columns)
