"""The exact bytes sent and accepted, on tape: the three operations and their errors.

The tapes hold answers of the bundled service. To record them anew after the service
changed: ``PYTHONPATH=tests python -m replay.record``.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import petstore_frame as pf
from replay.record import BASE_URL, CASSETTES, EXCHANGES, REPLACED, tape


def play(name: str) -> Any:
    """Replay an exchange by a plain client; a request that is not on the tape fails."""
    with pf.Client(BASE_URL, "another-key", retry_timeout=0) as client:
        with tape("none").use_cassette(name) as cassette:
            try:
                return EXCHANGES[name](client)
            finally:
                assert cassette.all_played


def text_of(name: str) -> str:
    return (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")


def recorded(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load(text_of(name))["interactions"]


def test_a_whole_inventory_is_read() -> None:
    """The next links lead to the end of the store; the first page is read again to see it stand."""
    inventory = play("list_whole")
    assert (len(inventory), inventory.completeness.covers_all) == (250, True)
    cursors = ["cursor=" in exchange["request"]["uri"] for exchange in recorded("list_whole")]
    assert cursors == [False] * 4 + [True, True, False]


def test_a_page_is_read() -> None:
    """One request, one page, in the store's order; a status goes into the query."""
    page, pending = play("list_one_page"), play("list_by_status")
    assert (page.columns.id, page.limit) == ([1, 2, 3, 4, 5], 5)
    assert set(pending.columns.status) == {"pending"}
    assert recorded("list_by_status")[0]["request"]["uri"].endswith("?limit=100&status=pending")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("create", '{"name":"Žofie 🐱","categoryId":9007199254740993}'),
        ("create_with_status", '{"name":"=1+1","categoryId":3,"status":"sold"}'),
    ],
)
def test_a_pet_is_added_with_these_bytes(name: str, body: str) -> None:
    """The body holds the wire names, text as it is, and no status that was not given."""
    pet = play(name)
    sent = recorded(name)[0]["request"]["body"]
    assert (sent if isinstance(sent, str) else sent.decode()) == body
    assert pet.id == 251


def test_one_pet_or_a_refusal_is_read() -> None:
    """One pet comes with a warning; an Error body is an error of its status, with its code."""
    with pytest.warns(pf.EndpointDeprecatedWarning, match="5 December 2030"):
        assert play("get").id == 7
    with pytest.warns(pf.EndpointDeprecatedWarning), pytest.raises(pf.NotFoundError):
        play("get_missing")
    with pytest.raises(pf.BadRequestError, match="invalid_request"):
        play("create_refused")
    with pytest.raises(pf.AuthenticationError, match="unauthorized"):
        play("wrong_key")


def test_no_key_is_on_a_tape() -> None:
    """No tape holds what looks like a key, each answer names its store, and none is too many."""
    assert {path.stem for path in CASSETTES.glob("*.yaml")} == EXCHANGES.keys()
    exchanges = [exchange for name in EXCHANGES for exchange in recorded(name)]
    lines = [line for exchange in exchanges for line in exchange["request"]["headers"].items()]
    keys = [value for name, value in lines if name.lower() == "authorization"]
    assert keys == [[REPLACED]] * len(exchanges)
    assert not any("psk_" in text_of(name) or "Bearer" in text_of(name) for name in EXCHANGES)
    assert all(len(exchange["response"]["headers"]["x-store-id"]) == 1 for exchange in exchanges)
