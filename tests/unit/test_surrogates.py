"""Half a character, as of an emoji that a program cut, is replaced where the store is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.inventory import Fact
from petstore_frame.schema.decoding import read_error, read_page, read_pet
from petstore_frame.schema.text import may_hold_lone, whole_body, whole_text

ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00\ud800"))
STATUSES = ("available", "pending", "sold")


@given(st.lists(ANY, max_size=4), st.booleans(), st.booleans())
def test_a_page_holds_whole_characters_alone(
    names: list[str], is_escaped: bool, is_float: bool
) -> None:
    """Escaped or raw, read quickly or slowly: what is left is UTF-8, and only halves changed."""
    pets = [
        {"id": float(at) if is_float else at, "name": name, "categoryId": 1, "status": name}
        for at, name in enumerate(names)
    ]
    text = json.dumps(pets, ensure_ascii=is_escaped)
    # As JSON means it: a pair of halves is one character.
    meant = [pet["name"] for pet in json.loads(json.dumps(pets))] if is_escaped else names
    columns, damaged = read_page(text.encode("utf-8", "surrogatepass"))
    assert columns[1] == columns.status == [whole_text(name) for name in meant]
    assert damaged == tuple(at for at, name in enumerate(meant) if whole_text(name) != name)


@given(st.dictionaries(ANY, ANY | st.integers() | st.lists(ANY)))
def test_a_body_holds_whole_characters_alone(body: dict[str, Any]) -> None:
    """A body without halves stays byte for byte; the halves of another become U+FFFD."""
    sent = json.dumps(body).encode()
    whole = whole_body(sent)
    assert not any(
        "\ud800" <= letter <= "\udfff"
        for letter in json.dumps(json.loads(whole), ensure_ascii=False)
    )
    assert whole == sent or may_hold_lone(sent)


@pytest.mark.parametrize("body", [b"\\ud800", b'{"a": "\\ud800"', b"[" * 100_000 + b'"\\ud800"'])
def test_what_is_no_json_stays_as_it_is(body: bytes) -> None:
    """A broken body keeps its bytes, which the error then shows."""
    assert whole_body(body) == body


def test_single_pets_and_errors_hold_whole_characters() -> None:
    """``get_pet``, ``create_pet`` and messages of the store give text that every file can hold."""
    pet = read_pet(
        b'{"id": 1, "name": "a\\ud83d", "categoryId": 2, "by": ["\\ude00"]}', operation=""
    )
    error = read_error(b'{"code": "a", "message": "no \\udc00", "status": 400}')
    assert (pet.name, pet.model_extra) == ("a\ufffd", {"by": ["\ufffd"]})
    assert error is not None and error.message == "no \ufffd"
    raw = read_pet(b'{"id": 1, "name": "a\xed\xa0\xbd", "categoryId": 2}', operation="")
    assert raw.name == "a\ufffd"


def client_of(count: int) -> pf.Client:
    """A store of pets whose names end in half an emoji, every second of them."""
    pets = [
        {
            "id": n,
            "name": "Cut \ud83d" if n % 2 else "Luna",
            "categoryId": 3,
            "status": STATUSES[n % 3],
        }
        for n in range(1, count + 1)
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/pets"):
            return httpx.Response(200, content=json.dumps(pets[0]))
        status = request.url.params.get("status")
        listed = [pet for pet in pets if status in (None, pet["status"])]
        return httpx.Response(200, content=json.dumps(listed[: int(request.url.params["limit"])]))

    return pf.Client("http://127.0.0.1:9/v1", "k", transport=httpx.MockTransport(answer))


def test_a_cut_emoji_is_told_and_costs_no_claim() -> None:
    """The listing stays complete, and says how many pets have U+FFFD in the place of a half."""
    inventory = pf.fetch_inventory(client_of(7))
    known = inventory.completeness
    assert known.covers_all
    assert [each.count for each in known.evidence if each.fact is Fact.TEXTS_DAMAGED] == [4]
    assert known.contradictions == ()
    assert inventory.frame["name"].tolist() == ["Cut \ufffd", "Luna"] * 3 + ["Cut \ufffd"]
    assert inventory.frame["name"].dtype == pd.Series(dtype="str").dtype


def test_a_cut_emoji_is_found_by_its_id() -> None:
    """A search gives the same text as a listing, whichever way it takes."""
    client = client_of(7)
    with pytest.warns(pf.errors.EndpointDeprecatedWarning):
        by_id = client.find_pet(1, allow_deprecated=True).pet
    listed = client.find_pet(3).pet
    assert by_id is not None and by_id.name == "Cut \ufffd"
    assert listed is not None and listed.name == "Cut \ufffd"


def test_a_cut_emoji_can_be_kept_and_written(tmp_path: Path) -> None:
    """Every file of ours can hold what was read."""
    inventory = pf.fetch_inventory(client_of(7))
    pf.History(tmp_path / "history").add(inventory)
    written = [
        pf.write_report(inventory, tmp_path / f"stock.{kind}") for kind in ("parquet", "csv")
    ]
    assert pd.read_parquet(written[0])["name"].tolist() == inventory.frame["name"].tolist()
    assert "Cut \ufffd" in written[1].read_text("utf-8-sig")
