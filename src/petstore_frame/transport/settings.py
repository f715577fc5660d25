"""Which store, which key, which timeout: an argument wins over the environment."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from petstore_frame.errors import ConfigurationError

# 127.0.0.2 may be another store.
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_INSECURE = "PETSTORE_ALLOW_INSECURE"


@dataclass(frozen=True)
class IdempotencyKey:
    """How a store wants the idempotency key, if it is known to honour one.

    Hand it to ``Client(idempotency=...)``; ``server.client()`` does so for a store of ``serve()``.

    Attributes:
        lifetime_s: How long the store remembers a key, in seconds; a repeat is only made within.
        header: Name of the request header.

    Interface: none; an extension of the store. Never switch it on by guess: a gateway may
    take the header as permission to retry a POST, and the store behind it may ignore the key.
    """

    lifetime_s: float
    header: str = "Idempotency-Key"


class Settings(NamedTuple):
    """Where the store is (no slash at the end) and how to talk to it."""

    base_url: str
    key: SecretStr
    timeout: float
    max_retries: int


def read_settings(
    base_url: str | None,
    api_key: str | SecretStr | None,
    *,
    timeout: float,
    max_retries: int,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Put the arguments of a Client and the environment together.

    Raises:
        ConfigurationError: A setting is missing or impossible; the text names the variable.

    Interface: What the service does (base addresses); Authentication.
    """
    # An empty argument is not replaced: a program without an address has no store to send to.
    address = environ.get("PETSTORE_BASE_URL") if base_url is None else base_url
    if not isinstance(address, str) or not address.strip():
        raise ConfigurationError(
            "no store address: pass base_url= as text, such as https://host/v1, or set "
            "PETSTORE_BASE_URL (server.client() makes the Client for a store of pf.serve())"
        )
    key = checked_key(environ.get("PETSTORE_API_KEY") if api_key is None else api_key)
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not 0 < timeout < inf:
        raise ConfigurationError(f"timeout is a number of seconds above 0, got {timeout!r}")
    is_whole = isinstance(max_retries, Integral) and not isinstance(max_retries, bool)
    if not is_whole or max_retries < 0:
        raise ConfigurationError(f"max_retries is a whole number, 0 or more, got {max_retries!r}")
    one_spelling = normalise_base_url(address, may_be_plain=environ.get(_INSECURE) == "1")
    return Settings(one_spelling, key, float(timeout), int(max_retries))


def checked_key(value: str | SecretStr | None) -> SecretStr:
    """Return a key that can stand in a header line.

    Raises:
        ConfigurationError: There is none, or no header can hold it. The text does not have it.
    """
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    if not isinstance(text, str) or not text:
        raise ConfigurationError("no API key: set PETSTORE_API_KEY, or pass api_key= as text")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigurationError(
            "the API key holds a blank, a control or a non-ASCII character; "
            "copy it again, without quotes or line ends"
        )
    return SecretStr(text)


def normalise_base_url(address: str, *, may_be_plain: bool = False) -> str:
    """Return the address in its one spelling: lower-case origin, no slash at the end.

    Raises:
        ConfigurationError: Not http or https, a user or password inside, a query, or plain http
            to another machine. The text has a host at most: the rest may be a secret.

    Example:
        >>> normalise_base_url("HTTP://127.0.0.1:8000/v1/")
        'http://127.0.0.1:8000/v1'
    """
    if {*address} & {*"@?#"}:
        raise ConfigurationError(
            "base_url holds a user, a password, a query or a fragment: leave it out, and pass the "
            "key as api_key= (an @ that belongs to the path is written %40)"
        )
    try:
        # Twice, as httpx leaves out a default port of a scheme in lower case alone.
        url = httpx.URL(str(httpx.URL(address.strip())))
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or "%" in url.host:
        raise ConfigurationError(
            "base_url is not an http(s) address such as https://host/v1 (it comes before api_key)"
        )
    if url.scheme == "http" and not is_loopback(url.host) and not may_be_plain:
        raise ConfigurationError(
            f"plain http to {url.host} would show the key to the network; use https, or set "
            f"{_INSECURE}=1 if that network is yours"
        )
    return str(url).rstrip("/")


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_store_address(base_url: str, *, any_local_port: bool = False) -> str:
    """Return the spelling that two addresses share where they may lead to one store.

    On this machine a service may draw a new port at each start: ``any_local_port`` leaves it out.

    Example:
        >>> same_store_address("http://127.0.0.1:8000/v1"), same_store_address("http://[::1]:8000/v1")
        ('http://localhost:8000/v1', 'http://localhost:8000/v1')
    """
    parts = urlsplit(base_url)
    if parts.hostname not in _THIS_MACHINE:
        return base_url
    port = "" if any_local_port or parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"localhost{port}").geturl()
