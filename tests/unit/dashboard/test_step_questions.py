"""The steps of an import as pure functions: questions of a state, and the state after an answer."""

from __future__ import annotations

import re

import pytest

import petstore_frame as pf
from petstore_frame.dashboard.state.category_numbers import CategoryNumbers
from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.step_questions import (
    NO_KEY,
    NOT_IN_FILE,
    answer,
    column_questions,
    has_columns,
    has_values,
    layout_questions,
    questions,
    value_questions,
)
from petstore_frame.loader import FilePreview, Recipe

NAMES = {1: "Cat", 2: "Dog", 5: "Guinea pig"}


@pytest.fixture
def read(tmp_path):
    """Reads a file into a state, again after each answer."""

    def read_file(content: str, *answers: tuple[object, str], encoding: str = "utf-8") -> FileState:
        path = tmp_path / "list.csv"
        path.write_text(content, encoding=encoding)
        recipe = Recipe(categories=NAMES)
        state = FileState(path, recipe, categories=CategoryNumbers(NAMES))
        for name, text in (None, ""), *answers:
            if name is not None:
                state = answer(state, name, text)
            preview = FilePreview.of(path, state.recipe, rows=1_000)
            state = FileState(**{**vars(state), "preview": preview})
        return state

    return read_file


def open_names(asked) -> set:
    return {question.name for question in asked if question.value is None}


def test_columns_stay_open_until_each_has_an_answer(read) -> None:
    """Name, category, status and animal ID are asked for; that a column is missing is an answer."""
    text = "name,category_id,remark,tag\nLuna,1,shy,\nMax,2,,\n"
    state = read(text)
    assert open_names(column_questions(state)) == {("mapping", "status"), "key"}
    state = read(text, (("mapping", "status"), NOT_IN_FILE))
    assert open_names(column_questions(state)) == {"key"} and not has_columns(state)
    assert has_columns(read(text, (("mapping", "status"), NOT_IN_FILE), ("key", NO_KEY)))


def test_a_file_without_other_columns_asks_for_none(read) -> None:
    """If each column holds a field, nothing else can be the status or the animal ID."""
    assert has_values(read("name,category_id\nLuna,1\n"))


def test_an_id_with_an_empty_cell_is_suggested_with_its_facts(read) -> None:
    """One animal without a chip does not remove the suggestion of the column."""
    rows = "".join(f"Kim {n},1,{f'C{n:03}' if n else ''}\n" for n in range(40))
    state = read(f"name,category_id,Chip-Nr\n{rows}")
    question = column_questions(state)[-1]
    assert question.likely == "Chip-Nr" and question.value is None
    assert question.note == "different in 39 rows, empty in 1"


def test_a_recognized_column_is_shown_while_others_are_open(read) -> None:
    """A column that is certain is an answer, although another field is open."""
    asked = {question.name: question for question in questions(read("Name,Sorte\nLuna,1\n"))}
    assert asked["mapping", "name"].value == "Name"
    assert asked["mapping", "category_id"].value is None


def test_words_of_people_are_suggested_and_not_used(read) -> None:
    """Common words of other languages have suggestions, which wait for an answer."""
    state = read("name,category_id,status\nLuna,Hund,vermittelt\nMax,Yeti,Stolen\n")
    likely = {question.name: question.likely for question in value_questions(state)}
    assert likely["value", "category_id", "hund"] == "Dog (2)"
    assert likely["value", "status", "vermittelt"] == "sold"
    assert likely["value", "category_id", "yeti"] is likely["value", "status", "stolen"] is None
    assert not has_values(state)


def test_a_likely_layout_waits_for_a_yes(read) -> None:
    """The likely encoding is a suggestion; as an answer, it is the recipe's."""
    text = "Tiername;category_id\nZo\u00eb;1\nK\u00e4the;2\n"
    asked = {
        question.name: question for question in layout_questions(read(text, encoding="cp1252"))
    }
    assert asked["encoding"].value is None
    likely = asked["encoding"].likely
    assert read(text, ("encoding", likely), encoding="cp1252").recipe.encoding == "cp1252"


def test_an_answer_leaves_the_state_before_it(read) -> None:
    """An answer returns another state; the one before it can be used again."""
    before = read("name,category_id,status\nLuna,1,weg\n")
    name = ("value", "status", "weg")
    after = answer(before, name, "sold")
    assert before.recipe.value_map == {} and has_values(after)
    assert answer(after, name, "") == before


def test_a_new_category_is_a_name_and_a_free_number(read) -> None:
    """A number that the store calls otherwise is rejected; a free one gets the name."""
    state = read("name,category_id\nLuna,Frettchen\n")
    name = ("value", "category_id", "frettchen")
    with pytest.raises(pf.ArgumentError, match="already called Dog"):
        answer(state, name, "Ferret (2)")
    assert answer(state, name, "Ferret (9)").categories.names[9] == "Ferret"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("Ferret (2)", "category 2 is already called Dog"),
        ("Dog (13)", "Dog is already category 2"),
        ("Ferret (77)", "already has pets in category 77"),
        ("13", "needs a name"),
        ("Ferret", "no category is called 'Ferret'"),
    ],
)
def test_a_new_category_has_a_name_and_a_number_of_its_own(typed: str, message: str) -> None:
    """A name or number that the store or the settings use otherwise is rejected, and named."""
    with pytest.raises(pf.ArgumentError, match=re.escape(message)):
        CategoryNumbers(NAMES, {77}).read(typed)
