"""The service under test, on each of its databases, and plain httpx to talk to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
    with ExitStack() as stack:

        def start(**settings: Any) -> httpx.Client:
            server = stack.enter_context(serve(database=tmp_path / "store.sqlite3", **settings))
            return stack.enter_context(talk_to(server))

        yield start


def is_error(answer: httpx.Response, status: int, code: str | None = None) -> None:
    """Hold that an answer has the three fields of the Error object, and no trace of a program."""
    body = answer.json()
    assert (answer.status_code, body["status"]) == (status, status), answer.text
    assert isinstance(body["message"], str) and isinstance(body["code"], str)
    assert code is None or body["code"] == code
    assert "Traceback" not in answer.text and "sqlalchemy" not in answer.text.lower()
