"""What a fetch returns: the pets that could be read, with the claim about them.

In: a frame and a Completeness. Out: an Inventory that shows its claim before its rows. It sends
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from petstore_frame.inventory.completeness import Completeness
from petstore_frame.inventory.view import inventory_html

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Inventory:
    """All pets that could be read, with the claim about them; ``fetch_inventory`` makes it.

    A notebook shows the claim, the counts and the first rows; ``len()`` is the number of pets.

    Attributes:
        frame: One row per pet; columns and dtypes of ``PET_COLUMNS``.
        completeness: What the frame covers and how that is known.
        fetched_at: When the last page arrived, UTC.
        base_url: The store's address.
    """

    frame: pd.DataFrame
    completeness: Completeness
    fetched_at: datetime
    base_url: str

    def __len__(self) -> int:
        return len(self.frame)

    def __repr__(self) -> str:
        return f"<Inventory of {self.base_url}: {self.completeness}>"

    def _repr_html_(self) -> str:
        return inventory_html(self.frame, self.completeness, self.fetched_at, self.base_url)
