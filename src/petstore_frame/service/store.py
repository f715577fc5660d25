"""What a store keeps: its tables, its database opened for durable commits, and its pets."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from petstore_frame.service import StartError
from petstore_frame.service.errors import Refusal
from petstore_frame.service.models import NewPet, PetStatus

IDEMPOTENCY_KEEP_S = 7 * 24 * 3600
_MAX_BATCH = 256
_BUSY_TIMEOUT_S = 5
# Locked to the end of a transaction, so that ids are given out in the order of commits.
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7385020071)"}
# SQLite is busy, read-only or full: the commit mark was not written, so no recovery can find it.
# After a failed fsync it might.
_NOT_WRITTEN = {5, 8, 13}

Pet = dict[str, Any]

metadata = sa.MetaData()
# Every statement is made from this table, so a column stands here and in ``models.PetFields``.
pets = sa.Table(
    "pets",
    metadata,
    # SQLite knows only INTEGER as the type of an automatic key; PostgreSQL's has 32 bits.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("category_id", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16)),
    sqlite_autoincrement=True,  # without it SQLite would hand out a deleted last id again
)
sa.Index("pets_by_status", pets.c.status, pets.c.id)
idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("pet_id", sa.BigInteger, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False, index=True),
)
api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("hint", sa.String(32), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)
# One row: the id of this store, for as long as its database exists.
store_identity = sa.Table(
    "store_identity",
    metadata,
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("store_id", sa.String(32), nullable=False),
)

_ONE = sa.select(pets).where(pets.c.id == sa.bindparam("pet_id"))
_PAGE = (
    sa.select(pets)
    .where(pets.c.id > sa.bindparam("after"))
    .order_by(pets.c.id)
    .limit(sa.bindparam("size"))
)
_STATUS_PAGE = _PAGE.where(pets.c.status == sa.bindparam("status"))
_BY_KEY = (
    sa.select(pets)
    .join(idempotency_keys, idempotency_keys.c.pet_id == pets.c.id)
    .where(idempotency_keys.c.key == sa.bindparam("sent_key"))
)
_ADD = sa.insert(pets).returning(pets.c.id)
_OLD_KEYS = sa.delete(idempotency_keys).where(
    idempotency_keys.c.created_at < sa.bindparam("before")
)
_VALID_KEY = sa.select(api_keys.c.hash).where(
    api_keys.c.hash == sa.bindparam("key_hash"), api_keys.c.revoked_at.is_(None)
)


def open_database(database: str) -> sa.Engine:
    """Open a database given as a SQLAlchemy URL or as the path of a SQLite file.

    Its tables are made where they are missing; what is committed is on disk.

    Raises:
        StartError: It cannot be opened; a password in its address is not shown.
    """
    url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
    try:
        if url.startswith("sqlite"):
            engine = sa.create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT_S})
            sa.event.listen(engine, "connect", _make_durable)
        else:
            # Whatever the cluster's own settings.
            settings = f"-c lock_timeout={_BUSY_TIMEOUT_S}s -c synchronous_commit=on"
            arguments = {"options": settings}
            engine = sa.create_engine(url, pool_pre_ping=True, pool_size=16, connect_args=arguments)
        _make_tables(engine)
    except (SQLAlchemyError, ValueError) as problem:
        cause = getattr(problem, "orig", None) or problem
        raise StartError(f"cannot open the database {shown_url(database)}: {cause}") from problem
    return engine


def _make_durable(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # WAL with NORMAL may lose the last commits


def _make_tables(engine: sa.Engine) -> None:
    metadata.create_all(engine)
    # Of two processes that name a new store at once, the first succeeds.
    with suppress(IntegrityError), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
            if encoding != "UTF8":  # one name that it cannot hold would fail a whole batch
                raise ValueError(f"its encoding is {encoding}; names need UTF8")
        if connection.execute(sa.select(store_identity)).first() is None:
            identity = {"place": 1, "store_id": secrets.token_hex(16)}
            connection.execute(sa.insert(store_identity), identity)


def shown_url(database: str) -> str:
    """Return a database's address for a message, without its password."""
    try:
        return sa.make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "given"


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


class Store:
    """The pets of one database, for one event loop.

    Raises:
        Refusal: From every method: 503 while the database, or its file, is gone.
    """

    def __init__(self, engine: sa.Engine, *, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._clock = clock
        self._open_batch: list[Addition] = []
        self._writing: asyncio.Task[list[Added]] | None = None
        self._path: str | None = None  # of SQLite's file
        with engine.connect() as connection:
            identity = sa.select(store_identity.c.store_id)
            self.store_id: str = connection.execute(identity).scalar_one()
            if engine.dialect.name == "sqlite":
                self._path = connection.exec_driver_sql("PRAGMA database_list").all()[0][2]
        self._file = _file_number(self._path)

    async def page(self, size: int, after: int, status: PetStatus | None) -> list[Pet]:
        """Return up to ``size`` pets by ascending id, those above ``after``."""
        if status is None:
            return await self._read(_PAGE, size=size, after=after)
        return await self._read(_STATUS_PAGE, size=size, after=after, status=status.value)

    async def pet(self, pet_id: int) -> Pet | None:
        found = await self._read(_ONE, pet_id=pet_id)
        return found[0] if found else None

    async def is_valid_key(self, key_hash: str) -> bool:
        return bool(await self._read(_VALID_KEY, key_hash=key_hash))

    async def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; returns once it is on disk. Additions that wait share a transaction.

        Raises:
            Refusal: 503, and the pet was certainly not stored; 500, and that is not known.
        """
        if not 0 < len(self._open_batch) < _MAX_BATCH:
            self._open_batch = []
            self._writing = asyncio.create_task(self._write_next(self._writing, self._open_batch))
        batch, writing, place = self._open_batch, self._writing, len(self._open_batch)
        batch.append(Addition(pet, key))
        assert writing is not None  # noqa: S101 # made with the batch
        added = await asyncio.shield(writing)  # a request that is cancelled ends no other one
        return added[place]

    async def _write_next(
        self, before: asyncio.Task[list[Added]] | None, batch: list[Addition]
    ) -> list[Added]:
        """Write a batch after the one before; until then it grows."""
        if before is not None:
            await asyncio.wait([before])
        if batch is self._open_batch:
            self._open_batch = []
        return await asyncio.to_thread(self.write, batch)

    def write(self, batch: Sequence[Addition]) -> list[Added]:
        """Add pets in one transaction that is on disk when this returns.

        Ids rise in the order of commits, across processes too, so that a walk by id never misses
        a pet that was acknowledged before a later one was seen. Raises as ``add`` does.
        """
        self._check_file()
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql(_LOCK[connection.dialect.name])
                if any(addition.key for addition in batch):
                    before = int(self._clock()) - IDEMPOTENCY_KEEP_S
                    connection.execute(_OLD_KEYS, {"before": before})
                added = [self._add_one(connection, addition) for addition in batch]
                self._commit(connection)
                return added
        except SQLAlchemyError as problem:
            message = "the store cannot write at the moment; nothing was stored"
            raise Refusal("unavailable", message) from problem

    def _add_one(self, connection: sa.Connection, addition: Addition) -> Added:
        values = addition.pet.model_dump(mode="json")
        if addition.key is not None:
            earlier = connection.execute(_BY_KEY, {"sent_key": addition.key}).mappings().first()
            if earlier is not None:
                # No operation changes a pet, so the stored pet shows what the first body was.
                is_other = values.items() - earlier.items()
                return Added(dict(earlier), replayed=True, conflict=bool(is_other))
        pet_id = connection.execute(_ADD, values).scalar_one()
        if addition.key is not None:
            made = {"key": addition.key, "pet_id": pet_id, "created_at": int(self._clock())}
            connection.execute(sa.insert(idempotency_keys), made)
        return Added({"id": pet_id, **values})

    def _commit(self, connection: sa.Connection) -> None:
        try:
            connection.commit()
            self._check_file()  # else it may be in a file that nobody will find again
        except (SQLAlchemyError, Refusal) as problem:
            code = getattr(getattr(problem, "orig", None), "sqlite_errorcode", 0)
            if code & 0xFF in _NOT_WRITTEN:
                raise
            message = "the store failed while it wrote; whether the pet was stored is not known"
            raise Refusal("internal_error", message) from problem

    async def _read(self, statement: Any, **values: Any) -> list[Pet]:
        self._check_file()
        try:
            # In SQLite's WAL mode reading waits for no writer, and costs less than a thread.
            if self._path is not None:
                return self._rows(statement, values)
            return await asyncio.to_thread(self._rows, statement, values)
        except SQLAlchemyError as problem:
            message = "the database does not answer at the moment"
            raise Refusal("unavailable", message) from problem

    def _rows(self, statement: Any, values: dict[str, Any]) -> list[Pet]:
        with self._engine.connect() as connection:
            found = connection.execute(statement, values)
            names = tuple(found.keys())
            return [dict(zip(names, row, strict=True)) for row in found]

    def _check_file(self) -> None:
        """Refuse to go on where SQLite's file was removed, moved or replaced by another one.

        The service would go on with a file that nobody will find again.
        """
        if self._file and _file_number(self._path) != self._file:
            message = "the file of the database was removed, moved or replaced"
            raise Refusal("unavailable", message)


def _file_number(path: str | None) -> tuple[int, int] | None:
    with suppress(OSError):
        found = os.stat(path or "")  # noqa: PTH116 # on the way of every request
        return found.st_dev, found.st_ino
    return None


def fill(engine: sa.Engine, new_pets: Iterable[NewPet]) -> bool:
    """Put pets into an empty store, in one transaction; return whether it was empty."""
    with engine.begin() as connection:
        if connection.execute(sa.select(pets.c.id).limit(1)).first() is not None:
            return False
        if rows := [pet.model_dump(mode="json") for pet in new_pets]:
            connection.execute(sa.insert(pets), rows)
        return True
