"""One comparison for every engine: the same cases, the same rows, ids to the last digit."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.history import diff_pets, trend_pets
from petstore_frame.history.queries import DIFF_COLUMNS, age_pets, live_pets, sell_pets
from petstore_frame.schema.frame import as_dtypes

BIG = 2**53 + 1
OLD = [
    (1, "Ada", 3, "available"),
    (2, "Bo", 3, None),
    (3, "NA", BIG, "sold"),
    (7, "Cy", 2, "lost"),
    (BIG, "Di", 1, "pending"),
    (BIG + 2, "Ed", 1, None),
]
NEW = [
    (1, "Ada", 3, "sold"),
    (2, "Bo", 3, None),
    (3, "NA", BIG, "sold"),
    (9, "Fi", 5, None),
    (BIG, "Di", 1, None),
]


def table(rows: list[tuple[Any, ...]], *more: str) -> pd.DataFrame:
    """Build a plain table of pets, also for no rows."""
    frame = pd.DataFrame(rows, columns=["id", "name", "category_id", "status", *more])
    dtypes = {"id": "int64", "category_id": "int64"}
    return as_dtypes(frame, {name: dtypes.get(name, "str") for name in frame.columns})


def dated(*snapshots: tuple[str, list[tuple[Any, ...]]]) -> pd.DataFrame:
    """Build the pets of several days, the day as text, as the key of a folder is."""
    return table([(*row, day) for day, rows in snapshots for row in rows], "date")


def test_diff(to_kind, rows_of) -> None:
    """A pet with no status twice has not changed; one that lost its status has."""
    old, new = to_kind(table(OLD)), to_kind(table(NEW))
    diff = diff_pets(old, new, is_old_whole=True, is_new_whole=True)
    assert type(diff) is type(new)
    assert rows_of(diff, *DIFF_COLUMNS) == [
        (1, "Ada", 3, "changed", "available", "sold", "status"),
        (7, "Cy", 2, "gone", "lost", None, ""),
        (9, "Fi", 5, "new", None, "no status", ""),
        (BIG, "Di", 1, "changed", "pending", "no status", "status"),
        (BIG + 2, "Ed", 1, "gone", "no status", None, ""),
    ]


def test_a_change_of_any_field_is_named(to_kind, rows_of) -> None:
    """A pet with another name or category has changed, and each field that differs is named."""
    old = to_kind(table([(1, "Ada", 3, "sold"), (2, "Bo", 3, None), (3, "Cy", 3, "sold")]))
    new = to_kind(table([(1, "Ida", BIG, "sold"), (2, "Bo", 4, "sold"), (3, "Cy", 3, "sold")]))
    assert rows_of(diff_pets(old, new), "id", "kind", "difference") == [
        (1, "changed", "name, category_id"),
        (2, "changed", "category_id, status"),
    ]


def test_diff_without_proof(to_kind, rows_of) -> None:
    """Where a listing is not known to be whole, absent is no more than not seen."""
    old, new = to_kind(table(OLD)), to_kind(table(NEW))
    unproven = dict(rows_of(diff_pets(old, new), "id", "kind"))
    half = dict(rows_of(diff_pets(old, new, is_new_whole=True), "id", "kind"))
    assert (unproven[7], unproven[9], unproven[BIG + 2]) == ("not seen", "first seen", "not seen")
    assert (half[7], half[9], half[BIG + 2]) == ("gone", "first seen", "gone")


def test_diff_against_nothing(to_kind, rows_of) -> None:
    """An empty snapshot on either side compares like any other."""
    empty, full = to_kind(table([])), to_kind(table(OLD))
    came = rows_of(diff_pets(empty, full, is_old_whole=True), "id", "kind", "was")
    went = rows_of(diff_pets(full, empty, is_new_whole=True), "id", "kind", "now")
    assert came == [(row[0], "new", None) for row in OLD]
    assert went == [(row[0], "gone", None) for row in OLD]


def test_trend(to_kind, rows_of) -> None:
    """Pets are counted by day and group; a day comes back as an instant on every engine."""
    pets = to_kind(dated(("2026-11-01", OLD), ("2026-11-03", NEW)))
    trend = trend_pets(pets, ("status",))
    day = [pd.Timestamp("2026-11-01"), pd.Timestamp("2026-11-03")]
    assert type(trend) is type(pets)
    assert sorted(rows_of(trend, "date", "status", "pets")) == [
        (day[0], "available", 1), (day[0], "lost", 1), (day[0], "no status", 2),
        (day[0], "pending", 1), (day[0], "sold", 1), (day[1], "no status", 3),
        (day[1], "sold", 2),
    ]  # fmt: skip


def test_lives(to_kind, rows_of) -> None:
    """Ageing starts anew after another status; sold counts for those that were on offer."""
    pets = to_kind(
        dated(
            ("2026-11-01", [(1, "Ada", 3, "available"), (BIG, "Di", BIG, "available")]),
            ("2026-11-02", [(1, "Ada", 3, None), (BIG, "Di", BIG, "pending"), (4, "x", 3, "sold")]),
            ("2026-11-05", [(1, "Ada", 3, "available"), (BIG, "Di", BIG, "sold")]),
            ("2026-11-09", [(1, "Ada", 3, "available"), (5, "Jo", 3, "available")]),
        )
    )
    lives = live_pets(pets)
    ages = age_pets(pets, lives)
    day = {n: pd.Timestamp(2026, 11, n) for n in (1, 5, 9)}
    assert rows_of(ages, "id", "name", "first_seen", "available_since", "last_seen") == [
        (1, "Ada", day[1], day[5], day[9]),
        (5, "Jo", day[9], day[9], day[9]),
    ]
    assert rows_of(sell_pets(lives), "category_id", "offered", "sold") == [(3, 2, 0), (BIG, 1, 1)]


def test_refuses_a_frame_without_ids() -> None:
    """A frame that lacks a column is refused before anything is compared."""
    with pytest.raises(pf.InputError, match="lacks id, name"):
        diff_pets(table(OLD)[["category_id", "status"]], table(NEW))
    with pytest.raises(pf.InputError, match="lacks date"):
        trend_pets(table(OLD))


_STATUS = st.sampled_from(["available", "pending", "sold", "lost", None])
_STORE = st.dictionaries(st.integers(2**53 - 3, 2**53 + 5) | st.integers(1, 6), _STATUS, max_size=8)


@given(old=_STORE, new=_STORE)
def test_diff_is_what_a_dict_says(old: dict[int, Any], new: dict[int, Any]) -> None:
    """For any two listings the diff is the one that plain Python finds."""
    frames = [table([(id_, "x", 1, status) for id_, status in each.items()]) for each in (old, new)]
    diff = diff_pets(*frames, is_old_whole=True, is_new_whole=True)
    found = {row.id: row.kind for row in diff.itertuples()}
    assert found == {
        **dict.fromkeys(old.keys() - new.keys(), "gone"),
        **dict.fromkeys(new.keys() - old.keys(), "new"),
        **{id_: "changed" for id_ in old.keys() & new.keys() if old[id_] != new[id_]},
    }
    assert len(diff) == len(found)
