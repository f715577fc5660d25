"""Arguments and environment, waits, and the announced end of an operation."""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

import petstore_frame as pf
from petstore_frame.client import end_of_get_pet
from petstore_frame.http.answer import read_retry_after
from petstore_frame.http.retry import RetryPolicy
from petstore_frame.http.settings import normalise_base_url, read_settings, same_store_address

HERE = {"PETSTORE_BASE_URL": "http://127.0.0.1:1/v1", "PETSTORE_API_KEY": "env-key"}


def test_an_argument_beats_the_environment() -> None:
    """What a caller says wins over what is set around them."""
    settings = read_settings("https://store.example/v1", "my-key", timeout_s=3, environ=HERE)
    assert (settings.base_url, settings.timeout_s) == ("https://store.example/v1", 3)
    assert settings.key().get_secret_value() == "my-key"


def test_the_environment_fills_in() -> None:
    """Without arguments the variables speak, and numbers among them are read."""
    settings = read_settings(
        environ=HERE | {"PETSTORE_TIMEOUT": "2.5", "PETSTORE_MAX_RETRIES": "0"}
    )
    assert (settings.timeout_s, settings.max_retries) == (2.5, 0)
    assert settings.key().get_secret_value() == "env-key"


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "PETSTORE_BASE_URL"),
        ({"PETSTORE_BASE_URL": "http://127.0.0.1/v1"}, "PETSTORE_API_KEY"),
        (HERE | {"PETSTORE_TIMEOUT": "soon"}, "PETSTORE_TIMEOUT"),
        (HERE | {"PETSTORE_TIMEOUT": "nan"}, "PETSTORE_TIMEOUT"),
        (HERE | {"PETSTORE_TIMEOUT": "0"}, "PETSTORE_TIMEOUT is a number of seconds above 0"),
        (HERE | {"PETSTORE_MAX_RETRIES": "-1"}, "PETSTORE_MAX_RETRIES"),
        (HERE | {"PETSTORE_MAX_RETRIES": "2.9"}, "PETSTORE_MAX_RETRIES is a whole number"),
    ],
)
def test_what_is_missing_is_named(environ: dict[str, str], words: str) -> None:
    """A missing or impossible setting names its variable, before anything is sent."""
    with pytest.raises(pf.ConfigurationError, match=words) as caught:
        read_settings(environ=environ)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("address", ["", "  "])
def test_an_empty_address_is_not_a_missing_one(address: str) -> None:
    """A program whose own setting is empty is not sent to another store of the environment."""
    with pytest.raises(pf.ConfigurationError, match="base_url is empty"):
        read_settings(address, environ=HERE)
    with pytest.raises(pf.ConfigurationError, match="base_url is empty"):
        pf.Client(address, "k")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_retries": 2.9}, "max_retries is a whole number, 0 or more, got 2.9"),
        ({"max_retries": True}, "max_retries is a whole number, 0 or more, got True"),
        ({"max_retries": "3"}, "max_retries is a whole number, 0 or more, got '3'"),
        ({"timeout_s": 0}, "timeout_s is a number of seconds above 0, got 0"),
        ({"timeout_s": True}, "timeout_s is a number of seconds above 0, got True"),
        ({"timeout_s": float("inf")}, "timeout_s is a number of seconds above 0, got inf"),
        ({"timeout_s": "3"}, "timeout_s is a number of seconds above 0, got '3'"),
    ],
)
def test_a_number_is_refused_rather_than_bent(options: dict[str, Any], words: str) -> None:
    """A number that a caller cannot have meant never becomes another one."""
    with pytest.raises(pf.ConfigurationError, match=words):
        read_settings(environ=HERE, **options)


def test_an_idempotency_that_is_a_mere_name_is_refused() -> None:
    """A header's name says nothing of how long the store remembers a key."""
    with pytest.raises(pf.ConfigurationError, match="idempotency is an IdempotencyKey"):
        pf.Client("http://127.0.0.1:9/v1", "k", idempotency="Idempotency-Key")


def test_numpys_numbers_are_numbers() -> None:
    """What a notebook computes is accepted as it is."""
    settings = read_settings(environ=HERE, timeout_s=np.float32(2.5), max_retries=np.int64(3))
    assert (settings.timeout_s, settings.max_retries) == (2.5, 3)


@pytest.mark.parametrize(
    ("address", "one_spelling"),
    [
        ("HTTPS://Store.Example:443/v1/", "https://store.example/v1"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("http://[::1]:80/v1", "http://[::1]/v1"),
        (" https://store.example/v1 ", "https://store.example/v1"),
    ],
)
def test_an_address_has_one_spelling(address: str, one_spelling: str) -> None:
    """Case, default ports and a last slash do not make another store."""
    assert normalise_base_url(address) == one_spelling
    assert normalise_base_url(one_spelling) == one_spelling


@pytest.mark.parametrize(
    "address",
    [
        "http://store.example/v1",
        "ftp://store.example/v1",
        "store.example/v1",
        "https://store.example:port/v1",
        "https://[store.example/v1",
    ],
)
def test_an_unsafe_address_is_refused(address: str) -> None:
    """Plain http to another machine, other schemes and anything but an address are refused."""
    with pytest.raises(pf.ConfigurationError) as caught:
        normalise_base_url(address)
    assert "store.example" in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:hidden@store.example/v1",
        "https://me:hidden@store.example:port/v1",
        "https://me:hid/hidden@store.example/v1",
        "https://me:12/hidden@store.example/v1",
        "ftp://me:hidden@store.example/v1",
        "me:hidden@store.example",
        "https://[me:hidden@store.example/v1",
        "https://store.example/v1?key=hidden",
        "ftp://store.example/v1#hidden",
    ],
)
def test_a_secret_in_an_address_is_refused_and_not_repeated(address: str) -> None:
    """A user, a password or a query may be a secret: neither the error nor the repr shows it."""
    with pytest.raises(pf.ConfigurationError) as caught:
        pf.Client(address, "k")
    frames = traceback.walk_tb(caught.value.__traceback__)
    shown = [repr(frame.f_locals["self"]) for frame, _ in frames if "self" in frame.f_locals]
    assert "hidden" not in f"{caught.value} {shown}"
    assert "base_url" in str(caught.value)


@pytest.mark.parametrize(
    ("address", "is_same"),
    [
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.0.0.2:8000/v1", False),
        ("http://store.localhost:8000/v1", False),
        ("http://127.0.0.1:8001/v1", False),
        ("http://127.0.0.1:8000/other/v1", False),
        ("https://store.example:8000/v1", False),
    ],
)
def test_this_machine_has_one_address(address: str, is_same: bool) -> None:
    """localhost and its two addresses are one store; any other address, port or path is another."""
    here = same_store_address("http://127.0.0.1:8000/v1")
    assert (same_store_address(address) == here) is is_same


def test_a_port_of_this_machine_can_be_left_out() -> None:
    """A service of one's own may draw a new port at each start; another machine's never does."""
    one, other = "http://127.0.0.1:1/v1", "http://localhost:2/v1"
    far = "https://store.example:8443/v1"
    assert same_store_address(one, any_local_port=True) == same_store_address(
        other, any_local_port=True
    )
    assert same_store_address(far, any_local_port=True) == far


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": 101}, {"limit": True}, {"status": "x"}]
)
def test_an_impossible_page_is_refused_before_sending(options: dict[str, object]) -> None:
    """A limit or status outside the interface never reaches a server."""
    with pf.Client("http://127.0.0.1:9/v1", "k") as client:
        with pytest.raises(ValueError, match="nothing was sent"):
            client.list_pets(**options)
        with pytest.raises(ValueError, match="nothing was sent"):
            pf.fetch_inventory(client, **options)


def test_waits_grow_under_a_cap_and_a_budget() -> None:
    """Full jitter: from nothing to a ceiling that doubles; the sum of patience is bounded."""
    most = RetryPolicy(10, base_s=1, cap_s=8, draw=lambda: 1.0)
    least = RetryPolicy(10, draw=lambda: 0.0)
    assert [most.wait_s(n, None) for n in range(5)] == [1, 2, 4, 8, 8]
    assert (least.wait_s(3, None), most.wait_s(0, None, elapsed_s=179.5)) == (0, None)


def test_the_stores_own_wish_is_kept() -> None:
    """A Retry-After is never undercut, and one beyond the cap ends the attempts."""
    policy = RetryPolicy(3, draw=lambda: 0.5)
    assert policy.wait_s(0, 7.0) == 7.0
    assert policy.wait_s(0, 31.0) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("Sat, 21 Nov 2026 12:00:10 GMT", 10.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("1" * 11, None),
        (None, None),
    ],
)
def test_retry_after_has_two_forms(text: str | None, seconds: float | None) -> None:
    """Seconds or a date; nonsense is no wish."""
    now = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert read_retry_after(text, now) == seconds
    assert read_retry_after("0", now) == 0.0


def test_the_end_is_told_in_days() -> None:
    """The sentence counts the days that are left."""
    told = end_of_get_pet(date(2030, 12, 4))
    assert "ends on 5 December 2030 (1 day left); list with a status filter instead" in told
    assert "was to end on 5 December 2030;" in end_of_get_pet(date(2031, 1, 1))


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("socks5://me:pw@127.0.0.1:1", r"socks5://127.0.0.1:1, cannot be used: SOCKS needs"),
        ("gopher://me:pw@127.0.0.1:1", r"gopher://127.0.0.1:1, cannot be used"),
        ("http://me:pw@127.0.0.1:99999", "an address that cannot be read, cannot be used"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named(proxy: str, words: str, monkeypatch) -> None:
    """A Client that could send nothing is refused at once, with the variables to look at."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(pf.ConfigurationError, match=words) as caught:
        pf.Client("https://store.example/v1", "k")
    assert "NO_PROXY" in str(caught.value)
    assert "pw" not in str(caught.value)


def test_a_store_on_this_machine_needs_no_proxy(monkeypatch) -> None:
    """What the environment says of proxies is for other machines."""
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:1")
    with pf.Client("http://127.0.0.1:1/v1", "k") as client:
        assert client.base_url == "http://127.0.0.1:1/v1"


def test_the_environment_may_accept_plain_http() -> None:
    """PETSTORE_ALLOW_INSECURE=1 is as good as the argument; another value is refused."""
    far = {"PETSTORE_BASE_URL": "http://store.lan/v1", "PETSTORE_API_KEY": "a-key-of-twenty-signs"}
    allowed = read_settings(environ=far | {"PETSTORE_ALLOW_INSECURE": "1"})
    assert allowed.base_url == "http://store.lan/v1"
    for value in ("0", "yes"):
        with pytest.raises(pf.ConfigurationError, match=r"ALLOW_INSECURE is|allow_insecure=True"):
            read_settings(environ=far | {"PETSTORE_ALLOW_INSECURE": value})


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1\x7f", f"https://{'é' * 70}/v1"])
def test_an_address_that_no_request_can_have_is_a_setting(address: str) -> None:
    """The client is refused, not its first request, and by an error of ours."""
    with pytest.raises(pf.ConfigurationError, match="base_url"):
        pf.Client(address, "k")
