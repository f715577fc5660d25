"""Finds the address and the key of the store: an argument wins over the environment."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from petstore_frame.errors import ConfigurationError

# 127.0.0.2 may be another store.
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_INSECURE = "PETSTORE_ALLOW_INSECURE"


@dataclass(frozen=True)
class IdempotencyKey:
    """How a store takes idempotency keys, for ``Client(idempotency=...)``.

    Use it only if the documentation of the store says that it honors such keys: a gateway may
    treat the header as permission to retry a POST, although the store behind it ignores the key.

    Attributes:
        lifetime_s: Seconds for which the store remembers a key; after that, a request is not
            retried.
        header: Name of the request header.

    Interface: none; an extension of the store.
    """

    lifetime_s: float
    header: str = "Idempotency-Key"


def hide_key(key: Any) -> Any:
    """Return a key so that no traceback shows it, and anything else as it is. Never raises."""
    return SecretStr(key) if isinstance(key, str) else key


def checked_key(given: str | SecretStr | None) -> SecretStr:
    """Return a key, or that of the environment, which can stand in a header line.

    Raises:
        ConfigurationError: There is none, or no header can hold it. The text does not have it.
    """
    key = hide_key(os.environ.get("PETSTORE_API_KEY") if given is None else given)
    given = None
    if not isinstance(key, SecretStr) or not key.get_secret_value():
        raise ConfigurationError("no API key: set PETSTORE_API_KEY, or pass api_key= as text")
    if not _fits_header(key):
        raise ConfigurationError(
            "the API key has a space, a control character or a non-ASCII character; "
            "copy it again, without quotes or line ends"
        )
    return key


def _fits_header(key: SecretStr) -> bool:
    text = key.get_secret_value()
    return text.isascii() and text.isprintable() and " " not in text


def certificate_problem(problem: OSError) -> str:
    """Return which setting names certificates that cannot be used, with its path."""
    source = "the certificates of this system"
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):  # httpx uses the first that is set
        if os.environ.get(name):
            source = f"{name}={os.environ[name]}"
            break
    reason = problem.strerror or str(problem)
    return f"{source} cannot be used: {reason}; correct or unset it"


def checked_address(given: str | None) -> str:
    """Return an address, or that of the environment: lower-case origin, no slash at the end.

    Raises:
        ConfigurationError: Not http or https, a user or password inside, a query, or plain http
            to another machine. The text has a host at most: the rest may be a secret.

    Example:
        >>> checked_address("HTTP://127.0.0.1:8000/v1/")
        'http://127.0.0.1:8000/v1'
    """
    # An empty argument is not replaced: a program without an address has no store to send to.
    address = os.environ.get("PETSTORE_BASE_URL") if given is None else given
    if not isinstance(address, str) or not address.strip():
        raise ConfigurationError(
            "no store address: pass base_url= as text, such as https://host/v1, or set "
            "PETSTORE_BASE_URL (server.client() makes the Client for a store of pf.serve())"
        )
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
    may_be_plain = is_loopback(url.host) or os.environ.get(_INSECURE) == "1"
    if url.scheme == "http" and not may_be_plain:
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
