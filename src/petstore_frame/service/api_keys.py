"""Creates, lists, revokes and checks the keys of a store, which stores only their hashes.

As a program it reads one line of JSON from stdin, such as ``{"database": D}``, and writes one to
stdout: it creates a key if there is a ``label``, revokes a key with ``revoke``, or lists all keys.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import time
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from petstore_frame.service import StartError
from petstore_frame.service.database import Store, api_keys, open_database, safe_url
from petstore_frame.service.error_responses import Refusal

HINT_LENGTH = 10
MIN_KEY_LENGTH = 16
_MAX_KEY_FILE_BYTES = 4096  # the key must fit into a request header
_READABLE_BY_OTHERS = 0o077
bearer = HTTPBearer(scheme_name="bearer", description="The API key", auto_error=False)


def hash_key(key: str) -> str:
    # A plain hash is enough: nobody can guess 256 random bits, however fast the hash is.
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _make_key() -> str:
    return "psk_" + secrets.token_urlsafe(32)  # 256 random bits


def key_from_file(path: Path) -> str:
    """Return the key in a file; a missing file is created, readable by its owner only.

    Raises:
        StartError: The file has no key of at least 16 characters on one line, other users may
            read it, or it cannot be read or created.
    """
    try:
        try:
            return _make_key_file(path)
        except FileExistsError:
            content, mode = _read_key_file(path)
    except (OSError, ValueError) as problem:  # a ValueError for a path with a NUL character
        reason = getattr(problem, "strerror", None) or problem
        raise StartError(
            f"the key file {str(path)!r} cannot be read or created: {reason}; name a file in an "
            "existing folder"
        ) from None
    key = content.decode("ascii", "replace").strip("\r\n")
    # The characters that a client can send in a header: printable ASCII without spaces.
    if not key.isascii() or not key.isprintable() or " " in key:
        raise StartError(
            f"{path} must have one key on one line, in printable ASCII characters without blanks; "
            "name a file that does not exist to create a key"
        )
    if len(key) < MIN_KEY_LENGTH:
        raise StartError(
            f"the key in {path} must have at least {MIN_KEY_LENGTH} characters, got {len(key)}; "
            "delete the file to create a new one"
        )
    # Windows has access lists instead of these bits.
    if os.name == "posix" and mode & _READABLE_BY_OTHERS:
        command = f"chmod 600 {quote(str(path))}"
        raise StartError(f"other users may read the key in {path}; run: {command}")
    return key


def _make_key_file(path: Path) -> str:
    key = _make_key()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key + "\n")
    return key


def _read_key_file(path: Path) -> tuple[bytes, int]:
    """Return the content of a file, and the bits of its permissions."""
    with path.open("rb") as file:
        return file.read(_MAX_KEY_FILE_BYTES), os.fstat(file.fileno()).st_mode


def new_key(engine: sa.Engine, label: str) -> str:
    """Create a key, and store its hash."""
    key = _make_key()
    row = {"hash": hash_key(key), "hint": key[:HINT_LENGTH], "label": label}
    with engine.begin() as connection:
        connection.execute(sa.insert(api_keys), row | {"created_at": int(time.time())})
    return key


def list_keys(engine: sa.Engine) -> list[dict[str, Any]]:
    """Return the facts about each key, oldest first; times are seconds since 1970."""
    public_columns = [column for column in api_keys.c if column is not api_keys.c.hash]
    statement = sa.select(*public_columns).order_by(api_keys.c.created_at, api_keys.c.hint)
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(statement).mappings()]


def revoke_key(engine: sa.Engine, key: str) -> int:
    """Revoke the valid keys with a hint, or a full key, and return how many were revoked.

    A text must equal a hint or a key; a shorter or longer text matches nothing.
    """
    has_name = sa.or_(api_keys.c.hint == key, api_keys.c.hash == hash_key(key))
    revoked = sa.update(api_keys).where(has_name, api_keys.c.revoked_at.is_(None))
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
    """Accept only requests with a valid key.

    Raises:
        Refusal: 401 for a missing or invalid key.

    Interface: Authentication.
    """
    if "authorization" not in request.headers:
        message = "send the API key as Authorization: Bearer <API_KEY>"
        raise Refusal("unauthorized", message, headers={"www-authenticate": "Bearer"})
    # Hashes are compared, so that the duration of a comparison reveals nothing about the key.
    sent_hash = hash_key(sent.credentials.strip()) if sent else ""
    own = request.app.state.api_key
    is_own = own is not None and sent_hash == hash_key(own.get_secret_value())
    if not is_own and not await run_in_threadpool(store.is_valid_key, sent_hash):
        challenge = {"www-authenticate": 'Bearer error="invalid_token"'}
        raise Refusal("unauthorized", "the API key is not valid", headers=challenge)
    request.state.has_valid_key = True


def run_request(
    database: str, label: str | None = None, revoke: str | None = None
) -> dict[str, Any]:
    """Create a key with a label, revoke a key, or list all keys."""
    reply: dict[str, Any] = {"database": safe_url(database)}
    path = Path(database)
    is_path = "://" not in database and path.parent.is_dir()
    is_missing = is_path and (not path.exists() or (path.is_file() and path.stat().st_size == 0))
    if is_missing and label is None:  # opening would create the tables
        return {**reply, "keys": [], "revoked": 0}
    engine = open_database(database)
    if label is not None:
        return {**reply, "key": new_key(engine, label)}
    if revoke is not None:
        return {**reply, "revoked": revoke_key(engine, revoke)}
    return {**reply, "keys": list_keys(engine)}


if __name__ == "__main__":
    try:
        sys.stdout.write(json.dumps(run_request(**json.loads(sys.stdin.readline()))))
    except StartError as problem:
        raise SystemExit(str(problem)) from None
