"""The parts of the service that need no process: storage, throttle, cache, addresses, keys."""

from __future__ import annotations

import pytest

from petstore_frame.service.addresses import Addresses
from petstore_frame.service.guard import Throttle
from petstore_frame.service.keys import KeyBook, KeyRing, key_from_file
from petstore_frame.service.pages import MAX_BYTES, Page, PageCache
from petstore_frame.service.payload import NewPet
from petstore_frame.service.problems import Problem
from petstore_frame.service.rules import IDEMPOTENCY_KEEP_S
from petstore_frame.service.store import Addition, Store
from petstore_frame.service.tables import open_database, shown_url

LUNA = NewPet("Luna", 3, None)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def engine(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/store.sqlite3")
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
    other = Addition(NewPet("Otis", 3, None), "k")
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


def filled_cache(versions: list[int | None], *pages: tuple[str, Page]) -> PageCache:
    """Return a cache whose store has these versions, one for each page that is looked for."""
    cache = PageCache(iter(versions).__next__)
    for name, page in pages:
        assert cache.find(name) is None
        cache.keep(name, page)
    return cache


def test_a_page_is_kept_for_one_version() -> None:
    """A page is found while the version of the store stays, and never after."""
    cache = filled_cache([1, 1, 2], ("a", Page(b"x", {})))
    assert cache.find("a") == Page(b"x", {})
    assert cache.find("a") is None


def test_the_kept_pages_are_bounded() -> None:
    """A page that exceeds the room displaces those before it."""
    cache = filled_cache([1, 1, 1, 1], ("a", Page(b"x", {})), ("b", Page(b"y" * MAX_BYTES, {})))
    assert cache.find("a") is None
    assert cache.find("b") is not None


def test_no_page_is_kept_without_a_version() -> None:
    """A store that does not know its version has each page read again."""
    cache = filled_cache([None, None], ("a", Page(b"x", {})))
    assert cache.find("a") is None


def test_a_bucket_fills_again() -> None:
    """Two a second: two at once, then one each half second, for each key apart."""
    clock = Clock()
    throttle = Throttle(2, clock=clock)
    throttle.take(b"a")
    throttle.take(b"a")
    with pytest.raises(Problem) as refused:
        throttle.take(b"a")
    throttle.take(b"b")
    clock.now += 0.5
    throttle.take(b"a")
    assert refused.value.headers == {"retry-after": "1"}


@pytest.mark.parametrize(
    ("host", "base"),
    [
        (b"127.0.0.1:80", "http://127.0.0.1:80/v1"),
        (b"LOCALHOST:80", "http://localhost:80/v1"),
        (b"evil:80", "/v1"),
        (b"localhost:81", "/v1"),
        (None, "/v1"),
    ],
)
def test_only_own_names_stand_in_answers(host, base) -> None:
    """A foreign or missing Host gives a reference without host."""
    headers = [(b"host", host)] if host else []
    assert Addresses("http://127.0.0.1:80/v1", None).base_for(headers) == base
    assert Addresses("http://x:80/v1", "https://shop/v1").base_for(headers) == "https://shop/v1"


def test_a_key_ring_takes_whole_keys_only(engine) -> None:
    """The start of a key, or a key and more, is not the key."""
    book = KeyBook(engine)
    key = book.new("till")
    ring = KeyRing(book)
    assert ring.accepts(key.encode())
    assert not any(ring.accepts(wrong) for wrong in (b"", key[:-1].encode(), key.encode() + b"x"))
    assert [(record.hint, record.label) for record in book.records()] == [(key[:10], "till")]


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
