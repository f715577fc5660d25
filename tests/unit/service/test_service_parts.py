"""The parts of the service that need no process: storage, pages, keys."""

from __future__ import annotations

import asyncio

import pytest

from petstore_frame.service import StartError
from petstore_frame.service.keys import key_from_file
from petstore_frame.service.models import NewPet
from petstore_frame.service.store import (
    IDEMPOTENCY_KEEP_S,
    Addition,
    Store,
    open_database,
    shown_url,
)

LUNA = NewPet(name="Luna", category_id=3)


@pytest.fixture
def database(tmp_path):
    opened = open_database(str(tmp_path / "store.sqlite3"))
    yield opened
    opened.dispose()


def test_an_idempotency_key_is_remembered_for_a_week(database) -> None:
    """It gives the same pet, or a conflict for another body, and afterwards a new one."""
    now = [1_000_000.0]
    store, luna = Store(database, clock=lambda: now[0]), Addition(LUNA, "k")
    other = Addition(NewPet(name="Otis", category_id=3), "k")
    first, second, third = store.write([luna, luna, other])
    assert (first.replayed, second.replayed, third.conflict) == (False, True, True)
    now[0] += IDEMPOTENCY_KEEP_S
    (again,) = store.write([luna])
    now[0] += 1
    (new,) = store.write([luna])
    assert first.pet == second.pet == again.pet and again.replayed
    assert not new.replayed and new.pet["id"] > first.pet["id"]


def test_additions_that_wait_share_a_transaction(database, monkeypatch) -> None:
    """What comes while one is being written is written together, each with its own answer."""
    store, sizes = Store(database), []
    write = store.write
    monkeypatch.setattr(store, "write", lambda batch: sizes.append(len(batch)) or write(batch))

    async def add_many() -> list[int]:
        added = await asyncio.gather(*(store.add(LUNA) for _ in range(300)))
        return [one.pet["id"] for one in added]

    assert asyncio.run(add_many()) == list(range(1, 301))
    assert sizes == [256, 44]


def test_a_key_file_is_made_once(tmp_path) -> None:
    """Readable by its owner alone; an existing one is taken as it is, an empty one refused."""
    path = tmp_path / "key"
    assert key_from_file(path) == key_from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("\n")
    with pytest.raises(StartError, match="holds no key"):
        key_from_file(path)


def test_a_password_is_not_shown() -> None:
    """Neither in a good address nor in a broken one."""
    assert "secret" not in shown_url("postgresql+psycopg://me:secret@host/db")
    assert "secret" not in shown_url("//me:secret@host")
