"""A store in memory, and the dashboard of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import petstore_frame as pf
from unit.dashboard_store import LABELS, MemoryStore, pets


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(pets(240))


@pytest.fixture
def dashboard(store: MemoryStore, tmp_path: Path) -> Iterator[pf.Dashboard]:
    shown = pf.Dashboard(
        store.client(), categories=LABELS, journal=tmp_path / "journal", folder=tmp_path
    )
    yield shown
    shown.close()
