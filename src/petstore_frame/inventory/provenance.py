"""Where pets come from, kept with their frame, and whether its rows are still those that were read.

pandas keeps ``attrs`` through filters, edits and sorts, so facts in them would soon be false. A
digest of the rows is kept with them: it no longer matches after any change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from petstore_frame.inventory.completeness import Completeness, count_statuses
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.schema.models import FIELD_BY_NAME, FIELDS, Dtype
from petstore_frame.schema.text import count_text
from petstore_frame.transport import same_store_address

if TYPE_CHECKING:
    import pandas as pd

# One JSON string: pandas copies attrs deeply on each operation, and copying a string is free.
ATTRS_KEY = "petstore_frame"
# No count rests on texts, and hashing them would cost more than reading them.
_DIGESTED = tuple(field.name for field in FIELDS if field.dtype != "str")
_FACTOR = 0x9E3779B97F4A7C15  # odd and large, so that different rows differ in their sums
# pandas drops attrs when it merges: keep the last records by digest, to know the same rows.
_LAST_RECORDS: dict[str, str] = {}
_KEPT_RECORDS = 100


@dataclass(frozen=True)
class Provenance:
    """Where and when pets were read.

    ``fetched_at`` is when the last page arrived, or when the oldest answer was made that came
    out of a cache; ``store_id`` is what the store calls itself (``X-Store-Id``, an extension).
    """

    base_url: str
    fetched_at: datetime
    store_id: str | None = None

    def is_other_store(self, other: Provenance) -> bool:
        """Return True if the addresses or the ids differ; on this machine the port may change.

        An empty address, as of a CSV without its coverage, may be any store's.
        """
        addresses = {self.base_url, other.base_url} - {""}
        places = {same_store_address(each, any_local_port=True) for each in addresses}
        return len(places) > 1 or len({self.store_id, other.store_id} - {None}) > 1


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


class ListingRecord(NamedTuple):
    """What is written beside rows: what they covered when read, and their provenance."""

    completeness: Completeness
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "completeness": self.completeness.to_dict(),
            "fetched_at": self.provenance.fetched_at.astimezone(UTC).isoformat(),
            "base_url": self.provenance.base_url,
            "store_id": self.provenance.store_id,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``to_dict`` wrote; keys of later versions are ignored.

        Raises:
            KeyError: A key that every version writes is missing.
            TypeError, ValueError: A value cannot be read.
        """
        fetched_at = datetime.fromisoformat(values["fetched_at"])
        provenance = Provenance(str(values["base_url"]), fetched_at, values.get("store_id"))
        return cls(Completeness.from_dict(values["completeness"]), provenance)


def stamp(frame: pd.DataFrame, completeness: Completeness, provenance: Provenance) -> pd.DataFrame:
    """Write into a frame's attrs what its rows cover and where they come from; return the frame."""
    digest, record = rows_digest(frame), ListingRecord(completeness, provenance)
    kept = {"digest": digest, "fields": list(_DIGESTED), **record.to_dict()}
    text = frame.attrs[ATTRS_KEY] = json.dumps(kept, ensure_ascii=False)
    if digest is not None and len(frame):  # of two readings of one store the later one counts
        before = _read_record(_LAST_RECORDS.pop(digest, text))
        # Two stores may hold the same pets, as a copy for tests does: then the rows tell nothing.
        is_same = before is not None and _store(before[0].provenance) == _store(provenance)
        _LAST_RECORDS[digest] = text if is_same else ""
        if len(_LAST_RECORDS) > _KEPT_RECORDS:
            del _LAST_RECORDS[next(iter(_LAST_RECORDS))]
    return frame


def _store(provenance: Provenance) -> tuple[str, str | None]:
    return provenance.base_url, provenance.store_id


def provenance_of(frame: pd.DataFrame) -> Provenance | None:
    """Return where the rows of a frame come from, also where they were changed since; or None."""
    text = frame.attrs.get(ATTRS_KEY)
    record = _read_record(_LAST_RECORDS.get(rows_digest(frame) or "") if text is None else text)
    return None if record is None else record[0].provenance


def completeness_of(frame: pd.DataFrame) -> Completeness:
    """Return what a frame covers as it is now; where that is unknown, the reason too."""
    digest = rows_digest(frame)
    found = _read_record(frame.attrs.get(ATTRS_KEY, _LAST_RECORDS.get(digest or "")))
    if found is None:
        reason = Evidence(Fact.NO_RECORD, detail=_repeated_ids(frame))
        return Completeness.unknown(reason, status_counts(_distinct(frame)), None)
    record, expected, fields = found
    known = record.completeness
    if fields != _DIGESTED:  # it was written when a pet had other fields
        digest = rows_digest(frame, fields)
    if digest is not None and digest == expected:
        return known
    reason = Evidence(Fact.CHANGED_SINCE, detail=_what_changed(frame, known.rows))
    return known.after_change(reason, status_counts(_distinct(frame)))


def _read_record(text: Any) -> tuple[ListingRecord, str | None, tuple[str, ...]] | None:
    return _parse_record(text) if isinstance(text, str) else None


@lru_cache(maxsize=64)
def _parse_record(text: str) -> tuple[ListingRecord, str | None, tuple[str, ...]] | None:
    try:
        values = json.loads(text)
        return ListingRecord.from_dict(values), values["digest"], tuple(values["fields"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _what_changed(frame: pd.DataFrame, rows: int) -> str:
    """Return what is seen of a change, as it stands in a sentence."""
    if "id" not in frame.columns:
        return ": it has no ids"
    if repeated := _repeated_ids(frame):
        return repeated
    if len(frame) < rows:
        return f": {count_text(rows - len(frame), 'pet')} fewer than were read"
    if len(frame) > rows:
        return f": {count_text(len(frame) - rows, 'pet')} more than were read"
    return ": an id, a category or a status is not what was read"


def _repeated_ids(frame: pd.DataFrame) -> str:
    """Return which ids stand in several rows, as it stands in a sentence; empty where none do."""
    if "id" not in frame.columns or frame.columns.duplicated().any():
        return ""
    twice = frame["id"][frame["id"].duplicated()].unique()
    shown = ", ".join(map(str, twice[:3])) + (", …" if len(twice) > 3 else "")
    return f": {len(twice):,} of its ids repeat ({shown})" if len(twice) else ""


def status_counts(frame: pd.DataFrame) -> dict[str, int]:
    """Count the rows of each status: those of the interface, each other one, none last."""
    if "status" not in frame.columns or frame.columns.duplicated().any():
        return count_statuses({None: len(frame)})
    seen = frame["status"].value_counts()
    counts: dict[str | None, int] = {str(name): int(n) for name, n in seen.items()}
    return count_statuses(counts | {None: len(frame) - int(seen.sum())})


def _distinct(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each id: one that repeats is no further pet."""
    if "id" not in frame.columns or frame.columns.duplicated().any():
        return frame
    return frame[~frame["id"].duplicated()]


def rows_digest(frame: pd.DataFrame, fields: Iterable[str] = _DIGESTED) -> str | None:
    """Return a digest of these fields, rows in whatever order; None where one cannot be read."""
    import numpy as np

    mixed = np.zeros(len(frame), dtype="uint64")
    try:
        for name in fields:
            mixed = mixed * np.uint64(_FACTOR) + _numbers(frame[name], FIELD_BY_NAME[name].dtype)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    mixed ^= mixed >> np.uint64(29)  # so that the sum is of numbers that have no pattern
    mixed *= np.uint64(_FACTOR)
    mixed ^= mixed >> np.uint64(32)
    return f"{len(frame):x}-{int(mixed.sum()):016x}"


def _numbers(column: pd.Series[Any], dtype: Dtype) -> Any:
    """Return a column as numbers of 64 bits, the same where the values are."""
    import numpy as np
    import pandas as pd

    if dtype == "int64":
        if not pd.api.types.is_integer_dtype(column):
            raise TypeError(column.dtype)
        return column.to_numpy("int64").view("uint64")
    if dtype == "category":
        values = column.astype("category").cat
        # The last name serves the code -1, which pandas gives to a missing value.
        names = np.array([*map(str, values.categories), "\0"], dtype="object")
        return pd.util.hash_array(names)[values.codes.to_numpy()]
    return pd.util.hash_pandas_object(column.astype(dtype), index=False).to_numpy()
