"""Hand-made inventories, and workbooks read back as another program sees them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import Inventory
from petstore_frame.inventory import Verdict
from petstore_frame.inventory.origin import stamp
from petstore_frame.schema.frame import PetColumns, to_frame

Pet = tuple[int, str, int, str | None]
MakeInventory = Callable[..., Inventory]
ReadBook = Callable[..., openpyxl.Workbook]

PETS: list[Pet] = [
    (2**53 + 1, "Luna", 3, "available"),
    (2**63 - 1, "=1+1", 3, "sold"),
    (-5, "007", 9, None),
    (4, "+49 170", 2**53 + 1, "pending"),
    (5, "Max", 3, "sold"),
]


def make_inventory(
    pets: list[Pet] | pd.DataFrame | None = None,
    verdict: Verdict = Verdict.COMPLETE,
    *,
    exact: tuple[str, ...] = (),
    **known_of: Any,
) -> Inventory:
    """An Inventory; where it is not complete, only the statuses in ``exact`` are exact."""
    rows = PETS if pets is None else pets
    if isinstance(rows, list):
        columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
        rows = to_frame(PetColumns(*columns))
    basis = "the store's next links" if verdict is Verdict.COMPLETE else "the page was full"
    made = Inventory.made_up(
        rows, verdict=verdict, exact=exact, basis=basis, base_url="https://store.example/v1",
        fetched_at=datetime(2030, 1, 2, 9, 30, tzinfo=UTC),
    )  # fmt: skip
    known = replace(made.completeness, **{"requests": 3} | known_of)
    return Inventory(stamp(rows, known, made.origin), made.origin)


def read_book(path: Path, *, data_only: bool = False) -> openpyxl.Workbook:
    """A workbook as openpyxl sees it, which knows no bars of Excel 2010 and warns of them.

    With ``data_only`` formulas give the values that a viewer shows without calculating.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        return openpyxl.load_workbook(path, data_only=data_only)


@pytest.fixture
def inventory_of() -> MakeInventory:
    """How a test makes an inventory of its own."""
    return make_inventory


@pytest.fixture
def read_back() -> ReadBook:
    """How a test reads a workbook."""
    return read_book


@pytest.fixture
def client() -> Iterator[pf.Client]:
    """A client of a store that nobody may ask."""
    with pf.Client("http://127.0.0.1:9/v1", "a-key-of-twenty-signs") as made:
        yield made
