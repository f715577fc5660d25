"""Keeps with a frame where its rows came from, and notices when they were changed.

pandas keeps ``attrs`` through filters, edits and sorts, so facts in them would soon be false. A
digest of the rows is kept with them: it no longer matches after any change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from petstore_frame.inventory.completeness import Completeness, count_statuses
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.transport import same_store_address

if TYPE_CHECKING:
    import pandas as pd

ATTRS_KEY = "petstore_frame"
_FACTOR = 0x9E3779B97F4A7C15  # odd and large, so that different rows differ in their sums


@dataclass(frozen=True)
class Provenance:
    """Where and when pets were read.

    ``fetched_at`` is when the last page arrived, or when a cache's oldest answer was made;
    ``store_id`` is what the store calls itself (``X-Store-Id``, an extension).
    """

    base_url: str
    fetched_at: datetime
    store_id: str | None = None

    def is_other_store(self, other: Provenance) -> bool:
        """Return True if the addresses or the ids differ; an empty one may be any store's."""
        addresses = {self.base_url, other.base_url} - {""}
        places = {same_store_address(each, any_local_port=True) for each in addresses}
        return len(places) > 1 or len({self.store_id, other.store_id} - {None}) > 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``facts_of`` wrote; a KeyError, TypeError or ValueError where it cannot."""
        fetched_at = datetime.fromisoformat(values["fetched_at"])
        return cls(str(values["base_url"]), fetched_at, values["store_id"])


class HasProvenance:
    """Has the facts of its ``provenance`` as its own."""

    provenance: Provenance

    @property
    def base_url(self) -> str:
        """The store's address."""
        return self.provenance.base_url

    @property
    def fetched_at(self) -> datetime:
        """When the store was read; files and pages show it in the time zone that it has, UTC."""
        return self.provenance.fetched_at

    @property
    def store_id(self) -> str | None:
        """What the store calls itself (``X-Store-Id``, an extension), or None."""
        return self.provenance.store_id

    @property
    def store_name(self) -> str:
        """The store's address, with its id where it has one."""
        return self.base_url + (f" (store id {self.store_id})" if self.store_id else "")


def facts_of(completeness: Completeness, provenance: Provenance) -> dict[str, Any]:
    """Return what is written beside rows, as plain JSON values."""
    return {
        "completeness": completeness.to_dict(),
        "fetched_at": provenance.fetched_at.astimezone(UTC).isoformat(),
        "base_url": provenance.base_url,
        "store_id": provenance.store_id,
    }


def coverage_text(frame: pd.DataFrame, completeness: Completeness, provenance: Provenance) -> str:
    """Return, as JSON, what these rows cover and where they come from, with their digest."""
    kept = {"digest": rows_digest(frame), **facts_of(completeness, provenance)}
    return json.dumps(kept, ensure_ascii=False)


def stamp(frame: pd.DataFrame, completeness: Completeness, provenance: Provenance) -> pd.DataFrame:
    """Write into a frame's attrs what its rows cover and where they come from; return the frame."""
    # One string: pandas copies attrs deeply on each operation, and writes them into Parquet.
    frame.attrs[ATTRS_KEY] = coverage_text(frame, completeness, provenance)
    return frame


def provenance_of(frame: pd.DataFrame) -> Provenance | None:
    """Return where the rows of a frame come from, also where they were changed since; or None."""
    kept = _coverage(frame)
    return None if kept is None else kept[1]


def completeness_of(frame: pd.DataFrame) -> Completeness:
    """Return what a frame covers as it is now; where that is unknown, the reason too."""
    kept = _coverage(frame)
    if kept is None:
        return Completeness.unknown(Evidence(Fact.NO_RECORD), status_counts(_distinct(frame)))
    known, _, digest = kept
    if digest is not None and rows_digest(frame) == digest:
        return known
    why = ": an id, a category or a status is not what was read"
    if len(frame) != known.rows:
        why = f": it has {len(frame):,} rows, and {known.rows:,} pets were read"
    reason = Evidence(Fact.CHANGED_SINCE, detail=why)
    return Completeness.unknown(reason, status_counts(_distinct(frame)), known)


def _coverage(frame: pd.DataFrame) -> tuple[Completeness, Provenance, str | None] | None:
    return _parsed(str(frame.attrs.get(ATTRS_KEY)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> tuple[Completeness, Provenance, str | None] | None:
    try:
        kept = json.loads(text)
        known = Completeness.from_dict(kept["completeness"])
        return known, Provenance.from_dict(kept), kept["digest"]
    except (KeyError, TypeError, ValueError):
        return None


def status_counts(frame: pd.DataFrame) -> dict[str, int]:
    """Count the rows of each status: those of the interface, each other one, none last."""
    if "status" not in frame.columns:
        return count_statuses({None: len(frame)})
    seen = frame["status"].value_counts()
    counts: dict[str | None, int] = {str(name): int(n) for name, n in seen.items()}
    return count_statuses(counts | {None: len(frame) - int(seen.sum())})


def _distinct(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each id, as one that repeats is no further pet."""
    frame = frame.loc[:, ~frame.columns.duplicated()]
    return frame[~frame["id"].duplicated()] if "id" in frame.columns else frame


def rows_digest(frame: pd.DataFrame) -> str | None:
    """Return a digest of ids, categories and statuses, rows in whatever order; None without them.

    No count rests on names, and digesting them would cost more than reading them.
    """
    import numpy as np
    import pandas as pd

    mixed = np.zeros(len(frame), dtype="uint64")
    try:
        for name in ("id", "category_id"):
            if not pd.api.types.is_integer_dtype(frame[name]):
                return None
            numbers = frame[name].to_numpy("int64").view("uint64")
            mixed = mixed * np.uint64(_FACTOR) + numbers
        status = frame["status"].astype("category").cat
        # The last name serves the code -1, which pandas gives to a missing value.
        names = np.array([*map(str, status.categories), "\0"], dtype="object")
        mixed = mixed * np.uint64(_FACTOR) + pd.util.hash_array(names)[status.codes.to_numpy()]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    mixed ^= mixed >> np.uint64(29)  # so that the sum is of numbers that have no pattern
    mixed *= np.uint64(_FACTOR)
    mixed ^= mixed >> np.uint64(32)
    return f"{len(frame):x}-{int(mixed.sum()):016x}"
