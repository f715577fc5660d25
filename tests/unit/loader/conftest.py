"""An office whose store is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf
from shop import Shop


@pytest.fixture
def memory_shop(tmp_path: Path) -> Iterator[Shop]:
    """An office before a store in memory, so that no socket is opened."""
    with pf.testing.fake_store().client() as client:
        yield Shop(tmp_path / "office", client)
