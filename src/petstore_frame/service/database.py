"""Where pets and keys are kept: the tables, and how a database is opened for durable commits."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from petstore_frame.service import StartError

_BUSY_TIMEOUT_S = 5

metadata = sa.MetaData()

# SQLite knows only INTEGER as the type of an automatic key; PostgreSQL's Integer has 32 bits.
_RowId = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Every statement is made from this table, so a column stands here and in ``models.PetFields``.
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


class FileGoneError(SQLAlchemyError):
    """The file that is open is no longer the one at its path."""


@dataclass(frozen=True)
class Database:
    """An open database; commits are on disk when they return.

    Attributes:
        engine: Its connections.
        file: The file of a SQLite database, with its device and number when it was opened.
    """

    engine: sa.Engine
    file: tuple[str, tuple[int, int]] | None = None

    def check_file(self) -> None:
        """Look whether the file is still at its path.

        Without this a service would go on writing into a file that nobody will find again.

        Raises:
            FileGoneError: It was removed, moved or replaced by another one.
        """
        if self.file is not None and _file_number(self.file[0]) != self.file[1]:
            raise FileGoneError(f"{self.file[0]} was removed, moved or replaced while it was open")

    def close(self) -> None:
        self.engine.dispose()


def open_database(database: str) -> Database:
    """Open a database given as a SQLAlchemy URL or as the path of a SQLite file.

    Its tables are made where they are missing.

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
        return Database(engine, _file_of(engine))
    except (SQLAlchemyError, ValueError) as problem:
        cause = getattr(problem, "orig", None) or problem
        raise StartError(f"cannot open the database {shown_url(database)}: {cause}") from problem


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


def _file_of(engine: sa.Engine) -> tuple[str, tuple[int, int]] | None:
    if engine.dialect.name != "sqlite":
        return None
    with engine.connect() as connection:
        path = connection.exec_driver_sql("PRAGMA database_list").all()[0][2]  # main comes first
    number = _file_number(path)
    return None if number is None else (path, number)


def _file_number(path: str) -> tuple[int, int] | None:
    with suppress(OSError):
        found = os.stat(path)  # noqa: PTH116 # on the way of every request
        return found.st_dev, found.st_ino
    return None
