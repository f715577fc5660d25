"""One diff and one trend for every kind of frame: the same rows, ids to the last digit."""

from __future__ import annotations

import pandas as pd

from petstore_frame.history import diff_pets, trend_pets
from petstore_frame.history.engines import DIFF_COLUMNS
from unit.history.conftest import BIG, rows_of

OLD = [
    (1, "Ada", 3, "available"), (2, "Bo", 3, None), (3, "NA", BIG, "sold"), (4, "Gil", 3, "sold"),
    (7, "Cy", 2, "lost"), (BIG, "Di", 1, "pending"), (BIG + 2, "Ed", 1, None),
]  # fmt: skip
NEW = [
    (1, "Ada", 3, "sold"), (2, "Bo", 3, None), (3, "NA", BIG, "sold"), (4, "Hy", BIG, "sold"),
    (9, "Fi", 5, None), (BIG, "Di", 1, None),
]  # fmt: skip


def test_diff(to_kind) -> None:
    """Each field that differs is named; no status twice is no change, and a lost one is."""
    new = to_kind(NEW)
    diff = diff_pets(to_kind(OLD), new, is_old_whole=True, is_new_whole=True)
    assert type(diff) is type(new)
    assert rows_of(diff, *DIFF_COLUMNS) == [
        (1, "Ada", 3, "changed", "available", "sold", "status"),
        (4, "Hy", BIG, "changed", "sold", "sold", "name, category_id"),
        (7, "Cy", 2, "gone", "lost", None, ""),
        (9, "Fi", 5, "new", None, "no status", ""),
        (BIG, "Di", 1, "changed", "pending", "no status", "status"),
        (BIG + 2, "Ed", 1, "gone", "no status", None, ""),
    ]


def test_diff_against_nothing(to_kind) -> None:
    """An empty snapshot on either side compares like any other."""
    empty, full = to_kind([]), to_kind(OLD)
    came = rows_of(diff_pets(empty, full, is_old_whole=True), "id", "kind", "was")
    went = rows_of(diff_pets(full, empty, is_new_whole=True), "id", "kind", "now")
    assert came == [(row[0], "new", None) for row in OLD]
    assert went == [(row[0], "gone", None) for row in OLD]


def test_trend(to_kind) -> None:
    """Pets are counted by day and group; a day comes back as an instant on every engine."""
    days = {"2026-11-01": OLD, "2026-11-03": NEW}
    pets = to_kind([(*row, day) for day, rows in days.items() for row in rows], "date")
    trend = trend_pets(pets, ("status",))
    first, last = map(pd.Timestamp, days)
    assert type(trend) is type(pets)
    assert sorted(rows_of(trend, "date", "status", "pets")) == [
        (first, "available", 1), (first, "lost", 1), (first, "no status", 2),
        (first, "pending", 1), (first, "sold", 2), (last, "no status", 3), (last, "sold", 3),
    ]  # fmt: skip
