"""What the operations depend on: the store, the key, and parameters given as they should be."""

from __future__ import annotations

import hmac
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.requests import HTTPConnection
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic.json_schema import SkipJsonSchema

from petstore_frame.service.errors import Refusal
from petstore_frame.service.keys import hash_key
from petstore_frame.service.options import Options
from petstore_frame.service.pages import Pages
from petstore_frame.service.store import Store
from petstore_frame.service.writer import Writer


@dataclass
class Shop:
    """What one application works on; kept in its state.

    Attributes:
        own_hosts: The values of a Host header that name this service.
    """

    options: Options
    store: Store
    own_hosts: frozenset[str]
    throttle: Throttle | None
    pages: Pages = field(init=False)
    writer: Writer = field(init=False)

    def __post_init__(self) -> None:
        self.pages = Pages(self.store)


class Throttle:
    """A token bucket per key: ``rate`` requests per second, and as many at once."""

    def __init__(self, rate: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = max(1.0, rate)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Let one request pass, or raise the 429 with the time to wait."""
        now = self._clock()
        tokens, since = self._buckets.get(key, (self._burst, now))
        tokens = min(self._burst, tokens + (now - since) * self._rate)
        if tokens < 1:
            wait_s = math.ceil((1 - tokens) / self._rate)
            self._buckets[key] = (tokens, now)
            message = f"more than {self._rate:g} requests per second; wait {wait_s} s"
            raise Refusal(429, message, headers={"retry-after": str(wait_s)})
        self._buckets[key] = (tokens - 1, now)


def shop_of(request: HTTPConnection) -> Shop:
    shop: Shop = request.app.state.shop
    return shop


class ApiKey(HTTPBearer):
    """The credential of every operation: who has a valid key gets the shop.

    Interface: Authentication.
    """

    async def __call__(self, request: HTTPConnection) -> Shop:  # type: ignore[override] # the key stays here
        """Return what the application works on.

        Raises:
            Refusal: 401 for a missing or invalid key, 429 for too many requests with a valid one.
        """
        shop = shop_of(request)
        sent = request.headers.getlist("authorization")
        if not sent:
            message = "send the API key as Authorization: Bearer <API_KEY>"
            raise Refusal(401, message, headers={"www-authenticate": "Bearer"})
        credentials = await super().__call__(request)
        if credentials is None or len(sent) > 1 or not await _is_valid(credentials, shop):
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            raise Refusal(401, "the API key is not valid", headers=challenge)
        request.state.is_known = True
        if shop.throttle is not None:
            shop.throttle.take(hash_key(credentials.credentials))
        return shop


require_key = ApiKey(scheme_name="bearer", description="The API key", auto_error=False)
ShopOf = Annotated[Shop, Depends(require_key)]


async def _is_valid(credentials: HTTPAuthorizationCredentials, shop: Shop) -> bool:
    key, own = credentials.credentials, shop.options.api_key
    if own is not None and hmac.compare_digest(key.encode(), own.get_secret_value().encode()):
        return True
    # Looked up by its hash: how alike two keys are shows in no timing.
    return await shop.store.is_valid_key(hash_key(key))


def base_of(request: Request) -> str:
    """Return what stands before ``/pets`` in an address of the answer.

    A Host that is not one of the service's own names never appears in one.
    """
    shop = shop_of(request)
    if shop.options.public_url is not None:
        return shop.options.public_url.rstrip("/")
    host = request.headers.get("host", "").lower()
    return f"http://{host}/v1" if host in shop.own_hosts else "/v1"


async def meant_for_this_store(
    shop: ShopOf,
    x_store_id: Annotated[
        str | SkipJsonSchema[None],
        Header(
            description="Extension: the store that the pet is meant for",
            json_schema_extra={"x-extension": True},
        ),
    ] = None,
) -> None:
    """Refuse a pet that was meant for another store, which had this address before."""
    if x_store_id not in (None, shop.store.store_id):
        message = (
            "this address belongs to another store than the one that this pet was meant for; "
            "nothing was stored"
        )
        raise Refusal(412, message)


def plain_digits(text: Any) -> Any:
    """Take a whole number in its one plain spelling: no sign but -, no leading zero, no space."""
    if isinstance(text, str) and not re.fullmatch(r"-?[1-9][0-9]{0,18}|0", text, re.ASCII):
        raise ValueError("not a whole number")
    return text
