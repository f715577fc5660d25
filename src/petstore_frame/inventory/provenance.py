"""Keeps with a frame where its rows came from, and notices when they were changed.

pandas keeps ``attrs`` through filters, edits and sorts, so facts in them would soon be false. A
fingerprint of the rows is kept with them: it no longer matches after any change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

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

    ``base_url`` is the address of the store. ``fetched_at`` is when the last page arrived, or the
    time of the oldest response from a cache. ``store_id`` is the id that the store sends
    (``X-Store-Id``, an extension), or None.
    """

    base_url: str
    fetched_at: datetime
    store_id: str | None = None

    def is_other_store(self, other: Provenance) -> bool:
        """Return whether the addresses or the ids differ; an empty value matches any store."""
        addresses = {self.base_url, other.base_url} - {""}
        places = {same_store_address(each, any_local_port=True) for each in addresses}
        return len(places) > 1 or len({self.store_id, other.store_id} - {None}) > 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the Provenance in the values of ``facts_of``.

        Raises:
            KeyError, TypeError, ValueError: A value is missing or invalid.
        """
        fetched_at = datetime.fromisoformat(values["fetched_at"])
        return cls(str(values["base_url"]), fetched_at, values["store_id"])


class HasProvenance:
    """Has the values of its ``provenance`` as attributes of its own."""

    provenance: Provenance

    @property
    def base_url(self) -> str:
        """The address of the store."""
        return self.provenance.base_url

    @property
    def fetched_at(self) -> datetime:
        """The time of the reading, in UTC."""
        return self.provenance.fetched_at

    @property
    def store_id(self) -> str | None:
        """The id that the store sends (``X-Store-Id``, an extension), or None."""
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


class Coverage(NamedTuple):
    """What the rows of a frame cover, and the fingerprint of the rows that this is true of."""

    completeness: Completeness
    fingerprint: str | None


def coverage_facts(coverage: Coverage, provenance: Provenance) -> dict[str, Any]:
    """Return what is kept with rows that travel alone, as plain JSON values."""
    return {"digest": coverage.fingerprint, **facts_of(coverage.completeness, provenance)}


def stamp(frame: pd.DataFrame, completeness: Completeness, provenance: Provenance) -> pd.DataFrame:
    """Write into a frame's attrs what its rows cover and where they are from; return the frame."""
    coverage = Coverage(completeness, rows_fingerprint(frame))
    frame.attrs[ATTRS_KEY] = coverage_facts(coverage, provenance)
    return frame


def provenance_of(frame: pd.DataFrame) -> Provenance | None:
    """Return where the rows of a frame are from, even if they were changed since; or None."""
    stamped = _read_attrs(frame)
    return None if stamped is None else stamped[1]


def completeness_of(frame: pd.DataFrame) -> Completeness:
    """Return what a frame that travels alone covers as it is now."""
    return coverage_now(frame).completeness


def coverage_now(frame: pd.DataFrame, coverage: Coverage | None = None) -> Coverage:
    """Return what a frame covers as it is now; if that is unknown, its reason says why.

    Args:
        frame: A frame of pets.
        coverage: What its rows covered when they were read; None takes that of its attrs.
    """
    if coverage is None:
        stamped = _read_attrs(frame)
        if stamped is None:
            reason = Evidence(Fact.NO_RECORD)
            return Coverage(Completeness.unknown(reason, status_counts(_distinct(frame))), None)
        coverage = stamped[0]
    fingerprint = rows_fingerprint(frame)
    if fingerprint is not None and fingerprint == coverage.fingerprint:
        return coverage
    rows_read = coverage.completeness.rows
    detail = ": an id, a category or a status is not what was read"
    if len(frame) != rows_read:
        detail = f": it has {len(frame):,} rows, and {rows_read:,} pets were read"
    reason = Evidence(Fact.CHANGED_SINCE, detail=detail)
    counts = status_counts(_distinct(frame))
    return Coverage(Completeness.unknown(reason, counts, coverage.completeness), fingerprint)


def _read_attrs(frame: pd.DataFrame) -> tuple[Coverage, Provenance] | None:
    facts: Any = frame.attrs.get(ATTRS_KEY)
    try:
        if isinstance(facts, str):  # of a file that this package wrote
            facts = json.loads(facts)
        completeness = Completeness.from_dict(facts["completeness"])
        return Coverage(completeness, facts["digest"]), Provenance.from_dict(facts)
    except (KeyError, TypeError, ValueError, AttributeError):
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


def rows_fingerprint(frame: pd.DataFrame) -> str | None:
    """Return a fingerprint of ids, categories and statuses in any order; None without them.

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
