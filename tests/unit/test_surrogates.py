"""Half a character, as of an emoji that a program cut, is replaced where read and never sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.loader import view_of
from petstore_frame.schema import Pet, PetColumns
from petstore_frame.schema.text import replace_surrogates
from petstore_frame.transport.post_outcome import judge_response
from petstore_frame.transport.response import Response

ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00\ud800"))


@given(st.lists(ANY, max_size=4), st.booleans(), st.booleans())
def test_a_page_holds_whole_characters_alone(names: list[str], is_escaped: bool, is_float) -> None:
    """Escaped or raw, read quickly or slowly: what is left is UTF-8, and only halves changed."""
    pets = [
        {"id": float(at) if is_float else at, "name": name, "categoryId": 1, "status": name}
        for at, name in enumerate(names)
    ]
    text = json.dumps(pets, ensure_ascii=is_escaped)
    # As JSON means it: a pair of halves is one character.
    meant = [pet["name"] for pet in json.loads(json.dumps(pets))] if is_escaped else names
    body = text.encode("utf-8", "surrogatepass")
    columns = PetColumns.from_json(body, operation="GET /pets")
    assert columns[1] == columns.status == [replace_surrogates(name) for name in meant]


@pytest.mark.parametrize("name", [b"a\\ud83d", b"a\xed\xa0\xbd"], ids=["escaped", "raw"])
def test_single_pets_and_errors_hold_whole_characters(name: bytes) -> None:
    """``get_pet``, ``create_pet`` and messages of the store give text that every file can hold."""
    body = b'{"id": 1, "name": "%b", "categoryId": 2, "by": ["\\ude00"]}'
    pet = Pet.from_json(body % name, operation="")
    assert (pet.name, pet.model_extra) == ("a\ufffd", {"by": ["\ufffd"]})
    refused = b'{"code": "a", "message": "%b", "status": 400}'
    error = Response("POST /pets", 400, {}, refused % name, None, 0.0)
    assert str(judge_response(error).error).startswith("400 from POST /pets: a: a?")


def test_half_a_character_is_never_sent(server: Any, tmp_path: Path) -> None:
    """A row that has one in a sent cell is to fix, from a frame as from its fix file."""
    rows = [("Cut \ud83d", 1, "\ud800b"), ("Bo", 2, "")]
    frame = pd.DataFrame(rows, columns=["name", "category_id", "note"], dtype=object)
    with server.client() as client:
        result = pf.load(frame, client, journal=tmp_path)
        (fix,) = (path for path in result.write(tmp_path / "out") if path.name == "fix.csv")
        assert pf.load(fix, client, journal=tmp_path).frame["error_code"][0] == "control_character"
        text = fix.read_text("utf-8-sig", "surrogatepass").replace("Cut \ud83d", "Al")
        fix.write_text(text, "utf-8", "surrogatepass")
        fixed = pf.load(fix, client, journal=tmp_path)
        names = pf.fetch_inventory(client).frame["name"].tolist()
    assert [row.cells[-1] for row in view_of(fixed).rows()] == ["\ud800b", ""]
    assert sorted(names) == ["Al", "Bo"]
