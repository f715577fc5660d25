"""A DataFrame of counts that is shown below what it may claim of the store, until it is edited."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import StatusCounts
from petstore_frame.html import NOTEBOOK
from petstore_frame.inventory.completeness import claim_line
from petstore_frame.inventory.seal import FrameClaim, SealState
from petstore_frame.schema.palette import NO_CLAIM_BADGE

_EDITED = "changed since it was counted, so these numbers carry no claim"


class ClaimedCounts(pd.DataFrame):
    """Counts of pets as a DataFrame, shown below the claim of the frame that was counted.

    Attributes:
        claim: The FrameClaim of the frame that was counted.
        counted: The same counts, each exact or a minimum.
    """

    _metadata: ClassVar[list[str]] = ["claim", "counted", "_made"]  # what pandas pickles
    claim: FrameClaim
    counted: StatusCounts
    _made: pd.DataFrame

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @classmethod
    def of(cls, table: pd.DataFrame, counted: StatusCounts, claim: FrameClaim) -> ClaimedCounts:
        """Put a claim over a table of counts."""
        claimed = cls(table)
        claimed.claim, claimed.counted, claimed._made = claim, counted, table
        return claimed

    def words(self) -> str:
        """Return what the table may claim of the store."""
        if not self._is_as_made():
            return _EDITED
        if self.claim.state is SealState.CHANGED:
            return f"{self.claim}; these are counts of its rows, not of the store"
        return str(self.claim)

    def __repr__(self) -> str:
        if self._is_as_made():
            return CountTable(self.counted).to_text([self.words()])
        return f"{self.words()}\n\n{super().__repr__()}"

    def _repr_html_(self) -> str | None:
        if self._is_as_made():
            return f"{self._line()}{CountTable(self.counted).to_html()}"
        table = super()._repr_html_()  # type: ignore[misc] # which pandas' stubs leave out
        return table and f"{self._line()}{table}"

    def _line(self) -> str:
        known = self.claim.current if self._is_as_made() else None
        return (
            NOTEBOOK.headline(NO_CLAIM_BADGE, self.words()) if known is None else claim_line(known)
        )

    def _is_as_made(self) -> bool:
        return self.equals(self._made)
