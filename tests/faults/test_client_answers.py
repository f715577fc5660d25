"""What the client makes of answers that leave the interface, on real sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import petstore_frame as pf
from clocks import timed_client
from faults.hostile import HostileStore, http, pets_body

KEY = "a-key-that-must-not-travel"


def client_of(store: HostileStore, waits: list[float] | None = None, **options) -> pf.Client:
    sleep = (waits if waits is not None else []).append
    return timed_client(store.base_url, KEY, sleep=sleep, **options)


PROBLEM = '{"type":"https://stoplight.io/prism/errors#NOT_FOUND","title":"Not here","status":404}'


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (http("404 Not Found", PROBLEM, kind="x/problem+json"), "NotFoundError", "stoplight"),
        (http("404 Not Found", "{}"), "NotFoundError", "begins '{}'"),
        (http("422 Unprocessable Content", '{"error":{"x":1}}'), "APIStatusError", "error"),
        (http("401 Unauthorized", ""), "AuthenticationError", "empty body"),
        (http("403 Forbidden", "no", kind=""), "PermissionDeniedError", "no content type"),
        (http("502 Bad Gateway", "<html>", kind="text/html"), "ServerError", "text/html"),
        (http("400 No", '{"code":"x","message":"why","status":400}'), "BadRequestError", "x: why"),
        (http("302 Found", "", "Location: /v2/pets"), "ContractError", "302"),
        (http("200 OK", "<html>", kind="text/html"), "ContractError", "<html>"),
        (http("200 OK", '[{"id":1,"name"'), "ContractError", "not what the interface states"),
        (http("200 OK", "{}"), "ContractError", "not what the interface states"),
        (http("204 No Content", ""), "ContractError", "204"),
    ],
)
def test_every_answer_has_a_typed_error(answer: bytes, kind: str, words: str) -> None:
    """Whatever a server sends, the error has a type of ours, the status and the first words."""
    with HostileStore(lambda _: answer) as store, client_of(store, max_retries=0) as client:
        with pytest.raises(pf.PetstoreError) as caught:
            client.list_pets()
    assert type(caught.value).__name__ == kind
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


def test_what_a_later_interface_adds_is_carried() -> None:
    """Unknown statuses, a null status and all of int64 are kept; further fields do no harm."""
    body = (
        '[{"id":9223372036854775807,"name":"a","categoryId":-9223372036854775808,'
        '"status":"reserved","colour":"red"},'
        '{"id":-1,"name":"b","categoryId":1.0,"status":null}]'
    )
    with HostileStore(lambda _: http("200 OK", body)) as store, client_of(store) as client:
        frame = pf.fetch_inventory(client).frame
    assert list(frame["id"]) == [2**63 - 1, -1]
    assert list(frame["category_id"]) == [-(2**63), 1]
    assert list(frame["status"].astype("object").fillna("none")) == ["reserved", "none"]
    assert list(frame) == ["id", "name", "category_id", "status"]


def test_a_single_pet_keeps_further_fields_and_a_page_does_not() -> None:
    """``get_pet`` and ``create_pet`` carry what a later interface adds; a Page has four fields."""
    pet = '{"id":1,"name":"a","categoryId":2,"colour":"red"}'

    def answer(head: str) -> bytes:
        if head.startswith("POST"):
            return http("201 Created", pet)
        return http("200 OK", pet if "/pets/1" in head else f"[{pet}]")

    with HostileStore(answer) as store, client_of(store) as client:
        with pytest.warns(pf.EndpointDeprecatedWarning):
            alone = [client.get_pet(1), client.create_pet("a", 2)]
        listed = client.list_pets().pets
    assert [found.model_extra for found in alone] == [{"colour": "red"}] * 2
    assert [found.model_dump() for found in listed] == [
        {"id": 1, "name": "a", "category_id": 2, "status": None}
    ]


@pytest.mark.parametrize("status", ["408 Request Timeout", "429 Too Many Requests", "503 Busy"])
def test_a_passing_refusal_of_a_get_is_tried_again(status: str) -> None:
    """A GET is repeated after 408, 429 and 5xx, with the wait that the store asked for."""
    answers = [http(status, "{}", "Retry-After: 3"), http("200 OK", pets_body(1))]
    waits: list[float] = []
    with HostileStore(lambda _: answers.pop(0)) as store, client_of(store, waits) as client:
        assert len(client.list_pets()) == 1
    assert [wait >= 3 for wait in waits] == [True]


def test_a_long_wait_is_the_callers_choice() -> None:
    """A Retry-After above the cap ends the attempts at once and is in the error."""
    busy = http("429 Too Many Requests", "{}", "Retry-After: 86400")
    with HostileStore(lambda _: busy) as store, client_of(store) as client:
        with pytest.raises(pf.errors.RateLimitError) as caught:
            client.list_pets()
    assert (caught.value.retry_after_s, len(store.heads)) == (86400.0, 1)


def test_a_dropped_connection_is_tried_again_and_then_told() -> None:
    """A store that drops each GET is asked again a few times, and the error says what it was."""
    with HostileStore(lambda _: None) as store, client_of(store, max_retries=2) as client:
        with pytest.raises(pf.APIConnectionError) as caught:
            client.list_pets()
    assert len(store.heads) == 3
    assert caught.value.reason in ("closed", "reset")


def test_a_cut_body_is_no_answer() -> None:
    """A body shorter than its length is tried again, never read as it is."""
    whole = http("200 OK", pets_body(1, 2))
    answers: list[bytes | None] = [whole.replace(b"Content-Length: ", b"Content-Length: 9"), whole]

    def answer(_: str) -> bytes | None:
        return answers.pop(0)

    with HostileStore(answer) as store, client_of(store, timeout_s=0.3) as client:
        assert len(client.list_pets()) == 2
    assert len(store.heads) == 2


def ended_by_closing(body: str) -> Iterator[bytes]:
    """Yield an answer of no stated length, and drop the connection behind it."""
    yield b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body.encode()
    raise ConnectionError


WHOLE = '[{"id":1,"name":"a]}","categoryId":1,"more":[{"x":"y"}]}]'


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_body_without_a_length_that_stops_early_is_tried_again(length: int) -> None:
    """Where a connection's end is the body's, JSON that stops in the middle was cut."""
    bodies = [WHOLE[:length], WHOLE]
    with HostileStore(lambda _: ended_by_closing(bodies.pop(0))) as store:
        with client_of(store) as client:
            assert client.list_pets().columns.id == [1]
    assert len(store.heads) == 2


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (WHOLE[:30], "APIConnectionError", "the answer broke off; try again"),
        (WHOLE.replace("1,", "1;"), "ContractError", "not what the interface states"),
        ("<html>", "ContractError", "not what the interface states"),
    ],
)
def test_a_body_that_always_stops_early_is_no_fault_of_the_interface(
    body: str, kind: str, words: str
) -> None:
    """The error distinguishes an answer that broke off from one that is not a list of pets."""
    with HostileStore(lambda _: ended_by_closing(body)) as store:
        with client_of(store, max_retries=2) as client, pytest.raises(pf.PetstoreError) as caught:
            client.list_pets()
    assert (type(caught.value).__name__, words in str(caught.value)) == (kind, True)
    assert len(store.heads) == (3 if kind == "APIConnectionError" else 1)


def test_patience_has_an_end() -> None:
    """However many retries are left, no attempt begins when the time without progress is over."""
    ticks = iter(range(0, 10**6, 60))
    with HostileStore(lambda _: http("500 Oh", "{}")) as store:
        options = {"max_retries": 50, "clock": lambda: float(next(ticks))}
        with client_of(store, **options) as client, pytest.raises(pf.errors.ServerError):
            client.list_pets()
    assert len(store.heads) < 4


def test_a_post_is_never_repeated() -> None:
    """After a drop the POST's end is unknown: it was sent once, and the error says so."""
    with HostileStore(lambda _: None) as store, client_of(store) as client:
        with pytest.raises(pf.APIConnectionError) as caught:
            client.create_pet("Luna", 3)
    assert len(store.heads) == 1
    assert caught.value.may_have_been_applied


@pytest.mark.parametrize(
    ("status", "header", "of_get", "of_post"),
    [
        ("500 Oh", "X-A: b", "; try again later", "; the pet may have been added; look for it"),
        (
            "503 Oh",
            "Retry-After: 3600",
            "; try again after the 3,600 s that the store asks for",
            "s",
        ),
        ("503 Oh", "Retry-After: 0", "; try again later", "; the pet may have been added"),
        ("429 Oh", "X-A: b", "; try again later", "; try again later, or with fewer workers"),
        (
            "429 Oh",
            "Retry-After: 3600",
            "; try again after the 3,600 s that the store asks for",
            "; try again after the 3,600 s that the store asks for, or with fewer workers",
        ),
    ],
)
def test_the_next_step_is_one_that_the_caller_has(
    status: str, header: str, of_get: str, of_post: str
) -> None:
    """A read speaks of no POST and no workers, and the wait that the store asks for is named."""
    with HostileStore(lambda _: http(status, "{}", header)) as store:
        with client_of(store, max_retries=0) as client:
            with pytest.raises(pf.APIStatusError) as read:
                client.list_pets()
            with pytest.raises(pf.APIStatusError) as added:
                client.create_pet("Luna", 3)
    assert str(read.value).endswith(of_get)
    assert of_post in str(added.value)


def test_a_refused_connection_is_proof() -> None:
    """Where nobody listens nothing was applied, for a POST too."""
    with HostileStore(lambda _: None) as store:
        address = store.base_url
    with timed_client(address, KEY) as client:
        with pytest.raises(pf.APIConnectionError) as caught:
            client.create_pet("Luna", 3)
    assert (caught.value.reason, caught.value.may_have_been_applied) == ("refused", False)


@pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")
def test_another_pet_is_no_answer() -> None:
    """A store that answers with another pet than the one asked for, as mocks do, is found out."""
    body = '{"id":1,"name":"a","categoryId":1}'
    with HostileStore(lambda _: http("200 OK", body)) as store, client_of(store) as client:
        with pytest.raises(pf.ContractError, match="pet 2, the store answered with pet 1"):
            client.get_pet(2)


def test_get_pet_tells_the_days_left() -> None:
    """The interface's own date is told, once a client, at the caller's own line."""
    body = '{"id":1,"name":"a","categoryId":1}'
    with HostileStore(lambda _: http("200 OK", body)) as store, client_of(store) as client:
        words = r"5 December 2030 \([\d,]+ days left"
        with pytest.warns(pf.EndpointDeprecatedWarning, match=words) as told:
            assert client.get_pet(1).id == 1
        assert client.get_pet(1).name == "a"
    assert (len(told), told[0].filename) == (1, __file__)


@pytest.mark.parametrize(
    "line",
    ["Deprecation: true", "Retry-After: Mon, 01 Jan 2020 99999999999999999999:00:00 GMT"],
)
def test_no_header_costs_a_created_pet_its_id(line: str) -> None:
    """Where warnings are errors, and beside header lines of nonsense, a 201 still gives its pet."""
    answer = http("201 Created", '{"id":7,"name":"Luna","categoryId":1}', line)
    with HostileStore(lambda _: answer) as store, client_of(store) as client:
        assert client.create_pet("Luna", 1).id == 7
