"""What the parts say of the same two listings agrees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.schema.frame import PetColumns, to_frame
from petstore_frame.stocktake.matching import Kind, match_by_key

statuses = st.sampled_from(["available", "pending", "sold"])
animals = st.tuples(st.sampled_from(["Ada", "Bo", "Cy"]), st.sampled_from([3, 7]), statuses)
listings = st.dictionaries(st.integers(2**53, 2**53 + 6), animals, max_size=6)
Animals = Mapping[int, tuple[str, int, str | None]]


def inventory(pets: Animals, day: str) -> pf.Inventory:
    frame = to_frame(PetColumns.of_rows((pet_id, *values) for pet_id, values in pets.items()))
    return pf.Inventory.made_up(frame, fetched_at=pd.Timestamp(day, tz="UTC"))


@settings(max_examples=25)
@given(old=listings, new=listings)
def test_diff_compare_and_counts_agree(old: Animals, new: Animals) -> None:
    """A comparison by key and a diff name the same pets and fields, and counts are their sums."""
    before, after = inventory(old, "2026-11-01"), inventory(new, "2026-11-02")
    found = pf.diff(before, after)
    ours = before.frame.assign(
        record=range(1, len(old) + 1), line=0, key=before.frame["id"].astype("str"), problem=None
    )
    keys = before.frame[["id"]].assign(key=ours["key"], is_in_doubt=False)
    table = match_by_key(ours.drop(columns="id"), keys, after.frame)
    kinds = table["kind"].value_counts()
    assert [kinds.get(str(kind), 0) for kind in (Kind.CHANGED, Kind.ONLY_IN_STORE)] == [
        found.counts["changed"], found.counts["new"],
    ]  # fmt: skip
    assert kinds.get("only in list", 0) == found.counts["gone"]
    changed = table[table["kind"] == Kind.CHANGED].set_index("id")["difference"].to_dict()
    rows = found.frame[found.frame["kind"] == "changed"]
    assert rows.set_index("id")["difference"].to_dict() == changed
    sums = [pf.summarize(each).count().count for each in (before, after)]
    assert sums[1] - sums[0] == found.counts["new"] - found.counts["gone"]


def test_two_listings_are_compared_by_id_in_any_form(tmp_path: Path) -> None:
    """Inventories, their frames and Parquet files compare on id, and a lost status is a change."""
    old = {1: ("Ada", 3, "sold"), 2: ("Bo", 3, None), 3: ("Cy", 7, "sold")}
    new = {1: ("Ada", 3, None), 2: ("Bo", 3, "sold"), 4: ("Di", 7, "sold")}
    before, after = inventory(old, "2026-11-01"), inventory(new, "2026-11-02")
    file = pf.write_report(before, tmp_path / "yesterday.parquet")
    for earlier, later in [(before, after), (before.frame, after.frame), (file, after)]:
        found = pf.compare(earlier, later, on="id")
        assert found.frame.set_index("id")["kind"].to_dict() == {
            1: "changed", 2: "changed", 3: "only in list", 4: "only in store",
        }  # fmt: skip
    with pytest.raises(pf.ArgumentError, match="compares two listings"):
        pf.compare(pd.DataFrame({"id": [1]}), after, on="id")
