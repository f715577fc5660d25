"""A DataFrame of counts that is shown below what it may claim of the store, until it is edited."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import StatusCounts
from petstore_frame.html import NOTEBOOK
from petstore_frame.html.palette import NO_CLAIM_BADGE
from petstore_frame.inventory import Completeness
from petstore_frame.inventory.view import claim_line

_EDITED = "changed since it was counted, so these numbers carry no claim"


class ClaimedCounts(pd.DataFrame):
    """Counts of pets as a DataFrame, shown below the claim of the frame that was counted.

    Attributes:
        claim: The claim of the frame that was counted.
        is_changed: Whether the rows of that frame were changed since the claim was made.
        counted: The same counts, each exact or a minimum.
    """

    # What pandas pickles.
    _metadata: ClassVar[list[str]] = ["claim", "is_changed", "counted", "_made"]
    claim: Completeness
    is_changed: bool
    counted: StatusCounts
    _made: pd.DataFrame

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @classmethod
    def of(
        cls, table: pd.DataFrame, counted: StatusCounts, claim: Completeness, *, is_changed: bool
    ) -> ClaimedCounts:
        """Put a claim over a table of counts."""
        claimed = cls(table)
        claimed.claim, claimed.is_changed = claim, is_changed
        claimed.counted, claimed._made = counted, table
        return claimed

    def words(self) -> str:
        """Return what the table may claim of the store."""
        if not self._is_as_made():
            return _EDITED
        if self.is_changed:
            made_of = f"changed since it was read; what it was made of: {self.claim}"
            return f"{made_of}; these are counts of its rows, not of the store"
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
        known = self.claim if self._is_as_made() and not self.is_changed else None
        return (
            NOTEBOOK.headline(NO_CLAIM_BADGE, self.words()) if known is None else claim_line(known)
        )

    def _is_as_made(self) -> bool:
        return self.equals(self._made)
