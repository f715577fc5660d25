"""Stores the coverage of rows in the attrs of their frame, and detects later changes.

pandas keeps ``attrs`` through filters, edits and sorts, so the coverage in them can become wrong. A
fingerprint of the rows is stored with it, which no longer matches after a change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from petstore_frame.inventory.verdict.completeness import (
    Bound,
    Completeness,
    StatusCount,
    inexact_bound,
)
from petstore_frame.inventory.verdict.facts import Evidence, Fact, Shows, Verdict
from petstore_frame.schema import NO_STATUS, PET_STATUSES
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
        stores = {same_store_address(address, any_local_port=True) for address in addresses}
        return len(stores) > 1 or len({self.store_id, other.store_id} - {None}) > 1

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the Provenance in the values of ``coverage_facts``.

        Raises:
            KeyError, TypeError, ValueError: A value is missing or invalid.
        """
        fetched_at = datetime.fromisoformat(values["fetched_at"])
        return cls(str(values["base_url"]), fetched_at, values["store_id"])


class HasProvenance:
    """Exposes the values of its ``provenance`` as attributes."""

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
        """The address of the store, with its id if it has one."""
        return self.base_url + (f" (store id {self.store_id})" if self.store_id else "")


class Coverage(NamedTuple):
    """The completeness of the rows of a frame, and the fingerprint of these rows."""

    completeness: Completeness
    fingerprint: str | None


class CoverageFacts(dict[str, Any]):
    """Coverage and provenance as JSON values that nobody changes.

    pandas makes a deep copy of the attrs of a frame in each of its operations, which took a fifth
    of the time of a small load. It need not copy these.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> CoverageFacts:
        return self

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return dict, (dict(self),)  # so that a pickled frame can be read without this package


def coverage_facts(coverage: Coverage, provenance: Provenance) -> CoverageFacts:
    """Return coverage and provenance as JSON values, to store with the rows."""
    return CoverageFacts(
        digest=coverage.fingerprint,
        completeness=coverage.completeness.to_dict(),
        fetched_at=provenance.fetched_at.astimezone(UTC).isoformat(),
        base_url=provenance.base_url,
        store_id=provenance.store_id,
    )


def provenance_of(frame: pd.DataFrame) -> Provenance | None:
    """Return the provenance of the rows of a frame, even if they were changed since; or None."""
    stamped = _read_attrs(frame)
    return None if stamped is None else stamped[1]


def coverage_in_attrs(frame: pd.DataFrame) -> Coverage | None:
    """Return the coverage in the attrs of a frame, of its rows when they were read; or None."""
    stamped = _read_attrs(frame)
    return None if stamped is None else stamped[0]


def coverage_now(frame: pd.DataFrame, coverage: Coverage | None = None) -> Coverage:
    """Return the coverage of the current rows; if it is unknown, ``reason`` says why.

    Args:
        frame: A frame of pets.
        coverage: The coverage of the rows when they were read; None uses the attrs.
    """
    if coverage is None:
        stamped = _read_attrs(frame)
        if stamped is None:
            reason = Evidence(Fact.NO_RECORD)
            counts = status_counts(_distinct_pets(frame))
            return Coverage(unknown_completeness(reason, counts), None)
        coverage = stamped[0]
    fingerprint = rows_fingerprint(frame)
    if fingerprint is not None and fingerprint == coverage.fingerprint:
        return coverage
    rows_read = coverage.completeness.rows
    detail = ": an id, a category or a status is not what was read"
    if len(frame) != rows_read:
        detail = f": it has {len(frame):,} rows, and {rows_read:,} pets were read"
    reason = Evidence(Fact.CHANGED_SINCE, detail=detail)
    counts = status_counts(_distinct_pets(frame))
    changed = unknown_completeness(reason, counts, coverage.completeness)
    return Coverage(changed, fingerprint)


def _read_attrs(frame: pd.DataFrame) -> tuple[Coverage, Provenance] | None:
    facts: Any = frame.attrs.get(ATTRS_KEY)
    try:
        if isinstance(facts, str):  # from a file that this package wrote
            facts = json.loads(facts)
        completeness = Completeness.from_dict(facts["completeness"])
        return Coverage(completeness, facts["digest"]), Provenance.from_dict(facts)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def status_counts(frame: pd.DataFrame) -> dict[str, int]:
    """Count the pets of each status: the statuses of the interface, others, and no status last.

    Example:
        >>> import pandas as pd
        >>> status_counts(pd.DataFrame({"status": ["sold", None, "sold"]}))
        {'available': 0, 'pending': 0, 'sold': 2, 'no status': 1}
    """
    read, without_status = dict[str, int](), len(frame)
    if "status" in frame.columns:
        value_counts = frame["status"].value_counts()
        read = {str(name): int(count) for name, count in value_counts.items() if count}
        without_status -= int(value_counts.sum())
    counts = {status: read.pop(status, 0) for status in PET_STATUSES}
    named_so = read.pop(NO_STATUS, 0)  # a status that a store calls so
    return counts | dict(sorted(read.items())) | {NO_STATUS: named_so + without_status}


def _distinct_pets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each id, because further rows of an id are the same pet."""
    frame = frame.loc[:, ~frame.columns.duplicated()]
    return frame[~frame["id"].duplicated()] if "id" in frame.columns else frame


def rows_fingerprint(frame: pd.DataFrame) -> str | None:
    """Return a fingerprint of ids, categories and statuses, regardless of the row order.

    Names are left out: no count depends on them, and hashing them would take longer than reading
    them. None means that a column is missing.
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
        # The last name is for the code -1, which pandas uses for a missing value.
        names = np.array([*map(str, status.categories), "\0"], dtype="object")
        mixed = mixed * np.uint64(_FACTOR) + pd.util.hash_array(names)[status.codes.to_numpy()]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    mixed ^= mixed >> np.uint64(29)  # so that the sum is over numbers without a pattern
    mixed *= np.uint64(_FACTOR)
    mixed ^= mixed >> np.uint64(32)
    return f"{len(frame):x}-{int(mixed.sum()):016x}"


def completeness_of_counts(
    counts: Mapping[str, int],
    verdict: Verdict = Verdict.UNKNOWN,
    reason: str = "",
    exact: Collection[str] = (),
    *,
    requests: int = 0,
    status: str | None = None,
    evidence: tuple[Evidence, ...] = (),
    assumptions: tuple[str, ...] = (),
    advertised_total: int | None = None,
) -> Completeness:
    """Return the completeness of a reading with these counts; ``exact`` names the exact ones."""
    return Completeness(
        verdict,
        reason,
        sum(counts.values()),
        requests,
        status=status,
        assumptions=assumptions,
        evidence=evidence,
        by_status=with_bounds(counts, frozenset(exact), evidence),
        advertised_total=advertised_total,
    )


def with_bounds(
    counts: Mapping[str, int], exact: Set[str], evidence: tuple[Evidence, ...]
) -> dict[str, StatusCount]:
    """Return counts with their bounds; ``exact`` names the exact ones."""
    is_exact = exact >= counts.keys()
    bound: Bound = "exact" if is_exact else inexact_bound(evidence)
    return {
        name: StatusCount(count, "exact" if name in exact else bound)
        for name, count in counts.items()
    }


def unknown_completeness(
    reason: Evidence, counts: Mapping[str, int], read: Completeness | None = None
) -> Completeness:
    """Return the completeness of rows that were not read, or that changed after the reading.

    Args:
        reason: The reason why it is unknown.
        counts: The pets of each status.
        read: The completeness before the rows changed, or None.
    """
    if read is None:
        return completeness_of_counts(counts, reason=str(reason), evidence=(reason,))
    # Rows that the user added were not read, so they are not counted.
    read_counts = {
        name: min(count, int(read.by_status.get(name, 0))) for name, count in counts.items()
    }
    completeness = completeness_of_counts(
        read_counts, reason=str(reason), evidence=(reason,), status=read.status
    )
    return replace(completeness, rows=min(sum(counts.values()), read.rows))


def completeness_of_part(
    listing: Completeness, part: str, counts: Mapping[str, int], statuses: Collection[str] | None
) -> Completeness:
    """Return the completeness of the pets that pass a filter.

    Args:
        listing: The completeness of all pets.
        part: The filter, as text that follows "with".
        counts: The pets of each status that pass.
        statuses: The statuses that can pass, or None for all.
    """
    verdict, evidence = listing.verdict, list[Evidence]()
    if statuses is not None and all(listing.bound_of(name) == "exact" for name in statuses):
        verdict = Verdict.COMPLETE
        if not listing.is_complete:
            evidence = _about(statuses, listing, Shows.END)
    elif statuses is not None and listing.is_complete:
        verdict = Verdict.UNKNOWN
        evidence = _about(statuses, listing, Shows.MOVED)[:1]
    elif verdict is Verdict.INCOMPLETE:
        verdict = Verdict.UNKNOWN  # the missing pets may or may not be in this part
    reason, assumptions = listing.reason, listing.assumptions
    if evidence:
        reason = " ".join(map(str, evidence))
        assumptions = tuple(dict.fromkeys(text for item in evidence for text in item.assumptions))
    # A status that cannot pass has no pet in this part.
    exact = set() if statuses is None else counts.keys() - {*statuses}
    exact |= {name for name in counts if listing.bound_of(name) == "exact"}
    return replace(
        listing,
        verdict=verdict,
        reason=reason,
        assumptions=assumptions,
        rows=sum(counts.values()),
        by_status=with_bounds(counts, exact, listing.evidence),
        advertised_total=None,
        part=" and ".join(filter(None, (listing.part, part))),
        read=listing.rows if listing.read is None else listing.read,
    )


def _about(statuses: Collection[str], listing: Completeness, shows: Shows) -> list[Evidence]:
    """Return the evidence about some statuses that shows their end, or a change."""
    items = listing.evidence
    return [item for item in items if item.scope in statuses and item.shows is shows]
