"""One diff, trend and summary for every kind of frame: the same rows, ids to the last digit."""

from __future__ import annotations

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.history import diff_pets, trend_pets
from petstore_frame.history.engines import DIFF_COLUMNS
from unit.history.conftest import BIG, rows_of, table

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


COLUMNS = ["category_id", "category", "available", "pending", "sold", "no status", "pets"]
COUNTED = {
    "a missing status, an unknown one and ids past 2**53": (
        [
            (1, "a", 3, "available"), (BIG, "b", 3, None), (BIG + 2, "c", BIG, "lost"),
            (4, "d", BIG + 2, "sold"), (5, "e", 3, "available"),
        ],
        [
            (3, "Cat", 2, 0, 0, 1, 3), (BIG, f"Category {BIG}", 0, 0, 0, 0, 1),
            (BIG + 2, f"Category {BIG + 2}", 0, 0, 1, 0, 1),
        ],
    ),
    "no pets": ([], []),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "counts"), COUNTED.values(), ids=COUNTED)
def test_every_kind_of_frame_is_counted(to_kind, rows, counts) -> None:
    """Every engine counts the same pets into the same summary."""
    counted = pf.summarize(to_kind(rows), categories={3: "Cat"})
    assert rows_of(counted.frame, *COLUMNS) == counts
    assert (counted.total.count, counted.total.is_exact) == (len(rows), False)


@pytest.mark.parametrize("name", ["category", "category_id", "pets"])
def test_status_named_like_a_column(name: str) -> None:
    """A store's odd status never takes the place of a column of ours."""
    counted = pf.summarize(table([(1, "a", 3, name)])).frame
    assert (counted[f"status {name}"].tolist(), counted["pets"].tolist()) == ([1], [1])
