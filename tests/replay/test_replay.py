"""The exact bytes sent and accepted, on tape: the three operations and their errors."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from exchanges import BASE_URL, CASSETTES, EXCHANGES, REPLACED, SECRET_HEADERS, tape

import petstore_frame as pf

TAPES = sorted(path.stem for path in CASSETTES.glob("*.yaml"))


def play(name: str) -> Any:
    """Replay an exchange; a request that is not on the tape fails."""
    with pf.Client(BASE_URL, "another-key", max_retries=0) as client:
        with tape("none").use_cassette(name) as cassette:
            try:
                return EXCHANGES[name](client)
            finally:
                assert cassette.all_played


def recorded(name: str) -> list[dict[str, Any]]:
    text = (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["interactions"]


def test_a_page_is_read() -> None:
    """One request, one page, in the store's order."""
    page = play("list_one_page")
    assert (len(page), page.limit) == (5, 5)
    assert page.columns.id == [1, 2, 3, 4, 5]


def test_a_filter_is_sent() -> None:
    """The status goes into the query, and only its pets come back."""
    page = play("list_by_status")
    assert set(page.columns.status) == {"pending"}
    assert recorded("list_by_status")[0]["request"]["uri"].endswith("?limit=100&status=pending")


def test_a_whole_inventory_is_read() -> None:
    """The next links of the store lead to its end."""
    inventory = play("list_whole")
    assert (len(inventory), inventory.completeness.covers_all) == (250, True)
    assert [len(exchange) for exchange in [recorded("list_whole")]] == [4]


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


@pytest.mark.parametrize(
    ("name", "error", "code"),
    [
        ("create_refused", pf.BadRequestError, "invalid_request"),
        ("wrong_key", pf.AuthenticationError, "unauthorized"),
    ],
)
def test_a_refusal_has_its_type(name: str, error: type[pf.APIStatusError], code: str) -> None:
    """An Error body becomes an error of its status, with the store's code."""
    with pytest.raises(error) as caught:
        play(name)
    assert caught.value.code == code


def test_a_pet_is_fetched_by_id() -> None:
    """The deprecated operation gives the pet, and a warning."""
    with pytest.warns(pf.EndpointDeprecatedWarning, match="5 December 2030"):
        assert play("get").id == 7


def test_a_missing_pet_is_not_found() -> None:
    """A 404 is a NotFoundError, with the same warning."""
    with pytest.warns(pf.EndpointDeprecatedWarning), pytest.raises(pf.NotFoundError):
        play("get_missing")


def test_a_request_that_is_not_on_tape_fails() -> None:
    """Record mode none: nothing is sent that was not recorded."""
    with pf.Client(BASE_URL, "another-key", max_retries=0) as client:
        with tape("none").use_cassette("list_one_page"):
            with pytest.raises(Exception, match=r"no recorded|overwrite existing"):
                client.list_pets(6)


def test_every_exchange_is_on_tape() -> None:
    """The tapes and the exchanges are the same set."""
    assert sorted(EXCHANGES) == TAPES


@pytest.mark.parametrize("name", TAPES)
def test_no_key_is_on_a_tape(name: str) -> None:
    """Every secret header was replaced, both ways, and nothing else looks like a key."""
    text = (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")
    for exchange in recorded(name):
        for headers in (exchange["request"]["headers"], exchange["response"]["headers"]):
            secret = [value for key, value in headers.items() if key.lower() in SECRET_HEADERS]
            assert all(REPLACED in value for value in secret), secret
    assert "Bearer" not in text
    assert not re.search(r"\b(?!9007199254740993)[A-Za-z0-9_-]{32,}\b", unmarked(text))


def unmarked(text: str) -> str:
    """Leave out what is long and no secret: tags, request ids and cursors of the recorded store."""
    lines = text.splitlines()
    known = re.compile(r"(?i)etag|x-request-id|cursor=|uri:|string:|^\s*-? ?'?\"?[0-9a-f-]{36}")
    return "\n".join(line for line in lines if not known.search(line))
