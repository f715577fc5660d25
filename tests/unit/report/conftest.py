"""A workbook of an inventory of choice, written and read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.report import write_data


@pytest.fixture
def book_of(inventory_of, read_back, tmp_path: Path) -> Callable[..., Any]:
    """Write the report of an inventory, ``of`` one or of these facts, and read it back."""

    def made(*pets: Any, of: Any = None, has_values: bool = False, **facts: Any) -> Any:
        more = {name: facts.pop(name) for name in ("categories", "changes") if name in facts}
        inventory = inventory_of(*pets, **facts) if of is None else of
        path = pf.write_report(inventory, tmp_path / "stock.xlsx", **more)
        return read_back(path, data_only=has_values)

    return made


@pytest.fixture(params=[pf.write_report, write_data], ids=["report", "fetch"])
def either_book_of(request, inventory_of, read_back, tmp_path: Path) -> Callable[..., Any]:
    """The same of the workbook for people, and of the one of plain data."""
    return lambda *pets: read_back(request.param(inventory_of(*pets), tmp_path / "stock.xlsx"))
