"""What the store holds: reading pets, and adding them in durable transactions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from petstore_frame.service.database import (
    Database,
    api_keys,
    idempotency_keys,
    pets,
    store_identity,
)
from petstore_frame.service.errors import Refusal, unavailable
from petstore_frame.service.models import NewPet, PetStatus

IDEMPOTENCY_KEEP_S = 7 * 24 * 3600
_MAX_BATCH = 256

Found = TypeVar("Found")
Row = dict[str, Any]

_ONE = select(pets).where(pets.c.id == bindparam("pet_id"))
_PAGE = (
    select(pets).where(pets.c.id > bindparam("after")).order_by(pets.c.id).limit(bindparam("size"))
)
_STATUS_PAGE = _PAGE.where(pets.c.status == bindparam("status"))
_BY_KEY = (
    select(pets)
    .join(idempotency_keys, idempotency_keys.c.pet_id == pets.c.id)
    .where(idempotency_keys.c.key == bindparam("sent_key"))
)
_ADD = insert(pets).returning(pets.c.id)
_OLD_KEYS = delete(idempotency_keys).where(idempotency_keys.c.created_at < bindparam("before"))
_VALID_KEY = select(api_keys.c.hash).where(
    api_keys.c.hash == bindparam("key_hash"), api_keys.c.revoked_at.is_(None)
)
# Locked to the end of a transaction, so that ids are given out in the order of commits.
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7385020071)"}
# The commit mark was not written, so no recovery can find it. After a failed fsync it might.
_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL = 5, 8, 13
_NOT_WRITTEN = {_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL}


class Addition(NamedTuple):
    """One pet to add, with the client's idempotency key if it sent one."""

    pet: NewPet
    key: str | None = None


class Added(NamedTuple):
    """What became of an Addition: the pet as stored, or what an earlier request with its key made.

    ``conflict`` says that the earlier request had another body; nothing was added then.
    """

    pet: Row
    replayed: bool = False
    conflict: bool = False


class Store:
    """The pets of one database, for one event loop."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        # In SQLite's WAL mode reading waits for no writer, and costs less than a change of thread.
        self._reads_at_once = database.engine.dialect.name == "sqlite"
        self._waiting: list[tuple[Addition, asyncio.Future[Added]]] = []
        self._writer: asyncio.Task[None] | None = None
        with database.engine.connect() as connection:
            self.store_id: str = connection.execute(select(store_identity.c.store_id)).scalar_one()

    async def page(self, size: int, after: int, status: PetStatus | None) -> list[Row]:
        """Return up to ``size`` pets by ascending id, those above ``after``.

        Raises:
            Refusal: 503, as from every reading.
        """
        values = {"size": size, "after": after}
        if status is None:
            return await self._read(_PAGE, values)
        return await self._read(_STATUS_PAGE, {**values, "status": status.value})

    async def pet(self, pet_id: int) -> Row | None:
        found = await self._read(_ONE, {"pet_id": pet_id})
        return found[0] if found else None

    async def is_valid_key(self, key_hash: str) -> bool:
        return bool(await self._read(_VALID_KEY, {"key_hash": key_hash}))

    async def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; returns once it is on disk. Additions that wait share a transaction.

        Raises:
            Refusal: 503, and the pet was certainly not stored; 500, and that is not known.
        """
        answer: asyncio.Future[Added] = asyncio.get_running_loop().create_future()
        self._waiting.append((Addition(pet, key), answer))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting())
        return await answer

    async def _write_waiting(self) -> None:
        while self._waiting:
            batch = self._waiting[:_MAX_BATCH]
            del self._waiting[:_MAX_BATCH]
            outcomes: Sequence[Added | Exception]
            try:
                outcomes = await asyncio.to_thread(self.write, [addition for addition, _ in batch])
            except Exception as problem:  # noqa: BLE001 # each waiting request answers for itself
                outcomes = [problem] * len(batch)
            for (_, answer), outcome in zip(batch, outcomes, strict=True):
                if answer.done():  # the request was cancelled meanwhile
                    continue
                if isinstance(outcome, Exception):
                    answer.set_exception(outcome)
                else:
                    answer.set_result(outcome)
        self._writer = None

    def write(self, batch: Sequence[Addition]) -> list[Added]:
        """Add pets in one transaction that is on disk when this returns.

        Ids rise in the order of commits, across processes too, so that a walk by id never misses
        a pet that was acknowledged before a later one was seen. Raises as ``add`` does.
        """
        try:
            self._database.check_file()
            with self._database.engine.connect() as connection:
                connection.exec_driver_sql(_LOCK[connection.dialect.name])
                if any(addition.key for addition in batch):
                    before = int(self._clock()) - IDEMPOTENCY_KEEP_S
                    connection.execute(_OLD_KEYS, {"before": before})
                added = [self._add_one(connection, addition) for addition in batch]
                self._commit(connection)
                return added
        except SQLAlchemyError as problem:
            message = "the store cannot write at the moment; nothing was stored"
            raise unavailable(message) from problem

    async def _read(self, statement: Any, values: Row) -> list[Row]:
        try:
            if self._reads_at_once:
                return self._rows(statement, values)
            return await asyncio.to_thread(self._rows, statement, values)
        except SQLAlchemyError as problem:
            raise unavailable("the database does not answer at the moment") from problem

    def _rows(self, statement: Any, values: Row) -> list[Row]:
        self._database.check_file()
        with self._database.engine.connect() as connection:
            found = connection.execute(statement, values)
            names = tuple(found.keys())
            return [dict(zip(names, row, strict=True)) for row in found.all()]

    def _add_one(self, connection: Connection, addition: Addition) -> Added:
        values = addition.pet.model_dump(mode="json")
        if addition.key is not None:
            earlier = connection.execute(_BY_KEY, {"sent_key": addition.key}).mappings().first()
            if earlier is not None:
                # No operation changes a pet, so the stored pet shows what the first body was.
                is_other = any(earlier[name] != value for name, value in values.items())
                return Added(dict(earlier), replayed=True, conflict=is_other)
        pet_id = connection.execute(_ADD, values).scalar_one()
        if addition.key is not None:
            made = {"key": addition.key, "pet_id": pet_id, "created_at": int(self._clock())}
            connection.execute(insert(idempotency_keys), made)
        return Added({"id": pet_id, **values})

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
            self._database.check_file()  # else it may be in a file that nobody will find again
        except SQLAlchemyError as problem:
            code = getattr(getattr(problem, "orig", None), "sqlite_errorcode", 0)
            if code & 0xFF in _NOT_WRITTEN:
                raise
            message = "the store failed while it wrote; whether the pet was stored is not known"
            raise Refusal(500, message) from problem


def fill(database: Database, new_pets: Iterable[NewPet]) -> bool:
    """Put pets into an empty store, in one transaction; return whether it was empty."""
    with database.engine.begin() as connection:
        if connection.execute(select(pets.c.id).limit(1)).first() is not None:
            return False
        if rows := [pet.model_dump(mode="json") for pet in new_pets]:
            connection.execute(insert(pets), rows)
        return True
