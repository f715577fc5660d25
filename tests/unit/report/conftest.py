"""Reports of an inventory of choice, written and read back."""

from __future__ import annotations

import pytest

import petstore_frame as pf
from unit.conftest import make_inventory, read_book

OPTIONS = {"attention", "categories", "changes", "overwrite"}


@pytest.fixture
def write(tmp_path):
    """Write the report of an inventory, ``of`` one or of these facts, ``to`` a file."""

    def made(*pets, of=None, to="stock.xlsx", **facts):
        options = {name: facts.pop(name) for name in OPTIONS & facts.keys()}
        inventory = make_inventory(*pets, **facts) if of is None else of
        return pf.write_report(inventory, tmp_path / to, **options)

    return made


@pytest.fixture
def book_of(write):
    """The same workbook, read back."""
    return lambda *pets, **facts: read_book(write(*pets, **facts))
