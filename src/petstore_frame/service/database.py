"""Where pets and keys are kept: the tables, and how a database is opened for durable commits."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from petstore_frame.service.errors import StartError

_BUSY_TIMEOUT_S = 5

metadata = sa.MetaData()

# SQLite knows only INTEGER as the type of an automatic key; PostgreSQL's Integer has 32 bits.
_RowId = sa.BigInteger().with_variant(sa.Integer, "sqlite")

pets = sa.Table(
    "pets",
    metadata,
    sa.Column("id", _RowId, primary_key=True, autoincrement=True),
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


def open_database(database: str) -> sa.Engine:
    """Open a database given as a SQLAlchemy URL or as the path of a SQLite file.

    Returns:
        An engine whose commits are on disk when they return; its tables are made where missing.

    Raises:
        StartError: It cannot be opened; a password in its address is not shown.
    """
    url = database if "://" in database else f"sqlite:///{Path(database).absolute()}"
    try:
        if url.startswith("sqlite"):
            waiting = {"timeout": _BUSY_TIMEOUT_S}
            engine = sa.create_engine(url, connect_args=waiting, paramstyle="named")
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


def shown_url(database: str) -> str:
    """Return a database's address for a message, without its password."""
    try:
        return sa.make_url(database).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return database if "@" not in database else "given"


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
