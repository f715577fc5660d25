"""The engines of this process, and listings of a day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from petstore_frame.inventory import Inventory
from unit.conftest import inventory

Rows = list[tuple[Any, ...]]
BIG = 2**53 + 1
# Dask and Spark take seconds to start: test_far_engines.py asks each question of them once.
ENGINES = ["duckdb", "pandas", "polars"]


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    """The name of an engine in this process."""
    return request.param


def listing(day: str, pets: Rows, *, hour: int = 12, **known: Any) -> Inventory:
    """A listing of a day."""
    at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)
    return inventory(pets, at=at, **known)
