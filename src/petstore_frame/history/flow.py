"""Follows pets through many snapshots: which came, moved and left, and which still wait."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from petstore_frame.history.coverage import coverage_tables
from petstore_frame.history.folder import Contents
from petstore_frame.history.queries import run, statement
from petstore_frame.history.snapshot import dated_table

_MOVES = {
    "since": "datetime64[us]",
    "until": "datetime64[us]",
    "kind": "str",
    "was": "str",
    "now": "str",
    "pets": "int64",
    "bound": "str",
}
_AGEING = {
    "id": "int64",
    "name": "str",
    "category_id": "int64",
    "available_since": "datetime64[us]",
    "days_available": "int64",
    "is_at_least": "bool",
    "bound": "str",
}


class Flow:
    """How pets arrived, moved and left, and how long others wait; ``history.flow()`` returns it.

    Each table is computed on first use from ``snapshots``, which are in order of their dates.

    Example:
        >>> from petstore_frame import sample_data
        >>> flow = sample_data.write_sample_history("history", days=8, pets=40).flow()
        >>> int(flow.ageing["days_available"].max())
        7
    """

    def __init__(self, contents: Contents) -> None:
        self.snapshots = tuple(contents.snapshots)
        self._contents = contents

    @cached_property
    def moves(self) -> pd.DataFrame:
        """The number of pets that arrived, moved between statuses, and left, by week.

        The last snapshot of each week is compared with that of the week before, and in the first
        week with the first snapshot. A pet that moved twice within a week counts once, from its
        first status to its last.

        Columns: ``since`` and ``until`` (the dates of the two snapshots), ``kind``, ``was``,
        ``now`` (as in ``diff``), ``pets`` (int64; a move of any week is a row of every week),
        ``bound`` (``exact``, ``at_least``, or ``about`` for pets that were ``first seen`` or
        ``not seen``, which may have been there all the time).
        """
        views = coverage_tables(self._contents)
        views["pets"] = dated_table(self.snapshots, ("id", "status"))
        return run(statement("moves"), views, _MOVES)

    @cached_property
    def ageing(self) -> pd.DataFrame:
        """The pets that the last snapshot shows available, and for how long, longest first.

        Columns: ``id`` (int64), ``name``, ``category_id`` (int64); ``available_since``, the first
        of the last unbroken run of snapshots that show the pet available; ``days_available``
        (int64), from then to the last snapshot; ``is_at_least``, whether it may have been available
        earlier, because there is no snapshot before the run, or it is not exact about available
        pets; ``bound`` of the number of rows: ``exact`` if the last snapshot holds every available
        pet, otherwise ``at_least`` or ``about``.
        """
        views = coverage_tables(self._contents)
        views["pets"] = dated_table(
            self.snapshots, ("id", "status"), of_last_only=("name", "category_id")
        )
        return run(statement("ageing"), views, _AGEING)

    def __repr__(self) -> str:
        first, last = self.snapshots[0].date, self.snapshots[-1].date
        return f"<Flow {first} to {last}: {len(self.snapshots)} snapshots; .moves, .ageing>"
