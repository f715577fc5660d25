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

from petstore_frame.html import NOTEBOOK
from petstore_frame.html.palette import NO_CLAIM_BADGE
from petstore_frame.inventory.completeness import Completeness, claim_line

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
    def fetched_at(self) -> datetime | None:
        """When the store was read, UTC, or None."""
        return None if self.source is None else self.source.fetched_at

    @property
    def base_url(self) -> str | None:
        """The store's address, or None."""
        return None if self.source is None else self.source.base_url

    @property
    def store_id(self) -> str | None:
        """What the store calls itself (``X-Store-Id``, an extension), or None."""
        return None if self.source is None else self.source.store_id

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
        known = self.current
        return NOTEBOOK.headline(NO_CLAIM_BADGE, str(self)) if known is None else claim_line(known)

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
    """Return a digest of ids, categories and statuses in whatever order, or None without them.

    Names are left out: no count rests on them, and hashing text would cost more than reading it.
    """
    import numpy as np
    import pandas as pd

    try:
        if not all(pd.api.types.is_integer_dtype(frame[name]) for name in ("id", "category_id")):
            return None
        ids = frame["id"].to_numpy(dtype="int64")
        category_ids = frame["category_id"].to_numpy(dtype="int64")
        codes, statuses = _status_codes(frame["status"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    order = np.argsort(ids, kind="stable")
    digest = hashlib.sha256(ids[order].data)
    digest.update(category_ids[order].data)
    digest.update(_status_ranks(codes, statuses)[order].data)
    digest.update("\0".join(sorted(map(str, statuses))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _status_codes(status: pd.Series[Any]) -> tuple[Any, Any]:
    """Return a number for each row and the statuses that the numbers stand for."""
    import pandas as pd

    if isinstance(status.dtype, pd.CategoricalDtype):
        used = status.cat.remove_unused_categories().cat
        return used.codes.to_numpy(), used.categories
    return pd.factorize(status.astype("object"), sort=False)


def _status_ranks(codes: Any, statuses: Any) -> Any:
    """Number statuses by their names, so that the order of appearance does not matter."""
    import numpy as np

    names = list(map(str, statuses))
    ranks = {name: rank for rank, name in enumerate(sorted(names))}
    # The last entry serves the code -1, which pandas gives to a missing status.
    width = "int16" if len(names) < 2**15 else "int32"
    table = np.array([*(ranks[name] for name in names), -1], dtype=width)
    return table[codes]
