"""Finds what looks like a key on a tape, wherever a tape may hold one.

Addresses, bodies and all headers are searched; it knows no key, only what one looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from replay.exchanges import REPLACED, SECRET_HEADERS

# Long values that the service makes and that are not secret; anything else of that length counts.
_HARMLESS = {
    "etag": re.compile(r'"[0-9a-f]{24}"'),
    "x-request-id": re.compile(r"[0-9a-f]{16}"),
    "x-store-id": re.compile(r"[0-9a-f]{32}"),
}
# A cursor of the recorded store is shorter than this, so that addresses need no exception.
_KEY = re.compile(r"psk_|[A-Za-z0-9_+/=.-]{24,}", re.IGNORECASE)
_ADDRESS = "http://127.0.0.1:8765/v1/pets"


def find_keys(exchanges: list[dict[str, Any]]) -> list[str]:
    """Return ``place: value`` for each value that may be a key, in the order of the tape."""
    return [
        f"{number}.{place}: {value}"
        for number, exchange in enumerate(exchanges)
        for place, value in _values(exchange)
        if _may_be_key(place, value)
    ]


def _values(exchange: dict[str, Any]) -> Iterator[tuple[str, str]]:
    request, response = exchange["request"], exchange["response"]
    yield "uri", request["uri"]
    yield "request body", _text(request["body"])
    yield "response body", _text(response["body"]["string"])
    yield "reason", response["status"]["message"]
    for side in (request, response):
        for name, values in side["headers"].items():
            yield name.lower(), name
            for value in values:
                yield name.lower(), value


def _text(body: str | bytes | None) -> str:
    return body.decode("latin-1") if isinstance(body, bytes) else body or ""


def _may_be_key(place: str, value: str) -> bool:
    if place in SECRET_HEADERS:
        return value not in (REPLACED, place) and value.lower() != place
    if place in _HARMLESS and _HARMLESS[place].fullmatch(value):
        return False
    return "bearer" in value.lower() or _KEY.search(value.replace(_ADDRESS, "")) is not None
