"""A reading survives a store that is busy, limits its requests, or is away for a moment."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Callable, Iterator

import httpx
import pandas as pd
import pytest

import petstore_frame as pf
from clocks import timed_client
from server_variants.answers import BASE_URL, Query, pets, refusal, served

Answer = Callable[[Query], httpx.Response]


class Time:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)

    def clock(self) -> float:
        return self.now


def client_at(time: Time, answer: Answer, **options: float) -> pf.Client:
    transport = httpx.MockTransport(lambda request: answer(dict(request.url.params)))
    return timed_client(
        BASE_URL, "a-key", transport=transport, sleep=time.sleep, clock=time.clock, **options
    )


def test_a_limit_of_requests_per_minute_only_takes_time() -> None:
    """15,000 pets at 60 requests per minute are read to the end."""
    time, rows, sent = Time(), pets(15_000), list[float]()

    def answer(query: Query) -> httpx.Response:
        sent[:] = [at for at in sent if at > time.now - 60]
        if len(sent) >= 60:
            headers = {"Retry-After": str(int(sent[0] + 60 - time.now) + 1)}
            error = {"code": "limit", "message": "slow down", "status": 429}
            return httpx.Response(429, headers=headers, json=error)
        sent.append(time.now)
        return served(rows, query, "links")

    inventory = pf.fetch_inventory(client_at(time, answer), progress=False)
    assert (inventory.completeness.verdict, len(inventory)) == ("complete", 15_000)
    assert max(time.waits) > 30


@pytest.mark.parametrize("away_s", [3, 60, 170])
def test_a_store_that_is_away_loses_no_reading(away_s: float) -> None:
    """A store that restarts in the middle of a listing is waited for."""
    time, rows = Time(), pets(500)

    def answer(query: Query) -> httpx.Response:
        if query.get("at") == "300" and time.now < away_s:
            raise httpx.ConnectError("connection refused")
        return served(rows, query, "links")

    assert len(pf.fetch_inventory(client_at(time, answer), progress=False)) == 500


def test_a_wrong_address_fails_within_seconds() -> None:
    """Until a store has responded once, nobody waits for minutes."""
    time = Time()

    def answer(_: Query) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    with pytest.raises(pf.APIConnectionError):
        pf.fetch_inventory(client_at(time, answer), progress=False)
    assert time.now <= 4


@pytest.mark.parametrize(
    "wrong",
    [
        httpx.Response(200, json={"code": "busy", "message": "m", "status": 503}),
        httpx.Response(200, html="<html>Starting</html>"),
    ],
    ids=["an Error body", "an HTML page"],
)
def test_a_page_that_is_no_list_is_asked_for_again(wrong: httpx.Response) -> None:
    """In the middle of a listing it comes from a program on the way, and passes like a 503."""
    time, rows = Time(), pets(500)
    faults: Iterator[httpx.Response] = iter([wrong, wrong])

    def answer(query: Query) -> httpx.Response:
        fault = next(faults, None) if query.get("at") == "300" else None
        return served(rows, query, "links") if fault is None else fault

    inventory = pf.fetch_inventory(client_at(time, answer), progress=False)
    assert inventory.completeness.covers_all


CUT = json.dumps(pets(100)).encode()[:2000]
WRONG: dict[str, tuple[bytes, dict[str, str]]] = {
    "half a list": (CUT, {}),
    "half a list, packed": (gzip.compress(CUT)[:200], {"Content-Encoding": "gzip"}),
    "an HTML page": (b"<html>Starting</html>", {"Content-Type": "text/html"}),
}


@pytest.mark.parametrize(("body", "headers"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_cut_response_is_asked_for_again(
    body: bytes, headers: dict[str, str], number: int
) -> None:
    """Whether it is the first page or a later one, the listing is read to its end."""
    rows, requests = pets(500), itertools.count(1)

    def answer(query: Query) -> httpx.Response:
        if next(requests) != number:
            return served(rows, query, "links")
        # A body that nobody has read, as it comes from a socket.
        return httpx.Response(200, stream=httpx.ByteStream(body), headers=headers)

    assert pf.fetch_inventory(client_at(Time(), answer), progress=False).completeness.covers_all


def test_a_pet_is_asked_for_again_if_its_response_was_cut() -> None:
    """A single pet is read as patiently as a listing."""
    bodies = iter([b'{"id":1,"na', b'{"id":1,"name":"Luna","categoryId":3}'])
    client = client_at(Time(), lambda _: httpx.Response(200, content=next(bodies)))
    with pytest.warns(pf.EndpointDeprecatedWarning):
        assert client.get_pet(1).name == "Luna"


@pytest.mark.parametrize("refused", [{"Retry-After": "20"}, {}], ids=["429", "503"])
def test_a_question_beside_the_listing_costs_seconds(refused: dict[str, str]) -> None:
    """A filter that is always refused does not keep a complete listing waiting."""
    time, rows, requests = Time(), pets(300), []

    def answer(query: Query) -> httpx.Response:
        requests.append(query)
        if "status" in query:
            return httpx.Response(429 if refused else 503, headers=refused, json={})
        return served(rows, query, "links")

    inventory = pf.fetch_inventory(client_at(time, answer), progress=False)
    assert inventory.completeness.covers_all
    assert time.now <= 10
    assert len(requests) <= 12


def test_a_page_that_is_called_partial_is_a_page() -> None:
    """A store may answer with 206 because a page is a part of its listing."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        page = served(rows, query, "links")
        return httpx.Response(206, content=page.content, headers=page.headers)

    assert pf.fetch_inventory(client_at(Time(), answer), progress=False).completeness.covers_all


def test_the_progress_bar_says_that_the_store_is_not_answering(capsys) -> None:
    """During an outage a person sees that the reading goes on, and when."""
    time = Time()

    def answer(query: Query) -> httpx.Response:
        return (
            refusal(503) if "at" in query and time.now < 60 else served(pets(300), query, "links")
        )

    pf.fetch_inventory(client_at(time, answer), progress=True)
    assert "the store is not answering; trying again in" in capsys.readouterr().err


def test_the_progress_bar_says_that_the_store_asked_to_wait(capsys) -> None:
    """A person who watches sees why nothing moves."""
    time, faults = Time(), iter([True])

    def answer(query: Query) -> httpx.Response:
        if query.get("at") == "100" and next(faults, False):
            return httpx.Response(429, headers={"Retry-After": "40"}, json=refusal(429).json())
        return served(pets(300), query, "links")

    pf.fetch_inventory(client_at(time, answer), progress=True)
    assert "the store asked us to wait 40 s" in capsys.readouterr().err


def test_a_load_says_that_the_store_asked_to_wait_before_it_sends(capsys, tmp_path) -> None:
    """The store is read before the first row is sent, and the bar says why that takes time."""
    time, faults = Time(), iter([True])

    def answer(query: Query) -> httpx.Response:
        if next(faults, False):
            return httpx.Response(429, headers={"Retry-After": "40"}, json=refusal(429).json())
        return served([], query, "links")

    rows = pd.DataFrame({"id": ["a-1"], "name": ["Luna"], "category_id": [3]})
    client = client_at(time, answer)
    pf.load(rows, client, key="id", journal=tmp_path, progress=True, dry_run=True)
    assert "the store asked us to wait 40 s" in capsys.readouterr().err
    assert time.waits == [40]
