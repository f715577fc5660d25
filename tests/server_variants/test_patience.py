"""A reading survives a store that is busy, limits its requests, or is away for a moment."""

from __future__ import annotations

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
