"""What a fetch returns: the pets that could be read, with the claim about them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.errors import ArgumentError
from petstore_frame.inventory.completeness import Completeness, StatusCount, Verdict
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.source import FrameClaim, SealState, Source, Sourced, read_seal
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES

if TYPE_CHECKING:
    import pandas as pd

# What is typed by habit, and the word for it here.
_OTHER_WORDS = {
    "summary": "pf.summarize(inventory) counts its pets",
    "summarize": "pf.summarize(inventory) counts its pets",
    "to_excel": 'pf.write_report(inventory, "stock.xlsx") writes a workbook',
    "to_html": 'pf.write_report(inventory, "stock.html") writes a page',
    "to_csv": 'pf.write_report(inventory, "stock.csv") writes a file for people',
}


@dataclass(frozen=True, eq=False)
class Inventory(HasFrame, Sourced):
    """All pets that could be read, with the claim about them; ``fetch_inventory`` makes it.

    A notebook shows the claim, the counts and the first rows; ``len()`` is the number of pets.

    Attributes:
        frame: One row per pet; columns and dtypes of ``PET_COLUMNS``.
        source: What is known besides the rows; ``.completeness``, ``.fetched_at``, ``.base_url``
            and ``.store_id`` of an Inventory are those of its source.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     inventory = pf.fetch_inventory(client)
        >>> print(len(inventory), inventory.claim.verdict, list(inventory.frame.columns))
        3 complete ['id', 'name', 'category_id', 'status']
    """

    _parts = MappingProxyType({"completeness": Completeness})

    frame: pd.DataFrame
    source: Source

    @classmethod
    def made_up(
        cls,
        frame: pd.DataFrame,
        *,
        verdict: Verdict | str = Verdict.COMPLETE,
        exact: Collection[str] = (),
        status: str | None = None,
        basis: str = "made-up data",
        fetched_at: datetime | None = None,
        base_url: str = "http://127.0.0.1/v1",
        store_id: str | None = None,
    ) -> Self:
        """Return an Inventory of pets that no store was asked for, for examples and tests.

        Args:
            frame: The pets, with the columns and dtypes of ``PET_COLUMNS``.
            verdict: What to claim; every count is exact where it is complete.
            exact: Statuses whose counts are exact where it is not.
            status, basis: As those of the claim.
            fetched_at, base_url, store_id: As those of the source; None for now.

        Example:
            >>> from petstore_frame.schema.frame import to_frame
            >>> from petstore_frame.schema.frame import PetColumns
            >>> pets = to_frame(PetColumns([1], ["Luna"], [3], ["sold"]))
            >>> print(Inventory.made_up(pets, verdict="unknown").completeness)
            unknown: at least 1 pet
        """
        verdict = Verdict(verdict)
        held = frame["status"].astype("object").fillna(NO_STATUS).value_counts()
        is_exact = {
            name: name in exact or (verdict is Verdict.COMPLETE and status in (None, name))
            for name in dict.fromkeys((*PET_STATUSES, *map(str, held.index), NO_STATUS))
        }
        by_status = {name: StatusCount(int(held.get(name, 0)), is_exact[name]) for name in is_exact}
        claim = Completeness(
            verdict, basis, rows=len(frame), requests=1, status=status, by_status=by_status
        )
        return cls(frame, Source(claim, fetched_at or datetime.now(UTC), base_url, store_id))

    @property
    def claim(self) -> Completeness:
        """What ``frame`` covers as it is now: unknown once its rows are not those that were read.

        Every summary, chart and report of an Inventory shows this claim.
        """
        if read_seal(self.frame).state is not SealState.CHANGED:
            return self.completeness
        changed = Evidence(Fact.CHANGED_SINCE)
        return Completeness(
            Verdict.UNKNOWN,
            str(changed),
            len(self.frame),
            self.completeness.requests,
            self.completeness.status,
            evidence=(changed,),
        )

    def __len__(self) -> int:
        return len(self.frame)

    def _where(self, name: str) -> str:
        return _OTHER_WORDS.get(name) or super()._where(name)

    def _columns(self) -> Collection[str]:
        return list(self.frame.columns)

    def __repr__(self) -> str:
        return f"<Inventory of {self.base_url}: {self.claim}>"

    def _repr_html_(self) -> str:
        from petstore_frame.inventory.view import inventory_html

        return inventory_html(self)


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
