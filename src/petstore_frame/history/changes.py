"""Compares two listings of a store, and reports the changes that they prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo
from functools import cached_property
from os import PathLike
from typing import Any, NoReturn, TypeAlias, Union

import pandas as pd

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.extras import import_extra
from petstore_frame.history.folder import day_of
from petstore_frame.history.queries import run, statement
from petstore_frame.history.snapshot import Snapshot, SnapshotProblem, read_table
from petstore_frame.inventory import Inventory, StatusCount, describe_value, read_listing
from petstore_frame.pet_table import pandas_frame
from petstore_frame.rendering import PAGE, in_notebook
from petstore_frame.schema import FIELDS
from petstore_frame.validation import time_zone

Listing: TypeAlias = Union[Inventory, Snapshot, pd.DataFrame, str, "PathLike[str]"]
KINDS = ("new", "first seen", "changed", "gone", "not seen")
_UNPROVEN_KINDS = ("first seen", "not seen")
_MOVE = ["kind", "was", "now"]
_NEEDED_COLUMNS = ("id", "name", "category_id", "status")
_DTYPES = {
    "id": "int64",
    "name": "str",
    "category_id": "Int64",
    "kind": "str",
    "was": "str",
    "now": "str",
    "difference": "str",
}
_MAX_ROWS = 10


@dataclass(frozen=True, repr=False)
class Diff:
    """What changed between two listings; ``pf.diff`` and ``history.diff()`` return it.

    Attributes:
        old, new: The two listings.
        since, until: The days of the two listings in ``timezone``; None is that of the machine.
        frame: One row per pet that came, went or changed, by id. Columns: ``id`` (int64), ``name``,
            ``category_id`` (int64, or Int64 if one is missing), ``kind`` (``new``, ``first seen``,
            ``changed``, ``gone``, ``not seen``), ``was`` and ``now`` (the statuses as text; a
            missing status is ``no status``, and the cell is missing if the pet is absent),
            ``difference`` (the fields of a changed pet that differ from before).
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
    frame: pd.DataFrame = field(compare=False)
    timezone: tzinfo | None = None
    left_out: tuple[SnapshotProblem, ...] = ()

    @property
    def moves(self) -> pd.DataFrame:
        """The number of pets by ``kind``, ``was`` and ``now``.

        Columns: ``kind``, ``was``, ``now``, ``pets`` (int64), and ``bound`` (``exact``,
        ``at_least`` or ``about``, see ``count``). A pet that kept its status and changed in
        another field is in ``counts`` only.
        """
        moved_pets = self.frame[self.frame["was"].ne(self.frame["now"])]
        moves = moved_pets.groupby(_MOVE, dropna=False).size().reset_index(name="pets")
        bounds = [self.count(kind).bound for kind in moves["kind"]]
        moves["bound"] = pd.Series(bounds, dtype="str")
        ranks = {kind: rank for rank, kind in enumerate(KINDS)}
        return moves.sort_values(
            _MOVE,
            key=lambda column: column.map(ranks) if column.name == "kind" else column,
            ignore_index=True,
        )

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of pets by kind; 0 for kinds that did not occur."""
        counted = self.frame["kind"].value_counts()
        return {kind: int(counted.get(kind, 0)) for kind in KINDS}

    @property
    def is_exact(self) -> bool:
        """Whether both listings have every pet of the store, so that no change is missing."""
        return self.old.completeness.covers_all and self.new.completeness.covers_all

    @property
    def total(self) -> StatusCount:
        """The number of pets that came, went or changed, with its bound; see ``count``."""
        return self.count(*KINDS)

    def count(self, *kinds: str) -> StatusCount:
        """Return the number of pets of these kinds together.

        The number is exact if both listings have every pet of the store. Otherwise it is a minimum
        if every row is proven. A pet that was first seen, or not seen, may have been in the store
        all the time, so with such rows the number is approximate.
        """
        pets = sum(self.counts[kind] for kind in kinds)
        unproven_pets = sum(self.counts[kind] for kind in kinds if kind in _UNPROVEN_KINDS)
        if self.is_exact:
            return StatusCount(pets, "exact")
        return StatusCount(pets, "about" if unproven_pets else "at_least")

    def __len__(self) -> int:
        return len(self.frame)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a Diff is neither true nor false; use len(diff) for the number of pets that changed"
        )

    def __str__(self) -> str:
        changes = [f"{count:,} {kind}" for kind, count in self.counts.items() if count]
        sentences = [f"{self.since} to {self.until}: {', '.join(changes) or 'no change'}"]
        if not self.old.completeness.covers_all:
            sentences.append(f"nothing is proven to be new ({self.old.completeness})")
        if not self.new.completeness.covers_all:
            sentences.append(f"nothing is proven to be gone ({self.new.completeness})")
        sentences += [f"{problem.date} is left out ({problem.reason})" for problem in self.left_out]
        return "; ".join(sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        displayed = self.frame.head(_MAX_ROWS).astype("object")
        rows = displayed.where(displayed.notna(), None).itertuples(index=False, name=None)
        table = PAGE.table(rows, list(displayed.columns))
        hidden = len(self) - len(displayed)
        note = f"… and {hidden:,} more: .frame has all" if hidden > 0 else ""
        return in_notebook(PAGE.section(str(self)) + table + PAGE.quiet([note]))


def diff(old: Listing, new: Listing, *, timezone: str | tzinfo | None = None) -> Diff:
    """Compare two listings of a store, as ``history.diff`` compares two snapshots.

    Args:
        old: An Inventory, a frame of pets with ids, a file of one (see ``read_inventory``), or a
            Snapshot. If its coverage is unknown, no pet is proven to be new.
        new: The later listing. If its coverage is unknown, no pet is proven to be gone.
        timezone: The time zone of the days, such as ``Europe/Zurich``; None is that of the
            machine. A Snapshot keeps its day.

    Raises:
        ArgumentError: A listing has another type, or the listings are of different stores.
        InputError: An id appears more than once.
        HistoryError: A Snapshot is damaged.

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
    earlier, later = _listing(old), _listing(new)
    if earlier.provenance.is_other_store(later.provenance):
        raise ArgumentError(
            f"diff compares two listings of one store; got {earlier.store_name} and "
            f"{later.store_name}"
        )
    return compare_listings(earlier, later, zone)


def _listing(value: object) -> Snapshot | Inventory:
    listing = value if isinstance(value, Snapshot) else read_listing(value)
    if listing is None:
        raise ArgumentError(
            "diff(old, new) takes an Inventory, a frame of pets with ids, a file of one, or a "
            f"Snapshot; got {describe_value(value)}"
        )
    return listing


def compare_listings(
    old: Snapshot | Inventory, new: Snapshot | Inventory, zone: tzinfo | None = None
) -> Diff:
    """Compare two listings in the fields that both have."""
    common_columns = {*_columns(old)} & {*_columns(new)}
    fields = [name for name in FIELDS.names if name in common_columns]
    views = {"old_pets": _table(old, fields), "new_pets": _table(new, fields)}
    proof = (old.completeness.covers_all, new.completeness.covers_all)
    rows = run(statement("diff", fields), views, _DTYPES, proof)
    if not rows["category_id"].hasnans:
        rows = rows.astype({"category_id": "int64"})
    return Diff(old, new, _day(old, zone), _day(new, zone), rows, zone)


def _columns(listing: Snapshot | Inventory) -> Sequence[str]:
    if isinstance(listing, Snapshot):
        return listing.columns
    return [str(name) for name in pandas_frame(listing, _NEEDED_COLUMNS).columns]


def _table(listing: Snapshot | Inventory, fields: Sequence[str]) -> Any:
    """Return fields of a listing as a pyarrow Table with one row per id."""
    if isinstance(listing, Snapshot):
        return read_table(listing.path, fields)
    arrow = import_extra("pyarrow", "a comparison of listings", "history")
    frame = pandas_frame(listing, _NEEDED_COLUMNS)[list(fields)]
    is_repeated = frame["id"].duplicated()
    if is_repeated.any():
        repeated_id = frame["id"][is_repeated].iloc[0]
        raise InputError(
            f"id {repeated_id} appears more than once", column="id", hint="drop the repeated rows"
        )
    # The schema that pandas leaves behind would bring its index back.
    return arrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()


def _day(listing: Snapshot | Inventory, zone: tzinfo | None) -> date:
    if isinstance(listing, Snapshot):
        return listing.date
    return day_of(listing.fetched_at, zone)
