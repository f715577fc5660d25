"""Which credentials are valid.

In: keys, or what a request sent. Out: new keys, and yes or no. Only hashes are kept.
It knows nothing of HTTP but the form of the Authorization header's value.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Engine, insert, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from petstore_frame.service.rules import KEY_REFRESH_S
from petstore_frame.service.tables import api_keys, open_store

PREFIX = "psk_"
HINT_LENGTH = 10


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

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock

    @classmethod
    @contextlib.contextmanager
    def open(cls, database: str) -> Iterator[KeyBook]:
        """Open the book of a database, given as a URL or as the path of a SQLite file.

        Raises:
            StartError: The database cannot be opened.
        """
        engine = open_store(database)
        try:
            yield cls(engine)
        finally:
            engine.dispose()

    def new(self, label: str) -> str:
        """Make a key and keep its hash; the key itself is not stored."""
        key = make_key()
        row = {
            "hash": hash_key(key),
            "hint": key[:HINT_LENGTH],
            "label": label,
            "created_at": int(self._clock()),
        }
        with self._engine.begin() as connection:
            connection.execute(insert(api_keys), row)
        return key

    def records(self) -> list[KeyRecord]:
        """Return what is known of each key, oldest first."""
        columns = (api_keys.c.hint, api_keys.c.label, api_keys.c.created_at, api_keys.c.revoked_at)
        statement = select(*columns).order_by(api_keys.c.created_at, api_keys.c.hint)
        with self._engine.connect() as connection:
            return [KeyRecord(*row) for row in connection.execute(statement)]

    def revoke(self, key: str) -> int:
        """Revoke one key, given whole or as the hint of its record.

        A part of a hint matches no key, and neither does a longer text that begins like one.

        Returns:
            How many keys were valid until now: 0 or 1, or more where two share a hint.
        """
        is_meant = or_(api_keys.c.hint == key, api_keys.c.hash == hash_key(key))
        statement = (
            update(api_keys)
            .where(is_meant, api_keys.c.revoked_at.is_(None))
            .values(revoked_at=int(self._clock()))
        )
        with self._engine.begin() as connection:
            return connection.execute(statement).rowcount

    def valid_hashes(self) -> set[str]:
        """Return the hashes of the keys that are not revoked."""
        statement = select(api_keys.c.hash).where(api_keys.c.revoked_at.is_(None))
        with self._engine.connect() as connection:
            return set(connection.execute(statement).scalars())


class KeyRing:
    """The keys that are valid now, read again from the book twice per second.

    Args:
        book: The keys that the database knows.
        extra: Hashes of keys that are valid for this run.
    """

    def __init__(self, book: KeyBook, extra: Iterable[str] = ()) -> None:
        self._book = book
        self._extra = frozenset(extra)
        self._hashes = self._extra | book.valid_hashes()

    def is_empty(self) -> bool:
        return not self._hashes

    async def keep_fresh(self, *, every_s: float = KEY_REFRESH_S) -> None:
        """Take up new and revoked keys until cancelled; a failing database changes nothing."""
        while True:
            await asyncio.sleep(every_s)
            with contextlib.suppress(SQLAlchemyError):
                self._hashes = self._extra | await asyncio.to_thread(self._book.valid_hashes)

    def accepts(self, key: bytes) -> bool:
        """Return whether a key is valid, in a time that does not depend on its characters."""
        candidate = hashlib.sha256(key).hexdigest()
        valid = False
        for known in self._hashes:
            valid |= hmac.compare_digest(candidate, known)
        return valid
