"""Where pets come from: the claim about them, when they were read, and from which store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from petstore_frame.inventory.completeness import Completeness


@dataclass(frozen=True)
class Source:
    """What is known of a listing besides its rows.

    An Inventory, a snapshot, a report, a frame's attrs and a Parquet footer all hold this.

    Attributes:
        completeness: What the listing covers, as it was known when it was read.
        fetched_at: When the store was read, UTC: when the last page arrived, or when the oldest
            answer was made that came out of a cache.
        base_url: The store's address.
        store_id: What the store calls itself (``X-Store-Id``, an extension), or None.

    Example:
        >>> from datetime import UTC, datetime
        >>> claim = Completeness("complete", "one page", rows=1, requests=1)
        >>> source = Source(claim, datetime(2026, 11, 1, tzinfo=UTC), "https://store.example/v1")
        >>> Source.from_dict(source.to_dict()) == source
        True
    """

    completeness: Completeness
    fetched_at: datetime
    base_url: str
    store_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "completeness": self.completeness.to_dict(),
            "fetched_at": self.fetched_at.astimezone(UTC).isoformat(),
            "base_url": self.base_url,
            "store_id": self.store_id,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``to_dict`` wrote; keys of later versions are ignored.

        Raises:
            KeyError: A key that every version writes is missing.
            TypeError: ``values`` is not a mapping, or a value is of another kind.
            ValueError: A value cannot be read.
        """
        return cls(
            completeness=Completeness.from_dict(values["completeness"]),
            fetched_at=datetime.fromisoformat(values["fetched_at"]),
            base_url=str(values["base_url"]),
            store_id=values.get("store_id"),
        )
