"""A question is the same for Python, a shell, a recipe and a script."""

import json
import pickle

import pytest

from petstore_frame.loader import RecipeOptions
from petstore_frame.questions import SET_OPTIONS, Example, Question, Reader, Step

MEANING = Question(
    ("value_map", "status", "frei"),
    "2 rows have the status 'frei'",
    examples=(Example(3, "Luna, frei"), Example(None, "Rex, frei", "pet 7, sold")),
    option=("value_map", "status", "frei"),
    choices=("available", "pending", "sold"),
    likely="available",
)
KEY = Question(
    "key",
    "Does Tag identify the animals?",
    answers=(Step("It does", {"key": "Tag"}, effect="3 rows to send"), Step("No", {"key": ""})),
)


def test_recipe_options_are_passed_with_set() -> None:
    """A shell passes an option of a recipe with --set, except two with an option of their own."""
    assert {"key", "categories"} | SET_OPTIONS >= RecipeOptions.__annotations__.keys()


@pytest.mark.parametrize(
    "reader, typed",
    [
        ("python", "add value_map={'status': {'frei': '?'}}"),
        ("shell", "add --set 'value_map.status.frei=?'"),
        ("recipe", 'add [value_map.status]\nfrei = "?"'),
    ],
)
def test_a_likely_answer_is_a_placeholder(reader: Reader, typed: str) -> None:
    """An answer that is only likely is printed as a question mark, whoever types it."""
    assert MEANING.lines(reader)[-1].strip() == typed


def test_each_answer_says_what_it_does_and_what_to_type() -> None:
    """A question with a few answers lists each with its effect."""
    assert KEY.lines("shell")[1:] == [
        "Choose one:",
        "  It does (3 rows to send):",
        "    add --key Tag",
        "  No:",
        "    add --key ''",
    ]


def test_examples_are_aligned() -> None:
    """Each example is a line; what it is compared with stands in a second column."""
    assert MEANING.lines()[1:3] == [
        "    line 3: Luna, frei",
        "    Rex, frei           |  pet 7, sold",
    ]


def test_a_script_gets_the_facts_as_json() -> None:
    """A question as JSON has its name as a list, its answers and its options."""
    facts = json.loads(json.dumps(pickle.loads(pickle.dumps(KEY)).as_dict()))
    assert facts["name"] == ["key"]
    assert [answer["add"] for answer in facts["answers"]] == [{"key": "Tag"}, {"key": ""}]
