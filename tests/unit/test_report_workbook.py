"""The workbook holds what was read, cell by cell."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from petstore_frame import Inventory, write_report
from petstore_frame.frame import to_frame
from petstore_frame.inventory import Completeness, StatusCount, Verdict
from petstore_frame.models import NO_STATUS, PET_STATUSES, PetColumns


def inventory_of(frame: pd.DataFrame, *, is_complete: bool = True) -> Inventory:
    """An Inventory of a frame, proven complete or of a page that was full."""
    held = frame["status"].astype("object").fillna(NO_STATUS).value_counts()
    claim = Completeness(
        Verdict.COMPLETE if is_complete else Verdict.UNKNOWN,
        "all pets",
        "the server's next links, followed to the end" if is_complete else "the page was full",
        rows=len(frame),
        requests=1,
        by_status={
            name: StatusCount(int(held.get(name, 0)), is_complete)
            for name in (*PET_STATUSES, NO_STATUS)
        },
    )
    as_of = datetime(2030, 1, 2, 9, 30, tzinfo=UTC)
    return Inventory(frame, claim, as_of, "https://store.example/v1")


def read_back(path: Path) -> openpyxl.Workbook:
    """The workbook as openpyxl sees it, which knows no bars of Excel 2010 and warns of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        return openpyxl.load_workbook(path)


@pytest.fixture
def pets() -> pd.DataFrame:
    return to_frame(
        PetColumns(
            [2**53 + 1, 2**63 - 1, 3, 4],
            ["Luna", "=1+1", "007", "+49 170"],
            [3, 3, 9, 2**53 + 1],
            ["available", "sold", None, "pending"],
        )
    )


def test_ids_and_names_are_text_to_the_last_digit(pets: pd.DataFrame, tmp_path: Path) -> None:
    """Every id, name and category id is a text cell that equals the frame."""
    path = write_report(inventory_of(pets), tmp_path / "stock.xlsx")
    rows = list(read_back(path)["Inventory"].iter_rows(min_row=2))
    assert [cell.value for cell in (row[0] for row in rows)] == pets["id"].astype("str").tolist()
    assert [row[1].value for row in rows] == pets["name"].tolist()
    assert {cell.data_type for row in rows for cell in row} == {"s"}
