"""Compares two listings of a store, and says what changed as far as they prove it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, tzinfo
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias, Union

import pandas as pd

from petstore_frame.errors import ArgumentError
from petstore_frame.history.engines import KINDS, diff_pets, open_snapshots, to_pandas
from petstore_frame.history.folder import day_of
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem
from petstore_frame.inventory import Inventory, StatusCount, describe_value, read_listing
from petstore_frame.rendering import PAGE, in_notebook
from petstore_frame.schema import FIELDS
from petstore_frame.validation import time_zone

Listing: TypeAlias = Union[Inventory, Snapshot, pd.DataFrame, str, "PathLike[str]"]
MOVE = ("kind", "was", "now")
_ROWS_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Diff:
    """What changed between two listings; ``history.diff()`` makes it of snapshots.

    Attributes:
        since, until: The days of the two listings, in ``timezone``; None is the machine's.
        rows: The rows of ``frame`` as a frame of the history's engine, in no fixed order, not yet
            computed where the engine is lazy.
        left_out: The days after ``since`` whose snapshot cannot be read or is of another store.

    Example:
        >>> from petstore_frame import sample_data
        >>> diff = sample_data.write_sample_history("history", days=3, pets=40).diff()
        >>> print(diff)
        2026-01-06 to 2026-01-07: 8 changed
        >>> diff.moves[["was", "now", "pets"]]
                 was      now  pets
        0  available  pending     6
        1    pending     sold     2
    """

    old: Snapshot | Inventory
    new: Snapshot | Inventory
    since: date
    until: date
    rows: Any = field(compare=False)
    timezone: tzinfo | None = None
    left_out: tuple[SnapshotProblem, ...] = ()

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per pet that came, went or changed, by id.

        Columns: ``id`` (int64), ``name``, ``category_id`` (int64), ``kind`` (``new``,
        ``first seen``, ``changed``, ``gone``, ``not seen``), ``was``, ``now`` (the statuses as
        text; a missing one is ``no status``, and the cell is missing where the pet is absent),
        ``difference`` (the fields of a changed pet that are other than before).
        """
        return to_pandas(self.rows).sort_values("id", ignore_index=True)

    @property
    def moves(self) -> pd.DataFrame:
        """How many pets by ``kind``, ``was`` and ``now``; column ``pets`` (int64).

        A pet that kept its status, and changed in another field, is in ``counts`` alone.
        """
        moved = self.frame[self.frame["was"].ne(self.frame["now"])]
        return sort_moves(moved.groupby(list(MOVE), dropna=False).size().reset_index(name="pets"))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many pets by kind, kinds that did not occur included."""
        counted = self.frame["kind"].value_counts()
        return {kind: int(counted.get(kind, 0)) for kind in KINDS}

    @property
    def is_exact(self) -> bool:
        """Whether both snapshots hold every pet of the store, so that nothing can be missing."""
        return self.old.completeness.covers_all and self.new.completeness.covers_all

    @property
    def total(self) -> StatusCount:
        """How many pets came, went or changed; a minimum unless both snapshots hold every pet."""
        return StatusCount(len(self), "exact" if self.is_exact else "at_least")

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        found = [f"{count:,} {kind}" for kind, count in self.counts.items() if count]
        parts = [f"{self.since} to {self.until}: {', '.join(found) or 'no change'}"]
        for what, listing in (
            ("what was there before is not proven", self.old),
            ("nothing is proven to be gone", self.new),
        ):
            if not listing.completeness.covers_all:
                parts.append(f"{what} ({listing.completeness})")
        parts += [f"{each.date} is left out ({each.reason})" for each in self.left_out]
        return "; ".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first = self.frame.head(_ROWS_SHOWN).astype("object")
        rows = first.where(first.notna(), None).itertuples(index=False, name=None)
        more = len(self) - len(first)
        last = f"… and {more:,} more: .frame has all" if more > 0 else ""
        table = PAGE.table(rows, list(first.columns))
        return in_notebook(PAGE.section(str(self)) + table + PAGE.quiet([last]))


def diff(old: Listing, new: Listing, *, timezone: str | tzinfo | None = None) -> Diff:
    """Compare two listings of a store in memory, as ``history.diff`` compares two snapshots.

    Args:
        old, new: Each an Inventory, a frame of pets with ids, a Parquet or CSV file of one, or a
            Snapshot. Where nothing says what it covers, nothing is proven to be new or gone.
        timezone: The time zone of the days, such as ``Europe/Zurich``; None is the machine's. A
            Snapshot keeps its day.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     yesterday = pf.fetch_inventory(client)
        ...     pet = client.create_pet(name="Luna", category_id=3)
        ...     today = pf.fetch_inventory(client)
        >>> pf.diff(yesterday.frame, today).counts["new"]
        1
    """
    zone = time_zone(timezone)
    before, after = (_listing(each) for each in (old, new))
    if before.provenance.is_other_store(after.provenance):
        raise ArgumentError(
            f"diff compares two listings of one store; got {before.store_name} and "
            f"{after.store_name}"
        )
    read = [each.read() if isinstance(each, Snapshot) else each for each in (before, after)]
    return _compared(before, after, [each.frame for each in read], zone)


def _listing(given: object) -> Snapshot | Inventory:
    found = given if isinstance(given, Snapshot) else read_listing(given)
    if found is None:
        raise ArgumentError(
            "diff(old, new) takes an Inventory, a frame of pets with ids, a file of one, or a "
            f"Snapshot; got {describe_value(given)}"
        )
    return found


def diff_snapshots(old: Snapshot, new: Snapshot, engine: str, zone: tzinfo | None = None) -> Diff:
    """Compare two snapshots on an engine, in the fields that both hold."""
    shared = tuple(name for name in FIELDS.names if name in old.columns and name in new.columns)
    return _compared(old, new, open_snapshots(engine, [old], [new], columns=shared), zone)


def _compared(
    old: Snapshot | Inventory, new: Snapshot | Inventory, frames: list[Any], zone: tzinfo | None
) -> Diff:
    is_old_whole, is_new_whole = (each.completeness.covers_all for each in (old, new))
    rows = diff_pets(*frames, is_old_whole=is_old_whole, is_new_whole=is_new_whole)
    since, until = (
        each.date if isinstance(each, Snapshot) else day_of(each.fetched_at, zone)
        for each in (old, new)
    )
    return Diff(old, new, since, until, rows, zone)


def sort_moves(moves: pd.DataFrame) -> pd.DataFrame:
    """Put moves in the order of their kinds, then of the statuses."""
    ranks = {kind: at for at, kind in enumerate(KINDS)}
    return moves.sort_values(
        list(MOVE),
        key=lambda column: column.map(ranks) if column.name == "kind" else column,
        ignore_index=True,
    )
