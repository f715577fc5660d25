"""Arguments and environment, waits, and the announced end of an operation."""

from __future__ import annotations

import sys
import traceback
from typing import Any

import numpy as np
import pytest

import petstore_frame as pf
from petstore_frame.transport.response import Response
from petstore_frame.transport.settings import Settings, normalise_base_url, read_settings
from petstore_frame.transport.transport import repeat_wait_s

HERE = {"PETSTORE_BASE_URL": "http://127.0.0.1:1/v1", "PETSTORE_API_KEY": "env-key"}
LAN = HERE | {"PETSTORE_BASE_URL": "http://store.lan/v1"}
INFINITE = float("inf")
FAR = {"base_url": "https://store.example/v1", "api_key": "my-key"}


def settings_of(
    environ: dict[str, str],
    base_url: Any = None,
    api_key: Any = None,
    *,
    timeout: Any = 30.0,
    max_retries: Any = 4,
) -> Settings:
    return read_settings(
        base_url, api_key, timeout=timeout, max_retries=max_retries, environ=environ
    )


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, (HERE["PETSTORE_BASE_URL"], "env-key", 30.0, 4)),
        (FAR | {"timeout": 3, "max_retries": 1}, (*FAR.values(), 3, 1)),
        (FAR | {"timeout": np.float32(2.5), "max_retries": np.int64(3)}, (*FAR.values(), 2.5, 3)),
    ],
    ids=["environment", "arguments", "numpy's numbers"],
)
def test_an_argument_beats_the_environment(given: dict[str, Any], read: tuple[Any, ...]) -> None:
    """Arguments, as a notebook computes them, win; without them the variables speak."""
    settings = settings_of(HERE, **given)
    key = settings.key.get_secret_value()
    assert (settings.base_url, key, settings.timeout, settings.max_retries) == read
    insecure = LAN | {"PETSTORE_ALLOW_INSECURE": "1"}
    assert settings_of(insecure).base_url == "http://store.lan/v1"


NOT_WHOLE, NOT_SECONDS = "is a whole number, 0 or more", "is a number of seconds above 0"
REFUSED: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({}, {}, "PETSTORE_BASE_URL"),
    ({}, {"PETSTORE_BASE_URL": "http://127.0.0.1/v1"}, "PETSTORE_API_KEY"),
    ({}, LAN, "PETSTORE_ALLOW_INSECURE=1"),
    ({}, LAN | {"PETSTORE_ALLOW_INSECURE": "0"}, "PETSTORE_ALLOW_INSECURE=1"),
    *(({"max_retries": n}, HERE, f"{NOT_WHOLE}, got {n!r}") for n in (2.9, True, "3")),
    *(({"timeout": n}, HERE, f"{NOT_SECONDS}, got {n!r}") for n in (0, True, INFINITE, "3")),
    # A program whose own setting is empty is not sent to another store of the environment.
    *(({"base_url": nothing}, HERE, "no store address") for nothing in ("", "  ", object())),
    *(({"api_key": no_text}, HERE, "no API key") for no_text in ("", 3, object())),
    ({"base_url": "psk_secret", "api_key": FAR["base_url"]}, {}, "it comes before api_key"),
]


@pytest.mark.parametrize(("given", "environ", "words"), REFUSED)
def test_a_setting_that_is_missing_or_impossible_is_named(
    given: dict[str, Any], environ: dict[str, str], words: str
) -> None:
    """No setting becomes another one, and no key in the place of an address is in the message."""
    with pytest.raises(pf.ConfigurationError) as caught:
        settings_of(environ, **given)
    assert words in str(caught.value) and "psk_secret" not in str(caught.value)
    # A header's name alone says nothing of how long the store remembers a key.
    with pytest.raises(pf.ConfigurationError, match="idempotency is an IdempotencyKey"):
        pf.Client(HERE["PETSTORE_BASE_URL"], "k", idempotency="Idempotency-Key")


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


UNSAFE = [
    "http://store.example/v1", "ftp://store.example/v1", "store.example/v1",
    "https://store.example:port/v1", "https://[store.example/v1", "http://127.0.0.1:9/v1\x7f",
    f"https://{'é' * 70}/v1", "https://me:hidden@store.example/v1",
    "https://me:12/hidden@store.example/v1", "me:hidden@store.example",
    "https://store.example/v1?key=hidden", "ftp://store.example/v1#hidden", "psk:hidden",
]  # fmt: skip


@pytest.mark.parametrize("address", UNSAFE)
def test_an_unsafe_address_is_refused_and_no_secret_repeated(address: str) -> None:
    """An address that is unsafe or that no request can have is refused at once, secrets unseen."""
    with pytest.raises(pf.ConfigurationError, match=r"base_url|use https") as caught:
        pf.Client(address, "k")
    frames = traceback.walk_tb(caught.value.__traceback__)
    shown = [repr(frame.f_locals["self"]) for frame, _ in frames if "self" in frame.f_locals]
    assert "hidden" not in f"{caught.value} {shown}"


def test_waits_grow_under_a_cap_and_a_budget() -> None:
    """Full jitter: from nothing to a ceiling that doubles; the sum of patience is bounded."""
    most = [repeat_wait_s(repeats, None, draw=lambda: 1.0) for repeats in range(9)]
    assert most == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30]
    assert repeat_wait_s(3, None, draw=lambda: 0.0) == 0
    assert repeat_wait_s(2, None, 179.5, draw=lambda: 1.0) is None
    assert repeat_wait_s(0, None, 999.0, draw=lambda: 1.0) == 0.25  # the first repeat always comes
    # A Retry-After is never undercut, and one beyond the cap ends the attempts.
    assert repeat_wait_s(0, 7.0, draw=lambda: 0.5) == 7.0
    assert repeat_wait_s(0, 31.0) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("Sat, 21 Nov 2020 12:00:10 GMT", 0.0),
        ("Sat, 21 Nov 2099 12:00:10 GMT", 1e9),
        ("Mon, 01 Jan 2020 99999999999999999999:00:00 GMT", None),
        *((nonsense, None) for nonsense in ("soon", "-5", "1" * 11)),
    ],
)
def test_retry_after_has_two_forms(text: str, seconds: float | None) -> None:
    """Seconds or a date; nonsense is no wish."""
    found = Response("GET /pets", 503, {"Retry-After": text}, b"", None, 0.0).retry_after_s
    assert found == seconds or (found or 0) > (seconds or 0) > 120


@pytest.mark.parametrize("scheme", ["socks5", "gopher"])
def test_a_proxy_that_cannot_be_used_is_named(scheme: str, monkeypatch) -> None:
    """A client is refused with the variables to look at, unless its store is on this machine."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://me:pw@127.0.0.1:1")
    pf.Client("http://127.0.0.1:1/v1", "k").close()
    with pytest.raises(pf.ConfigurationError, match=r"proxy cannot be used.*NO_PROXY") as caught:
        pf.Client("https://store.example/v1", "k")
    assert "pw" not in str(caught.value)
