"""Where pets and keys are kept: the tables, and how a database is opened for durable commits."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from petstore_frame.service.errors import StartError

_BUSY_TIMEOUT_S = 5

metadata = MetaData()

# SQLite knows only INTEGER as the type of an automatic key; PostgreSQL's Integer has 32 bits.
_RowId = BigInteger().with_variant(Integer, "sqlite")

pets = Table(
    "pets",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("category_id", BigInteger, nullable=False),
    Column("status", String(16)),
    sqlite_autoincrement=True,  # without it SQLite would hand out a deleted last id again
)
Index("pets_by_status", pets.c.status, pets.c.id)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("key", Text, primary_key=True),
    Column("pet_id", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False, index=True),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("hint", String(32), nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
)

# One row: the id of this store, for as long as its database exists.
store_identity = Table(
    "store_identity",
    metadata,
    Column("place", Integer, primary_key=True),
    Column("store_id", String(32), nullable=False),
)


def open_database(database: str) -> Engine:
    """Open a database given as a SQLAlchemy URL or as the path of a SQLite file.

    Returns:
        An engine whose commits are on disk when they return; its tables are made where missing.

    Raises:
        StartError: It cannot be opened; a password in its address is not shown.
    """
    url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
    try:
        engine = _engine(url)
        _prepare(engine)
    except (SQLAlchemyError, ValueError) as problem:
        cause = getattr(problem, "orig", None) or problem
        raise StartError(f"cannot open the database {shown_url(database)}: {cause}") from problem
    return engine


def is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def shown_url(database: str) -> str:
    """Return a database's address for a message, without its password."""
    try:
        return make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "given"


def _engine(url: str) -> Engine:
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT_S})
        event.listen(engine, "connect", _prepare_sqlite)
    else:
        engine = create_engine(url, pool_pre_ping=True, pool_size=8, max_overflow=8)
        event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")  # WAL with NORMAL may lose the last commits


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    connection.execute(f"SET lock_timeout = '{_BUSY_TIMEOUT_S}s'")
    connection.execute("SET synchronous_commit = on")  # whatever the cluster's own setting
    connection.commit()


def _prepare(engine: Engine) -> None:
    if not is_sqlite(engine):
        with engine.connect() as connection:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":  # one name that it cannot hold would fail a whole batch
            raise ValueError(f"its encoding is {encoding}; names need UTF8")
    metadata.create_all(engine)
    # Of two processes that name a new store at once, the first succeeds.
    with suppress(IntegrityError), engine.begin() as connection:
        if connection.execute(select(store_identity)).first() is None:
            identity = {"place": 1, "store_id": secrets.token_hex(16)}
            connection.execute(insert(store_identity), identity)
