"""A frame's claim holds for the rows that were read, and for no others."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Completeness, Inventory, Source, Verdict
from petstore_frame.inventory.result import completeness
from petstore_frame.inventory.source import seal
from petstore_frame.schema.frame import PetColumns, to_frame

CLAIM = Completeness(Verdict.COMPLETE, "because", 4, 1)
WHEN = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
SOURCE = Source(CLAIM, WHEN, "http://127.0.0.1/v1", "s-1")


@pytest.fixture
def frame() -> pd.DataFrame:
    columns = PetColumns(
        [3, 1, 2, 2**63 - 1], list("abcd"), [7, 7, 8, 8], ["sold", None, "x", "sold"]
    )
    return seal(to_frame(columns), SOURCE)


KEEPS = {
    "untouched": lambda frame: frame,
    "sorted": lambda frame: frame.sort_values("name", ascending=False),
    "copied": lambda frame: frame.copy(),
    "given a column": lambda frame: frame.assign(label="Dogs"),
    "with tidied categories": lambda frame: frame.assign(
        status=frame["status"].cat.remove_unused_categories()
    ),
    "pickled": lambda frame: pickle.loads(pickle.dumps(frame)),
}
BREAKS = {
    "filtered": lambda frame: frame[frame["status"] == "sold"],
    "cut": lambda frame: frame.head(3),
    "doubled": lambda frame: frame.loc[frame.index.repeat(2)],
    "sold out": lambda frame: frame.assign(status="sold"),
    "moved to a category": lambda frame: frame.assign(category_id=1),
    "turned": lambda frame: frame.T,
    "described": lambda frame: frame.describe(),
    "without ids": lambda frame: frame.drop(columns="id"),
}


@pytest.mark.parametrize("change", KEEPS.values(), ids=KEEPS)
def test_a_seal_survives_what_keeps_the_rows(frame: pd.DataFrame, change) -> None:
    """Order, further columns and copies leave the claim true, so it stays."""
    found = completeness(change(frame))
    assert found.state == "sealed"
    assert (found.current, found.source) == (CLAIM, SOURCE)


@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS)
def test_a_seal_breaks_with_the_rows(frame: pd.DataFrame, change) -> None:
    """No filtered or edited frame poses as the whole."""
    found = completeness(change(frame))
    assert found.state == "changed"
    assert found.current is None


def test_a_seal_survives_parquet(frame: pd.DataFrame, tmp_path: Path) -> None:
    """A frame written to Parquet and read back still knows what it covers."""
    frame.to_parquet(tmp_path / "pets.parquet")
    found = completeness(pd.read_parquet(tmp_path / "pets.parquet"))
    assert found.state == "sealed"
    assert found.source == SOURCE


@pytest.mark.parametrize("attrs", [{}, {"petstore_frame": "{"}, {"petstore_frame": 7}])
def test_a_frame_without_a_seal_makes_no_claim(attrs: dict[str, object]) -> None:
    """A frame from elsewhere, or a seal that cannot be read, claims nothing."""
    frame = pd.DataFrame({"id": [1]})
    frame.attrs.update(attrs)
    found = completeness(frame)
    assert found.state == "none"
    with pytest.raises(TypeError):
        bool(found)


EDITS = {
    "a row added in place": lambda held: held.frame.loc.__setitem__(99, [9, "Rex", 1, "sold"]),
    "a cell set": lambda held: held.frame.__setitem__("category_id", 1),
    "replaced": lambda held: dataclasses.replace(held, frame=held.frame.head(2)),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_inventory_makes_no_claim(frame: pd.DataFrame, edit) -> None:
    """Whatever shows an Inventory stops calling it complete once its rows were changed."""
    held = Inventory(frame, SOURCE)
    assert (held.claim, pf.summarize(held).claim) == (CLAIM, CLAIM)
    held = edit(held) or held
    shown = [
        repr(held),
        held._repr_html_(),
        str(pf.summarize(held)),
        repr(pf.charts.status_chart(held)),
    ]
    assert all("at least" in text and str(CLAIM) not in text for text in shown)
    assert not pf.summarize(held).count("sold").is_exact


@pytest.mark.parametrize("value", [None, "stock.csv", 3, pd.Series([1])])
def test_what_is_no_frame_has_no_claim_to_ask_for(value: Any) -> None:
    """A wrong argument is refused; "no claim" is said of frames alone."""
    with pytest.raises(pf.ArgumentError, match="expected a frame of pets or an Inventory, got"):
        completeness(value)
