"""Stores the pets: the tables, and a database with durable commits."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from petstore_frame.service import StartError
from petstore_frame.service.wire_models import NewPet, PetStatus

_BUSY_TIMEOUT_S = 5
# Locked until the end of the transaction, so that ids ascend in the order of commits.
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7385020071)"}

Pet = dict[str, Any]

metadata = sa.MetaData()
# The statements are built from this table, so a field is declared only here and in ``NewPet``.
pets = sa.Table(
    "pets",
    metadata,
    # Only INTEGER is an automatic key in SQLite, and in PostgreSQL INTEGER has 32 bits.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("category_id", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16)),
    sa.Column("idempotency_key", sa.Text, unique=True),
    sqlite_autoincrement=True,  # otherwise SQLite would reuse the id of a deleted last row
)
sa.Index("pets_by_status", pets.c.status, pets.c.id)
api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("hash", sa.String(64), primary_key=True),
    sa.Column("hint", sa.String(32), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
)
# A single row with the id of this store.
store_identity = sa.Table(
    "store_identity",
    metadata,
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("store_id", sa.String(32), nullable=False),
)
_FIELDS = [pets.c.id, *(pets.c[name] for name in NewPet.model_fields)]


def open_database(database: str) -> sa.Engine:
    """Open the database at a SQLAlchemy URL or at the path of a SQLite file.

    Missing tables are created. Every commit is flushed to disk.

    Raises:
        StartError: The database cannot be opened; the message does not show its password.
    """
    url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
    try:
        dialect = sa.make_url(url).get_backend_name()
        if dialect not in _LOCK:
            raise StartError(
                f"unsupported database {dialect!r}; use the path of a SQLite file, or an address "
                "such as postgresql+psycopg://user@host/database"
            )
        if dialect == "sqlite":
            engine = sa.create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT_S})
            _make_private(engine.url.database)
            sa.event.listen(engine, "connect", _make_durable)
        else:
            # The defaults of the server may differ.
            settings = f"-c lock_timeout={_BUSY_TIMEOUT_S}s -c synchronous_commit=on"
            arguments = {"options": settings}
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments)
        _make_tables(engine)
    except ModuleNotFoundError as problem:
        raise StartError(
            f"the driver of {safe_url(database)} is not installed ({problem.name}); use the path "
            "of a SQLite file, or an address that begins with postgresql+psycopg://"
        ) from problem
    except (SQLAlchemyError, ValueError, OSError) as problem:
        cause = getattr(problem, "orig", None) or getattr(problem, "strerror", None) or problem
        raise StartError(
            f"cannot open the database {safe_url(database)}: {cause}; name a SQLite file in an "
            "existing folder, or the address of a database that is running"
        ) from problem
    return engine


def _make_private(path: str | None) -> None:
    """Create a missing SQLite file readable only by its owner; its log gets the same mode."""
    if path and not path.startswith((":", "file:")) and not Path(path).exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _make_durable(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # WAL with NORMAL may lose the last commits


def _make_tables(engine: sa.Engine) -> None:
    metadata.create_all(engine)
    # If two processes name a new store at once, the first one succeeds.
    with suppress(IntegrityError), engine.begin() as connection:
        if connection.execute(sa.select(store_identity)).first() is None:
            identity = {"place": 1, "store_id": secrets.token_hex(16)}
            connection.execute(sa.insert(store_identity), identity)


def safe_url(database: str) -> str:
    """Return the address of a database for a message, without its password."""
    try:
        return sa.make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "at the given address"


class CommitError(Exception):
    """A commit failed, so the pet may or may not have been stored."""


class Added(NamedTuple):
    """The stored pet, or the pet that an earlier request with the same key created.

    ``conflict`` is True if that earlier request had a different body; then nothing was added.
    """

    pet: Pet
    replayed: bool = False
    conflict: bool = False


class Store:
    """The pets of one database; every method may be called from several threads.

    Raises:
        SQLAlchemyError: From every method, while the database cannot be reached.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()  # fairer and faster than SQLite's own waiting
        with engine.connect() as connection:
            identity = sa.select(store_identity.c.store_id)
            self.store_id: str = connection.execute(identity).scalar_one()

    def page(self, size: int, after: int, status: PetStatus | None) -> list[Pet]:
        """Return up to ``size`` pets with ids above ``after``, by ascending id."""
        query = sa.select(*_FIELDS).where(pets.c.id > after).order_by(pets.c.id).limit(size)
        if status is not None:
            query = query.where(pets.c.status == status.value)
        with self._engine.connect() as connection:
            return [_as_pet(row) for row in connection.execute(query).mappings()]

    def pet(self, pet_id: int) -> Pet | None:
        with self._engine.connect() as connection:
            result = connection.execute(sa.select(*_FIELDS).where(pets.c.id == pet_id))
            row = result.mappings().first()
            return None if row is None else _as_pet(row)

    def is_valid_key(self, key_hash: str) -> bool:
        is_valid = sa.and_(api_keys.c.hash == key_hash, api_keys.c.revoked_at.is_(None))
        query = sa.select(api_keys.c.hash).where(is_valid)
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None

    def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; it is on disk when this returns.

        Ids ascend in the order of commits, even across processes, so that paging by id never misses
        a pet whose creation was acknowledged before a later pet was read.

        Raises:
            CommitError: The pet may have been stored; after any other error it was not.
        """
        values = pet.model_dump(mode="json", exclude_none=True)
        with self._turn, self._engine.connect() as connection:
            connection.exec_driver_sql(_LOCK[connection.dialect.name])
            earlier = _pet_of_key(connection, key)
            if earlier is not None:
                # No operation changes a pet, so the stored pet equals the first body.
                is_other_body = {"id": earlier["id"], **values} != earlier
                return Added(earlier, replayed=True, conflict=is_other_body)
            row = values | {"idempotency_key": key}
            pet_id = connection.execute(sa.insert(pets).returning(pets.c.id), row).scalar_one()
            try:
                connection.commit()
            except SQLAlchemyError as problem:
                raise CommitError from problem
        return Added({"id": pet_id, **values})


def _pet_of_key(connection: sa.Connection, key: str | None) -> Pet | None:
    """Return the pet that an earlier request with an idempotency key created."""
    if key is None:
        return None
    query = sa.select(*_FIELDS).where(pets.c.idempotency_key == key)
    row = connection.execute(query).mappings().first()
    return None if row is None else _as_pet(row)


def _as_pet(row: sa.RowMapping) -> Pet:
    return {name: value for name, value in row.items() if value is not None}


def fill(engine: sa.Engine, new_pets: Iterable[NewPet]) -> bool:
    """Add pets to an empty store in one transaction; return whether it was empty."""
    with engine.begin() as connection:
        if connection.execute(sa.select(pets.c.id).limit(1)).first() is not None:
            return False
        if rows := [pet.model_dump(mode="json") for pet in new_pets]:
            connection.execute(sa.insert(pets), rows)
        return True
