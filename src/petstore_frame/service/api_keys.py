"""Makes, lists, revokes and checks the keys of a store; only their hashes are kept.

As a program it answers one line of JSON on stdin, such as ``{"database": D}``, by one on stdout:
with ``label`` it makes a key, with ``revoke`` it revokes one, else it lists them.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from petstore_frame.service import StartError
from petstore_frame.service.error_responses import Refusal
from petstore_frame.service.store import Store, api_keys, open_database, shown_url

HINT_LENGTH = 10
bearer = HTTPBearer(scheme_name="bearer", description="The API key", auto_error=False)


def hash_key(key: str) -> str:
    # A plain hash is enough: 256 random bits cannot be guessed, so nothing is won by a slow one.
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _make_key() -> str:
    return "psk_" + secrets.token_urlsafe(32)  # 256 random bits


def key_from_file(path: Path) -> str:
    """Return the key in a file; the file is made, readable by its owner alone, when missing.

    Raises:
        StartError: It holds no key, or its folder is missing.
    """
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write((key := _make_key()) + "\n")
    except FileExistsError:
        key = path.read_text(encoding="utf-8").strip()
    except OSError as problem:
        raise StartError(f"{path}: {problem.strerror}") from None
    if not key:
        raise StartError(f"{path} holds no key")
    return key


def new_key(engine: sa.Engine, label: str) -> str:
    """Make a key, of which only the hash is kept."""
    key = _make_key()
    row = {"hash": hash_key(key), "hint": key[:HINT_LENGTH], "label": label}
    with engine.begin() as connection:
        connection.execute(sa.insert(api_keys), row | {"created_at": int(time.time())})
    return key


def list_keys(engine: sa.Engine) -> list[dict[str, Any]]:
    """Return what is known of each key, oldest first; times are seconds since 1970."""
    shown = [column for column in api_keys.c if column is not api_keys.c.hash]
    statement = sa.select(*shown).order_by(api_keys.c.created_at, api_keys.c.hint)
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(statement).mappings()]


def revoke_key(engine: sa.Engine, key: str) -> int:
    """Revoke the valid keys of a hint, or one given whole, and return how many these are.

    A part of a hint matches no key, and neither does a longer text that begins like one.
    """
    is_named = sa.or_(api_keys.c.hint == key, api_keys.c.hash == hash_key(key))
    revoked = sa.update(api_keys).where(is_named, api_keys.c.revoked_at.is_(None))
    with engine.begin() as connection:
        return connection.execute(revoked.values(revoked_at=int(time.time()))).rowcount


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


def answer(database: str, label: str | None = None, revoke: str | None = None) -> dict[str, Any]:
    """Make a key if it has a label, else revoke one if it is named, else list all."""
    told: dict[str, Any] = {"database": shown_url(database)}
    path = Path(database)
    is_missing = "://" not in database and path.parent.is_dir() and not path.exists()
    if is_missing and label is None:  # to open it would make it
        return told | {"keys": [], "revoked": 0}
    engine = open_database(database)
    if label is not None:
        return told | {"key": new_key(engine, label)}
    if revoke is not None:
        return told | {"revoked": revoke_key(engine, revoke)}
    return told | {"keys": list_keys(engine)}


if __name__ == "__main__":
    try:
        sys.stdout.write(json.dumps(answer(**json.loads(sys.stdin.readline()))))
    except StartError as problem:
        raise SystemExit(str(problem)) from None
