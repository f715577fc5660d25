"""What a file leaves open is a question with the option that states the answer."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.loader import view_of
from unit.loader.opened import INPUTS, rows_of, written

ASKED: dict[str, tuple[Any, Any]] = {
    "03_cp1252.csv": ("encoding", "cp1252"),
    "09_unclosed_quote.csv": ("quoting", None),
    "15_two_columns_one_field.csv": (("mapping", "category_id"), None),
    "34_title.csv": ("header_row", 3),
    "36_colon.csv": ("delimiter", None),
    "37_state.csv": (("mapping", "status"), "State"),
    "46_rows_in_quotes.csv": ("quoting", "unwrap"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_file_that_is_not_certain_is_a_question(name: str) -> None:
    """The error has the question; what is likely is its suggestion, and can be pickled."""
    with pytest.raises(pf.InputError) as stopped:
        rows_of(INPUTS / name)
    (question,) = pickle.loads(pickle.dumps(stopped.value)).questions
    assert (question.name, question.likely) == ASKED[name]
    assert question.add == dict([stopped.value.add])


def test_each_field_without_a_column_is_a_question() -> None:
    """Several columns are several questions about one option, each with the columns to choose."""
    with pytest.raises(pf.InputError) as stopped:
        rows_of(INPUTS / "37_german.csv")
    questions = {question.name: question for question in stopped.value.questions}
    assert [*questions] == [("mapping", "name"), ("mapping", "category_id"), ("mapping", "status")]
    assert questions["mapping", "status"].choices == ("Tiername", "Kategorie", "Statut")


def test_each_value_without_a_meaning_is_a_question(tmp_path: Path) -> None:
    """Rows that fail for one reason are one question for each value to state."""
    path = written(tmp_path, "name,category_id,status\nRex,3,frei\nBo,3,weg\nMax,3,sold\n")
    with pf.testing.fake_store().client() as client:
        result = pf.load(path, client, journal=tmp_path / "journal", key="")
    first, second = view_of(result).facts.questions
    assert (first.name, second.name) == (
        ("value_map", "status", "frei"),
        ("value_map", "status", "weg"),
    )
    assert first.choices == tuple(pf.PET_STATUSES)
    assert first.stating("available") == {"value_map": {"status": {"frei": "available"}}}


@pytest.mark.usefixtures("server_here")
def test_a_script_gets_the_questions() -> None:
    """With --json, the questions about a file that was not read are on stdout."""
    ended = typed(f"petstore-frame load {INPUTS / '37_state.csv'} --json")
    facts = json.loads(ended.stdout)
    assert (ended.exit_code, facts["exit_code"]) == (2, 2)
    assert facts["questions"][0]["option"] == ["mapping", "status"]
    assert "37_state.csv" in ended.stderr
