"""Where pets come from, and how a frame proves that it still holds the rows that were read.

pandas carries ``attrs`` through filters, edits and sorts alike, so a claim kept there alone would
soon be false: beside it lies a digest of the rows, which any change to them makes untrue.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn, Self

from petstore_frame.inventory.completeness import Completeness
from petstore_frame.schema.models import FIELDS, Dtype

if TYPE_CHECKING:
    import pandas as pd

# One JSON string: pandas copies attrs deeply on each operation, and copying a string is free.
ATTRS_KEY = "petstore_frame"


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


class Sourced:
    """Has the four facts of its ``source`` as its own."""

    source: Source

    @property
    def completeness(self) -> Completeness:
        """What the listing covered when it was read, and how that is known."""
        return self.source.completeness

    @property
    def fetched_at(self) -> datetime:
        """When the store was read, UTC."""
        return self.source.fetched_at

    @property
    def base_url(self) -> str:
        """The store's address."""
        return self.source.base_url

    @property
    def store_id(self) -> str | None:
        """What the store calls itself (``X-Store-Id``, an extension), or None."""
        return self.source.store_id


class SealState(StrEnum):
    """What a frame's seal proves."""

    SEALED = "sealed"
    CHANGED = "changed"
    NONE = "none"


@dataclass(frozen=True, repr=False)
class FrameClaim:
    """What is known of the pets in a frame.

    Attributes:
        state: ``sealed``: the rows that were read; ``changed``: rows were added, removed or
            edited since, and the claim is about the frame that these came from; ``none``.
        source: The Source of the rows that were read, or None. Use ``current`` for its claim.
    """

    state: SealState
    source: Source | None = None

    @property
    def completeness(self) -> Completeness | None:
        """The claim of the fetch, or None; of these very rows only where ``current`` has it."""
        return None if self.source is None else self.source.completeness

    @property
    def current(self) -> Completeness | None:
        """The claim if it is true of this very frame, else None."""
        return self.completeness if self.state is SealState.SEALED else None

    def __str__(self) -> str:
        if self.state is SealState.SEALED:
            return str(self.completeness)
        if self.state is SealState.CHANGED:
            return f"changed since it was read; what it was made of: {self.completeness}"
        return "no claim: merged, read from a file, or not fetched"

    def __repr__(self) -> str:
        return f"<FrameClaim: {self}>"

    def _repr_html_(self) -> str:
        from petstore_frame.inventory.view import frame_claim_line

        return frame_claim_line(self)

    def __bool__(self) -> NoReturn:
        raise TypeError("a claim has more than two values; ask .state or .current")


def read_seal(frame: pd.DataFrame) -> FrameClaim:
    """Return the claim in a frame's attrs, and whether its rows still match it."""
    try:
        sealed = json.loads(frame.attrs[ATTRS_KEY])
        source = Source.from_dict(sealed)
    except (KeyError, TypeError, ValueError, AttributeError):
        return FrameClaim(SealState.NONE)
    is_same = sealed.get("digest") == rows_digest(frame)
    return FrameClaim(SealState.SEALED if is_same else SealState.CHANGED, source)


def seal(frame: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Write where the rows come from and a digest of them into attrs, and return the frame."""
    kept = {"digest": rows_digest(frame), **source.to_dict()}
    frame.attrs[ATTRS_KEY] = json.dumps(kept, ensure_ascii=False)
    return frame


def rows_digest(frame: pd.DataFrame) -> str | None:
    """Return a digest of every field but text, rows in whatever order; None where one is missing.

    No count rests on names, and hashing them would cost more than reading them.
    """
    import numpy as np

    digest = hashlib.sha256()
    try:
        order = np.argsort(frame["id"].to_numpy(), kind="stable")
        for field in FIELDS:
            if field.dtype == "category":
                codes, names = _codes(frame[field.name])
                digest.update(codes[order].data)
                digest.update("\0".join(names).encode("utf-8", "surrogatepass"))
            elif field.dtype != "str":
                for numbers in _numbers(frame[field.name], field.dtype):
                    digest.update(numbers[order].data)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return digest.hexdigest()[:32]


def _numbers(column: pd.Series[Any], dtype: Dtype) -> list[Any]:
    """Return a column's numbers, and where they are missing if its dtype allows that."""
    import pandas as pd

    if dtype == "int64":
        if not pd.api.types.is_integer_dtype(column):
            raise TypeError(column.dtype)
        return [column.to_numpy(dtype="int64")]
    held: Any = column.astype(dtype).array
    return [held.isna(), held.to_numpy(dtype=held.dtype.numpy_dtype, na_value=0)]


def _codes(column: pd.Series[Any]) -> tuple[Any, list[str]]:
    """Return a number for each row, -1 where it is missing, and the sorted names behind them."""
    import numpy as np

    used = column.astype("category").cat.remove_unused_categories().cat
    names = list(map(str, used.categories))
    ranks = {name: rank for rank, name in enumerate(sorted(names))}
    # The last entry serves the code -1, which pandas gives to a missing value.
    width = "int16" if len(names) < 2**15 else "int32"
    table = np.array([*(ranks[name] for name in names), -1], dtype=width)
    return table[used.codes], sorted(names)
