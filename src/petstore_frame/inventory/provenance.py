"""Where pets come from, kept with their frame, and whether its rows are still those that were read.

pandas keeps ``attrs`` through filters, edits and sorts, so facts in them would soon be false. A
digest of the rows is kept with them: it no longer matches after any change.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
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
# pandas drops attrs when it merges: keep the last records by digest, to know the same rows.
_LAST_RECORDS: OrderedDict[str, str] = OrderedDict()
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
    digest = rows_digest(frame)
    kept = {
        "digest": digest,
        "fields": list(_DIGESTED),
        **ListingRecord(completeness, provenance).to_dict(),
    }
    text = frame.attrs[ATTRS_KEY] = json.dumps(kept, ensure_ascii=False)
    if digest is not None and len(frame):  # of two readings of one store the later one counts
        before = _LAST_RECORDS.pop(digest, None)
        known = None if before is None else _read_record(before)
        last = provenance if known is None else known[0].provenance
        is_same = (last.base_url, last.store_id) == (provenance.base_url, provenance.store_id)
        # Two stores may hold the same pets, as a copy for tests does: then the rows tell nothing.
        _LAST_RECORDS[digest] = text if is_same and before != "" else ""
        if len(_LAST_RECORDS) > _KEPT_RECORDS:
            _LAST_RECORDS.popitem(last=False)
    return frame


def provenance_of(frame: pd.DataFrame) -> Provenance | None:
    """Return where the rows of a frame come from, also where they were changed since; or None."""
    text = frame.attrs.get(ATTRS_KEY)
    if text is None:
        text = _kept_text(rows_digest(frame))
    record = _read_record(text) if isinstance(text, str) else None
    return None if record is None else record[0].provenance


def completeness_of(frame: pd.DataFrame) -> Completeness:
    """Return what a frame covers as it is now; where that is unknown, the reason too."""
    digest = rows_digest(frame)
    text = frame.attrs.get(ATTRS_KEY, _kept_text(digest))
    found = _read_record(text) if isinstance(text, str) else None
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


def _kept_text(digest: str | None) -> str | None:
    return _LAST_RECORDS.get(digest or "")


@lru_cache(maxsize=64)
def _read_record(text: str) -> tuple[ListingRecord, str | None, tuple[str, ...]] | None:
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
    statuses = frame["status"].astype("category").cat
    codes = statuses.codes.to_numpy()
    counts = [int((codes == code).sum()) for code in range(-1, len(statuses.categories))]
    return count_statuses(dict(zip([None, *map(str, statuses.categories)], counts, strict=True)))


def _distinct(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each id: one that repeats is no further pet."""
    if "id" not in frame.columns or frame.columns.duplicated().any():
        return frame
    return frame[~frame["id"].duplicated()]


def rows_digest(frame: pd.DataFrame, fields: Iterable[str] = _DIGESTED) -> str | None:
    """Return a digest of these fields, rows in whatever order; None where one cannot be read."""
    import numpy as np

    digest = hashlib.sha256()
    try:
        ids = frame["id"].to_numpy()
        # Most stores list by rising id, and sorting takes as long as all else.
        is_sorted = bool((ids[1:] >= ids[:-1]).all())
        order = slice(None) if is_sorted else np.argsort(ids, kind="stable")
        for name in fields:
            field = FIELD_BY_NAME.get(name)
            if field is None:  # of a later version
                return None
            for values in _hashable(frame[name], field.dtype):
                sorted_values = values if isinstance(values, bytes) else values[order]
                digest.update(np.ascontiguousarray(sorted_values).data)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return None
    return digest.hexdigest()[:32]


def _hashable(column: pd.Series[Any], dtype: Dtype) -> list[Any]:
    """Return a column as arrays in the order of its rows, and further bytes."""
    import numpy as np
    import pandas as pd

    if dtype == "int64":
        if not pd.api.types.is_integer_dtype(column):
            raise TypeError(column.dtype)
        return [column.to_numpy(dtype="int64")]
    if dtype != "category":  # where values are missing, too
        held: Any = column.astype(dtype).array
        return [held.isna(), held.to_numpy(dtype=held.dtype.numpy_dtype, na_value=0)]
    statuses = column.astype("category").cat
    codes, names = statuses.codes.to_numpy(), [str(name) for name in statuses.categories]
    used = sorted(name for code, name in enumerate(names) if (codes == code).any())
    # The last entry serves the code -1, which pandas gives to a missing value.
    width = "int16" if len(names) < 2**15 else "int32"
    ranks = [used.index(name) if name in used else -1 for name in names]
    table = np.array([*ranks, -1], dtype=width)
    return [table[codes], "\0".join(used).encode("utf-8", "surrogatepass")]
