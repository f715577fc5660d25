"""Which store, which key, which timeout: an argument wins over the environment."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import TIMEOUT_MAX
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from petstore_frame.errors import ConfigurationError
from petstore_frame.schema.arguments import as_positive, as_whole

# 127.0.0.2 may be another store.
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_INSECURE = "PETSTORE_ALLOW_INSECURE"

ApiKey = str | SecretStr | Callable[[], str]


@dataclass(frozen=True)
class IdempotencyKey:
    """How a store wants the idempotency key, if it is known to honour one.

    Hand it to ``Client(idempotency=...)``; ``server.client()`` does so for a store of ``serve()``.

    Attributes:
        lifetime_s: How long the store remembers a key, in seconds; a repeat is only made within.
        header: Name of the request header.
        is_quoted: Whether the value is sent as a quoted string.

    Interface: none; an extension of the store. Never switch it on by guess: a gateway may
    take the header as permission to retry a POST, and the store behind it may ignore the key.
    """

    lifetime_s: float
    header: str = "Idempotency-Key"
    is_quoted: bool = False

    def header_value(self, key: str) -> str:
        """Return the header's value for a key."""
        return f'"{key}"' if self.is_quoted else key


@dataclass(frozen=True)
class Settings:
    """Where the store is (no slash at the end) and how to talk to it.

    ``key`` gives the API key, wrapped so that no repr shows it; each request calls it once.
    """

    base_url: str
    key: Callable[[], SecretStr] = field(repr=False)
    timeout: float
    max_retries: int


def read_settings(
    base_url: str | None,
    api_key: ApiKey | None,
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
    address = _address(base_url, environ)
    key = _key_source(api_key, environ)  # before the address, which may be a key by mistake
    seconds, repeats = as_positive(timeout), as_whole(max_retries)
    if seconds is None or seconds > TIMEOUT_MAX:
        raise ConfigurationError(f"timeout is a number of seconds above 0, got {timeout!r}")
    if repeats is None or repeats < 0:
        raise ConfigurationError(f"max_retries is a whole number, 0 or more, got {max_retries!r}")
    may_be_plain = environ.get(_INSECURE) == "1"
    return Settings(normalise_base_url(address, may_be_plain=may_be_plain), key, seconds, repeats)


def _address(base_url: str | None, environ: Mapping[str, str]) -> str:
    base_url = base_url if base_url is not None else environ.get("PETSTORE_BASE_URL") or None
    if base_url is None:
        raise ConfigurationError(
            "no store address: pass base_url=, or set PETSTORE_BASE_URL "
            "(for a store of your own: `petstore-frame serve`, or pf.serve() in a notebook)"
        )
    if not isinstance(base_url, str):
        raise ConfigurationError(
            f"base_url is text such as https://host/v1, got a {type(base_url).__name__}; "
            "for a store of pf.serve(), server.client() makes the Client"
        )
    if not base_url.strip():
        raise ConfigurationError(
            "base_url is empty; pass an address such as https://host/v1, or None to read "
            "PETSTORE_BASE_URL"
        )
    return base_url


def _key_source(api_key: ApiKey | None, environ: Mapping[str, str]) -> Callable[[], SecretStr]:
    if callable(api_key):
        source = api_key
        return lambda: checked_key(source())
    value = api_key if api_key is not None else environ.get("PETSTORE_API_KEY")
    if value is None:
        raise ConfigurationError("no API key: set PETSTORE_API_KEY, or pass api_key=")
    secret = checked_key(value)
    return lambda: secret


def checked_key(value: str | SecretStr) -> SecretStr:
    """Return a key that can stand in a header line.

    Raises:
        ConfigurationError: It is empty, an address, or holds a character that no header can. The
            text does not have it.
    """
    if not isinstance(value, str | SecretStr):
        raise ConfigurationError(f"the API key is text, got a {type(value).__name__}")
    secret = value if isinstance(value, SecretStr) else SecretStr(value)
    text = secret.get_secret_value()
    if text.startswith(("http://", "https://")):
        raise ConfigurationError("the API key is an address; base_url comes first, then api_key")
    if not text:
        raise ConfigurationError("the API key is empty: set PETSTORE_API_KEY, or pass api_key=")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ConfigurationError(
            "the API key holds a blank, a control or a non-ASCII character; "
            "copy it again, without quotes or line ends"
        )
    return secret


def normalise_base_url(address: str, *, may_be_plain: bool = False) -> str:
    """Return the address in its one spelling: lower-case origin, no slash at the end.

    Raises:
        ConfigurationError: Not http or https, a user or password inside, a query, or plain http
            to another machine. The text repeats nothing that may be a secret.

    Example:
        >>> normalise_base_url("HTTP://127.0.0.1:8000/v1/")
        'http://127.0.0.1:8000/v1'
    """
    if "@" in address:  # before anything that repeats the address
        raise ConfigurationError(
            "base_url holds a user or password; pass the key as api_key= "
            "(an @ that belongs to the path is written %40)"
        )
    if "?" in address or "#" in address:
        raise ConfigurationError("base_url has a query or fragment; leave it out")
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError as problem:
        raise ConfigurationError(f"base_url {address!r} is not an address: {problem}") from None
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if scheme not in ("http", "https") or not host:
        raise ConfigurationError(
            f"base_url {address!r} is not an http(s) address; expected one such as https://host/v1"
        )
    if scheme == "http" and not is_loopback(host) and not may_be_plain:
        raise ConfigurationError(
            f"plain http to {host} would show the key to the network; use https, or set "
            f"{_INSECURE}=1 if that network is yours"
        )
    netloc = f"[{host}]" if ":" in host else host
    if port and port != {"http": 80, "https": 443}[scheme]:
        netloc = f"{netloc}:{port}"
    return urlunsplit((scheme, netloc, parts.path.rstrip("/"), "", ""))


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
