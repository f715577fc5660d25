"""Finds the address and the key of the store: an argument overrides the environment."""

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
    """How a store accepts idempotency keys, for ``Client(idempotency=...)``.

    Use it only if the documentation of the store says that it honors such keys: a gateway may
    treat the header as permission to retry a POST, although the store behind it ignores the key.

    Attributes:
        lifetime_s: Number of seconds that the store remembers a key; after that, a request is not
            retried.
        header: Name of the request header.

    Interface: none; an extension of the store.
    """

    lifetime_s: float
    header: str = "Idempotency-Key"


def hide_key(key: Any) -> Any:
    """Wrap a key so that no traceback shows it; return any other value unchanged. Never raises."""
    return SecretStr(key) if isinstance(key, str) else key


def checked_key(value: str | SecretStr | None) -> SecretStr:
    """Return the key from the argument or the environment, checked for use in a header.

    Raises:
        ConfigurationError: There is no key, or it is invalid in a header. The message does not
            contain the key.
    """
    key = hide_key(os.environ.get("PETSTORE_API_KEY") if value is None else value)
    value = None
    if not isinstance(key, SecretStr) or not key.get_secret_value():
        raise ConfigurationError(
            "no API key: set PETSTORE_API_KEY, or pass it to the client as text"
        )
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
    """Return a message that names the setting, and the path, of unusable certificates."""
    source = "the certificates of this system"
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):  # httpx uses the first that is set
        if os.environ.get(name):
            source = f"{name}={os.environ[name]}"
            break
    reason = problem.strerror or str(problem)
    return f"{source} cannot be used: {reason}; correct or unset it"


def checked_address(value: str | None) -> str:
    """Return the address from the argument or the environment, in normalized form.

    Raises:
        ConfigurationError: The address is not http or https, has a user, a password or a query, or
            is plain http to another machine. The message has at most the host, because the rest may
            be a secret.

    Example:
        >>> checked_address("HTTP://127.0.0.1:8000/v1/")
        'http://127.0.0.1:8000/v1'
    """
    # An empty argument is an error and does not fall back to the environment.
    address = os.environ.get("PETSTORE_BASE_URL") if value is None else value
    if not isinstance(address, str) or not address.strip():
        raise ConfigurationError(
            "no store address: set PETSTORE_BASE_URL to an address such as https://host/v1, or "
            "pass it as the text base_url, in a shell with --base-url"
        )
    if {*address} & {*"@?#"}:
        raise ConfigurationError(
            "base_url has a user, a password, a query or a fragment: remove it, and pass the "
            "key on its own, such as in PETSTORE_API_KEY (an @ that belongs to the path is "
            "written %40)"
        )
    try:
        # Twice, because httpx removes a default port only after a lower-case scheme.
        url = httpx.URL(str(httpx.URL(address.strip())))
    except httpx.InvalidURL:
        url = httpx.URL()
    source, next_step = "base_url", "in Client(...) it comes before api_key"
    if value is None:
        source, next_step = "PETSTORE_BASE_URL", "correct this variable"
    if url.scheme not in ("http", "https") or not url.host or "%" in url.host:
        raise ConfigurationError(
            f"{source} is not an http(s) address such as https://host/v1; {next_step}"
        )
    may_be_plain = is_loopback(url.host) or os.environ.get(_INSECURE) == "1"
    if url.scheme == "http" and not may_be_plain:
        raise ConfigurationError(
            f"plain http to {url.host} would show the key to the network; use https, or set "
            f"{_INSECURE}=1 if that network is yours"
        )
    return str(url).rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same_store_address(base_url: str, *, any_local_port: bool = False) -> str:
    """Normalize an address, so that two addresses of one store are equal.

    A service on this machine may get a new port at each start: ``any_local_port`` removes it.

    Example:
        >>> same_store_address("http://127.0.0.1:8000/v1"), same_store_address("http://[::1]:8000/v1")
        ('http://localhost:8000/v1', 'http://localhost:8000/v1')
    """
    parts = urlsplit(base_url)
    if parts.hostname not in _THIS_MACHINE:
        return base_url
    port = "" if any_local_port or parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"localhost{port}").geturl()
