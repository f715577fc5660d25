"""Where pets, keys and idempotency keys are kept: the tables and how a database is opened.

In: a database URL. Out: SQLAlchemy tables and an engine set up for durable commits.
It knows nothing of HTTP.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
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

from petstore_frame.service.options import StartError, database_url

BUSY_TIMEOUT_S = 5

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


def open_store(database: str) -> Engine:
    """Open a database given as a URL or a path.

    Raises:
        StartError: It cannot be opened; a password in its address is not shown.
    """
    try:
        return open_database(database_url(database))
    except (SQLAlchemyError, ValueError) as problem:
        cause = getattr(problem, "orig", None) or problem
        raise StartError(f"cannot open the database {shown_url(database)}: {cause}") from problem


def open_database(url: str) -> Engine:
    """Open a database, its tables made where missing.

    Returns:
        An engine whose commits are on disk when they return.
    """
    if url.startswith("sqlite"):
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
        event.listen(engine, "connect", _prepare_sqlite)
    else:
        engine = create_engine(url, pool_pre_ping=True, pool_size=8, max_overflow=8)
        event.listen(engine, "connect", _prepare_postgres)
    try:
        _prepare_tables(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def shown_url(database: str) -> str:
    """Return a database's address for a message, without its password."""
    try:
        return make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "given"


def _prepare_tables(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        _check_encoding(engine)
    metadata.create_all(engine)
    _name_store(engine)


def _check_encoding(engine: Engine) -> None:
    """Refuse a database that cannot hold every name: one would fail a whole batch."""
    with engine.connect() as connection:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise ValueError(f"its encoding is {encoding}; names need UTF8")


def _name_store(engine: Engine) -> None:
    """Give a database without an id one; of two processes that try at once, the first succeeds."""
    with suppress(IntegrityError), engine.begin() as connection:
        if connection.execute(select(store_identity)).first() is None:
            name = {"place": 1, "store_id": secrets.token_hex(16)}
            connection.execute(insert(store_identity), name)


def is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")  # WAL with NORMAL may lose the last commits
    cursor.close()


def _prepare_postgres(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_S}s'")
    cursor.execute("SET synchronous_commit = on")  # whatever the cluster's own setting
    cursor.close()
    connection.commit()
