"""The exact bytes sent and accepted, on tape: the three operations and their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

import petstore_frame as pf
from replay.exchanges import BASE_URL, CASSETTES, EXCHANGES, SECRET_HEADERS, tape
from replay.key_scan import find_keys

TAPES = sorted(path.stem for path in CASSETTES.glob("*.yaml"))


def leak_in(side: str, name: str) -> Callable[[dict[str, Any], str], None]:
    """Return what writes a key into a header of a request or of a response."""
    return lambda exchange, key: exchange[side]["headers"].update({name: [key]})


# Each place of an exchange that may hold a key, with what writes one there.
LEAKS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "address": lambda exchange, key: exchange["request"].update(
        uri=f"{exchange['request']['uri']}&api_key={key}"
    ),
    "cursor": lambda exchange, key: exchange["request"].update(
        uri=f"{BASE_URL}/pets?limit=100&cursor={key}"
    ),
    "request body": lambda exchange, key: exchange["request"].update(body=f'{{"name":"{key}"}}'),
    "response body": lambda exchange, key: exchange["response"]["body"].update(
        string=f'[{{"id":1,"name":"{key}","categoryId":2}}]'
    ),
    "reason": lambda exchange, key: exchange["response"]["status"].update(message=key),
    **{
        f"{side} {name}": leak_in(side, name)
        for side in ("request", "response")
        for name in (*SECRET_HEADERS, "etag", "x-request-id", "x-store-id", "link", "x-other")
    },
}


def replayed_client() -> pf.Client:
    """Return a plain client, as a user has it."""
    return pf.Client(BASE_URL, "another-key", max_retries=0)


def play(name: str) -> Any:
    """Replay an exchange; a request that is not on the tape fails."""
    with replayed_client() as client:
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
    """The next links lead to the end of the store; the first page is read again to see it stand."""
    inventory = play("list_whole")
    assert (len(inventory), inventory.completeness.covers_all) == (250, True)
    cursors = ["cursor=" in exchange["request"]["uri"] for exchange in recorded("list_whole")]
    assert cursors == [False] * 4 + [True, True, False]


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
    with replayed_client() as client:
        with tape("none").use_cassette("list_one_page"):
            with pytest.raises(Exception, match=r"no recorded|overwrite existing"):
                client.list_pets(6)


def test_every_exchange_is_on_tape() -> None:
    """The tapes and the exchanges are the same set."""
    assert sorted(EXCHANGES) == TAPES


@pytest.mark.parametrize("name", TAPES)
def test_each_answer_names_its_store(name: str) -> None:
    """Each answer of the service has the id of its store, on which clients rely."""
    answers = [exchange["response"]["headers"] for exchange in recorded(name)]
    assert answers
    assert all(len(headers["x-store-id"]) == 1 for headers in answers)


@pytest.mark.parametrize("name", TAPES)
def test_no_key_is_on_a_tape(name: str) -> None:
    """No address, body or header of a tape holds anything that looks like a key."""
    assert find_keys(recorded(name)) == []
    assert "psk_" not in (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["psk_short", "Zq3-8fVtXw0_yJ1mKc5LsA7b", "Bearer abc"])
@pytest.mark.parametrize("place", sorted(LEAKS))
def test_a_key_on_a_tape_is_found(place: str, key: str) -> None:
    """The scan sees a key in each place of a tape, the headers with harmless values included."""
    exchanges = recorded("list_whole")
    assert find_keys(exchanges) == []
    LEAKS[place](exchanges[-1], key)
    assert [found for found in find_keys(exchanges) if key in found]
