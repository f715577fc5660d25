"""The keys of a store: made, listed and revoked; only their hashes are kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, insert, text

from petstore_frame.service.database import api_keys, open_database

PREFIX = "psk_"
HINT_LENGTH = 10
_RECORDS = text(
    "SELECT hint, label, created_at, revoked_at FROM api_keys ORDER BY created_at, hint"
)
_REVOKE = text(
    "UPDATE api_keys SET revoked_at = :now "
    "WHERE (hint = :hint OR hash = :hash) AND revoked_at IS NULL"
)


class KeyRecord(NamedTuple):
    """A key as the database knows it; times are seconds since 1970."""

    hint: str
    label: str
    created_at: int
    revoked_at: int | None


def make_key() -> str:
    """Return a fresh key with 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_key(key: str) -> str:
    # A plain hash is enough: 256 random bits cannot be guessed, so nothing is won by a slow one.
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def key_from_file(path: Path) -> str:
    """Return the key in a file; the file is made, readable by its owner alone, when missing."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_text(encoding="utf-8").strip()
        if not key:
            raise ValueError(f"{path} holds no key") from None
        return key
    except FileNotFoundError:
        raise ValueError(
            f"{path}: the folder {path.parent} does not exist; make it first"
        ) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        key = make_key()
        file.write(key + "\n")
    return key


class KeyBook:
    """The keys that a database knows, as hashes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @classmethod
    @contextlib.contextmanager
    def open(cls, database: str) -> Iterator[KeyBook]:
        """Open the book of a database, given as a URL or as the path of a SQLite file.

        Raises:
            StartError: The database cannot be opened.
        """
        engine = open_database(database)
        try:
            yield cls(engine)
        finally:
            engine.dispose()

    def new(self, label: str) -> str:
        """Make a key and keep its hash; the key itself is not stored."""
        key = make_key()
        row = {"hash": hash_key(key), "hint": key[:HINT_LENGTH], "label": label}
        with self._engine.begin() as connection:
            connection.execute(insert(api_keys), row | {"created_at": int(time.time())})
        return key

    def records(self) -> list[KeyRecord]:
        """Return what is known of each key, oldest first."""
        with self._engine.connect() as connection:
            return [KeyRecord(*row) for row in connection.execute(_RECORDS)]

    def revoke(self, key: str) -> int:
        """Revoke one key, given whole or as the hint of its record.

        A part of a hint matches no key, and neither does a longer text that begins like one.

        Returns:
            How many keys were valid until now: 0 or 1, or more where two share a hint.
        """
        meant = {"hint": key, "hash": hash_key(key), "now": int(time.time())}
        with self._engine.begin() as connection:
            return connection.execute(_REVOKE, meant).rowcount
