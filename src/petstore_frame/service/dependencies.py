"""What the operations depend on: the store, for whoever has a key."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.requests import HTTPConnection
from fastapi.security import HTTPBearer

from petstore_frame.service.errors import Refusal
from petstore_frame.service.keys import hash_key
from petstore_frame.service.options import Options
from petstore_frame.service.store import Store


@dataclass
class Shop:
    """What one application works on; kept in its state."""

    options: Options
    store: Store


class ApiKey(HTTPBearer):
    """The credential of every operation: who has a valid key gets the shop.

    Interface: Authentication.
    """

    async def __call__(self, request: HTTPConnection) -> Shop:  # type: ignore[override] # the key stays here
        """Return what the application works on.

        Raises:
            Refusal: 401 for a missing or invalid key.
        """
        shop: Shop = request.app.state.shop
        sent = request.headers.getlist("authorization")
        if not sent:
            message = "send the API key as Authorization: Bearer <API_KEY>"
            raise Refusal(401, message, headers={"www-authenticate": "Bearer"})
        given = await super().__call__(request)
        if given is None or len(sent) > 1 or not await _is_valid(given.credentials, shop):
            challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
            raise Refusal(401, "the API key is not valid", headers=challenge)
        request.state.is_known = True
        return shop


require_key = ApiKey(scheme_name="bearer", description="The API key", auto_error=False)
ShopOf = Annotated[Shop, Depends(require_key)]


async def _is_valid(key: str, shop: Shop) -> bool:
    own = shop.options.api_key
    if own is not None and hmac.compare_digest(key.encode(), own.get_secret_value().encode()):
        return True
    # Looked up by its hash: how alike two keys are shows in no timing.
    return await shop.store.is_valid_key(hash_key(key))


def base_of(request: Request) -> str:
    """Return what stands before ``/pets`` in an address of the answer.

    A Host that is not the one that was connected to never appears in it: then it has none.
    """
    shop: Shop = request.app.state.shop
    if shop.options.public_url is not None:
        return shop.options.public_url.rstrip("/")
    host, port = request.scope["server"]
    own = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f"http://{own}/v1" if request.headers.get("host", "").lower() == own else "/v1"
