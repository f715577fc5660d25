"""Listings of a day, which a history keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from petstore_frame.inventory import Inventory
from unit.conftest import make_inventory

Rows = list[tuple[Any, ...]]
BIG = 2**53 + 1


def listing(day: str, pets: Rows, *, hour: int = 12, **known: Any) -> Inventory:
    """A listing of a day."""
    at = datetime.fromisoformat(day).replace(hour=hour, tzinfo=UTC)
    return make_inventory(pets, at=at, **known)
