"""The parts of the service that need no process: storage, pages, keys."""

from __future__ import annotations

import pytest

from petstore_frame.service import StartError
from petstore_frame.service.keys import key_from_file
from petstore_frame.service.models import NewPet
from petstore_frame.service.store import (
    IDEMPOTENCY_KEEP_S,
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
    store = Store(database, clock=lambda: now[0])
    first, second = store.add(LUNA, "k"), store.add(LUNA, "k")
    other = store.add(NewPet(name="Otis", category_id=3), "k")
    assert (first.replayed, second.replayed, other.conflict) == (False, True, True)
    now[0] += IDEMPOTENCY_KEEP_S
    again = store.add(LUNA, "k")
    now[0] += 1
    new = store.add(LUNA, "k")
    assert first.pet == second.pet == again.pet and again.replayed
    assert not new.replayed and new.pet["id"] > first.pet["id"]


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
