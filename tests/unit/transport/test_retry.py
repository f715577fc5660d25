"""When a GET is sent again, and after how long."""

from __future__ import annotations

from typing import Any

import pytest

from petstore_frame.errors import (
    APIConnectionError,
    ContractError,
    PetstoreError,
    RateLimitError,
    ServerError,
)
from petstore_frame.schema import PetColumns
from petstore_frame.transport import Response
from petstore_frame.transport.post_outcome import status_error
from petstore_frame.transport.retry import Retries, Wait, is_transient

FAILED = ServerError(500, "failed")
UNAVAILABLE = ServerError(503, "unavailable")
NO_CONNECTION = APIConnectionError("no response", reason="connect_error")
NO_LIST = ContractError("not a list")


def asked(seconds: float) -> RateLimitError:
    return RateLimitError(429, "slow down", retry_after_s=seconds)


def retries(timeout_s: float = 180.0, **options: Any) -> Retries:
    """Retries that began at 0 and draw the longest delay each time."""
    return Retries(timeout_s, 0.0, **{"random_number": lambda: 1.0} | options)


def test_delays_double_up_to_the_longest() -> None:
    """Each delay is drawn below a ceiling that doubles from 0.25 to 30 seconds."""
    attempts = retries()
    waits = [attempts.next_wait(FAILED, now=0.0) for _ in range(9)]
    assert waits == [Wait(seconds) for seconds in (0.25, 0.5, 1, 2, 4, 8, 16, 30, 30)]
    assert retries(random_number=lambda: 0.0).next_wait(FAILED, now=0.0) == Wait(0.0)


@pytest.mark.parametrize(
    ("problem", "options", "last_s"),
    [
        (FAILED, {}, 180),
        (NO_CONNECTION, {}, 180),
        (NO_CONNECTION, {"has_responded": False}, 4),
        (NO_LIST, {"has_responded": False}, 4),
        (FAILED, {"has_responded": False}, 180),
        (FAILED, {"is_guess": True}, 1),
        (UNAVAILABLE, {"is_guess": True}, 180),
        (NO_CONNECTION, {"is_guess": True}, 180),
    ],
)
def test_retries_end_after_the_timeout(
    problem: PetstoreError, options: dict[str, Any], last_s: float
) -> None:
    """A store that never responded, and a guess that it refuses, are given up within seconds."""
    assert retries(**options).next_wait(problem, now=last_s - 0.3) is not None
    assert retries(**options).next_wait(problem, now=last_s) is None


def test_the_last_attempt_comes_at_the_end_of_the_timeout() -> None:
    """A long delay is cut, so that a store that returns just before the end is not given up."""
    attempts = retries(timeout_s=10.0)
    now, waits = 0.0, []
    while (wait := attempts.next_wait(FAILED, now)) is not None:
        waits.append(wait.seconds)
        now += wait.seconds
    assert waits == [0.25, 0.5, 1, 2, 4, 2.25]
    assert now == 10.0


def test_no_retry_timeout_means_no_retry() -> None:
    """With 0 the first failure is final, even if the store asks to wait."""
    assert retries(0).next_wait(FAILED, now=0.0) is None
    assert retries(0).next_wait(asked(1), now=0.0) is None


@pytest.mark.parametrize(
    ("status", "is_retried"), [(429, True), (503, True), (403, True), (404, False)]
)
def test_a_status_with_a_retry_after_is_waited_for(status: int, is_retried: bool) -> None:
    """Some stores limit requests with a 403; without a time to wait, it is a refusal."""
    headers = {"Retry-After": "7"}
    problem = status_error(Response("GET /pets", status, headers, b"", None, 0.0))
    assert is_transient(problem, was_parsed=False) is is_retried
    bare = status_error(Response("GET /pets", 403, {}, b"", None, 0.0))
    assert not is_transient(bare, was_parsed=False)


def test_a_wait_that_is_too_long_names_the_time_to_try_again() -> None:
    """The error has the seconds that the store asked for, and the time when they are over."""
    headers = {"Retry-After": "3600"}
    problem = status_error(Response("GET /pets", 429, headers, b"", None, 0.0))
    assert retries().next_wait(problem, now=0.0) is None
    assert problem.retry_at is not None
    assert f"wait 3,600 s, until {problem.retry_at:%Y-%m-%d %H:%M}" in str(problem)


def test_the_store_may_ask_to_wait_longer_than_the_timeout() -> None:
    """A Retry-After is waited in full, up to 300 s at a time and 15 minutes in a row."""
    attempts = retries(timeout_s=10.0)
    now, waits = 0.0, []
    while (wait := attempts.next_wait(asked(300), now)) is not None:
        waits.append(wait)
        now += wait.seconds
    assert waits == [Wait(300.0, is_requested=True)] * 3
    assert retries().next_wait(asked(301), now=0.0) is None


BODIES = {
    "an Error": (b'{"code":"busy","message":"m","status":503}', True),
    "an HTML page": (b"<html>", True),
    "half a list": (b'[{"id":1,"name":"Luna","cat', True),
    "nothing": (b"", True),
    "a list with an invalid pet": (b'[{"id":"x"}]', False),
}


@pytest.mark.parametrize(("body", "is_retried"), BODIES.values(), ids=BODIES)
def test_a_body_that_is_no_list_is_retried(body: bytes, is_retried: bool) -> None:
    """It was cut, or comes from a proxy or a starting store; an invalid pet stays invalid."""
    with pytest.raises(ContractError) as caught:
        PetColumns.from_json(body, operation="GET /pets")
    assert is_transient(caught.value, was_parsed=True) is is_retried
    assert not is_transient(caught.value, was_parsed=False)


def test_a_request_that_is_not_needed_is_retried_once() -> None:
    """It waits no longer than its caller allows, whether or not the store asks to wait."""
    for problem in (UNAVAILABLE, asked(9)):
        attempts = retries(max_wait_s=10.0)
        assert attempts.next_wait(problem, now=0.0) is not None
        assert attempts.next_wait(problem, now=1.0) is None
    assert retries(max_wait_s=10.0).next_wait(asked(20), now=0.0) is None
    assert retries(max_wait_s=10.0).next_wait(UNAVAILABLE, now=30.0) is None


SENT = {"Date": "Sat, 21 Nov 2026 12:00:00 GMT"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("Sat, 21 Nov 2026 12:01:10 GMT", 70.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        *((other, None) for other in ("soon", "-5", "1" * 11)),
    ],
)
def test_a_wait_is_seconds_or_a_date(text: str, seconds: float | None) -> None:
    """A date counts from the store's own clock; nonsense is no wait, and our own delays hold."""
    response = Response("GET /pets", 503, {"Retry-After": text} | SENT, b"", None, 0.0)
    assert response.retry_after_s == seconds
