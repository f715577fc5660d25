"""Hand-made inventories, and workbooks read back as another program sees them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import Inventory
from petstore_frame.inventory import Verdict, inventory_of
from petstore_frame.schema import PetColumns

if TYPE_CHECKING:
    from threaded import Server

Pet = tuple[int, str, int, str | None]
BASE_URL = "https://store.example/v1"
AS_OF = datetime(2026, 1, 2, 9, 30, tzinfo=UTC)

PETS: list[Pet] = [
    (2**53 + 1, "Luna", 3, "available"),
    (2**63 - 1, "=1+1", 3, "sold"),
    (-5, "007", 9, None),
    (4, "+49 170", 2**53 + 1, "pending"),
    (5, "Max", 3, "sold"),
]


def make_inventory(
    pets: Iterable[Pet] | pd.DataFrame = PETS,
    verdict: Verdict = Verdict.COMPLETE,
    *,
    exact: Collection[str] = (),
    status: str | None = None,
    at: datetime = AS_OF,
    base_url: str = BASE_URL,
    store_id: str | None = None,
    **changes: Any,
) -> Inventory:
    """An Inventory; where it is not complete, only the statuses in ``exact`` are exact."""
    frame = pets if isinstance(pets, pd.DataFrame) else PetColumns.of_rows(pets).to_frame()
    reason = "the store's next links" if verdict is Verdict.COMPLETE else "the page was full"
    made = Inventory.from_frame(
        frame, verdict=verdict, exact=exact, status=status, reason=reason, fetched_at=at,
        base_url=base_url, store_id=store_id,
    )  # fmt: skip
    completeness = replace(made.completeness, **{"requests": 3} | changes)
    return inventory_of(frame, completeness, made.provenance)


def pets(count: int, categories: int = 3) -> list[Pet]:
    """Pets whose statuses and categories go round and round."""
    statuses = ("available", "pending", "sold", None)
    return [(at + 1, f"Pet {at}", at % categories + 1, statuses[at % 4]) for at in range(count)]


def read_book(path: Path) -> openpyxl.Workbook:
    """A workbook as openpyxl sees it."""
    # It knows no bars of Excel 2010, and warns of them.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        return openpyxl.load_workbook(path)


@pytest.fixture
def client() -> Iterator[pf.Client]:
    """A client of a store that nobody may ask."""
    with pf.Client("http://127.0.0.1:9/v1", "a-key-of-twenty-signs") as made:
        yield made


@pytest.fixture
def sample_here(sample_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The store of made-up pets, named by the environment, for what is typed in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PETSTORE_BASE_URL", sample_server.base_url)
    monkeypatch.setenv("PETSTORE_API_KEY", sample_server.api_key.get_secret_value())
    return sample_server
