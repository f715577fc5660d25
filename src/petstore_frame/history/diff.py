"""What changed between two snapshots, as far as their claims allow.

In: two snapshots and the rows that differ, on any engine. Out: counts, sentences and a table.
It reads no file.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from petstore_frame._internal.framed import Framed
from petstore_frame.counts.summary import count_pets
from petstore_frame.history.changes import KINDS, first_pets
from petstore_frame.history.engines import to_pandas
from petstore_frame.history.snapshots import Snapshot
from petstore_frame.html.markup import cell, escape, isolated, table
from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    import pandas as pd

MOVE = ("kind", "was", "now")
_ROWS_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Diff(Framed):
    """What changed between two snapshots; ``history.diff()`` makes it.

    Attributes:
        old: The earlier snapshot.
        new: The later snapshot.
        rows: One row per pet that came, went or changed, as a frame of the history's engine, in
            no fixed order, not yet computed where the engine is lazy. ``frame`` brings it here.

    Example:
        >>> from petstore_frame import samples
        >>> diff = samples.write_sample_history("history", days=3, pets=40).diff()
        >>> print(diff)
        2026-01-06 to 2026-01-07: 8 changed
        >>> diff.moves[["was", "now", "pets"]]
                 was      now  pets
        0  available  pending     6
        1    pending     sold     2
    """

    old: Snapshot
    new: Snapshot
    rows: Any = field(compare=False)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per pet that came, went or changed, by id.

        Columns: ``id`` (int64), ``name``, ``category_id`` (int64), ``kind`` (``new``,
        ``first seen``, ``changed``, ``gone``, ``not seen``), ``was``, ``now`` (the statuses as
        text; a missing one is ``no status``, and the cell is missing where the pet is absent).
        """
        return to_pandas(self.rows).sort_values("id", ignore_index=True)

    @cached_property
    def moves(self) -> pd.DataFrame:
        """How many pets by ``kind``, ``was`` and ``now``; column ``pets`` (int64).

        The rows are counted on the engine; they are not brought here for it.
        """
        rows = self.frame if "frame" in vars(self) else self.rows
        return sort_moves(to_pandas(count_pets(rows, MOVE)))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many pets by kind, kinds that did not occur included."""
        counted = self.moves.groupby("kind")["pets"].sum()
        return {kind: int(counted.get(kind, 0)) for kind in KINDS}

    @property
    def is_exact(self) -> bool:
        """Whether both snapshots hold every pet of the store, so that nothing can be missing."""
        return self.old.completeness.covers_all and self.new.completeness.covers_all

    @property
    def total(self) -> StatusCount:
        """How many pets came, went or changed; a minimum unless both snapshots hold every pet."""
        return StatusCount(len(self), self.is_exact)

    def _columns(self) -> Collection[str]:
        return ("id", "name", "category_id", *MOVE)

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        found = [f"{count:,} {kind}" for kind, count in self.counts.items() if count]
        words = ", ".join(found) or "no change"
        return "; ".join([f"{self.old.date} to {self.new.date}: {words}", *self._reserves()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first = to_pandas(first_pets(self.rows, _ROWS_SHOWN))
        first = first.sort_values("id").astype("object")
        shown = first.where(first.notna(), "")
        more = len(self) - len(first)
        note = f"<p>… and {more:,} more: <code>.frame</code> has all</p>" if more > 0 else ""
        rows = (map(cell, map(isolated, row)) for row in shown.itertuples(index=False, name=None))
        return f"<p><b>{escape(self)}</b></p>{table(rows, list(shown.columns))}{note}"

    def _reserves(self) -> list[str]:
        """Return what the claims do not prove."""
        reserves = []
        if not self.old.completeness.covers_all:
            reserves.append(f"what was there before is not proven ({self.old.completeness})")
        if not self.new.completeness.covers_all:
            reserves.append(f"nothing is proven to be gone ({self.new.completeness})")
        return reserves


def sort_moves(moves: pd.DataFrame) -> pd.DataFrame:
    """Put moves in the order of their kinds, then of the statuses."""
    rank = moves["kind"].map({kind: at for at, kind in enumerate(KINDS)})
    ordered = moves.assign(rank=rank).sort_values(["rank", "was", "now"], ignore_index=True)
    return ordered.drop(columns="rank")
