"""What a fetch returns: the pets that could be read, with the claim about them.

In: a frame and a Completeness. Out: an Inventory that shows its claim before its rows, and no
claim that its rows no longer support. It sends nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from petstore_frame._internal.framed import Framed
from petstore_frame.errors import ArgumentError
from petstore_frame.inventory.completeness import ALL_PETS, Completeness, Verdict
from petstore_frame.inventory.seal import FrameClaim, SealState, read_seal
from petstore_frame.inventory.view import inventory_html

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Inventory(Framed):
    """All pets that could be read, with the claim about them; ``fetch_inventory`` makes it.

    A notebook shows the claim, the counts and the first rows; ``len()`` is the number of pets.

    Attributes:
        frame: One row per pet; columns and dtypes of ``PET_COLUMNS``.
        completeness: What was read covers, and how that is known; ``claim`` follows later edits
            of the frame.
        fetched_at: When the store was read, UTC: when the last page arrived, or when the oldest
            answer was made that came out of a cache.
        base_url: The store's address.
        store_id: What the store calls itself (``X-Store-Id``, an extension), or None.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     inventory = pf.fetch_inventory(client)
        >>> print(len(inventory), inventory.claim.verdict, list(inventory.frame.columns))
        3 complete ['id', 'name', 'category_id', 'status']
    """

    _parts = MappingProxyType({"completeness": Completeness})

    frame: pd.DataFrame
    completeness: Completeness
    fetched_at: datetime
    base_url: str
    store_id: str | None = None

    @property
    def claim(self) -> Completeness:
        """What ``frame`` covers as it is now: unknown once its rows are not those that were read.

        Every summary, chart and report of an Inventory shows this claim.
        """
        if read_seal(self.frame).state is not SealState.CHANGED:
            return self.completeness
        return Completeness(
            Verdict.UNKNOWN,
            ALL_PETS,
            "the table was changed after it was read",
            len(self.frame),
            self.completeness.requests,
        )

    def __len__(self) -> int:
        return len(self.frame)

    def _columns(self) -> Collection[str]:
        return list(self.frame.columns)

    def __repr__(self) -> str:
        return f"<Inventory of {self.base_url}: {self.claim}>"

    def _repr_html_(self) -> str:
        return inventory_html(self.frame, self.claim, self.fetched_at, self.base_url)


def completeness(frame: pd.DataFrame | Inventory) -> FrameClaim:
    """Tell what a frame of pets covers, and whether it still is what was read.

    Sorting the rows, adding columns and writing to Parquet and back keep the seal. Dropping,
    adding or repeating rows, or changing an id, a category or a status, breaks it.

    Args:
        frame: The ``.frame`` of an Inventory, or anything made of it; of an Inventory itself
            its ``.frame`` is asked.

    Returns:
        A FrameClaim; ``.current`` is the Completeness only while it is true of this frame.

    Raises:
        ArgumentError: ``frame`` is neither a frame nor an Inventory.

    Example:
        >>> import pandas as pd
        >>> str(completeness(pd.DataFrame({"id": [1, 2]})))
        'no claim: merged, read from a file, or not fetched'
    """
    if isinstance(frame, Inventory):
        frame = frame.frame
    if not hasattr(frame, "columns"):
        kind = "None" if frame is None else type(frame).__name__
        raise ArgumentError(f"expected a frame of pets or an Inventory, got {kind}")
    return read_seal(frame)
