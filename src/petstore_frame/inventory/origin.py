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

from petstore_frame.inventory.completeness import Completeness
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
# A frame of an earlier version does not name the fields of its digest.
_FIRST_DIGESTED = ("id", "category_id", "status")
# pandas drops attrs when it merges: keep the last records by digest, to know the same rows.
_LAST_RECORDS: OrderedDict[str, str] = OrderedDict()
_KEPT_RECORDS = 100


@dataclass(frozen=True)
class Origin:
    """Where and when pets were read.

    ``fetched_at`` is when the last page arrived, or when the oldest answer was made that came
    out of a cache; ``store_id`` is what the store calls itself (``X-Store-Id``, an extension).
    """

    base_url: str
    fetched_at: datetime
    store_id: str | None = None

    def is_other_store(self, other: Origin) -> bool:
        """Return True if the addresses or the ids differ; on this machine the port may change."""
        ids = {self.store_id, other.store_id} - {None}
        here, there = (
            same_store_address(each.base_url, any_local_port=True) for each in (self, other)
        )
        return here != there or len(ids) > 1


class HasOrigin:
    """Has the facts of its ``origin`` as its own."""

    origin: Origin

    @property
    def base_url(self) -> str:
        """The store's address."""
        return self.origin.base_url

    @property
    def fetched_at(self) -> datetime:
        """When the store was read; files and pages show it in the time zone that it has, UTC."""
        return self.origin.fetched_at

    @property
    def store_id(self) -> str | None:
        """What the store calls itself (``X-Store-Id``, an extension), or None."""
        return self.origin.store_id

    @property
    def store_name(self) -> str:
        """The store's address, with its id where it has one."""
        return self.base_url + (f" (store id {self.store_id})" if self.store_id else "")


class ListingRecord(NamedTuple):
    """What is written beside rows: what they covered when they were read, and their origin."""

    completeness: Completeness
    origin: Origin

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "completeness": self.completeness.to_dict(),
            "fetched_at": self.origin.fetched_at.astimezone(UTC).isoformat(),
            "base_url": self.origin.base_url,
            "store_id": self.origin.store_id,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``to_dict`` wrote; keys of later versions are ignored.

        Raises:
            KeyError: A key that every version writes is missing.
            TypeError, ValueError: A value cannot be read.
        """
        fetched_at = datetime.fromisoformat(values["fetched_at"])
        origin = Origin(str(values["base_url"]), fetched_at, values.get("store_id"))
        return cls(Completeness.from_dict(values["completeness"]), origin)


def stamp(frame: pd.DataFrame, completeness: Completeness, origin: Origin) -> pd.DataFrame:
    """Write into a frame's attrs what its rows cover and where they come from; return the frame."""
    digest = rows_digest(frame)
    kept = {
        "digest": digest,
        "fields": list(_DIGESTED),
        **ListingRecord(completeness, origin).to_dict(),
    }
    text = frame.attrs[ATTRS_KEY] = json.dumps(kept, ensure_ascii=False)
    if digest is not None and len(frame):  # of two readings of one store the later one counts
        before = _LAST_RECORDS.pop(digest, None)
        known = None if before is None else _read_record(before)
        last = origin if known is None else known[0].origin
        is_same = (last.base_url, last.store_id) == (origin.base_url, origin.store_id)
        # Two stores may hold the same pets, as a copy for tests does: then the rows tell nothing.
        _LAST_RECORDS[digest] = text if is_same and before != "" else ""
        if len(_LAST_RECORDS) > _KEPT_RECORDS:
            _LAST_RECORDS.popitem(last=False)
    return frame


def origin_of(frame: pd.DataFrame) -> Origin | None:
    """Return where the rows of a frame come from, also where they were changed since; or None."""
    record = _record_of(frame)
    return None if record is None else record[0].origin


def completeness_of(frame: pd.DataFrame) -> Completeness:
    """Return what a frame covers as it is now; where that is unknown, the reason too."""
    found = _record_of(frame)
    if found is None:
        reason = Evidence(Fact.NO_RECORD, detail=_repeated_ids(frame))
        return Completeness.unknown(reason, statuses_of(frame), None)
    record, digest, fields = found
    known = record.completeness
    if digest is not None and digest == rows_digest(frame, fields):
        return known
    reason = Evidence(Fact.CHANGED_SINCE, detail=_what_changed(frame, known.rows))
    return Completeness.unknown(reason, statuses_of(frame), known.status)


def _record_of(frame: pd.DataFrame) -> tuple[ListingRecord, str | None, tuple[str, ...]] | None:
    text = frame.attrs.get(ATTRS_KEY)
    if text is None and len(frame) and _LAST_RECORDS:
        text = _LAST_RECORDS.get(rows_digest(frame) or "")
    return _read_record(text) if isinstance(text, str) else None


@lru_cache(maxsize=64)
def _read_record(text: str) -> tuple[ListingRecord, str | None, tuple[str, ...]] | None:
    try:
        values = json.loads(text)
        fields = tuple(values.get("fields", _FIRST_DIGESTED))
        return ListingRecord.from_dict(values), values.get("digest"), fields
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


def statuses_of(frame: pd.DataFrame) -> list[str | None]:
    """Return the status of each row, None where it is missing."""
    if "status" not in frame.columns or frame.columns.duplicated().any():
        return [None] * len(frame)
    statuses = frame["status"].astype("object")
    return list(statuses.where(statuses.notna(), None))


def rows_digest(frame: pd.DataFrame, fields: Iterable[str] = _DIGESTED) -> str | None:
    """Return a digest of these fields, rows in whatever order; None where one cannot be read."""
    import numpy as np

    digest = hashlib.sha256()
    try:
        order = np.argsort(frame["id"].to_numpy(), kind="stable")
        for name in fields:
            field = FIELD_BY_NAME.get(name)
            if field is None:  # of a later version
                return None
            for values in _hashable(frame[name], field.dtype):
                digest.update(values if isinstance(values, bytes) else values[order].data)
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
    used = column.astype("category").cat.remove_unused_categories().cat
    names = list(map(str, used.categories))
    ranks = {name: rank for rank, name in enumerate(sorted(names))}
    # The last entry serves the code -1, which pandas gives to a missing value.
    width = "int16" if len(names) < 2**15 else "int32"
    table = np.array([*(ranks[name] for name in names), -1], dtype=width)
    return [table[used.codes], "\0".join(sorted(names)).encode("utf-8", "surrogatepass")]
