"""The parts of the service that need no process: storage, throttle, pages, cursors, keys."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from petstore_frame.service.database import open_database, shown_url
from petstore_frame.service.dependencies import Throttle
from petstore_frame.service.errors import Refusal
from petstore_frame.service.keys import KeyBook, key_from_file
from petstore_frame.service.models import NewPet
from petstore_frame.service.pages import Pages, make_cursor, read_cursor
from petstore_frame.service.store import IDEMPOTENCY_KEEP_S, START, Addition, Store

LUNA = NewPet(name="Luna", category_id=3)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def engine(tmp_path):
    engine = open_database(str(tmp_path / "store.sqlite3"))
    yield engine
    engine.dispose()


def test_an_idempotency_key_is_forgotten_after_a_week(engine) -> None:
    """Until then it gives the same pet, afterwards a new one."""
    clock = Clock()
    store = Store(engine, clock=clock)
    (first,) = store.add([Addition(LUNA, "k")])
    clock.now += IDEMPOTENCY_KEEP_S
    store.forget_old_keys()
    (again,) = store.add([Addition(LUNA, "k")])
    clock.now += 1
    store.forget_old_keys()
    (new,) = store.add([Addition(LUNA, "k")])
    store.close()
    assert again.replayed and again.pet == first.pet
    assert not new.replayed and new.pet.id > first.pet.id


def test_one_batch_settles_equal_keys(engine) -> None:
    """The second of two in one transaction is a replay, a third with another body a conflict."""
    store = Store(engine)
    other = Addition(NewPet(name="Otis", category_id=3), "k")
    first, second, third = store.add([Addition(LUNA, "k"), Addition(LUNA, "k"), other])
    store.close()
    assert (first.replayed, second.replayed, third.conflict) == (False, True, True)
    assert first.pet == second.pet


def test_the_version_changes_with_each_commit(engine) -> None:
    """And with nothing else."""
    store = Store(engine)
    before, same = store.version(), store.version()
    store.add([Addition(LUNA)])
    after = store.version()
    store.close()
    assert before == same != after


def test_a_page_is_kept_until_the_next_commit(engine, monkeypatch) -> None:
    """It is read once while nothing is committed, and never shown after."""
    store, reads = Store(engine), []
    pages, read = Pages(store), store.page

    async def counted(*asked):
        reads.append(asked)
        return await read(*asked)

    monkeypatch.setattr(store, "page", counted)

    def listed() -> bytes:
        # In a thread, as the browser tests leave a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, pages.page(5, START, None)).result().body

    store.add([Addition(LUNA)])
    first, again = listed(), listed()
    store.add([Addition(LUNA)])
    after = listed()
    store.close()
    assert first == again != after
    assert len(reads) == 2


@pytest.mark.parametrize("last_id", [0, 5, -(2**63), 2**63 - 1])
def test_a_cursor_is_read_back(last_id: int) -> None:
    """And only in the one spelling that the service gives it."""
    cursor = make_cursor(last_id)
    assert read_cursor(cursor) == last_id
    for wrong in (cursor + "=", cursor[:-1], "", make_cursor(2**63), "\u0663"):
        with pytest.raises(ValueError, match="start again"):
            read_cursor(wrong)


def test_a_bucket_fills_again() -> None:
    """Two a second: two at once, then one each half second, for each key apart."""
    clock = Clock()
    throttle = Throttle(2, clock=clock)
    throttle.take("a")
    throttle.take("a")
    with pytest.raises(Refusal) as refused:
        throttle.take("a")
    throttle.take("b")
    clock.now += 0.5
    throttle.take("a")
    assert refused.value.headers == {"retry-after": "1"}


def test_a_book_of_keys_keeps_no_key(engine) -> None:
    """A record shows the first characters, and what the key is for."""
    book = KeyBook(engine)
    key = book.new("till")
    assert [(record.hint, record.label) for record in book.records()] == [(key[:10], "till")]
    assert book.revoke(key[:9]) == 0
    assert book.revoke(key) == 1


def test_a_key_file_is_made_once(tmp_path) -> None:
    """Readable by its owner alone; an existing one is taken as it is, an empty one refused."""
    path = tmp_path / "key"
    assert key_from_file(path) == key_from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("\n")
    with pytest.raises(ValueError, match="holds no key"):
        key_from_file(path)


def test_a_password_is_not_shown() -> None:
    """Neither in a good address nor in a broken one."""
    assert "secret" not in shown_url("postgresql+psycopg://me:secret@host/db")
    assert "secret" not in shown_url("//me:secret@host")
