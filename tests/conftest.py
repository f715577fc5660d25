"""Shared fixtures: a real service to talk to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf


@pytest.fixture
def server(tmp_path: Path) -> Iterator[pf.Server]:
    """An empty store of its own for one test, in its own process."""
    with pf.serve(database=tmp_path / "store.sqlite3") as running:
        yield running


@pytest.fixture(scope="session")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pf.Server]:
    """A store of 250 made-up pets for tests that only read."""
    database = tmp_path_factory.mktemp("sample") / "store.sqlite3"
    with pf.serve(database=database, sample=250, seed=7) as running:
        yield running
