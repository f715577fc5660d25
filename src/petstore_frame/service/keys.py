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

from sqlalchemy import insert, or_, select, update

from petstore_frame.service.database import Database, api_keys, open_database

PREFIX = "psk_"
HINT_LENGTH = 10


class KeyRecord(NamedTuple):
    """A key as the database knows it; times are seconds since 1970."""

    hint: str
    label: str
    created_at: int
    revoked_at: int | None


_RECORDS = select(*(api_keys.c[name] for name in KeyRecord._fields)).order_by(
    api_keys.c.created_at, api_keys.c.hint
)


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
        message = f"{path}: the folder {path.parent} does not exist; make it first"
        raise ValueError(message) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        key = _make_key()
        file.write(key + "\n")
    return key


def _make_key() -> str:
    return PREFIX + secrets.token_urlsafe(32)  # 256 random bits


class KeyBook:
    """The keys that a database knows, as hashes."""

    def __init__(self, database: Database) -> None:
        self._engine = database.engine

    @classmethod
    @contextlib.contextmanager
    def open(cls, database: str) -> Iterator[KeyBook]:
        """Open the book of a database, given as a URL or as the path of a SQLite file.

        Raises:
            StartError: The database cannot be opened.
        """
        with contextlib.closing(open_database(database)) as opened:
            yield cls(opened)

    def new(self, label: str) -> str:
        """Make a key and keep its hash; the key itself is not stored."""
        key = _make_key()
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
        is_named = or_(api_keys.c.hint == key, api_keys.c.hash == hash_key(key))
        is_valid = api_keys.c.revoked_at.is_(None)
        revoked = update(api_keys).where(is_named, is_valid).values(revoked_at=int(time.time()))
        with self._engine.begin() as connection:
            return connection.execute(revoked).rowcount
