"""Arguments and environment, waits, and the announced end of an operation."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import petstore_frame as pf
from petstore_frame.transport.connection_settings import checked_address

HERE = {"PETSTORE_BASE_URL": "http://127.0.0.1:1/v1", "PETSTORE_API_KEY": "env-key"}
LAN = HERE | {"PETSTORE_BASE_URL": "http://store.lan/v1"}
INFINITE = float("inf")
FAR = {"base_url": "https://store.example/v1", "api_key": "my-key"}


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Have these variables alone say which store and which key."""

    def state(variables: dict[str, str]) -> None:
        for name in ("PETSTORE_BASE_URL", "PETSTORE_API_KEY", "PETSTORE_ALLOW_INSECURE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return state


@pytest.mark.parametrize(
    ("variables", "given", "store", "key"),
    [
        (HERE, {}, HERE["PETSTORE_BASE_URL"], "env-key"),
        (HERE, FAR | {"timeout": np.float32(2.5), "retry_timeout": np.int64(3)}, *FAR.values()),
        (LAN | {"PETSTORE_ALLOW_INSECURE": "1"}, {}, "http://store.lan/v1", "env-key"),
    ],
    ids=["environment", "arguments, and numpy's numbers", "plain http"],
)
def test_an_argument_beats_the_environment(environ, variables, given, store, key) -> None:
    """Arguments, as a notebook computes them, win; without them the variables speak."""
    environ(variables)
    with pf.Client(**given) as client:
        assert client.base_url == store
        assert client._transport._key.get_secret_value() == key


NOT_SECONDS = "must be a number of seconds"
REFUSED: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({}, {}, "PETSTORE_BASE_URL"),
    ({}, {"PETSTORE_BASE_URL": "http://127.0.0.1/v1"}, "PETSTORE_API_KEY"),
    ({}, {"PETSTORE_BASE_URL": "localhost:99"}, "PETSTORE_BASE_URL is not an http(s) address"),
    ({}, LAN, "PETSTORE_ALLOW_INSECURE=1"),
    ({}, LAN | {"PETSTORE_ALLOW_INSECURE": "0"}, "PETSTORE_ALLOW_INSECURE=1"),
    *(({"retry_timeout": n}, HERE, NOT_SECONDS) for n in (True, "3", -1, INFINITE)),
    *(({"timeout": n}, HERE, f"{NOT_SECONDS}, got {n!r}") for n in (True, INFINITE, "3")),
    ({"timeout": 0}, HERE, f"{NOT_SECONDS} above 0, got 0"),
    # A program whose own setting is empty is not sent to another store of the environment.
    *(({"base_url": nothing}, HERE, "no store address") for nothing in ("", "  ", object())),
    *(({"api_key": no_text}, HERE, "no API key") for no_text in ("", 3, object())),
    ({"base_url": "psk_secret", "api_key": FAR["base_url"]}, {}, "it comes before api_key"),
]


@pytest.mark.parametrize(("given", "variables", "words"), REFUSED)
def test_a_setting_that_is_missing_or_impossible_is_named(environ, given, variables, words) -> None:
    """No setting becomes another one, and no key in the place of an address is in the message."""
    environ(variables)
    with pytest.raises(pf.ConfigurationError) as caught:
        pf.Client(**given)
    assert words in str(caught.value) and "psk_secret" not in str(caught.value)
    # A header's name alone says nothing of how long the store remembers a key.
    with pytest.raises(pf.ConfigurationError, match="idempotency must be an IdempotencyKey"):
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
    assert checked_address(address) == one_spelling == checked_address(one_spelling)


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


@pytest.mark.parametrize("scheme", ["socks5", "gopher"])
def test_a_proxy_that_cannot_be_used_is_named(scheme: str, monkeypatch) -> None:
    """A client is refused with the variables to look at, unless its store is on this machine."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", f"{scheme}://me:pw@127.0.0.1:1")
    pf.Client("http://127.0.0.1:1/v1", "k").close()
    with pytest.raises(pf.ConfigurationError, match=r"proxy cannot be used.*NO_PROXY") as caught:
        pf.Client("https://store.example/v1", "k")
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"", b"junk", b"\xff" * 99])
def test_certificates_that_cannot_be_used_are_named(content, tmp_path, monkeypatch) -> None:
    """A wrong SSL_CERT_FILE is an error with the variable and its path, before any request."""
    path = tmp_path / "company.pem"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(pf.ConfigurationError, match=f"SSL_CERT_FILE={path} cannot be used"):
        with pf.Client("https://store.example/v1", "k") as client:
            client.list_pets()
