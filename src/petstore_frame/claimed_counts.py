"""A table of counts that shows first what it may claim of the store.

In: counts of a pandas frame, and what that frame's seal says. Out: the same table, which shows the
claim above its rows. Whatever is made of it is a plain table, which carries no claim.
"""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from petstore_frame.inventory.seal import FrameClaim, SealState
from petstore_frame.markup import escape


class ClaimedCounts(pd.DataFrame):
    """Counts of pets as a DataFrame, shown under the claim of the frame that was counted.

    Attributes:
        claim: The FrameClaim of the frame that was counted.
    """

    _metadata: ClassVar[list[str]] = ["claim"]  # pandas pickles what is named here
    claim: FrameClaim

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @classmethod
    def of(cls, counts: pd.DataFrame, claim: FrameClaim) -> ClaimedCounts:
        """Put a claim over a table of counts."""
        claimed = cls(counts)
        claimed.claim = claim
        return claimed

    def words(self) -> str:
        """Return what the frame was, and which of the counts are minimums."""
        known = self.claim.completeness
        if self.claim.state is SealState.CHANGED:
            return f"{self.claim}; these are counts of its rows, not of the store"
        if known is None or known.covers_all:
            return str(self.claim)
        exact = [name for name in self.columns[2:-1] if known.count(name).is_exact]
        but = f" except {', '.join(exact)}" if exact else ""
        return f"{self.claim}; each count is a minimum{but}"

    def __repr__(self) -> str:
        return f"{self.words()}\n\n{super().__repr__()}"

    def _repr_html_(self) -> str | None:
        table = super()._repr_html_()  # type: ignore[misc] # which pandas' stubs leave out
        return table and f"<div>{escape(self.words())}</div>{table}"
