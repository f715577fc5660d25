"""What the store holds: reading pets, and adding them in durable transactions."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import lru_cache
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import TypeAdapter
from sqlalchemy import Engine, insert, select, text

from petstore_frame.service.database import pets, store_identity
from petstore_frame.service.errors import unavailable
from petstore_frame.service.models import NewPet, Pet, PetStatus

IDEMPOTENCY_KEEP_S = 7 * 24 * 3600
_MAX_BATCH = 256
_KEPT_READS = 64

Found = TypeVar("Found")

_PETS = TypeAdapter(list[dict[str, Any]])
_SELECT = "SELECT id, name, category_id, status FROM pets"
_PAGE = f"{_SELECT} WHERE id > :after ORDER BY id LIMIT :size"
_STATUS_PAGE = f"{_SELECT} WHERE status = :status AND id > :after ORDER BY id LIMIT :size"
_ONE = f"{_SELECT} WHERE id = :id"
_VALID_KEY = "SELECT hash FROM api_keys WHERE hash = :hash AND revoked_at IS NULL"
_BY_KEY = f"{_SELECT} JOIN idempotency_keys ON pet_id = id WHERE key = :key"
_INSERT_PET = (
    "INSERT INTO pets (name, category_id, status) VALUES (:name, :category_id, :status) "
    "RETURNING id"
)
_INSERT_KEY = (
    "INSERT INTO idempotency_keys (key, pet_id, created_at) VALUES (:key, :pet_id, :created_at)"
)
_FORGET = "DELETE FROM idempotency_keys WHERE created_at < :before"
# Held to the end of a transaction, so that ids are given out in the order of commits.
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7385020071)"}
# The commit mark was not written, so no recovery can find it. After a failed fsync it might.
_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL = 5, 8, 13
_NOT_WRITTEN = {_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL}


class Page(NamedTuple):
    """A page of the list: its JSON, and the id that the next one follows, None on the last."""

    body: bytes
    last_id: int | None


class Addition(NamedTuple):
    """One pet to add, with the client's idempotency key if it sent one."""

    pet: NewPet
    key: str | None = None


class Added(NamedTuple):
    """What became of an Addition: the pet as stored, or what an earlier request with its key made.

    ``conflict`` says that the earlier request had another body; nothing was added then.
    """

    pet: Pet
    replayed: bool = False
    conflict: bool = False


class CommitError(Exception):
    """A commit failed, and whether it took effect is not known."""


class Store:
    """The pets of one database, for one event loop.

    SQLAlchemy opens the database, pools its connections and spells the statements once; each
    request speaks to the driver (DB-API 2.0), as SQLAlchemy's own work would outweigh SQLite's.
    """

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self.engine = engine
        self._clock = clock
        self._failure = engine.dialect.loaded_dbapi.Error
        # SQLite reports to a connection only the commits of others, so this one never writes.
        self._reader = engine.raw_connection() if engine.dialect.name == "sqlite" else None
        self._spelt = lru_cache(lambda sql: str(text(sql).compile(dialect=engine.dialect)))
        self._kept = lru_cache(_KEPT_READS)(lambda _version, read, *asked: read(*asked))
        self._waiting: deque[tuple[Addition, asyncio.Future[Added]]] = deque()
        self._bell: SimpleQueue[asyncio.AbstractEventLoop | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write_waiting, daemon=True)
        self._writer.start()
        with engine.connect() as connection:
            self.store_id: str = connection.execute(select(store_identity.c.store_id)).scalar_one()

    async def close(self) -> None:
        """Wait for what is being added; the caller closes the engine."""
        self._bell.put(None)
        await asyncio.to_thread(self._writer.join)
        if self._reader is not None:
            self._reader.close()

    async def page(self, limit: int, after: int, status: PetStatus | None) -> Page:
        """Return up to ``limit`` pets by ascending id, those above ``after``.

        Raises:
            Refusal: 503, as from every reading.
        """
        return await self._read(self._page, limit, after, status)

    async def pet(self, pet_id: int) -> Pet | None:
        return await self._read(self._pet, pet_id)

    async def is_valid_key(self, key_hash: str) -> bool:
        return await self._read(self._is_valid_key, key_hash)

    async def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; returns once it is on disk. Additions that wait share a transaction.

        Raises:
            Refusal: 503, and the pet was certainly not stored.
            CommitError: Whether it was stored is not known.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Added] = loop.create_future()
        self._waiting.append((Addition(pet, key), answer))
        if len(self._waiting) == 1:  # behind what else has arrived by now, to be written with it
            loop.call_soon(self._bell.put, loop)
        return await answer

    def write(self, batch: Sequence[Addition]) -> list[Added]:
        """Add pets in one transaction that is on disk when this returns.

        Ids rise in the order of commits, across processes too, so that a walk by id never misses
        a pet that was acknowledged before a later one was seen. Raises as ``add`` does.
        """
        try:
            with closing(self.engine.raw_connection()) as connection:
                cursor = connection.cursor()
                cursor.execute(_LOCK[self.engine.dialect.name])
                if any(addition.key for addition in batch):
                    before = int(self._clock()) - IDEMPOTENCY_KEEP_S
                    cursor.execute(self._spelt(_FORGET), {"before": before})
                added = [self._add_one(cursor, addition) for addition in batch]
                self._commit(connection)
                return added
        except self._failure as problem:
            message = "the store cannot write at the moment; nothing was stored"
            raise unavailable(message) from problem

    async def _read(self, read: Callable[..., Found], *asked: Any) -> Found:
        """Return what ``read`` gives; on SQLite it is read once until the next commit."""
        try:
            if self._reader is None:
                return await asyncio.to_thread(read, *asked)
            # Reading never waits for a writer (WAL) and costs less than a change of thread.
            ((version,),) = self._rows("PRAGMA data_version")
            return cast("Found", self._kept(version, read, *asked))
        except self._failure as problem:
            raise unavailable("the database does not answer at the moment") from problem

    def _page(self, limit: int, after: int, status: PetStatus | None) -> Page:
        # One pet more than asked for shows whether there is a next page.
        statement = _PAGE if status is None else _STATUS_PAGE
        found = self._rows(statement, after=after, size=limit + 1, status=status)
        shown = [_on_wire(*row) for row in found[:limit]]
        return Page(_PETS.dump_json(shown), shown[-1]["id"] if len(found) > limit else None)

    def _pet(self, pet_id: int) -> Pet | None:
        found = self._rows(_ONE, id=pet_id)
        return _stored(*found[0]) if found else None

    def _is_valid_key(self, key_hash: str) -> bool:
        return bool(self._rows(_VALID_KEY, hash=key_hash))

    def _rows(self, statement: str, **values: Any) -> list[Any]:
        if self._reader is not None:
            return self._ask(self._reader.cursor(), statement, values)
        with closing(self.engine.raw_connection()) as connection:
            return self._ask(connection.cursor(), statement, values)

    def _ask(self, cursor: Any, statement: str, values: dict[str, Any]) -> list[Any]:
        cursor.execute(self._spelt(statement), values)
        return list(cursor.fetchall())

    def _write_waiting(self) -> None:
        while (loop := self._bell.get()) is not None:
            while size := min(len(self._waiting), _MAX_BATCH):
                batch = [self._waiting.popleft() for _ in range(size)]
                outcomes: list[Added] | list[Exception]
                try:
                    outcomes = self.write([addition for addition, _ in batch])
                except Exception as problem:  # noqa: BLE001 # each waiting request answers for itself
                    outcomes = [problem] * size
                answers = [answer for _, answer in batch]
                loop.call_soon_threadsafe(_settle, answers, outcomes)

    def _add_one(self, cursor: Any, addition: Addition) -> Added:
        values = addition.pet.model_dump()
        if addition.key is not None:
            earlier = self._ask(cursor, _BY_KEY, {"key": addition.key})
            if earlier:
                # No operation changes a pet, so the stored pet shows what the first body was.
                pet = _stored(*earlier[0])
                return Added(pet, True, conflict=pet.model_dump(exclude={"id"}) != values)
        ((pet_id,),) = self._ask(cursor, _INSERT_PET, values)
        if addition.key is not None:
            made = {"key": addition.key, "pet_id": pet_id, "created_at": int(self._clock())}
            cursor.execute(self._spelt(_INSERT_KEY), made)
        return Added(Pet.model_construct(id=pet_id, **values))

    def _commit(self, connection: Any) -> None:
        try:
            connection.commit()
        except self._failure as problem:
            if getattr(problem, "sqlite_errorcode", 0) & 0xFF in _NOT_WRITTEN:
                raise
            raise CommitError(str(problem)) from problem


def _stored(pet_id: int, name: str, category_id: int, status: Any) -> Pet:
    return Pet.model_construct(id=pet_id, name=name, category_id=category_id, status=status)


def _on_wire(pet_id: int, name: str, category_id: int, status: str | None) -> dict[str, Any]:
    """Return a row's JSON object; a hundred models would take most of the time of a page."""
    pet: dict[str, Any] = {"id": pet_id, "name": name, "categoryId": category_id}
    return pet if status is None else {**pet, "status": status}


def _settle(
    answers: Sequence[asyncio.Future[Added]], outcomes: Sequence[Added | Exception]
) -> None:
    for answer, outcome in zip(answers, outcomes, strict=True):
        if answer.done():  # the request was cancelled meanwhile
            continue
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)


def fill(engine: Engine, new_pets: Iterable[NewPet]) -> bool:
    """Put pets into an empty store, in one transaction; return whether it was empty."""
    with engine.begin() as connection:
        if connection.execute(select(pets.c.id).limit(1)).first() is not None:
            return False
        if rows := [pet.model_dump() for pet in new_pets]:
            connection.execute(insert(pets), rows)
        return True
