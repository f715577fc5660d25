"""Keeps the pets: the tables, and a database with durable commits."""

from __future__ import annotations

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
# Kept to the end of a transaction, so that ids are given out in the order of commits.
_LOCK = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(7385020071)"}

Pet = dict[str, Any]

metadata = sa.MetaData()
# The statements are made from this table, so a field stands here and in ``models.NewPet``.
pets = sa.Table(
    "pets",
    metadata,
    # SQLite knows only INTEGER as the type of an automatic key; PostgreSQL's has 32 bits.
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("category_id", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16)),
    sa.Column("idempotency_key", sa.Text, unique=True),
    sqlite_autoincrement=True,  # without it SQLite would hand out a deleted last id again
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
# One row: the id of this store, for as long as its database exists.
store_identity = sa.Table(
    "store_identity",
    metadata,
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("store_id", sa.String(32), nullable=False),
)
_FIELDS = [pets.c.id, *(pets.c[name] for name in NewPet.model_fields)]


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
            engine = sa.create_engine(url, pool_pre_ping=True, connect_args=arguments)
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
        if connection.execute(sa.select(store_identity)).first() is None:
            identity = {"place": 1, "store_id": secrets.token_hex(16)}
            connection.execute(sa.insert(store_identity), identity)


def shown_url(database: str) -> str:
    """Return a database's address for a message, without its password."""
    try:
        return sa.make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "given"


class CommitError(Exception):
    """A commit failed, so it is not known whether the pet was stored."""


class Added(NamedTuple):
    """What became of an addition: the pet as stored, or what an earlier request with its key made.

    ``conflict`` says that the earlier request had another body; nothing was added then.
    """

    pet: Pet
    replayed: bool = False
    conflict: bool = False


class Store:
    """The pets of one database; each method may be called from many threads.

    Raises:
        SQLAlchemyError: From every method, while the database is gone.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()  # fairer and faster than SQLite's own waiting
        with engine.connect() as connection:
            identity = sa.select(store_identity.c.store_id)
            self.store_id: str = connection.execute(identity).scalar_one()

    def page(self, size: int, after: int, status: PetStatus | None) -> list[Pet]:
        """Return up to ``size`` pets by ascending id, those above ``after``."""
        wanted = sa.select(*_FIELDS).where(pets.c.id > after).order_by(pets.c.id).limit(size)
        if status is not None:
            wanted = wanted.where(pets.c.status == status.value)
        with self._engine.connect() as connection:
            return [_as_pet(row) for row in connection.execute(wanted).mappings()]

    def pet(self, pet_id: int) -> Pet | None:
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(*_FIELDS).where(pets.c.id == pet_id))
            row = found.mappings().first()
            return _as_pet(row) if row else None

    def is_valid_key(self, key_hash: str) -> bool:
        is_it = sa.and_(api_keys.c.hash == key_hash, api_keys.c.revoked_at.is_(None))
        with self._engine.connect() as connection:
            return connection.execute(sa.select(api_keys.c.hash).where(is_it)).first() is not None

    def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; it is on disk when this returns.

        Ids rise in the order of commits, across processes too, so that a walk by id never misses
        a pet that was acknowledged before a later one was seen.

        Raises:
            CommitError: Whether the pet was stored is not known; after other errors it was not.
        """
        values = pet.model_dump(mode="json", exclude_none=True)
        with self._turn, self._engine.connect() as connection:
            connection.exec_driver_sql(_LOCK[connection.dialect.name])
            has_key = sa.select(*_FIELDS).where(pets.c.idempotency_key == key)
            if key is not None and (found := connection.execute(has_key).mappings().first()):
                earlier = _as_pet(found)
                # No operation changes a pet, so the stored pet shows what the first body was.
                is_other = {"id": earlier["id"], **values} != earlier
                return Added(earlier, replayed=True, conflict=is_other)
            row = values | {"idempotency_key": key}
            pet_id = connection.execute(sa.insert(pets).returning(pets.c.id), row).scalar_one()
            try:
                connection.commit()
            except SQLAlchemyError as problem:
                raise CommitError from problem
        return Added({"id": pet_id, **values})


def _as_pet(row: sa.RowMapping) -> Pet:
    return {name: value for name, value in row.items() if value is not None}


def fill(engine: sa.Engine, new_pets: Iterable[NewPet]) -> bool:
    """Put pets into an empty store, in one transaction; return whether it was empty."""
    with engine.begin() as connection:
        if connection.execute(sa.select(pets.c.id).limit(1)).first() is not None:
            return False
        if rows := [pet.model_dump(mode="json") for pet in new_pets]:
            connection.execute(sa.insert(pets), rows)
        return True
