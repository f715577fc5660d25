"""An office before a store in memory, so that the tests of the loader open no socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf
from shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """An office whose store nobody else asks."""
    with pf.testing.fake_store().client() as client:
        yield Shop(tmp_path / "office", client)
