"""What the store holds: reading pets and adding them in durable batches.

In: checked pets, cursors, limits. Out: stored pets, with whether a repeated key had made them.
It knows nothing of HTTP or JSON.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, bindparam, delete, insert, select, text
from sqlalchemy.exc import DBAPIError

from petstore_frame.service.payload import NewPet, StoredPet
from petstore_frame.service.rules import IDEMPOTENCY_KEEP_S
from petstore_frame.service.tables import idempotency_keys, is_sqlite, pets, store_identity

_COLUMNS = (pets.c.id, pets.c.name, pets.c.category_id, pets.c.status)
_PAGE = (
    select(*_COLUMNS)
    .where(pets.c.id > bindparam("after"))
    .order_by(pets.c.id)
    .limit(bindparam("size"))
)
_STATUS_PAGE = _PAGE.where(pets.c.status == bindparam("status"))
_ONE = select(*_COLUMNS).where(pets.c.id == bindparam("id"))
_BY_KEY = (
    select(*_COLUMNS)
    .join_from(idempotency_keys, pets, pets.c.id == idempotency_keys.c.pet_id)
    .where(idempotency_keys.c.key == bindparam("key"))
)
_INSERT_PET = insert(pets).returning(pets.c.id)
_INSERT_KEY = insert(idempotency_keys)
_FORGET = delete(idempotency_keys).where(idempotency_keys.c.created_at < bindparam("before"))
# The commit mark was not written, so no recovery can find it. After a failed fsync it might.
_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL = 5, 8, 13
_NOT_WRITTEN = {_SQLITE_BUSY, _SQLITE_READONLY, _SQLITE_FULL}
_LOCK = text("SELECT pg_advisory_xact_lock(7385020071)")


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

    pet: StoredPet
    replayed: bool = False
    conflict: bool = False


class Store:
    """The pets of one database; safe to share between threads."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.time) -> None:
        self.engine = engine
        self._clock = clock
        # SQLite reports to a connection only the commits of others, so this one never writes.
        self._watch = engine.raw_connection() if is_sqlite(engine) else None

    def close(self) -> None:
        """Close the connection that watches for commits; the caller closes the engine."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def page(self, size: int, after: int, status: str | None) -> list[StoredPet]:
        """Return up to ``size`` pets with ids above ``after``, ascending."""
        values = {"after": after, "size": size, "status": status}
        if status is None:
            del values["status"]
        with self.engine.connect() as connection:
            rows = connection.execute(_PAGE if status is None else _STATUS_PAGE, values)
            return list(map(StoredPet._make, rows.all()))

    def version(self) -> int | None:
        """Return a number that differs after each commit, or None where that would be slow.

        What was read after a version was taken is true as long as the version stays.
        """
        if self._watch is None:
            return None
        cursor = self._watch.cursor()
        cursor.execute("PRAGMA data_version")
        (version,) = cursor.fetchall()[0]
        return int(version)

    def pet(self, pet_id: int) -> StoredPet | None:
        with self.engine.connect() as connection:
            row = connection.execute(_ONE, {"id": pet_id}).first()
            return StoredPet(*row) if row is not None else None

    def store_id(self) -> str:
        """Return the id of this store: random, made with its database."""
        with self.engine.connect() as connection:
            return str(connection.execute(select(store_identity.c.store_id)).scalar_one())

    def is_empty(self) -> bool:
        return not self.page(1, -(2**63), None)

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
                self._begin(connection)
                added = [self._add_one(connection, addition) for addition in batch]
            except DBAPIError as problem:
                raise NotStored(str(problem.orig)) from problem
            self._commit(connection)
            return added

    def fill(self, new_pets: Iterable[NewPet]) -> None:
        """Add many pets at once, in one transaction; their ids are not returned."""
        rows = [pet._asdict() for pet in new_pets]
        with self.engine.begin() as connection:
            connection.execute(insert(pets), rows)

    def forget_old_keys(self) -> None:
        """Drop the idempotency keys that are past their time."""
        with self.engine.begin() as connection:
            connection.execute(_FORGET, {"before": int(self._clock()) - IDEMPOTENCY_KEEP_S})

    def _begin(self, connection: Connection) -> None:
        """Take the lock of all writers, so that ids are given out in the order of commits."""
        if is_sqlite(self.engine):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(_LOCK)

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except DBAPIError as problem:
            code = getattr(problem.orig, "sqlite_errorcode", 0) & 0xFF
            if code in _NOT_WRITTEN:
                raise NotStored(str(problem.orig)) from problem
            raise

    def _add_one(self, connection: Connection, addition: Addition) -> Added:
        if addition.key is not None:
            row = connection.execute(_BY_KEY, {"key": addition.key}).first()
            if row is not None:
                earlier = StoredPet(*row)
                # No operation changes a pet, so the stored pet shows what the first body was.
                return Added(earlier, replayed=True, conflict=earlier[1:] != addition.pet)
        values = addition.pet._asdict()
        pet_id = connection.execute(_INSERT_PET, values).scalar_one()
        if addition.key is not None:
            connection.execute(
                _INSERT_KEY,
                {"key": addition.key, "pet_id": pet_id, "created_at": int(self._clock())},
            )
        return Added(StoredPet(pet_id, *addition.pet))
