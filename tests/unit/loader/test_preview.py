"""What a person sees of a file before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from petstore_frame.loader.reading.preview import Look, look
from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import State
from unit.loader.opened import written


def seen(folder: Path, text: str, encoding: str = "utf-8", **options: Any) -> Look:
    return look(written(folder, text.encode(encoding)), Recipe(**options))


def test_the_choices_are_preset_with_the_question_that_each_answers(tmp_path: Path) -> None:
    """Encoding, header row and columns are recognised in turn, and nothing counts as agreed."""
    text = "Bestand im Mai\n\nTiername;Kategorie;Statut\nZoë;3;sold\n"
    found = seen(tmp_path, text, "cp1252")
    assert [set(each.answer) for each in found.questions] == [
        {"encoding"}, {"header_row"}, {"mapping"},
    ]  # fmt: skip
    assert found.reading.encoding == "cp1252" and found.reading.header_row == 3
    assert [record.cells[0] for record in found.records] == ["Zoë"]
    with open_source(tmp_path / "pets.csv", found.reading) as source:
        assert tuple(source) == found.records, "what is confirmed is read as it was seen"


def test_a_clear_file_asks_nothing(tmp_path: Path) -> None:
    """Where the header says it all, the reading is the one that was asked for."""
    found = seen(tmp_path, "animal_id,name,category\nA1,Rex,3\nA2,Rex,3\nA3,Bo,4\n")
    assert not found.questions and found.reading == Recipe()
    assert found.key_columns == ("animal_id",)
    assert [record.state for record in found.records] == [State.PENDING] * 3


def test_each_value_to_map_is_listed_once(tmp_path: Path) -> None:
    """Values that no field allows come with their number of records and what they look like."""
    rows = "Rex,Dgo,sold\n" * 3 + "Bo,Dog,avail\n" * 2 + "Luna,3,sold\n" * 9
    found = seen(tmp_path, "name,category,status\n" + rows, categories={3: "Dog"})
    listed = [(each.field, each.text, each.count, each.suggestion) for each in found.values]
    assert listed == [("category_id", "Dgo", 3, "dog"), ("status", "avail", 2, "available")]


def test_what_is_held_is_counted_by_the_word_that_accepts_it(tmp_path: Path) -> None:
    """A tick for each kind is all that a person needs; it stays there once it is set."""
    text = "name,category\nRex,3\nMax,3\nLuna,3\nBo,-4\nTotal,3\n"
    assert seen(tmp_path, text).suspicious == {"low_category_id": 1, "total_row": 1}
    accepted = seen(tmp_path, text, accept=["low_category_id", "total_row"])
    assert accepted.suspicious == {"low_category_id": 1, "total_row": 1}
    assert {each.state for each in accepted.records} == {State.PENDING}


ENCODED = {
    "cp1252": "René\nZoë\nMüller’s Café – “Kiki”\n",
    "cp1250": "Žofie\nŁukasz\nČenda\n",
    "cp1251": "Рекс\nМурка\nБелый\n",
    "cp1253": "Αθηνά\nΖήνων\n",
    "mac_roman": "René\nChloé\n",
    "cp850": "René\nJosé\n",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_the_encoding_that_makes_words_is_named_first(tmp_path: Path, encoding: str) -> None:
    """Letters of another script in a word, or a capital after a small letter, speak against it."""
    assert seen(tmp_path, "name\n" + ENCODED[encoding], encoding).encodings[0] == encoding
