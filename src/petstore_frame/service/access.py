"""Who may ask: the store of a request, and the key that it must carry."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from petstore_frame.service.errors import Refusal
from petstore_frame.service.keys import hash_key
from petstore_frame.service.store import Store

bearer = HTTPBearer(scheme_name="bearer", description="The API key", auto_error=False)


async def get_store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


StoreOf = Annotated[Store, Depends(get_store)]


async def require_key(
    request: Request,
    store: StoreOf,
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> None:
    """Let a request with a valid key pass.

    Raises:
        Refusal: 401 for a missing or invalid key.

    Interface: Authentication.
    """
    if "authorization" not in request.headers:
        message = "send the API key as Authorization: Bearer <API_KEY>"
        raise Refusal("unauthorized", message, headers={"www-authenticate": "Bearer"})
    # Compared by its hash: how alike two keys are shows in no timing.
    sent_hash = hash_key(sent.credentials.strip()) if sent else ""
    own = request.app.state.api_key
    is_own = own is not None and sent_hash == hash_key(own.get_secret_value())
    if not is_own and not await run_in_threadpool(store.is_valid_key, sent_hash):
        challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
        raise Refusal("unauthorized", "the API key is not valid", headers=challenge)
    request.state.is_known = True
