"""What the client makes of answers and links that leave the interface, on real sockets."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import petstore_frame as pf
from clocks import timed_client
from faults.hostile import (
    KEY,
    Answer,
    HostileStore,
    http,
    opened,
    page_number,
    pages,
    pets_body,
    press_ctrl_c,
)

PROBLEM = '{"type":"https://stoplight.io/prism/errors#NOT_FOUND","title":"Not here","status":404}'


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (http("404 Not Found", PROBLEM, kind="x/problem+json"), "NotFoundError", "stoplight"),
        (http("404 Not Found", "{}"), "NotFoundError", "begins '{}'"),
        (http("422 Unprocessable Content", '{"error":{"x":1}}'), "APIStatusError", "error"),
        (http("401 Unauthorized", ""), "AuthenticationError", "empty body"),
        (http("403 Forbidden", "no", kind=""), "APIStatusError", "no content type"),
        (http("502 Bad Gateway", "<html>", kind="text/html"), "ServerError", "text/html"),
        (http("400 No", '{"code":"x","message":"why","status":400}'), "BadRequestError", "x: why"),
        (http("302 Found", "", "Location: /v2/pets"), "ContractError", "302"),
        (http("200 OK", "<html>", kind="text/html"), "ContractError", "<html>"),
        (http("200 OK", '[{"id":1,"name"'), "ContractError", "does not match the interface"),
        (http("200 OK", "{}"), "ContractError", "does not match the interface"),
        (http("204 No Content", ""), "ContractError", "204"),
    ],
)
def test_every_answer_has_a_typed_error(answer: bytes, kind: str, words: str) -> None:
    """Whatever a server sends, the error has a type of ours, the status and the first words."""
    with opened(lambda _: answer, retry_timeout=0) as (_, client):
        with pytest.raises(pf.PetstoreError) as caught:
            client.list_pets()
    assert type(caught.value).__name__ == kind
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", ["408 Request Timeout", "429 Too Many Requests", "503 Busy"])
def test_a_passing_refusal_of_a_get_is_tried_again(status: str) -> None:
    """A GET is repeated after 408, 429 and 5xx, with the wait that the store asked for."""
    answers = [http(status, "{}", "Retry-After: 3"), http("200 OK", pets_body(1))]
    waits: list[float] = []
    with opened(lambda _: answers.pop(0), sleep=waits.append) as (_, client):
        assert len(client.list_pets()) == 1
    assert [wait >= 3 for wait in waits] == [True]


def ended_by_closing(body: str) -> Iterator[bytes]:
    """Yield an answer of no stated length, and drop the connection behind it."""
    yield b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body.encode()
    raise ConnectionError


def test_a_cut_body_is_no_answer() -> None:
    """A body that stops early is tried again, whatever its stated length; none is read as it is."""
    whole = http("200 OK", pets_body(1, 2))
    cut = [ended_by_closing(pets_body(1, 2)[:end]) for end in (1, 20, -1)]
    too_short = whole.replace(b"Content-Length: ", b"Content-Length: 9")
    answers = [*cut, too_short, whole]
    with opened(lambda _: answers.pop(0), timeout=0.3) as (store, client):
        assert len(client.list_pets()) == 2
    assert len(store.heads) == 5
    with opened(lambda _: ended_by_closing("[{"), retry_timeout=0) as (_, client):
        with pytest.raises(pf.ContractError, match="does not match the interface"):
            client.list_pets()


@pytest.mark.parametrize(
    ("is_there", "reasons"),
    [(True, {"remote_protocol_error", "read_error"}), (False, {"connect_error"})],
)
def test_a_post_is_never_repeated(is_there: bool, reasons: set[str]) -> None:
    """After a drop nobody knows the POST's end; where nobody listens, nothing was applied."""
    with HostileStore(lambda _: None) as store, timed_client(store.base_url, KEY) as client:
        if not is_there:
            store.close()
        with pytest.raises(pf.APIConnectionError) as caught:
            client.create_pet("Luna", 3)
    assert (len(store.heads), caught.value.may_have_been_applied) == (int(is_there), is_there)
    assert caught.value.reason in reasons


def test_a_wait_that_is_too_long_is_left_to_the_caller() -> None:
    """It is not waited, and the error has it; after a POST the caller looks for the pet first."""
    answer = http("503 Oh", "{}", "Retry-After: 3600")
    with opened(lambda _: answer, retry_timeout=1) as (store, client):
        with pytest.raises(pf.APIStatusError) as read:
            client.list_pets()
        with pytest.raises(pf.APIStatusError, match="may have been added; look for it before"):
            client.create_pet("Luna", 3)
    assert (len(store.heads), read.value.retry_after_s) == (2, 3600)


def test_get_pet_tells_the_days_left() -> None:
    """The date is told once a client, at the caller's line; another pet is found out."""
    body = '{"id":1,"name":"a","categoryId":1}'
    with opened(lambda _: http("200 OK", body)) as (_, client):
        words = r"5 December 2030 \([\d,]+ days left"
        with pytest.warns(pf.EndpointDeprecatedWarning, match=words) as told:
            assert client.get_pet(1).id == 1
        assert client.get_pet(1).name == "a"
        with pytest.raises(pf.ContractError, match="pet 2, but the store returned pet 1"):
            client.get_pet(2)
    assert (len(told), told[0].filename) == (1, __file__)


FAILED, NO_PETS = (lambda _: http("500 Oh", "{}")), (lambda _: http("200 OK", '[{"id":"x"}]'))


@pytest.mark.parametrize("fault", [FAILED, NO_PETS, lambda _: None, press_ctrl_c])
def test_a_broken_walk_keeps_what_was_read(fault: Answer) -> None:
    """The error has the pets of the pages before, marked incomplete, and says where."""
    with opened(pages(5, {4: [fault]}), retry_timeout=0) as (_, client):
        with pytest.raises((pf.IncompleteInventoryError, KeyboardInterrupt)) as caught:
            pf.fetch_inventory(client)
        partial = caught.value.partial
        assert "sys.last_value.partial" in caught.value.__notes__[0]  # what a prompt shows
    assert (len(partial), partial.completeness.verdict) == (6, "incomplete")


def test_the_key_never_leaves_for_another_origin() -> None:
    """Neither a next link to another host nor a redirect is followed: nothing arrives there."""
    with HostileStore(lambda _: http("200 OK", pets_body(9))) as thief:
        link = f'Link: <{thief.base_url}/pets?page=2>; rel="next"'
        with opened(lambda _: http("200 OK", pets_body(1), link)) as (_, client):
            assert not pf.fetch_inventory(client).completeness.is_complete
        answer = http("307 Temporary Redirect", "", f"Location: {thief.base_url}/pets")
        with opened(lambda _: answer, retry_timeout=0) as (_, client):
            with pytest.raises(pf.ContractError):
                client.list_pets()
            with pytest.raises(pf.PetstoreError):
                client.create_pet("Luna", 1)
        assert thief.heads == []


@pytest.mark.parametrize(
    ("link", "words"),
    [
        # Another scheme, or an address without one, is another origin too.
        ("//127.0.0.1:1/v1/pets", "127.0.0.1:1"),
        ("https://127.0.0.1/v1/pets", "https://127.0.0.1"),
        ("mailto:me@store.example", "pointed to mailto://, which"),
        # A template that was not filled in is an error of ours that names the link's fault.
        ("http://me:hidden@host:{port}/v1/pets?cursor=hidden", "the store's link cannot be read"),
    ],
)
def test_a_link_that_leads_nowhere_keeps_the_pets(link: str, words: str) -> None:
    """It is not followed, and the verdict says why; no secret of it is shown."""
    answer = http("200 OK", pets_body(1), f"Link: <{link}>; rel=next")
    with opened(lambda _: answer, retry_timeout=0) as (store, client):
        inventory = pf.fetch_inventory(client)
        assert all("GET /v1/pets?limit=100" in head for head in store.heads)
        assert pf.find_pet(client, 7).state == "unknown"
    completeness = inventory.completeness
    assert (completeness.verdict, completeness.rows) == ("unknown", 1)
    assert re.search(words, completeness.reason) and "hidden" not in completeness.reason


def test_a_user_in_a_next_link_is_not_sent() -> None:
    """A link of our origin with a user in it is followed without one."""

    def answer(head: str) -> bytes:
        link = f"Link: <{store.base_url.replace('//', '//me:pw@')}/pets?page=2>; rel=next"
        return http("200 OK", pets_body(page_number(head)), *([link] * (page_number(head) < 2)))

    with opened(answer) as (store, client):
        assert len(pf.fetch_inventory(client)) == 2
    assert all(head.count("Authorization: Bearer") == 1 for head in store.heads)
    assert not any("me:pw" in head or "Basic" in head for head in store.heads)
