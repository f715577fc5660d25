"""What changed between snapshots, written once for every dataframe engine.

Three rules keep the engines alike. A status is compared as text, a missing one as ``no status``,
because nulls compare differently. Joins are left joins and anti joins, because a full join turns
int64 ids into floats on pandas and Dask. No order is promised; rows are sorted where they are
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from petstore_frame.counts.pet_table import open_frame
from petstore_frame.counts.summary import count_pets, status_text
from petstore_frame.schema.models import PET_COLUMNS

COMPARED = ("id", "name", "category_id", "status")
DIFF_COLUMNS = ("id", "name", "category_id", "kind", "was", "now", "difference")
KINDS = ("new", "first seen", "changed", "gone", "not seen")


def diff_pets(old: Any, new: Any, *, is_old_whole: bool = False, is_new_whole: bool = False) -> Any:
    """Return one row per pet that came, went or changed in any field.

    Args:
        old: The earlier pets: ``id`` (unique), ``name``, ``category_id``, ``status``, and further
            fields of a pet, which are compared where both have them.
        new: The later pets, a frame of the same kind.
        is_old_whole: Whether ``old`` holds every pet of the store.
        is_new_whole: Whether ``new`` does.

    Returns:
        A frame of the same kind, in no fixed order. ``id``, ``name`` and ``category_id`` as in
        the later pets (the earlier ones where the pet is in those only); ``kind``: ``new``, or
        ``first seen`` where the earlier pets are not known to be all; ``changed``; ``gone``, or
        ``not seen`` where the later pets are not known to be all; ``was`` and ``now``: the status
        as text, a missing one as ``no status``, missing where the pet is absent; ``difference``:
        the fields that changed, as text: ``name, status``.

    Raises:
        ArgumentError: It is not a frame.
        InputError: A frame lacks a column, or ids are not whole numbers.
    """
    before, after = open_frame(old, COMPARED), open_frame(new, COMPARED)
    nothing = nw.lit(None, dtype=nw.String)
    held = {*before.collect_schema().names()} & {*after.collect_schema().names()}
    fields = [name for name in PET_COLUMNS if name in held and name != "id"]
    was = before.select("id", *(_text(name).alias(f"old_{name}") for name in fields))
    now = after.select("id", "name", "category_id", *(_text(n).alias(f"new_{n}") for n in fields))
    came = (
        now.join(was, on="id", how="left")
        .rename({"old_status": "was", "new_status": "now"})
        .with_columns(difference=_difference(fields))
        .filter(nw.col("was").is_null() | (nw.col("difference") != ""))
        .with_columns(kind=_came("new" if is_old_whole else "first seen"))
    )
    went = (
        before.select("id", "name", "category_id", was=status_text())
        .join(after.select("id"), on="id", how="anti")
        .with_columns(
            now=nothing,
            kind=nw.lit("gone" if is_new_whole else "not seen"),
            difference=nw.lit(""),
        )
    )
    return nw.concat([came.select(*DIFF_COLUMNS), went.select(*DIFF_COLUMNS)]).to_native()


def trend_pets(pets: Any, by: Sequence[str] = ("status",)) -> Any:
    """Count dated pets by day and by columns.

    Args:
        pets: A frame with ``date`` (a date, an instant, or text like 2026-11-01) and the columns
            of ``by``, one row per pet and snapshot.
        by: ``status``, ``category_id``, or both.

    Returns:
        A frame of the same kind: ``date`` (an instant, midnight), the columns of ``by``, ``pets``
        (int64). Days without a row are absent: what is not there is not made up.
    """
    counted = nw.from_native(count_pets(pets, ("date", *by)))
    return counted.with_columns(date=_midnight()).to_native()


def live_pets(pets: Any) -> Any:
    """Return one row per pet ever seen, with the days on which it was.

    Columns: ``id``, ``category_id``; as instants ``first_seen``, ``last_seen``, ``last_available``,
    ``last_sold`` and ``last_other`` (any status but available, or none), missing where that never
    was; ``was_offered``: 1 where it was ever seen available or pending, else 0.
    """
    status, day = nw.col("status"), nw.col("date")
    dated = _dated(pets, ("id", "category_id", "status")).with_columns(status=status_text())
    is_offered = (status == "available") | (status == "pending")
    return (
        dated.with_columns(
            last_available=nw.when(status == "available").then(day),
            last_sold=nw.when(status == "sold").then(day),
            last_other=nw.when(status != "available").then(day),
            was_offered=nw.when(is_offered).then(nw.lit(1)).otherwise(nw.lit(0)),
            last_seen=day,
        )
        .group_by("id")
        .agg(
            nw.col("category_id").max(),
            nw.col("date").min().alias("first_seen"),
            nw.col("last_seen", "last_available", "last_sold", "last_other").max(),
            nw.col("was_offered").max(),
        )
        .to_native()
    )


def sell_pets(lives: Any) -> Any:
    """Count by category the pets that were offered, and those of them sold when last seen."""
    is_sold = nw.col("last_sold") == nw.col("last_seen")
    return (
        nw.from_native(lives)
        .filter(nw.col("was_offered") == 1)
        .with_columns(offered=nw.lit(1), sold=nw.when(is_sold).then(nw.lit(1)).otherwise(nw.lit(0)))
        .group_by("category_id")
        .agg(nw.col("offered", "sold").sum())
        # DuckDB sums whole numbers into a type of 128 bits.
        .with_columns(nw.col("offered", "sold").cast(nw.Int64))
        .to_native()
    )


def age_pets(pets: Any, lives: Any) -> Any:
    """Return the pets that were available when last seen, and since when.

    ``available_since`` is the first day of the last unbroken run of snapshots that show it so.
    """
    known = nw.from_native(lives).filter(nw.col("last_available") == nw.col("last_seen"))
    known = known.select("id", "first_seen", "last_seen", "last_other")
    dated = _dated(pets, COMPARED)
    runs = (
        dated.filter(status_text() == "available")
        .select("id", "name", "category_id", "date")
        .join(known, on="id", how="inner")
        .filter(nw.col("last_other").is_null() | (nw.col("date") > nw.col("last_other")))
    )
    return (
        runs.group_by("id")
        .agg(
            nw.col("name").max(),
            nw.col("category_id").max(),
            nw.col("first_seen").min(),
            nw.col("date").min().alias("available_since"),
            nw.col("last_seen").max(),
        )
        .to_native()
    )


def _text(name: str) -> nw.Expr:
    """Return a field as text, which every engine compares alike, a missing value as none."""
    return status_text() if name == "status" else nw.col(name).cast(nw.String).fill_null("")


def _difference(fields: Sequence[str]) -> nw.Expr:
    """Return the names of the fields in which a pet was another, as text."""
    sides = {"status": ("was", "now")}
    parts = []
    for name in fields:
        old, new = sides.get(name, (f"old_{name}", f"new_{name}"))
        # A pet that was not there before has no old values, so nothing differs.
        was_there = ~nw.col("was").is_null()
        parts.append(
            nw.when(was_there & (nw.col(old) != nw.col(new)))
            .then(nw.lit(f", {name}"))
            .otherwise(nw.lit(""))
        )
    return nw.concat_str(parts).str.slice(2)


def _came(kind: str) -> nw.Expr:
    """Return the kind of a pet that came, and ``changed`` for one that was there."""
    return nw.when(nw.col("was").is_null()).then(nw.lit(kind)).otherwise(nw.lit("changed"))


def _midnight() -> nw.Expr:
    """Return ``date`` as an instant: the one form that every engine reads alike."""
    day = nw.col("date").cast(nw.String).str.slice(0, 10)
    return day.str.to_datetime(format="%Y-%m-%d")


def _dated(pets: Any, columns: Sequence[str]) -> Any:
    """Open dated pets with a date that can be compared; the key of a folder may be a category."""
    frame = open_frame(pets, ("date", *columns)).select("date", *columns)
    is_day = frame.collect_schema()["date"].is_temporal()
    return frame if is_day else frame.with_columns(date=_midnight())
