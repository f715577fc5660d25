"""What the store holds: reading pets, and adding them in durable batches."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Engine, Row, Select, bindparam, delete, insert, select, text
from sqlalchemy.exc import DBAPIError

from petstore_frame.service.database import (
    api_keys,
    idempotency_keys,
    is_sqlite,
    pets,
    store_identity,
)
from petstore_frame.service.errors import unavailable
from petstore_frame.service.models import INT64_MIN, NewPet, Pet, PetStatus

IDEMPOTENCY_KEEP_S = 7 * 24 * 3600
START = INT64_MIN

_FIELDS = ("id", "name", "categoryId", "status")
_PETS = TypeAdapter(list[Pet])
_PAGE = (
    select(pets).where(pets.c.id > bindparam("after")).order_by(pets.c.id).limit(bindparam("size"))
)
_STATUS_PAGE = _PAGE.where(pets.c.status == bindparam("status"))
_ONE = select(pets).where(pets.c.id == bindparam("id"))
_VALID_KEY = select(api_keys.c.hash).where(
    api_keys.c.hash == bindparam("hash"), api_keys.c.revoked_at.is_(None)
)
_BY_IDEMPOTENCY_KEY = (
    select(pets)
    .join_from(idempotency_keys, pets, pets.c.id == idempotency_keys.c.pet_id)
    .where(idempotency_keys.c.key == bindparam("key"))
)
_INSERT_PET = insert(pets).returning(pets.c.id)
_INSERT_KEY = insert(idempotency_keys)
_FORGET = delete(idempotency_keys).where(idempotency_keys.c.created_at < bindparam("before"))
# The commit mark was not written, so no recovery can find it. After a failed fsync it might.
_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL = 5, 8, 13
_NOT_WRITTEN = {_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL}
_WRITERS_LOCK = text("SELECT pg_advisory_xact_lock(7385020071)")


class NotStored(Exception):  # noqa: N818 # it states a fact that the caller may rely on
    """The batch was not stored, for certain; the same request may be sent again."""


@dataclass(frozen=True, slots=True)
class Addition:
    """One pet to add, with the client's idempotency key if it sent one."""

    pet: NewPet
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one Addition.

    Attributes:
        pet: The pet as stored.
        replayed: Whether an earlier request with the same key had made it.
        conflict: Whether that earlier request had another body; nothing was added then.
    """

    pet: Pet
    replayed: bool = False
    conflict: bool = False


class Store:
    """The pets of one database; safe to share between threads."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self.engine = engine
        self._clock = clock
        self._is_sqlite = is_sqlite(engine)
        # SQLite reports to a connection only the commits of others, so this one never writes.
        self._pooled = engine.raw_connection() if self._is_sqlite else None
        self._watch: Any = self._pooled.driver_connection if self._pooled is not None else None
        with engine.connect() as connection:
            self.store_id: str = connection.execute(select(store_identity.c.store_id)).scalar_one()

    def close(self) -> None:
        """Close the connection that watches for commits; the caller closes the engine."""
        if self._pooled is not None:
            self._pooled.close()
            self._pooled = self._watch = None

    async def page(self, size: int, after: int, status: PetStatus | None) -> list[Pet]:
        """Return up to ``size`` pets with ids above ``after``, ascending."""
        values = {"after": after, "size": size}
        if status is None:
            rows = await self._read(_PAGE, values)
        else:
            rows = await self._read(_STATUS_PAGE, {**values, "status": status.value})
        return _pets(rows)

    async def pet(self, pet_id: int) -> Pet | None:
        found = _pets(await self._read(_ONE, {"id": pet_id}))
        return found[0] if found else None

    async def is_valid_key(self, key_hash: str) -> bool:
        return bool(await self._read(_VALID_KEY, {"hash": key_hash}))

    async def _read(self, statement: Select[Any], values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        # A SQLite read never waits for a writer (WAL) and costs less than a change of thread.
        try:
            if self._is_sqlite:
                return self._fetch(statement, values)
            return await asyncio.to_thread(self._fetch, statement, values)
        except DBAPIError as problem:
            raise unavailable("the database does not answer at the moment") from problem

    def _fetch(self, statement: Select[Any], values: Mapping[str, Any]) -> Sequence[Row[Any]]:
        with self.engine.connect() as connection:
            return connection.execute(statement, values).all()

    def version(self) -> int | None:
        """Return a number that differs after each commit, or None where that would be slow.

        What was read after a version was taken is true as long as the version stays.
        """
        if self._watch is None:
            return None
        return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def add(self, batch: Sequence[Addition]) -> list[Added]:
        """Add pets in one transaction that is on disk when this returns.

        Ids rise in the order of commits, across processes too, so that a walk by id never misses
        a pet that was acknowledged before a later one was seen.

        Raises:
            NotStored: The whole batch was rolled back, for certain.
            DBAPIError: The commit failed; whether it took effect is not known.
        """
        try:
            connection = self.engine.connect()
        except DBAPIError as problem:
            raise NotStored(str(problem.orig)) from problem
        with connection:
            try:
                # The lock of all writers, so that ids are given out in the order of commits.
                if self._is_sqlite:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                else:
                    connection.execute(_WRITERS_LOCK)
                added = [self._add_one(connection, addition) for addition in batch]
            except DBAPIError as problem:
                raise NotStored(str(problem.orig)) from problem
            self._commit(connection)
            return added

    def fill(self, new_pets: Iterable[NewPet]) -> None:
        """Add many pets at once, in one transaction; their ids are not returned."""
        with self.engine.begin() as connection:
            connection.execute(insert(pets), [pet.model_dump() for pet in new_pets])

    def is_empty(self) -> bool:
        return not self._fetch(_PAGE, {"after": START, "size": 1})

    def forget_old_keys(self) -> None:
        """Drop the idempotency keys that are past their time."""
        with self.engine.begin() as connection:
            connection.execute(_FORGET, {"before": int(self._clock()) - IDEMPOTENCY_KEEP_S})

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except DBAPIError as problem:
            if getattr(problem.orig, "sqlite_errorcode", 0) & 0xFF in _NOT_WRITTEN:
                raise NotStored(str(problem.orig)) from problem
            raise

    def _add_one(self, connection: Connection, addition: Addition) -> Added:
        values = addition.pet.model_dump()
        if addition.key is not None:
            found = _pets(connection.execute(_BY_IDEMPOTENCY_KEY, {"key": addition.key}).all())
            if found:
                earlier = found[0]
                # No operation changes a pet, so the stored pet shows what the first body was.
                conflict = earlier.model_dump(exclude={"id"}) != values
                return Added(earlier, replayed=True, conflict=conflict)
        pet_id = connection.execute(_INSERT_PET, values).scalar_one()
        if addition.key is not None:
            made = {"key": addition.key, "pet_id": pet_id, "created_at": int(self._clock())}
            connection.execute(_INSERT_KEY, made)
        return Added(Pet.model_construct(id=pet_id, **values))


def _pets(rows: Sequence[Row[Any]]) -> list[Pet]:
    """Return rows of the table, its columns in order, as pets."""
    return _PETS.validate_python([dict(zip(_FIELDS, row, strict=True)) for row in rows])
