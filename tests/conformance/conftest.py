"""The service under test, on each of its databases, and plain httpx to talk to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from plain_http import talk_to
from threaded import Server, serve


@pytest.fixture(
    scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def store(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[Server]:
    """A store of 130 made-up pets, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        database = str(tmp_path_factory.mktemp("store") / "store.sqlite3")
    else:
        database = request.getfixturevalue("new_postgres_database")()
    with serve(database=database, sample=130, seed=3) as running:
        yield running


@pytest.fixture(scope="session")
def api(store: Server) -> Iterator[httpx.Client]:
    with talk_to(store) as client:
        yield client


@pytest.fixture(scope="session")
def stranger(store: Server) -> Iterator[httpx.Client]:
    with talk_to(store, key=False) as client:
        yield client


@pytest.fixture
def serve_with(tmp_path) -> Iterator[Callable[..., httpx.Client]]:
    """Start a store with other settings and return plain httpx for it."""
    running: list[Any] = []

    def start(**settings: Any) -> httpx.Client:
        server = serve(database=tmp_path / f"store{len(running)}.sqlite3", **settings)
        client = talk_to(server)
        running.extend((client, server))
        return client

    yield start
    for part in running:
        part.close()


def assert_error(answer: httpx.Response, status: int, code: str | None = None) -> None:
    """An error answer has the three fields of the Error object, and no trace of a program."""
    body = answer.json()
    assert answer.status_code == status, answer.text
    assert body["status"] == status
    assert isinstance(body["message"], str) and isinstance(body["code"], str)
    assert code is None or body["code"] == code
    assert "Traceback" not in answer.text and "sqlalchemy" not in answer.text.lower()


@pytest.fixture(scope="session")
def is_error() -> Callable[..., None]:
    return assert_error
